import { GROUP_ID, ROLE_ID } from "../../provider/service/ids";
import { type Named } from "../../provider/service/record";
import { type RoleRecord, isOfOrganization } from "../../provider/service/roles";
import { idOfName } from "../tenant/names";
import { type Ref, RulesError, type RulesFile } from "./file";
import { type Rules } from "./judge";

/** A tenant's names with their ids. */
export interface Names {
  tenant: string;
  roles: readonly RoleRecord[];
  /** False if there may be more roles than these. */
  isWhole: boolean;
  /** By name: what the tenant found by it, which may be groups of similar names. */
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
  const byRole = <Row extends { role: Ref }, Value>(rows: readonly Row[], valueOf: (row: Row) => Value) => {
    const again = ({ role }: Row) => `this is the role of line ${role.line} again`;
    const found = resolver.byRole(rows, ({ role }) => role, again);
    return new Map([...found].map(([id, row]) => [id, { ...valueOf(row), line: row.role.line }]));
  };
  return {
    isClosed,
    allow: byRole(allow, ({ groups }) => ({
      groups: groups === "*" ? groups : new Set(groups.map((group) => resolver.group(group))),
    })),
    conflicts: conflicts.map((refs) => {
      const found = resolver.byRole(
        refs,
        (ref) => ref,
        () => "the conflict names one role twice",
      );
      return { roles: [...found.keys()], line: refs[0]?.line ?? 1 };
    }),
    ends: byRole(ends, ({ days }) => ({ days })),
    direct: {
      forbidden: direct.forbidden,
      roles: byRole(direct.roles, ({ isForbidden }) => ({ isForbidden })),
    },
  };
}

class Resolver {
  constructor(
    private readonly file: string,
    private readonly names: Names | undefined,
  ) {}

  /** `again`: what is wrong if an earlier row is about the same role. */
  byRole<Row>(
    rows: readonly Row[],
    refOf: (row: Row) => Ref,
    again: (before: Row) => string,
  ): Map<string, Row> {
    const found = new Map<string, Row>();
    for (const row of rows) {
      const id = this.#role(refOf(row));
      const before = found.get(id);
      if (before !== undefined) throw new RulesError(this.file, refOf(row).line, again(before));
      found.set(id, row);
    }
    return found;
  }

  #role(ref: Ref): string {
    if (isRoleId(ref.text)) return this.#roleId(ref);
    const { tenant, roles } = this.#known(ref);
    // An organization's admins choose its roles' names, so such a name must not resolve to one of these.
    const own = roles.filter((role) => !isOfOrganization(role));
    return this.#only(ref, `role of ${tenant}`, own);
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
    return this.#only(ref, `group of ${tenant}`, groups.get(ref.text) ?? []);
  }

  #known(ref: Ref): Names {
    if (this.names !== undefined) return this.names;
    throw new RulesError(
      this.file,
      ref.line,
      `no tenant is asked for the id of ${JSON.stringify(ref.text)}. Configure a client, leave out --no-read, or write the id`,
    );
  }

  #only(ref: Ref, what: string, known: readonly Named[]): string {
    const found = idOfName(ref.text, what, known);
    if ("id" in found) return found.id;
    throw new RulesError(this.file, ref.line, found.problem);
  }
}
