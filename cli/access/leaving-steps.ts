import { edgeKey, roleOfKey } from "../../provider/access/edge";
import { groupedBy } from "../../provider/access/grants";
import { count, list, placed, say, type Sentence, some, tail, word } from "../../provider/sentence";
import { Assignment } from "../../provider/resources/role-group-assignment/assignment";
import { permissionKey } from "../../provider/service/users";
import { textLiteral } from "../adopt/text";
import { optional } from "../lists";
import { readingOf } from "../review/input/auth0-types";
import { type Auth0Resource } from "../stack-export";
import { type AccessGroup, type AccessRole, type StateAssignment } from "./claims";
import { type AccessJson } from "./model";
import { namedThing } from "./roles";
import { isUnread, type LeavingStep, type UserAnswer } from "./user";

/* How to take what a person who leaves still has: where, in which order, and what to write. */

type LeavingJson = NonNullable<NonNullable<AccessJson["user"]>["leaving"]>;
type StepJson = LeavingJson["steps"][number];
type Line = StepJson["by"][number];

/** A group of the user, with the roles that it gives. */
export interface Through {
  group: AccessGroup;
  roles: readonly AccessRole[];
  /** The assignments that give them. */
  claims: readonly StateAssignment[];
  others: LeavingJson["groups"][number]["others"];
  /** False if the tenant doesn't list the user as a member of the group itself. */
  isMember: boolean;
  /** Why the members are unknown. */
  reason: string | undefined;
}

type InState = Pick<Auth0Resource, "name" | "line"> & { stack: string };

/** Resources in the states that are no assignments. */
export interface LinesAbout {
  /** Of `@pulumi/auth0`, about anybody. */
  auth0: readonly (Auth0Resource & InState)[];
  /** Those of the user, from everything. */
  signOuts: readonly (InState & { urn: string; isFinished: boolean })[];
}

export interface WhatIsLeft
  extends
    LinesAbout,
    Pick<
      LeavingJson,
      "gone" | "blocked" | "connections" | "sessions" | "refreshTokens" | "deviceCredentials"
    > {
  id: string;
  roles: readonly AccessRole[];
  user: Pick<UserAnswer, "unread" | "unreadOrganizations">;
  groups: readonly Through[];
  /** Those that aren't from roles alone. */
  permissions: UserAnswer["permissions"];
}

/** `after`: how a sign-out follows. Pulumi deletes last, and changes before what depends on it. */
type Draft = LeavingStep & { after?: "change" | "deletion" };

/** Returns what to do, in this order: outside of the program first. */
export function stepsFor(left: WhatIsLeft): LeavingStep[] {
  if (left.gone) return goneSteps(left);
  const taken = [
    ...left.groups.map(groupStep),
    ...left.roles.flatMap((role) => openStep(role, left.user)),
    ...directSteps(left),
  ];
  const steps = [...accountStep(left), ...taken, ...signOutStep(left, taken)];
  const outside = steps.filter(({ where }) => where !== "program");
  return [...outside, ...steps.filter(({ where }) => where === "program")].map(
    ({ after: _, ...step }) => step,
  );
}

function accountStep({ blocked, connections }: WhatIsLeft): Draft[] {
  if (blocked === true) return [];
  const unknown = blocked === null ? say` The command couldn't read whether it's blocked.` : say``;
  const text = say`Disable the account${tail` in ${list(connections)}`}, or block the user on the tenant: a sign-out keeps nobody from signing in again.${unknown}`;
  return [{ where: "account", text, by: [] }];
}

function groupStep(through: Through): Draft {
  const { group, roles, claims, others, isMember } = through;
  const [thing, its, by] = [namedThing(group), rolesText(roles), claims.map(lineOf)];
  const claimed = roles.map((role) => claimsOn(role, group));
  if (claimed.every((all) => all.length > 0 && all.every(({ expired }) => expired))) {
    const have = word(by.length === 1 ? "has" : "have");
    const text = say`Run ${word("`pulumi up`")}, which takes ${its} from ${thing}: ${linesText(by)} ${have} expired.`;
    return { where: "program", text, by, after: "change" };
  }
  const isAlone = isMember && others?.count === 0 && !others.more;
  // Without a group, an assignment is of no use. Encrypted ids may be other groups.
  const isItsOnly = ({ granted, isHidden }: StateAssignment) => granted.groups.length === 1 && !isHidden;
  const deleted = claims.filter(isItsOnly);
  if (isAlone && claimed.every((all) => all.length > 0) && deleted.every(isRevoking)) {
    const how = howToTake(
      thing,
      deleted.map(lineOf),
      claims.filter((claim) => !isItsOnly(claim)).map(lineOf),
    );
    const text = say`${how}, which takes ${its}: nobody else is in the group. If others will join it, end the membership in the directory instead.`;
    return { where: "program", text, by, after: deleted.length > 0 ? "deletion" : "change" };
  }
  const text = say`End the membership in ${thing}, which gives ${its}.${memberText(through)}${keptText(through, by)}`;
  return { where: "directory", text, by };
}

