import { type Border } from "../../provider/border";
import { KINDS } from "../../provider/kinds";
import { CommandError } from "../errors";
import { isGoneInBulk } from "../../provider/http/errors";
import { CHECK_CREDENTIALS } from "../gone-in-bulk";
import { type StackTenant, withTenant } from "../stack-client";
import { idsOfGroups, idsOfRoles } from "../tenant/names";
import { type Progress } from "../terminal";
import { readStackState } from "../pending";
import {
  isUnfinished,
  readStackExport,
  type StackExport,
  type StackState,
  type StateResource,
} from "../stack-export";
import { workplaceOf } from "../workplace";
import { groupsNamed } from "../rules/judge";
import { anyOf, optional, unlessEmpty } from "../lists";
import { type AccessGroup, type Claims, claimsIn } from "./claims";
import { type Access } from "./document";
import { accessCountsOf, isNobodys, rolesOf, type TenantRoles } from "./roles";
import { NO_RULES, type RulesFile } from "../rules/file";
import { readPeople, readRuleNames, type Ruled, rulesAnswerOf } from "./rules";
import { readHolders, readListedRoles } from "./holders";
import { type AskedOrganizations, organizationsToAsk } from "./organizations";
import { checkCompared, comparedWith, type ComparedFile, quotedFile } from "./compare";
import { type DecisionsFile, decisionsOn, judgedBy, type Read } from "./decisions";
import { readDetails } from "./details";
import { readDirectly } from "./directly";
import { endsOf } from "./ends";
import { type Within } from "../ends";
import { leavingOf, readLeaver } from "./leaving";
import { readUserAccess } from "./user-access";
import { type LinesAbout } from "./leaving-steps";
import { type UserAccess, type UserAnswer, userOf } from "./user";

export interface AccessRequest {
  /** Names or ids; empty: all. */
  role: readonly string[];
  group: readonly string[];
  /** Names or ids, or `all`: asked besides those that states and rules name. */
  organization?: readonly string[];
  user?: string;
  /** True: reads all that the user has, as somebody who leaves. */
  leave?: boolean;
  rules?: RulesFile | undefined;
  /** False: doesn't ask who has the roles directly. Default: true, except for a group or a user. */
  direct?: boolean;
  /** True: names the people who have them directly. */
  people?: boolean;
  /** True: reads the members of the groups, too. */
  members?: boolean;
  /** True: reads what the roles allow. */
  permissions?: boolean;
  decisions?: DecisionsFile | undefined;
  endsWithin?: Within | undefined;
  compare?: ComparedFile | undefined;
  exports: readonly StackExport[];
  stack: readonly string[];
  environment: NodeJS.ProcessEnv;
  folder: string;
}

export async function askAccess(named: AccessRequest): Promise<Access> {
  const { stack, environment, folder, rules: file, decisions, compare: earlier, endsWithin: within } = named;
  return withTenant({ stack: stack[0], folder, environment }, async (tenant) => {
    const { client, tenants, progress } = tenant;
    if (earlier !== undefined) checkCompared(earlier, tenants);
    const request = {
      ...named,
      role: await idsOfRoles(tenant, named.role),
      group: await idsOfGroups(tenant, named.group),
    };
    const states = await readStates(request, client.border, progress);
    const made = new Date().toISOString();
    const claims = claimsIn(states, tenants, (text) => client.border.quote(text), Date.parse(made));
    const answered = await answerTo(request, tenant, claims, states);
    const { user, ruled, incomplete, unreadPeople, organizations } = answered;
    const known = answered.roles.filter((role) => !isNobodys(role));
    const { roles, members, unread: unreadDetails } = await readDetails(tenant, known, request);
    const answer: Access = {
      version: 1,
      made,
      tenant: client.tenant,
      complete: unknownIn({ ...answered, roles, unreadDetails }).length === 0,
      incomplete: [...incomplete],
      unreadPeople: unlessEmpty(unreadPeople),
      members,
      unreadDetails: unlessEmpty(unreadDetails),
      organizations: [...organizations.ids],
      otherOrganizations: organizations.others,
      covers: answered.covers,
      stacks: claims.stacks,
      counts: accessCountsOf(roles),
      roles,
      rules: file && ruled && rulesAnswerOf(file, { ...ruled, read: answered.read }, roles, Date.parse(made)),
      decisions: decisions && judgedBy(decisions, { tenant: client.tenant, roles, read: answered.read }),
      ends: within && endsOf(roles, { within, moment: Date.parse(made), ...sourcesIn(named, client.border) }),
      user,
    };
    return earlier === undefined ? answer : { ...answer, compared: compared(answer, named, client.border) };
  });
}

