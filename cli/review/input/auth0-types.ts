import { type MadeObject, type Side } from "../kinds/step";
import { isKnown, seenText, UNKNOWN } from "../../../provider/seen";
import { isObject } from "../../../provider/service/record";
import { say, type Sentence } from "../../../provider/sentence";
import { optional } from "../../lists";
import { Item, type ItemName, type ItemPart, type PartName } from "./auth0-item";
import { type Values } from "./raw-preview";

/*
 * The resources of `@pulumi/auth0` that change who may do what. Types and names are those of its schema,
 * 3.55.1. Nothing else of it is read.
 */

/** The parts of a grant, by the names of inputs. */
const PARTS = {
  organizationId: "organization",
  userId: "user",
  roleId: "role",
  resourceServerIdentifier: "api",
  permission: "permission",
  scope: "permission",
} as const satisfies Record<string, PartName>;
type Input = keyof typeof PARTS;

/** How the review reads the resources of one type. */
export interface Reading {
  /** Returns what a resource gives. `values`: its inputs, or in state its outputs. */
  itemsOf: (side: Side, values: Values) => Item[];
  /** True if one of its inputs decides what it gives. */
  decides: (input: string) => boolean;
  /** True if it gives nothing by itself, but all grants to it and of it end with it. */
  isObject: boolean;
  /** For resources of which only this is known. */
  says?: Sentence;
}

/** The items of a list, each with inputs of its own; by their names in the item, or the item itself. */
interface ListInput {
  name: string;
  of: readonly (readonly [input: Input, member?: string])[];
}

function gives(what: ItemName, inputs: readonly Input[], list?: ListInput): Reading {
  const names: readonly string[] = [...inputs, ...optional(list).map(({ name }) => name)];
  return {
    isObject: false,
    decides: (input) => names.includes(input),
    itemsOf: ({ tenant, made = {} }, values) => {
      const alone = Object.fromEntries(
        inputs.map((name) => [PARTS[name], partsOf([values[name]], PARTS[name], made[name])[0]]),
      );
      const all = list === undefined ? [{}] : partsInList(list, values[list.name], made[list.name]);
      return all.map((own) => new Item(what, tenant, { ...alone, ...own }));
    },
  };
}

function isOf(name: PartName, by: "id" | "identifier"): Reading {
  return {
    isObject: true,
    decides: () => false,
    itemsOf: ({ tenant, id }, values) => {
      const own: Values = { ...values, id };
      return optional(own[by]).map((value) => new Item("object", tenant, { [name]: partOf(value) }));
    },
  };
}

function only(says: Sentence): Reading {
  return { says, isObject: false, decides: () => true, itemsOf: () => [] };
}

/** A list that doesn't show is one item that doesn't. */
function partsInList({ of }: ListInput, value: unknown, made: readonly MadeObject[] | undefined) {
  const items: unknown[] = optional(value).flat();
  const columns = of.map(([input, member]) => {
    const values = items.map((item) => (member !== undefined && isObject(item) ? item[member] : item));
    return [PARTS[input], partsOf(values, PARTS[input], made)] as const;
  });
  return items.map((_, index) => Object.fromEntries(columns.map(([name, parts]) => [name, parts[index]])));
}

/**
 * Returns an input's values, with the objects that the run makes for it in place of unknown ones, if nothing
 * else can be meant.
 */
function partsOf(values: readonly unknown[], name: PartName, made: readonly MadeObject[] = []): ItemPart[] {
  const parts = values.map(partOf);
  const open = parts.filter(({ hidden }) => hidden === UNKNOWN);
  if (open.length !== made.length || made.some(({ what }) => what !== name)) return parts;
  const objects = new Map(open.map((part, index) => [part, { made: made[index] as MadeObject }]));
  return parts.map((part) => objects.get(part) ?? part);
}

function partOf(value: unknown): ItemPart {
  const id = seenText(value) ?? UNKNOWN;
  return isKnown(id) ? { id } : { hidden: id };
}

const PERMISSIONS: ListInput = {
  name: "permissions",
  of: [
    ["permission", "name"],
    ["resourceServerIdentifier", "resourceServerIdentifier"],
  ],
};
const ROLES: ListInput = { name: "roles", of: [["roleId"]] };
const SIGN_IN = only(
  say`changes which connections an organization has: who becomes a member of it by signing in isn't known before`,
);
const DIRECTORY = only(
  say`changes which groups are synchronized from a directory: who gains or loses their roles isn't known before`,
);

const READINGS: Readonly<Record<string, Reading>> = {
  "userRole:UserRole": gives("role", ["userId", "roleId"]),
  "userRoles:UserRoles": gives("role", ["userId"], ROLES),
  "organizationMemberRole:OrganizationMemberRole": gives("role", ["organizationId", "userId", "roleId"]),
  "organizationMemberRoles:OrganizationMemberRoles": gives("role", ["organizationId", "userId"], ROLES),
  "rolePermission:RolePermission": gives("permission", ["roleId", "resourceServerIdentifier", "permission"]),
  "rolePermissions:RolePermissions": gives("permission", ["roleId"], PERMISSIONS),
  "userPermission:UserPermission": gives("permission", ["userId", "resourceServerIdentifier", "permission"]),
  "userPermissions:UserPermissions": gives("permission", ["userId"], PERMISSIONS),
  "organizationMember:OrganizationMember": gives("membership", ["organizationId", "userId"]),
  "organizationMembers:OrganizationMembers": gives("membership", ["organizationId"], {
    name: "members",
    of: [["userId"]],
  }),
  "resourceServerScope:ResourceServerScope": gives("scope", ["resourceServerIdentifier", "scope"]),
  "resourceServerScopes:ResourceServerScopes": gives("scope", ["resourceServerIdentifier"], {
    name: "scopes",
    of: [["scope", "name"]],
  }),
  "user:User": isOf("user", "id"),
  "role:Role": isOf("role", "id"),
  "organization:Organization": isOf("organization", "id"),
  "resourceServer:ResourceServer": isOf("api", "identifier"),
  "organizationConnection:OrganizationConnection": SIGN_IN,
  "organizationConnections:OrganizationConnections": SIGN_IN,
  "connectionDirectory:ConnectionDirectory": DIRECTORY,
  "connectionDirectorySynchronizedGroups:ConnectionDirectorySynchronizedGroups": DIRECTORY,
};

const BY_TYPE: ReadonlyMap<string, Reading> = new Map(
  Object.entries(READINGS).map(([type, reading]) => [`auth0:index/${type}`, reading]),
);

/** Undefined if resources of this type change nobody's access, or aren't of `@pulumi/auth0`. */
export function readingOf(type: string): Reading | undefined {
  return BY_TYPE.get(type);
}
