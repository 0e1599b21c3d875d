/*
 * What the engine requires by the texts that it keeps in state (see pulumi/program/registration.ts): a name
 * that is exported here may never be removed or renamed, or state made by an earlier release could no longer
 * be read or destroyed.
 */
export { connectionProfile } from "./resources/connection-profile/kind";
export { deviceCredentialRemoval } from "./resources/device-credential-removal/kind";
export { roleGroupAssignment } from "./resources/role-group-assignment/kind";
