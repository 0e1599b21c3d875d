import { type Door } from "../../provider/pulumi/host/door";
import { type Handlers, handlersOf } from "../../provider/pulumi/host/lifecycle";
import { connectionProfileKind } from "../../provider/resources/connection-profile/kind";
import { deviceCredentialRemovalKind } from "../../provider/resources/device-credential-removal/kind";
import { organizationRoleGroupAssignmentKind } from "../../provider/resources/organization-role-group-assignment/kind";
import { roleGroupAssignmentKind } from "../../provider/resources/role-group-assignment/kind";
import { type Kind } from "../engine/program";

/** The resources of `provider/runtime.ts` and `provider/plugin.ts`, for hosts in this process. */
export const KINDS: Readonly<Record<Kind, (door: Door) => Handlers>> = {
  ConnectionProfile: (door) => handlersOf(connectionProfileKind, door),
  DeviceCredentialRemoval: (door) => handlersOf(deviceCredentialRemovalKind, door),
  OrganizationRoleGroupAssignment: (door) => handlersOf(organizationRoleGroupAssignmentKind, door),
  RoleGroupAssignment: (door) => handlersOf(roleGroupAssignmentKind, door),
};
