import { csvLines, csvOf } from "../../../cli/access/csv";
import { judgedBy as judged, openIn, readDecisions } from "../../../cli/access/decisions";
import { formatted } from "../../../cli/access/formats";
import { type AccessJson } from "../../../cli/access/model";
import { csvRows } from "../../../testkit/cli/access";
import { accessJson, claim, group, role } from "../../../testkit/cli/pages";

/* Sign-off by a spreadsheet. The end-to-end test of the command has its exit codes. */

/** Of a tenant that was read whole. */
const judgedBy = (file: Parameters<typeof judged>[0], { tenant: host, roles }: AccessJson) =>
  judged(file, { tenant: host, roles, read: { roles, places: new Set([undefined]) } });

const until = (day: string | null, resource = "support") => claim(resource, { until: day });
const direct = (...ids: string[]) => ({ people: { count: ids.length, more: false, ids } });

const written = (access: AccessJson) =>
  csvRows({ ...access, user: null, rules: undefined, decisions: undefined });

type Edit = (row: Record<string, string>) => Record<string, string | undefined>;

/** Writes the file, decides by `edit`, and reads it again; `raw`: what a spreadsheet makes of the text. */
function decided(access: AccessJson, edit: Edit, raw = (text: string) => text) {
  const rows = written(access).map(edit);
  const columns = Object.keys(rows[0] ?? {});
  const text = csvOf([columns, ...rows.map((row) => columns.map((name) => row[name] ?? ""))]);
  return readDecisions({ file: "access.csv", text: raw(text) });
}

/** Without the ids, which stand behind names. */
function openOf(access: AccessJson, file: ReturnType<typeof decided>): string[] {
  return judgedBy(file, access).findings.map(
    ({ kind, reason }) => `${kind}: ${reason.toString().replace(/ (?:grp_|rol_|org_)[\w/]+/g, "")}`,
  );
}

const confirm: Edit = (row) => ({ ...row, decision: "confirm", reviewer: "reviewer@example.com" });
const decide = (decision: string, of: (row: Record<string, string>) => boolean): Edit => {
  return (row) => ({ ...confirm(row), ...(of(row) && { decision }) });
};
const ofGroup = (name: string) => (row: Record<string, string>) => row["group_name"] === name;

const tenant = () =>
  accessJson([
    role(
      "agent",
      [group("desk"), group("billing"), group("gone", "drift"), group("hand", "unmanaged")],
      direct("auth0|a"),
    ),
  ]);

test("a file as the command writes it decides on nothing", () => {
  expect(
    openOf(
      tenant(),
      decided(tenant(), (row) => row),
    ),
  ).toEqual([
    "undecided: desk has agent, and nobody has decided",
    "undecided: billing has agent, and nobody has decided",
    "undecided: hand has agent, and nobody has decided",
    "undecided: auth0|a has agent, and nobody has decided",
  ]);
});

test("what is confirmed is done, and written again with its decision", () => {
  const file = decided(tenant(), confirm);
  const decisions = judgedBy(file, tenant());
  expect(decisions.findings).toEqual([]);
  expect(decisions.counts).toEqual({ confirmed: 4, revoked: 0, otherTenants: 0 });
  const next = accessJson([...tenant().roles, role("new", [group("desk")])]);
  const again = formatted({ ...next, user: null, rules: undefined, decisions: judgedBy(file, next) }, "csv");
  const rows = csvLines(again).map(({ cells }) => cells.slice(-3).join(" "));
  expect(rows.filter((row) => row === "confirm reviewer@example.com ")).toHaveLength(5);
  expect(rows.filter((row) => row === "  ")).toHaveLength(1);
  expect(judgedBy(file, next).findings.map(({ kind, group: id }) => [kind, id])).toEqual([
    ["new", group("desk").id],
  ]);
});

test("what was to be revoked is open while it is there, or while a program lists it", () => {
  const file = decided(
    tenant(),
    decide("revoke", (row) => ["desk", "gone"].includes(row["group_name"] ?? "")),
  );
  expect(openOf(tenant(), file)).toEqual([
    "standing: desk has agent, which was to be revoked by reviewer@example.com",
    "standing: gone doesn't have agent, which was to be revoked by reviewer@example.com, but support in access/prod would give it again",
  ]);
  const after = accessJson([
    role("agent", [group("billing"), group("hand", "unmanaged")], direct("auth0|a")),
  ]);
  expect(openOf(after, file)).toEqual([]);
  expect(judgedBy(file, after).counts).toMatchObject({ confirmed: 3, revoked: 2 });
});

