import fc from "fast-check";
import { type KindName } from "../../provider/kinds";
import {
  assignment,
  later,
  organizationAssignment,
  profile,
  type Program,
  removal,
  type Resource,
  secret,
} from "../engine";
import { type BehaviourInput, type Fault } from "../../simulator";
import { type Values } from "../hosts/host";
import { type Auth0Resource, type Auth0Type, type Auth0Values } from "./auth0";
import {
  CREDENTIALS,
  CREW,
  CROWD,
  type Edge,
  ENDS,
  EU,
  GROUPS,
  ORGANIZATIONS,
  OWN_ROLE,
  PEOPLE,
  PROFILES,
  ROLES,
  TEAM,
  type TenantName,
} from "./universe";

/** The rules of one place, by role. */
interface PlaceRules {
  allow: Record<string, string[] | "*">;
  end: Record<string, number>;
  /** By role, or `default`. */
  direct: Record<string, "allow" | "forbid">;
  /** Groups of which one keeps the role. */
  require?: Record<string, string[]>;
}

/** A rules file, which is JSON here, with ids. */
export interface RulesText extends PlaceRules {
  conflicts: { roles: (string | { role: string; organization: string })[]; anyContext: boolean }[];
  default: "free" | "closed";
  organizations: Record<string, PlaceRules & { default?: "free" | "closed" }>;
}

/** One or two tenants, their history, and a last change that is reviewed and made. */
export interface World {
  behaviour: BehaviourInput;
  /** The tenant of the explicit provider. */
  eu: TenantName;
  /**
   * False for a program in another language, whose assignments don't know each other; all under one provider.
   */
  listings: boolean;
  foreign: Record<TenantName, Edge[]>;
  earlier: Act[];
  judged: Judged;
}

export interface Act {
  /** Other people's actions before it. */
  outside: Outside[];
  refresh: boolean;
  /** Keys of resources marked for replacement. */
  taint: string[];
  program: Program;
  options: Options;
  /** Hits the run. */
  fault: Fault | undefined;
  /** The host is killed at the write with this number. */
  killAt: number | undefined;
}

export type Judged = Omit<Act, "fault" | "killAt"> & {
  read: boolean;
  /** The text of a rules file. */
  rules?: string | undefined;
  /** Resources of another provider in the same stack. */
  auth0: Auth0Resource[];
};

export interface Options {
  target?: string[];
  exclude?: string[];
  replace?: string[];
  parallel: number;
}

export interface Outside {
  tenant: TenantName;
  method: "POST" | "DELETE" | "PATCH";
  path: string;
  body?: unknown;
}

/** The form in which a value is given. */
type Mark = "plain" | "secret" | "later" | "secret later";

interface Draw {
  generation: boolean;
  aliased: boolean;
  get: boolean;
  role: string;
  organization: number;
  /** True for the first organization's own role. */
  own: boolean;
  /** True for groups outside of the organization, too. */
  stray: boolean;
  groups: string[];
  crowd: boolean;
  exclusive: boolean | undefined;
  adopt: boolean;
  adopted: number;
  deleteOnDestroy: boolean | undefined;
  until: string | undefined;
  /** Undefined: an adopted profile keeps its name. */
  name: number | undefined;
  features: ("scim" | "universal_logout")[] | undefined;
  button: "none" | "optional" | "required" | undefined;
  assign: "none" | "optional" | undefined;
  credential: string;
  /** By the input's name; for `item`, the first of a list. */
  marks: Record<string, Mark>;
  options: {
    protect: boolean;
    retainOnDelete: boolean;
    deletedWith: number | undefined;
    replaceWith: number | undefined;
    replacementTrigger: number | undefined;
    dependsOn: number | undefined;
    ignoreChanges: string | undefined;
    replaceOnChanges: string | undefined;
    deleteBeforeReplace: boolean | undefined;
  };
}

interface Slot {
  kind: KindName;
  name: string;
  parent?: string;
}

