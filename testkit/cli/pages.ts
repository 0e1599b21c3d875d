import { type Access, accessDocumentOf } from "../../cli/access/document";
import { type AccessJson } from "../../cli/access/model";
import { type Packed, unpacked } from "../../cli/html/packed";
import { htmlPage } from "../../cli/html/page";
import { type PageData } from "../../cli/output/document";
import { documentOf } from "../../cli/review/output/document";
import { type Review } from "../../cli/review/review";
import { type AccessEffect } from "../../provider/access/change";
import { type RowPeople } from "../../provider/access/people";
import { type ReviewJson } from "../../provider/review/model";
import { type Part, Sentence } from "../../provider/sentence";

/* Answers as the commands write them, to be shown as a page. */

/** What a page is made of. */
export function pageData(page: string): PageData<unknown, readonly Part[]> {
  const [, data = ""] = /<script type="application\/json"[^>]*>([^]*?)<\/script>/.exec(page) ?? [];
  return unpacked(JSON.parse(data) as Packed) as PageData<unknown, readonly Part[]>;
}

/** The JSON of the command in it. */
export function pageJson(page: string): unknown {
  return pageData(page).json;
}

/** Takes the JSON apart again, as a page does. */
export function inPage<Json>(shown: PageData<Json>): PageData<Json, readonly Part[]> {
  return JSON.parse(JSON.stringify(shown)) as PageData<Json, readonly Part[]>;
}

/** What the page of an answer of `access` is made of. */
export function accessShown(json: AccessJson): PageData<AccessJson> {
  return { json, documents: [accessDocumentOf(accessFrom(json))] };
}

/** What the page of reviews is made of. */
export function reviewShown(...json: ReviewJson[]): PageData<ReviewJson[]> {
  return { json, documents: json.map((one) => documentOf(reviewFrom(one), one.categories)) };
}

export const accessPage = (json: AccessJson) => htmlPage("access", accessShown(json));
export const reviewPage = (...json: ReviewJson[]) => htmlPage("review", reviewShown(...json));

/** The sentence that a text of the JSON was made of, as far as it shows: each id may follow its name. */
function sentenceOf(text: string): Sentence {
  const parts = text.split(/(?:(\S+) )?\b([a-z]{3}_[A-Za-z0-9]{8,})\b/);
  return new Sentence(
    parts.flatMap((part = "", index): Part[] => {
      if (index % 3 === 2) return [{ id: part }];
      return part === "" ? [] : [{ value: part }, ...(index % 3 === 1 ? [" "] : [])];
    }),
  );
}

const optionally = (text: string | undefined) => (text === undefined ? undefined : sentenceOf(text));

function accessFrom(json: AccessJson): Access {
  const { rules, decisions, compared, user } = json;
  const said = <Of extends { reason: string }>(all: Of[]) =>
    all.map((one) => ({ ...one, reason: sentenceOf(one.reason) }));
  return {
    ...json,
    rules: rules && { ...rules, breaches: said(rules.breaches) },
    decisions: decisions && { ...decisions, findings: said(decisions.findings) },
    compared: compared && { ...compared, gaps: said(compared.gaps) },
    user: user && { ...user, ends: said(user.ends), leaving: leavingFrom(user.leaving) },
  };
}

function leavingFrom(leaving: NonNullable<AccessJson["user"]>["leaving"]) {
  return (
    leaving && {
      ...leaving,
      steps: leaving.steps.map(({ text, ...step }) => ({ ...step, text: sentenceOf(text) })),
    }
  );
}

