import { id, say, type Sentence } from "../sentence";

/** Who has a role: a group with its members, or a user alone. */
export type Holder = { group: string } | { user: string };

/** A role, and where it counts: who signs in through an organization has the roles assigned there. */
export interface RoleAt {
  /** Undefined: the role counts in the tenant itself. */
  organization?: string | undefined;
  role: string;
}

/** A holder's role: the one thing that programs grant, runs revoke, reviews list and rules judge. */
export interface Edge extends RoleAt {
  /** Host name; undefined if the preview doesn't name it. */
  tenant?: string | undefined;
  holder: Holder;
}

/** The role's id; in an organization `org_…/rol_…`. */
export function roleKey({ organization, role }: RoleAt): string {
  return organization === undefined ? role : `${organization}/${role}`;
}

/** Returns the role with this key. */
export function roleOfKey(key: string): RoleAt {
  const [role = "", organization] = key.split("/").reverse();
  return { organization, role };
}

/** The organizations in which roles count, by the roles' keys, each once. */
export function organizationsOf(keys: Iterable<string>): string[] {
  return [...new Set([...keys].flatMap((key) => roleOfKey(key).organization ?? []))];
}

/** `role rol_…`, `role rol_… in org_…` */
export function roleText({ organization, role }: RoleAt): string {
  return organization === undefined ? `role ${role}` : `role ${role} in ${organization}`;
}

export function roleSentence({ organization, role }: RoleAt): Sentence {
  return organization === undefined ? say`${id(role)}` : say`${id(role)} in ${id(organization)}`;
}

/** Equal for the same edge, different for different ones. */
export function edgeKey({ tenant, organization, role, holder }: Edge): string {
  return [
    ...(tenant === undefined ? [] : [inKey(tenant)]),
    ...(organization === undefined ? [] : [`organization:${inKey(organization)}`]),
    inKey(role, /[%:\s]/g),
    holderKey(holder),
  ].join(" ");
}

export function holderKey(holder: Holder): string {
  return "group" in holder ? inKey(holder.group, /[%:\s]/g) : `user:${inKey(holder.user)}`;
}

/** Ids of other origin than the service may hold what separates the parts. */
function inKey(text: string, special = /[%\s]/g): string {
  // Almost no id does, and keys are made by the ten thousands.
  return special.test(text) ? text.replace(special, encodeURIComponent) : text;
}

export function isOfGroup({ holder }: Pick<Edge, "holder">): boolean {
  return "group" in holder;
}

/** Returns the group; nothing for a user alone. */
export function groupIn(holder: Holder): string[] {
  return "group" in holder ? [holder.group] : [];
}

export function holderId(holder: Holder): string {
  return "group" in holder ? holder.group : holder.user;
}

/** Returns each edge once, sorted by tenant, role and holder; those of unknown tenants come last. */
export function sortedEdges(edges: Iterable<Edge>): Edge[] {
  const rank = ({ tenant }: Edge) => (tenant === undefined ? "1" : "0");
  const byKey = new Map([...edges].map((edge) => [`${rank(edge)} ${edgeKey(edge)}`, edge]));
  return [...byKey.keys()].sort().map((key) => byKey.get(key) as Edge);
}
