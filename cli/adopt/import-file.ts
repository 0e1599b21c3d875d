import { type KindName, pluginToken } from "../../provider/kinds";
import { type Contents, kindOfAssignment, roleWords } from "./contents";
import { PROFILE } from "./profile";

/** Writes the file for `pulumi import --file`: Pulumi then reads each resource, and writes the program. */
export function importFile({ profiles, assignments }: Contents): string {
  const resources = [
    ...profiles.filter(({ isImportable }) => isImportable).map((profile) => entryOf(PROFILE, profile)),
    ...assignments
      .filter(({ importObstacle }) => importObstacle === undefined)
      .map((assignment) => entryOf(kindOfAssignment(assignment), assignment)),
  ];
  return `${JSON.stringify({ resources }, null, 2)}\n`;
}

function entryOf(kind: KindName, { name, id }: { name: string; id: string }): object {
  return { type: pluginToken(kind), name, id };
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
