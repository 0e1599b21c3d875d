import { type AccessJson } from "./model";
import { type Named } from "../../provider/service/record";
import { count, grouped, list, say, type Sentence, some, word } from "../../provider/sentence";
import { type AccessGroup, type AccessRole, type ClaimJson } from "./claims";
import { isExpired } from "./roles";
import { type DecisionsAnswer, openIn } from "./decisions";
import { type RulesAnswer } from "./rules";
import { type End, type UserAnswer } from "./user";

type Source = NonNullable<UserAnswer["permissions"][number]["sources"]>[number];

export type Access = Omit<AccessJson, "user" | "rules" | "decisions"> & {
  user: UserAnswer | null;
  rules?: RulesAnswer | undefined;
  decisions?: DecisionsAnswer | undefined;
};

/** An answer as sentences; each format has its own layout. */
export interface AccessDocument {
  title: Sentence;
  summary: Sentence[];
  tables: Table[];
  notes: Sentence[];
}

export interface Table {
  title: Sentence;
  head: readonly string[];
  rows: Sentence[][];
}

export function accessDocumentOf(access: Access): AccessDocument {
  return access.user === null ? tenantDocument(access) : userDocument(access, access.user);
}

function tenantDocument(access: Access): AccessDocument {
  const { tenant, made, counts, roles, stacks, incomplete, unreadPeople = [], rules, decisions } = access;
  const { unreadDetails = [] } = access;
  const shown = roles.filter(
    ({ groups, secret, people }) => groups.length + secret.length + (people?.count ?? 0) > 0,
  );
  const isAsked = roles.some(({ people }) => people !== undefined);
  const isNobody = isAsked && roles.every(({ people }) => people === undefined || people?.count === 0);
  const empty = roles.filter((role) => !shown.includes(role));
  return {
    title: say`Access on ${tenant}, ${asOf(made)}`,
    summary: [
      ...gapsIn([...incomplete, ...unreadPeople, ...unreadDetails]),
      word(countsSummary(counts)),
      ...(rules === undefined ? [] : [rulesSummary(rules), ...rulesGaps(rules)]),
      ...(decisions === undefined ? [] : [decisionsSummary(decisions)]),
      comparedWith(stacks),
    ],
    tables: [
      ...(rules === undefined ? [] : rulesTables(rules)),
      ...(decisions === undefined ? [] : decisionsTables(decisions)),
      ...shown.map((role) => ({
        title: role.exists ? namedThing(role) : say`${namedThing(role)}, which is not on the tenant`,
        head: TABLE_HEAD,
        rows: [
          ...role.groups.map(groupRow),
          ...peopleRows(role),
          ...role.secret.map((claim) => [
            NO_NAME,
            say``,
            say`unknown if all are there: the groups of ${claimed(claim)} are secret`,
          ]),
        ],
      })),
    ],
    notes: [
      ...sharedNotes(roles),
      ...(empty.length === 0 ? [] : [say`No group has ${some(empty.map(({ name, id }) => name ?? id))}.`]),
      ...(isNobody ? [say`Nobody has one of these roles directly.`] : []),
      ...organizationNotes(access),
      ...(isAsked ? [] : [say`Lists roles granted through groups. Use --user for a user's direct roles.`]),
    ],
  };
}

/** A rule that nobody breaks in the tenant may be broken in an organization. */
function organizationNotes({ organizations = [], rules }: Access): Sentence[] {
  if (organizations.length > 0)
    return [
      say`Of organizations, only those with an assignment in a state are asked: ${some(organizations)}.`,
    ];
  return rules === undefined
    ? []
    : [
        say`The rules are judged for the tenant: no state has an assignment in an organization, so none is asked.`,
      ];
}

/** None of the stacks knows of the other, so the first one that drops the group takes it from both. */
function sharedNotes(roles: Access["roles"]): Sentence[] {
  return roles.flatMap((role) =>
    role.groups.flatMap((group) => {
      const stacks = new Set(group.by.map(({ stack }) => stack));
      if (group.status !== "managed" || stacks.size < 2) return [];
      const [name, title] = [group.name ?? group.id, role.name ?? role.id];
      return [
        say`Several stacks list ${name} for ${title}: ${list(group.by.map(claimed))}. The stack that drops it takes it from all of them.`,
      ];
    }),
  );
}

function rulesSummary({ file, breaches }: RulesAnswer): Sentence {
  return breaches.length === 0
    ? say`Nothing breaks the rules of ${file}`
    : say`${word(count(breaches.length, "breach", "breaches"))} of the rules of ${file}`;
}

function rulesGaps({ gaps }: RulesAnswer): Sentence[] {
  return gaps.length === 0 ? [] : [say`Not all people were compared for the rules (${list(gaps)})`];
}

