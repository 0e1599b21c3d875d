import { type Border } from "../../provider/border";
import { type IdentityClient } from "../../provider/http/client";
import { concernsOneQuestion, IncompleteListError } from "../../provider/http/errors";
import { connectionProfiles, type ProfileRecord } from "../../provider/service/connection-profiles";
import {
  isOfOrganization,
  type RoleGroupRecord,
  type RoleRecord,
  titleOfRole,
} from "../../provider/service/roles";
import { type Named } from "../../provider/service/record";
import { count } from "../../provider/sentence";
import { anyOf } from "../lists";
import { CommandError } from "../errors";
import { checkRoleGroups } from "../gone-in-bulk";
import { PENDING_ADVICE, pendingSentence } from "../../provider/review/pending";
import { PENDING_UNREAD, readStackState } from "../pending";
import { readStackExport, type StackExport } from "../stack-export";
import { type StackTenant, withTenant } from "../stack-client";
import { roleKey } from "../../provider/access/edge";
import { idsOfOrganizations, idsOfRoles } from "../tenant/names";
import { DeniedListError } from "../tenant/denied-list-error";
import { type Answer, isNotFound } from "../tenant/questions";
import { assignableIn, type Holders, MOST_ORGANIZATIONS, partOf, valueOf } from "../tenant/reader";
import {
  type Contents,
  contentsOf,
  managedIn,
  type ManagedByStacks,
  NOTHING_MANAGED,
  roleWords,
  titleOf,
} from "./contents";
import { importFile, leftOutOfImport } from "./import-file";
import { NO_LOOKUPS, readLookups } from "./lookups";
import { programOf } from "./program";
import { type Progress } from "../terminal";
import { workplaceOf } from "../workplace";

export const ADOPT_FORMATS = ["typescript", "import"] as const;

export interface AdoptOptions {
  format?: (typeof ADOPT_FORMATS)[number];
  output?: string;
  force?: true;
  ids?: true;
  role: string[];
  allRoles?: true;
  /** Names or ids, or `all`. */
  organization?: string[];
  only?: string;
  unmanaged?: true;
  state: string[];
  stack?: string;
}

export interface AdoptRequest extends AdoptOptions {
  exports: readonly StackExport[];
  environment: NodeJS.ProcessEnv;
  folder: string;
}

const MOST_ROLES_SHOWN = 50;
const MOST_ORGANIZATIONS_SHOWN = 10;

/** The text to write, and remarks that don't fit into it. */
export interface Adopted {
  text: string;
  notes: string[];
}

export async function adoptTenant(request: AdoptRequest): Promise<Adopted> {
  const { role, only, stack, exports, environment, folder, allRoles = false } = request;
  return withTenant({ stack, folder, environment }, async (tenant) => {
    const { client, tenants, progress } = tenant;
    const roles = [...new Set(await idsOfRoles(tenant, role))].sort();
    const pending = await pendingNotes(request, client.border);
    const managed = request.unmanaged ? managedIn(exports, tenants) : NOTHING_MANAGED;
    const profiles = await readProfiles(client, progress);
    const groups = await readGroupsOfRoles(tenant, roles);
    const listed = allRoles ? await readAllRoles(tenant) : [];
    const others = listed.filter((record) => !groups.has(record.id) && !isOfOrganization(record));
    for (const [id, own] of await readAllGroups(tenant, others, managed)) groups.set(id, own);
    const organizations = await organizationsIn(tenant, request);
    for (const [key, own] of await readInOrganizations(tenant, organizations, managed)) groups.set(key, own);
    const left = allRoles ? await leftOut(tenant, organizations) : [];
    const isImport = request.format === "import";
    const hasLookups = isImport || request.ids !== true;
    const lookups = hasLookups ? await readLookups(tenant, groups, !isImport) : NO_LOOKUPS;
    const listedNames = listed.flatMap(({ id, name }) => (name ? [[id, name] as const] : []));
    const roleNames = new Map([...listedNames, ...lookups.roleNames]);
    const sorted = new Map([...groups].sort(([one], [other]) => (one < other ? -1 : 1)));
    const { border } = client;
    const { assignments, ...rest } = contentsOf({
      profiles,
      groups: sorted,
      roleNames,
      lookups,
      only,
      managed,
      border,
    });
    // Unnamed roles are included only if they have something to declare.
    const declared = assignments.filter(({ id, groups: own }) => roles.includes(id) || own.length > 0);
    const contents = { ...rest, assignments: declared };
    progress.tell(contentsSummary(contents, request.unmanaged === true));
    if (roles.length === 0 && !allRoles && progress.isSeen) progress.tell(await rolesToName(tenant));
    const adopted = adoptedAs(request, client.tenant, contents);
    return { ...adopted, notes: [...pending, ...left, ...adopted.notes] };
  });
}

