import { type Border } from "../../../provider/border";
import { type IdentityClient } from "../../../provider/http/client";
import { ConfigurationError, IncompleteListError, shortReason } from "../../../provider/http/errors";
import { makeBorder, makeClient } from "../../../provider/pulumi/clients";
import {
  credentialOf,
  formerTenants,
  type RawSettings,
  type SettingsSource,
  tenantOf,
} from "../../../provider/pulumi/settings";
import { type Step } from "../../../provider/review/step";
import { type PermissionRecord, sourcesOf } from "../../../provider/service/users";
import { type GroupRecord } from "../../../provider/service/groups";
import { GROUP_ID } from "../../../provider/service/ids";
import { type RoleRecord, titleOfRole } from "../../../provider/service/roles";
import { type RulesFile } from "../../rules/file";
import { type Rules, rolesBeside } from "../../rules/judge";
import { areNamesIn, namesIn, resolved, roleIdsIn } from "../../rules/names";
import { type Answer, type Asked, mapped } from "../../tenant/questions";
import { NOT_THERE, TenantReader } from "../../tenant/reader";
import { type Change, isChange } from "../../../provider/access/people";
import { groupsToRead } from "./people";
import { type ProfileNames, readProfileNames } from "../../pending";
import { newProfilesIn } from "./twins";
import {
  credentialsIn,
  type NotRead,
  type RoleOfTenant,
  rolesIn,
  type SamplePermission,
  type Tenant,
  valuesOf,
} from "./tenant";

/** A review must not hang: give up on a tenant after this much silence. */
const LONGEST_TENANT_SILENCE_MS = 30_000;

/** Each name costs a request, so a change with more groups shows ids. */
const MOST_GROUP_NAMES = 100;

/** Members cost a request or more per group. */
const MOST_GROUPS_WITH_MEMBERS = 100;

/** Settings of the tenant to ask, with their names for messages. */
export interface AskedBy {
  settings: RawSettings;
  source: SettingsSource;
  /** The reason why the stack's settings could not be read. */
  unread?: string;
}

/** True if somebody has set up a client, correctly or not. */
export function hasClient({ settings }: AskedBy): boolean {
  return settings.clientId !== undefined || credentialOf(settings) !== undefined;
}

/** The roles and credentials that a review reads from the tenant. */
export interface Wanted {
  roles: readonly RoleOfTenant[];
  /** Credentials to be removed. */
  credentials: readonly string[];
  /** Names of profiles to be created. */
  profiles: readonly string[];
  /** Rules whose names need the tenant's ids. */
  rules?: RulesFile | undefined;
  /** Returns the change's effects on access, once the holders of the roles are known. */
  rowsOf?: ((tenant: Tenant) => readonly Change[]) | undefined;
}

export function wantedIn(steps: readonly Step[]): Wanted {
  return { roles: rolesIn(steps), credentials: credentialsIn(steps), profiles: newProfilesIn(steps) };
}

/**
 * Reads the current groups of these roles, each role once, the sample users' permissions, and the existing
 * credentials if some are removed. All errors become reasons in the answer.
 */
export async function askTenant(
  wanted: Wanted,
  sampleUsers: readonly string[],
  { settings, source }: AskedBy,
  longestSilenceMs = LONGEST_TENANT_SILENCE_MS,
): Promise<Tenant> {
  // Standard output may be for the review itself.
  const border = makeBorder(settings, (line) => process.stderr.write(`${line}\n`));
  const hosts = [tenantOf(settings), ...formerTenants(settings)].filter((name) => name !== undefined);
  const tenant: Tenant = {
    hosts,
    notConfigured: undefined,
    groups: new Map(),
    names: new Map(),
    unnamed: [],
    permissions: new Map(),
    credentials: undefined,
    profiles: undefined,
    rules: undefined,
    uncheckedIds: undefined,
    beside: [],
    members: new Map(),
    direct: new Map(),
    rolePermissions: new Map(),
  };
  const { rules } = wanted;
  // Ids stand for themselves.
  const hasNames = rules !== undefined && areNamesIn(rules);
  if (wanted.roles.length + wanted.credentials.length + wanted.profiles.length === 0 && !hasNames)
    return tenant;
  let client: IdentityClient;
  try {
    client = makeClient(settings, source, border);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return { ...tenant, notConfigured: error.message.replace(/\.$/, "") };
  }
  const reader = new TenantReader(client, longestSilenceMs);
  const known = wanted.roles.filter((role) => role.tenant !== undefined && hosts.includes(role.tenant));
  try {
    const credentials = credentialsThere(wanted.credentials, reader);
    const profiles = wanted.profiles.length === 0 ? undefined : namesOfProfiles(client);
    // Nothing changes for a role of another tenant, or one that doesn't exist.
    const isNothing = known.length === 0 && !hasNames;
    if (isNothing) return { ...tenant, credentials: await credentials, profiles: await profiles };
    const answers = await answersOn({ ...wanted, roles: known }, sampleUsers, client, reader);
    const found = { ...tenant, ...answers };
    const changes = await changesOn(found, wanted, client.border, reader);
    return { ...found, ...changes, credentials: await credentials, profiles: await profiles };
  } finally {
    reader.end();
    client.cancel("the review is done");
    await client.close();
  }
}

