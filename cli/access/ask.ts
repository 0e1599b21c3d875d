import { type Border } from "../../provider/border";
import { CommandError } from "../errors";
import { isGoneInBulk } from "../../provider/http/errors";
import { CHECK_CREDENTIALS } from "../gone-in-bulk";
import { type StackTenant, withTenant } from "../stack-client";
import { idsOfGroups, idsOfRoles } from "../tenant/names";
import { type Progress } from "../terminal";
import { readStackState } from "../pending";
import { readStackExport, type StackExport, type StackState } from "../stack-export";
import { workplaceOf } from "../workplace";
import { groupsAllowed, type Rules } from "../rules/judge";
import { type Claims, claimsIn } from "./claims";
import { type Access } from "./document";
import { accessCountsOf, isNobodys, rolesOf } from "./roles";
import { type RulesFile } from "../rules/file";
import { type People, readPeople, readRuleNames, rulesAnswerOf } from "./rules";
import { readHolders, readListedRoles } from "./holders";
import { type AskedOrganizations, organizationsToAsk } from "./organizations";
import { type DecisionsFile, judgedBy } from "./decisions";
import { type Details, readDetails } from "./details";
import { readDirectly } from "./directly";
import { readUserAccess } from "./user-access";
import { userOf } from "./user";

export interface AccessRequest {
  /** Names or ids; empty: all. */
  role: readonly string[];
  group: readonly string[];
  /** Names or ids, or `all`: asked besides those that states and rules name. */
  organization?: readonly string[];
  user?: string;
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
  exports: readonly StackExport[];
  stack: readonly string[];
  environment: NodeJS.ProcessEnv;
  folder: string;
}

export async function askAccess(named: AccessRequest): Promise<Access> {
  const { stack, environment, folder } = named;
  return withTenant({ stack: stack[0], folder, environment }, async (tenant) => {
    const { client, tenants, progress } = tenant;
    const request = {
      ...named,
      role: await idsOfRoles(tenant, named.role),
      group: await idsOfGroups(tenant, named.group),
    };
    const states = await readStates(request, client.border, progress);
    const made = new Date().toISOString();
    const claims = claimsIn(states, tenants, (text) => client.border.quote(text), Date.parse(made));
    const { user, rules, incomplete, organizations, ...answer } = await answerOf(request, tenant, claims);
    const { roles: all, unread } = await withDirect(request, tenant, answer.roles);
    const known = all.filter((role) => !isNobodys(role));
    const { permissions = false, members: hasMembers = false } = request;
    const { roles, ...details } = await readDetails(tenant, known, { permissions, members: hasMembers });
    const isKnown = isAllKnown(roles, unread.length + details.unread.length);
    const isAsked = organizations?.others === undefined;
    const isJudged = rules === undefined || rules.people.gaps.length === 0;
    return {
      version: 1,
      made,
      tenant: client.tenant,
      complete: isKnown && isJudged && incomplete.length === 0 && isAsked && isToldWhole(user, roles),
      incomplete: [...incomplete],
      ...(unread.length > 0 && { unreadPeople: unread }),
      ...toldDetails(details),
      ...toldOrganizations(organizations),
      stacks: claims.stacks,
      counts: accessCountsOf(roles),
      roles,
      ...judgements(request, rules, { tenant: client.tenant, roles, made }),
      user,
    };
  });
}

function toldOrganizations(asked: Answered["organizations"]): Partial<Access> {
  if (asked === undefined) return {};
  return { organizations: [...asked.ids], ...(asked.others && { otherOrganizations: asked.others }) };
}

function toldDetails({ members, unread }: Omit<Details, "roles">): Partial<Access> {
  return { ...(members && { members }), ...(unread.length > 0 && { unreadDetails: unread }) };
}

function judgements(
  { rules: file, decisions }: AccessRequest,
  rules: Answered["rules"],
  { tenant, roles, made }: Pick<Access, "tenant" | "roles" | "made">,
): Partial<Access> {
  return {
    ...(file && rules && { rules: rulesAnswerOf(file, rules, roles, Date.parse(made)) }),
    ...(decisions && { decisions: judgedBy(decisions, { tenant, roles }) }),
  };
}

function isAllKnown(roles: Access["roles"], unread: number): boolean {
  return (
    unread === 0 &&
    accessCountsOf(roles).unknown === 0 &&
    roles.every(({ people }) => people?.more !== true) &&
    roles.every(({ secret }) => secret.length === 0)
  );
}

type Answered = Pick<Access, "roles" | "user"> & {
  rules?: { rules: Rules; people: People };
  incomplete: readonly string[];
  /** Undefined: none was asked. */
  organizations?: Omit<AskedOrganizations, "gaps">;
};

interface AskedRoles extends Pick<AccessRequest, "role" | "group" | "rules"> {
  organization: readonly string[];
}