const SLOTS: Record<string, Slot> = {
  a: { kind: "RoleGroupAssignment", name: "a" },
  b: { kind: "RoleGroupAssignment", name: "b" },
  c: { kind: "RoleGroupAssignment", name: "c" },
  team: { kind: "RoleGroupAssignment", name: "a", parent: TEAM },
  crew: { kind: "RoleGroupAssignment", name: "a", parent: CREW },
  p: { kind: "ConnectionProfile", name: "p" },
  q: { kind: "ConnectionProfile", name: "q", parent: TEAM },
  x: { kind: "DeviceCredentialRemoval", name: "x" },
  y: { kind: "DeviceCredentialRemoval", name: "y" },
  o: { kind: "OrganizationRoleGroupAssignment", name: "o" },
  u: { kind: "OrganizationRoleGroupAssignment", name: "u" },
  w: { kind: "OrganizationRoleGroupAssignment", name: "w", parent: TEAM },
};
const NAMES = Object.keys(SLOTS);

const chance = (percent: number) => fc.integer({ min: 0, max: 99 }).map((drawn) => drawn >= 100 - percent);
const some = <T>(percent: number, arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  chance(percent).chain((isThere) => (isThere ? arbitrary : fc.constant(undefined)));
/** A subset that is mostly empty. */
const few = <T>(percent: number, of: readonly T[]): fc.Arbitrary<T[]> =>
  some(percent, fc.subarray([...of], { minLength: 1 })).map((drawn) => drawn ?? []);

const mark: fc.Arbitrary<Mark> = fc.oneof(
  { weight: 14, arbitrary: fc.constant<Mark>("plain") },
  { weight: 1, arbitrary: fc.constant<Mark>("secret") },
  { weight: 1, arbitrary: fc.constantFrom<Mark[]>("later", "secret later") },
);
const MARKED = [
  "organizationId",
  "roleId",
  "groupIds",
  "item",
  "exclusive",
  "adopt",
  "deleteOnDestroy",
  "name",
  "features",
  "organization",
  "credential",
];

const draw: fc.Arbitrary<Draw> = fc.record({
  generation: chance(15),
  aliased: chance(60),
  get: chance(8),
  role: fc.constantFrom(...ROLES),
  organization: chance(25).map(Number),
  own: chance(10),
  stray: chance(6),
  groups: fc.subarray(GROUPS, { minLength: 1, maxLength: 3 }),
  crowd: chance(4),
  exclusive: some(30, chance(70)),
  adopt: chance(40),
  adopted: chance(25).map(Number),
  deleteOnDestroy: some(25, fc.boolean()),
  until: some(40, fc.constantFrom(...ENDS)),
  name: some(80, fc.nat({ max: 1 })),
  features: some(50, fc.subarray(["scim", "universal_logout"] as const)),
  button: some(40, fc.constantFrom("none", "optional", "required")),
  assign: some(25, fc.constantFrom("none", "optional")),
  credential: fc.constantFrom(...CREDENTIALS),
  marks: fc.record(Object.fromEntries(MARKED.map((name) => [name, mark]))),
  options: fc.record({
    protect: chance(3),
    retainOnDelete: chance(7),
    deletedWith: some(7, fc.nat({ max: 5 })),
    replaceWith: some(6, fc.nat({ max: 5 })),
    replacementTrigger: some(8, fc.nat({ max: 1 })),
    dependsOn: some(15, fc.nat({ max: 5 })),
    ignoreChanges: some(5, fc.constantFrom("groupIds", "name", "enabledFeatures", "exclusive", "until", "*")),
    replaceOnChanges: some(8, fc.constantFrom("*", "groupIds", "name")),
    deleteBeforeReplace: some(15, fc.boolean()),
  }),
});

/** The program's resource in a slot: none, the same as before, or something else. */
const change: fc.Arbitrary<Draw | "same" | undefined> = fc.oneof(
  { weight: 4, arbitrary: fc.constant(undefined) },
  { weight: 4, arbitrary: fc.constant("same" as const) },
  { weight: 4, arbitrary: draw },
);
const edit = fc.record(Object.fromEntries(NAMES.map((name) => [name, change])));

/** Of a group that is in the organization. */
const edgeInOrganization: fc.Arbitrary<Edge> = fc.constantFrom(
  ...ORGANIZATIONS.flatMap(({ id, groups }) =>
    ROLES.flatMap((role) => groups.map((group): Edge => ({ role: `${id}/${role}`, group }))),
  ),
);

const outside: fc.Arbitrary<Outside> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .tuple(
        fc.constantFrom<TenantName[]>("main", "main", "main", "eu"),
        fc.constantFrom("POST", "DELETE"),
        fc.constantFrom(...ROLES),
        fc.subarray(GROUPS, { minLength: 1, maxLength: 2 }),
      )
      .map(([tenant, method, role, groups]): Outside => ({
        tenant,
        method: method,
        path: `/roles/${role}/groups`,
        body: { groups },
      })),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom("POST", "DELETE"), edgeInOrganization)
      .map(([method, { role: key, group }]): Outside => {
        const [organization = "", role = ""] = key.split("/");
        const path = `/organizations/${organization}/groups/${group}/roles`;
        return { tenant: "main", method, path, body: { roles: [role] } };
      }),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(
        fc.constantFrom(...PROFILES),
        fc.constantFrom(
          { name: "by-hand" },
          { enabled_features: ["universal_logout"] },
          { organization: { show_as_button: "required" } },
          undefined,
        ),
      )
      .map(([id, body]): Outside => ({
        tenant: "main",
        method: body === undefined ? "DELETE" : "PATCH",
        path: `/connection-profiles/${id}`,
        ...(body !== undefined && { body }),
      })),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(...CREDENTIALS)
      .map((id): Outside => ({ tenant: "main", method: "DELETE", path: `/device-credentials/${id}` })),
  },
);