function rulesTables({ file, breaches }: RulesAnswer): Table[] {
  const rows = breaches.map(({ reason, by }) => [
    say`${reason}`,
    by.length === 0
      ? say`by hand: in none of the states`
      : list(
          by.map(({ resource, stack, line }) => {
            const place = line === null ? say`` : say` ${{ place: line }}`;
            return say`${resource} in ${stack}${place}`;
          }),
        ),
  ]);
  const head = ["Breach", "Why it has the role"] as const;
  return rows.length === 0 ? [] : [{ title: say`Breaks the rules of ${file}`, head, rows }];
}

function decisionsSummary(decisions: DecisionsAnswer): Sentence {
  const { file, counts, findings } = decisions;
  const open = findings.length === 0 ? "nothing is open" : `open: ${openIn(decisions)}`;
  const { confirmed, revoked, otherTenants } = counts;
  const elsewhere =
    otherTenants === 0
      ? ""
      : `; ${count(otherTenants, "row")} of other tenants ${otherTenants === 1 ? "doesn't" : "don't"} count`;
  return say`Decisions of ${file}: ${word(`${grouped(confirmed)} confirmed, ${grouped(revoked)} revoked; ${open}${elsewhere}`)}`;
}

function decisionsTables({ file, findings }: DecisionsAnswer): Table[] {
  const rows = findings.map(({ kind, reason }) => [word(OPEN[kind]), say`${reason}`]);
  return rows.length === 0 ? [] : [{ title: say`Open in ${file}`, head: ["Open", "What"], rows }];
}

const OPEN = {
  standing: "still to revoke",
  void: "changed",
  new: "new",
  undecided: "undecided",
} as const;

function gapsIn(incomplete: Access["incomplete"]): Sentence[] {
  return incomplete.map((gap) => say`Not complete: ${gap}`);
}

/** `as of 2026-11-22 10:02 UTC`: an auditor keeps the answer. */
function asOf(made: string): Sentence {
  return word(`as of ${made.slice(0, 16).replace("T", " ")} UTC`);
}

/** `2 roles · 3 grants: 1 managed, 2 by hand · 1 claimed, not there` */
function countsSummary({ roles, grants, ...counts }: Access["counts"]): string {
  const { managed, unmanaged, unknown, drift, expired } = counts;
  const kinds = [
    [managed, "managed"],
    [unmanaged, "by hand"],
    [unknown, "not known"],
  ] as const;
  const told = kinds.filter(([number]) => number > 0).map(([number, kind]) => `${grouped(number)} ${kind}`);
  return [
    count(roles, "role"),
    `${count(grants, "grant")}${told.length === 0 ? "" : `: ${told.join(", ")}`}`,
    ...(drift > 0 ? [`${grouped(drift)} claimed, not there`] : []),
    ...(expired > 0 ? [`${grouped(expired)} expired`] : []),
  ].join(" · ");
}

const TABLE_HEAD = ["Group", "Id", "Why it has the role"] as const;
const NO_NAME = say`–`;

function groupRow(group: AccessGroup): Sentence[] {
  return [group.name ? say`${group.name}` : NO_NAME, say`${group.id}`, why(group)];
}

const BY_HAND = say`by hand: assignments give roles to groups, not to users`;

/** With ids, one row for each person. */
function peopleRows({ people }: AccessRole): Sentence[][] {
  if (!people || people.count === 0) return [];
  const number = `${people.more ? "more than " : ""}${count(people.count, "person", "people")}`;
  if (people.ids === undefined) return [[say`directly`, word(number), BY_HAND]];
  return [
    ...people.ids.map((id) => [say`directly`, say`${id}`, BY_HAND]),
    ...(people.more ? [[say`directly`, say`and more`, BY_HAND]] : []),
  ];
}

function comparedWith(stacks: AccessJson["stacks"]): Sentence {
  const each = stacks.map(({ stack, assignments, elsewhere }) => {
    const others = elsewhere === 0 ? "" : `, and ${grouped(elsewhere)} on other tenants`;
    return say`${stack} (${word(`${count(assignments, "assignment")}${others}`)})`;
  });
  return say`Compared with ${list(each)}`;
}

export function why(group: AccessGroup): Sentence {
  const { status, by } = group;
  const all = list(by.map(claimed));
  switch (status) {
    case "managed":
      return isExpired(group) ? say`${all}, the next run takes it away` : all;
    case "unmanaged":
      return say`by hand: in none of the states`;
    case "drift":
      return say`claimed, not there: ${all}`;
    case "unknown":
      return say`unknown: the groups of ${all} are secret`;
  }
}

/** `support in access/prod (index.ts:18)` */
export function claimed(claim: ClaimJson): Sentence {
  const { resource, stack, line, ending } = claim;
  const place = line === null ? say`` : say` ${{ place: line }}`;
  const deleted = ending ? say`, which the next run deletes` : say``;
  return say`${resource} in ${stack}${place}${endSentence(claim)}${deleted}`;
}

