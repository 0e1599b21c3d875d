import { Assignment } from "../../../provider/resources/role-group-assignment/assignment";
import { UNKNOWN_VALUE } from "../../../provider/seen";
import {
  foresee,
  type ListedElsewhere,
  plan,
  settleRead,
} from "../../../provider/resources/role-group-assignment/plan";
import fc from "../../../testkit/properties";

const granted = (groups: string[], unconfirmed: string[] = []) => ({ groups, unconfirmed });
/** Other assignments list these; they may list those of `unknown`, and a listing has those of `sure`. */
const others = (listed: string[] = [], unknown: string[] = [], sure = listed): ListedElsewhere => ({
  of: (group) => {
    if (listed.includes(group)) return { listed: "yes", isSure: sure.includes(group) };
    return { listed: unknown.includes(group) ? "unknown" : "no" };
  },
});
const ALONE = others();

test.each([
  ["nothing for what is granted", [granted(["a"]), ["a"], ALONE], { grant: [], revoke: [], handOver: [] }],
  [
    "adds and removes",
    [granted(["a", "b"]), ["b", "c"], ALONE],
    { grant: ["c"], revoke: ["a"], handOver: [] },
  ],
  [
    "removes all in the end",
    [granted(["a", "b"]), [], ALONE],
    { grant: [], revoke: ["a", "b"], handOver: [] },
  ],
  [
    "grants again what an earlier change left open",
    [granted(["a", "b"], ["a"]), ["a", "b"], ALONE],
    { grant: ["a"], revoke: [], handOver: [] },
  ],
  [
    "a group that moves keeps the role: its leaver lets go of it",
    [granted(["a", "b"]), ["b"], others(["a"])],
    { grant: [], revoke: [], handOver: ["a"] },
  ],
  [
    "and its receiver grants it, too: adding twice does no harm",
    [granted(["b"]), ["a", "b"], others(["a"])],
    { grant: ["a"], revoke: [], handOver: [] },
  ],
  [
    "takes away what others may list, as they don't say so",
    [granted(["a"]), [], others([], ["a"])],
    { grant: [], revoke: ["a"], handOver: [] },
  ],
  [
    "an exclusive one takes the role from all others that have it, except those listed elsewhere",
    [granted(["a"]), ["a"], others(["x"]), ["a", "x", "y"]],
    { grant: [], revoke: ["y"], handOver: ["x"] },
  ],
] as [string, Parameters<typeof plan>, ReturnType<typeof plan>][])("%s", (_what, given, expected) => {
  expect(plan(...given)).toEqual(expected);
});

test.each([
  [
    "certain is what no assignment lists, and what a listing shows",
    [["a", "b", "c"], ["d"], others(["b"], ["c"])],
    { grant: ["d"], revoke: ["a"], handOver: ["b"] },
    { revoke: ["c"], handOver: [] },
  ],
  [
    "without a listing, it depends on the order of registration who lists a group first",
    [["a", "b"], [], others(["b"], ["a"], [])],
    { grant: [], revoke: [], handOver: [] },
    { revoke: ["a"], handOver: ["b"] },
  ],
  [
    "an unknown group may be one that seems to leave",
    [["a", "b"], ["c", UNKNOWN_VALUE], others(["b"])],
    { grant: ["c"], revoke: [], handOver: ["b"] },
    { revoke: ["a"], handOver: [] },
  ],
] as [string, [string[], unknown, ListedElsewhere], object, object][])(
  "foreseen: %s",
  (_what, [groups, wanted, elsewhere], certain, maybe) => {
    const wants = new Assignment({ groupIds: wanted });
    expect(foresee(granted(groups), wants, elsewhere)).toEqual({ certain, maybe });
  },
);

test.each([
  ["those of its groups that have the role", ["a", "b"], false, { groups: ["a"], unseen: [], others: [] }],
  [
    "and, of an exclusive one, those that it doesn't list",
    ["a", "b"],
    true,
    { groups: ["a"], unseen: [], others: ["x"] },
  ],
  ["nothing if none has it", ["b"], false, { groups: [], unseen: [], others: [] }],
])("a read shows %s", (_what, groups, isExclusive, expected) => {
  expect(settleRead(granted(groups), ["a", "x"], isExclusive)).toEqual(expected);
});

test("a read within a minute of the last write shows also what the list lacks", () => {
  const justWritten = { ...granted(["a", "b"]), isJustWritten: true };
  expect(settleRead(justWritten, ["a", "x"], true)).toEqual({
    groups: ["a", "b"],
    unseen: ["b"],
    others: ["x"],
  });
});

test("whatever is granted and listed, exactly the wanted groups and those of others have the role afterwards", () => {
  const some = fc.subarray(["a", "b", "c", "d"]);
  fc.assert(
    fc.property(some, some, some, (had, wanted, listed) => {
      const { grant, revoke, handOver } = plan(granted(had), wanted, others(listed));
      const has = new Set([...had, ...grant].filter((group) => !revoke.includes(group)));
      expect([...has].sort()).toEqual([...new Set([...wanted, ...handOver])].sort());
      for (const group of had) if (listed.includes(group)) expect(has).toContain(group);
    }),
  );
});