const fault: fc.Arbitrary<Fault> = fc.record({
  method: fc.constantFrom("POST", "PATCH", "DELETE"),
  path: fc.constant("/api/v2/*"),
  after: fc.nat({ max: 2 }),
  times: fc.constantFrom(1, 1, 4),
  action: fc.oneof(
    { weight: 6, arbitrary: fc.constant({ status: 403 }) },
    { weight: 2, arbitrary: fc.constant({ drop: "after" as const }) },
    { weight: 1, arbitrary: fc.constant({ drop: "before" as const }) },
    { weight: 1, arbitrary: fc.constantFrom({ status: 500 }, { status: 500, processed: true }) },
  ),
});

const options = fc.record({
  target: few(8, NAMES),
  exclude: few(7, NAMES),
  replace: few(8, NAMES),
  parallel: fc.constantFrom(1, 8),
});

const act = fc.record({
  outside: fc.array(outside, { maxLength: 2 }),
  refresh: chance(30),
  taint: few(7, NAMES),
  edit,
  order: fc.shuffledSubarray(NAMES, { minLength: NAMES.length, maxLength: NAMES.length }),
  options,
  fault: some(35, fault),
  killAt: some(8, fc.nat({ max: 3 })),
});

const edges = fc
  .tuple(
    fc.array(fc.record({ role: fc.constantFrom(...ROLES), group: fc.constantFrom(...GROUPS) }), {
      maxLength: 4,
    }),
    fc.array(edgeInOrganization, { maxLength: 4 }),
  )
  .map((both) => both.flat());

/** Tenants' treatment of lists, of groups deleted by their directory, and of reads after writes. */
const tenantAsIs: fc.Arbitrary<BehaviourInput> = fc
  .record({
    lists: some(
      40,
      fc.constantFrom<BehaviourInput[]>(
        { max_page_size: 2 },
        { max_page_size: 1, cursor_lists: "numbers" },
        { empty_lists: "plain" },
        { numbered_lists: "cursor", max_page_size: 2 },
        { totals: "none", max_page_size: 2 },
      ),
    ),
    refused: some(12, fc.tuple(fc.constantFrom(...GROUPS), fc.constantFrom(400, 404, 403))),
    lag: some(20, fc.constantFrom(1, 2, 1000)),
  })
  .map(({ lists, refused, lag }) => ({
    ...lists,
    ...(refused !== undefined && { refused_groups: { [refused[0]]: refused[1] } }),
    ...(lag !== undefined && { read_lag: lag }),
  }));

const ofRoles = <T>(
  percent: number,
  arbitrary: fc.Arbitrary<T>,
  roles: readonly string[],
): fc.Arbitrary<Record<string, T>> =>
  fc
    .tuple(...roles.map(() => some(percent, arbitrary)))
    .map((drawn) =>
      Object.fromEntries(
        roles.flatMap((role, place) => (drawn[place] === undefined ? [] : [[role, drawn[place]]])),
      ),
    );

