import { type Contents, roleWords } from "./contents";

/** Writes the file for `pulumi import --file`: Pulumi then reads each resource, and writes the program. */
export function importFile({ profiles, assignments }: Contents): string {
  const resources = [
    ...profiles
      .filter(({ isImportable }) => isImportable)
      .map(({ name, id }) => ({ type: "identity:index:ConnectionProfile", name, id })),
    ...assignments
      .filter(({ importObstacle }) => importObstacle === undefined)
      .map(({ name, id, organization }) => ({
        type:
          organization === undefined
            ? "identity:index:RoleGroupAssignment"
            : "identity:index:OrganizationRoleGroupAssignment",
        name,
        id,
      })),
  ];
  return `${JSON.stringify({ resources }, null, 2)}\n`;
}

/** Lists the resources missing from the file, with reasons, because JSON has no comments. */
export function leftOutOfImport({ profiles, assignments }: Contents): string[] {
  return [
    ...profiles
      .filter(({ isImportable }) => !isImportable)
      .map(({ id, title, leftOut }) => `Left out: connection profile ${id} ${title}: ${leftOut.join(" ")}`),
    ...assignments.flatMap((assignment) =>
      assignment.importObstacle === undefined
        ? []
        : [`Left out: role ${roleWords(assignment)}: ${assignment.importObstacle}`],
    ),
  ];
}
