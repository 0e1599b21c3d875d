import { roleKey, roleOfKey } from "../../provider/access/edge";
import { type Named } from "../../provider/service/record";
import { type RoleRecord, isOfOrganization, isSystemRole } from "../../provider/service/roles";
import { optional } from "../lists";
import { isGroupId } from "../../provider/service/ids";
import { idOfName, isOrganizationId, isRoleId } from "../tenant/names";
import { percentEncoded } from "../escape";
import { type CaseInFile, type Ref, type RoleRef, RulesError, type RulesFile } from "./file";
import { CLOSED, FREE, onlyGroups, type Rules } from "./judge";

/** A tenant's names with their ids. */
export interface Names {
  tenant: string;
  roles: readonly RoleRecord[];
  /** False if there may be more roles than these. */
  isWhole: boolean;
  /** By name: what the tenant found by it, which may be groups of similar names. */
  groups: ReadonlyMap<string, readonly Named[]>;
  /** By name or id. An id without an entry wasn't asked for. */
  organizations: ReadonlyMap<string, OrganizationOfNames>;
}

export interface OrganizationOfNames {
  /** The organizations that a search by this name or id returns; by name, also some with similar names. */
  known: readonly Named[];
  /** Roles of its own; undefined if they weren't read. */
  roles: readonly RoleRecord[] | undefined;
}

/** A case with ids in place of names. */
export interface Case extends Omit<CaseInFile, "groups" | "has"> {
  groups: readonly string[];
  /** Keys of the roles. */
  has: readonly string[];
}

interface Refs {
  roles: RoleRef[];
  groups: Ref[];
  organizations: Ref[];
}

function refsOf(file: RulesFile): Refs {
  const { defaults, allow, conflicts, ends, direct, directDefaults, require, exceptions } = file;
  const named = [...allow, ...ends, ...direct, ...require].map(({ role }) => role);
  const roles = [...[...conflicts, ...exceptions].flatMap((rule) => rule.roles), ...named];
  const excepted = exceptions.flatMap(({ holder }) => ("group" in holder ? [holder.group] : []));
  const inRules = [...allow, ...require].flatMap(({ groups }) => (groups === "*" ? [] : groups));
  return {
    roles,
    groups: [...inRules, ...excepted],
    organizations: [...roles, ...defaults, ...directDefaults].flatMap(({ organization }) =>
      optional(organization),
    ),
  };
}

/** Returns the names whose ids only the tenant knows, each once. */
export function namesIn(file: RulesFile): { roles: string[]; groups: string[]; organizations: string[] } {
  const { roles, groups, organizations } = refsOf(file);
  const names = (refs: readonly Ref[], isId: (text: string) => boolean) => [
    ...new Set(refs.map(({ text }) => text).filter((text) => !isId(text))),
  ];
  return {
    roles: names(roles, (text) => isRoleId(text)),
    groups: names(groups, isGroupId),
    organizations: names(organizations, isOrganizationId),
  };
}

/** Returns the ids of roles that a file has in place of names, each once. */
export function roleIdsIn(file: RulesFile): string[] {
  return rolesIn(file).filter((text) => isRoleId(text));
}

/** Returns the names and ids of roles that a file has, each once. */
export function rolesIn(file: RulesFile): string[] {
  return [...new Set(refsOf(file).roles.map(({ text }) => text))];
}

/** Returns the ids of organizations that a file has in place of names, each once. */
export function organizationIdsIn(file: RulesFile): string[] {
  return [...new Set(refsOf(file).organizations.map(({ text }) => text))].filter(isOrganizationId);
}

/** True if only a tenant knows the ids of some. */
export function areNamesIn(file: RulesFile): boolean {
  return Object.values(namesIn(file)).some(({ length }) => length > 0);
}