test("people are known by their ids", () => {
  const file = decided(
    tenant(),
    decide("revoke", (row) => row["people"] === "auth0|a"),
  );
  const now = accessJson([role("agent", tenant().roles[0]?.groups ?? [], direct("auth0|a", "auth0|b"))]);
  expect(openOf(now, file)).toEqual([
    "standing: auth0|a has agent, which was to be revoked by reviewer@example.com",
    "new: auth0|b has agent, which isn't in access.csv",
  ]);
  // Nobody was asked, so nobody knows that it is done.
  const unasked = accessJson([role("agent", tenant().roles[0]?.groups ?? [], { people: undefined })]);
  expect(judgedBy(file, unasked).counts.revoked).toBe(0);
});

test("a group and a role go by their ids, whatever they are called", () => {
  const file = decided(tenant(), confirm);
  const renamed = tenant();
  for (const one of renamed.roles.flatMap(({ groups }) => groups)) one.name = "other";
  expect(openOf(renamed, file)).toEqual([]);
  const replaced = accessJson([role("agent", [{ ...group("desk"), id: "grp_other" }], direct("auth0|a"))]);
  expect(openOf(replaced, file)).toEqual(["new: desk has agent, which isn't in access.csv"]);
});

test("two groups of one name are told by their ids, also if one of them is gone", () => {
  const twin = { ...group("desk"), id: "grp_other" };
  const file = decided(accessJson([role("agent", [group("desk")])]), confirm);
  const { id } = role("agent", []);
  const after = accessJson([role("agent", [twin])]);
  expect(judgedBy(file, after).findings.map(({ reason }) => reason.toString())).toEqual([
    `desk grp_other has agent ${id}, which isn't in access.csv`,
  ]);
});

describe("a confirmed grant", () => {
  const one = (...by: ReturnType<typeof claim>[]) =>
    accessJson([role("agent", [group("desk", by.length === 0 ? "unmanaged" : "managed", by)])]);
  const open = (before: AccessJson, after: AccessJson, edit = confirm) =>
    openOf(after, decided(before, edit));
  const VOID = "void: desk has agent, and has changed since it was confirmed: ";

  test.each<[string, AccessJson, AccessJson, string[]]>([
    ["an earlier end", one(until("2026-11-30")), one(until("2026-11-29")), []],
    ["an end where there was none", one(until(null)), one(until("2026-11-29")), []],
    ["another line", one(claim("support")), one(claim("support", { line: null })), []],
    ["a claimant that is gone", one(claim("a"), claim("b")), one(claim("b")), []],
    [
      "a later end",
      one(until("2026-11-30")),
      one(until("2026-12-01")),
      [`${VOID}it had the end 2026-11-30, and ends 2026-12-01`],
    ],
    [
      "no end any more",
      one(until("2026-11-30")),
      one(until(null)),
      [`${VOID}it had the end 2026-11-30, and has none`],
    ],
    [
      "the last of several ends is later",
      one(until("2026-11-30", "a"), until("2026-12-30", "b")),
      one(until("2026-11-30", "a"), until("2026-12-31", "b")),
      [`${VOID}it had the end 2026-11-30; 2026-12-30, and ends 2026-12-31`],
    ],
    [
      "another claimant",
      one(claim("a")),
      one(claim("a"), claim("b", { stack: "other/prod" })),
      [`${VOID}b in other/prod grants it too`],
    ],
    ["a claimant of what was by hand", one(), one(claim("a")), [`${VOID}a in access/prod grants it too`]],
    ["no claimant any more", one(claim("a")), one(), [`${VOID}no state has it any more`]],
  ])("%s", (_, before, after, expected) => {
    expect(open(before, after)).toEqual(expected);
  });

  test("is void if a spreadsheet has written its end in another way", () => {
    const edit: Edit = (row) => ({ ...confirm(row), until: "30.11.2026" });
    expect(open(one(until("2026-11-30")), one(until("2026-11-30")), edit)).toEqual([
      `${VOID}it had the end 30.11.2026, and ends 2026-11-30`,
    ]);
  });
});

