import { type Edge, groupIn, type RoleAt, roleKey } from "../../../provider/access/edge";
import { endOf, type Grant, Grants, groupedBy } from "../../../provider/access/grants";
import { endChange } from "../../../provider/access/until";
import { optional } from "../../../provider/sentence";
import { type Step } from "./step";
import { assignmentsIn } from "./assignment-step";

/** Returns what all assignments list, before a change or after it, as far as it shows. */
export function listedIn(steps: readonly Step[], when: "before" | "after", stack?: string): Grants {
  return new Grants(
    assignmentsIn(steps).flatMap(({ before, listed, step: { name, line } }) => {
      const { edges = [], endText: until } = { before, after: listed }[when] ?? {};
      return edges.map((edge) => ({ ...edge, by: [{ stack, name, line, until }] }));
    }),
  );
}

/** Returns roles of assignments that may concern groups that none lists: they are exclusive, or hide some. */
export function openRolesIn(steps: readonly Step[]): string[] {
  const sides = assignmentsIn(steps).flatMap((assignment) => assignment.sides);
  const open = sides.filter(({ exclusive, hidden }) => exclusive !== false || hidden !== undefined);
  return [...new Set(open.flatMap(({ at }) => at ?? []).map(roleKey))];
}

/** The groups to which a program's assignments give a role, with end dates. */
export interface ListedRole extends RoleAt {
  tenant: string | undefined;
  groups: { id: string; until?: string | undefined; earlier?: string[] }[];
}

/** Returns what the program lists after a change, by role: what a held run may grant. */
export function rolesListed(steps: readonly Step[]): ListedRole[] {
  const keyOf = ({ tenant, organization, role }: Omit<Edge, "holder">) =>
    JSON.stringify([tenant ?? null, organization ?? null, role]);
  const grants = groupedBy(listedIn(steps, "after"), keyOf);
  const roles = assignmentsIn(steps)
    .flatMap(({ before, listed }) => [...optional(before), ...optional(listed)])
    .flatMap(({ tenant, at }) => optional(at).map((role) => ({ tenant, ...role })));
  return [...groupedBy(roles, keyOf)].flatMap(([key, sides]) =>
    sides.slice(0, 1).map((of) => ({ ...of, groups: (grants.get(key) ?? []).flatMap(listedGroup) })),
  );
}

function listedGroup(grant: Grant): ListedRole["groups"] {
  const until = endOf(grant);
  const earlier = grant.by.flatMap((claim) =>
    endChange(until, claim.until) === "earlier" ? optional(claim.until) : [],
  );
  return groupIn(grant.holder).map((id) => ({ id, until, ...(earlier.length > 0 && { earlier }) }));
}
