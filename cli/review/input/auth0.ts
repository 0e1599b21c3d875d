import { tenantOf } from "../../../provider/pulumi/settings";
import { isDefaultName, urnName } from "../../../provider/pulumi/urn";
import { type Hidden, hiddenIn, type MadeObject, type Side, type Step } from "../../../provider/review/step";
import { isObject } from "../../../provider/service/record";
import { say, type Sentence } from "../../../provider/sentence";
import { changeBy, isKnownOperation } from "./operations";
import { type TenantOf, urnOf } from "./providers";
import { type RawPreview, type RawState, type RawStep, type Values } from "./raw-preview";

/*
 * Steps of `@pulumi/auth0` that change who may do what. Types and names are those of its schema, 3.55.1.
 * Nothing else of it is read.
 */

/** The parts of a grant, by the names of inputs. The plural resources have a list for one or two of them. */
const PARTS = {
  organizationId: "organization",
  userId: "user",
  roleId: "role",
  resourceServerIdentifier: "api",
  permission: "permission",
  scope: "permission",
} as const;
type Input = keyof typeof PARTS;
type PartName = (typeof PARTS)[Input];

type Reading =
  | {
      /** The kind of each of its items. */
      gives: "role" | "permission" | "membership" | "scope";
      inputs: readonly Input[];
      /** The inputs that each item of this list has in place of the resource; by their names in the item. */
      list?: { name: string; of: Readonly<Partial<Record<Input, string>>> | Input };
    }
  /** Ends with its resource, and so do all grants to it or of it. */
  | { is: "user" | "role" | "organization" | "api"; by: "id" | "identifier" }
  | { says: Sentence };

const IN_ORGANIZATION = ["organizationId", "userId", "roleId"] as const;
const OF_ROLE = ["roleId", "resourceServerIdentifier", "permission"] as const;
const OF_USER = ["userId", "resourceServerIdentifier", "permission"] as const;
const PERMISSIONS = {
  name: "permissions",
  of: { permission: "name", resourceServerIdentifier: "resourceServerIdentifier" },
} as const;
const SIGN_IN = say`changes which connections an organization has: who becomes a member of it by signing in isn't known before`;
const DIRECTORY = say`changes which groups are synchronized from a directory: who gains or loses their roles isn't known before`;

const TYPES: Readonly<Record<string, Reading>> = {
  "userRole:UserRole": { gives: "role", inputs: ["userId", "roleId"] },
  "userRoles:UserRoles": {
    gives: "role",
    inputs: ["userId", "roleId"],
    list: { name: "roles", of: "roleId" },
  },
  "organizationMemberRole:OrganizationMemberRole": { gives: "role", inputs: IN_ORGANIZATION },
  "organizationMemberRoles:OrganizationMemberRoles": {
    gives: "role",
    inputs: IN_ORGANIZATION,
    list: { name: "roles", of: "roleId" },
  },
  "rolePermission:RolePermission": { gives: "permission", inputs: OF_ROLE },
  "rolePermissions:RolePermissions": { gives: "permission", inputs: OF_ROLE, list: PERMISSIONS },
  "userPermission:UserPermission": { gives: "permission", inputs: OF_USER },
  "userPermissions:UserPermissions": { gives: "permission", inputs: OF_USER, list: PERMISSIONS },
  "organizationMember:OrganizationMember": { gives: "membership", inputs: ["organizationId", "userId"] },
  "organizationMembers:OrganizationMembers": {
    gives: "membership",
    inputs: ["organizationId", "userId"],
    list: { name: "members", of: "userId" },
  },
  "resourceServerScope:ResourceServerScope": {
    gives: "scope",
    inputs: ["resourceServerIdentifier", "scope"],
  },
  "resourceServerScopes:ResourceServerScopes": {
    gives: "scope",
    inputs: ["resourceServerIdentifier", "scope"],
    list: { name: "scopes", of: { scope: "name" } },
  },
  "user:User": { is: "user", by: "id" },
  "role:Role": { is: "role", by: "id" },
  "organization:Organization": { is: "organization", by: "id" },
  "resourceServer:ResourceServer": { is: "api", by: "identifier" },
  "organizationConnection:OrganizationConnection": { says: SIGN_IN },
  "organizationConnections:OrganizationConnections": { says: SIGN_IN },
  "connectionDirectory:ConnectionDirectory": { says: DIRECTORY },
  "connectionDirectorySynchronizedGroups:ConnectionDirectorySynchronizedGroups": { says: DIRECTORY },
};

