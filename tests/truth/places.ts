import { type AccessJson } from "../../cli/access/model";
import { type ReviewJson } from "../../provider/review/model";
import { type SimulatorState } from "../../simulator";

/* Roles where they count, as one text: `rol_…`, in an organization `org_…/rol_…`. */

export type Records = Pick<SimulatorState, "roles" | "users"> &
  Partial<Pick<SimulatorState, "organizations">>;

export function roleIn(organization: string | null | undefined, role: string): string {
  return organization === undefined || organization === null ? role : `${organization}/${role}`;
}

/** Undefined: in the tenant itself. */
export function organizationOf(role: string): string | undefined {
  return role.includes("/") ? role.split("/")[0] : undefined;
}

/** The role of an assignment's inputs or outputs. */
export function assignedRole({ organizationId, roleId }: Record<string, unknown>): string | undefined {
  if (typeof roleId !== "string") return undefined;
  return typeof organizationId === "string" ? `${organizationId}/${roleId}` : roleId;
}

export function isAssignment(kind: string): boolean {
  return kind.endsWith("RoleGroupAssignment");
}

/** A tenant's roles, everywhere: who has them in a group, and directly. */
export function rolesIn({
  roles,
  users,
  organizations = [],
}: Records): { id: string; groups: string[]; people: string[] }[] {
  const directly = (role: string) =>
    users.filter((user) => user.roles?.includes(role)).map((user) => user.user_id);
  return [
    ...roles.map(({ id, groups }) => ({ id: String(id), groups, people: directly(String(id)) })),
    ...organizations.flatMap((organization) =>
      (organization.roles ?? []).map(({ id, groups = [], members = [] }) => ({
        id: `${organization.id}/${id}`,
        groups,
        people: members,
      })),
    ),
  ];
}

/** The edges that a write is about: of one role and several groups, or the other way round. */
export function edgesOfRequest(path: string, body: unknown): { role: string; group: string }[] {
  const { groups = [], roles = [] } = (body ?? {}) as { groups?: string[]; roles?: string[] };
  const [, role] = /^\/api\/v2\/roles\/([^/]+)\/groups$/.exec(path) ?? [];
  if (role !== undefined) return groups.map((group) => ({ role, group }));
  const [, organization, group = ""] =
    /^\/api\/v2\/organizations\/([^/]+)\/groups\/([^/]+)\/roles$/.exec(path) ?? [];
  if (organization === undefined) return [];
  return roles.map((one) => ({ role: roleIn(organization, one), group }));
}

type Breaches = NonNullable<ReviewJson["rules"]>["breaches"];

/** The review with such roles in its rows. */
export function inPlaces(review: ReviewJson): ReviewJson {
  const placed = <Row extends { organization?: string | undefined; role: string }>(rows: readonly Row[]) =>
    rows.map((row) => ({ ...row, role: roleIn(row.organization, row.role) }));
  const { rules } = review;
  return {
    ...review,
    access: placed(review.access),
    after: placed(review.after),
    ...(review.direct !== undefined && { direct: placed(review.direct) }),
    ...(rules !== undefined && { rules: { ...rules, breaches: breachesInPlaces(rules.breaches) } }),
  };
}

export function breachesInPlaces<
  Breach extends Breaches[number] | NonNullable<AccessJson["rules"]>["breaches"][number],
>(breaches: readonly Breach[]): Breach[] {
  return breaches.map((breach) => ({
    ...breach,
    roles: breach.roles.map((role, n) => roleIn(breach.contexts?.[n] ?? breach.organization, role)),
  }));
}
