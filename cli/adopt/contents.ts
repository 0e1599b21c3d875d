import { type Border } from "../../provider/border";
import { type ProfileRecord } from "../../provider/service/connection-profiles";
import { roleOfKey } from "../../provider/access/edge";
import { type KindName, kindOf, KINDS, type Managed } from "../../provider/kinds";
import { Assignment } from "../../provider/resources/role-group-assignment/assignment";
import { type JsonObject } from "../../provider/service/record";
import { type RoleGroupRecord } from "../../provider/service/roles";
import { type Lookups } from "./lookups";
import { draftOf } from "./profile";
import { hidesGroups, readStackExport, type StackExport, type StateResource } from "../stack-export";
import { createHash } from "node:crypto";
import { compare } from "../lists";

const LONGEST_COMMENTED_NAME = 100;
const LONGEST_REASON = 300;

export interface Contents {
  /** Sorted by name. */
  profiles: DeclaredProfile[];
  /** Sorted by role. */
  assignments: DeclaredAssignment[];
  /** Sentences at the top of the program. */
  notes: readonly string[];
}

export interface DeclaredProfile {
  /** The resource's name. */
  name: string;
  id: string;
  /** Its name on the tenant, in quotes. */
  title: string;
  /** Undefined if it can't be declared. */
  settings: JsonObject | undefined;
  /** Settings left as they are on the tenant, with reasons. */
  leftOut: string[];
  isImportable: boolean;
}

export interface DeclaredAssignment {
  name: string;
  /** The role's key: in an organization `org_…/rol_…`. */
  id: string;
  roleId: string;
  /** Undefined: the role counts in the tenant itself. */
  organization: (Lookup & { id: string; title: string | undefined }) | undefined;
  /** Its name on the tenant, in quotes, if it was read. */
  title: string | undefined;
  /** How the program looks it up, or why it doesn't. */
  lookup: Lookup;
  groups: (Lookup & { id: string; title: string | undefined })[];
  /** The reason why nothing is declared. */
  obstacle: string | undefined;
  /** The reason why it can't be imported, since an import takes all groups of the role. */
  importObstacle: string | undefined;
}

/** The class of a declared assignment. */
export function kindOfAssignment({ organization }: DeclaredAssignment): KindName {
  return kindOf("grants", { isInOrganization: organization !== undefined });
}

interface Lookup {
  name?: string | undefined;
  reason?: string | undefined;
}

export interface FoundOnTenant {
  profiles: readonly ProfileRecord[];
  /** By the role's key. */
  groups: ReadonlyMap<string, readonly RoleGroupRecord[]>;
  /** Names of roles and organizations by id, as far as they were read. */
  roleNames: ReadonlyMap<string, string>;
  lookups: Lookups;
  /** Pattern for names of profiles. */
  only: string | undefined;
  managed: ManagedByStacks;
  border: Border;
}

export function contentsOf(found: FoundOnTenant): Contents {
  const { profiles, groups, roleNames, lookups, only, managed, border } = found;
  const names = new Set(managed.names);
  const shown = profiles.filter(
    ({ id, name }) => !managed.profiles.has(id) && (only === undefined || matches(only, name)),
  );
  return {
    profiles: shown
      .map((record) => declaredProfile(record, managed, border))
      .sort((one, other) => compare(one.name, other.name)),
    assignments: [...groups].map(([key, all]) => {
      const titleOfId = (id: string) => {
        const name = roleNames.get(id);
        return name === undefined ? undefined : titleOf(name, border);
      };
      const { organization, role: roleId } = roleOfKey(key);
      const declared = declaredAssignment(key, all, { lookups, managed: { ...managed, names }, border });
      names.add(declared.name);
      return {
        ...declared,
        id: key,
        roleId,
        title: titleOfId(roleId),
        organization:
          organization === undefined
            ? undefined
            : {
                id: organization,
                title: titleOfId(organization),
                ...lookupOf(organization, lookups.organizations),
              },
      };
    }),
    notes: lookups.unread,
  };
}

