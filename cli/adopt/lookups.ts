import { type Border } from "../../provider/border";
import { organizationsOf, roleOfKey } from "../../provider/access/edge";
import { concernsOneQuestion, shortReason } from "../../provider/http/errors";
import { isReservedText } from "../../provider/review/raw-inputs";
import { count } from "../../provider/sentence";
import { type GroupRecord } from "../../provider/service/groups";
import { type Named } from "../../provider/service/record";
import { isOfOrganization, type RoleGroupRecord, type RoleRecord } from "../../provider/service/roles";
import { type StackTenant } from "../stack-client";
import { type TenantReader, valueOf } from "../tenant/reader";
import { isPlain } from "./text";

/** How a program finds its roles and groups. Names and reasons by id. */
export interface Lookups {
  /** By the role's key: in an organization, a name may stand for another role. */
  roles: Found;
  organizations: Found;
  groups: Found;
  /** Names of roles in the tenant's list, and of organizations. */
  roleNames: ReadonlyMap<string, string>;
  /** Reasons why none are looked up by name, as sentences. */
  unread: string[];
}

interface Found {
  /** Names that belong to only one object. */
  names: ReadonlyMap<string, string>;
  /** Reasons why an object with a name goes by its id. */
  reasons: ReadonlyMap<string, string>;
}

const NOTHING: Found = { names: new Map(), reasons: new Map() };

export const NO_LOOKUPS: Lookups = {
  roles: NOTHING,
  organizations: NOTHING,
  groups: NOTHING,
  roleNames: new Map(),
  unread: [],
};

/** Each costs a request in every preview of the program. */
const MOST_GROUPS = 50;

/** Up to this many names, asking for each is no more expensive than listing all groups. */
const FEW_NAMES = 10;

const LONGEST_NAME = 100;

/** `groupsOf`: by role, those that may go into the program. `isNamed`: false if only roles need a name. */
export async function readLookups(
  { client, reader, progress }: StackTenant,
  groupsOf: ReadonlyMap<string, readonly RoleGroupRecord[]>,
  isNamed = true,
): Promise<Lookups> {
  const groups = new Map([...groupsOf.values()].flat().map((group) => [group.id, group]));
  if (groups.size === 0) return NO_LOOKUPS;
  const { border } = client;
  progress.show("Reading names of roles and groups …");
  const unread: string[] = [];
  const orNothing = (what: string, reading: Promise<Found>) =>
    reading.catch((error: unknown) => {
      if (!concernsOneQuestion(error)) throw error;
      unread.push(
        `${what} are given by id: their names could not be read (${border.quote(shortReason(error))}).`,
      );
      return NOTHING;
    });
  const roleNames = new Map<string, string>();
  const readRoles = async () => {
    const all = valueOf(await reader.roles());
    for (const { id, name } of all) if (name) roleNames.set(id, name);
    const own = await rolesOfOrganizations(reader, organizationsOf(groupsOf.keys()));
    for (const { id, name } of [...own.values()].flat()) if (name) roleNames.set(id, name);
    return foundRoles(all, own, [...groupsOf.keys()], border);
  };
  const readOrganizations = async () => {
    const names = await reader.namesOfOrganizations(organizationsOf(groupsOf.keys()));
    const all = [...names].map(([id, answer]) => ({ id, name: valueOf(answer) }));
    for (const { id, name } of all) if (name) roleNames.set(id, name);
    // No two of them share a name.
    return foundAmong(
      all,
      (name) => all.filter((organization) => organization.name === name),
      "organization",
      border,
    );
  };
  const roles = await orNothing("Roles", readRoles());
  const organizations = await orNothing("Organizations", readOrganizations());
  if (!isNamed) return { roles, organizations, groups: NOTHING, roleNames, unread };
  if (groups.size > MOST_GROUPS) {
    unread.push(
      `Groups are given by id: to look ${groups.size} of them up by name would take as many requests in each preview.`,
    );
    return { roles, organizations, groups: NOTHING, roleNames, unread };
  }
  const found = await orNothing("Groups", foundGroups(reader, [...groups.values()], border));
  return { roles, organizations, groups: found, roleNames, unread };
}

async function rolesOfOrganizations(
  reader: TenantReader,
  organizations: readonly string[],
): Promise<Map<string, RoleRecord[]>> {
  const answers = await reader.rolesOfOrganizations(organizations);
  return new Map([...answers].map(([id, answer]) => [id, valueOf(answer)]));
}

/** `own`: by organization, its roles. `keys`: of roles. */
function foundRoles(
  all: readonly RoleRecord[],
  own: ReadonlyMap<string, readonly RoleRecord[]>,
  keys: readonly string[],
  border: Border,
): Found {
  const names = new Map<string, string>();
  const reasons = new Map<string, string>();
  const tenants = all.filter((role) => !isOfOrganization(role));
  for (const key of keys) {
    const { organization, role: id } = roleOfKey(key);
    const candidates = organization === undefined ? tenants : [...tenants, ...(own.get(organization) ?? [])];
    const found = [...candidates, ...all].find((role) => role.id === id);
    if (found === undefined) continue;
    // `getRole` doesn't find these.
    if (!candidates.some((role) => role.id === id)) reasons.set(key, "it belongs to an organization");
    else {
      const lookup = foundAmong(
        [found],
        (name) => candidates.filter((role) => role.name === name),
        "role",
        border,
      );
      for (const name of lookup.names.values()) names.set(key, name);
      for (const reason of lookup.reasons.values()) reasons.set(key, reason);
    }
  }
  return { names, reasons };
}

async function foundGroups(
  reader: TenantReader,
  objects: readonly RoleGroupRecord[],
  border: Border,
): Promise<Found> {
  const names = [...new Set(objects.flatMap(({ name }) => (isUsable(name, border) ? [name] : [])))];
  const all = names.length > FEW_NAMES ? valueOf(await reader.groups()) : await groupsOfNames(reader, names);
  return foundAmong(objects, (name) => all.filter((group) => group.name === name), "group", border);
}

async function groupsOfNames(reader: TenantReader, names: readonly string[]): Promise<GroupRecord[]> {
  const lists = await reader.groupsNamed(names);
  return [...lists].flatMap(([name, answer]) => valueOf(answer).filter((group) => group.name === name));
}

function foundAmong(
  objects: readonly Named[],
  ofName: (name: string) => readonly { id: string }[],
  noun: string,
  border: Border,
): Found {
  const names = new Map<string, string>();
  const reasons = new Map<string, string>();
  for (const { id, name } of objects) {
    if (!isUsable(name, border)) continue;
    const ids = new Set(ofName(name).map((object) => object.id));
    if (ids.size === 1 && ids.has(id)) names.set(id, name);
    if (ids.size > 1) reasons.set(id, `${count(ids.size, noun)} have this name`);
  }
  return { names, reasons };
}

/** True for a name that is readable as it is, and can't be mistaken for anything else. */
function isUsable(name: string | null | undefined, border: Border): name is string {
  if (name == null || name === "" || name !== name.trim() || name.length > LONGEST_NAME) return false;
  return isPlain(name) && !isReservedText(name) && !border.hides(name);
}