/** Returns the rules with ids. Throws with the line of a name that doesn't exist, or exists several times. */
export function resolved(rules: RulesFile, names: Names | undefined): Rules {
  const { file, defaults, allow, conflicts, ends, direct, directDefaults, require, exceptions } = rules;
  const resolver = new Resolver(file, names);
  const byRole = <Row extends { role: RoleRef }, Value>(
    rows: readonly Row[],
    valueOf: (row: Row) => Value,
  ) => {
    const again = ({ role }: Row) => `this is the role of line ${role.line} again`;
    const found = resolver.byRole(rows, ({ role }) => role, again);
    return new Map([...found].map(([id, row]) => [id, { ...valueOf(row), line: row.role.line }]));
  };
  const byDefault = resolver.byOrganization(defaults, ({ isClosed }) => (isClosed ? CLOSED : FREE));
  return {
    allow: {
      byRole: byRole(allow, ({ groups }) =>
        groups === "*" ? FREE : onlyGroups(groups.map((group) => resolver.group(group))),
      ),
      byPlace: byDefault,
    },
    conflicts: conflicts.map(({ roles, anyContext }) => {
      const twice = () => "the conflict names one role twice";
      const keys = [...resolver.byRole(roles, (ref) => ref, twice).keys()];
      resolver.checkPlaces(roles, keys, anyContext);
      return { roles: keys, line: roles[0]?.line ?? 1, anyContext };
    }),
    ends: { byRole: byRole(ends, ({ days }) => ({ days })), byPlace: new Map() },
    direct: {
      byRole: byRole(direct, ({ forbidden }) => ({ forbidden })),
      byPlace: resolver.byOrganization(directDefaults, ({ forbidden }) => ({ forbidden })),
    },
    require: byRole(require, ({ groups }) => ({ groups: groups.map((group) => resolver.group(group)) })),
    exceptions: exceptions.map(({ roles, holder, isPending = false, ...exception }) => {
      const twice = () => "the exception names one role twice";
      const keys = [...resolver.byRole(roles, (ref) => ref, twice).keys()];
      const of = "user" in holder ? { user: holder.user.text } : { group: resolver.group(holder.group) };
      return { ...exception, keys, holder: of, isPending };
    }),
  };
}

/** Returns rules and cases without a tenant: each name stands for itself. `nameOf`: returns it again. */
export function resolvedOffline(file: RulesFile): {
  rules: Rules;
  cases: Case[];
  nameOf: (id: string) => string;
} {
  const { roles, groups, organizations } = refsOf(file);
  const inCases = file.tests.flatMap(({ has }) => has);
  const named = {
    roles: namedIn([...roles, ...inCases], (text) => isRoleId(text)),
    groups: namedIn([...groups, ...file.tests.flatMap((one) => one.groups)], isGroupId),
    organizations: namedIn(
      [...organizations, ...inCases.flatMap(({ organization }) => optional(organization))],
      isOrganizationId,
    ),
  };
  const names: Names = {
    tenant: file.file,
    isWhole: false,
    roles: named.roles,
    groups: new Map(named.groups.map((group) => [group.name, [group]])),
    organizations: new Map(named.organizations.map((one) => [one.name, { known: [one], roles: [] }])),
  };
  const resolver = new Resolver(file.file, names);
  const nameOf = new Map(Object.values(named).flatMap((all) => all.map(({ id, name }) => [id, name])));
  return {
    rules: resolved(file, names),
    cases: file.tests.map((one) => ({
      ...one,
      groups: one.groups.map((group) => resolver.group(group)),
      has: [
        ...resolver
          .byRole(
            one.has,
            (ref) => ref,
            () => "the case names one role twice",
          )
          .keys(),
      ],
    })),
    nameOf: (id) => nameOf.get(id) ?? id,
  };
}

/** Returns the names among these, with ids of their own. */
function namedIn(refs: readonly Ref[], isId: (text: string) => boolean): { id: string; name: string }[] {
  const texts = new Set(refs.map(({ text }) => text).filter((text) => !isId(text)));
  // A key has a slash between its parts. An id that is longer than all names is none of them.
  const longer = "_".repeat(1 + Math.max(0, ...[...texts].map(({ length }) => length)));
  return [...texts].map((name) => ({ id: `${longer}${percentEncoded(name)}`, name }));
}

class Resolver {
  constructor(
    private readonly file: string,
    private readonly names: Names | undefined,
  ) {}

  /** By `undefined`: the row of no organization. */
  byOrganization<Row extends { organization: Ref | undefined }, Value>(
    rows: readonly Row[],
    valueOf: (row: Row) => Value,
  ): Map<string | undefined, Value> {
    const refOf = ({ organization }: Row) => organization;
    const idOf = ({ organization }: Row) => organization && this.#organization(organization);
    const found = this.#once(rows, { refOf, idOf, again: () => "this organization is given twice" });
    return new Map([...found].map(([id, row]) => [id, valueOf(row)]));
  }

