import { nearest } from "../../provider/near-names";
import { GROUP_ID, ROLE_ID } from "../../provider/service/ids";
import { type Named } from "../../provider/service/record";
import { type RoleRecord, isOfOrganization } from "../../provider/service/roles";
import { type Ref, RulesError, type RulesFile } from "./file";
import { type Rules } from "./judge";

/** A tenant's names with their ids. */
export interface Names {
  tenant: string;
  roles: readonly RoleRecord[];
  /** False if there may be more roles than these. */
  isWhole: boolean;
  /** By name: the groups with that name. */
  groups: ReadonlyMap<string, readonly Named[]>;
}

function refsOf({ allow, conflicts, ends, direct }: RulesFile): { roles: Ref[]; groups: Ref[] } {
  return {
    roles: [...conflicts.flat(), ...[...allow, ...ends, ...direct.roles].map(({ role }) => role)],
    groups: allow.flatMap(({ groups }) => (groups === "*" ? [] : groups)),
  };
}

/** Returns the names whose ids only the tenant knows, each once. */
export function namesIn(file: RulesFile): { roles: string[]; groups: string[] } {
  const { roles, groups } = refsOf(file);
  const names = (refs: readonly Ref[], isId: (text: string) => boolean) => [
    ...new Set(refs.map(({ text }) => text).filter((text) => !isId(text))),
  ];
  return { roles: names(roles, isRoleId), groups: names(groups, isGroupId) };
}

/** Returns the ids of roles that a file has in place of names, each once. */
export function roleIdsIn(file: RulesFile): string[] {
  return [...new Set(refsOf(file).roles.map(({ text }) => text))].filter(isRoleId);
}

/** True if only a tenant knows the ids of some. */
export function areNamesIn(file: RulesFile): boolean {
  const { roles, groups } = namesIn(file);
  return roles.length + groups.length > 0;
}

function isRoleId(text: string): boolean {
  return ROLE_ID.safeParse(text).success;
}

function isGroupId(text: string): boolean {
  return GROUP_ID.safeParse(text).success;
}

/** Returns the rules with ids. Throws with the line of a name that doesn't exist, or exists several times. */
export function resolved(rules: RulesFile, names: Names | undefined): Rules {
  const { file, isClosed, allow, conflicts, ends, direct } = rules;
  const resolver = new Resolver(file, names);
  const byRole = <Value>(rows: readonly (Value & { role: Ref })[]) => {
    const found = new Map<string, Value & { role: Ref }>();
    for (const row of rows) {
      const id = resolver.role(row.role);
      const before = found.get(id);
      if (before !== undefined)
        throw new RulesError(file, row.role.line, `this is the role of line ${before.role.line} again`);
      found.set(id, row);
    }
    return found;
  };
  return {
    isClosed,
    allow: new Map(
      [...byRole(allow)].map(([id, { role, groups }]) => [
        id,
        {
          groups: groups === "*" ? groups : new Set(groups.map((group) => resolver.group(group))),
          line: role.line,
        },
      ]),
    ),
    conflicts: conflicts.map((refs) => {
      const roles = new Set<string>();
      for (const ref of refs) {
        const id = resolver.role(ref);
        if (roles.has(id)) throw new RulesError(file, ref.line, "the conflict names one role twice");
        roles.add(id);
      }
      return { roles: [...roles], line: refs[0]?.line ?? 1 };
    }),
    ends: new Map([...byRole(ends)].map(([id, { role, days }]) => [id, { days, line: role.line }])),
    direct: {
      forbidden: direct.forbidden,
      roles: new Map(
        [...byRole(direct.roles)].map(([id, { role, isForbidden }]) => [
          id,
          { isForbidden, line: role.line },
        ]),
      ),
    },
  };
}

class Resolver {
  constructor(
    private readonly file: string,
    private readonly names: Names | undefined,
  ) {}

  role(ref: Ref): string {
    if (isRoleId(ref.text)) return this.#roleId(ref);
    const { tenant, roles } = this.#known(ref);
    // An organization's admins choose its roles' names, so such a name must not resolve to one of these.
    const own = roles.filter((role) => !isOfOrganization(role));
    const found = own.filter(({ name }) => name === ref.text);
    return this.#one(ref, found, `role of ${tenant}`, own);
  }

  /** An id with a typo, or of a deleted role, would make a rule that nothing can break. */
  #roleId({ text, line }: Ref): string {
    if (this.names?.isWhole !== true || this.names.roles.some(({ id }) => id === text)) return text;
    const { tenant, roles } = this.names;
    const called = roles.filter((role) => role.name === text && !isOfOrganization(role));
    const meant = called.length === 0 ? "" : `. A role is called so: write its id, ${called[0]?.id ?? ""}`;
    throw new RulesError(this.file, line, `no role of ${tenant} has the id ${text}${meant}`);
  }

  group(ref: Ref): string {
    if (isGroupId(ref.text)) return ref.text;
    const { tenant, groups } = this.#known(ref);
    return this.#one(ref, groups.get(ref.text) ?? [], `group of ${tenant}`, []);
  }

  #known(ref: Ref): Names {
    if (this.names !== undefined) return this.names;
    throw new RulesError(
      this.file,
      ref.line,
      `no tenant is asked for the id of ${JSON.stringify(ref.text)}. Configure a client, leave out --no-read, or write the id`,
    );
  }

  #one(ref: Ref, found: readonly Named[], what: string, known: readonly Named[]): string {
    const [only] = found;
    if (only !== undefined && found.length === 1) return only.id;
    const name = JSON.stringify(ref.text);
    if (only !== undefined) {
      const ids = found.map(({ id }) => id).join(", ");
      throw new RulesError(
        this.file,
        ref.line,
        `more than one ${what} is called ${name}: write an id, ${ids}`,
      );
    }
    const [near] = nearest(
      ref.text,
      known.flatMap(({ name: one }) => one ?? []),
      1,
      3,
    );
    const meant = near === undefined ? "" : `. Did you mean ${JSON.stringify(near)}?`;
    throw new RulesError(this.file, ref.line, `no ${what} is called ${name}${meant}`);
  }
}