/** Of those kept, other groups have the role. */
function howToTake(thing: Sentence, deleted: readonly Line[], kept: readonly Line[]): Sentence {
  if (deleted.length === 0) return say`Take ${thing} out of ${linesText(kept)}`;
  if (kept.length === 0) return say`Delete ${linesText(deleted)}, or take ${thing} out`;
  return say`Delete ${linesText(deleted)}, and take ${thing} out of ${linesText(kept)}`;
}

/** True if its groups lose the role with it. */
function isRevoking({ resource }: StateAssignment): boolean {
  return !resource.retainOnDelete && new Assignment(resource.outputs).isRevokedOnDestroy === true;
}

function claimsOn({ groups }: AccessRole, { id }: AccessGroup): AccessGroup["by"] {
  return groups.flatMap((group) => (group.id === id && group.status === "managed" ? group.by : []));
}

function rolesText(roles: readonly AccessRole[]): Sentence {
  return some(roles.map((role) => say`${nameOf(role)}`));
}

function memberText({ isMember, others }: Through): Sentence {
  if (isMember) return say``;
  return others?.more === true
    ? say` The user isn't listed among its members: look in the groups within it, too.`
    : say` The tenant doesn't list the user as a member: perhaps that has just ended.`;
}

/** Warns of taking a group's line away for one person. */
function keptText({ others, reason }: Through, by: readonly Line[]): Sentence {
  if (by.length === 0) return say``;
  const warning = say` Don't take the group out of ${linesText(by)}`;
  if (others === null)
    return say`${warning} for one person: who else is in it could not be read (${reason ?? "unknown"}).`;
  const { count: number, more } = others;
  if (number === 0) return more ? say`${warning}: it may have others.` : say` Nobody else is in it.`;
  return say`${warning}: it has ${word(more ? "at least " : "")}${word(count(number, "other member"))}.`;
}

/** Lists that could not be read, or that contradict each other. */
function openStep(role: AccessRole, user: WhatIsLeft["user"]): Draft[] {
  if (isUnread(role, user)) return unreadStep(role, user);
  if (role.direct !== null || role.groups.length > 0) return [];
  const text = say`Look at the user in the dashboard: a permission is from ${nameOf(role)}, which isn't among the user's roles.`;
  return [{ where: "tenant", text, by: [] }];
}

function unreadStep(role: AccessRole, { unread, unreadOrganizations = [] }: WhatIsLeft["user"]): Draft[] {
  const { direct, groups, organization } = role;
  if (direct === true && groups.length === 0) return [];
  const there = unreadOrganizations.find(({ id }) => id === organization?.id);
  const reason = organization === undefined ? unread : there?.reason;
  const own = direct === null ? say`, and look at the user's own roles in the dashboard` : say``;
  const text = say`The tenant doesn't say which groups give ${nameOf(role)} (${reason ?? "unknown"}). End the memberships in its groups${own}.`;
  return [{ where: "directory", text, by: [] }];
}

function nameOf({ id, name }: AccessRole): string {
  return name ?? id;
}