/** A review with this JSON. */
function reviewFrom(json: ReviewJson): Review {
  const people = new Map<AccessEffect, RowPeople>();
  const access = [...json.access, ...(json.direct ?? [])].map((row): AccessEffect => {
    const { tenant, organization, role, effect, forgotten, by, people: behind } = row;
    const made: AccessEffect = {
      ...{ tenant: tenant ?? undefined, organization, role, effect, forgotten },
      ...("group" in row ? row : {}),
      ...{ tenant: tenant ?? undefined, unless: optionally(row.unless) },
      holder: "group" in row ? { group: row.group } : { user: row.user },
      by: by.map(({ reason, line, ...one }) => ({
        ...one,
        line: line ?? undefined,
        reason: sentenceOf(reason),
      })),
    };
    if (behind !== undefined) people.set(made, peopleFrom(behind));
    return made;
  });
  const lines = <
    Of extends { name: string | null; line: unknown; reason: string; unless?: string | undefined },
  >(
    all: readonly Of[],
  ) =>
    all.map((one) => ({
      ...one,
      ...{ name: one.name ?? undefined, line: one.line ?? undefined },
      ...{ reason: sentenceOf(one.reason), unless: optionally(one.unless) },
    }));
  const permissions = lines(json.permissions ?? []).map(({ role, user, madeRole = "", ...one }) => ({
    ...one,
    ...{ tenant: one.tenant ?? undefined, count: one.people },
    holder: role !== undefined ? { role } : user !== undefined ? { user } : { made: madeRole },
  }));
  return {
    ...json,
    ...{ isDrift: json.kind === "drift", stack: json.stack ?? undefined, others: json.counts.others },
    ...{ access, people, permissions, twins: [] },
    permitted: new Map(
      permissions.flatMap((one) =>
        one.count === undefined
          ? []
          : [[one, { people: new Set(Array(one.count.count).keys()), isPart: one.count.more }]],
      ),
    ),
    profiles: lines(json.profiles).map((one) => ({ ...one, id: one.id ?? undefined })),
    removals: json.removals.map((one) => ({ ...one, line: one.line ?? undefined })),
    signOuts: (json.signOuts ?? []).map((one) => ({ ...one, line: one.line ?? undefined })),
    unknown: lines(json.unknown),
    notes: lines(json.notes.map((one) => ({ ...one, line: null }))),
    rules: json.rules && {
      ...json.rules,
      breaches: json.rules.breaches.map((one) => ({
        ...one,
        ...{ tenant: one.tenant ?? undefined, reason: sentenceOf(one.reason), direct: one.direct ?? [] },
        by: one.by.map(({ stack, ...giver }) => ({ ...giver, stack: stack ?? undefined })),
      })),
    },
    judgedBy: json.judgedBy?.map(sentenceOf),
  } as unknown as Review;
}

function peopleFrom({
  count,
  more,
  same,
  maybe,
  direct,
  notCompared,
  ids,
}: NonNullable<ReviewJson["access"][number]["people"]>): RowPeople {
  return {
    people: ids ?? Array.from({ length: count }, (_, index) => `auth0|${index}`),
    ...{ groups: 0, others: 0, isMore: more, same, maybe: maybe ?? { count: 0, through: [] }, notCompared },
    direct: direct === null ? { reason: undefined } : { count: direct ?? 0 },
  };
}

type Role = AccessJson["roles"][number];
type Group = Role["groups"][number];
type Claim = Group["by"][number];

export function claim(resource: string, more: Partial<Claim> = {}): Claim {
  return {
    stack: "access/prod",
    resource,
    line: { file: "index.ts", line: 18 },
    until: null,
    expired: false,
    soon: false,
    unconfirmed: false,
    ending: false,
    secret: false,
    ...more,
  };
}

export function group(
  name: string | null,
  status: Group["status"] = "managed",
  by = [claim("support")],
): Group {
  return { id: idOf("grp", name ?? "nameless"), name, status, by: status === "unmanaged" ? [] : by };
}

export function role(name: string, groups: Group[], more: Partial<Role> = {}): Role {
  return {
    id: idOf("rol", name),
    name,
    exists: true,
    people: { count: 0, more: false },
    groups,
    secret: [],
    ...more,
  };
}

/** An id of the service's form. */
export function idOf(kind: string, name: string): string {
  return `${kind}_${Buffer.from(name).toString("hex").padEnd(22, "0").slice(0, 22)}`;
}

export function accessJson(roles: Role[], more: Partial<AccessJson> = {}): AccessJson {
  const all = roles.flatMap(({ groups }) => groups);
  const count = (status: Group["status"]) => all.filter((one) => one.status === status).length;
  return {
    version: 1,
    made: "2026-11-23T12:20:00.000Z",
    tenant: "tenant.example.com",
    complete: true,
    incomplete: [],
    stacks: [{ stack: "access/prod", assignments: 3, elsewhere: 0 }],
    counts: {
      roles: roles.length,
      grants: all.length - count("drift"),
      managed: count("managed"),
      unmanaged: count("unmanaged"),
      drift: count("drift"),
      unknown: count("unknown"),
      expired: all.filter(({ by }) => by.length > 0 && by.every(({ expired }) => expired)).length,
    },
    roles,
    user: null,
    ...more,
  };
}

