import { RoleGroupAssignment, UserSignOut } from "pulumi-identity";

// What the support team may do. Its members are in the directory.
const support = new RoleGroupAssignment("support", {
  roleId: "rol_4hNkVx8QmTz2bRcW",
  groupIds: ["grp_3KzLp8fGt6NvXeJw4uQhCy"],
});

// Each line was a pull request: who left when is in its history. Removing a line later changes nothing on the
// tenant.
const left = {
  "support-one": "auth0|64c1f0a2b7d83e5f9a1b2c3d",
};

// Whoever signs in again in between would stay signed in, so the access changes first.
export const signedOut = Object.entries(left).map(
  ([person, userId]) => new UserSignOut(person, { userId }, { dependsOn: support }).userId,
);
