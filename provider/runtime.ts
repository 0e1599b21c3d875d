/*
 * The engine requires these exports by the texts that it keeps in state (see pulumi/program/registration.ts).
 * Never remove or rename one, or state of an earlier release could no longer be read or destroyed.
 */
export { connectionProfile } from "./resources/connection-profile/kind";
export { deviceCredentialRemoval } from "./resources/device-credential-removal/kind";
export { organizationRoleGroupAssignment } from "./resources/organization-role-group-assignment/kind";
export { roleGroupAssignment } from "./resources/role-group-assignment/kind";
export { userSignOut } from "./resources/user-sign-out/kind";
