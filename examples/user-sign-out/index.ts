import { RoleGroupAssignment, UserSignOut } from "pulumi-identity";

// What helpers at the desk may do. Who they are stands in the directory.
const helpers = new RoleGroupAssignment("helpers", {
  roleId: "rol_4hNkVx8QmTz2bRcW",
  groupIds: ["grp_8HvYs4eMk3ZpLfDr6tXbNj"],
});

// Each line was a pull request: who left when is in its history. Removing a line later changes nothing on the
// tenant.
const left = {
  "desk-seven": "oidc|partner-directory|2004",
};

// Whoever signs in again in between would stay signed in, so the access changes first.
export const signedOut = Object.entries(left).map(
  ([person, userId]) => new UserSignOut(person, { userId }, { dependsOn: helpers }).userId,
);
