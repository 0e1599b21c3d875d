import { roleKey } from "../../../provider/access/edge";
import { type Grant } from "../../../provider/access/grants";
import { listedIn, openRolesIn } from "../../../provider/resources/role-group-assignment/review";
import { hiddenIn, type Side } from "../../../provider/review/step";
import { rolesOfAuth0 } from "../input/auth0-effects";
import { type Preview } from "../input/preview";

/** The subjects of a review's questions to a tenant. */
export interface Subjects {
  /** Roles that change. */
  roles: readonly RoleOfTenant[];
  /** Credentials to be removed. */
  credentials: readonly string[];
  /** Names of profiles to be created. */
  profiles: readonly string[];
  /** Listed by all assignments, unchanged ones too. */
  listed: readonly Grant[];
  /** Roles of assignments that may concern groups that none lists. */
  open: readonly string[];
  /** Those of the roles that gain or lose permissions: all of their people count. */
  permitted: readonly string[];
}

export interface RoleOfTenant {
  tenant: string | undefined;
  /** The key of the role, which names its organization, if it counts in one. */
  role: string;
  groups: readonly string[];
}

export function subjectsIn(preview: Pick<Preview, "steps" | "auth0">): Subjects {
  const { steps } = preview;
  const changed = steps.filter(({ op }) => op !== "same");
  const ofKind = (kind: string) => changed.filter((step) => step.kind === kind);
  const listed = [...listedIn(steps, "before"), ...listedIn(steps, "after")];
  return {
    roles: rolesIn(preview),
    permitted: rolesOfAuth0(preview).permitted.map(({ role }) => role),
    listed,
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

export function rolesIn(preview: Pick<Preview, "steps" | "auth0">): RoleOfTenant[] {
  const changed = preview.steps.filter(({ op }) => op !== "same");
  const { changing, permitted } = rolesOfAuth0(preview);
  return [
    ...changed.flatMap(({ before, after }) => [...rolesOf(before), ...rolesOf(after)]),
    ...[...changing, ...permitted].map((role) => ({ ...role, groups: [] })),
  ];
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