function sourcesIn({ folder, environment }: AccessRequest, border: Border) {
  const { linesOf } = workplaceOf(folder, environment);
  return { linesOf, quote: (text: string) => border.quote(text) };
}

function compared(
  answer: Access,
  { compare: earlier, decisions }: AccessRequest,
  border: Border,
): Access["compared"] {
  const { covers, decisions: judged } = answer;
  if (earlier === undefined || covers === undefined) return undefined;
  const quoted = quotedFile(earlier, (text) => border.quote(text));
  return comparedWith({ ...answer, covers }, quoted, decisions && judged && decisionsOn(decisions, judged));
}

/** In an organization: its name, its own roles, and its groups. */
const LEAST_REQUESTS = 3;

interface Answered extends Pick<Access, "roles" | "user" | "covers"> {
  /** Undefined: rules aren't judged for a user. */
  ruled?: Ruled;
  incomplete: readonly string[];
  unreadPeople: readonly string[];
  organizations: Pick<AskedOrganizations, "ids" | "others">;
  read: Read;
}

/** Returns whatever keeps an answer from being whole. */
function unknownIn({
  roles,
  user,
  ruled,
  incomplete,
  unreadPeople,
  unreadDetails,
  organizations,
}: Answered & { unreadDetails: readonly string[] }): unknown[] {
  return [
    ...[incomplete, unreadPeople, unreadDetails, ruled?.people.gaps ?? []].flat(),
    ...optional(organizations.others),
    ...roles.flatMap(({ groups, people, secret, direct }) => [
      ...groups.filter(({ status }) => status === "unknown"),
      ...secret,
      ...anyOf<unknown>([people?.more === true, people], [direct === null, direct]),
    ]),
    ...optional(user).flatMap(({ unread, unreadOrganizations = [], permissions, leaving }) => [
      ...optional(unread),
      ...unreadOrganizations,
      ...(leaving?.unread ?? []),
      ...(leaving?.groups ?? []).filter(({ others }) => others === null),
      ...permissions.filter(({ sources }) => sources === null),
    ]),
  ];
}

async function answerTo(
  request: AccessRequest,
  tenant: StackTenant,
  claims: Claims,
  states: readonly LabelledState[],
): Promise<Answered> {
  const { user: id, organization = [], leave = false } = request;
  if (id === undefined) return answerOfRoles(request, tenant, claims);
  if (!leave) return answerOfUser(await readAccess(tenant, { id, organization }, claims), claims);
  const leaver = await readLeaver(tenant, id, organization);
  const access = leaver.gone ? nobody(id) : await readAccess(tenant, { ...leaver, id }, claims);
  const incomplete = [...access.incomplete, ...leaver.incomplete];
  const { user, ...answer } = answerOfUser({ ...access, incomplete }, claims);
  const isWhole = incomplete.length === 0 && access.organizations.others === undefined;
  const lines = linesIn(states, id, tenant);
  const known = { id, roles: answer.roles, user, isWhole, claims, lines };
  return { ...answer, user: { ...user, leaving: await leavingOf(tenant, leaver, known) } };
}

function readAccess(
  tenant: StackTenant,
  about: { id: string; organization: readonly string[] },
  { assignments }: Claims,
): Promise<UserAccess> {
  return readUserAccess(tenant, { ...about, keys: assignments.map(({ role }) => role) });
}

