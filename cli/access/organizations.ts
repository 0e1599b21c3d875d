import { organizationsOf, roleKey, roleOfKey } from "../../provider/access/edge";
import { type IdentityClient } from "../../provider/http/client";
import { type RoleRecord } from "../../provider/service/roles";
import { type Named } from "../../provider/service/record";
import { grouped } from "../../provider/sentence";
import { holdsAnywhere, organizationsNamed, type Rules } from "../rules/judge";
import { compare, distinct, optional } from "../lists";
import { type StackTenant } from "../stack-client";
import { ALL_ORGANIZATIONS, idsOfOrganizations } from "../tenant/names";
import { isNotFound, valuesIn } from "../tenant/questions";
import { assignableIn, MOST_ORGANIZATIONS } from "../tenant/reader";
import { type Gaps, namesById, quoting } from "./gaps";
import { type AccessJson } from "./model";
import { isAskedFor } from "./roles";

/** Nobody waits for long if no more are asked for the rules. */
const FEW_ORGANIZATIONS = 10;

/** The organizations that are asked who has roles there. */
export interface AskedOrganizations {
  ids: readonly string[];
  others: AccessJson["otherOrganizations"];
  /** Why rules that hold in every organization were not judged in all. */
  gaps: readonly string[];
}

/**
 * Returns those that somebody names, on the command line (`texts`), in states (`keys`) or in rules; all, if a
 * rule holds in each.
 */
export async function organizationsToAsk(
  tenant: StackTenant,
  texts: readonly string[],
  keys: readonly string[],
  { rules, requestsEach }: { rules: Rules; requestsEach: number },
): Promise<AskedOrganizations> {
  const { client, reader, progress } = tenant;
  const given = await idsOfOrganizations(tenant, texts);
  const ids = distinct([...given, ...organizationsOf(keys), ...organizationsNamed(rules)]);
  if (texts.includes(ALL_ORGANIZATIONS)) return { ids, others: undefined, gaps: [] };
  const most = MOST_ORGANIZATIONS * Math.ceil((ids.length + 1) / MOST_ORGANIZATIONS);
  const { value, reason } = await reader.someOrganizations(most);
  const { items, isMore } = value ?? { items: [], isMore: true };
  const others = items.filter(({ id }) => !ids.includes(id));
  const why = client.border.clean(
    reason ?? `more than ${most}: --organization ${ALL_ORGANIZATIONS} asks them`,
  );
  if (!holdsAnywhere(rules)) return { ids, others: othersOf(others.length, { isMore, reason }), gaps: [] };
  if (isMore)
    return {
      ids,
      others: othersOf(others.length, { isMore, reason }),
      gaps: [`who has roles in other organizations was not read (${why})`],
    };
  if (others.length > FEW_ORGANIZATIONS)
    progress.notice(
      `The rules hold in every organization, so ${others.length} more are asked, with at least ${grouped(others.length * requestsEach)} requests.`,
    );
  return { ids: distinct([...ids, ...others.map(({ id }) => id)]), others: undefined, gaps: [] };

  function othersOf(count: number, rest: { isMore: boolean; reason: string | undefined }) {
    if (rest.reason !== undefined)
      return { count: null, more: true, reason: client.border.quote(rest.reason) };
    return count > 0 || rest.isMore ? { count, more: rest.isMore } : undefined;
  }
}

/** By their keys, the roles that groups may have in organizations, and who has them. */
export interface RolesInOrganizations {
  roles: Named[];
  groups: Map<string, readonly Named[]>;
  /** Names of organizations, and of roles in them, by id. */
  names: Map<string, string>;
  /** The organizations of which all roles are known. */
  whole: readonly string[];
}

interface RolesToRead {
  /** The tenant's. Each of them can be assigned in an organization, too. */
  listed: readonly RoleRecord[];
  /** False if the tenant may have more. */
  isWhole: boolean;
  /** Keys of roles that states claim. */
  claimed: readonly string[];
  /** Ids of roles to read, in any organization; empty: all. */
  only: readonly string[];
}

/** Reads who has which role in these organizations: any of the tenant's roles, or of their own. */
export async function readOrganizations(
  { client, reader, progress }: StackTenant,
  ids: readonly string[],
  { listed, isWhole, claimed, only }: RolesToRead,
  gaps: Gaps,
): Promise<RolesInOrganizations> {
  if (ids.length === 0) return { roles: [], groups: new Map(), names: new Map(), whole: [] };
  const [names, own] = await Promise.all([
    reader.namesOfOrganizations(ids),
    reader.rolesOfOrganizations(ids),
  ]);
  const shown = progress.counting("Reading organizations", ids.length);
  const ownRoles = valuesIn(own);
  const isGone = (id: string) => isNotFound(names.get(id));
  for (const [id, answer] of own) if (!isGone(id)) gaps.addUnread(id, answer);
  const groups = await Promise.all(
    ids.map(async (organization) => {
      const there = isGone(organization)
        ? []
        : assignableIn(organization, listed, ownRoles.get(organization));
      const alone = claimed.filter((key) => roleOfKey(key).organization === organization);
      const keys = [...there.map((role) => roleKey({ organization, role })), ...alone];
      const asked = [...new Set(keys)].filter((key) => isAskedFor(key, only));
      const answers = await reader.holdersInOrganization(organization, asked, alone);
      shown();
      return [...answers]
        .filter(([key]) => isAskedFor(key, only))
        .flatMap(([key, answer]) =>
          optional(gaps.ifThere(answer, key)).map((found) => [key, found] as const),
        );
    }),
  );
  return {
    ...named(client, new Map(groups.flat()), [
      ...listed,
      ...[...valuesIn(names)].map(([id, name]) => ({ id, name })),
      ...[...ownRoles.values()].flat(),
    ]),
    whole: ids.filter((id) => isGone(id) || (isWhole && ownRoles.has(id))),
  };
}

/** `known`: objects with their names; of several of one id, the last one. */
function named(
  client: IdentityClient,
  found: ReadonlyMap<string, readonly Named[]>,
  known: readonly Named[],
): Omit<RolesInOrganizations, "whole"> {
  const keys = [...found.keys()].sort(compare);
  const nameOf = new Map(known.map(({ id, name }) => [id, name]));
  const ids = keys.map(roleOfKey).flatMap(({ organization, role }) => [...optional(organization), role]);
  const names = namesById(
    ids.map((id) => ({ id, name: nameOf.get(id) })),
    client,
  );
  const titleOf = (id = "") => names.get(id) ?? id;
  return {
    roles: keys.map((key) => {
      const { organization, role } = roleOfKey(key);
      return { id: key, name: `${titleOf(role)} in ${titleOf(organization)}` };
    }),
    groups: new Map([...found].map(([key, groups]) => [key, groups.map(quoting(client))])),
    names,
  };
}