/** Looks into the given states, or else into the stack whose configuration was read. */
async function pendingNotes(
  { exports, stack, folder, environment }: AdoptRequest,
  border: Border,
): Promise<string[]> {
  const { locate } = workplaceOf(folder, environment);
  const given = exports.map((given) => readStackExport(given, "--unmanaged --state", locate));
  const states = given.length > 0 ? given : [await readStackState({ stack, folder, environment }, border)];
  return states.flatMap((state) => {
    if (!("unread" in state))
      return state.pending.map((create) =>
        border.clean(`Pending: ${pendingSentence(create).toString()}. ${PENDING_ADVICE}`),
      );
    // The command works without a stack, too.
    return state.cause === "other" ? [border.clean(`${PENDING_UNREAD} ${state.unread}`)] : [];
  });
}

function adoptedAs({ format, unmanaged, only }: AdoptRequest, tenant: string, contents: Contents): Adopted {
  if (format === "import") return { text: importFile(contents), notes: leftOutOfImport(contents) };
  return { text: programOf({ tenant, isRest: unmanaged === true, only, ...contents }), notes: [] };
}

function readProfiles(client: IdentityClient, progress: Progress): Promise<ProfileRecord[]> {
  progress.show("Reading connection profiles …");
  return connectionProfiles(client).list((entries) =>
    progress.show(`Reading connection profiles … ${entries}`),
  );
}

/** Fails on a partial list: a program without some of the roles would look complete. */
async function readAllRoles({ client, reader, progress }: StackTenant): Promise<RoleRecord[]> {
  progress.show("Reading the roles …");
  const answer = await reader.roles();
  if (!(answer.error instanceof IncompleteListError)) return valueOf(answer);
  throw new CommandError(client.border.clean(`${answer.error.message} Name the roles by --role.`));
}

/** Only for people who read the program, so it's no error if the client may not. */
async function rolesToName({ client, reader, progress }: StackTenant): Promise<string[]> {
  progress.show("Reading the roles …");
  const answer = await reader.roles();
  const { error } = answer;
  if (concernsOneQuestion(error) && !(error instanceof IncompleteListError)) return [];
  const { items: roles, incomplete } = partOf(answer);
  if (roles.length === 0) return [];
  const shown = roles.slice(0, MOST_ROLES_SHOWN);
  const quoted = (name: string) => titleOf(name, client.border);
  return [
    "Roles are left out. Name them by --role, or give --all-roles for all that have groups:",
    ...shown.map((role) => `  ${role.id} ${titleOfRole(role, quoted) ?? ""}`.trimEnd()),
    ...(roles.length > shown.length ? [`  … and ${roles.length - shown.length} more`] : []),
    ...(incomplete === undefined ? [] : [client.border.clean(incomplete.message)]),
  ];
}

/** Reads the groups of the named roles. */
async function readGroupsOfRoles(
  tenant: StackTenant,
  roles: readonly string[],
): Promise<Map<string, RoleGroupRecord[]>> {
  const found = await readGroupsIfThere(tenant, roles, { alone: roles });
  return new Map(
    [...found].map(([id, answer]) => {
      if (!isNotFound(answer)) return [id, valueOf(answer)];
      throw new CommandError(`The role ${id} is not on the tenant ${tenant.client.tenant}: check --role.`);
    }),
  );
}