/** A part of an item: an id, an object that the same run creates, or why it doesn't show. */
export type ItemPart = { id: string } | { made: MadeObject } | { hidden: Hidden };

/** One thing that a resource gives, or the object that ends with it. */
export interface Item extends Readonly<Partial<Record<PartName, ItemPart>>> {
  kind: "role" | "permission" | "membership" | "scope" | "object";
  tenant: string | undefined;
}

/** A step, with what its resource gives before and after it. */
export interface Auth0Step {
  step: Step;
  before: readonly Item[];
  after: readonly Item[];
  /** Names of the inputs that decide what it gives. */
  inputs: readonly string[];
  /** For resources of which only this is known. */
  says: Sentence | undefined;
}

const PACKAGE = "auth0:index/";

function typeOf({ newState, oldState }: RawStep): string {
  return (newState ?? oldState)?.type ?? "";
}

function readingOf(step: RawStep): Reading | undefined {
  return typeOf(step).startsWith(PACKAGE) ? readingOfType(kindOfAuth0(step)) : undefined;
}

function readingOfType(type: string): Reading | undefined {
  return Object.hasOwn(TYPES, type) ? TYPES[type] : undefined;
}

/** True if the review reads a step, so that it isn't one of other packages. */
export function isReadOfAuth0(step: RawStep): boolean {
  const reading = readingOf(step);
  if (reading === undefined || !isKnownOperation(step.op)) return false;
  // That an object is new or has another name gives nobody anything.
  return !("is" in reading) || changeBy(step.op) !== "own" || ["delete", "replace"].includes(step.op);
}

/** The kind of its steps: the type without the package. */
export function kindOfAuth0(step: RawStep): string {
  return typeOf(step).slice(PACKAGE.length);
}

export function auth0Step(step: Step): Auth0Step {
  const reading = readingOfType(step.kind);
  const { before, after, op } = step;
  const had = before === undefined || reading === undefined ? [] : itemsIn(reading, before, true);
  const wanted = after === undefined || reading === undefined ? [] : itemsIn(reading, after, false);
  return {
    step,
    before: had,
    // State still holds for resources outside of the targets, and for unchanged ones.
    after: op === "same" ? had : wanted,
    inputs: reading !== undefined && "gives" in reading ? [...reading.inputs, reading.list?.name ?? ""] : [],
    says: reading !== undefined && "says" in reading ? reading.says : undefined,
  };
}

/** `isState`: the outputs count, which have what a create has found, too. */
function itemsIn(
  reading: Reading,
  { id, tenant, inputs, outputs, made = {} }: Side,
  isState: boolean,
): Item[] {
  if ("says" in reading) return [];
  const valueOf = (name: string) => (isState && name in outputs ? outputs[name] : inputs[name]);
  if ("is" in reading) {
    const own = reading.by === "id" ? id : valueOf(reading.by);
    return own === undefined ? [] : [{ kind: "object", tenant, [reading.is]: partOf(own) }];
  }
  const { gives, inputs: names, list } = reading;
  const rows = list === undefined ? [{}] : rowsIn(valueOf(list.name), list.of);
  const items = rows.map((row): [name: Input, source: string, part: ItemPart][] =>
    names.map((name) =>
      name in row ? [name, list?.name ?? "", partOf(row[name])] : [name, name, partOf(valueOf(name))],
    ),
  );
  const follow = followed(items.flat(), made);
  return items.map((parts) => ({
    kind: gives,
    tenant,
    ...Object.fromEntries(parts.map(([name, source, part]) => [PARTS[name], follow(name, source, part)])),
  }));
}

type Row = Partial<Record<Input, unknown>>;

/** Returns the inputs that each item of a list has. A list that doesn't show is one item that doesn't. */
function rowsIn(value: unknown, of: Readonly<Partial<Record<Input, string>>> | Input): Row[] {
  const names: Readonly<Partial<Record<Input, string>>> = typeof of === "string" ? { [of]: "" } : of;
  if (value === undefined || value === null) return [];
  const items: unknown[] = Array.isArray(value) ? value : [value];
  return items.map((item) =>
    Object.fromEntries(
      Object.entries(names).map(([name, member]) => [
        name,
        member !== "" && isObject(item) ? item[member] : item,
      ]),
    ),
  );
}

