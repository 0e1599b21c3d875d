import { resolve } from "node:path";
import { Border } from "../../../provider/border";
import { contentsOf, type FoundOnTenant, NOTHING_MANAGED } from "../../../cli/adopt/contents";
import { programOf } from "../../../cli/adopt/program";
import { TEXTS } from "../../../testkit/hostile-texts";
import { typeErrors } from "../../../testkit/cli/adopt";

const roleId = "rol_4hNkVx8QmTz2bRcW";
const profile = (id: string, name: string, more: object = {}) => ({ id, name, ...more });
const group = (id: string, name?: string) => ({ id, name });
const NOTHING = { names: new Map(), reasons: new Map() };
const groupIds = ["grp_5BmRd9aSj2WqTgFx7cUkEn", "grp_7TqWc2nYx5RkHbVd9sPmZa"] as const;

/** The program without its header. */
function program(found: Partial<FoundOnTenant>, isRest = false): string {
  const contents = contentsOf({
    profiles: [],
    groups: new Map(),
    roleNames: new Map(),
    lookups: { roles: NOTHING, organizations: NOTHING, groups: NOTHING, roleNames: new Map(), unread: [] },
    only: undefined,
    managed: NOTHING_MANAGED,
    border: new Border(["credential-of-the-client"]),
    ...found,
  });
  const text = programOf({ tenant: "tenant.example.com", isRest, only: found.only, ...contents });
  return text.replace(/^(\/\/.*\n)+/, "");
}

const all = {
  profiles: [
    profile("cop_1", "x".repeat(500), {
      "@ts-expect-error": 1,
      "eslint-disable": {},
      "*/ a": [1],
      unset: null,
    }),
    ...TEXTS.map((text, i) => profile(`cop_a${i}`, text, { [text]: 1, "@ts-expect-error": text || 1 })),
  ],
  roleNames: new Map([[roleId, TEXTS.join("")]]),
  groups: new Map([
    [
      roleId,
      TEXTS.map((text, i) =>
        group(`grp_5BmRd9aSj2WqTgFx7cU${"abcdefghijkmnopqrstuvwxyz".slice(i, i + 1)}n`, text),
      ),
    ],
  ]),
};

test("texts of strangers in comments are no directives and no code", () => {
  const text = program(all);
  expect(typeErrors([text], resolve(__dirname, "../../../dist/provider/index.d.ts"))).toEqual([]);
  const comments = text.match(/^\/\/.*$/gm) ?? [];
  expect(comments.filter((comment) => !/^\/\/ ([A-Z]|- )/.test(comment))).toEqual([]);
  expect(text).toContain("\n// - @ts-expect-error: is no input of ConnectionProfile.\n");
}, 120_000);

test("the credentials of the client don't get into the program", () => {
  const text = program({
    profiles: [
      profile("cop_1", "a credential-of-the-client"),
      profile("cop_2", "b", { "credential-of-the-client": 1 }),
    ],
    groups: new Map([[roleId, [group(groupIds[0], "credential-of-the-client")]]]),
  });
  expect(text).toContain("cop_1");
  expect(text).not.toContain("credential-of-the-client");
});

describe("beside a state", () => {
  const groups = new Map([[roleId, [group(groupIds[1], "b"), group(groupIds[0])]]]);
  const managedBy = (assignment: object) => ({
    ...NOTHING_MANAGED,
    assignments: [{ name: "support", roleId, groups: [groupIds[0]], exclusive: false, ...assignment }],
    names: new Set([roleId]),
  });
  const written = `new RoleGroupAssignment("${roleId}-2", {\n  roleId: "${roleId}",\n  groupIds: [\n    "${groupIds[1]}", // "b"\n  ],\n  deleteOnDestroy: false,\n});\n`;

  test("a group that no assignment holds is assigned under a name that is free", () => {
    expect(program({ groups, managed: managedBy({}) }, true)).toContain(written);
    expect(
      program({ groups, managed: managedBy({ roleId: "rol_other", groups: [...groupIds] }) }, true),
    ).toContain(groupIds[0]);
  });

  test.each<[string, object, string]>([
    [
      "exclusive",
      { exclusive: true },
      `"support" is exclusive, and takes it from groups that it does not list.`,
    ],
    [
      "encrypted",
      { groups: undefined },
      `the groups of "support" are encrypted; add --show-secrets to the export.`,
    ],
    ["complete", { groups: [...groupIds] }, "the state knows all its groups."],
  ])("%s: a comment instead of an assignment", (_, assignment, reason) => {
    const text = program({ groups, managed: managedBy(assignment) }, true);
    expect(text).toContain(`// No assignment of the role ${roleId}: ${reason}\n`);
    expect(text).not.toContain("new RoleGroupAssignment");
  });
});
