import { PolicyPack, type ReportViolation, type ResourceValidationPolicy } from "@pulumi/policy";

/*
 * What no program may do, whoever writes it: `pulumi preview --policy-pack <this folder>`, and the same for
 * `pulumi up`. A policy sees what the program asks for. It sees no deletes, and nothing that others do on the
 * tenant. It sees secrets in clear, and its messages are printed, so none of these quotes a group.
 */

/**
 * The only groups that may hold a role, by role. A role that is not listed here may be given to any group.
 */
const HOLDERS = new Map([
  ["rol_4hNkVx8QmTz2bRcW", ["grp_7TqWc2nYx5RkHbVd9sPmZa", "grp_5BmRd9aSj2WqTgFx7cUkEn"]],
]);

/** The most groups that one stack may give a role to. */
const MOST_GROUPS = 3;

/** A `RoleGroupAssignment`, as a policy sees it. */
interface Assignment {
  roleId: string;
  groupIds: string[];
  exclusive?: boolean;
}

/** In TypeScript, and in other languages. */
const TYPES = ["pulumi-nodejs:dynamic/identity:RoleGroupAssignment", "identity:index:RoleGroupAssignment"];

/** `validateResourceOfType` does not know dynamic resources: they are told by their type. */
function isAssignment({ type }: { type: string }): boolean {
  return TYPES.includes(type);
}

function ofAssignments(
  validate: (assignment: Assignment, report: ReportViolation) => void,
): ResourceValidationPolicy["validateResource"] {
  return (args, report) => {
    if (isAssignment(args)) validate(args.props as Assignment, report);
  };
}

new PolicyPack("access", {
  enforcementLevel: "mandatory",
  policies: [
    {
      name: "no-exclusive-assignment",
      description: "An exclusive assignment takes the role from groups that the program does not name.",
      validateResource: ofAssignments(({ roleId, exclusive }, report) => {
        if (exclusive === true) report(`The assignment of ${roleId} is exclusive.`);
      }),
    },
    {
      name: "holders-of-roles",
      description: "Some roles are for certain groups only.",
      validateResource: ofAssignments(({ roleId, groupIds }, report) => {
        const holders = HOLDERS.get(roleId);
        if (holders !== undefined && !groupIds.every((group) => holders.includes(group)))
          report(`Only ${holders.join(" and ")} may hold ${roleId}.`);
      }),
    },
    {
      name: "few-groups-a-role",
      description: `A stack gives a role to at most ${MOST_GROUPS} groups.`,
      validateStack: ({ resources }, report) => {
        const groups = new Map<string, Set<string>>();
        for (const { props } of resources.filter(isAssignment)) {
          const { roleId, groupIds } = props as Assignment;
          groups.set(roleId, new Set([...(groups.get(roleId) ?? []), ...groupIds]));
        }
        for (const [roleId, { size }] of groups)
          if (size > MOST_GROUPS) report(`${roleId} is given to ${size} groups.`);
      },
    },
  ],
});