function partOf(value: unknown): ItemPart {
  const hidden = hiddenIn(value);
  if (hidden === undefined && typeof value === "string") return { id: value };
  return { hidden: hidden ?? "unknown" };
}

/** Returns the object that the run makes in place of an unknown value, if nothing else can be meant. */
function followed(
  parts: readonly [name: Input, source: string, part: ItemPart][],
  made: NonNullable<Side["made"]>,
): (name: Input, source: string, part: ItemPart) => ItemPart {
  const left = new Map<string, MadeObject[]>();
  const isOpen = (part: ItemPart) => "hidden" in part && part.hidden === "unknown";
  for (const [name, source, part] of parts) {
    if (!isOpen(part) || left.has(source)) continue;
    const candidates = (Object.hasOwn(made, source) ? made[source] : undefined) ?? [];
    const fitting = candidates.filter(({ what }) => what === PARTS[name]);
    const open = parts.filter(([, of, other]) => of === source && isOpen(other)).length;
    // A single input stands in each item, and means the same object in all of them.
    const isOfList = source !== name;
    const isClear = isOfList ? fitting.length === open : fitting.length === 1;
    left.set(source, isClear && fitting.length === candidates.length ? [...fitting] : []);
  }
  return (name, source, part) => {
    if (!isOpen(part)) return part;
    const [first] = left.get(source) ?? [];
    if (source !== name) left.get(source)?.shift();
    return first === undefined ? part : { made: first };
  };
}

const MADE_TYPES: Readonly<Record<string, { what: MadeObject["what"]; title: readonly string[] }>> = {
  "auth0:index/role:Role": { what: "role", title: ["name"] },
  "auth0:index/user:User": { what: "user", title: ["email", "username", "name"] },
  "auth0:index/organization:Organization": { what: "organization", title: ["name"] },
};

/** Returns the objects that a run creates, by the inputs for which it does so. */
export function madeObjectsIn(steps: readonly RawStep[]): (state: RawState) => NonNullable<Side["made"]> {
  const made = new Map<string, MadeObject | undefined>(
    steps.flatMap(({ op, urn, newState }) => {
      const isMade = ["create", "replace", "create-replacement"].includes(op);
      return isMade && newState !== undefined ? [[urn, madeBy(urn, newState)] as const] : [];
    }),
  );
  return ({ propertyDependencies }) =>
    Object.fromEntries(
      Object.entries(propertyDependencies).flatMap(([name, urns]) => {
        const all: unknown[] = Array.isArray(urns) ? urns : [];
        const objects = all.flatMap((urn) =>
          typeof urn === "string" && made.has(urn) ? [made.get(urn)] : [],
        );
        // Something else that is made may be what the value is of.
        const isClear = objects.length > 0 && !objects.includes(undefined);
        return isClear ? [[name, objects as MadeObject[]]] : [];
      }),
    );
}

function madeBy(urn: string, { type, inputs }: RawState): MadeObject | undefined {
  const known = type !== undefined && Object.hasOwn(MADE_TYPES, type) ? MADE_TYPES[type] : undefined;
  if (known === undefined) return undefined;
  const { what, title } = known;
  const texts = [...title.map((name) => inputs[name]), urnName(urn)];
  const shown = texts.find((text) => typeof text === "string" && hiddenIn(text) === undefined);
  return { what, title: shown as string };
}

const PROVIDER = /(?:::|\$)pulumi:providers:auth0::/;

/** Returns the tenants of its providers. `assumed`: of those that the preview says nothing of. */
export function tenantsOfAuth0({ steps, config }: RawPreview, assumed: string | undefined): TenantOf {
  const hostOf = (inputs: Values) => {
    const domain = inputs["domain"];
    return typeof domain === "string" && hiddenIn(domain) === undefined ? tenantOf({ domain }) : undefined;
  };
  const byProvider = new Map(
    steps
      .filter(({ urn }) => PROVIDER.test(urn))
      .map(({ urn, newState, oldState }) => [urn, hostOf((newState ?? oldState)?.inputs ?? {})]),
  );
  const configured = hostOf({ domain: config["auth0:domain"] });
  return (provider) => {
    if (provider === undefined) return assumed;
    const urn = urnOf(provider);
    return byProvider.get(urn) ?? (isDefaultName(urnName(urn)) ? configured : undefined) ?? assumed;
  };
}
