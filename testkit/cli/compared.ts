import { comparedWith } from "../../cli/access/compare";
import { csvOf } from "../../cli/access/csv";
import { decisionsOn, judgedBy, readDecisions } from "../../cli/access/decisions";
import { type Access } from "../../cli/access/document";
import { type AccessJson } from "../../cli/access/model";
import { accessJson, claim, group, idOf, role } from "./pages";

/* Answers of `access` to be compared with each other. */

type Covers = NonNullable<AccessJson["covers"]>;
type Groups = Parameters<typeof role>[1];
export type Answer = AccessJson & { covers: Covers };

/** Where the earlier answer is. */
export const FILE = "then.json";
const ALL: Covers = { roles: [], groups: [], people: "ids", tenant: true, organizations: [] };

/** An earlier answer. Default: about all. */
export function answer(
  roles: Parameters<typeof accessJson>[0],
  covers: Partial<Covers> = {},
  more: Partial<AccessJson> = {},
): Answer {
  const made = accessJson(roles, { made: "2026-08-23T09:00:00.000Z", ...more });
  return { ...made, covers: { ...ALL, ...covers } };
}

export const agent = (...groups: Groups) => role("agent", groups);

export const people = (...ids: string[]) => ({ people: { count: ids.length, more: false, ids } });

/** The agent's role in an organization. */
export const there = (organization: string, ...groups: Groups) => ({
  ...agent(...groups),
  ...{ id: `${idOf("org", organization)}/${idOf("rol", "agent")}`, name: `agent in ${organization}` },
  organization: { id: idOf("org", organization), name: organization },
  role: { id: idOf("rol", "agent"), name: "agent" },
});

/** An answer for which these organizations were asked. */
export const within = (...names: string[]) => ({
  covers: { organizations: names.map((name) => ({ id: idOf("org", name), name })) },
  more: { organizations: names.map((name) => idOf("org", name)) },
});

const DECIDED = [
  [
    "agent",
    "night",
    "",
    "access/prod",
    "support",
    "",
    "",
    "revoke",
    "reviewer@example.com",
    "moved to another team",
  ],
  ["agent", "ops", "", "access/prod", "ops", "2026-09-30", "", "confirm", "reviewer@example.com", ""],
  ["viewer", "billing", "", "", "", "", "", "confirm", "lead@example.com", ""],
  ["viewer", "", "direct", "", "", "", "auth0|b", "revoke", "lead@example.com", ""],
];

/** A quarter of a tenant, with one of each change. */
export function quarter(): Access {
  const ops = (until: string) =>
    group("ops", "managed", [claim("ops", { until, line: { file: "ops.ts", line: 7 } })]);
  const { covers, more } = within("acme");
  const then = answer(
    [
      agent(group("desk"), group("night"), ops("2026-09-30")),
      role("viewer", [group("desk"), group("billing", "unmanaged")], people("auth0|a", "auth0|b")),
      there("acme", group("desk")),
    ],
    covers,
    more,
  );
  const moved = [claim("viewers", { line: { file: "index.ts", line: 31 } })];
  const now = answer(
    [
      agent(group("desk"), group("audit", "unmanaged"), group("night", "drift"), ops("2026-12-31")),
      role(
        "viewer",
        [group("desk", "unmanaged"), group("billing", "managed", moved)],
        people("auth0|a", "auth0|c"),
      ),
    ],
    {},
    { made: "2026-11-23T10:02:00.000Z", otherOrganizations: { count: 1, more: false } },
  );
  const columns = "tenant role_id group_id status stack resource until people decision reviewer note";
  const rows = DECIDED.map(([name = "", of = "", ...cells]) => [
    now.tenant,
    idOf("rol", name),
    of && idOf("grp", of),
    ...cells,
  ]);
  const file = readDecisions({ file: "access.csv", text: csvOf([columns.split(" "), ...rows]) });
  const decisions = judgedBy(file, { ...now, read: { roles: now.roles, places: new Set([undefined]) } });
  const decided = decisionsOn(file, decisions);
  return {
    ...{ ...now, user: null, rules: undefined, decisions },
    compared: comparedWith(now, { file: FILE, isByName: false, answer: then }, decided),
  };
}