function declaredProfile(record: ProfileRecord, { names }: ManagedByStacks, border: Border): DeclaredProfile {
  const { settings, leftOut, isImportable } = draftOf(record, (text) => border.hides(text));
  return {
    name: freeName(profileName(record), names),
    id: record.id,
    title: titleOf(record.name, border),
    settings,
    leftOut: leftOut.map((reason) => border.quote(reason, LONGEST_REASON)),
    isImportable,
  };
}

function declaredAssignment(
  key: string,
  all: readonly RoleGroupRecord[],
  { lookups, managed: { assignments, names }, border }: Pick<FoundOnTenant, "lookups" | "managed" | "border">,
): Omit<DeclaredAssignment, "title" | "id" | "roleId" | "organization"> {
  const lookup = lookupOf(key, lookups.roles);
  const ofRole = assignments.filter((assignment) => assignment.roleId === key);
  const listed = new Set(ofRole.flatMap(({ groups = [] }) => groups));
  const groups = all
    .filter(({ id }) => !listed.has(id))
    .map(({ id, name }) => ({
      id,
      title: name === undefined ? undefined : titleOf(name, border),
      ...lookupOf(id, lookups.groups),
    }))
    .sort((one, other) => compare(one.id, other.id));
  const obstacle = obstacleOf(all, groups, ofRole, border);
  const [owner] = ofRole;
  const inPart =
    owner && `${titleOf(owner.name, border)} manages a part of its groups: add the others there.`;
  return {
    name: freeName(nameInProgram(key, lookups), names),
    lookup,
    groups,
    obstacle,
    importObstacle: obstacle ?? inPart,
  };
}

function lookupOf(id: string, { names, reasons }: Lookups["roles"]): Lookup {
  return { name: names.get(id), reason: reasons.get(id) };
}

/** Returns the first reason why nothing is declared. */
function obstacleOf(
  all: readonly RoleGroupRecord[],
  left: DeclaredAssignment["groups"],
  ofRole: readonly ManagedAssignment[],
  border: Border,
): string | undefined {
  if (all.length === 0) return "no group has it.";
  if (left.length === 0) return "the state knows all its groups.";
  const encrypted = ofRole.find((assignment) => assignment.groups === undefined);
  if (encrypted !== undefined)
    return `the groups of ${titleOf(encrypted.name, border)} are encrypted; add --show-secrets to the export.`;
  const exclusive = ofRole.find((assignment) => assignment.exclusive);
  if (exclusive !== undefined)
    return `${titleOf(exclusive.name, border)} is exclusive, and takes it from groups that it does not list.`;
  return undefined;
}

/** Quotes a stranger's name for a comment, so that no tool takes it for a directive. */
export function titleOf(name: string, border: Border): string {
  return `"${border.quote(name, LONGEST_COMMENTED_NAME)}"`;
}

/** `rol_… "order-manager" in org_… "acme"` */
export function roleWords({
  roleId,
  title,
  organization,
}: Pick<DeclaredAssignment, "roleId" | "title" | "organization">): string {
  const named = (...texts: (string | undefined)[]) => texts.filter((text) => text !== undefined).join(" ");
  return organization === undefined
    ? named(roleId, title)
    : `${named(roleId, title)} in ${named(organization.id, organization.title)}`;
}

const LONGEST_SLUG = 40;
/**
 * With 50 bits, two of 10,000 profiles with the same name share a code with a chance below 1 in 10,000,000.
 */
const CODE_LENGTH = 10;
/** Recorded roles have ids of 20 characters; a longer one would not leave room on the line. */
const LONGEST_ROLE_ID = 40;

/**
 * `enterprise-7f2k0q9xw3`: the profile's name, and a code from nothing but its id. So no profile ever changes
 * the name of another, even if both are called the same.
 */
export function profileName({ id, name }: { id: string; name: string }): string {
  return `${slug(name) || "profile"}-${codeOf(id)}`;
}