/** Reads the groups of the listed roles, along the shorter side; a role that has just gone has none. */
async function readAllGroups(
  tenant: StackTenant,
  roles: readonly RoleRecord[],
  { assignments }: ManagedByStacks,
): Promise<[string, RoleGroupRecord[]][]> {
  const ids = roles.map(({ id }) => id);
  const found = [
    ...(await readGroupsIfThere(tenant, ids, {
      named: assignments.flatMap(({ roleId, groups = [] }) =>
        groups.map((group) => ({ role: roleId, group })),
      ),
      alone: assignments.filter(({ groups }) => groups === undefined).map(({ roleId }) => roleId),
    })),
  ];
  checkRoleGroups(
    tenant.client.tenant,
    found.map(([, answer]) => answer),
  );
  return found.map(([id, answer]) => [id, isNotFound(answer) ? [] : valueOf(answer)]);
}

/** Returns the ids of the organizations that are asked. */
async function organizationsIn(
  tenant: StackTenant,
  { organization: names = [] }: AdoptRequest,
): Promise<string[]> {
  return names.length === 0 ? [] : idsOfOrganizations(tenant, names);
}

/** Says which organizations were not asked: `--all-roles` is about roles in the tenant itself. */
async function leftOut({ client, reader }: StackTenant, asked: readonly string[]): Promise<string[]> {
  const most = MOST_ORGANIZATIONS * Math.ceil((asked.length + 1) / MOST_ORGANIZATIONS);
  const { value, reason = "unknown" } = await reader.someOrganizations(most);
  if (value === undefined)
    return [
      client.border.clean(`Left out: what groups have in organizations, which were not read (${reason}).`),
    ];
  const others = value.items.filter(({ id }) => !asked.includes(id));
  const named = ({ id, name }: Named) => (name ? `${id} ${titleOf(name, client.border)}` : id);
  const shown = others.slice(0, MOST_ORGANIZATIONS_SHOWN).map(named);
  const rest = others.length - shown.length;
  const more = anyOf([value.isMore, "and others"], [rest, `and ${rest} more`]).slice(0, 1);
  return anyOf([
    others.length > 0 || value.isMore,
    `Left out: what groups have in ${[...shown, ...more].join(", ")}. Name them by --organization, or give --organization all.`,
  ]);
}

/** Reads who has which role in organizations: any of the tenant's roles, or of their own. */
async function readInOrganizations(
  tenant: StackTenant,
  ids: readonly string[],
  { assignments }: ManagedByStacks,
): Promise<[string, RoleGroupRecord[]][]> {
  if (ids.length === 0) return [];
  const { reader } = tenant;
  const listed = await readAllRoles(tenant);
  const own = await reader.rolesOfOrganizations(ids);
  const found: [string, RoleGroupRecord[]][] = [];
  for (const organization of [...new Set(ids)].sort()) {
    const there = own.get(organization);
    const roles = assignableIn(organization, listed, there === undefined ? [] : valueOf(there));
    const keys = roles.map((role) => roleKey({ organization, role }));
    const alone = assignments.map(({ roleId }) => roleId).filter((key) => keys.includes(key));
    for (const [key, answer] of await reader.holdersInOrganization(organization, keys, alone))
      found.push([key, valueOf(answer)]);
  }
  return found;
}

async function readGroupsIfThere(
  { reader }: StackTenant,
  roles: readonly string[],
  how: Pick<Holders, "named" | "alone">,
): Promise<Map<string, Answer<RoleGroupRecord[]>>> {
  if (roles.length === 0) return new Map();
  return reader.holdersOfRoles(roles, {
    ...how,
    onAnswer: (_, answer) => {
      // One list that is denied says nothing of the others; if all are, one sentence says so.
      if (!isNotFound(answer) && !(answer.error instanceof DeniedListError)) valueOf(answer);
    },
  });
}

function contentsSummary({ profiles, assignments }: Contents, isRest: boolean): string[] {
  const assigned = assignments.flatMap((assignment) =>
    assignment.groups.map((group) => ({ ...group, role: roleWords(assignment) })),
  );
  const groups = `${count(assigned.length, "group")} of ${count(assignments.length, "role")}`;
  const all = `${count(profiles.length, "connection profile")}, ${groups}`;
  if (!isRest) return [`Read: ${all}.`];
  return [
    `Not in the state: ${all}.`,
    ...profiles.map(({ id, title }) => `  ${id} ${title}`),
    ...assigned.map(({ id, title = "", role }) => `  ${id} ${title} has ${role}`.replace("  has", " has")),
  ];
}
