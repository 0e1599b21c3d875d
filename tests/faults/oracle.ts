import { isDeepStrictEqual } from "node:util";
import { type ResourceState } from "../../testkit/engine";
import { type LoggedRequest, type SeedInput, type SimulatorState } from "../../simulator";
import { type Hit, kindsOf, type Outcome, type Prepared } from "./cell";
import { type FaultKind, PLANTED } from "./faults";
import { type CredentialKind, credentialsOf } from "./tenants";

/*
 * The rules for every fault and operation. They know nothing about how the package works, only the tenant,
 * the state, the requests and the messages.
 */

export interface Case {
  prepared: Prepared;
  credentials: CredentialKind;
  hit: Hit;
  /** The operation without the fault. */
  normal: Outcome;
  outcome: Outcome;
}

const LONGEST_MS = 60_000;
/** Beyond those of the operation without a fault: retries and looks. */
const MOST_FURTHER_REQUESTS = 40;
const LONGEST_MESSAGE = 3_000;

/** Returns the problems with an operation's result. */
export function problemsOf(given: Case): string[] {
  return [
    ...problemsOfSuccess(given),
    ...problemsOfState(given),
    ...problemsOfTenant(given),
    ...problemsOfRequests(given),
    ...problemsOfMessages(given),
    ...problemsOfTheNextRun(given),
  ];
}

/** Success must mean the same result as without the fault. */
function problemsOfSuccess({ hit, normal, outcome }: Case): string[] {
  if (outcome.errors.length > 0) return [];
  const problems: string[] = [];
  if (normal.errors.length > 0) problems.push("It succeeded, which it does not even without the fault.");
  if (saysGone(hit)) return problems;
  if (!isDeepStrictEqual(heldBy(outcome.tenant), heldBy(normal.tenant)))
    problems.push(`It succeeded, but the tenant holds ${JSON.stringify(heldBy(outcome.tenant))}.`);
  if (!isDeepStrictEqual(outcome.answer, normal.answer)) problems.push("The answer is another one.");
  if (!isDeepStrictEqual(valuesIn(outcome.state), valuesIn(normal.state)))
    problems.push(`It succeeded, but the state is ${JSON.stringify(valuesIn(outcome.state))}.`);
  return problems;
}

/** State must match the tenant, unless the service left something open. */
function problemsOfState(given: Case): string[] {
  const { prepared, hit, outcome } = given;
  const problems: string[] = [];
  for (const [name, resource] of outcome.state) {
    if (saysGone(hit)) continue;
    const problem = untruth(resource, outcome.tenant);
    if (problem !== undefined && !(outcome.errors.length > 0 && mayHaveActed(given)))
      problems.push(`The state of ${name} is not true: ${problem}`);
  }
  for (const [name, before] of prepared.state) {
    if (outcome.state.has(name) || saysGone(hit)) continue;
    const problem = untruth({ ...before, initErrors: [] }, outcome.tenant);
    if (problem === undefined) problems.push(`The state has lost ${name}, which is still on the tenant.`);
  }
  return problems;
}

/**
 * True if the service says that the request's own object doesn't exist, or that it doesn't have the call,
 * which not every tenant has; a list isn't an object.
 */
export function saysGone(hit: Hit): boolean {
  const { label } = hit.place;
  const mayBe = label.includes("{id}") || label.endsWith("/revoke");
  return mayBe && kindsOf(hit).some((kind) => kind.saysGone);
}

/** True if a write without an answer may have taken effect. */
function mayHaveActed({ prepared: { operation }, hit }: Case): boolean {
  const { place } = hit;
  const isBefore = (kind: FaultKind) => {
    const action = kind.action?.(place) ?? {};
    return (
      kind.refused === true ||
      ("drop" in action && action.drop === "before") ||
      ("hang" in action && action.hang === "before") ||
      "redirect" in action ||
      (("status" in action || "raw" in action) &&
        !("processed" in action && action.processed) &&
        !("part" in action))
    );
  };
  return operation.base !== undefined || (place.method !== "GET" && !kindsOf(hit).every(isBefore));
}

/**
 * Every object that a program has created must be in state, or the message must tell how to find it. None may
 * be created twice.
 */
