/**
 * The resources, data sources, settings and errors of the package.
 *
 * @module pulumi-identity
 */

// Not when it is first used, as other imports: by then the program may have gone elsewhere.
import "./pulumi/program/program-folder";

export {
  ApiError,
  AuthenticationError,
  type CallName,
  ConfigurationError,
  type ErrorAnswer,
  IdentityError,
  InsufficientScopeError,
  InvalidInputError,
  NetworkError,
  NotFoundError,
  RateLimitedError,
  TimeoutError,
  UnexpectedAnswerError,
} from "./http/errors";
export { type RequestOutcome } from "./http/errors";
// These files declare no other types than those of programs. Stars for values would load them all at once.
export type * from "./data-sources/get-connection-profiles";
export type * from "./data-sources/get-device-credentials";
export type * from "./data-sources/get-group";
export type * from "./data-sources/get-role";
export type * from "./data-sources/get-role-groups";
export type * from "./data-sources/get-user";
export type * from "./data-sources/get-user-permissions";
export { getConnectionProfiles, getConnectionProfilesOutput } from "./data-sources/get-connection-profiles";
export { getDeviceCredentials, getDeviceCredentialsOutput } from "./data-sources/get-device-credentials";
export { getGroup, getGroupOutput } from "./data-sources/get-group";
export { getRole, getRoleOutput } from "./data-sources/get-role";
export { getRoleGroups, getRoleGroupsOutput } from "./data-sources/get-role-groups";
export { getUser, getUserOutput } from "./data-sources/get-user";
export { getUserPermissions, getUserPermissionsOutput } from "./data-sources/get-user-permissions";
export { type DataSourceOptions, type DataSourceOutputOptions } from "./pulumi/program/data-source-options";
export { Provider, type ProviderArgs } from "./pulumi/program/provider";
export {
  ConnectionProfile,
  type ConnectionProfileArgs,
  type ConnectionProfileOrganization,
  type StrategyOverride,
} from "./resources/connection-profile";
export {
  DeviceCredentialRemoval,
  type DeviceCredentialRemovalArgs,
} from "./resources/device-credential-removal";
export { RoleGroupAssignment, type RoleGroupAssignmentArgs } from "./resources/role-group-assignment";
export {
  type ConnectionFeature,
  type ConnectionProfileOrganizationValues,
  type ConnectionStrategy,
  type OrganizationParticipation,
  type StrategyOverridesValues,
  type StrategyOverrideValues,
} from "./service/profile-types";
