import { type SeedInput } from "../../simulator";

/* A large tenant: 200 roles, 60 groups, and each group has ten of the roles, which is the service's limit. */

const numbered = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${prefix}${String(index + 1111).replaceAll("0", "z")}`);

export const ROLES = numbered("rol_", 200);
export const GROUPS = numbered("grp_AAAAAAAAAAAA", 60);
const HELD = 100;

/** The ten roles of a group: every tenth of the roles that groups have. */
function heldBy(place: number): string[] {
  return Array.from({ length: 10 }, (_, index) => ROLES[(place + index * 10) % HELD] ?? "");
}

/** For the first `count` roles: a group that lacks the role. */
export function changesOf(count: number): { role: string; group: string }[] {
  return ROLES.slice(0, count).map((role, place) => ({
    role,
    group: GROUPS[(place * 11 + 1) % GROUPS.length] ?? "",
  }));
}

/** Some of the first roles, and four that no group has, for groups that have none of these. */
export const TWELVE = [
  ...changesOf(8),
  ...[8, 9, 19, 29].map((place, index) => ({
    role: ROLES[HELD + index] ?? "",
    group: GROUPS[place] ?? "",
  })),
];

/** `sizes`: of the groups, which overlap. Each role has one person directly. */
export function largeTenant(sizes: (place: number) => number, people: number): SeedInput {
  const groupsOf = Array.from({ length: people }, () => [] as string[]);
  let next = 0;
  GROUPS.forEach((group, place) => {
    for (let index = 0; index < sizes(place); index++) groupsOf[next++ % people]?.push(group);
  });
  const held = GROUPS.map((group, place) => ({ group, roles: new Set(heldBy(place)) }));
  return {
    groups: GROUPS.map((id, place) => ({ id, name: `group ${place}` })),
    roles: ROLES.map((id, place) => ({
      id,
      name: `role ${place}`,
      groups: held.filter(({ roles }) => roles.has(id)).map(({ group }) => group),
    })),
    users: groupsOf.map((groups, index) => ({
      user_id: `auth0|person${index}`,
      groups,
      roles: index < ROLES.length ? [ROLES[index] ?? ""] : [],
    })),
  };
}

/** Groups of 100 members at most. */
export const SMALL_GROUPS = largeTenant((place) => 60 + (place % 41), 2_000);
/** 5,000 people in groups of hundreds. */
export const BIG_GROUPS = largeTenant((place) => 120 + ((place * 37) % 300), 5_000);

/** Conflicts between roles that groups have, so that people of all groups are compared. */
export const RULES = JSON.stringify({
  conflicts: [0, 2, 4, 6, 8].map((index) => [ROLES[index], ROLES[index + 1]]),
});
