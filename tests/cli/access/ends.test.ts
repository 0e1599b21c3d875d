import { InvalidArgumentError } from "commander";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { accessDocumentOf } from "../../../cli/access/document";
import { formatted } from "../../../cli/access/formats";
import { findingsIn, isCertain } from "../../../cli/access/roles";
import { endSections, untilNear, withinOf } from "../../../cli/ends";
import { NEVER_CUT } from "../../../cli/output/document";
import { toMarkdown } from "../../../cli/output/markdown";
import { say } from "../../../provider/sentence";
import { ADMINS, AGENT, BILLING, CONTRACTORS, SUPPORT, VIEWER } from "../../../simulator/default-seed";
import {
  ACME,
  asked,
  assignment,
  csvRows,
  encrypted,
  GLOBEX,
  inClear,
  inOrganization,
  jsonOf,
  state,
  useAccess,
} from "../../../testkit/cli/access";
import { useFolder } from "../../../testkit/folder";

const { holders, simulator, host, ask } = useAccess();
const folder = useFolder();

const HOUR = 3_600_000;
const inHours = (hours: number) => new Date(Date.now() + hours * HOUR).toISOString();

beforeEach(() => holders({ [AGENT]: [SUPPORT, BILLING, ADMINS], [VIEWER]: [BILLING, CONTRACTORS] }));

test("grants that end in time, or have ended and are still there: the next to end comes first", async () => {
  const [now, past, near, far] = [5.5, -50, 30, 24 * 20].map(inHours);
  const access = await ask(
    {
      support: assignment(AGENT, [SUPPORT, BILLING], { until: near }),
      oncall: assignment(AGENT, [ADMINS], { until: now }),
      audit: assignment(VIEWER, [BILLING], { until: past }),
      later: assignment(VIEWER, [CONTRACTORS], { until: far }),
    },
    { endsWithin: withinOf("36h") },
  );
  const { ends } = jsonOf(access);
  const shown = ends?.assignments.map(({ resource, until, role, groups }) => [resource, until, role, groups]);
  expect(shown).toEqual([
    ["audit", past, VIEWER, [BILLING]],
    ["oncall", now, AGENT, [ADMINS]],
    ["support", near, AGENT, [BILLING, SUPPORT]],
  ]);
  expect(ends?.assignments.map(({ secondsLeft }) => Math.round(secondsLeft / 3600 - 0.3))).toEqual([
    -50, 5, 30,
  ]);
  expect([findingsIn(access).includes("ends"), isCertain("ends", access)]).toEqual([true, true]);
  expect(formatted(access, "text")).toContain(
    [
      "Ends within 36 hours",
      `  ${past}, 2 days ago: the next run takes it away  billing-viewer  billing-team                   audit (index.ts:3) in access/prod    set a later until (index.ts:3)`,
      `  ${now}, in 5 hours                              support-agent   directory-admins               oncall (index.ts:2) in access/prod   set a later until (index.ts:2)`,
      `  ${near}, in 1 day                                support-agent   billing-team and support-desk  support (index.ts:1) in access/prod  set a later until (index.ts:1)`,
      "",
    ].join("\n"),
  );
});

test("a group doesn't lose what another assignment gives it for longer, or what isn't there", async () => {
  const resources = {
    brief: assignment(AGENT, [SUPPORT, BILLING, ADMINS, CONTRACTORS], { until: inHours(5) }),
    lasting: assignment(AGENT, [BILLING]),
    longer: assignment(AGENT, [ADMINS], { until: inHours(20) }),
  };
  const endsIn = async (time: string) => {
    const { ends } = jsonOf(await ask(resources, { endsWithin: withinOf(time) }));
    return ends?.assignments.map(({ resource, groups }) => [resource, groups]);
  };
  expect(await endsIn("10h")).toEqual([["brief", [SUPPORT]]]);
  expect(await endsIn("1d")).toEqual([
    ["brief", [SUPPORT]],
    ["longer", [ADMINS]],
  ]);
});

