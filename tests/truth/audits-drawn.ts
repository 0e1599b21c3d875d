import { type BehaviourInput, type Fault } from "../../simulator";
import fc from "../../testkit/properties";
import { type RulesText } from "../../testkit/worlds/world";

/* Tenants, states and rules, and audits of them, drawn at random. */

export const [ACME, GLOBEX] = ["org_5vJmTq8XbRz3kWcY", "org_9sJdYp3LfGe7uXaK"] as const;
const GONE = "org_2gHtRw7NcKp4mSdB";
export const [OWN, FOREIGN, SYSTEM] = ["rol_own", "rol_foreign", "rol_system"] as const;
export const ROLES = ["rol_agent", "rol_viewer", "rol_third"] as const;
export const GROUPS = ["a", "b", "c"].map((letter) => `grp_${letter.repeat(22)}`);
export const PEOPLE = ["auth0|a", "auth0|b", "auth0|c"];
const DAY_MS = 24 * 60 * 60 * 1000;
const NOW = Date.now();
export const day = (days: number) => new Date(NOW + days * DAY_MS).toISOString().slice(0, 10);

/** A role in a place, `rol_…` or `org_…/rol_…`, that a group or a person has directly. */
export interface Edge {
  key: string;
  holder: string;
}

type Decision = "" | "confirm" | "revoke";
export interface Claim {
  key: string;
  groups: string[];
  until: string | undefined;
  stack: number;
}

export interface Case {
  roles: readonly string[];
  /** `gone` and `new`: since the audit with the decisions. */
  grants: (Edge & { when: "stays" | "gone" | "new" })[];
  members: Record<string, string[]>;
  claims: Claim[];
  rules: RulesText | undefined;
  decisions: Decision[] | undefined;
  organizations: readonly string[];
  only: { role?: string; group?: string };
  direct: boolean;
  people: boolean;
  faults: Fault[];
  behaviour: BehaviourInput;
  lacks: string;
}

/** Those of roles in the tenant, and in two organizations, which have their own, too. */
export const keysWith = (roles: readonly string[]) => [
  ...roles,
  ...[...roles, SYSTEM, OWN].map((role) => `${ACME}/${role}`),
  ...[...roles, SYSTEM, FOREIGN].map((role) => `${GLOBEX}/${role}`),
];
export const some = <Item>(items: fc.Arbitrary<Item>, maxLength: number) => fc.array(items, { maxLength });
const lines = <Line>(roles: readonly string[], line: fc.Arbitrary<Line>) =>
  fc
    .array(fc.tuple(fc.constantFrom(...roles), line), { minLength: 1, maxLength: 3 })
    .map(Object.fromEntries<Line>);
const groupsOf = fc.subarray(GROUPS);
const maybe = <Item>(item: fc.Arbitrary<Item>) => fc.option(item, { nil: undefined });

const rulesOfPlace = (roles: readonly string[]) =>
  fc.record({
    default: fc.constantFrom("free" as const, "free" as const, "closed" as const),
    allow: lines(roles, fc.oneof(fc.constant("*" as const), groupsOf)),
    direct: lines([...roles, "default"], fc.constantFrom("forbid" as const, "allow" as const)),
    end: lines(roles, fc.constantFrom(30, 3650)),
    // Most audits of a tenant with few grants would break one.
    require: fc.oneof(
      { weight: 3, arbitrary: fc.constant<Record<string, string[]>>({}) },
      { weight: 2, arbitrary: lines(roles, fc.subarray(GROUPS, { minLength: 1 })) },
    ),
  });

function conflict(roles: readonly string[]): fc.Arbitrary<RulesText["conflicts"][number]> {
  const two = fc.uniqueArray(fc.constantFrom(...roles), { minLength: 2, maxLength: 3 });
  const placed = fc
    .tuple(two, fc.constantFrom(ACME, GLOBEX))
    .map(([[first = "", ...rest], organization]) => ({
      roles: [...rest, [OWN, FOREIGN].includes(first as never) ? first : { role: first, organization }],
      anyContext: true,
    }));
  const plain = fc.record({ roles: two, anyContext: fc.boolean() });
  return fc.oneof(plain, placed);
}

const rules = (roles: readonly string[]): fc.Arbitrary<RulesText> =>
  fc
    .record({
      general: rulesOfPlace([...roles, SYSTEM]),
      conflicts: some(conflict([...roles, SYSTEM, OWN]), 2),
      // Without these, only rules for every organization lead to one.
      organizations: fc.oneof(
        fc.constant<RulesText["organizations"]>({}),
        fc.record(
          { [ACME]: rulesOfPlace([...roles, SYSTEM, OWN]), [GLOBEX]: rulesOfPlace([...roles, FOREIGN]) },
          { requiredKeys: [] },
        ),
      ),
    })
    .map(({ general, ...rest }) => ({ ...general, ...rest }));