async function namesOfProfiles(client: IdentityClient): Promise<Answer<ProfileNames>> {
  try {
    return { value: await readProfileNames(client) };
  } catch (error) {
    return { reason: shortReason(error) };
  }
}

/** Lists all users' credentials; undefined if none is removed, or the list isn't complete. */
async function credentialsThere(
  removed: readonly string[],
  reader: TenantReader,
): Promise<ReadonlySet<string> | undefined> {
  if (removed.length === 0) return undefined;
  const lists = await reader.credentials();
  const isWhole = [...lists.values()].every((answer) => "value" in answer);
  return isWhole ? new Set(valuesOf(lists)) : undefined;
}

async function answersOn(
  { roles, rules: file }: Wanted,
  sampleUsers: readonly string[],
  client: IdentityClient,
  reader: TenantReader,
): Promise<Partial<Tenant>> {
  const { border } = client;
  const ids = [...new Set(roles.map(({ role }) => role))];
  const listing = reader.roles();
  // The rules decide which other roles to read, besides those that change.
  const rules = file && (await rulesOf(file, client.tenant, await listing, reader));
  const beside = rules !== undefined && "value" in rules ? rolesBeside(rules.value, ids) : [];
  const [holders, permissions, listed] = await Promise.all([
    reader.groupsOfRoles([...ids, ...beside]),
    reader.permissionsOfUsers(ids.length === 0 ? [] : sampleUsers),
    listing,
  ]);
  const groups = mapped(holders, (all) =>
    all.map(({ id, name }) => ({ id, name: name && border.quote(name) })),
  );
  const others = unnamedGroups(roles, groups);
  const groupNames = await reader.namesOfGroups(others.slice(0, MOST_GROUP_NAMES));
  const left = others.length - MOST_GROUP_NAMES;
  return {
    groups,
    permissions: mapped(permissions, (all) => all.map((record) => permissionOf(record, border))),
    rules,
    uncheckedIds: file === undefined || "value" in listed ? undefined : uncheckedIds(file, listed, groups),
    beside,
    names: new Map([...namesOfGroups(groupNames, border), ...namesOfRoles(listed, border)]),
    unnamed: [
      ...unnamedRoles(listed),
      // A missing group has no name.
      ...notRead("names of groups", groupNames).filter(({ reason }) => reason !== NOT_THERE),
      ...(left > 0
        ? [{ what: "names of groups" as const, reason: `${left} more than ${MOST_GROUP_NAMES}` }]
        : []),
    ],
  };
}

/** Reads the people behind the change, and only those. */
async function changesOn(
  tenant: Tenant,
  { rowsOf }: Wanted,
  border: Border,
  reader: TenantReader,
): Promise<Partial<Tenant>> {
  const all = rowsOf?.(tenant) ?? [];
  const rows = all.filter((row) => row.tenant !== undefined && tenant.hosts.includes(row.tenant));
  const roles = [...new Set(rows.filter(isChange).map(({ role }) => role))];
  const gained = rows.filter(({ effect }) => effect === "gains").map(({ role }) => role);
  const { rules } = tenant;
  const inConflict = rules !== undefined && "value" in rules ? rolesBeside(rules.value, gained) : [];
  const holders = await reader.usersOfRoles([...roles, ...inConflict]);
  const direct = mapped(holders, ({ people, isMore }) => ({
    people: people.map((person) => border.quote(person)),
    isMore,
  }));
  const groups = groupsToRead(rows, { ...tenant, direct });
  const left = groups.length - MOST_GROUPS_WITH_MEMBERS;
  const [members, rolePermissions] = await Promise.all([
    reader.membersOfGroups(groups.slice(0, MOST_GROUPS_WITH_MEMBERS)),
    reader.permissionsOfRoles(roles),
  ]);
  const unnamed = [
    ...tenant.unnamed,
    ...notRead("members of groups", members),
    ...(left > 0
      ? [{ what: "members of groups" as const, reason: `${left} more than ${MOST_GROUPS_WITH_MEMBERS}` }]
      : []),
    ...notRead("permissions of roles", rolePermissions),
  ];
  return {
    direct,
    members: mapped(members, ({ people, ...rest }) => ({
      ...rest,
      people: people.map((person) => border.quote(person)),
    })),
    rolePermissions: mapped(rolePermissions, (records) =>
      records.map((record) => {
        const { resourceServer, name } = permissionOf(record, border);
        return { resourceServer, name };
      }),
    ),
    unnamed,
  };
}

