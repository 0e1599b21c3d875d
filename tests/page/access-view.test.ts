import { accessView } from "../../page/access-view";
import { formatted } from "../../cli/access/formats";
import { accessSchema } from "../../cli/access/model";
import { type AccessJson } from "../../cli/access/model";
import { textOf, type View, type Words } from "../../page/view";
import { quarter } from "../../testkit/cli/compared";
import {
  accessJson,
  accessShown,
  claim,
  everything,
  group,
  idOf,
  inPage,
  organizations,
  role,
} from "../../testkit/cli/pages";

const viewOf = (json: AccessJson) => accessView(inPage(accessShown(json)));
const texts = (all: readonly Words[]) => all.map((words) => textOf(words, new Map()));

function cellsOf({ rows, columns, cells }: View): string[] {
  return cells.map(({ row, column, status, marks, badge, why }) =>
    [
      `${rows[row]?.name ?? ""}, ${columns[column]?.name ?? ""}:`,
      status,
      ...marks,
      ...(badge === undefined ? [] : [badge]),
      `(${textOf(why, new Map())})`,
    ].join(" "),
  );
}

test("the document is what the command writes", () => {
  expect(accessSchema.parse(everything())).toEqual(everything());
});

test("each grant is a cell, with its sentence of the text", () => {
  expect(cellsOf(viewOf(everything()))).toEqual([
    "admin, people: unknown (unknown: the tenant didn't say)",
    "admin, directory-admins: managed (admins in access/prod (index.ts:18) and owners in access/prod (index.ts:18))",
    "billing-viewer, billing-team: unknown (unknown: the groups of viewers in access/dev (index.ts:18) are secret)",
    "billing-viewer, contractors: managed soon 7d (closing in access/dev (index.ts:18), until 2026-11-30 (within 14 days))",
    "billing-viewer, support-desk: managed (support in access/prod (index.ts:18))",
    "billing-viewer, secret groups: unknown (unknown if all are there: the groups of viewers in access/dev (index.ts:18) are secret)",
    "support-agent, people: direct 2 (by hand: assignments give roles to groups, not to users)",
    "support-agent, support-desk: unmanaged (by hand: in none of the states)",
    `support-agent, ${idOf("grp", "nameless")}: drift (claimed, not there: support in access/prod (index.ts:18))`,
    "support-agent, billing-team: managed (support in access/prod (index.ts:18))",
    "support-agent, contractors: managed broken expired 0d (audit in access/prod (audit.ts:4), until 2026-11-20: expired, the next run takes it away)",
  ]);
});

test("the tiles count, and say what was not asked", () => {
  const tiles = ({ tiles: all }: View) =>
    all.map(({ label, value, note = "" }) => `${label} ${value} ${note}`.trim());
  expect(tiles(viewOf(everything()))).toEqual([
    "Roles 4 1 without a holder",
    "Groups 5",
    "Given directly 2 to people, without a group",
    "Grants 7 5 managed, 1 expired, 1 expires soon",
    "Doubts 5 1 by hand, 1 claimed, not there and 3 unknown",
    "Broken rules 1 rules.yaml",
  ]);
  const { people: _, ...quiet } = role("admin", [group("admins")]);
  expect(tiles(viewOf(accessJson([quiet])))).toEqual([
    "Roles 1",
    "Groups 1",
    "People – not asked",
    "Grant 1 1 managed",
    "Doubts 0 all of it is in a state",
    "Broken rules – not asked: --rules",
  ]);
  expect(tiles(viewOf(accessJson([role("admin", [], { people: null })])))[2]).toBe(
    "People ? the tenant didn't say",
  );
});

test("a role counts in the tenant or in an organization, and rules are marked where they break", () => {
  const view = viewOf(organizations());
  expect(
    view.rows.map(({ id, name, note, organization, isTwin }) => [id, name, note, organization, isTwin]),
  ).toEqual([
    [idOf("rol", "support-agent"), "support-agent", undefined, undefined, false],
    [
      idOf("rol", "support-agent"),
      "support-agent",
      "in acme",
      { id: idOf("org", "acme"), name: "acme" },
      false,
    ],
    [
      idOf("rol", "support-agent"),
      "support-agent",
      "in globex, not on the tenant",
      { id: idOf("org", "globex"), name: "globex" },
      false,
    ],
  ]);
  const broken = view.cells.filter(({ marks }) => marks.includes("broken"));
  expect(broken.map(({ row, column }) => [row, view.columns[column]?.name])).toEqual([[1, "contractors"]]);
  expect(view.before[0]?.rows.map(({ cell }) => cell)).toEqual([view.cells.indexOf(broken[0]!)]);
  expect(texts(view.before.flatMap(({ rows }) => rows.flatMap(({ cells }) => cells)))).toContain(
    "7 organizations were not asked who has roles there: --organization all asks them. Asked: acme and globex.",
  );
  expect(view.names.get(idOf("org", "acme"))).toBe("acme");
});

