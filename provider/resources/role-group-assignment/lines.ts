import { groupList } from "../../pulumi/preview-lines";

/** `role rol_…: + grp_a; − grp_b; hands over grp_c`; undefined without a change. */
export function changeLine(
  roleId: string,
  added: readonly string[],
  removed: readonly string[],
  moving: readonly string[],
): string | undefined {
  const parts = [
    ...(added.length > 0 ? [`+ ${groupList(added)}`] : []),
    ...(removed.length > 0 ? [`− ${groupList(removed)}`] : []),
    ...(moving.length > 0 ? [`hands over ${groupList(moving)}`] : []),
  ];
  return parts.length === 0 ? undefined : `role ${roleId}: ${parts.join("; ")}`;
}
