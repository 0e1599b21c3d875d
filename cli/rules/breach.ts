import {
  type Edge,
  groupIn,
  type Holder,
  isOfGroup,
  type RoleAt,
  roleKey,
  roleOfKey,
} from "../../provider/access/edge";
import { type Claim, type Grant } from "../../provider/access/grants";
import { type Sentence } from "../../provider/sentence";
import { unlessEmpty } from "../lists";

export interface Breach {
  /** Where the roles count; undefined: in the tenant itself, or as `contexts` say. */
  organization?: string | undefined;
  /** Where each of the roles counts, if they count in several places; undefined: in the tenant itself. */
  contexts?: readonly (string | undefined)[] | undefined;
  /** `exception`: one that lets nothing pass, or not any more. */
  rule: "allow" | "conflict" | "end" | "direct" | "require" | "exception";
  /** The rule's line in its file; undefined if `default: closed` is the rule. */
  line: number | undefined;
  roles: readonly string[];
  /** Of the roles, in their places. */
  keys: readonly string[];
  /** Of a role that must be kept: the groups that keep it. */
  groups: readonly string[];
  /** Those of the roles that the people have directly. */
  direct: readonly string[];
  /**
   * People with two roles of a conflict, not both through one group, or with a role directly; undefined if
   * the breach is one group's.
   */
  people: readonly string[] | undefined;
  until: string | undefined;
  /** For a role that must end: the most days ahead that are allowed. */
  days: number | undefined;
  isNew: boolean;
  /** Empty if somebody gave the roles by hand. Of a role that nobody keeps: those that gave it before. */
  by: readonly Claim[];
  /** The exception that lets it pass; undefined: none does. */
  exception?: Pass | undefined;
  /** Of an exception: what is wrong with it. */
  problem?: Sentence | undefined;
}

/** An exception as it is shown beside what it lets pass. */
export interface Pass {
  line: number;
  reason: string;
  owner: string;
  until: string;
}

/** True if somebody has to decide on it: the change brings it, and no exception lets it pass. */
export function isBroken({ isNew, exception }: Pick<Breach, "isNew" | "exception">): boolean {
  return isNew && exception === undefined;
}

export function breachBy(
  rule: Breach["rule"],
  line: number | undefined,
  grants: readonly Grant[],
  more: Partial<Breach> = {},
): Breach {
  const contexts = grants.map(({ organization }) => organization);
  const [organization, ...others] = new Set(contexts);
  return {
    ...(others.length === 0 ? { organization } : { contexts }),
    rule,
    line,
    roles: grants.map(({ role }) => role),
    keys: grants.map(roleKey),
    groups: [...new Set(grants.flatMap(({ holder }) => groupIn(holder)))],
    direct: byKind(grants)[1].map(({ role }) => role),
    people: undefined,
    until: undefined,
    days: undefined,
    isNew: true,
    by: grants.flatMap(({ by }) => by),
    ...more,
  };
}

/** Returns grants of these roles, by their keys, that nobody has made. */
export function grantsOf(keys: readonly string[], holder: Holder): (RoleAt & Grant)[] {
  return keys.map((key) => ({ ...roleOfKey(key), holder, by: [] }));
}

/** Returns the grants of groups, and those of people. */
export function byKind<Of extends Edge>(grants: readonly Of[]): [Of[], Of[]] {
  return [grants.filter(isOfGroup), grants.filter((grant) => !isOfGroup(grant))];
}

/** Returns the fields that breaches share in the JSON of `review` and `access`. `idsOf`: those to show. */
export function breachJson(
  { organization, contexts, rule, line, roles, groups, direct, people, until, exception }: Breach,
  idsOf: (people: readonly string[]) => string[] | undefined,
) {
  return {
    organization,
    contexts: contexts?.map((place) => place ?? null),
    rule,
    rulesLine: line ?? null,
    roles: [...roles],
    groups: [...groups],
    direct: unlessEmpty(direct),
    people: people && { count: people.length, ids: idsOf(people) },
    until,
    exception,
  };
}