test("nothing ends: it says so, and only as far as it knows", async () => {
  const nothing = await ask({ support: assignment(AGENT, [SUPPORT]) }, { endsWithin: withinOf("1d") });
  expect(findingsIn(nothing)).not.toContain("ends");
  expect(formatted(nothing, "text")).toContain("\n  No grant ends within 1 day\n");

  const hidden = { support: assignment(AGENT, [SUPPORT], { until: encrypted }) };
  const unknown = await ask(hidden, { endsWithin: withinOf("1d") });
  expect(jsonOf(unknown).ends).toEqual({
    within: "1d",
    assignments: [],
    secret: [{ stack: "access/prod", resource: "support", line: { file: "index.ts", line: 1 } }],
  });
  expect([findingsIn(unknown).includes("ends"), isCertain("ends", unknown)]).toEqual([true, false]);
  const text = formatted(unknown, "text");
  expect(text).toContain("\n  No known grant ends within 1 day\n");
  expect(text).toContain(
    "It's unknown if these end within 1 day, because their ends are secret: support in access/prod (index.ts:1).\n",
  );
  expect(text).toContain("support in access/prod (index.ts:1), with a secret end\n");
});

test("in an organization, too; others that weren't asked can't hide an end", async () => {
  const organizations = [
    { id: ACME, name: "acme", groups: [SUPPORT], roles: [{ id: AGENT, groups: [SUPPORT] }] },
    { id: GLOBEX, name: "globex" },
  ];
  holders({ [AGENT]: [SUPPORT] }, { organizations });
  const resources = { there: inOrganization(ACME, AGENT, [SUPPORT], { until: inHours(5.5) }) };
  const soon = await ask(resources, { endsWithin: withinOf("1d") });
  expect(jsonOf(soon).ends?.assignments.map(({ role, groups }) => [role, groups])).toEqual([
    [`${ACME}/${AGENT}`, [SUPPORT]],
  ]);
  expect(formatted(soon, "text")).toContain(", in 5 hours  support-agent in acme  support-desk  there");
  const later = await ask(resources, { endsWithin: withinOf("2h") });
  expect(later.complete).toBe(false);
  expect(formatted(later, "text")).toContain("\n  No grant ends within 2 hours\n");
});

test("secret groups end, too, without a name", async () => {
  const resources = { brief: assignment(AGENT, encrypted, { until: inHours(5) }) };
  const access = await ask(resources, { endsWithin: withinOf("1d") });
  const [ending] = jsonOf(access).ends?.assignments ?? [];
  expect(ending).toMatchObject({ resource: "brief", groups: [], secretGroups: true });
  expect(formatted(access, "markdown")).toContain("| `support-agent` | secret groups |");
  const shown = { brief: assignment(AGENT, inClear([SUPPORT]), { until: inHours(5) }) };
  const clear = await ask(shown, { endsWithin: withinOf("1d") });
  expect(jsonOf(clear).ends?.assignments[0]).toMatchObject({ groups: [SUPPORT], secretGroups: false });
});

test("CSV: how long until then, in the row of each grant", async () => {
  const resources = { brief: assignment(AGENT, [SUPPORT], { until: inHours(5.5) }) };
  const rows = csvRows(await ask(resources, { endsWithin: withinOf("1d") }));
  expect(rows.map(({ group_id: group, ends }) => [group, ends])).toEqual(
    expect.arrayContaining([
      [SUPPORT, "in 5 hours"],
      [BILLING, ""],
    ]),
  );
});

test("what to change is read from this project's files, and from no other file", async () => {
  const program = join(folder, "program");
  mkdirSync(program);
  writeFileSync(join(program, "Pulumi.yaml"), "name: access\nruntime: nodejs\n");
  writeFileSync(
    join(program, "index.ts"),
    'new RoleGroupAssignment("brief", {\n  roleId,\n  until: "2026-12-31",\n});\n',
  );
  writeFileSync(join(folder, "outside.ts"), 'until: "secret"\n');
  const resources = (more = {}) => ({ brief: assignment(AGENT, [SUPPORT], { until: inHours(5) }, more) });
  const changeIn = async (stack: string, more?: object) => {
    const exports = [state(host(), stack, resources(more))];
    const json = jsonOf(await asked(simulator, { exports, folder: program, endsWithin: withinOf("1d") }));
    return json.ends?.assignments.map(({ change }) => change);
  };
  expect(await changeIn("access/prod")).toEqual([{ file: "index.ts", line: 3, text: 'until: "2026-12-31"' }]);
  expect(await changeIn("other/prod")).toEqual([null]);
  const outside = { sourcePosition: "project:///../outside.ts#1,1" };
  expect(await changeIn("access/prod", outside)).toEqual([null]);
});