/** The user's direct roles and permissions. */
function directSteps(left: WhatIsLeft): Draft[] {
  const { id: user, roles, permissions } = left;
  const given = linesOfAuth0(left);
  const direct = roles
    .filter((role) => role.direct === true)
    .map((role) => ({
      what: say`${nameOf(role)}`,
      how: role.organization === undefined ? "auth0.UserRoles" : "auth0.OrganizationMemberRoles",
      key: edgeKey({ ...roleOfKey(role.id), holder: { user } }),
    }));
  const allowed = permissions.map((permission) => ({
    what: say`${permission.name} of ${permission.resourceServer}`,
    how: "auth0.UserPermissions",
    key: keyOfPermission(permission),
  }));
  const all = [...direct, ...allowed].map((one) => ({
    ...one,
    by: given.filter(({ gives }) => gives.has(one.key)),
  }));
  const lineKey = ({ gives: _, ...line }: Auth0Line) => line;
  const groups = groupedBy(all, ({ how, by }) => JSON.stringify([how, by.map(lineKey)]));
  return [...groups.values()].flatMap((same): Draft[] => {
    const [{ how, by }] = same as [(typeof all)[number]];
    const what = some(same.map((one) => one.what));
    if (by.length > 0) return stepsOfAuth0(what, by);
    const text = say`Take ${what} from the user: in the dashboard, or in the program whose ${word(`\`${how}\``)} gives it. No state that was read does.`;
    return [{ where: "tenant", text, by: [] }];
  });
}

/** Lists first. Nothing can be taken out of a resource that gives only one thing. */
function stepsOfAuth0(what: Sentence, given: readonly Auth0Line[]): Draft[] {
  const byType = [...groupedBy(given, ({ type }) => type)];
  return [...byType.filter(([type]) => isList(type)), ...byType.filter(([type]) => !isList(type))].map(
    ([type, lines]): Draft => {
      const by = lines.map(({ gives: _, type: __, ...line }) => line);
      const kind = word(`\`auth0.${type}\``);
      const [them, give] = by.length === 1 ? ["it", "gives"] : ["them", "give"];
      const text = isList(type)
        ? say`Take ${what} out of ${linesText(by)}, or delete ${word(them)}: ${kind}.`
        : say`Delete ${linesText(by)}, which ${word(give)} ${what}: ${kind}.`;
      return { where: "program", text, by, after: "deletion" };
    },
  );
}

/** True for `UserRoles`, false for `UserRole`. */
function isList(type: string): boolean {
  return type.endsWith("s");
}

interface Auth0Line extends Line {
  /** `UserRoles` */
  type: string;
  /** Keys of roles of users, and of permissions of this one. */
  gives: ReadonlySet<string>;
}

function linesOfAuth0({ id: user, auth0 }: WhatIsLeft): Auth0Line[] {
  return auth0.flatMap(({ stack, name, line, type, id, outputs }): Auth0Line[] => {
    const side = { id, tenant: undefined, inputs: {}, outputs: {}, protect: false, retainOnDelete: false };
    const items = readingOf(type)?.itemsOf(side, outputs) ?? [];
    const gives = items.flatMap(({ edge, permission }) => [
      ...optional(edge).map(edgeKey),
      ...optional(permission)
        .filter(({ holder }) => "user" in holder && holder.user === user)
        .map(({ resourceServer, permission: its }) => keyOfPermission({ resourceServer, name: its })),
    ]);
    if (gives.length === 0) return [];
    return [{ ...lineOf({ stack, name, line }), type: className(type), gives: new Set(gives) }];
  });
}

/** `UserRoles` of `auth0:index/userRoles:UserRoles` */
function className(type: string): string {
  return type.slice(type.lastIndexOf(":") + 1);
}

function keyOfPermission({ resourceServer, name }: { resourceServer: string; name: string }): string {
  return permissionKey({ resource_server_identifier: resourceServer, permission_name: name });
}

/** Empty if the user is signed in nowhere, as far as all of that is known. */
function signOutStep({ id, ...left }: WhatIsLeft, taken: readonly Draft[]): Draft[] {
  const { sessions, refreshTokens, deviceCredentials } = left;
  const all = [sessions, refreshTokens, deviceCredentials];
  if (all.every(isKnownEmpty)) return [];
  const open = left.signOuts.find(({ isFinished }) => !isFinished);
  if (open !== undefined) return [finishStep(open)];
  const [before] = left.signOuts;
  if (before !== undefined) return all.some((found) => found?.items.length) ? [againStep(before)] : [];
  const { later, dependsOn } = whenToSignOut(taken);
  const text = say`Sign the user out${later}. It can't be undone, and doesn't notice later sign-ins.`;
  return [{ where: "program", text, by: [], write: signOutLines(id, dependsOn) }];
}

/** Nothing can depend on another stack's resource, or on one that is deleted. */
function whenToSignOut(taken: readonly Draft[]): { later: Sentence; dependsOn: string[] } {
  const lines = taken.flatMap(({ after, by }) => (after === undefined ? [] : by));
  const stacks = [...new Set(lines.map(({ stack }) => stack))];
  const [home, ...others] = stacks;
  if (taken.some(({ after }) => after === "deletion")) {
    const before = others.length === 0 ? word("the one that deletes") : say`those of ${list(stacks)}`;
    const later = say` in an ${word("`up`")} of its own, after ${before}: Pulumi deletes last`;
    return { later, dependsOn: [] };
  }
  const dependsOn = lines.filter(({ stack }) => stack === home).map(({ resource }) => resource);
  const names = [...new Set(dependsOn)];
  const elsewhere = tail` in ${home}, after the ${word("`up`")} of ${list(others)}`;
  const later = say`${elsewhere}${tail`: ${word("`dependsOn`")} makes it wait for ${list(names)}`}`;
  return { later, dependsOn: names };
}