/** Uses the role's name if the program looks it up by that, or else the id itself, if it makes a name. */
export function assignmentName(roleId: string, name?: string): string {
  const called = slug(name ?? "");
  if (called !== "") return called;
  const isName = roleId.length <= LONGEST_ROLE_ID && /^[A-Za-z][\w-]*$/.test(roleId);
  return isName ? roleId : `rol_${codeOf(roleId)}`;
}

/** `acme-order-manager`: an organization's name comes first, so that its assignments sort together. */
function nameInProgram(key: string, { roles, organizations }: Lookups): string {
  const { organization, role } = roleOfKey(key);
  const name = assignmentName(role, roles.names.get(key));
  if (organization === undefined) return name;
  return `${assignmentName(organization, organizations.names.get(organization))}-${name}`;
}

/** Returns the name or, if it's taken, the first free one of `name-2`, `name-3` … */
export function freeName(name: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name;
  let number = 2;
  while (taken.has(`${name}-${number}`)) number++;
  return `${name}-${number}`;
}

/** Returns a text's letters and digits, in lower-case ASCII if possible: `Zürich (EU)` → `zurich-eu`. */
function slug(text: string): string {
  const plain = text
    .slice(0, 1_000)
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-");
  return plain.replace(/^-/, "").slice(0, LONGEST_SLUG).replace(/-$/, "");
}

function codeOf(id: string): string {
  const bits = createHash("sha256").update(id).digest().readBigUInt64BE();
  return bits.toString(36).padStart(CODE_LENGTH, "0").slice(-CODE_LENGTH);
}

/**
 * True if a whole name matches a pattern, in which `*` stands for any characters and `?` for one. Case
 * matters. The time grows at most with the product of the lengths, for any pattern.
 */
export function matches(pattern: string, name: string): boolean {
  const [marks, characters] = [Array.from(pattern), Array.from(name)];
  let [mark, place] = [0, 0];
  // Restart here if the characters after the last star don't match.
  let star: { mark: number; place: number } | undefined;
  while (place < characters.length) {
    if (marks[mark] === "*") {
      star = { mark: ++mark, place };
    } else if (mark < marks.length && (marks[mark] === "?" || marks[mark] === characters[place])) {
      mark++;
      place++;
    } else if (star !== undefined) {
      star.place++;
      ({ mark, place } = star);
    } else {
      return false;
    }
  }
  return marks.slice(mark).every((rest) => rest === "*");
}

export interface ManagedByStacks {
  profiles: ReadonlySet<string>;
  assignments: readonly ManagedAssignment[];
  names: ReadonlySet<string>;
}

interface ManagedAssignment {
  name: string;
  /** The role's key. */
  roleId: string;
  /** Groups that it lists or might list; undefined if they are encrypted. */
  groups: readonly string[] | undefined;
  exclusive: boolean;
}

export const NOTHING_MANAGED: ManagedByStacks = { profiles: new Set(), assignments: [], names: new Set() };

/**
 * Reads outputs of `pulumi stack export`. Skips resources of other packages and tenants, and those that the
 * program only reads. `tenants`: the names under which state may know the tenant.
 */
export function managedIn(exports: readonly StackExport[], tenants: readonly string[]): ManagedByStacks {
  const all = exports.flatMap((given) => readStackExport(given, "--unmanaged --state").resources);
  const here = all.filter(({ tenant }) => tenant === undefined || tenants.includes(tenant));
  const managing = (what: Managed) => here.filter(({ kind }) => KINDS[kind].manages === what);
  return {
    profiles: new Set(managing("profiles").map(({ id }) => id)),
    assignments: managing("grants").map(assignmentOf),
    names: new Set(all.map(({ name }) => name)),
  };
}

function assignmentOf(resource: StateResource): ManagedAssignment {
  const { name, id, outputs } = resource;
  const { groups, unconfirmed } = new Assignment(outputs);
  return {
    name,
    roleId: id,
    groups: hidesGroups(resource) ? undefined : [...groups, ...unconfirmed],
    exclusive: outputs["exclusive"] === true,
  };
}
