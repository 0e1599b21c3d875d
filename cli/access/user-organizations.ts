import { organizationsOf } from "../../provider/access/edge";
import { type StackTenant } from "../stack-client";
import { ALL_ORGANIZATIONS, idsOfOrganizations } from "../tenant/names";
import { valuesIn } from "../tenant/questions";
import { ifListed, namesById } from "./gaps";
import { type AccessJson } from "./model";
import { type AskedOrganizations } from "./organizations";
import { compare } from "../lists";

export interface OrganizationsOfUser extends Pick<AskedOrganizations, "others"> {
  /** To ask which roles the user has there. */
  ids: readonly string[];
  /** Named on the command line, but the user isn't a member. */
  notMemberOf: NonNullable<NonNullable<AccessJson["user"]>["notMemberOf"]>;
  /** Names of organizations, by id. */
  names: ReadonlyMap<string, string>;
}

/** Returns those that states or the command line name. Only members have roles in an organization. */
export async function organizationsOfUser(
  tenant: StackTenant,
  { user, named, keys }: { user: string; named: readonly string[]; keys: readonly string[] },
): Promise<OrganizationsOfUser> {
  const { client, reader } = tenant;
  const memberships = ifListed(await reader.organizationsOfUser(user));
  const isAll = named.includes(ALL_ORGANIZATIONS);
  if (memberships.value === undefined) {
    const ids = [...new Set([...(await idsOfOrganizations(tenant, named)), ...organizationsOf(keys)])];
    const names = [...valuesIn(await reader.namesOfOrganizations(ids))];
    const reason = client.border.quote(memberships.reason);
    return {
      ids: ids.sort(compare),
      notMemberOf: [],
      others: isAll ? undefined : { count: null, more: true, reason },
      names: namesById(
        names.map(([id, name]) => ({ id, name })),
        client,
      ),
    };
  }
  const all = new Map(memberships.value.map((organization) => [organization.id, organization]));
  const given = isAll ? [...all.keys()] : await idsOfOrganizations(tenant, named);
  const ids = [...new Set([...given, ...organizationsOf(keys)])].filter((id) => all.has(id));
  const others = all.size - ids.length;
  return {
    ids: ids.sort(compare),
    notMemberOf: namedBy(given, named).filter(({ id }) => !all.has(id)),
    others: others === 0 ? undefined : { count: others, more: false },
    names: namesById([...all.values()], client),
  };
}

/** `ids`: of the organizations that `texts` name, by name or by id. */
function namedBy(ids: readonly string[], texts: readonly string[]) {
  return ids.map((id, index) => {
    const { [index]: text = id } = texts;
    return { id, name: text === id ? null : text };
  });
}