function endSentence({ until, expired, soon }: ClaimJson): Sentence {
  if (until === null) return say``;
  if (expired) return say`, until ${until}: expired`;
  return say`, until ${until}${soon ? say` (within 14 days)` : say``}`;
}

function namedThing({ id, name }: Named): Sentence {
  return name ? say`${name} ${id}` : say`${id}`;
}

function userDocument({ tenant, made, roles, stacks, incomplete }: Access, user: UserAnswer): AccessDocument {
  const { id, permissions, ends, unread, allRoles } = user;
  const nameOf = new Map(roles.map((role) => [role.id, role.name ?? role.id]));
  return {
    title: say`Access of ${id} on ${tenant}, ${asOf(made)}`,
    summary: [
      ...gapsIn(incomplete),
      word(`${count(roles.length, "role")} · ${count(permissions.length, "permission")}${originsOf(user)}`),
      comparedWith(stacks),
    ],
    tables: [
      {
        title: say`Permissions`,
        head: ["Permission", "API", "From"],
        rows: permissions.map(({ name, resourceServer, sources }) => [
          say`${name}`,
          say`${resourceServer}`,
          sources === null ? say`in a form that this release doesn't know` : fromText(sources),
        ]),
      },
      ...roles.map((role) => {
        const isOneOf = unread !== null && role.direct !== true && role.groups.length > 0;
        return {
          title: say`${namedThing(role)}, through ${word(isOneOf ? "any of these groups, or directly" : "these groups")}`,
          head: TABLE_HEAD,
          rows: throughRows(role),
        };
      }),
      {
        title: say`If an assignment were destroyed`,
        head: ["Assignment", "Then the user"],
        rows: ends.map((end) => [claimed(end.by), endText(end, nameOf.get(end.role) ?? end.role)]),
      },
    ].filter(({ rows }) => rows.length > 0),
    notes: [
      ...(unread === null
        ? []
        : [
            allRoles
              ? say`The groups behind the user's roles could not be read (${word(unread)}).`
              : say`The user's roles, and the groups behind them, could not be read (${word(unread)}). Only roles that give a permission are listed.`,
          ]),
      say`Roles that the user has as a member of an organization aren't listed.`,
    ],
  };
}

/** `: 1 through roles, 1 from elsewhere, 1 both` */
function originsOf({ permissions }: UserAnswer): string {
  const kinds = permissions.map(({ sources }) => {
    const isRole = sources?.some(({ kind }) => kind === "role");
    const isOther = sources?.some(({ kind }) => kind !== "role");
    return isRole && isOther ? "both" : isRole ? "through roles" : isOther ? "from elsewhere" : "not known";
  });
  const told = (["through roles", "from elsewhere", "both", "not known"] as const)
    .map((kind) => ({ kind, number: kinds.filter((one) => one === kind).length }))
    .filter(({ number }) => number > 0)
    .map(({ kind, number }) => `${grouped(number)} ${kind}`);
  return told.length === 0 ? "" : `: ${told.join(", ")}`;
}

/** `role support-agent; elsewhere: directly` */
function fromText(sources: readonly Source[]): Sentence {
  const roles = sources.filter(({ kind }) => kind === "role").map(({ id, name }) => name || id);
  const others = sources.filter(({ kind }) => kind !== "role");
  const elsewhere = others.map(({ kind, id, name, type }) =>
    kind === "direct" ? say`directly` : [type, name, id].filter((text) => text !== "").join(" "),
  );
  const parts = [
    ...(roles.length === 0 ? [] : [say`${word(roles.length === 1 ? "role" : "roles")} ${list(roles)}`]),
    ...(elsewhere.length === 0 ? [] : [say`elsewhere: ${list(elsewhere)}`]),
  ];
  return parts.length === 2
    ? say`${parts[0] as Sentence}; ${parts[1] as Sentence}`
    : (parts[0] ?? say`unknown`);
}

function throughRows({ direct, groups }: AccessRole): Sentence[][] {
  return [
    ...(direct === true ? [[say`directly`, say``, BY_HAND]] : []),
    ...groups.map(groupRow),
    ...(direct === null && groups.length === 0
      ? [[say`elsewhere`, say``, say`not among the roles that the user has outside of organizations`]]
      : []),
  ];
}

function endText({ ends, permissions, reason }: End, role: string): Sentence {
  const because = (mark: string) => (reason.isEmpty ? say`` : say`${word(mark)} ${reason}`);
  if (ends === null) return say`unknown${because(":")}`;
  if (!ends) return say`keeps ${role}${because(":")}`;
  const names = permissions.map(({ name }) => name);
  const lost = names.length === 0 ? say`` : say`, and with it ${list(names)}`;
  return say`loses ${role}${lost}${because(";")}`;
}
