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
  type RulesText,
  SYSTEM,
} from "./audits-drawn";

/*
 * A calculator that knows the whole tenant, the states and the rules. It doesn't know what an audit asked,
 * and shares no code with the command.
 */

const NAMES = new Map([...ROLES, OWN, FOREIGN, SYSTEM].map((id) => [id as string, id.slice(4)]));

const isGroup = (holder: string) => holder.startsWith("grp_");
export const placeOf = (key: string) => (key.includes("/") ? (key.split("/")[0] ?? "") : "");
export const roleOf = (key: string) => key.split("/").at(-1) ?? "";
export const nameOf = (role: string) => NAMES.get(role) ?? role;

/** The tenant with these grants; `lacks`: the scope that its client lacks. */
export function seedOf({ roles, members, behaviour }: Case, edges: readonly Edge[], lacks = ""): SeedInput {
  const holders = (key: string, group: boolean) =>
    edges.filter((edge) => edge.key === key && isGroup(edge.holder) === group).map(({ holder }) => holder);
  const inPlace = (place: string, own: string) =>
    [...roles, SYSTEM, own].map((id) => {
      const key = `${place}/${id}`;
      return { id, groups: holders(key, true), members: holders(key, false) };
    });
  const scope = ALL_SCOPES.split(" ").filter((one) => one !== lacks);
  const organizationRole = (id: string, owner: string) => ({
    ...{ id, name: nameOf(id), type: "organization" as const, owner_id: owner },
  });
  return {
    clients: [{ client_id: CLIENT_ID, client_secret: CLIENT_SECRET, scope: scope.join(" ") }],
    users: PEOPLE.map((id) => ({
      user_id: id,
      groups: members[id] ?? [],
      roles: edges.filter(({ key, holder }) => holder === id && placeOf(key) === "").map(({ key }) => key),
    })),
    groups: GROUPS.map((id) => ({ id, name: `group-${id.slice(-1)}` })),
    roles: [
      ...roles.map((id) => ({ id, name: nameOf(id), groups: holders(id, true) })),
      organizationRole(OWN, ACME),
      organizationRole(FOREIGN, GLOBEX),
      organizationRole(SYSTEM, "auth0"),
    ],
    organizations: [
      { id: ACME, name: "acme", groups: GROUPS, roles: inPlace(ACME, OWN) },
      { id: GLOBEX, name: "globex", groups: GROUPS, roles: inPlace(GLOBEX, FOREIGN) },
    ],
    behaviour,
  };
}

/** Whatever is true of the tenant today, by texts such as `allow org_…/rol_… grp_…`. */
export class Truth {
  readonly edges: readonly Edge[];
  readonly #known: ReadonlySet<string>;

  constructor(private readonly given: Case) {
    this.edges = given.grants.filter(({ when }) => when !== "gone");
    this.#known = new Set(this.edges.map(({ key, holder }) => `${key} ${holder}`));
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

  claims(key: string, group: string): Claim[] {
    return this.given.claims.filter((claim) => claim.key === key && claim.groups.includes(group));
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

  /** `sure`: those that an audit must tell. Others are part of a group's breach, and may be told alone. */
  breaches(): { text: string; sure: boolean }[] {
    const { rules: text } = this.given;
    if (text === undefined) return [];
    const one = this.edges.flatMap(({ key, holder }) =>
      ruleOf(text, key, isGroup(holder)).flatMap((rule) =>
        this.#isBroken(rule, key, holder) ? [`${rule.kind} ${key} ${holder}`] : [],
      ),
    );
    const sure = [...one, ...this.#notKept(text)].map((breach) => ({ text: breach, sure: true }));
    return [...sure, ...this.#conflicts(text)];
  }

  /** General lines are about the tenant itself. A grant keeps its role until the last claim on it ends. */
  #notKept({ require = {}, organizations }: RulesText): string[] {
    const there = Object.entries(organizations).flatMap(([place, own]) =>
      Object.entries(own.require ?? {}).map(([role, groups]) => [`${place}/${role}`, groups] as const),
    );
    const isKept = (key: string, group: string) => {
      const claims = this.claims(key, group);
      return this.has(key, group) && (claims.length === 0 || claims.some(({ until }) => until !== day(-5)));
    };
    return [...Object.entries(require), ...there]
      .filter(([key, groups]) => !groups.some((group) => isKept(key, group)))
      .flatMap(([key, groups]) => groups.map((group) => `require ${key} ${group}`));
  }

  #isBroken(rule: Rule, key: string, holder: string): boolean {
    if (rule.kind === "direct") return rule.line === "forbid";
    if (rule.kind === "allow") return Array.isArray(rule.line) && !rule.line.includes(holder);
    const ends = this.claims(key, holder).map(({ until }) => until);
    if (ends.length === 0 || ends.includes(undefined)) return true;
    return rule.line === 30 && ends.includes(day(400));
  }

  #conflicts({ conflicts }: RulesText): { text: string; sure: boolean }[] {
    const found = conflicts.flatMap(({ roles, anyContext }) => {
      const slot = (key: string) =>
        roles.findIndex((ruled) =>
          typeof ruled === "string" ? ruled === roleOf(key) : `${ruled.organization}/${ruled.role}` === key,
        );
      const keys = [...new Set(this.edges.map(({ key }) => key))].filter((key) => slot(key) >= 0);
      const pairs = keys.flatMap((first) =>
        keys
          .filter(
            (second) => slot(first) < slot(second) && (anyContext || placeOf(first) === placeOf(second)),
          )
          .map((second) => [first, second] as const),
      );
      return pairs.flatMap(([first, second]) => {
        const groups = GROUPS.filter((group) => this.has(first, group) && this.has(second, group));
        const text = (holder: string) => conflictText(first, second, holder);
        const people = PEOPLE.filter((person) => this.#isOf(first, person) && this.#isOf(second, person));
        const isOfOne = (person: string) =>
          groups.some((group) => this.given.members[person]?.includes(group));
        return [
          ...groups.map((group) => ({ text: text(group), sure: true })),
          ...people.map((person) => ({ text: text(person), sure: !isOfOne(person) })),
        ];
      });
    });
    return found;
  }

  /** True if a person has a role, in any way. */
  #isOf(key: string, person: string): boolean {
    return (
      this.has(key, person) ||
      this.groups(key).some((group) => this.given.members[person]?.includes(group) === true)
    );
  }
}

export function conflictText(first: string, second: string, holder: string): string {
  return `conflict ${[first, second].sort().join(" ")} ${holder}`;
}

interface Rule {
  kind: "allow" | "direct" | "end";
  line: "*" | string[] | "allow" | "forbid" | number;
}

/** The rules of a role: those of its place before the general ones, and lines before defaults. */
function ruleOf(text: RulesText, key: string, ofGroup: boolean): Rule[] {
  const [role, own] = [roleOf(key), text.organizations[placeOf(key)] ?? {}];
  const line = <Kind extends "allow" | "direct" | "end">(kind: Kind) =>
    own[kind]?.[role] ?? text[kind]?.[role];
  if (!ofGroup) {
    const said = line("direct") ?? own.direct?.["default"] ?? text.direct?.["default"];
    return said === undefined ? [] : [{ kind: "direct", line: said }];
  }
  const isClosed = own.default === "closed" || text.default === "closed";
  const [allow, end] = [line("allow") ?? (isClosed ? [] : "*"), line("end")];
  return [
    { kind: "allow", line: allow },
    ...(end === undefined ? [] : [{ kind: "end" as const, line: end }]),
  ];
}