/** For names, a part of the list is good enough. */
function listedRoles(listed: Asked<RoleRecord[]>): readonly RoleRecord[] {
  if ("value" in listed) return listed.value;
  return listed.error instanceof IncompleteListError ? (listed.error.part as RoleRecord[]) : [];
}

function namesOfRoles(listed: Asked<RoleRecord[]>, border: Border): (readonly [string, string])[] {
  return listedRoles(listed).map(
    (role) => [role.id, titleOfRole(role, (name) => border.quote(name)) ?? ""] as const,
  );
}

function namesOfGroups(
  answers: ReadonlyMap<string, Answer<string | undefined>>,
  border: Border,
): (readonly [string, string])[] {
  return [...answers].flatMap(([id, answer]) =>
    "value" in answer ? [[id, border.quote(answer.value ?? "")] as const] : [],
  );
}

function unnamedRoles(listed: Answer<RoleRecord[]>): NotRead[] {
  return "value" in listed || listed.reason === NOT_THERE
    ? []
    : [{ what: "names of roles", reason: listed.reason }];
}

/** Returns the rules with the tenant's ids. Throws for a name that doesn't exist there. */
async function rulesOf(
  file: RulesFile,
  tenant: string,
  listed: Asked<RoleRecord[]>,
  reader: TenantReader,
): Promise<Answer<Rules>> {
  const names = namesIn(file);
  if (names.roles.length > 0 && "reason" in listed) return { reason: listed.reason };
  const groups = await reader.groupsNamed(names.groups);
  const found = new Map<string, GroupRecord[]>();
  for (const [name, answer] of groups) {
    if ("reason" in answer) return answer;
    found.set(name, answer.value);
  }
  const roles = listedRoles(listed);
  return { value: resolved(file, { tenant, roles, isWhole: "value" in listed, groups: found }) };
}

/** Who has a role shows, too, that it exists. */
function uncheckedIds(
  file: RulesFile,
  listed: Extract<Asked<RoleRecord[]>, { reason: string }>,
  groups: Tenant["groups"],
): Tenant["uncheckedIds"] {
  const known = new Set(listedRoles(listed).map(({ id }) => id));
  for (const [id, answer] of groups) if ("value" in answer) known.add(id);
  const ids = roleIdsIn(file).filter((id) => !known.has(id));
  return ids.length === 0 ? undefined : { ids, reason: listed.reason };
}

function unnamedGroups(roles: readonly RoleOfTenant[], answers: Tenant["groups"]): string[] {
  const read = valuesOf(answers);
  const named = new Set(read.filter(({ name }) => name !== undefined).map(({ id }) => id));
  const told = new Set(roles.flatMap(({ groups }) => groups));
  return [...told].filter((id) => !named.has(id) && GROUP_ID.safeParse(id).success);
}

function notRead(what: NotRead["what"], answers: ReadonlyMap<string, Answer<unknown>>): NotRead[] {
  const reasons = [...answers.values()].flatMap((answer) => ("reason" in answer ? [answer.reason] : []));
  return [...new Set(reasons)].map((reason) => ({ what, reason }));
}

/** A tenant's text may repeat a secret. */
function permissionOf(record: PermissionRecord, border: Border): SamplePermission {
  return {
    resourceServer: border.quote(record.resource_server_identifier ?? ""),
    name: border.quote(record.permission_name ?? ""),
    sources: sourcesOf(record)?.map(({ id, name }) => ({ id, name: border.quote(name) })),
  };
}
