import { UNKNOWN } from "../../../provider/cli/review/preview";
import { accessOf, groups, made, step } from "./made";

const reasons = (review: ReturnType<typeof made>) => review.unknown.map(({ reason }) => reason.toString());

test("a group that one assignment loses and another one gets keeps the role, whatever the order of the steps", () => {
  const steps = [
    step({ name: "from", op: "update", before: groups("grp_a", "grp_b"), after: groups("grp_a") }),
    step({ name: "to", after: groups("grp_b") }),
  ];
  expect(accessOf(made(steps))).toEqual(["keeps rol_1 grp_b by from, to"]);
  expect(accessOf(made(steps.reverse()))).toEqual(["keeps rol_1 grp_b by from, to"]);
});

test("a change of the order of groups is none", () => {
  const steps = [
    step({ name: "a", op: "update", before: groups("grp_a", "grp_b"), after: groups("grp_b", "grp_a") }),
  ];
  expect(accessOf(made(steps))).toEqual([]);
});

test("the same group and role on two tenants are two things", () => {
  const other = step({
    name: "to",
    after: groups("grp_a"),
    state: { provider: "urn:pulumi:prod::access::eu::p2" },
  });
  const steps = [step({ name: "from", op: "delete", before: groups("grp_a") }), other];
  expect(accessOf(made(steps))).toEqual(["gains rol_1 grp_a by to", "loses rol_1 grp_a by from"]);
});

test("a deleted assignment with retainOnDelete takes nothing away", () => {
  const review = made([
    step({ name: "a", op: "delete", before: groups("grp_a"), old: { retainOnDelete: true } }),
  ]);
  expect(accessOf(review)).toEqual([]);
  expect(review.notes.map(({ reason }) => reason.toString())).toEqual([
    "nothing is sent: its groups keep the role, because of retainOnDelete",
  ]);
});

test("whom an exclusive assignment takes the role from is known by the preview's line, and only by its own", () => {
  const exclusive = step({ name: "x", after: { ...groups("grp_a"), exclusive: true } });
  const line = "role rol_1: exclusive, takes the role from 2 groups that others gave it to: grp_b, grp_c";
  const told = made([exclusive], [`x: ${line}`]);
  expect(accessOf(told)).toEqual([
    "gains rol_1 grp_a by x",
    "loses rol_1 grp_b by x",
    "loses rol_1 grp_c by x",
  ]);
  expect(told.unknown).toEqual([]);
  for (const lines of [
    [],
    [`y: ${line}`],
    ["x: role rol_2: exclusive, takes the role from no other group"],
  ]) {
    const review = made([exclusive], lines);
    expect(accessOf(review)).toEqual(["gains rol_1 grp_a by x"]);
    expect(reasons(review)).toEqual([
      "which other groups lose rol_1, since it is exclusive: the tenant was not asked",
    ]);
    expect(review.categories).toContain("revoke");
  }
});

test("groups that a line only counts are not reviewable", () => {
  const named = Array.from({ length: 10 }, (_, index) => `grp_${index}`).join(", ");
  const review = made(
    [step({ name: "x", after: { ...groups("grp_a"), exclusive: true } })],
    [`x: role rol_1: exclusive, takes the role from 12 groups that others gave it to: ${named} and 2 more`],
  );
  expect(reasons(review)).toEqual([
    "which other groups lose rol_1, since it is exclusive: 2 more than the preview names",
  ]);
});

test("a group that leaves a list of which a part is unknown may be that part", () => {
  const review = made([
    step({ name: "a", op: "update", before: groups("grp_a", "grp_b"), after: groups("grp_a", UNKNOWN) }),
  ]);
  expect(accessOf(review)).toEqual([]);
  expect(reasons(review)).toEqual([
    "which groups get rol_1 is known only when the change is made, beside grp_a; grp_b may lose rol_1",
  ]);
  expect(review.categories).toEqual(["grant", "revoke", "unknown"]);
});

test("a group that was handed over, and that no assignment of the preview lists, may lose the role", () => {
  const donor = { name: "a", op: "delete", before: groups("grp_a"), outputs: { handedOver: ["grp_b"] } };
  expect(reasons(made([step(donor)]))).toEqual([
    "grp_b loses rol_1 unless an unchanged assignment lists it: it was handed over before",
  ]);
  expect(made([step(donor), step({ name: "b", after: groups("grp_b") })]).unknown).toEqual([]);
});

test("what nobody lists any more of what was handed over loses the role", () => {
  const same = groups("grp_a");
  const review = made(
    [step({ name: "a", op: "update", before: same, after: same, outputs: { handedOver: ["grp_b"] } })],
    ["a: role rol_1: − grp_b, handed over before, listed nowhere now"],
  );
  expect(accessOf(review)).toEqual(["loses rol_1 grp_b by a"]);
});

test("what `get` reads is nobody's change", () => {
  const read = step({ name: "a", op: "read", after: groups("grp_a"), state: { external: true } });
  const gone = step({ name: "b", op: "delete", before: groups("grp_a"), old: { external: true } });
  expect(accessOf(made([read, gone]))).toEqual([]);
});

test("an operation that this release does not know can't be reviewed", () => {
  const review = made([step({ name: "a", op: "transmogrify", after: groups("grp_a") })]);
  expect(reasons(review)).toEqual([
    "this release does not know the operation transmogrify: update pulumi-identity",
  ]);
  expect(review.categories).toEqual(["delete", "grant", "removal", "revoke", "unknown"]);
});
