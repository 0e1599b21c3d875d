import { hashOf } from "../../../provider/pulumi/hosts-file";
import { Run } from "../../../provider/pulumi/run";
import { ListedInRun } from "../../../provider/resources/role-group-assignment/listed-in-run";
import { type Listing } from "../../../provider/resources/role-group-assignment/listing";
import { Assignment, groupKey } from "../../../provider/resources/role-group-assignment/assignment";
import { plan } from "../../../provider/resources/role-group-assignment/plan";
import { roleOf } from "../../../provider/resources/role-group-assignment/roles-of-run";
import { UNKNOWN_VALUE as UNKNOWN } from "../../../provider/seen";

const AT = { role: "rol_1" };
const [A, B] = ["grp_a", "grp_b"];

const newRun = () => new Run({ domain: "tenant.example.com", accessToken: "given" }, { from: "stack" });
const listing = (groups: string[], isComplete = true, role = AT.role): Listing => ({
  role: hashOf(role),
  listed: groups.map(hashOf),
  isComplete,
});

/** Records what the check of an assignment approves. */
function check(run: Run, name: string, ...groups: string[]): void {
  run.ledger.want(
    { key: name, name },
    groups.map((group) => ({ key: groupKey(AT, group), isNow: true })),
  );
}

/** Adds the listing of an assignment that lists these groups after all. */
function add(listed: ListedInRun, given: Listing | undefined, groupIds: unknown, isOver = false): boolean {
  return listed.add(given, { listed: new Assignment({ groupIds }), isOver, replaced: undefined });
}

describe("another assignment lists a group", () => {
  test.each([
    ["nobody knows, before any listing comes", undefined, [], { listed: "unknown" }],
    ["no, if the listing is whole", listing([B]), [B], { listed: "no" }],
    ["nobody knows, if it isn't", listing([B], false), [B], { listed: "unknown" }],
    ["nobody knows, if the assignment hides some", listing([B]), [UNKNOWN], { listed: "unknown" }],
    ["yes, says the listing", listing([A]), [B], { listed: "yes", isSure: true }],
  ])("%s", (_what, given, groupIds, expected) => {
    const listed = new ListedInRun(AT, newRun());
    if (given !== undefined) add(listed, given, groupIds);
    expect(listed.of(A)).toEqual(expected);
  });

  test("yes, says a check, which comes in any order", () => {
    const run = newRun();
    check(run, "support", A);
    expect(new ListedInRun(AT, run).of(A)).toEqual({ listed: "yes", isSure: false, by: "support" });
  });

  test("yes, say both", () => {
    const run = newRun();
    const listed = new ListedInRun(AT, run);
    add(listed, listing([A, B]), [B]);
    check(run, "support", A);
    expect(listed.of(A)).toEqual({ listed: "yes", isSure: true, by: "support" });
  });

  test("nobody knows, once an assignment of the role comes without a listing", () => {
    const listed = new ListedInRun(AT, newRun());
    add(listed, listing([]), []);
    add(listed, undefined, []);
    expect(listed.of(A)).toEqual({ listed: "unknown" });
  });

  test("yes, says a listing of all roles, before any assignment of this one comes", () => {
    const run = newRun();
    const other = { ...listing([], true, "rol_2"), others: new Map([[hashOf(AT.role), listing([A])]]) };
    add(new ListedInRun({ role: "rol_2" }, run), other, []);
    expect(new ListedInRun(AT, run).of(A)).toEqual({ listed: "yes", isSure: true });
  });
});

describe("an assignment that doesn't list a group after all", () => {
  test("takes it out of the listing, also of one that comes later", () => {
    const listed = new ListedInRun(AT, newRun());
    expect(add(listed, listing([A]), [A], true)).toBe(true);
    add(listed, listing([A]), []);
    expect(listed.of(A)).toEqual({ listed: "no" });
  });

  test("comes too late if another has let go of it", () => {
    const listed = new ListedInRun(AT, newRun());
    add(listed, listing([A, B]), [B]);
    listed.of(A);
    expect(add(listed, listing([A, B]), [A], true)).toBe(false);
  });

  test("is in time if a check says who else lists it", () => {
    const run = newRun();
    const listed = new ListedInRun(AT, run);
    add(listed, listing([A, B]), [B]);
    check(run, "support", A);
    listed.of(A);
    expect(add(listed, listing([A, B]), [A], true)).toBe(true);
  });

  test("takes it out of the listing of the role that the program gives, and leaves its own open", () => {
    const run = newRun();
    const given = new ListedInRun({ role: "rol_2" }, run);
    const listed = new ListedInRun(AT, run);
    expect(add(listed, listing([A], true, "rol_2"), [A])).toBe(true);
    expect([given.of(A), listed.of(A)]).toEqual([{ listed: "no" }, { listed: "unknown" }]);
  });
});

test("a group that this run took the role from gets it again", () => {
  const role = roleOf(newRun(), AT);
  role.note("revoked", [B]);
  const granted = role.withLosses({ groups: [A, B], unconfirmed: [] });
  expect(plan(granted, [A, B], role.elsewhere)).toEqual({ grant: [B], revoke: [], handOver: [] });
  role.note("granted", [B]);
  expect(role.withLosses({ groups: [A, B], unconfirmed: [] }).unconfirmed).toEqual([]);
});