test("a rule that compares organizations is marked in each of them", () => {
  const json = organizations();
  const [breach] = json.rules?.breaches ?? [];
  const [agent, acme] = [idOf("rol", "support-agent"), idOf("org", "acme")];
  const desk = idOf("grp", "support-desk");
  const { organization: _, ...across } = {
    ...breach!,
    ...{ rule: "conflict" as const, roles: [agent, agent], groups: [desk, desk], contexts: [null, acme] },
  };
  const { rows, columns, cells } = viewOf({
    ...json,
    rules: { file: "rules.yaml", gaps: [], breaches: [across] },
  });
  const broken = cells.filter(({ marks }) => marks.includes("broken"));
  expect(broken.map(({ row, column }) => [rows[row]?.note, columns[column]?.name])).toEqual([
    [undefined, "support-desk"],
    ["in acme", "support-desk"],
  ]);
});

test("groups and roles of one name are told apart", () => {
  const twin = { ...group("support-desk"), id: "grp_other" };
  const { columns } = viewOf(accessJson([role("a", [group("support-desk"), twin, group("other")])]));
  expect(columns.map(({ name, isTwin }) => [name, isTwin])).toEqual([
    ["other", false],
    ["support-desk", true],
    ["support-desk", true],
  ]);
});

test("members of a group are the people of its cells, and are counted once", () => {
  const people = { count: 2, more: false, ids: ["auth0|a", "auth0|b"] };
  const json = accessJson(
    [
      role("a", [group("desk")], { people: { count: 1, more: false, ids: ["auth0|a"] } }),
      role("b", [group("desk")]),
    ],
    { members: [{ id: idOf("grp", "desk"), people }] },
  );
  const view = viewOf(json);
  expect(view.cells.map((cell) => cell.people?.ids)).toEqual([["auth0|a"], people.ids, people.ids]);
  expect(view.tiles[2]).toMatchObject({ label: "People", value: "2" });
});

test("a cell whose end is near has the days that are left, or on the last day the hours", () => {
  const ends = ["2026-11-26T12:20:00Z", "2026-11-23T18:00:00+01:00", "2026-11-23T12:00:00Z"];
  const json = accessJson(
    ends.map((until, index) => {
      const expired = index === 2;
      return role(`r${index}`, [
        group("desk", "managed", [claim("brief", { until, soon: !expired, expired })]),
      ]);
    }),
  );
  expect(viewOf(json).cells.map(({ badge }) => badge)).toEqual(["3d", "4h", "0d"]);
});

test("ends in time stand above the matrix", () => {
  const by = { stack: "access/prod", resource: "brief", line: null, until: "2026-11-26" };
  const json = accessJson([role("agent", [group("desk")])], {
    ends: {
      within: "14d",
      assignments: [
        {
          ...by,
          role: idOf("rol", "agent"),
          groups: [idOf("grp", "desk")],
          secretGroups: false,
          secondsLeft: 300_000,
          change: null,
        },
      ],
      secret: [],
    },
  });
  const section = viewOf(json).before.find(({ id }) => id === "ends");
  expect(texts(section?.rows.flatMap(({ cells }) => cells) ?? [])).toEqual([
    "2026-11-26, in 3 days",
    "agent",
    "desk",
    "brief in access/prod",
    "set a later until in the program",
  ]);
});

test("a user's page has permissions, and what would end", () => {
  const by = claim("support");
  const json = accessJson([role("agent", [group("desk")], { direct: true })], {
    organizations: [idOf("org", "acme")],
    otherOrganizations: { count: 1, more: false },
    user: {
      id: "auth0|a",
      unread: null,
      allRoles: true,
      unreadOrganizations: [{ id: idOf("org", "acme"), name: "acme", reason: "403", allRoles: false }],
      notMemberOf: [{ id: idOf("org", "globex"), name: null }],
      permissions: [
        {
          resourceServer: "https://tickets.example.com/",
          name: "read:tickets",
          sources: [{ kind: "role", id: idOf("rol", "agent"), name: "agent", type: "role" }],
        },
      ],
      ends: [
        {
          by,
          role: idOf("rol", "agent"),
          ends: true,
          permissions: [{ resourceServer: "https://tickets.example.com/", name: "read:tickets" }],
          reason: "",
        },
      ],
    },
  });
  const { after, before, columns } = viewOf(json);
  expect(columns.map(({ name }) => name)).toEqual(["people", "desk"]);
  const shown = [...after, ...before].map(({ rows }) => rows.map(({ cells }) => texts(cells).join("; ")));
  expect(shown).toEqual([
    ["read:tickets; https://tickets.example.com/; role agent"],
    ["support in access/prod (index.ts:18); loses agent, and with it read:tickets"],
    [
      "The user's roles in acme could not be read (403).",
      `The user is no member of ${idOf("org", "globex")}.`,
      expect.stringMatching(/^1 organization of the user was not asked/) as string,
    ],
  ]);
});

