import { holderId, organizationsOf, roleKey, roleOfKey } from "../../../provider/access/edge";
import { type Grant, Grants } from "../../../provider/access/grants";
import { type Change, concernsPeople } from "../../../provider/access/people";
import { type Border } from "../../../provider/border";
import { IncompleteListError } from "../../../provider/http/errors";
import { formerTenants, tenantOf } from "../../../provider/pulumi/settings";
import { isGroupId } from "../../../provider/service/ids";
import { type RoleGroupRecord, type RoleRecord, titleOfRole } from "../../../provider/service/roles";
import { type PermissionRecord, sourcesOf } from "../../../provider/service/users";
import { type RulesFile } from "../../rules/file";
import { breachesIn, concernsAll, keysBeside, type Rules } from "../../rules/judge";
import { areNamesIn, namesIn, resolved, roleIdsIn } from "../../rules/names";
import { readRuleOrganizations, type UncheckedIds, withSystemRoles } from "../../rules/organizations";
import { anyOf, optional } from "../../lists";
import { type Answer, type Answers, isNotFound, mapped, reasonsIn, valuesIn } from "../../tenant/questions";
import { MOST_ORGANIZATIONS, NOT_THERE, type OpenTenant, type TenantReader } from "../../tenant/reader";
import { type AskedBy } from "../input/sources";
import {
  isAsked,
  noAnswers,
  type NotRead,
  type SamplePermission,
  type TenantAnswers,
  valuesOf,
} from "./answers";
import { readCredentials } from "./credentials";
import { groupsToRead } from "./people";
import { namesOfUsers } from "./sign-ins";
import { areNone, type Subjects } from "./subjects";
import { type Tenants } from "./tenants";

/** Each name costs a request, so a change with more groups shows ids. */
const MOST_GROUP_NAMES = 100;

/** Members cost a request or more per group. */
const MOST_GROUPS_WITH_MEMBERS = 100;

/** Permissions cost a request per role, and nobody reads those of more. */
const MOST_ROLES_WITH_PERMISSIONS = 50;

/** A review's questions to one tenant, besides its subjects. */
export interface Inquiry extends Subjects {
  /** Rules whose names need the tenant's ids. */
  rules?: RulesFile | undefined;
  /** Returns the change's effects on access, once the holders of the roles are known. */
  rowsOf?: ((answers: TenantAnswers) => readonly Change[]) | undefined;
}

/**
 * Reads the current groups of these roles, each role once, the sample users' permissions, and the existing
 * credentials if some are removed. All errors become reasons in the answer.
 */
export async function askTenant(
  inquiry: Inquiry,
  sampleUsers: readonly string[],
  by: AskedBy,
  tenants: Tenants,
): Promise<TenantAnswers> {
  const { settings } = by;
  const hosts = [tenantOf(settings), ...formerTenants(settings)].filter((name) => name !== undefined);
  const nothing = noAnswers(hosts);
  // Ids stand for themselves.
  const hasNames = inquiry.rules !== undefined && areNamesIn(inquiry.rules);
  if (areNone(inquiry) && !hasNames) return nothing;
  const open = tenants.open(by);
  if (typeof open === "string") return { ...nothing, notConfigured: open };
  const { client, reader } = open;
  tenants.progress.show(`Asking ${client.tenant} …`);
  // Nothing changes for a role of another tenant, or one that doesn't exist.
  const isHere = ({ tenant }: { tenant: string | undefined }) => isAsked(nothing, tenant);
  const roles = inquiry.roles.filter(isHere);
  // Access first: the client waits for its first answer, to know the rate limit.
  const access =
    roles.length === 0 && !hasNames
      ? nothing
      : accessAnswers(nothing, { ...inquiry, roles }, { client, reader, sampleUsers });
  const removed = inquiry.credentials.filter(isHere).map(({ text }) => text);
  const ofRemoved = readCredentials(removed, reader, client.border);
  const leaving = inquiry.signOuts.filter(isHere).map(({ user }) => user);
  const ofLeaving = reader.signInsOf(leaving);
  const profiles = inquiry.profiles.some(isHere) ? reader.profileNames() : undefined;
  const answers = await access;
  const credentials = await ofRemoved;
  const signIns = await ofLeaving;
  return {
    ...answers,
    unnamed: [...answers.unnamed, ...notRead("owners of device credentials", optional(credentials))],
    credentials: credentials?.value,
    signIns,
    names: new Map([...answers.names, ...namesOfUsers(signIns, client.border)]),
    profiles: await profiles,
  };
}