async function answerOf(
  { role, group, user, rules: file, organization = [] }: AccessRequest,
  tenant: StackTenant,
  claims: Claims,
): Promise<Answered> {
  if (user !== undefined) {
    const keys = claims.assignments.map((assignment) => assignment.role);
    const access = await readUserAccess(tenant, { id: user, organization, keys });
    const { organizations, incomplete } = access;
    return { ...userOf(access, claims), incomplete, organizations };
  }
  return answerOfRoles({ role, group, organization, rules: file }, tenant, claims);
}

async function answerOfRoles(
  { role, group, organization, rules: file }: AskedRoles,
  tenant: StackTenant,
  claims: Claims,
): Promise<Answered> {
  const { client } = tenant;
  const { assignments } = claims;
  const listed = await readListedRoles(tenant);
  const named = file === undefined ? undefined : await readRuleNames(tenant, file, listed);
  const claimed = assignments.flatMap((one) => one.held.groups.map((id) => ({ role: one.role, group: id })));
  const ruled = named === undefined ? [] : groupsAllowed(named.rules);
  const open = assignments.filter(({ isHidden }) => isHidden).map((one) => one.role);
  const filter = { roles: role, groups: group };
  const keys = assignments.map((one) => one.role);
  const organizations = await organizationsToAsk(tenant, organization, keys, named?.rules);
  const { ids } = organizations;
  const holders = await readHolders(tenant, listed, filter, { claimed, ruled, open, organizations: ids });
  const lost = (what: string, id: string) =>
    new CommandError(
      `The ${what} ${id} is not on the tenant ${client.tenant}, and no state knows it: check --${what}.`,
    );
  const roles = new Set([...holders.roles.map(({ id }) => id), ...assignments.map((one) => one.role)]);
  for (const id of role) if (!roles.has(id)) throw lost("role", id);
  const known = new Set(claimed.map((one) => one.group));
  for (const id of holders.gone) if (!known.has(id)) throw lost("group", id);
  const names = new Map([...(named?.groupNames ?? []), ...holders.names]);
  const roleAnswers = rolesOf({ ...holders, names }, claims, filter);
  const incomplete = [...holders.incomplete, ...unbelievable(roleAnswers, client.tenant, { role, group })];
  const answer = { roles: roleAnswers, user: null, incomplete, organizations };
  if (named === undefined) return answer;
  const { rules } = named;
  const found = await readPeople(tenant, rules, roleAnswers, ids);
  const people = { ...found, gaps: [...named.gaps, ...organizations.gaps, ...found.gaps] };
  return { ...answer, rules: { rules, people } };
}

/** The roles with the people who have them directly, unless nobody wants to know. */
async function withDirect(
  { group, user, direct = true, people = false }: AccessRequest,
  tenant: StackTenant,
  roles: Access["roles"],
): Promise<{ roles: Access["roles"]; unread: string[] }> {
  if (!direct || group.length > 0 || user !== undefined) return { roles, unread: [] };
  return readDirectly(tenant, roles, people);
}

/** Reports that everything is missing: with another tenant's credentials, nothing in the states is there. */
function unbelievable(
  roles: Access["roles"],
  tenant: string,
  { role, group }: Pick<AccessRequest, "role" | "group">,
): string[] {
  // A single role or group may well be gone.
  if (role.length + group.length > 0) return [];
  const claimed = roles.filter(({ groups }) => groups.some(({ by }) => by.length > 0));
  const gone = claimed.filter(({ groups }) =>
    groups.every(({ by, status }) => by.length === 0 || status === "drift"),
  );
  if (gone.length < claimed.length || !isGoneInBulk(gone.length)) return [];
  return [`Nothing in the states is on ${tenant}. ${CHECK_CREDENTIALS}`];
}

function isToldWhole(user: Access["user"], roles: Access["roles"]): boolean {
  if (user === null) return true;
  const { unread, permissions, unreadOrganizations = [] } = user;
  return (
    unread === null &&
    unreadOrganizations.length === 0 &&
    permissions.every(({ sources }) => sources !== null) &&
    roles.every(({ direct }) => direct !== null)
  );
}

/** Reads the given states, or fetches them with the Pulumi CLI, without their secrets. */
async function readStates(
  { exports, stack, folder, environment }: AccessRequest,
  border: Border,
  progress: Progress,
): Promise<(StackState & { label: string })[]> {
  const { locate } = workplaceOf(folder, environment);
  const given = exports.map((one) => ({ ...readStackExport(one, "--state", locate), label: one.file }));
  if (given.length > 0 && stack.length === 0) return given;
  const named = [];
  for (const name of stack.length === 0 ? [undefined] : stack) {
    const what = name === undefined ? "the selected stack" : `the stack ${name}`;
    progress.show(`Reading the state of ${what} …`);
    const read = await readStackState({ stack: name, folder, environment }, border);
    if ("unread" in read)
      throw new CommandError(
        border.clean(
          `The state of ${what} could not be read. ${read.unread} ${read.advice} Or give --state FILE.`,
        ),
      );
    named.push({ ...read, label: name ?? "the selected stack" });
  }
  return [...given, ...named];
}