test.each([";", "\t"])(
  "spreadsheets may change quotes, line breaks, cases, columns, and commas to %j",
  (separator) => {
    const edit: Edit = (row) => ({ ...confirm(row), decision: " Confirm ", note: "für Zoë" });
    const file = decided(
      tenant(),
      (row) => Object.fromEntries(Object.entries(edit(row)).reverse()),
      (text) => text.replace("\ufeff", "").replaceAll("\r\n", "\n").replaceAll('","', `"${separator}"`),
    );
    const decisions = judgedBy(file, tenant());
    expect(decisions.findings).toEqual([]);
    expect(new Set(decisions.decided.map(({ note }) => note))).toEqual(new Set(["für Zoë"]));
  },
);

test("a row that an unquoted separator has moved is refused", () => {
  const unquoted = (text: string) =>
    text.replace(',"confirm","reviewer@example.com",""', ',"yes, keep",confirm,reviewer@example.com,');
  expect(() => decided(tenant(), confirm, (text) => unquoted(text).replace('"yes, keep"', "x,y"))).toThrow(
    ":2 has more cells than the file has columns.",
  );
});

test("cells that a spreadsheet would take for formulas come back, with and without the apostrophe", () => {
  const hostile = accessJson([
    role(
      "agent",
      [group("=cmd()", "managed", [claim("=1+1", { stack: "+a/b; @c", until: "2026-11-30" })])],
      direct("=auth0|a"),
    ),
  ]);
  expect(openOf(hostile, decided(hostile, confirm))).toEqual([]);
  expect(
    openOf(
      hostile,
      decided(hostile, confirm, (text) => text.replaceAll(`"'`, `"`)),
    ),
  ).toEqual([]);
});

test.each<[string, Edit, string]>([
  [
    "a decision that is none",
    decide("keep", ofGroup("desk")),
    'has the decision "keep". Write confirm or revoke',
  ],
  [
    "two decisions on one key",
    (row) => ({ ...confirm(row), group_id: row["group_id"] === "" ? "" : group("desk").id }),
    `decides twice on ${role("agent", []).id} for ${group("desk").id}, on lines 2 and 3`,
  ],
  [
    "a decision on a number of people",
    (row) => ({ ...confirm(row), group_id: "", people: "2" }),
    "without a group or a person",
  ],
  [
    "another tenant",
    (row) => ({ ...row, tenant: "other.example.com" }),
    "is of other.example.com, and the tenant is",
  ],
  [
    "another file",
    ({ decision: _, ...row }) => row,
    ":1 lacks the columns decision. Put the names of the columns back as they were",
  ],
  [
    "a column twice",
    (row) => ({ ...row, Decision: "confirm" }),
    ":1 has the column decision twice. Keep the one with the decisions.",
  ],
])("is an error: %s", (_, edit, message) => {
  expect(() => judgedBy(decided(tenant(), edit), tenant())).toThrow(message);
});

test("rows of other tenants don't count", () => {
  const file = decided(tenant(), (row) =>
    row["group_name"] === "desk" ? { ...confirm(row), tenant: "other.example.com" } : confirm(row),
  );
  const decisions = judgedBy(file, tenant());
  expect(decisions.counts.otherTenants).toBe(1);
  expect(openIn(decisions)).toBe("1 new");
});

test("a role in an organization has its own rows, and columns of one's own mean nothing", () => {
  const agent = role("agent", [group("desk")]);
  const there = { ...agent, id: `org_5vJmTq8XbRz3kWcY/${agent.id}` };
  const access = accessJson([agent, there]);
  const own = (row: Record<string, string>) => ({ ...row, organization: "Sales" });
  const isThere = (row: Record<string, string>) => row["role_id"] === there.id;
  const edit: Edit = (row) => (isThere(row) ? own(row) : { ...own(row), decision: "confirm" });
  expect(openOf(access, decided(access, edit))).toEqual([expect.stringMatching(/^undecided: /)]);
  expect(
    openOf(
      access,
      decided(access, (row) => ({ ...own(row), decision: "confirm" })),
    ),
  ).toEqual([]);
});