/** A replacement would do again what is done. */
function finishStep(signOut: WhatIsLeft["signOuts"][number]): Draft {
  const by = [lineOf(signOut)];
  const text = say`${linesText(by)} hasn't finished: some of what it signs out has failed. Run ${word("`pulumi up`")}, which does the rest.`;
  return { where: "program", text, by };
}

function againStep({ urn, ...signOut }: WhatIsLeft["signOuts"][number]): Draft {
  const by = [lineOf(signOut)];
  const text = say`${linesText(by)} has signed the user out. If something is still left in a minute, run it again: ${word("`pulumi up --replace`")} ${urn}`;
  return { where: "program", text, by };
}

function isKnownEmpty(
  found: WhatIsLeft["sessions"] | WhatIsLeft["refreshTokens"] | WhatIsLeft["deviceCredentials"],
): boolean {
  return found !== null && found.items.length === 0 && !found.more;
}

/** Of a user who is gone, only device credentials may be left. */
function goneSteps({ deviceCredentials }: WhatIsLeft): LeavingStep[] {
  return (deviceCredentials?.items ?? []).map(({ id, device }) => ({
    where: "program",
    text: say`Remove the credential of ${device ?? "a device without a name"}, ${{ id }}.`,
    by: [],
    write: linesFor("DeviceCredentialRemoval", id, { deviceCredentialId: id }, []),
  }));
}

/** The lines that sign a user out, after these resources. */
function signOutLines(userId: string, dependsOn: readonly string[]): NonNullable<StepJson["write"]> {
  const name = `sign-out-${userId.replace(/[^\w.-]+/g, "-")}`;
  return linesFor("UserSignOut", name, { userId }, dependsOn);
}

function linesFor(
  kind: string,
  name: string,
  inputs: Readonly<Record<string, string>>,
  dependsOn: readonly string[],
): NonNullable<StepJson["write"]> {
  const values = Object.entries(inputs).map(([input, value]) => `${input}: ${textLiteral(value)}`);
  // In YAML a dollar before a brace would begin a reference.
  const inYaml = values.map((value) => value.replaceAll("${", "$${"));
  const [after, inYamlAfter] = [
    dependsOn.length === 0 ? "" : `, { dependsOn: [${dependsOn.map(identifier).join(", ")}] }`,
    dependsOn.length === 0
      ? ""
      : `, options: { dependsOn: [${dependsOn.map((one) => JSON.stringify(`\${${one}}`)).join(", ")}] }`,
  ];
  return {
    typescript: `new ${kind}(${textLiteral(name)}, { ${values.join(", ")} }${after});`,
    yaml: `${textLiteral(name)}: { type: "identity:index:${kind}", properties: { ${inYaml.join(", ")} }${inYamlAfter} }`,
  };
}

/** Words that can't be the name of a variable in a module. */
const RESERVED: ReadonlySet<string> = new Set(
  [
    "arguments await break case catch class const continue debugger default delete do else enum eval export",
    "extends false finally for function if implements import in instanceof interface let new null package",
    "private protected public return static super switch this throw true try typeof var void while with yield",
  ].flatMap((line) => line.split(" ")),
);

/** The likely name of a resource's variable. */
function identifier(resource: string): string {
  const words = resource.split(/[^\p{ID_Continue}$]+/u).filter((part) => part !== "");
  const [first = "_", ...rest] = words;
  const name = [first, ...rest.map((part) => part.charAt(0).toUpperCase() + part.slice(1))].join("");
  if (RESERVED.has(name)) return `${name}_`;
  return /^[\p{ID_Start}_$]/u.test(name) ? name : `_${name}`;
}

function lineOf({ stack, name, line }: InState): Line {
  return { stack, resource: name, line: line ?? null };
}

/** `support in access/prod (index.ts:18)` */
function linesText(by: readonly Line[]): Sentence {
  return list(by.map(({ resource, stack, line }) => say`${resource} in ${placed(stack, line)}`));
}
