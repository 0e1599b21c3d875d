import { type AccessJson } from "../../cli/access/model";
import { type Packed, unpacked } from "../../cli/html/packed";
import { type ReviewJson } from "../../provider/review/model";

/* Documents as the commands write them, to be shown as a page. */

/** The document that a page shows. */
export function pageJson(page: string): unknown {
  const [, data = ""] = /<script type="application\/json"[^>]*>([^]*?)<\/script>/.exec(page) ?? [];
  return unpacked(JSON.parse(data) as Packed);
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
