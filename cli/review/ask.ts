import { type Border } from "../../provider/border";
import { type IdentityClient } from "../../provider/http/client";
import { ConfigurationError, shortReason } from "../../provider/http/errors";
import { readablePart } from "../../provider/http/pages";
import { makeBorder, makeClient } from "../../provider/pulumi/clients";
import {
  credentialOf,
  formerTenants,
  type RawSettings,
  type SettingsSource,
  tenantOf,
} from "../../provider/pulumi/settings";
import { DEVICE_CREDENTIAL_TYPES, listCredentialIds } from "../../provider/service/device-credentials";
import { type Step } from "../../provider/review/step";
import { listUserPermissions, type PermissionRecord, sourcesOf } from "../../provider/service/users";
import { type GroupRecord, groupsNamed, readGroupName, readMembers } from "../../provider/service/groups";
import { GROUP_ID } from "../../provider/service/ids";
import {
  listRolePermissions,
  listRoles,
  readRoleGroups,
  type RoleRecord,
  titleOfRole,
} from "../../provider/service/roles";
import { readProfileNames } from "../pending";
import { type RulesFile } from "../rules/file";
import { type Rules, rolesBeside } from "../rules/judge";
import { areNamesIn, namesIn, resolved } from "../rules/names";
import { newProfilesIn } from "./twins";
import { type Change, groupsToRead, isChange, MOST_PEOPLE } from "./people";
import { NOT_THERE, Questions } from "./questions";
import {
  type Answer,
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
export interface Asked {
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

export function askedIn(steps: readonly Step[]): Asked {
  return { roles: rolesIn(steps), credentials: credentialsIn(steps), profiles: newProfilesIn(steps) };
}

/**
 * Reads the current groups of these roles, each role once, the sample users' permissions, and the existing
 * credentials if some are removed. All errors become reasons in the answer.
 */
export async function askTenant(
  asked: Asked,
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
    beside: [],
    members: new Map(),
    rolePermissions: new Map(),
  };
  const { rules } = asked;
  // Ids stand for themselves.
  const hasNames = rules !== undefined && areNamesIn(rules);
  if (asked.roles.length + asked.credentials.length + asked.profiles.length === 0 && !hasNames) return tenant;
  let client: IdentityClient;
  try {
    client = makeClient(settings, source, border);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return { ...tenant, notConfigured: error.message.replace(/\.$/, "") };
  }
  const questions = new Questions(longestSilenceMs);
  const known = asked.roles.filter((role) => role.tenant !== undefined && hosts.includes(role.tenant));
  try {
    const credentials = credentialsThere(asked.credentials, client, questions);
    const profiles = asked.profiles.length === 0 ? undefined : questions.one(() => readProfileNames(client));
    // Nothing changes for a role of another tenant, or one that doesn't exist.
    const isNothing = known.length === 0 && !hasNames;
    if (isNothing) return { ...tenant, credentials: await credentials, profiles: await profiles };
    const answers = await answersOn({ ...asked, roles: known }, sampleUsers, client, questions);
    const found = { ...tenant, ...answers };
    const changes = await changesOn(found, asked, client, questions);
    return { ...found, ...changes, credentials: await credentials, profiles: await profiles };
  } finally {
    questions.end();
    client.cancel("the review is done");
    await client.close();
  }
}

/** Lists all users' credentials; undefined if none is removed, or the list isn't complete. */
async function credentialsThere(
  removed: readonly string[],
  client: IdentityClient,
  questions: Questions,
): Promise<ReadonlySet<string> | undefined> {
  const types = removed.length > 0 ? DEVICE_CREDENTIAL_TYPES : [];
  const lists = await questions.ask(types, (type, signal) => listCredentialIds(client, type, signal));
  const isWhole = types.length > 0 && [...lists.values()].every((answer) => "value" in answer);
  return isWhole ? new Set(valuesOf(lists)) : undefined;
}

async function answersOn(
  { roles, rules: file }: Asked,
  sampleUsers: readonly string[],
  client: IdentityClient,
  questions: Questions,
): Promise<Partial<Tenant>> {
  const { border } = client;
  const ids = [...new Set(roles.map(({ role }) => role))];
  const listing = questions.one((signal) => readablePart(listRoles(client, signal)));
  // The rules decide which other roles to read, besides those that change.
  const rules = file && (await rulesOf(file, client, await listing, questions));
  const beside = rules !== undefined && "value" in rules ? rolesBeside(rules.value, ids) : [];
  const [groups, permissions, listed] = await Promise.all([
    questions.ask([...ids, ...beside], async (id, signal) =>
      (await readRoleGroups(client, id, signal)).map((group) => ({
        id: group.id,
        name: group.name && border.quote(group.name),
      })),
    ),
    questions.ask(ids.length === 0 ? [] : [...new Set(sampleUsers)], async (id, signal) =>
      (await listUserPermissions(client, id, signal)).map((record) => permissionOf(record, border)),
    ),
    listing,
  ]);
  const others = unnamedGroups(roles, groups);
  const groupNames = await questions.askFirstAlone(others.slice(0, MOST_GROUP_NAMES), async (id, signal) => [
    [id, border.quote((await readGroupName(client, id, signal)) ?? "")] as const,
  ]);
  const left = others.length - MOST_GROUP_NAMES;
  return {
    groups,
    permissions,
    rules,
    beside,
    names: new Map([...valuesOf(groupNames), ...namesOfRoles(listed, border)]),
    unnamed: [
      ...unnamedRoles(listed),
      ...notRead("names of groups", groupNames),
      ...(left > 0
        ? [{ what: "names of groups" as const, reason: `${left} more than ${MOST_GROUP_NAMES}` }]
        : []),
    ],
  };
}

/** Reads the people behind the change, and only those. */
async function changesOn(
  tenant: Tenant,
  { rowsOf }: Asked,
  client: IdentityClient,
  questions: Questions,
): Promise<Partial<Tenant>> {
  const { border } = client;
  const all = rowsOf?.(tenant) ?? [];
  const rows = all.filter((row) => row.tenant !== undefined && tenant.hosts.includes(row.tenant));
  const roles = [...new Set(rows.filter(isChange).map(({ role }) => role))];
  const groups = groupsToRead(rows, tenant);
  const left = groups.length - MOST_GROUPS_WITH_MEMBERS;
  const [members, rolePermissions] = await Promise.all([
    questions.askFirstAlone(groups.slice(0, MOST_GROUPS_WITH_MEMBERS), async (id, signal) => {
      const { people, ...rest } = await readMembers(client, id, MOST_PEOPLE, signal);
      return { ...rest, people: people.map((person) => border.quote(person)) };
    }),
    questions.askFirstAlone(roles, async (id, signal) =>
      (await listRolePermissions(client, id, signal)).map((record) => {
        const { resourceServer, name } = permissionOf(record, border);
        return { resourceServer, name };
      }),
    ),
  ]);
  const unnamed = [
    ...tenant.unnamed,
    ...notRead("members of groups", members),
    ...(left > 0
      ? [{ what: "members of groups" as const, reason: `${left} more than ${MOST_GROUPS_WITH_MEMBERS}` }]
      : []),
    ...notRead("permissions of roles", rolePermissions),
  ];
  return { members, rolePermissions, unnamed };
}

type RoleList = Awaited<ReturnType<typeof readablePart<RoleRecord>>>;

/** For names, a partial list is good enough. */
function namesOfRoles(listed: Answer<RoleList>, border: Border): (readonly [string, string])[] {
  const roles = "value" in listed ? listed.value.items : [];
  return roles.map((role) => [role.id, titleOfRole(role, (name) => border.quote(name)) ?? ""] as const);
}

function unnamedRoles(listed: Answer<RoleList>): NotRead[] {
  const reason = whyInPart(listed);
  return reason === undefined || reason === NOT_THERE ? [] : [{ what: "names of roles", reason }];
}

function whyInPart(listed: Answer<RoleList>): string | undefined {
  if ("reason" in listed) return listed.reason;
  const { incomplete } = listed.value;
  return incomplete && shortReason(incomplete);
}

/** Returns the rules with the tenant's ids. Throws for a name that doesn't exist there. */
async function rulesOf(
  file: RulesFile,
  client: IdentityClient,
  listed: Answer<RoleList>,
  questions: Questions,
): Promise<Answer<Rules>> {
  const names = namesIn(file);
  const unread = names.roles.length === 0 ? undefined : whyInPart(listed);
  if (unread !== undefined) return { reason: unread };
  const groups = await questions.ask(names.groups, (name, signal) => groupsNamed(client, name, signal));
  const found = new Map<string, GroupRecord[]>();
  for (const [name, answer] of groups) {
    if ("reason" in answer) return answer;
    found.set(name, answer.value);
  }
  const roles = "value" in listed ? listed.value.items : [];
  return { value: resolved(file, { tenant: client.tenant, roles, groups: found }) };
}

function unnamedGroups(roles: readonly RoleOfTenant[], answers: Tenant["groups"]): string[] {
  const read = valuesOf(answers);
  const named = new Set(read.filter(({ name }) => name !== undefined).map(({ id }) => id));
  const told = new Set(roles.flatMap(({ groups }) => groups));
  return [...told].filter((id) => !named.has(id) && GROUP_ID.safeParse(id).success);
}

/** A missing group has no name. */
function notRead(what: NotRead["what"], answers: ReadonlyMap<string, Answer<unknown>>): NotRead[] {
  const reasons = [...answers.values()].flatMap((answer) => ("reason" in answer ? [answer.reason] : []));
  const told = new Set(reasons.filter((reason) => reason !== NOT_THERE));
  return [...told].map((reason) => ({ what, reason }));
}

/** A tenant's text may repeat a secret. */
function permissionOf(record: PermissionRecord, border: Border): SamplePermission {
  return {
    resourceServer: border.quote(record.resource_server_identifier ?? ""),
    name: border.quote(record.permission_name ?? ""),
    sources: sourcesOf(record)?.map(({ id, name }) => ({ id, name: border.quote(name) })),
  };
}
