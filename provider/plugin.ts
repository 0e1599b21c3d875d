#!/usr/bin/env node
/*
 * The provider as a plugin, which the engine starts for programs in any language. It never loads
 * `@pulumi/pulumi` itself, only the protocol in its folder, and only the parts of this package that a call
 * needs.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { getConnectionProfilesSource } from "./data-sources/get-connection-profiles";
import { getDeviceCredentialsSource } from "./data-sources/get-device-credentials";
import { getGroupSource } from "./data-sources/get-group";
import { getOrganizationSource } from "./data-sources/get-organization";
import { getRoleSource } from "./data-sources/get-role";
import { getRoleGroupsSource } from "./data-sources/get-role-groups";
import { getUserSource } from "./data-sources/get-user";
import { getUserPermissionsSource } from "./data-sources/get-user-permissions";
import { handlersOf } from "./pulumi/host/lifecycle";
import { type PackageContents } from "./pulumi/plugin/server";
import { serve } from "./pulumi/plugin/serve";
import { connectionProfileKind } from "./resources/connection-profile/kind";
import { deviceCredentialRemovalKind } from "./resources/device-credential-removal/kind";
import { organizationRoleGroupAssignmentKind } from "./resources/organization-role-group-assignment/kind";
import { roleGroupAssignmentKind } from "./resources/role-group-assignment/kind";

const contents: PackageContents = {
  resources: {
    ConnectionProfile: (door) => handlersOf(connectionProfileKind, door),
    DeviceCredentialRemoval: (door) => handlersOf(deviceCredentialRemovalKind, door),
    OrganizationRoleGroupAssignment: (door) => handlersOf(organizationRoleGroupAssignmentKind, door),
    RoleGroupAssignment: (door) => handlersOf(roleGroupAssignmentKind, door),
  },
  dataSources: {
    getConnectionProfiles: () => getConnectionProfilesSource,
    getDeviceCredentials: () => getDeviceCredentialsSource,
    getGroup: () => getGroupSource,
    getOrganization: () => getOrganizationSource,
    getRole: () => getRoleSource,
    getRoleGroups: () => getRoleGroupsSource,
    getUser: () => getUserSource,
    getUserPermissions: () => getUserPermissionsSource,
  },
  schema: () => readFileSync(join(__dirname, "..", "..", "schema.json"), "utf8"),
};

void serve(contents, process.argv.slice(2));