/** `percent`: how many roles have a line. */
const placeRules = (roles: readonly string[], percent: number) => ({
  allow: ofRoles<string[] | "*">(percent, fc.oneof(fc.subarray(GROUPS), fc.constant("*" as const)), roles),
  end: ofRoles(percent, fc.constantFrom(1, 30), roles),
  direct: fc
    .tuple(
      ofRoles<"allow" | "forbid">(percent, fc.constantFrom("allow", "forbid"), roles),
      some(percent, fc.constantFrom("allow", "forbid")),
    )
    .map(([own, byDefault]) => (byDefault === undefined ? own : { ...own, default: byDefault })),
});

/** Drawn with `allow`: a draw of its own would make all worlds of the fixed seeds others. */
function withRequired<Rules extends Pick<PlaceRules, "allow">>(rules: Rules) {
  const required = Object.entries(rules.allow).filter(([, groups]) => groups !== "*" && groups.length > 1);
  return { ...rules, require: Object.fromEntries(required) };
}

/** A conflict in one organization names no other: nobody could break it. */
const conflict: fc.Arbitrary<RulesText["conflicts"][number]> = fc
  .record({
    roles: fc.shuffledSubarray(ROLES, { minLength: 2 }),
    anyContext: chance(40),
    places: fc.array(some(25, fc.nat({ max: ORGANIZATIONS.length - 1 })), { minLength: 3, maxLength: 3 }),
  })
  .map(({ roles, anyContext, places }) => {
    const [only] = places.filter((place) => place !== undefined);
    return {
      roles: roles.map((role, n) => {
        const place = places[n] === undefined || anyContext ? places[n] : only;
        return place === undefined ? role : { role, organization: ORGANIZATIONS[place]?.id ?? "" };
      }),
      anyContext,
    };
  });

const organizationRules = fc
  .tuple(
    ...ORGANIZATIONS.map(({ id }, n) =>
      some(
        30,
        fc.record({
          ...placeRules(n === 0 ? [...ROLES, OWN_ROLE] : ROLES, 15),
          default: some(25, fc.constantFrom("free" as const, "closed" as const)),
        }),
      ).map((drawn) => {
        if (drawn === undefined) return {};
        const { default: byDefault, ...rules } = drawn;
        return { [id]: { ...withRequired(rules), ...(byDefault !== undefined && { default: byDefault }) } };
      }),
    ),
  )
  .map((all): RulesText["organizations"] => Object.assign({}, ...all) as RulesText["organizations"]);

const rulesText: fc.Arbitrary<string> = fc
  .record<RulesText>({
    ...placeRules(ROLES, 27),
    conflicts: fc.array(conflict, { maxLength: 2 }),
    default: fc.constantFrom("free", "free", "free", "closed"),
    organizations: organizationRules,
  })
  .map((rules) => JSON.stringify(withRequired(rules), null, 1));

const auth0Values = (type: Auth0Type): fc.Arbitrary<Auth0Values> => {
  if (type === "User") return fc.constantFrom(...PEOPLE).map(({ user_id: of }) => ({ of }));
  if (type === "Role") return fc.constantFrom(...ROLES, OWN_ROLE).map((of) => ({ of }));
  if (type === "Organization") return fc.constantFrom(...ORGANIZATIONS).map(({ id: of }) => ({ of }));
  const isIn = type.startsWith("Organization");
  return fc
    .record({
      of: fc.constantFrom(...PEOPLE).map(({ user_id: user }) => user),
      organization: fc.constantFrom(...ORGANIZATIONS).map(({ id }) => id),
      roles: fc.subarray(ROLES, { minLength: 1, maxLength: type.endsWith("s") ? 3 : 1 }),
      later: chance(6),
    })
    .map(({ organization, ...values }) => ({ ...values, ...(isIn && { organization }) }));
};

const auth0Resource: fc.Arbitrary<Omit<Auth0Resource, "name">> = fc
  .constantFrom<Auth0Type[]>(
    ...(["UserRole", "UserRoles", "OrganizationMemberRole", "OrganizationMemberRoles"] as const),
    ...(["UserRole", "UserRoles", "OrganizationMemberRole", "OrganizationMemberRoles"] as const),
    ...(["User", "Role", "Organization"] as const),
  )
  .chain((type): fc.Arbitrary<Omit<Auth0Resource, "name">> => {
    const values = auth0Values(type);
    if (["User", "Role", "Organization"].includes(type)) return values.map((before) => ({ type, before }));
    return fc
      .record({
        before: some(65, values),
        after: values,
        isDeleted: chance(35),
        isSameUser: chance(70),
        isSame: chance(20),
      })
      .map(({ before: had, after, isDeleted, isSameUser, isSame }) => {
        if (had === undefined) return { type, after };
        // What state has is known.
        const before = { ...had, later: false };
        if (isSame) return { type, before, after: before };
        if (isDeleted) return { type, before };
        const { of, organization } = before;
        return { type, before, after: isSameUser ? { ...after, of, organization } : after };
      });
  });