interface Asking extends OpenTenant {
  sampleUsers: readonly string[];
}

/** Reads who has the roles. Then their names, and the people behind the change, and only those. */
async function accessAnswers(
  nothing: TenantAnswers,
  inquiry: Inquiry,
  asking: Asking,
): Promise<TenantAnswers> {
  const holders = await holderAnswers(nothing, inquiry, asking);
  const [people, names] = await Promise.all([
    peopleAnswers(holders, inquiry, asking),
    nameAnswers(holders, inquiry, asking),
  ]);
  // Nobody asks for the people of a group that isn't there.
  const members = [...people.members]
    .filter(([group]) => !names.absentGroups.has(group))
    .map(([, answer]) => answer);
  return {
    ...holders,
    ...names,
    ...people,
    unnamed: [...names.unnamed, ...notRead("members of groups", members), ...people.unnamed],
  };
}

function quotedGroups(answers: Answers<RoleGroupRecord[]>, border: Border): TenantAnswers["groups"] {
  return mapped(answers, (all) => all.map(({ id, name }) => ({ id, name: name && border.quote(name) })));
}

async function holderAnswers(
  nothing: TenantAnswers,
  { roles, listed, open, rules: file }: Inquiry,
  { client, reader, sampleUsers }: Asking,
): Promise<TenantAnswers> {
  const { border } = client;
  const ids = [...new Set(roles.map(({ role }) => role))];
  // The tenant's first answer shows its rate limit, and what is asked next waits for it.
  const ofChanging = reader.groupsOfRoles(ids);
  const ofUsers = reader.permissionsOfUsers(ids.length === 0 ? [] : sampleUsers);
  void reader.roles();
  // The rules decide which other roles to read, besides those that change.
  const found = file && (await rulesFrom(file, { client, reader }));
  const rules = found?.rules;
  const everywhere = await allOrganizations(rules, ids, reader);
  const [changing, beside, permissions] = await Promise.all([
    ofChanging,
    reader.holdersOfRoles(conflictingRoles({ rules, organizations: everywhere }, ids), {
      named: listed.map((edge) => ({ role: roleKey(edge), group: holderId(edge.holder) })),
      alone: open,
    }),
    ofUsers,
  ]);
  const groups = quotedGroups(new Map([...changing, ...beside]), border);
  return {
    ...nothing,
    groups,
    permissions: mapped(permissions, (all) => all.map((record) => permissionOf(record, border))),
    rules,
    organizations: everywhere,
    uncheckedIds: [
      ...(file && found ? uncheckedIds(file, found.listed, groups) : []),
      ...(found?.unchecked ?? []),
    ],
  };
}

async function nameAnswers(
  holders: TenantAnswers,
  { roles, listed: grants }: Inquiry,
  { client: { border }, reader }: Asking,
): Promise<Pick<TenantAnswers, "names" | "unnamed" | "absentGroups">> {
  const { groups } = holders;
  const shown = [...roles.flatMap((role) => role.groups), ...groupsBreaking(holders, grants)];
  const others = unnamedGroups(shown, groups);
  const organizations = organizationsOf(groups.keys());
  const [listed, groupNames, organizationNames, ownRoles] = await Promise.all([
    reader.roles(),
    reader.namesOfGroups(others.slice(0, MOST_GROUP_NAMES)),
    reader.namesOfOrganizations(organizations),
    reader.ownRolesOf(organizations),
  ]);
  const known = new Set(
    [...ownRoles.values(), listed].flatMap((answer) => listedRoles(answer).map(({ id }) => id)),
  );
  const isOpen = [...groups.keys()]
    .map(roleOfKey)
    .some((at) => at.organization !== undefined && !known.has(at.role));
  const system = isOpen ? await reader.systemRoles() : { value: [] };
  return {
    names: new Map([
      ...namesById(groupNames, border),
      ...namesById(organizationNames, border),
      ...[system, ...ownRoles.values(), listed].flatMap((answer) => namesOfRoles(answer, border)),
    ]),
    absentGroups: new Set([...groupNames].flatMap(([id, answer]) => (isNotFound(answer) ? [id] : []))),
    unnamed: [
      ...notRead("names of roles", [listed, ...ownRoles.values()]),
      ...notRead("names of organizations", organizationNames.values()),
      ...notRead("names of groups", groupNames.values()),
      ...tooMany("names of groups", others.length, MOST_GROUP_NAMES),
    ].filter(isNamed),
  };
}