function problemsOfTenant({ prepared, outcome, normal }: Case): string[] {
  const problems: string[] = [];
  const before = new Set((prepared.seed.connection_profiles ?? []).map(({ id }) => id));
  const made = outcome.tenant.connection_profiles.filter(({ id }) => !before.has(id));
  if (made.length > 1) problems.push(`One create made ${made.length} profiles.`);
  const known = new Set([...outcome.state.values()].map(({ id }) => id));
  for (const { id } of made) {
    const isNamed = outcome.errors.some(
      (error) => error.includes(id) || /may have been created.*adopt/.test(error),
    );
    if (!known.has(id) && !isNamed) problems.push(`Nobody knows of the profile ${id}.`);
  }
  const had = rolesIn(prepared.seed);
  for (const [role, groups] of rolesIn(outcome.tenant)) {
    const given = groups.filter((group) => had.get(role)?.includes(group) !== true);
    const inState = [...outcome.state.values()].flatMap(
      ({ outputs }) => (outputs["groupIds"] ?? []) as string[],
    );
    const unknown = given.filter((group) => !inState.includes(group));
    if (unknown.length > 0) problems.push(`Nobody knows that ${unknown.join()} got the role ${role}.`);
  }
  const untouched = ({ users, groups, organizations }: SimulatorState) =>
    JSON.stringify([users, groups, organizations.map(({ roles: _roles, ...others }) => others)]);
  if (untouched(outcome.tenant) !== untouched(normal.tenant))
    problems.push("Users, groups or members of organizations have changed.");
  return problems;
}

/** Requests must be bounded, and a change is sent again only after a look, or if it was refused. */
function problemsOfRequests({ hit, outcome, normal }: Case): string[] {
  const { requests, elapsedMs } = outcome;
  const problems: string[] = [];
  if (requests.length > normal.requests.length + MOST_FURTHER_REQUESTS)
    problems.push(`It sent ${requests.length} requests.`);
  if (elapsedMs > LONGEST_MS) problems.push(`It took ${Math.round(elapsedMs)} ms.`);
  const isByService = (status: number) => kindsOf(hit).every(({ name }) => name !== `${status} as HTML`);
  requests.forEach((request, i) => {
    const { method, path, status } = request;
    if ((method !== "POST" && method !== "PATCH") || path.startsWith("/oauth")) return;
    if (status === 401 || status === 429) return;
    // A part of a call that was refused because of one of its groups.
    const isRefused = status >= 400 && status < 500 && status !== 408 && isByService(status);
    if (/^\/api\/v2\/roles\/[^/]+\/groups$/.test(path) && isRefused) return;
    const again = requests.findIndex((other, j) => j > i && isSameChange(request, other));
    if (again === -1) return;
    const looks = requests.slice(i, again).filter((other) => other.method === "GET" && other.status === 200);
    if (looks.length === 0) problems.push(`${method} ${path} was sent again without a look.`);
  });
  return problems;
}

/** True if two requests ask for the same; for an unprocessed one, only the path is known. */
function isSameChange(one: LoggedRequest, other: LoggedRequest): boolean {
  if (one.method !== other.method || one.path !== other.path) return false;
  const [these, those] = [one, other].map(({ body }) => (body as { groups?: string[] } | undefined)?.groups);
  if (these === undefined || those === undefined) return one.status < 200 || one.status >= 300;
  return these.some((group) => those.includes(group));
}

