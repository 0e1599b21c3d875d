import { type Edge, type RoleAt, roleKey } from "../../access/edge";
import { endOf, type Grant, Grants, groupedBy } from "../../access/grants";
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

/** Returns roles of assignments that may concern groups that none lists: they are exclusive, or hide some. */
export function openRolesIn(steps: readonly Step[]): string[] {
  const sides = assignmentsIn(steps).flatMap(({ before, after }) => [before, after]);
  const open = sides.filter(
    (side) => side !== undefined && (side.exclusive !== false || side.hidden !== undefined),
  );
  return [...new Set(open.flatMap((side) => (side?.at === undefined ? [] : [roleKey(side.at)])))];
}

/** The groups to which a program's assignments give a role, with end dates. */
export interface ListedRole extends RoleAt {
  tenant: string | undefined;
  groups: { id: string; until?: string | undefined }[];
}

/** Returns what the program lists after a change, by role: what a held run may grant. */
export function rolesListed(steps: readonly Step[]): ListedRole[] {
  const keyOf = ({ tenant, organization, role }: Omit<Edge, "holder">) =>
    JSON.stringify([tenant ?? null, organization ?? null, role]);
  const grants = groupedBy(listedIn(steps, "after"), keyOf);
  const roles = assignmentsIn(steps)
    .flatMap(({ before, listed }) => [before, listed])
    .flatMap((side) => (side?.at === undefined ? [] : [{ tenant: side.tenant, ...side.at }]));
  return [...groupedBy(roles, keyOf)].flatMap(([key, sides]) =>
    sides.slice(0, 1).map((of) => ({ ...of, groups: (grants.get(key) ?? []).flatMap(listedGroup) })),
  );
}

function listedGroup(grant: Grant): ListedRole["groups"] {
  return "group" in grant.holder ? [{ id: grant.holder.group, until: endOf(grant) }] : [];
}