/** A tenant with one of everything that a page can show. */
export function everything(): AccessJson {
  const soon = [claim("closing", { until: "2026-11-30", soon: true, stack: "access/dev" })];
  const ended = [claim("audit", { until: "2026-11-20", expired: true, line: { file: "audit.ts", line: 4 } })];
  const agent = role(
    "support-agent",
    [
      group("support-desk", "unmanaged"),
      group(null, "drift"),
      group("billing-team"),
      group("contractors", "managed", ended),
    ],
    {
      people: { count: 2, more: false },
      permissions: [
        { resourceServer: "https://tickets.example.com/", name: "read:tickets" },
        { resourceServer: "https://tickets.example.com/", name: "close:tickets" },
        { resourceServer: "https://reports.example.com/", name: "read:reports" },
      ],
    },
  );
  const secret = claim("viewers", { stack: "access/dev", secret: true });
  const viewer = role(
    "billing-viewer",
    [
      group("billing-team", "unknown", [secret]),
      group("contractors", "managed", soon),
      group("support-desk"),
    ],
    { secret: [secret], people: { count: 0, more: false } },
  );
  const admin = role("admin", [group("directory-admins", "managed", [claim("admins"), claim("owners")])], {
    people: null,
  });
  const broken = {
    rule: "allow" as const,
    rulesLine: 2,
    roles: [agent.id],
    groups: [idOf("grp", "contractors")],
    by: [{ stack: "access/prod", resource: "audit", line: { file: "audit.ts", line: 4 } }],
    reason: `contractors ${idOf("grp", "contractors")} has support-agent ${agent.id}, which rules.yaml:2 doesn't allow`,
  };
  return accessJson([admin, viewer, agent, role("auditor", [])], {
    complete: false,
    stacks: [
      { stack: "access/dev", assignments: 2, elsewhere: 1 },
      { stack: "access/prod", assignments: 4, elsewhere: 0 },
    ],
    unreadPeople: ["who has 1 role directly was not read (403: read:role_members is missing)"],
    rules: { file: "rules.yaml", gaps: [], breaches: [broken] },
  });
}

/** A role in the tenant and in two organizations, of which one is gone. */
export function organizations(): AccessJson {
  const agent = role("support-agent", [group("support-desk"), group("billing-team", "unmanaged")]);
  const there = (name: string, groups: Group[], more: Partial<Role> = {}): Role => ({
    ...role("support-agent", groups, more),
    id: `${idOf("org", name)}/${agent.id}`,
    name: `support-agent in ${name}`,
    organization: { id: idOf("org", name), name },
    role: { id: agent.id, name: agent.name },
  });
  const acme = there("acme", [group("support-desk"), group("contractors")]);
  const gone = there("globex", [group("contractors", "drift")], { exists: false });
  const contractors = idOf("grp", "contractors");
  return accessJson([agent, acme, gone], {
    organizations: [idOf("org", "acme"), idOf("org", "globex")],
    otherOrganizations: { count: 7, more: false },
    rules: {
      file: "rules.yaml",
      gaps: [],
      breaches: [
        {
          organization: idOf("org", "acme"),
          rule: "allow",
          rulesLine: 2,
          roles: [agent.id],
          groups: [contractors],
          by: [{ stack: "access/prod", resource: "support", line: { file: "index.ts", line: 18 } }],
          reason: `contractors ${contractors} has support-agent ${agent.id} in acme ${idOf("org", "acme")}, which rules.yaml:2 doesn't allow`,
        },
      ],
    },
  });
}

/** Deterministic, so that runs can be compared. */
function random(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}

const AREAS = [
  "billing",
  "support",
  "catalog",
  "identity",
  "reports",
  "payments",
  "search",
  "mobile",
  "legal",
  "data",
];
const KINDS = ["viewer", "editor", "admin", "auditor", "operator"];