function answerOfUser(access: UserAccess, claims: Claims): Answered & { user: UserAnswer } {
  const { organizations, incomplete } = access;
  const answer = userOf(access, claims);
  const read = { roles: answer.roles, places: new Set<undefined>() };
  return { ...answer, incomplete, unreadPeople: [], organizations, read };
}

/** Nobody can have anything who isn't there. */
function nobody(id: string): UserAccess {
  const organizations = { ids: [], notMemberOf: [], others: undefined, names: new Map(), unread: [] };
  return { id, permissions: [], roles: [], unread: undefined, allRoles: true, organizations, incomplete: [] };
}

/** The user's sign-outs and `@pulumi/auth0` resources in the states. */
function linesIn(
  states: readonly LabelledState[],
  user: string,
  { client, tenants }: StackTenant,
): LinesAbout {
  const { border } = client;
  const quoted = ({ stack, label }: LabelledState, { name, line }: Pick<StateResource, "name" | "line">) => ({
    stack: border.quote(stack ?? label),
    name: border.quote(name),
    line: line && { ...line, file: border.quote(line.file) },
  });
  const isHere = ({ tenant }: { tenant: string | undefined }) =>
    tenant === undefined || tenants.includes(tenant);
  return {
    auth0: states.flatMap((state) =>
      state.auth0.filter(isHere).map((one) => ({ ...one, ...quoted(state, one) })),
    ),
    // With a client, its id has that, too: others stay signed in.
    signOuts: states.flatMap((state) =>
      state.resources
        .filter(isHere)
        .filter(({ kind, id, isEnding }) => KINDS[kind].manages === "sign-ins" && id === user && !isEnding)
        .map((one) => ({
          urn: border.quote(one.urn),
          isFinished: !isUnfinished(one),
          ...quoted(state, one),
        })),
    ),
  };
}

async function answerOfRoles(request: AccessRequest, tenant: StackTenant, claims: Claims): Promise<Answered> {
  const { role, group, organization = [], rules: file = NO_RULES, direct = true } = request;
  const { assignments } = claims;
  const listed = await readListedRoles(tenant);
  const named = await readRuleNames(tenant, file, listed);
  const claimed = assignments.flatMap(({ role: key, granted }) =>
    granted.groups.map((id) => ({ role: key, group: id })),
  );
  const keys = assignments.map((assignment) => assignment.role);
  const organizations = await organizationsToAsk(tenant, organization, keys, {
    rules: named.rules,
    requestsEach: LEAST_REQUESTS + (direct ? listed.roles.length : 0),
  });
  const filter = { roles: role, groups: group };
  const holders = await readHolders(tenant, listed, filter, {
    claimed,
    ruled: groupsNamed(named.rules),
    inStates: keys,
    open: assignments.filter(({ isHidden }) => isHidden).map((assignment) => assignment.role),
    organizations: organizations.ids,
  });
  checkNamed(tenant, request, { ...holders, claimed, keys });
  const names = new Map([...named.groupNames, ...holders.names]);
  const ofHolders = rolesOf({ ...holders, names }, claims, filter);
  const people = await readPeople(tenant, named.rules, ofHolders, organizations.ids);
  const incomplete = [...holders.incomplete, ...unbelievable(ofHolders, tenant, request)];
  const gaps = [
    ...named.gaps,
    ...organizations.gaps,
    ...people.gaps,
    ...anyOf([incomplete.length, "not all lists of the tenant could be read whole"]),
  ];
  const { roles, unread } = await withDirect(request, tenant, ofHolders);
  return {
    roles,
    user: null,
    ruled: { rules: named.rules, people: { ...people, gaps }, groupNames: named.groupNames },
    incomplete,
    unreadPeople: unread,
    organizations,
    read: { roles, places: holders.places },
    covers: coversOf(request, { ...holders, names }, ofHolders),
  };
}