async function peopleAnswers(
  holders: TenantAnswers,
  { rowsOf, whole }: Inquiry,
  { client: { border }, reader }: Asking,
): Promise<Pick<TenantAnswers, "direct" | "members" | "rolePermissions" | "unnamed">> {
  const rows = (rowsOf?.(holders) ?? []).filter((row) => isAsked(holders, row.tenant));
  // Only roles of this tenant were asked for; what a role allows counts in every place that was asked.
  const read = [...holders.groups.keys()].filter((key) =>
    [key, roleOfKey(key).role].some((role) => whole.includes(role)),
  );
  const roles = [...new Set([...rows.filter(concernsPeople).map(roleKey), ...read])];
  const gained = rows.filter(({ effect }) => effect === "gains").map(roleKey);
  const quoted = <People extends { people: readonly string[] }>({ people, ...rest }: People) => ({
    ...rest,
    people: people.map((person) => border.quote(person)),
  });
  // Gained permissions matter most.
  const gainedFirst = [...new Set([...gained, ...roles])];
  const membersOf = (groups: readonly string[]) =>
    reader.membersOfGroups(groups.slice(0, MOST_GROUPS_WITH_MEMBERS));
  const [having, permissions] = await Promise.all([
    reader.usersOfRoles([...roles, ...conflictingRoles(holders, gained)]),
    reader.permissionsOfRoles(
      [...new Set(gainedFirst.map((key) => roleOfKey(key).role))].slice(0, MOST_ROLES_WITH_PERMISSIONS),
    ),
    // Who has the roles directly adds groups only for the rules, after these.
    membersOf(groupsToRead(rows, { ...holders, rules: undefined }, read)),
  ]);
  const direct = mapped(having, quoted);
  const groups = groupsToRead(rows, { ...holders, direct }, read);
  const members = await membersOf(groups);
  return {
    direct,
    members: mapped(members, quoted),
    rolePermissions: mapped(permissions, (records) =>
      records
        .map((record) => permissionOf(record, border))
        .map(({ resourceServer, name }) => ({ resourceServer, name })),
    ),
    unnamed: [
      ...tooMany("members of groups", groups.length, MOST_GROUPS_WITH_MEMBERS),
      ...notRead("permissions of roles", permissions.values()),
      ...tooMany("permissions of roles", gainedFirst.length, MOST_ROLES_WITH_PERMISSIONS),
    ],
  };
}

function conflictingRoles(
  { rules, organizations }: Pick<TenantAnswers, "rules" | "organizations">,
  roles: readonly string[],
): string[] {
  return optional(rules?.value).flatMap((found) => keysBeside(found, roles, organizations?.value));
}

/** If the rules compare one of these roles across organizations, it may conflict with a role in any. */
async function allOrganizations(
  rules: Answer<Rules> | undefined,
  roles: readonly string[],
  reader: TenantReader,
): Promise<TenantAnswers["organizations"]> {
  if (rules?.value === undefined || !concernsAll(rules.value, roles)) return undefined;
  const { value, reason } = await reader.someOrganizations(MOST_ORGANIZATIONS);
  if (value === undefined) return { reason };
  return value.isMore
    ? { reason: `more than ${MOST_ORGANIZATIONS} organizations` }
    : { value: value.items.map(({ id }) => id) };
}