/** A large tenant; `share`: of the cells that hold a grant. */
export function largeTenant(size: {
  roles: number;
  groups: number;
  people: number;
  share: number;
}): AccessJson {
  const next = random(7);
  const pick = <Item>(items: readonly Item[]) => items[Math.floor(next() * items.length)] as Item;
  const groups = Array.from({ length: size.groups }, (_, index) => ({
    id: `grp_${String(index).padStart(22, "0")}`,
    name: `${AREAS[index % AREAS.length]}-${["team", "leads", "on-call", "partners", "interns", "contractors"][Math.floor(index / AREAS.length) % 6]}`,
  }));
  const roles = Array.from({ length: size.roles }, (_, index): Role => ({
    id: `rol_${String(index).padStart(16, "0")}`,
    name: `${AREAS[index % AREAS.length]}-${KINDS[Math.floor(index / AREAS.length) % KINDS.length]}${index < 50 ? "" : `-${Math.floor(index / 50) + 1}`}`,
    exists: true,
    people: { count: 0, more: false, ids: [] },
    groups: groups.flatMap(({ id, name }): Group[] => {
      if (next() >= size.share) return [];
      const status = next() < 0.9 ? "managed" : pick(["unmanaged", "drift", "unmanaged"] as const);
      const soon = next() < 0.03 ? { until: "2026-11-30", soon: true } : {};
      const line = { file: "index.ts", line: index + 1 };
      const by = claim(`assignment-${index}`, { stack: pick(["access/prod", "access/dev"]), line, ...soon });
      return [{ id, name, status, by: status === "unmanaged" ? [] : [by] }];
    }),
    secret: [],
  }));
  const people = Array.from(
    { length: size.people },
    (_, index) => `auth0|${String(index).padStart(24, "0")}`,
  );
  const members = groups.map(({ id }, index) => {
    const ids = people.filter((_, person) => person % groups.length === index);
    return { id, people: { count: ids.length, more: false, ids } };
  });
  const byName = [...roles].sort((one, other) => ((one.name ?? "") < (other.name ?? "") ? -1 : 1));
  return accessJson(byName, { members });
}

/** Names that a stranger could choose. */
export const HOSTILE_NAMES = [
  "<script>window.hacked = 1</script>",
  "</script><script>window.hacked = 1</script>",
  '"><img src=x onerror="window.hacked = 1">',
  "<!--<script>",
  "'-->]]></style><svg onload=window.hacked=1>",
  "javascript:window.hacked=1",
  "{{constructor.constructor('window.hacked=1')()}}",
  "$& $1 $` <!--here-->",
  "__proto__",
  "&lt;b&gt; &#60;",
] as const;

/** Each of these names as every text of a stranger. */
export function hostileTenant(): AccessJson {
  const roles = HOSTILE_NAMES.map((name, index) =>
    role(
      name,
      HOSTILE_NAMES.map((other, column) => ({
        ...group(other, "managed", [
          claim(other, { stack: name, line: { file: other, line: 1 }, until: name }),
        ]),
        id: `grp_${String(column).padStart(22, "0")}`,
      })),
      {
        id: `rol_${String(index).padStart(16, "0")}`,
        people: { count: 1, more: false, ids: [name] },
        permissions: [{ resourceServer: name, name }],
      },
    ),
  );
  const all = [...HOSTILE_NAMES];
  return accessJson(roles, {
    tenant: HOSTILE_NAMES[0],
    incomplete: all,
    rules: {
      file: HOSTILE_NAMES[1],
      gaps: all,
      breaches: all.map((reason) => ({
        rule: "allow",
        rulesLine: 1,
        roles: [roles[0]?.id ?? ""],
        groups: ["grp_0000000000000000000000"],
        by: [],
        reason,
      })),
    },
  });
}

export function hostileReview(review: ReviewJson): ReviewJson {
  const [first = "", second = ""] = HOSTILE_NAMES;
  const names = Object.fromEntries(
    Object.keys(review.names).map((id, index) => [id, HOSTILE_NAMES[index % HOSTILE_NAMES.length] ?? ""]),
  );
  return {
    ...review,
    names,
    stack: first,
    errors: HOSTILE_NAMES.map((message) => ({ name: message, message })),
    notes: HOSTILE_NAMES.map((reason) => ({ name: reason, reason })),
    removals: [{ tenant: null, id: second, name: first, line: { file: second, line: 1 } }],
    access: review.access.map((row) => ({
      ...row,
      unless: second,
      by: row.by.map((by) => ({ ...by, name: first, reason: second })),
    })),
  };
}