function coversOf(
  { role, group, direct = true, people = false }: AccessRequest,
  { roles, names, places }: TenantRoles & Pick<Read, "places">,
  holders: Access["roles"],
): Access["covers"] {
  const objects = [...roles, ...holders.flatMap(({ groups }) => groups)];
  const titles = objects.flatMap(({ id, name }) => optional(name).map((text) => [id, text] as const));
  const known = new Map([...names, ...titles]);
  const named = (id: string) => ({ id, name: known.get(id) ?? null });
  return {
    roles: role.map(named),
    groups: group.map(named),
    people: !direct || group.length > 0 ? "no" : people ? "ids" : "numbers",
    tenant: places.has(undefined),
    organizations: [...places].flatMap(optional).map(named),
  };
}

interface KnownObjects extends Pick<TenantRoles, "roles" | "gone"> {
  claimed: readonly { group: string }[];
  /** Of roles that states know. */
  keys: readonly string[];
}

/** Throws if neither the tenant nor a state has one of the requested roles and groups. */
function checkNamed(
  { client }: StackTenant,
  { role }: Pick<AccessRequest, "role">,
  { roles, gone, claimed, keys }: KnownObjects,
): void {
  const knownRoles = new Set([...roles.map(({ id }) => id), ...keys]);
  const knownGroups = new Set(claimed.map(({ group }) => group));
  const [lost] = [
    ...role.filter((id) => !knownRoles.has(id)).map((id) => ({ what: "role", id })),
    ...[...gone].filter((id) => !knownGroups.has(id)).map((id) => ({ what: "group", id })),
  ];
  if (lost === undefined) return;
  const { what, id } = lost;
  throw new CommandError(
    `The ${what} ${id} is not on the tenant ${client.tenant}, and no state knows it: check --${what}.`,
  );
}

/** The roles with the people who have them directly, unless nobody wants to know. */
async function withDirect(
  { group, direct = true, people = false }: AccessRequest,
  tenant: StackTenant,
  roles: Access["roles"],
): Promise<{ roles: Access["roles"]; unread: string[] }> {
  if (!direct || group.length > 0) return { roles, unread: [] };
  return readDirectly(tenant, roles, people);
}

/** Reports that everything is missing: with another tenant's credentials, nothing in the states is there. */
function unbelievable(
  roles: Access["roles"],
  { client }: StackTenant,
  { role, group }: Pick<AccessRequest, "role" | "group">,
): string[] {
  const claimed = roles.filter(({ groups }) => groups.some(({ by }) => by.length > 0));
  const isThere = ({ by, status }: AccessGroup) => by.length > 0 && status !== "drift";
  const { length: gone } = claimed.filter(({ groups }) => !groups.some(isThere));
  // A single role or group may well be gone.
  const isSingle = role.length + group.length > 0;
  return anyOf([
    !isSingle && gone === claimed.length && isGoneInBulk(gone),
    `Nothing in the states is on ${client.tenant}. ${CHECK_CREDENTIALS}`,
  ]);
}

type LabelledState = StackState & { label: string };

/** Reads the given states, or fetches them with the Pulumi CLI, without their secrets. */
async function readStates(
  request: AccessRequest,
  border: Border,
  progress: Progress,
): Promise<LabelledState[]> {
  const { exports, stack, folder, environment } = request;
  const { locate } = workplaceOf(folder, environment);
  const states: LabelledState[] = exports.map((given) => ({
    ...readStackExport(given, "--state", locate),
    label: given.file,
  }));
  const names = exports.length + stack.length === 0 ? [undefined] : stack;
  for (const name of names) states.push(await fetchedState(name, request, { border, progress }));
  return states;
}

/** `name`: undefined for the selected stack. */
async function fetchedState(
  name: string | undefined,
  { folder, environment }: AccessRequest,
  { border, progress }: { border: Border; progress: Progress },
): Promise<LabelledState> {
  const what = name === undefined ? "the selected stack" : `the stack ${name}`;
  progress.show(`Reading the state of ${what} …`);
  const read = await readStackState({ stack: name, folder, environment }, border);
  if (!("unread" in read)) return { ...read, label: name ?? "the selected stack" };
  throw new CommandError(
    border.clean(
      `The state of ${what} could not be read. ${read.unread} ${read.advice} Or give --state FILE.`,
    ),
  );
}