const auth0 = fc
  .array(auth0Resource, { minLength: 1, maxLength: 4 })
  .map((all) => all.map((one, n): Auth0Resource => ({ name: `auth0-${n}`, ...one })));

/** What a policy pack changes after the check. */
const remediation: fc.Arbitrary<Values> = fc.oneof(
  fc.record({ groupIds: fc.subarray(GROUPS, { minLength: 1, maxLength: 3 }) }),
  fc.record({ deleteOnDestroy: fc.boolean() }),
  fc.record({ exclusive: fc.boolean() }),
  fc.record({ enabledFeatures: fc.subarray(["scim", "universal_logout"]) }),
  fc.record({ name: fc.constant("remediated") }),
);

export const worlds: fc.Arbitrary<World> = fc.noBias(
  fc
    .record({
      behaviour: fc.record({
        assign_assigned_group: fc.constantFrom("ok", "ok", "error"),
        remove_absent_group: fc.constantFrom("ok", "ok", "error"),
        profile_name_conflict: fc.constantFrom("allow", "allow", "conflict"),
        max_groups_per_call: fc.constantFrom(null, 50),
      }),
      eu: fc.constantFrom<TenantName[]>("main", "eu"),
      /** Resources under the explicit provider. */
      under: few(25, NAMES),
      foreign: fc.record({ main: edges, eu: edges }),
      acts: fc.array(act, { minLength: 1, maxLength: 4 }),
      last: act,
      read: chance(30),
      // Last, so that existing seeds keep their worlds.
      tenant: tenantAsIs,
      listings: chance(85),
      rules: some(40, rulesText),
      packs: fc.record(Object.fromEntries(NAMES.map((name) => [name, some(4, remediation)]))),
      indices: few(10, NAMES),
      auth0: some(45, auth0),
    })
    .map(({ behaviour, eu, under, foreign, acts, last, read, tenant, listings, rules, ...more }): World => {
      const drawn = [...acts.slice(0, -1), last];
      const slots: Record<string, Draw> = {};
      const held: Record<string, string> = {};
      const told = drawn.map((one) => {
        for (const [name, changed] of Object.entries(one.edit)) {
          if (changed === undefined) delete slots[name];
          else if (changed !== "same") slots[name] = changed;
        }
        const program = programOf({ ...slots }, one.order, listings ? under : [], eu, held);
        for (const [slot, remediate] of Object.entries(more.packs)) addRemediation(program, slot, remediate);
        for (const slot of listings ? more.indices : []) addIndex(program, slot);
        return toldOf(one, program);
      });
      const { fault: _fault, killAt: _killAt, ...judged } = told.at(-1) as Act;
      return {
        behaviour: { ...behaviour, ...tenant },
        eu,
        listings,
        foreign,
        earlier: told.slice(0, -1),
        judged: { ...judged, read, rules, auth0: more.auth0 ?? [] },
      };
    }),
);

function toldOf(
  {
    outside,
    refresh,
    taint,
    options,
    fault,
    killAt,
  }: Omit<Act, "program" | "options"> & { options: Required<Options> },
  program: Program,
): Act {
  const keys = (slots: readonly string[]) =>
    slots.flatMap((slot) => [keyOf(slot, false), keyOf(slot, true)]).filter((key) => key in program);
  const isPartial = (list: string[]) => list.length > 0 && list.length < Object.keys(program).length;
  const [target, exclude, replace] = [keys(options.target), keys(options.exclude), keys(options.replace)];
  return {
    outside,
    refresh,
    taint: taint.flatMap((slot) => [keyOf(slot, false), keyOf(slot, true)]),
    program,
    options: {
      parallel: options.parallel,
      ...(isPartial(target) && { target }),
      ...(isPartial(exclude) && !isPartial(target) && { exclude }),
      ...(replace.length > 0 && { replace }),
    },
    fault,
    killAt: fault === undefined ? killAt : undefined,
  };
}

