import { roleOfKey } from "../../provider/access/edge";
import { isExpired } from "../../provider/access/until";
import { type Named } from "../../provider/service/record";
import { say, type Sentence, tail } from "../../provider/sentence";
import { compare, optional } from "../lists";
import { type AccessJson } from "./model";
import { type AccessGroup, type AccessRole, type Claims } from "./claims";

type GrantStatus = AccessGroup["status"];

export interface TenantRoles {
  roles: readonly Named[];
  groups: ReadonlyMap<string, readonly Named[]>;
  /** Names of further groups, of organizations, and of roles in these, by id. */
  names: ReadonlyMap<string, string>;
  /** Requested groups that aren't on the tenant. */
  gone: ReadonlySet<string>;
  /** Lists that could not be read whole, with reasons. */
  incomplete: readonly string[];
  /** Roles and groups whose list was read only in part. */
  inPart: ReadonlySet<string>;
}

export interface Filter {
  /** Ids; empty: all. */
  roles: readonly string[];
  groups: readonly string[];
}

/** `roles`: their ids, or none for all; a role counts in the tenant, and in organizations. */
export function isAskedFor(key: string, roles: readonly string[]): boolean {
  return roles.length === 0 || roles.includes(roleOfKey(key).role);
}

/** The most urgent come first. */
const STATUS_ORDER: readonly GrantStatus[] = ["unmanaged", "drift", "unknown", "managed"];

export function rolesOf(
  { roles, groups: groupsOf, names, inPart }: TenantRoles,
  claims: Claims,
  filter: Filter,
): AccessRole[] {
  const nameOfRole = new Map(roles.map(({ id, name }) => [id, name ?? null]));
  const named = [...groupsOf.values()].flat().filter(({ name }) => name);
  const nameOfGroup = new Map([...names, ...named.map(({ id, name }) => [id, name as string] as const)]);
  const nameOf = (group: string) => nameOfGroup.get(group) ?? null;
  const isShown = (group: { id: string }) => filter.groups.length === 0 || filter.groups.includes(group.id);
  const known = [...nameOfRole.keys(), ...claims.assignments.map(({ role }) => role)];
  const shown = [...filter.roles, ...known.filter((key) => isAskedFor(key, filter.roles))];
  return [...new Set(shown)]
    .map((id): AccessRole => {
      const has = groupsOf.get(id) ?? [];
      const have = new Set(has.map((group) => group.id));
      const rows = [
        ...has.map((group) => claims.has(id, { id: group.id, name: group.name ?? nameOf(group.id) })),
        ...(inPart.has(id) ? [] : claims.lacking(id, have, nameOf)).filter((group) => !inPart.has(group.id)),
      ];
      return {
        id,
        name: nameOfRole.get(id) ?? null,
        ...placeOf(id, names),
        exists: nameOfRole.has(id),
        groups: sortedGroups(rows.filter(isShown)),
        secret: claims.secret(id, have),
        ...(inPart.has(id) && { incomplete: true }),
      };
    })
    .filter(({ groups, secret }) => filter.groups.length === 0 || groups.length + secret.length > 0)
    .sort(byName);
}

function placeOf(key: string, names: ReadonlyMap<string, string>): Pick<AccessRole, "organization" | "role"> {
  const { organization, role } = roleOfKey(key);
  if (organization === undefined) return {};
  const named = (id: string) => ({ id, name: names.get(id) ?? null });
  return { organization: named(organization), role: named(role) };
}

/** True for a role in an organization that nobody has there, and no state claims. */
export function isNobodys(role: AccessRole): boolean {
  const { organization, groups, secret, people, direct, incomplete = false } = role;
  return (
    organization !== undefined &&
    direct === undefined &&
    !incomplete &&
    groups.length + secret.length + (people?.count ?? 0) === 0
  );
}

export function sortedGroups(groups: readonly AccessGroup[]): AccessGroup[] {
  return [...groups].sort(
    (one, other) =>
      STATUS_ORDER.indexOf(one.status) - STATUS_ORDER.indexOf(other.status) || byName(one, other),
  );
}

/** `support-agent rol_…`; the id alone if it has no name. */
export function namedThing({ id, name }: { id: string; name?: string | null | undefined }): Sentence {
  return say`${tail`${name} `}${{ id }}`;
}

/** Objects without a name come last. */
export function byName(one: Named, other: Named): number {
  return (
    Number(!one.name) - Number(!other.name) ||
    compare(one.name ?? "", other.name ?? "") ||
    compare(one.id, other.id)
  );
}

export function accessCountsOf(roles: readonly AccessRole[]): AccessJson["counts"] {
  const all = roles.flatMap(({ groups }) => groups);
  const count = (of: GrantStatus) => all.filter(({ status }) => status === of).length;
  const drift = count("drift");
  return {
    roles: roles.length,
    grants: all.length - drift,
    managed: count("managed"),
    unmanaged: count("unmanaged"),
    drift,
    unknown: count("unknown"),
    expired: all.filter(isExpired).length,
  };
}

export const FINDINGS = ["unmanaged", "drift", "expired", "rules", "changes", "ends", "left"] as const;
export type AccessFinding = (typeof FINDINGS)[number];

type JudgedAnswer = Pick<AccessJson, "counts" | "roles" | "incomplete" | "otherOrganizations"> & {
  rules?: { breaches: readonly { exception?: unknown }[]; gaps: readonly string[] } | undefined;
  ends?: { assignments: readonly unknown[]; secret: readonly unknown[] } | undefined;
  user?: { leaving?: { left: boolean | null } | undefined } | null;
  compared?: { changes: readonly unknown[]; gaps: readonly unknown[] } | undefined;
};

/** Returns the findings of an answer, and those that can't be ruled out. */
export function findingsIn(answer: JudgedAnswer): AccessFinding[] {
  const numbers = numbersIn(answer);
  const isOfLeaver = answer.user?.leaving !== undefined;
  return FINDINGS.filter((finding) => {
    const found = numbers[finding];
    if (found === undefined || (isOfLeaver && finding !== "left")) return false;
    // A list that could not be read may hold any finding.
    return (answer.incomplete.length > 0 && !isOfLeaver) || found.certain + found.possible > 0;
  });
}

/** False for what may only be where nobody asked, or could read. */
export function isCertain(finding: AccessFinding, answer: JudgedAnswer): boolean {
  return (numbersIn(answer)[finding]?.certain ?? 0) > 0;
}

/** Undefined for what the answer wasn't asked for. */
function numbersIn({
  counts,
  roles,
  rules,
  compared,
  ends,
  user,
  otherOrganizations,
}: JudgedAnswer): Record<AccessFinding, { certain: number; possible: number } | undefined> {
  const hidden = roles.flatMap(({ secret }) => secret);
  const hiddenExpired = hidden.filter(({ expired }) => expired);
  // Those of states are all asked, so only what was given by hand can be elsewhere.
  const elsewhere = optional(otherOrganizations).length;
  const broken = (rules?.breaches ?? []).filter(({ exception }) => exception === undefined);
  const left = user?.leaving?.left;
  return {
    unmanaged: { certain: counts.unmanaged, possible: counts.unknown + elsewhere },
    drift: { certain: counts.drift, possible: hidden.length },
    expired: { certain: counts.expired, possible: hiddenExpired.length },
    rules: rules && { certain: broken.length, possible: rules.gaps.length + hidden.length },
    changes: compared && { certain: compared.changes.length, possible: compared.gaps.length },
    ends: ends && { certain: ends.assignments.length, possible: ends.secret.length },
    left:
      left === undefined ? undefined : { certain: Number(left === true), possible: Number(left === null) },
  };
}