/** For names, a part of the list is good enough. */
function listedRoles({ value = [], error }: Answer<RoleRecord[]>): readonly RoleRecord[] {
  return error instanceof IncompleteListError ? (error.part as RoleRecord[]) : value;
}

function namesOfRoles(listed: Answer<RoleRecord[]>, border: Border): (readonly [string, string])[] {
  return listedRoles(listed).map(
    (role) => [role.id, titleOfRole(role, (name) => border.quote(name)) ?? ""] as const,
  );
}

function namesById(answers: Answers<string | undefined>, border: Border): (readonly [string, string])[] {
  return [...valuesIn(answers)].map(([id, name = ""]) => [id, border.quote(name)] as const);
}

interface RulesOfTenant {
  rules: Answer<Rules>;
  /** All roles of the tenant. */
  listed: Answer<RoleRecord[]>;
  unchecked: readonly UncheckedIds[];
}

/** Returns the rules with the tenant's ids. Throws for a name that doesn't exist there. */
export async function rulesFrom(file: RulesFile, { client, reader }: OpenTenant): Promise<RulesOfTenant> {
  const names = namesIn(file);
  const listed = await reader.roles();
  const isWhole = listed.reason === undefined;
  if (names.roles.length > 0 && !isWhole) return { rules: { reason: listed.reason }, listed, unchecked: [] };
  const [groups, there] = await Promise.all([
    reader.groupsNamed(names.groups),
    readRuleOrganizations(file, reader),
  ]);
  const [reason] = reasonsIn([...groups.values(), there]);
  if (reason !== undefined || there.value === undefined)
    return { rules: { reason: reason ?? "" }, listed, unchecked: [] };
  const { organizations, unchecked } = there.value;
  const roles = await withSystemRoles(file, listedRoles(listed), reader);
  const found = { tenant: client.tenant, roles, isWhole, groups: valuesIn(groups), organizations };
  return { rules: { value: resolved(file, found) }, listed, unchecked };
}

/** Who has a role shows, too, that it exists. */
function uncheckedIds(
  file: RulesFile,
  listed: Answer<RoleRecord[]>,
  groups: TenantAnswers["groups"],
): UncheckedIds[] {
  const { reason } = listed;
  const named = [...valuesIn(groups).keys()].map((key) => roleOfKey(key).role);
  const known = new Set([...listedRoles(listed).map(({ id }) => id), ...named]);
  const ids = roleIdsIn(file).filter((id) => !known.has(id));
  return reason === undefined || ids.length === 0 ? [] : [{ ids, reason }];
}

/** The review names these, too, although nothing changes for their roles. */
function groupsBreaking(holders: TenantAnswers, listed: readonly Grant[]): string[] {
  if (holders.rules?.value === undefined) return [];
  const grants = new Grants(listed.filter(({ tenant }) => isAsked(holders, tenant)));
  const breaches = breachesIn(holders.rules.value, { before: grants, after: grants }, Date.now());
  return breaches.flatMap((breach) => breach.groups);
}

function unnamedGroups(shown: readonly string[], answers: TenantAnswers["groups"]): string[] {
  const read = valuesOf(answers);
  const named = new Set(read.filter(({ name }) => name !== undefined).map(({ id }) => id));
  return [...new Set(shown)].filter((id) => !named.has(id) && isGroupId(id));
}

function notRead(what: NotRead["what"], answers: Iterable<Answer<unknown>>): NotRead[] {
  return reasonsIn(answers).map((reason) => ({ what, reason }));
}

/** A missing entry has no name. */
function isNamed({ reason }: NotRead): boolean {
  return reason !== NOT_THERE;
}

function tooMany(what: NotRead["what"], number: number, most: number): NotRead[] {
  return anyOf([number - most, { what, reason: `${number - most} more than ${most}` }]);
}

/** A tenant's text may repeat a secret. */
function permissionOf(record: PermissionRecord, border: Border): SamplePermission {
  return {
    resourceServer: border.quote(record.resource_server_identifier ?? ""),
    name: border.quote(record.permission_name ?? ""),
    sources: sourcesOf(record)?.map(({ id, name }) => ({ id, name: border.quote(name) })),
  };
}
