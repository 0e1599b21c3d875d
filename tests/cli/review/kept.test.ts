import { UNKNOWN_VALUE } from "../../../provider/seen";
import { type Review } from "../../../cli/review/review";
import { AGENT, BILLING, SUPPORT, VIEWER, ADMINS } from "../../../simulator/default-seed";
import { adds, AskedTenant, assignment, clientsWithout } from "../../../testkit/cli/asked";
import { step } from "../../../testkit/cli/previews";

/* A role that one of some groups must keep, judged after the changes of all stacks. */

const tenant = AskedTenant.forTests();
const RULES = `require:\n  ${AGENT}: [${SUPPORT}, ${BILLING}]\n`;

const has = (...groups: string[]) => tenant.seed({ roles: [{ id: AGENT, groups }, { id: VIEWER }] });
const told = ({ rules, unknown, categories }: Review) => ({
  breaches: (rules?.breaches ?? []).map(
    ({ isNew, reason, by }) =>
      `${isNew ? "" : "old: "}${String(reason)} by ${by.map(({ name }) => name).join(",")}`,
  ),
  doubts: unknown.map(({ reason }) => String(reason)),
  isFound: categories.includes("rules"),
});
type Given = Parameters<AskedTenant["reviewed"]>[1];
const review = async (steps: readonly object[], given?: Given) =>
  told(await tenant.reviewedAlone(steps, { rules: RULES, ...given }));

const deletes = (name: string, groups: unknown, more = {}) =>
  step({ name, id: AGENT, before: assignment(AGENT, groups, more) });
const NOTHING = { breaches: [], doubts: [], isFound: false };
const NONE = `none of ${SUPPORT} and ${BILLING} has ${AGENT}, which rules.yaml:2 requires`;

test("whoever takes it from the last one breaks it, and the assignment is named", async () => {
  has(SUPPORT, ADMINS);
  expect(await review([deletes("a", [SUPPORT])])).toEqual({
    breaches: [`${NONE} by a`],
    doubts: [],
    isFound: true,
  });
});

const UNREAD = (why: string) =>
  `who has ${AGENT} today was not read, and rules.yaml:2 requires that somebody keeps it (${why})`;

test("who has it by hand keeps it, and who gets it in the same change, in another stack too", async () => {
  has(SUPPORT, BILLING);
  expect(await review([deletes("a", [SUPPORT])])).toEqual(NOTHING);
  has(SUPPORT);
  const gains = [adds("b", AGENT, [BILLING])];
  expect(await review([deletes("a", [SUPPORT]), ...gains])).toEqual(NOTHING);
  const both = await tenant.reviewed([[deletes("a", [SUPPORT])], gains], { rules: RULES });
  expect(both.map(told)).toEqual([NOTHING, NOTHING]);
});

test("a role that doesn't change is asked for nothing; one that nobody kept before needs no approval", async () => {
  has(ADMINS);
  expect(await review([adds("b", VIEWER, [BILLING])])).toEqual(NOTHING);
  expect(tenant.simulator.log().filter((line) => line.includes(`/roles/${AGENT}/`))).toEqual([]);
  expect(await review([adds("b", AGENT, ["grp_DDDDDDDDDDDDDD"])])).toEqual({
    breaches: [`old: ${NONE} by `],
    doubts: [],
    isFound: false,
  });
});

test("what somebody took by hand is found as drift", async () => {
  has();
  const drift = step({ name: "a", before: assignment(AGENT, [SUPPORT]), after: assignment(AGENT, []) });
  expect(await review([drift], { isDrift: true })).toEqual({
    breaches: [`${NONE} by a`],
    doubts: [],
    isFound: true,
  });
});

describe("what isn't known counts as broken", () => {
  const listed = step({ name: "s", op: "same", before: assignment(AGENT, [SUPPORT]) });
  const loses = [deletes("a", [SUPPORT])];

  test("without an answer, unless the change gives it to one", async () => {
    tenant.seed({ roles: [{ id: AGENT, groups: [SUPPORT] }], clients: clientsWithout("read:group_roles") });
    const why = "needs read:group_roles";
    expect(await review(loses)).toMatchObject({
      doubts: expect.arrayContaining([UNREAD(why)]) as unknown,
      isFound: true,
    });
    expect(await review([...loses, adds("b", AGENT, [BILLING])])).toMatchObject({ isFound: false });
    expect(await review(loses, { asks: false })).toMatchObject({
      doubts: [UNREAD("not asked")],
      isFound: true,
    });
  });

  test("if an assignment may take it, whose switch or groups don't show", async () => {
    has(SUPPORT);
    const hidden = await review([...loses, adds("b", AGENT, UNKNOWN_VALUE)]);
    expect(hidden.doubts).toContain(
      `nobody surely keeps ${AGENT}, and rules.yaml:2 requires that somebody does: ${SUPPORT} loses it, unless b lists it`,
    );
    has(BILLING);
    const [before, exclusive] = [assignment(AGENT, [ADMINS]), { exclusive: UNKNOWN_VALUE }];
    const taking = step({ name: "s", before, after: assignment(AGENT, [ADMINS], exclusive) });
    const taken = await review([taking]);
    expect(taken.doubts.at(-1)).toMatch(
      new RegExp(`^nobody surely keeps ${AGENT}.*: ${BILLING} loses it, unless`),
    );
    expect([hidden.isFound, taken.isFound]).toEqual([true, true]);
  });

  test("if hidden groups lose a role, unless an assignment lists one that keeps it", async () => {
    has(SUPPORT);
    const hidden = deletes("a", UNKNOWN_VALUE);
    expect(await review([hidden])).toMatchObject({ isFound: true });
    expect(await review([hidden, listed])).toMatchObject({ isFound: false });
    expect(told(await tenant.reviewedAlone([hidden], { rules: `end:\n  ${AGENT}: 3\n` })).isFound).toBe(
      false,
    );
  });
});
