import { organizationsOf, roleKey, roleOfKey } from "../../provider/access/edge";
import { NotFoundError } from "../../provider/http/errors";
import { type RoleRecord } from "../../provider/service/roles";
import { type Named } from "../../provider/service/record";
import { compare } from "../../provider/review/step";
import { concernsAll, organizationsNamed, type Rules } from "../rules/judge";
import { type StackTenant } from "../stack-client";
import { ALL_ORGANIZATIONS, assignableIn, idsOfOrganizations } from "../tenant/names";
import { valuesIn } from "../tenant/questions";
import { MOST_ORGANIZATIONS } from "../tenant/reader";
import { type Gaps, quoting } from "./gaps";
import { type AccessJson } from "./model";
import { isRoleWanted } from "./roles";

/** The organizations that are asked who has roles there. */
export interface AskedOrganizations {
  ids: readonly string[];
  others: AccessJson["otherOrganizations"];
  /** Why rules that compare all organizations could not. */
  gaps: readonly string[];
}

/** Returns those that somebody names: on the command line, in states, or in rules. */
export async function organizationsToAsk(
  tenant: StackTenant,
  named: readonly string[],
  keys: readonly string[],
  rules: Rules | undefined,
): Promise<AskedOrganizations> {
  const { client, reader } = tenant;
  const given = await idsOfOrganizations(tenant, named);
  const ids = new Set([...given, ...organizationsOf(keys), ...(rules ? organizationsNamed(rules) : [])]);
  const sorted = () => [...ids].sort(compare);
  if (named.includes(ALL_ORGANIZATIONS)) return { ids: sorted(), others: undefined, gaps: [] };
  const isAboutAll = rules !== undefined && concernsAll(rules);
  const most = MOST_ORGANIZATIONS * Math.ceil((ids.size + 1) / MOST_ORGANIZATIONS);
  const answer = await reader.someOrganizations(most);
  const open = (reason: string) =>
    isAboutAll ? [`who has roles in other organizations was not read (${client.border.clean(reason)})`] : [];
  if (answer.value === undefined) {
    const reason = client.border.quote(answer.reason);
    return { ids: sorted(), others: { count: null, more: true, reason }, gaps: open(answer.reason) };
  }
  const { items, isMore } = answer.value;
  if (isAboutAll && !isMore) for (const { id } of items) ids.add(id);
  const { length: others } = items.filter(({ id }) => !ids.has(id));
  return {
    ids: sorted(),
    others: others === 0 && !isMore ? undefined : { count: others, more: isMore },
    gaps: isMore ? open(`more than ${most}: --organization ${ALL_ORGANIZATIONS} asks them`) : [],
  };
}

/** By their keys, the roles that groups may have in organizations, and who has them. */
export interface RolesInOrganizations {
  roles: Named[];
  groups: Map<string, readonly Named[]>;
  /** Names of organizations, and of roles in them, by id. */
  names: Map<string, string>;
}

interface RolesToRead {
  /** The tenant's. */
  listed: readonly RoleRecord[];
  /** Keys of roles that states claim. */
  claimed: readonly string[];
  /** Ids of the only roles to read, in any organization; empty: all. */
  wanted: readonly string[];
}

/** Reads who has which role in these organizations: any of the tenant's roles, or of their own. */
export async function readOrganizations(
  { client, reader, progress }: StackTenant,
  ids: readonly string[],
  { listed, claimed, wanted }: RolesToRead,
  gaps: Gaps,
): Promise<RolesInOrganizations> {
  const found: RolesInOrganizations = { roles: [], groups: new Map(), names: new Map() };
  if (ids.length === 0) return found;
  const [names, own] = await Promise.all([
    reader.namesOfOrganizations(ids),
    reader.rolesOfOrganizations(ids),
  ]);
  const nameOf = new Map(listed.map(({ id, name }) => [id, name]));
  for (const [id, name] of valuesIn(names)) nameOf.set(id, name);
  for (const { id, name } of [...valuesIn(own).values()].flat()) nameOf.set(id, name);
  const quote = quoting(client);
  const shown = progress.counting("Reading organizations", ids.length);
  await Promise.all(
    ids.map(async (organization) => {
      const isGone = names.get(organization)?.error instanceof NotFoundError;
      const there = own.get(organization);
      if (!isGone && there?.reason !== undefined) gaps.addUnread(organization, there);
      const roles = isGone ? [] : assignableIn(organization, listed, there?.value ?? []);
      const alone = claimed.filter((key) => roleOfKey(key).organization === organization);
      const keys = [...roles.map((role) => roleKey({ organization, role })), ...alone];
      const asked = [...new Set(keys)].filter((key) => isRoleWanted(key, wanted));
      const answers = await reader.holdersInOrganization(organization, asked, alone);
      for (const [key, answer] of answers) {
        const groups = gaps.ifThere(answer, key);
        if (groups !== undefined && isRoleWanted(key, wanted)) found.groups.set(key, groups.map(quote));
      }
      shown();
    }),
  );
  for (const key of [...found.groups.keys()].sort(compare)) {
    const { organization = "", role } = roleOfKey(key);
    for (const id of [organization, role]) {
      const name = nameOf.get(id);
      if (name) found.names.set(id, client.border.quote(name));
    }
    const [name, where] = [role, organization].map((id) => found.names.get(id) ?? id);
    found.roles.push({ id: key, name: `${name} in ${where}` });
  }
  return found;
}