/** Lists that don't answer, or not with all. */
const PATHS = [
  "/roles/*/groups",
  "/roles/rol_agent/groups",
  "/roles/*/users",
  "/groups/*/roles",
  "/groups/*/members",
  "/organizations/*/groups",
  "/organizations/*/groups/*/roles",
  "/organizations/*/roles/*/groups",
  `/organizations/${ACME}/roles/*/groups`,
  "/organizations/*/roles/*/members",
  "/organizations?*",
  "*owner_id=auth0*",
  `*owner_id=${ACME}*`,
].map((path) => (path.startsWith("*") ? path : `/api/v2${path}`));
const failing = fc.record({ path: fc.constantFrom(...PATHS), status: fc.constantFrom(403, 404) });
export const fault = failing.map(({ path, status }): Fault => ({
  ...{ path, times: 999, action: { status, body: bodyOf(status) } },
}));
const BEHAVIOURS: readonly BehaviourInput[] = [
  {},
  {},
  {},
  {},
  {},
  {},
  { max_page_size: 1 },
  { max_page_size: 1, cursor_lists: "total" },
  { max_page_size: 1, max_numbered_entries: 1 },
  { max_page_size: 1, totals: "none" },
];
const SCOPES = [
  "read:organizations",
  "read:group_roles",
  "read:role_members",
  "read:group_members",
  "read:organization_groups",
  "read:organization_group_roles",
];

const bodyOf = (status: number) =>
  status === 404
    ? { statusCode: 404, error: "Not Found", message: "Not found." }
    : {
        statusCode: 403,
        error: "Forbidden",
        message: "Insufficient scope",
        errorCode: "insufficient_scope",
      };

/** Half of them never end. */
export const claimOf = (keys: readonly string[]): fc.Arbitrary<Claim> =>
  fc.record({
    key: fc.constantFrom(...keys),
    groups: groupsOf,
    until: fc.constantFrom(undefined, undefined, day(5), day(400), day(-5)),
    stack: fc.nat(1),
  });

export const audit: fc.Arbitrary<Case> = fc.integer({ min: 1, max: 3 }).chain((number) => {
  const roles = ROLES.slice(0, number);
  const keys = keysWith(roles);
  const when = fc.constantFrom("stays" as const, "stays" as const, "gone" as const, "new" as const);
  const edges = (holders: readonly string[], maxLength: number) =>
    some(fc.record({ key: fc.constantFrom(...keys), holder: fc.constantFrom(...holders), when }), maxLength);
  const claim = claimOf([...keys, ...keys, "rol_gone", `${GONE}/${ROLES[0]}`]);
  // These don't go together.
  const kind = fc.oneof(
    { weight: 4, arbitrary: fc.record({ rules: rules(roles), decisions: fc.constant(undefined) }) },
    {
      weight: 3,
      arbitrary: fc.record({
        rules: maybe(rules(roles)),
        decisions: some(fc.constantFrom<Decision>("revoke", "confirm", "confirm", ""), 12),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        only: fc.oneof(
          fc.record({ role: fc.constantFrom(...roles) }),
          fc.record({ group: fc.constantFrom(...GROUPS) }),
        ),
      }),
    },
  );
  return fc
    .record({
      grants: fc.tuple(edges(GROUPS, 10), edges(PEOPLE, 5)).map((both) => both.flat()),
      members: fc.record(Object.fromEntries(PEOPLE.map((person) => [person, groupsOf]))),
      claims: some(claim, 4),
      organizations: fc.constantFrom([], [], [ACME], [GLOBEX], ["all"], ["all"]),
      direct: fc.boolean(),
      people: fc.boolean(),
      faults: fc.oneof(some(fault, 0), fc.array(fault, { minLength: 1, maxLength: 2 })),
      behaviour: fc.constantFrom(...BEHAVIOURS),
      lacks: fc.oneof({ weight: 5, arbitrary: fc.constant("") }, fc.constantFrom(...SCOPES)),
      kind,
    })
    .map(({ kind: drawn, faults, grants, ...rest }) => {
      const seen = new Map(grants.map((edge) => [`${edge.key} ${edge.holder}`, edge]));
      const base = { rules: undefined, decisions: undefined, only: {}, ...drawn };
      return { roles, ...rest, ...base, grants: [...seen.values()], faults };
    });
});