  /** A conflict that no person can break would pass in silence. */
  checkPlaces(refs: readonly RoleRef[], keys: readonly string[], anyContext: boolean): void {
    const all = keys.map(roleOfKey);
    const twice = all.findIndex(
      ({ organization, role }) => organization !== undefined && keys.includes(role),
    );
    if (twice >= 0) throw this.#error(refs[twice], "the conflict names one role twice");
    const places = new Set(all.flatMap(({ organization }) => organization ?? []));
    if (places.size > 1 && !anyContext)
      throw this.#error(
        refs[0],
        "the conflict names roles of several organizations, and each is judged alone: add anyContext: true",
      );
  }

  /** `again`: what is wrong if an earlier row is about the same role. */
  byRole<Row>(
    rows: readonly Row[],
    refOf: (row: Row) => RoleRef,
    again: (before: Row) => string,
  ): Map<string, Row> {
    return this.#once(rows, { refOf, idOf: (row) => this.#role(refOf(row)), again });
  }

  /** Returns rows by their ids. */
  #once<Row, Id>(
    rows: readonly Row[],
    {
      refOf,
      idOf,
      again,
    }: { refOf: (row: Row) => Ref | undefined; idOf: (row: Row) => Id; again: (before: Row) => string },
  ): Map<Id, Row> {
    const found = new Map<Id, Row>();
    for (const row of rows) {
      const id = idOf(row);
      const before = found.get(id);
      if (before !== undefined) throw this.#error(refOf(row), again(before));
      found.set(id, row);
    }
    return found;
  }

  /** Returns the role's key. */
  #role(ref: RoleRef): string {
    if (ref.organization === undefined) {
      const role = this.#roleIn(ref, undefined);
      return roleKey({ organization: this.#ownerOf(role), role });
    }
    const organization = this.#organization(ref.organization);
    return roleKey({ organization, role: this.#roleIn(ref, ref.organization) });
  }

  /** An organization's own role counts in no other place. */
  #ownerOf(role: string): string | undefined {
    const own = (this.names?.roles ?? []).filter((known) => known.id === role && isOfOrganization(known));
    return own.map((known) => known["owner_id"]).find(isOrganizationId);
  }

  #roleIn(ref: Ref, organization: Ref | undefined): string {
    const listed = [...(this.names?.roles ?? []), ...(this.#rolesOf(organization) ?? [])];
    if (isRoleId(ref.text, listed)) return this.#roleId(ref, organization);
    const { tenant, roles } = this.#known(ref);
    // An organization's admins choose its roles' names, so such a name must not resolve to one of these.
    const ofTenant = roles.filter((role) => !isOfOrganization(role) || isSystemRole(role));
    const owners = [tenant, ...optional(organization).map(({ text }) => text)];
    const all = [...ofTenant, ...(this.#rolesOf(organization) ?? [])];
    // The service's roles may be in both lists.
    const distinct = [...new Map(all.map((role) => [role.id, role])).values()];
    return this.#only(ref, `role of ${owners.join(" or ")}`, distinct);
  }

  /** Returns an organization's own roles; undefined if they weren't read. */
  #rolesOf(organization: Ref | undefined): readonly RoleRecord[] | undefined {
    return organization === undefined ? [] : this.names?.organizations.get(organization.text)?.roles;
  }

  /** An id with a typo, or of a deleted role, would make a rule that nothing can break. */
  #roleId(ref: Ref, organization: Ref | undefined): string {
    const { text } = ref;
    const own = this.#rolesOf(organization);
    if (this.names?.isWhole !== true || own === undefined) return text;
    const { tenant, roles } = this.names;
    const all = [...roles, ...own];
    if (all.some(({ id }) => id === text)) return text;
    const called = all.find((role) => role.name === text && !isOfOrganization(role));
    const meant = called === undefined ? "" : `. A role is called so: write its id, ${called.id}`;
    throw this.#error(ref, `no role of ${tenant} has the id ${text}${meant}`);
  }

  #organization(ref: Ref): string {
    const { text } = ref;
    const isId = isOrganizationId(text);
    if (isId && this.names?.organizations.has(text) !== true) return text;
    const { tenant, organizations } = this.#known(ref);
    const { known = [] } = organizations.get(text) ?? {};
    if (!isId) return this.#only(ref, `organization of ${tenant}`, known);
    if (known.length > 0) return text;
    throw this.#error(ref, `no organization of ${tenant} has the id ${text}`);
  }

  group(ref: Ref): string {
    if (isGroupId(ref.text)) return ref.text;
    const { tenant, groups } = this.#known(ref);
    return this.#only(ref, `group of ${tenant}`, groups.get(ref.text) ?? []);
  }

  #known(ref: Ref): Names {
    if (this.names !== undefined) return this.names;
    throw this.#error(
      ref,
      `no tenant is asked for the id of ${JSON.stringify(ref.text)}. Configure a client, leave out --no-read, or write the id`,
    );
  }

  #only(ref: Ref, what: string, known: readonly Named[]): string {
    const found = idOfName(ref.text, what, known);
    if ("id" in found) return found.id;
    throw this.#error(ref, found.problem);
  }

  #error(ref: Ref | undefined, sentence: string): RulesError {
    return new RulesError(this.file, ref?.line ?? 1, sentence);
  }
}
