import { holderId, roleKey } from "../../../provider/access/edge";
import { listedIn, openRolesIn } from "../../../provider/resources/role-group-assignment/review";
import { hiddenIn, type Side, type Step } from "../../../provider/review/step";

/** The subjects of a review's questions to a tenant. */
export interface Subjects {
  /** Roles that change. */
  roles: readonly RoleOfTenant[];
  /** Credentials to be removed. */
  credentials: readonly string[];
  /** Names of profiles to be created. */
  profiles: readonly string[];
  /** Listed by all assignments, unchanged ones too. */
  listed: readonly { role: string; group: string }[];
  /** Roles of assignments that may concern groups that none lists. */
  open: readonly string[];
}

export interface RoleOfTenant {
  tenant: string | undefined;
  /** The key of the role, which names its organization, if it counts in one. */
  role: string;
  groups: readonly string[];
}

export function subjectsIn(steps: readonly Step[]): Subjects {
  const changed = steps.filter(({ op }) => op !== "same");
  const ofKind = (kind: string) => changed.filter((step) => step.kind === kind);
  const listed = [...listedIn(steps, "before"), ...listedIn(steps, "after")];
  return {
    roles: rolesIn(steps),
    listed: listed.map((edge) => ({ role: roleKey(edge), group: holderId(edge.holder) })),
    open: openRolesIn(steps),
    credentials: ofKind("DeviceCredentialRemoval").flatMap(({ after }) =>
      shownText(after?.inputs["deviceCredentialId"]),
    ),
    profiles: ofKind("ConnectionProfile").flatMap(({ op, after }) =>
      op === "update" || after?.inputs["adopt"] !== undefined ? [] : shownText(after?.inputs["name"]),
    ),
  };
}

export function areNone({
  roles,
  credentials,
  profiles,
}: Pick<Subjects, "roles" | "credentials" | "profiles">): boolean {
  return roles.length + credentials.length + profiles.length === 0;
}

export function rolesIn(steps: readonly Step[]): RoleOfTenant[] {
  const changed = steps.filter(({ op }) => op !== "same");
  return changed.flatMap(({ before, after }) => [...rolesOf(before), ...rolesOf(after)]);
}

function rolesOf(side: Side | undefined): RoleOfTenant[] {
  const { organizationId, roleId, groupIds } = side?.inputs ?? {};
  const organizations = organizationId === undefined ? [undefined] : shownText(organizationId);
  const groups = Array.isArray(groupIds) ? groupIds.flatMap(shownText) : [];
  return organizations.flatMap((organization) =>
    shownText(roleId).map((role) => ({
      tenant: side?.tenant,
      role: roleKey({ organization, role }),
      groups,
    })),
  );
}

function shownText(value: unknown): string[] {
  return typeof value === "string" && hiddenIn(value) === undefined ? [value] : [];
}
