/*
 * The plugin's resources and data sources by name, each loaded on demand.
 */

import { getConnectionProfilesSource } from "./data-sources/get-connection-profiles";
import { getDeviceCredentialsSource } from "./data-sources/get-device-credentials";
import { getGroupSource } from "./data-sources/get-group";
import { getOrganizationSource } from "./data-sources/get-organization";
import { getRoleSource } from "./data-sources/get-role";
import { getRoleGroupsSource } from "./data-sources/get-role-groups";
import { getUserSource } from "./data-sources/get-user";
import { getUserPermissionsSource } from "./data-sources/get-user-permissions";
import { type KindName } from "./kinds";
import { type Door } from "./pulumi/host/door";
import { type Handlers, handlersOf } from "./pulumi/host/lifecycle";
import { type PackageContents } from "./pulumi/plugin/server";
import { connectionProfileKind } from "./resources/connection-profile/kind";
import { deviceCredentialRemovalKind } from "./resources/device-credential-removal/kind";
import { organizationRoleGroupAssignmentKind } from "./resources/organization-role-group-assignment/kind";
import { roleGroupAssignmentKind } from "./resources/role-group-assignment/kind";
import { userSignOutKind } from "./resources/user-sign-out/kind";

export const RESOURCES: Readonly<Record<KindName, (door: Door) => Handlers>> = {
  ConnectionProfile: (door) => handlersOf(connectionProfileKind, door),
  DeviceCredentialRemoval: (door) => handlersOf(deviceCredentialRemovalKind, door),
  OrganizationRoleGroupAssignment: (door) => handlersOf(organizationRoleGroupAssignmentKind, door),
  RoleGroupAssignment: (door) => handlersOf(roleGroupAssignmentKind, door),
  UserSignOut: (door) => handlersOf(userSignOutKind, door),
};

export const DATA_SOURCES: Readonly<PackageContents["dataSources"]> = {
  getConnectionProfiles: () => getConnectionProfilesSource,
  getDeviceCredentials: () => getDeviceCredentialsSource,
  getGroup: () => getGroupSource,
  getOrganization: () => getOrganizationSource,
  getRole: () => getRoleSource,
  getRoleGroups: () => getRoleGroupsSource,
  getUser: () => getUserSource,
  getUserPermissions: () => getUserPermissionsSource,
};
