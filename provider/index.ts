/**
 * The resources, data sources, settings and errors of the package.
 *
 * @module pulumi-identity
 */

// Imported first, not on first use: by then the program may have changed its folder.
import "./pulumi/program/program-folder";

export {
  ApiError,
  AuthenticationError,
  type CallName,
  ConfigurationError,
  type ErrorAnswer,
  IdentityError,
  IncompleteListError,
  InsufficientScopeError,
  InvalidInputError,
  NetworkError,
  NotFoundError,
  RateLimitedError,
  TimeoutError,
  UnexpectedAnswerError,
} from "./http/errors";
export { type RequestOutcome } from "./http/errors";
export {
  type ConnectionProfileValues,
  getConnectionProfiles,
  type GetConnectionProfilesArgs,
  getConnectionProfilesOutput,
  type GetConnectionProfilesOutputArgs,
  type GetConnectionProfilesResult,
} from "./data-sources/get-connection-profiles";
export {
  type DeviceCredential,
  DeviceCredentialType,
  getDeviceCredentials,
  type GetDeviceCredentialsArgs,
  getDeviceCredentialsOutput,
  type GetDeviceCredentialsOutputArgs,
  type GetDeviceCredentialsResult,
} from "./data-sources/get-device-credentials";
export {
  getGroup,
  type GetGroupArgs,
  getGroupOutput,
  type GetGroupOutputArgs,
  type GetGroupResult,
} from "./data-sources/get-group";
export {
  getOrganization,
  type GetOrganizationArgs,
  getOrganizationOutput,
  type GetOrganizationOutputArgs,
  type GetOrganizationResult,
} from "./data-sources/get-organization";
export {
  getRole,
  type GetRoleArgs,
  getRoleOutput,
  type GetRoleOutputArgs,
  type GetRoleResult,
} from "./data-sources/get-role";
export {
  getRoleGroups,
  type GetRoleGroupsArgs,
  getRoleGroupsOutput,
  type GetRoleGroupsOutputArgs,
  type GetRoleGroupsResult,
  type RoleGroup,
} from "./data-sources/get-role-groups";
export {
  getUser,
  type GetUserArgs,
  getUserOutput,
  type GetUserOutputArgs,
  type GetUserResult,
  type IdentityProviderName,
  type UserField,
  type UserIdentity,
  type UserProfileData,
} from "./data-sources/get-user";
export {
  getUserPermissions,
  type GetUserPermissionsArgs,
  getUserPermissionsOutput,
  type GetUserPermissionsOutputArgs,
  type GetUserPermissionsResult,
  type UserPermission,
  type UserPermissionSource,
} from "./data-sources/get-user-permissions";
export { type DataSourceOptions, type DataSourceOutputOptions } from "./pulumi/program/data-source-options";
export { PrivateKeyAlgorithm, Provider, type ProviderArgs } from "./pulumi/program/provider";
export { ConnectionProfile, type ConnectionProfileArgs, type InputsOf } from "./resources/connection-profile";
export {
  DeviceCredentialRemoval,
  type DeviceCredentialRemovalArgs,
} from "./resources/device-credential-removal";
export {
  OrganizationRoleGroupAssignment,
  type OrganizationRoleGroupAssignmentArgs,
} from "./resources/organization-role-group-assignment";
export { RoleGroupAssignment, type RoleGroupAssignmentArgs } from "./resources/role-group-assignment";
export { UserSignOut, type UserSignOutArgs } from "./resources/user-sign-out";
export {
  ConnectionFeature,
  type ConnectionProfileOrganization,
  type ConnectionProvisioning,
  type ConnectionStrategy,
  CrossAppAccess,
  type CrossAppAccessResourceApp,
  type CrossAppAccessStatus,
  type GoogleWorkspaceProvisioning,
  OrganizationParticipation,
  type ScimProvisioning,
  type ScimTokens,
  ScimTokenScope,
  type StrategyOverride,
  type StrategyOverrides,
} from "./service/profile-types";