function addRemediation(program: Program, slot: string, remediate: Values | undefined): void {
  for (const key of [keyOf(slot, false), keyOf(slot, true)]) {
    const resource = program[key];
    if (resource?.get !== undefined || remediate === undefined) continue;
    const [input = ""] = Object.keys(remediate);
    if (INPUTS[resource?.kind ?? ""]?.includes(input)) Object.assign(program[key] as Resource, { remediate });
  }
}

/** Inputs that a remediation changes. */
const INPUTS: Partial<Record<string, readonly string[]>> = {
  RoleGroupAssignment: ["groupIds", "deleteOnDestroy", "exclusive"],
  OrganizationRoleGroupAssignment: ["groupIds", "deleteOnDestroy", "exclusive"],
  ConnectionProfile: ["enabledFeatures", "deleteOnDestroy", "name"],
};

/** The class refuses an index in the program itself, so a transform sets it. */
function addIndex(program: Program, slot: string): void {
  for (const key of [keyOf(slot, false), keyOf(slot, true)]) {
    const resource = program[key];
    const set = resource?.get === undefined ? SETS[resource?.kind ?? ""] : undefined;
    if (set !== undefined) Object.assign(program[key] as Resource, { ignoredByTransform: [`${set}[0]`] });
  }
}

const SETS: Partial<Record<string, string>> = {
  RoleGroupAssignment: "groupIds",
  OrganizationRoleGroupAssignment: "groupIds",
  ConnectionProfile: "enabledFeatures",
};

function keyOf(slot: string, generation: boolean): string {
  const { name, parent } = SLOTS[slot] as Slot;
  const own = generation ? `${name}-2` : name;
  return parent === undefined ? own : `${parent}/${own}`;
}

/** A program that the package itself wouldn't refuse: no two resources own the same thing. */
function programOf(
  slots: Record<string, Draw>,
  order: readonly string[],
  under: readonly string[],
  eu: TenantName,
  held: Record<string, string>,
): Program {
  const program: Program = {};
  for (const slot of Object.keys(held)) if (slots[slot] === undefined) delete held[slot];
  const claims = new Map<string, { groups: Set<string>; exclusive: boolean }>();
  for (const slot of order) {
    const drawn = slots[slot];
    if (drawn === undefined) continue;
    const provider = under.includes(slot) ? EU : undefined;
    const tenant = provider === undefined ? "main" : eu;
    const before = Object.keys(program);
    const options = optionsOf(slot, drawn, provider, program, before);
    const made = resourceOf(slot, drawn, options, tenant, claims, held);
    if (made !== undefined) program[keyOf(slot, drawn.generation)] = made;
  }
  return program;
}

function optionsOf(
  slot: string,
  { generation, aliased, options, get }: Draw,
  provider: string | undefined,
  program: Program,
  before: readonly string[],
): Partial<Resource> {
  const { name, parent } = SLOTS[slot] as Slot;
  const managed = before.filter((key) => program[key]?.get === undefined);
  const other = (list: readonly string[], place: number | undefined) =>
    place === undefined || list.length === 0 ? undefined : (list[place % list.length] as string);
  const deletedWith = other(managed, options.deletedWith);
  const replaceWith = other(managed, options.replaceWith);
  const dependsOn = other(before, options.dependsOn);
  const common = {
    ...(parent !== undefined && { parent }),
    ...((parent !== undefined || generation) && { name: generation ? `${name}-2` : name }),
    ...(provider !== undefined && { provider }),
    ...(dependsOn !== undefined && { dependsOn: [dependsOn] }),
  };
  if (get) return common;
  return {
    ...common,
    ...(options.protect && { protect: true }),
    ...(options.retainOnDelete && { retainOnDelete: true }),
    ...(deletedWith !== undefined && { deletedWith }),
    ...(replaceWith !== undefined && { replaceWith: [replaceWith] }),
    ...(options.replacementTrigger !== undefined && { replacementTrigger: `${options.replacementTrigger}` }),
    ...(options.ignoreChanges !== undefined && { ignoreChanges: [options.ignoreChanges] }),
    // The package takes a replacement by options for an update, and learns only with its create that the end
    // counts.
    ...(options.replaceOnChanges !== undefined &&
      options.ignoreChanges !== "until" && { replaceOnChanges: [options.replaceOnChanges] }),
    ...(options.deleteBeforeReplace !== undefined && { deleteBeforeReplace: options.deleteBeforeReplace }),
    ...(aliased && { aliases: [keyOf(slot, !generation)] }),
  };
}