const TS = `const early = new RoleGroupAssignment("early", { roleId, until: "2026-12-31", groupIds });
const open = new RoleGroupAssignment("open", {
  roleId,
});
for (const [name, until] of ends) {
  new RoleGroupAssignment(name, { roleId, until });
}
export const late = new RoleGroupAssignment("late", {
  // until: "2026-01-01"
  roleId: role.id,
  "until": config.get("end"),
});
const made = new RoleGroupAssignment("made", {
  until: endOf(day, { hours: 4 }),
});
const template = new RoleGroupAssignment("template", { until: \`\${day}T18:00Z\` });`;
const YAML = `resources:
  open:
    type: identity:RoleGroupAssignment
    properties:
      roleId: rol_1
  late:
    type: identity:RoleGroupAssignment
    properties:
      until: "2026-12-31" # the end of the audit
access:
  - role: admin
    groups: [a]
  - role: auditor
    until: 2026-12-31
`;

test.each([
  [1, TS, 1, 'until: "2026-12-31"'],
  [2, TS, undefined, undefined],
  [6, TS, 6, "until"],
  [8, TS, 11, '"until": config.get("end")'],
  [13, TS, 14, "until"],
  [16, TS, 16, "until"],
  [2, YAML, undefined, undefined],
  [6, YAML, 9, 'until: "2026-12-31"'],
  [11, YAML, undefined, undefined],
  [13, YAML, 14, "until: 2026-12-31"],
  [400, YAML, undefined, undefined],
] as const)("the end of the resource on line %d of a program", (line, text, at, found) => {
  const set = untilNear({ file: "a.ts", line }, text.split("\n"));
  expect([set?.line, set?.text]).toEqual([at, found]);
});

test("a stranger's names and source are no markup", () => {
  const ending = {
    until: "2026-12-31",
    role: say`${"<b>admin</b>"}`,
    groups: [say`${"@everyone | x"}`],
    hasSecretGroups: true,
    resource: "a](http://b)",
    line: { file: "index.ts", line: 1 },
    change: { file: "index.ts", line: 2, text: "until: `![x](y)`" },
  };
  const moment = Date.parse("2026-12-30T12:00:00Z");
  const sections = endSections({ within: withinOf("1d"), endings: [ending], secret: [], moment }, NEVER_CUT);
  expect(toMarkdown([{ title: say`t`, summary: [], gaps: [], remarks: [], sections }])).toContain(
    "| `<b>admin</b>` | `@everyone \\u007c x` and secret groups | `a](http://b)` (`index.ts:1`) | change `` until: `![x](y)` `` (`index.ts:2`) |",
  );
});

test.each(["", "14", "d", "2w", "0d", "1.5d", "-3d", "3651d", "14 d", "1e3d"])(
  "%j is no time ahead",
  (text) => {
    expect(() => withinOf(text)).toThrow(InvalidArgumentError);
  },
);

test("times ahead in words", () => {
  expect(["1d", "14d", "36h", "3650d"].map((text) => withinOf(text).words)).toEqual([
    "1 day",
    "14 days",
    "36 hours",
    "3,650 days",
  ]);
});

test("without the option, the answer has none", async () => {
  const access = await ask({ support: assignment(AGENT, [SUPPORT], { until: inHours(5) }) });
  expect(jsonOf(access).ends).toBeUndefined();
  expect(accessDocumentOf(access).sections.map(({ id }) => id)).not.toContain("ends");
});
