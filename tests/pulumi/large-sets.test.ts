import { createHash } from "node:crypto";
import { differences } from "../../provider/pulumi/plugin/differences";
import { minus } from "../../provider/resources/role-group-assignment/plan";
import { sortedSet } from "../../provider/review/raw-inputs";
import { roleGroupAssignment } from "../../provider/runtime";
import { catchLines } from "../../testkit/hosts/host-in-process";

/* 300,000 groups: what compares each with each other one takes minutes, and fails by Jest's limit. */

catchLines();

const GROUPS = Array.from(
  { length: 300_000 },
  (_, index) => `grp_${String(index).replaceAll("0", "Z").padStart(21, "A")}`,
);
const OTHERS = GROUPS.map((group) => `${group}B`);

test("are sorted, each once", () =>
  expect(sortedSet([...GROUPS].reverse().concat(GROUPS))).toHaveLength(GROUPS.length));

test("are taken away from others", () => expect(minus(GROUPS, GROUPS.slice(1))).toEqual(GROUPS.slice(0, 1)));

test("are compared with others for the plugin's differences", () => {
  expect(differences({ groupIds: GROUPS }, { groupIds: OTHERS }).size).toBe(GROUPS.length);
});

test("are compared with those that the program gave", async () => {
  const hash = (group: string) => createHash("sha256").update(group).digest("base64url").slice(0, 8);
  const inputs = { roleId: "rol_4hNkVx8QmTz2bRcW", groupIds: [...GROUPS].reverse() };
  const checked = await roleGroupAssignment.check(
    {},
    { ...inputs, __sets: `groupIds=${GROUPS.map(hash).join("")}` },
  );
  expect(checked.failures ?? []).toEqual([]);
});
