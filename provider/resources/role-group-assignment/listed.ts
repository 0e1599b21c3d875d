import { type Edge } from "../../access/edge";
import { endOf, Grants } from "../../access/grants";
import { type Step } from "../../review/step";
import { assignmentsIn } from "./assignment-step";

/** Returns what all assignments list, before a change or after it, as far as it shows. */
export function listedIn(steps: readonly Step[], when: "before" | "after", stack?: string): Grants {
  const listed = new Grants();
  for (const assignment of assignmentsIn(steps)) {
    const side = when === "before" ? assignment.before : assignment.listed;
    const { name, line } = assignment.step;
    for (const edge of side?.edges ?? []) listed.add(edge, { stack, name, line, until: side?.endText });
  }
  return listed;
}

/** The groups to which a program's assignments give a role, with end dates. */
export interface ListedRole {
  tenant: string | undefined;
  role: string;
  groups: { id: string; until?: string | undefined }[];
}

/** Returns what the program lists after a change, by role: what a held run may grant. */
export function rolesListed(steps: readonly Step[]): ListedRole[] {
  const roles = new Map<string, ListedRole>();
  const keyOf = ({ tenant, role }: Pick<Edge, "tenant" | "role">) => JSON.stringify([tenant ?? null, role]);
  for (const { before, listed } of assignmentsIn(steps))
    for (const { tenant, role } of [before, listed].filter((side) => side !== undefined))
      if (role !== undefined) roles.set(keyOf({ tenant, role }), { tenant, role, groups: [] });
  for (const grant of listedIn(steps, "after"))
    if ("group" in grant.holder)
      roles.get(keyOf(grant))?.groups.push({ id: grant.holder.group, until: endOf(grant) });
  return [...roles.values()];
}