test("what a sign-off leaves open is a remark of its cell, and a page says what a sign-off isn't", () => {
  const decisions = {
    file: "access.csv",
    counts: { confirmed: 1, revoked: 0, otherTenants: 0 },
    decided: [],
  };
  const role = everything().roles[2]!;
  const findings = [
    { kind: "new" as const, role: role.id, group: idOf("grp", "billing-team"), reason: "new" },
  ];
  const { before, cells } = viewOf({ ...everything(), decisions: { ...decisions, findings } });
  const notes = before.flatMap(({ id, rows }) => (id === "notes" ? rows.flatMap((one) => one.cells) : []));
  expect(texts(notes).at(-1)).toBe(
    "A sign-off is no signature: commit access.csv, and let a review protect it.",
  );
  expect(cells.flatMap(({ remarks }) => remarks.filter(({ kind }) => kind === "decision"))).toEqual([
    { kind: "decision", words: [{ value: "new" }] },
  ]);
});

describe("what changed since an earlier answer", () => {
  const json = JSON.parse(formatted(quarter(), "json")) as AccessJson;

  test("is marked in its cells, which are there for what is lost, too", () => {
    const view = viewOf(json);
    const changed = view.cells.filter(({ status, marks }) => status === "lost" || marks.length > 0);
    expect(cellsOf({ ...view, cells: changed })).toEqual([
      "agent, audit: unmanaged gained + (by hand: in none of the states)",
      "agent, night: lost (claimed, not there: support in access/prod (index.ts:18))",
      "agent, ops: managed later +d (ops in access/prod (ops.ts:7), until 2026-12-31)",
      "viewer, people: direct gained 2 (by hand: assignments give roles to groups, not to users)",
      "viewer, desk: unmanaged changed ± (by hand: in none of the states)",
      "viewer, billing: managed changed ± (viewers in access/prod (index.ts:31))",
    ]);
    expect(view.tiles.find(({ label }) => label === "Changes")).toMatchObject({
      value: "7+",
      note: "2 gained, 2 lost",
    });
    expect(texts(changed[0]!.remarks.map(({ words }) => words))).toEqual([
      "+ gained: by hand; nobody has decided",
      expect.stringMatching(/^audit /),
    ]);
    const [section] = view.before.filter(({ id }) => id === "changes");
    expect(section?.rows.map(({ cell }) => cell).sort()).toEqual(
      [...changed, changed[3]!].map((cell) => view.cells.indexOf(cell)).sort(),
    );
  });

  test("a role and a group that are gone have a row and a column; another tenant's have none", () => {
    const [first, lost] = json.compared!.changes;
    const gone = {
      ...lost!,
      role: idOf("rol", "gone"),
      roleName: "gone",
      group: idOf("grp", "old"),
      groupName: "old",
      by: [],
    };
    const there = {
      ...gone,
      role: `${idOf("org", "acme")}/${idOf("rol", "agent")}`,
      roleName: "agent in acme",
    };
    const foreign = { ...gone, tenant: "other.example.com", role: idOf("rol", "foreign") };
    const view = viewOf({
      ...json,
      compared: { ...json.compared!, changes: [first!, gone, there, foreign] },
    });
    expect(view.rows.map(({ name, note = "" }) => [name, note])).toEqual([
      ["agent", ""],
      ["viewer", ""],
      ["gone", "not on the tenant"],
      ["agent in acme", ""],
    ]);
    expect(cellsOf(view).slice(-2)).toEqual([
      "gone, old: lost (It was there in the earlier answer, and isn't today.)",
      "agent in acme, old: lost (It was there in the earlier answer, and isn't today.)",
    ]);
    expect(view.cells.at(-1)?.sources[0]).toMatchObject({ resource: "support", stack: "access/prod" });
  });
});
