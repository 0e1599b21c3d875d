import { auth0 } from "../../testkit/cli/previews";
import { type Dice, type Fact, type Population, TENANT } from "./people-world";

/*
 * Resources of `@pulumi/auth0` in the stack of a scene: what each gives before and after the change, or the
 * object that ends with it. That provider knows no other resource.
 */

type Auth0Type =
  | `${"User" | "OrganizationMember"}Role${"" | "s"}`
  | `OrganizationMember${"" | "s"}`
  | `${"Role" | "User"}Permission${"" | "s"}`
  | "User"
  | "Role"
  | "Organization";

/** What one resource has: `of` what, in which organization, and each thing that it gives. */
interface Having {
  place: string;
  /** The user, the role or the organization that it's about. */
  of: string;
  /** Roles, permissions or members; of one that isn't a list, one. */
  gives: string[];
}

/** Without a side the resource isn't there. */
export interface Auth0Change {
  name: string;
  type: Auth0Type;
  before?: Having;
  after?: Having;
}

export const API = "https://api.example.com";

/** What a resource is about: people's roles, memberships, permissions, or an object. */
export function subjectOf({ type }: Auth0Change): "roles" | "members" | "permissions" | "object" {
  if (type.includes("Permission")) return "permissions";
  if (/^(UserRole|OrganizationMemberRole)/.test(type)) return "roles";
  return type.startsWith("OrganizationMember") ? "members" : "object";
}

const isList = ({ type }: Auth0Change) => type.endsWith("s");

/** Only a list of the same subject is updated; everything else is made anew. */
export function operationOf(change: Auth0Change): "create" | "update" | "replace" | "delete" | "same" {
  const { before, after } = change;
  if (before === undefined) return "create";
  if (after === undefined) return "delete";
  if (JSON.stringify(before) === JSON.stringify(after)) return "same";
  return isList(change) && before.of === after.of && before.place === after.place ? "update" : "replace";
}

export function auth0StepOf(change: Auth0Change): object {
  const { name, type, before, after } = change;
  return auth0(`${type.charAt(0).toLowerCase()}${type.slice(1)}:${type}`, name, {
    op: operationOf(change),
    id: before?.of ?? name,
    ...(before && { before: valuesOf(change, before) }),
    ...(after && { after: valuesOf(change, after) }),
  });
}

function valuesOf(change: Auth0Change, { place, of, gives }: Having): Record<string, unknown> {
  const [first = ""] = gives;
  const organization = place === TENANT ? {} : { organizationId: place };
  switch (subjectOf(change)) {
    case "roles":
      return { ...organization, userId: of, ...(isList(change) ? { roles: gives } : { roleId: first }) };
    case "members":
      return { organizationId: of, ...(isList(change) ? { members: gives } : { userId: first }) };
    case "permissions":
      return {
        ...(change.type.startsWith("Role") ? { roleId: of } : { userId: of }),
        ...(isList(change)
          ? { permissions: gives.map((name) => ({ name, resourceServerIdentifier: API })) }
          : { permission: first, resourceServerIdentifier: API }),
      };
    case "object":
      return { name: of };
  }
}

const PERMISSIONS = ["read:tickets", "write:tickets", "delete:tickets", "refund:payments"];

/** Permissions of some roles. */
export function permissionsOf(dice: Dice, roles: readonly string[]): Map<string, string[]> {
  return new Map(roles.map((role) => [role, dice.some(PERMISSIONS, dice.below(3))]));
}

type Drawn = Omit<Auth0Change, "name">;

/** Draws resources of different people. `places`: roles that our assignments and the rules are about. */
export function auth0Of(dice: Dice, population: Population, places: readonly Place[]): Auth0Change[] {
  const kinds = [rolesOfUser, rolesOfUser, rolesOfUser, moveToList, membership, object, permission];
  const taken = new Set<string>();
  const drawn = Array.from({ length: 1 + dice.below(3) }, () =>
    dice.pick(kinds)(dice, population, places),
  ).filter((all) => {
    const subjects = all.flatMap((change) => namesIn(change));
    if (subjects.some((subject) => taken.has(subject))) return false;
    for (const subject of subjects) taken.add(subject);
    return true;
  });
  return drawn.flat().map((change, index) => ({ ...change, name: `z${index}` }));
}

/** The people, and the objects, that nothing else in the change is about. */
function namesIn({ type, before, after }: Drawn): string[] {
  const sides = [before, after].filter((side) => side !== undefined);
  return sides.flatMap(({ of, gives }) =>
    type.startsWith("OrganizationMember") && !type.includes("Role") ? gives : [of],
  );
}

interface Place {
  place: string;
  role: string;
}

function placed(dice: Dice, { direct }: Population, places: readonly Place[]): Place {
  // Rarely one that nothing else of the change is about.
  return dice.oneIn(4) ? dice.pick(direct) : dice.pick(places);
}

