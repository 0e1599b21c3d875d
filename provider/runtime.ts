/*
 * What the engine requires by the texts that it keeps in state (see pulumi/program/identity-resource.ts): a name that is
 * exported here may never be removed or renamed, or state made by an earlier release could no longer be read or destroyed.
 */
import { lifecycle } from "./pulumi/host/lifecycle";
import { connectionProfileKind } from "./resources/connection-profile/kind";
import { deviceCredentialRemovalKind } from "./resources/device-credential-removal/kind";
import { roleGroupAssignmentKind } from "./resources/role-group-assignment/kind";

export const connectionProfile = lifecycle(connectionProfileKind);
export const deviceCredentialRemoval = lifecycle(deviceCredentialRemovalKind);
export const roleGroupAssignment = lifecycle(roleGroupAssignmentKind);
