import { differences } from "../../provider/pulumi/plugin/differences";
import { formatSets, replacedSets } from "../../provider/pulumi/sets";
import { minus } from "../../provider/resources/role-group-assignment/plan";
import { sortedSet } from "../../provider/review/raw-inputs";

/* 300,000 groups: what compares each with each other one takes minutes, and fails by Jest's limit. */

const GROUPS = Array.from({ length: 300_000 }, (_, index) => `grp_${String(index).padStart(22, "A")}`);
const OTHERS = GROUPS.map((group) => `${group}B`);

test("are sorted, each once", () =>
  expect(sortedSet([...GROUPS].reverse().concat(GROUPS))).toHaveLength(GROUPS.length));

test("are taken away from others", () => expect(minus(GROUPS, GROUPS.slice(1))).toEqual(GROUPS.slice(0, 1)));

test("are compared with others for the plugin's differences", () => {
  expect(differences({ groupIds: GROUPS }, { groupIds: OTHERS }).size).toBe(GROUPS.length);
});

test("are compared with those that the program gave", () => {
  const given = formatSets([["groupIds"]], { groupIds: GROUPS });
  const inputs = { groupIds: [...GROUPS].reverse() };
  expect(replacedSets([["groupIds"]], given, { inputs, before: undefined })).toEqual([]);
});