function resourceOf(
  slot: string,
  drawn: Draw,
  options: Partial<Resource>,
  tenant: TenantName,
  claims: Map<string, { groups: Set<string>; exclusive: boolean }>,
  held: Record<string, string>,
): Resource | undefined {
  const { kind } = SLOTS[slot] as Slot;
  const { get, marks } = drawn;
  const given = (name: string, value: unknown) => marked(marks[name], value);
  if (kind === "DeviceCredentialRemoval")
    return get
      ? removal("", { ...options, inputs: {}, get: drawn.credential })
      : { kind, inputs: { deviceCredentialId: given("credential", drawn.credential) }, ...options };
  if (kind === "ConnectionProfile") {
    const number = slot === "p" ? drawn.adopted : 1 - drawn.adopted;
    const id = PROFILES[number] as string;
    if (get) return profile({}, { ...options, get: id });
    // Adopting a profile of another resource in the program is refused.
    const adopts = drawn.adopt && held[slot === "p" ? "q" : "p"] !== id;
    if (adopts) held[slot] = id;
    const { features, button, assign, deleteOnDestroy, name = adopts ? undefined : 0 } = drawn;
    const organization = {
      ...(button !== undefined && { showAsButton: button }),
      ...(assign !== undefined && { assignMembershipOnLogin: assign }),
    };
    return profile(
      {
        ...(name !== undefined && { name: given("name", `${slot}-${name}`) }),
        ...(adopts && { adopt: given("adopt", id) }),
        ...(features !== undefined && { enabledFeatures: given("features", features) }),
        ...(Object.keys(organization).length > 0 && { organization: given("organization", organization) }),
        ...(deleteOnDestroy !== undefined && { deleteOnDestroy: given("deleteOnDestroy", deleteOnDestroy) }),
      },
      options,
    );
  }
  const organization =
    kind === "OrganizationRoleGroupAssignment"
      ? ORGANIZATIONS[drawn.own ? 0 : drawn.organization]
      : undefined;
  const role = organization !== undefined && drawn.own ? OWN_ROLE : drawn.role;
  const id = organization === undefined ? role : `${organization.id}/${role}`;
  if (get) return { kind, inputs: {}, ...options, get: id };
  const key = `${tenant} ${id}`;
  const claim = claims.get(key);
  if (claim?.exclusive) return undefined;
  const groups = wantedBy(drawn, organization).filter((group) => !claim?.groups.has(group));
  if (groups.length === 0) return undefined;
  const exclusive = claim === undefined ? drawn.exclusive : drawn.exclusive === undefined ? undefined : false;
  claims.set(key, {
    groups: new Set([...(claim?.groups ?? []), ...groups]),
    exclusive: exclusive === true,
  });
  const [first, ...rest] = groups;
  const make = organization === undefined ? assignment : organizationAssignment;
  return make(
    {
      ...(organization !== undefined && { organizationId: given("organizationId", organization.id) }),
      roleId: given("roleId", role),
      groupIds: given("groupIds", [given("item", first), ...rest]),
      ...(exclusive !== undefined && { exclusive: given("exclusive", exclusive) }),
      ...(drawn.deleteOnDestroy !== undefined && {
        deleteOnDestroy: given("deleteOnDestroy", drawn.deleteOnDestroy),
      }),
      ...(drawn.until !== undefined && { until: drawn.until }),
    },
    options,
  );
}

/** Returns the groups that a draw lists; in an organization mostly its own: others are refused. */
function wantedBy({ groups, crowd, stray }: Draw, organization: { groups: string[] } | undefined): string[] {
  if (organization === undefined) return crowd ? [...groups, ...CROWD] : groups;
  return stray ? groups : groups.filter((group) => organization.groups.includes(group));
}

function marked(mark: Mark | undefined, value: unknown): unknown {
  if (mark === "secret") return secret(value);
  if (mark === "later") return later(value);
  return mark === "secret later" ? secret(later(value)) : value;
}