const NAMES_REQUEST = /\b(?:GET|POST|PATCH|DELETE) \/[\w\-./{}%]+/;
const SAYS_WHAT_CAME =
  /\b(?:answered|failed|got no|was not sent|could not be sent|found no room|names the same|did not fit|has at least|was refused|can't be read whole)\b/;
const SAYS_WHAT_TO_DO =
  /\b(?:Add|Check|check|Set|set|Pass|Grant|Correct|run this again|run it again|Run this again|run pulumi|take it over|add adopt|change one|raise|lower|choose|report it|Take|ask|Look for)\b|`pulumi up --refresh`/;

function problemsOfMessages({ credentials, outcome }: Case): string[] {
  const problems: string[] = [];
  const tokens = outcome.tenant.access_tokens;
  const secrets = [...credentialsOf(credentials).secrets, ...tokens, PLANTED];
  for (const text of [...outcome.errors, ...outcome.messages, ...(outcome.next?.errors ?? [])]) {
    if (secrets.some((secret) => text.includes(secret))) problems.push(`A secret is shown: ${text}`);
    if (/\p{Cc}|\p{Cf}/u.test(text)) problems.push(`Hidden characters: ${JSON.stringify(text)}`);
    if (/^::|##vso\[/.test(text)) problems.push(`A command to a CI: ${text}`);
    if (text.length > LONGEST_MESSAGE) problems.push(`A message of ${text.length} characters: ${text}`);
  }
  for (const text of outcome.errors) {
    if (!NAMES_REQUEST.test(text)) problems.push(`It does not say what was tried: ${text}`);
    if (!SAYS_WHAT_CAME.test(text)) problems.push(`It does not say what came back: ${text}`);
    if (!SAYS_WHAT_TO_DO.test(text)) problems.push(`It does not say what to do: ${text}`);
    if (!/[.!]$/.test(text)) problems.push(`It is no sentence: ${text}`);
  }
  return problems;
}

/** The reasons for which the same client may stop sending. */
const REFUSED = /refused the credentials|answered 40[13]/;
const NO_ROOM = /found no room in the tenant's rate limit/;

/** The client must go on, and the next run must finish the job, or say how to. */
function problemsOfTheNextRun({ prepared, hit, normal, outcome }: Case): string[] {
  const { probe, next } = outcome;
  const problems: string[] = [];
  const mayFail = kindsOf(hit).some(({ name }) => name.startsWith("429"))
    ? (text: string) => NO_ROOM.test(text) || (hit.then !== undefined && REFUSED.test(text))
    : (text: string) => REFUSED.test(text);
  if (probe !== undefined && !mayFail(probe)) problems.push(`Afterwards a plain request failed: ${probe}`);
  if (next === undefined || normal.errors.length > 0 || hit.kind.skew !== undefined) return problems;
  if (next.errors.length > 0) {
    const ids = next.tenant.connection_profiles.map(({ id }) => id);
    const isTold = next.errors.every((error) => ids.some((id) => error.includes(`adopt: "${id}"`)));
    if (!isTold) problems.push(`The next run failed: ${next.errors.join(" ")}`);
    return problems;
  }
  if (!isDeepStrictEqual(heldBy(next.tenant), heldBy(normal.tenant)))
    problems.push(`After the next run the tenant holds ${JSON.stringify(heldBy(next.tenant))}.`);
  if (!isDeepStrictEqual(next.answer, normal.answer)) problems.push("The next answer is another one.");
  for (const [name, resource] of next.state) {
    const problem = untruth(resource, next.tenant, true);
    if (problem !== undefined)
      problems.push(`After the next run the state of ${name} is not true: ${problem}`);
  }
  if (prepared.operation.given !== undefined && next.state.size !== normal.state.size)
    problems.push("After the next run the state has another number of resources.");
  return problems;
}

/** Returns the part of a resource's state that isn't on the tenant; undefined if there is none. */
export function untruth(
  { kind, id, outputs }: ResourceState,
  tenant: SimulatorState,
  isFinal = false,
): string | undefined {
  const unconfirmed = isFinal ? undefined : outputs["unconfirmed"];
  if (kind === "DeviceCredentialRemoval")
    return tenant.device_credentials.some((credential) => credential.id === id) ? "it is there." : undefined;
  if (kind === "UserSignOut") {
    const left = signInsLeft(outputs, tenant).filter((part) => !isUnfinished(outputs, part));
    return left.length === 0 ? undefined : `the user still has ${left.join()}.`;
  }
  if (kind.endsWith("RoleGroupAssignment")) {
    const groups = rolesIn(tenant).get(id) ?? [];
    const open = Array.isArray(unconfirmed) ? unconfirmed : [];
    const missing = (outputs["groupIds"] as string[]).filter(
      (group) => !groups.includes(group) && !open.includes(group),
    );
    return missing.length === 0 ? undefined : `the role is not given to ${missing.join()}.`;
  }
  const found = tenant.connection_profiles.find((profile) => profile.id === id);
  if (found === undefined) return "there is no such profile.";
  if (unconfirmed === true) return undefined;
  const shown = outputs["shown"] as Record<string, unknown> | undefined;
  const [recorded, held] = [settingsIn({ ...outputs, ...shown }), settingsOf(found)];
  return isDeepStrictEqual(recorded, held)
    ? undefined
    : `${JSON.stringify(recorded)} in place of ${JSON.stringify(held)}.`;
}

function isUnfinished({ unfinished }: Record<string, unknown>, part: string): boolean {
  return Array.isArray(unfinished) && unfinished.includes(part);
}

/** Returns the parts of a sign-out of which the tenant still has something. */
function signInsLeft(
  { userId, clientId }: Record<string, unknown>,
  { sessions, refresh_tokens, device_credentials }: SimulatorState,
): string[] {
  const isOf = (one: { user_id?: string; client_id?: string }) =>
    one.user_id === userId && (clientId === undefined || one.client_id === clientId);
  return [
    ...(clientId === undefined && sessions.some(isOf) ? ["sessions"] : []),
    ...(refresh_tokens.some(isOf) ? ["refreshTokens"] : []),
    ...(device_credentials.some(isOf) ? ["deviceCredentials"] : []),
  ];
}

const SETTINGS: Record<string, string> = {
  name: "name",
  organization: "organization",
  connectionNamePrefixTemplate: "connection_name_prefix_template",
  enabledFeatures: "enabled_features",
  connectionConfig: "connection_config",
  strategyOverrides: "strategy_overrides",
};

const MEMBERS: Record<string, string> = {
  ...SETTINGS,
  showAsButton: "show_as_button",
  assignMembershipOnLogin: "assign_membership_on_login",
};

function settingsIn(outputs: Record<string, unknown>): unknown {
  return compact(Object.fromEntries(Object.entries(SETTINGS).map(([ours, wire]) => [wire, outputs[ours]])));
}

function settingsOf(profile: Record<string, unknown>): unknown {
  return compact(Object.fromEntries(Object.values(SETTINGS).map((wire) => [wire, profile[wire]])));
}

/** Drops unset values and normalises order and names. An empty text unsets a template. */
function compact(value: unknown): unknown {
  if (value === "") return undefined;
  if (Array.isArray(value)) return value.length === 0 ? undefined : [...(value as unknown[])].sort();
  if (typeof value !== "object" || value === null) return value ?? undefined;
  const entries = Object.entries(value)
    .map(([key, child]) => [MEMBERS[key] ?? key, compact(child)] as const)
    .filter(([, child]) => child !== undefined);
  return entries.length === 0 ? undefined : Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Returns the groups that have each role, in the tenant and, by both ids, in organizations. */
function rolesIn({
  roles = [],
  organizations = [],
}: Pick<SeedInput, "roles" | "organizations">): Map<string, readonly string[]> {
  return new Map([
    ...roles.map(({ id, groups = [] }) => [String(id), groups] as const),
    ...organizations.flatMap(({ id, roles: own = [] }) =>
      own.map((role) => [`${id}/${role.id}`, role.groups ?? []] as const),
    ),
  ]);
}

/** Returns everything on a tenant that the package can change, without ids. */
export function heldBy(tenant: SimulatorState): unknown {
  const { connection_profiles, device_credentials, sessions, refresh_tokens } = tenant;
  return {
    profiles: connection_profiles.map((profile) => JSON.stringify(settingsOf(profile))).sort(),
    roles: [...rolesIn(tenant)]
      .filter(([, groups]) => groups.length > 0)
      .map(([id, groups]) => [id, [...groups].sort()]),
    credentials: [...device_credentials, ...sessions, ...refresh_tokens].map(({ id }) => id).sort(),
  };
}

/** Returns the values in state, without ids and host names, and whether a profile was found or created. */
function valuesIn(state: ReadonlyMap<string, ResourceState>): unknown {
  return [...state].map(([name, { inputs, outputs, initErrors }]) => {
    const { tenant: _tenant, adopted: _adopted, ...values } = outputs;
    return [name, inputs, values, initErrors];
  });
}