/** Somebody who has the role directly, or through a group, or not at all. */
function personOf(dice: Dice, { direct, groups, people, everyone }: Population, at: Place): string {
  const isHere = (fact: Fact) => fact.place === at.place && fact.role === at.role;
  const through = groups.filter(isHere).flatMap(({ holder }) => people.get(holder) ?? []);
  const having = direct.filter(isHere).map(({ holder }) => holder);
  const from = [having, through, everyone].filter(({ length }) => length > 0);
  return dice.pick(dice.pick(from));
}

function rolesOfUser(dice: Dice, population: Population, places: readonly Place[]): Drawn[] {
  const { place, role } = placed(dice, population, places);
  const of = personOf(dice, population, { place, role });
  const has = population.direct
    .filter((fact) => fact.holder === of && fact.place === place)
    .map((fact) => fact.role);
  const more = placed(dice, population, places);
  const rest = more.place === place && more.role !== role ? [more.role] : [];
  const class_ = place === TENANT ? "User" : "OrganizationMember";
  // Now and then state lists a role that the user has lost since.
  const listed = [...new Set(has.length > 0 && !dice.oneIn(5) ? dice.some(has, 2) : [role])];
  const having = (gives: string[]): Having => ({ place, of, gives });
  if (dice.oneIn(2)) {
    const [before = role] = listed;
    const one = `${class_}Role` as Auth0Type;
    const other = dice.oneIn(2) ? role : (rest[0] ?? role);
    const isUnchanged = before === other && !has.includes(other);
    return [
      dice.pick<Drawn>([
        { type: one, after: having([role]) },
        { type: one, before: having([before]) },
        ...(isUnchanged ? [] : [{ type: one, before: having([before]), after: having([other]) }]),
      ]),
    ];
  }
  const several = `${class_}Roles` as Auth0Type;
  const next = [...new Set([...listed.slice(1), role, ...rest])];
  // Unchanged, it would be taken as state has it, also with a role that the user has lost.
  const isUnchanged = next.join() === listed.join() && listed.some((one) => !has.includes(one));
  return [
    dice.pick<Drawn>([
      { type: several, after: having([role, ...rest]) },
      { type: several, before: having(listed) },
      ...(isUnchanged ? [] : [{ type: several, before: having(listed), after: having(next) }]),
    ]),
  ];
}

/** Equal roles as one list: the old resource takes what the new one has given. */
function moveToList(dice: Dice, population: Population, places: readonly Place[]): Drawn[] {
  const { place, role } = placed(dice, population, places);
  const having: Having = { place, of: personOf(dice, population, { place, role }), gives: [role] };
  const class_ = place === TENANT ? "User" : "OrganizationMember";
  return [
    { type: `${class_}Role` as Auth0Type, before: having },
    { type: `${class_}Roles` as Auth0Type, after: having },
  ];
}

function membership(dice: Dice, population: Population, places: readonly Place[]): Drawn[] {
  const { place: drawn, role } = placed(dice, population, places);
  const of = drawn === TENANT ? dice.pick(population.organizations).id : drawn;
  const people = [0, 1].map(() => personOf(dice, population, { place: of, role }));
  const having = (...gives: string[]): Having => ({ place: of, of, gives: [...new Set(gives)] });
  const [first = "", second = ""] = people;
  return [
    dice.pick<Drawn>([
      { type: "OrganizationMember", before: having(first) },
      { type: "OrganizationMember", after: having(first) },
      { type: "OrganizationMembers", before: having(first, second), after: having(second) },
      { type: "OrganizationMembers", before: having(first, second) },
    ]),
  ];
}

/** Who or what is deleted. */
function object(dice: Dice, population: Population, places: readonly Place[]): Drawn[] {
  const { place, role } = placed(dice, population, places);
  const organization = place === TENANT ? dice.pick(population.organizations).id : place;
  const gone = (type: Auth0Type, of: string): Drawn => ({ type, before: { place: TENANT, of, gives: [] } });
  return [
    dice.pick([
      gone("User", personOf(dice, population, { place, role })),
      gone("Role", role),
      gone("Organization", organization),
    ]),
  ];
}

function permission(dice: Dice, population: Population, places: readonly Place[]): Drawn[] {
  const { role } = placed(dice, population, places);
  const isOfRole = !dice.oneIn(3);
  const of = isOfRole ? role : dice.pick(population.everyone);
  const class_ = isOfRole ? "Role" : "User";
  const [old = "", next = "", more = ""] = dice.some(PERMISSIONS, 3);
  const having = (...gives: string[]): Having => ({ place: TENANT, of, gives });
  return [
    dice.pick<Drawn>([
      { type: `${class_}Permission`, after: having(next) },
      { type: `${class_}Permission`, before: having(old) },
      { type: `${class_}Permission`, before: having(old), after: having(next) },
      { type: `${class_}Permissions`, after: having(next, more) },
      { type: `${class_}Permissions`, before: having(old, more), after: having(next, more) },
      { type: `${class_}Permissions`, before: having(old, more) },
    ]),
  ];
}
