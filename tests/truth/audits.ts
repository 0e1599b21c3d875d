import { type SeedInput } from "../../simulator";
import { ALL_SCOPES, CLIENT_ID, CLIENT_SECRET } from "../../simulator/default-seed";
import {
  ACME,
  type Case,
  type Claim,
  day,
  type Edge,
  FOREIGN,
  GLOBEX,
  GROUPS,
  OWN,
  PEOPLE,
  ROLES,
  SYSTEM,
} from "./audits-drawn";
import { type Standing } from "./rules";

/*
 * A calculator that knows the whole tenant and the states. It doesn't know what an audit asked, and shares
 * no code with the command.
 */

/** Of everything that a tenant has, by ids. */
export const NAMES: ReadonlyMap<string, string | undefined> = new Map([
  ...[...ROLES, OWN, FOREIGN, SYSTEM].map((id) => [id, id.slice(4)] as const),
  ...GROUPS.map((id) => [id, `group-${id.slice(-1)}`] as const),
  [ACME, "acme"],
  [GLOBEX, "globex"],
]);

export const isGroup = (holder: string) => holder.startsWith("grp_");
export const placeOf = (key: string) => (key.includes("/") ? (key.split("/")[0] ?? "") : "");
export const roleOf = (key: string) => key.split("/").at(-1) ?? "";
export const nameOf = (role: string) => NAMES.get(role) ?? role;

interface Seeded extends Partial<Pick<Case, "members" | "behaviour">> {
  roles: readonly string[];
  /** An object without one has no name. */
  names?: ReadonlyMap<string, string | undefined>;
  organizations?: readonly string[];
}

/** The tenant with these grants; `lacks`: the scope that its client lacks. */
export function seedOf(
  { roles, members = {}, behaviour = {}, names = NAMES, organizations = [ACME, GLOBEX] }: Seeded,
  edges: readonly Edge[],
  lacks = "",
): SeedInput {
  const holders = (key: string, group: boolean) =>
    edges.filter((edge) => edge.key === key && isGroup(edge.holder) === group).map(({ holder }) => holder);
  const named = (id: string) => ({ id, ...(names.get(id) !== undefined && { name: names.get(id)! }) });
  const inPlace = (place: string) =>
    [...roles, SYSTEM, place === ACME ? OWN : FOREIGN].map((id) => {
      const key = `${place}/${id}`;
      return { id, groups: holders(key, true), members: holders(key, false) };
    });
  const scope = ALL_SCOPES.split(" ").filter((one) => one !== lacks);
  const organizationRole = (id: string, owner: string) => ({
    ...named(id),
    ...{ type: "organization" as const, owner_id: owner },
  });
  return {
    clients: [{ client_id: CLIENT_ID, client_secret: CLIENT_SECRET, scope: scope.join(" ") }],
    users: PEOPLE.map((id) => ({
      user_id: id,
      groups: members[id] ?? [],
      roles: edges.filter(({ key, holder }) => holder === id && placeOf(key) === "").map(({ key }) => key),
    })),
    groups: GROUPS.map(named),
    roles: [
      ...roles.map((id) => ({ ...named(id), groups: holders(id, true) })),
      organizationRole(OWN, ACME),
      organizationRole(FOREIGN, GLOBEX),
      organizationRole(SYSTEM, "auth0"),
    ],
    organizations: organizations.map((id) => ({
      ...{ id, name: names.get(id) ?? "", groups: GROUPS, roles: inPlace(id) },
    })),
    behaviour,
  };
}

/** Who has what, and which lines of states list it. */
export class Holdings<Listed extends Claim> {
  readonly #known: ReadonlySet<string>;

  constructor(
    readonly edges: readonly Edge[],
    readonly listed: readonly Listed[],
  ) {
    this.#known = new Set(edges.map(({ key, holder }) => `${key} ${holder}`));
  }

  has(key: string, holder: string): boolean {
    return this.#known.has(`${key} ${holder}`);
  }

  groups(key: string): string[] {
    return this.edges.filter((edge) => edge.key === key && isGroup(edge.holder)).map(({ holder }) => holder);
  }

  people(key: string): string[] {
    return this.edges.filter((edge) => edge.key === key && !isGroup(edge.holder)).map(({ holder }) => holder);
  }

  claims(key: string, group: string): Listed[] {
    return this.listed.filter((claim) => claim.key === key && claim.groups.includes(group));
  }
}

/** Whatever is true of the tenant today. */
export class Truth extends Holdings<Claim> {
  constructor(private readonly given: Case) {
    super(
      given.grants.filter(({ when }) => when !== "gone"),
      given.claims,
    );
  }

  /** What `--fail-on` finds of the roles and groups that somebody wants to know of. */
  findings(): string[] {
    const { role, group } = this.given.only;
    const isWanted = ({ key, holder }: Edge) =>
      (role === undefined || roleOf(key) === role) && (group === undefined || holder === group);
    const claimed = this.given.claims.flatMap(({ key, groups }) => groups.map((holder) => ({ key, holder })));
    const ofGroups = this.edges.filter(({ holder }) => isGroup(holder)).filter(isWanted);
    return [
      ...claimed.filter(isWanted).flatMap(({ key, holder }) => (this.has(key, holder) ? [] : ["drift"])),
      ...ofGroups.flatMap(({ key, holder }) => {
        const claims = this.claims(key, holder);
        if (claims.length === 0) return ["unmanaged"];
        return claims.every(({ until }) => until === day(-5)) ? ["expired"] : [];
      }),
    ];
  }

  get standing(): Standing {
    const ofGroups = this.edges.filter(({ holder }) => isGroup(holder));
    const keys = [...new Set(ofGroups.map(({ key }) => key))];
    const ends = ofGroups.flatMap(({ key, holder }) => {
      const untils = this.claims(key, holder).map(({ until }) => until);
      const last = untils.includes(undefined) ? undefined : untils.sort().at(-1);
      return last === undefined ? [] : [[`${key} ${holder}`, last] as const];
    });
    const directOf = (person: string) =>
      this.edges.filter(({ holder }) => holder === person).map(({ key }) => key);
    return {
      groups: new Map(keys.map((key) => [key, new Set(this.groups(key))])),
      ends: new Map(ends),
      hidden: () => false,
      people: new Map(
        PEOPLE.map((person) => [
          person,
          { groups: this.given.members[person] ?? [], direct: directOf(person) },
        ]),
      ),
    };
  }
}
