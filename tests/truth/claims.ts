import { type ReviewJson } from "../../provider/review/model";
import { factIn } from "../../provider/review/facts";
import { type ResourceState } from "../../testkit/engine/state";
import { type SimulatorState } from "../../simulator";
import { assignedRole, edgesOfRequest, isAssignment, rolesIn } from "./places";
import { inCamelCase, inSnakeCase } from "./spelling";
import { wordsOf } from "../../testkit/facts";
import { type Auth0Resource, isObject } from "../../testkit/worlds/auth0";
import { type Edge, type TenantName } from "../../testkit/worlds/universe";

/*
 * The claims that a review, and the lines of its preview, must have made about an `up`. They are derived from
 * the tenants before and after it, and their requests. Nothing here knows how the provider works.
 */

export const CLAIMS = [
  "gains",
  "loses",
  "keeps",
  "direct",
  "interruption",
  "unsaid grant",
  "unsaid revocation",
  "unsaid profile",
  "unsaid removal",
  "said profile",
  "said removal",
  "lines",
  "limit",
  "held",
  "unreviewed",
  "left over",
  "state",
  "second preview",
  "end",
  "access",
  "said breach",
  "unsaid breach",
  "access rules",
] as const;
export type ClaimName = (typeof CLAIMS)[number];

export interface Violation {
  claim: ClaimName;
  text: string;
}

/** A request in the log. */
export interface Sent {
  tenant: TenantName;
  method: string;
  path: string;
  status: number;
  body?: unknown;
}

/** The known facts about an `up`. */
interface Deed {
  review: ReviewJson;
  /** The preview's lines. */
  lines: readonly string[];
  before: Record<TenantName, SimulatorState>;
  after: Record<TenantName, SimulatorState>;
  hosts: Record<TenantName, string>;
  sent: readonly Sent[];
  /** True if the review asked the tenant. */
  read: boolean;
  succeeded: boolean;
  /** Other people's changes since state was last compared with the tenant. */
  unseen: Unseen;
  /** Resources of the program and of state. */
  concerned: readonly Concerned[];
  /** Resources of another provider, on the stack's tenant. */
  auth0: readonly Auth0Resource[];
}

export interface Unseen {
  edges: ReadonlySet<string>;
  profiles: ReadonlySet<string>;
}

/** A resource in the program or in state. */
export interface Concerned {
  name: string;
  tenant: TenantName;
  role?: string;
  profile?: string;
  credential?: string;
}

export const edgeKey = (tenant: TenantName, { role, group }: Edge) => `${tenant} ${role} ${group}`;

type Access = ReviewJson["access"][number];
type Unknown = ReviewJson["unknown"][number];
type Category = Unknown["categories"][number];

const TENANTS: TenantName[] = ["main", "eu"];

export function judge(deed: Deed): Violation[] {
  const found: Violation[] = [];
  const claim = (name: ClaimName, isHeld: boolean, text: () => string) => {
    if (!isHeld) found.push({ claim: name, text: text() });
  };
  const { review, succeeded, unseen } = deed;
  const edges = edgesOf(deed);
  const isAbout = (row: Access, tenant: TenantName, edge: Edge) =>
    row.role === edge.role &&
    row.group === edge.group &&
    (row.tenant === null || row.tenant === deed.hosts[tenant]);

  if (succeeded) {
    // A doubtful row is as good as an unknown.
    for (const row of review.access.filter(({ unless }) => unless === undefined)) {
      const candidates = edges.filter(({ tenant, edge }) => isAbout(row, tenant, edge));
      const one = candidates.find((each) => isTrue(row, each, deed)) ?? candidates[0];
      const isHeld = one === undefined ? row.effect === "loses" : isTrue(row, one, deed);
      claim(
        row.effect,
        isHeld,
        () => `the review says: ${rowText(row)}; ${one === undefined ? "nobody has it" : historyText(one)}`,
      );
    }
  }

  for (const one of edges) {
    const { tenant, edge, before, after, wasTaken } = one;
    const rows = review.access.filter((row) => isAbout(row, tenant, edge));
    const said = (effect: Access["effect"]) => rows.some((row) => row.effect === effect);
    const isUnseen = !wasAsked(deed, tenant) && unseen.edges.has(edgeKey(tenant, edge));
    const covered = (...categories: Category[]) =>
      isCovered(deed, categories, (resource) => resource.tenant === tenant && resource.role === edge.role);
    if (!before && after)
      claim(
        "unsaid grant",
        said("gains") || isUnseen || covered("grant"),
        () => `${historyText(one)}; ${saidText(rows)}`,
      );
    if (before && !after)
      claim(
        "unsaid revocation",
        // A run that ends between the delete and the create of a replacement leaves the group without the
        // role.
        said("loses") ||
          covered("revoke", "exclusive") ||
          isCoveredByEnd(deed, tenant) ||
          (!succeeded && rows.some(isInterrupted)),
        () => `${historyText(one)}; ${saidText(rows)}`,
      );
    if (before && after && wasTaken)
      claim(
        "interruption",
        said("loses") || covered("revoke") || rows.some(isInterrupted),
        () => `${historyText(one)}; ${saidText(rows)}`,
      );
  }

  for (const tenant of TENANTS) {
    for (const change of profileChanges(deed, tenant))
      claim(
        "unsaid profile",
        isProfileSaid(deed, tenant, change),
        () => `${tenant}: ${changeText(change)}; ${profilesText(review)}`,
      );
    for (const credential of goneCredentials(deed, tenant)) {
      const isSaid = review.removals.some(({ id }) => id === credential);
      claim(
        "unsaid removal",
        isSaid ||
          isCovered(
            deed,
            ["removal"],
            (resource) => resource.tenant === tenant && resource.credential === credential,
          ),
        () =>
          `${tenant}: ${credential} was removed; the review says ${JSON.stringify(review.removals.map(({ id }) => id))}`,
      );
    }
  }
  found.push(...directClaims(deed));
  if (succeeded) found.push(...saidButNotDone(deed));
  // No host knows what another provider deletes.
  if (!deed.auth0.some(isObject)) found.push(...lineClaims(deed));
  return found;
}

/** True if the review, which asked nobody, can't know who loses a role that is deleted. */
function isCoveredByEnd(deed: Deed, tenant: TenantName): boolean {
  const { auth0, review } = deed;
  const ended = new Set(auth0.filter(isObject).map(({ name }) => name));
  return (
    tenant === "main" &&
    !wasAsked(deed, tenant) &&
    review.unknown.some(
      ({ name, categories }) => name !== null && ended.has(name) && categories.includes("revoke"),
    )
  );
}

/** What people gain and lose directly, by another provider's steps. */
function directClaims(deed: Deed): Violation[] {
  const { review, before, after, auth0, read } = deed;
  const holding = (state: SimulatorState) =>
    new Set(rolesIn(state).flatMap(({ id, people }) => people.map((person) => `${id} ${person}`)));
  const [had, has] = [holding(before.main), holding(after.main)];
  const rows = review.direct ?? [];
  const keyOf = ({ role, user }: (typeof rows)[number]) => `${role} ${user}`;
  const isWrong = (row: (typeof rows)[number]) => {
    const key = keyOf(row);
    if (row.effect === "gains") return !has.has(key) || (read && had.has(key));
    if (row.effect === "loses") return has.has(key);
    return had.has(key) !== has.has(key);
  };
  const wrong = rows.filter((row) => row.unless === undefined && isWrong(row));
  const hidden = auth0.filter(({ after: now }) => now?.later === true).map(({ name }) => name);
  const isHidden = review.unknown.some(({ name }) => name !== null && hidden.includes(name));
  const unsaid = [...new Set([...had, ...has])].filter((key) => {
    if (had.has(key) === has.has(key)) return false;
    const effect = has.has(key) ? "gains" : "loses";
    if (rows.some((row) => row.effect === effect && keyOf(row) === key)) return false;
    return !(effect === "loses" ? isCoveredByEnd(deed, "main") : false) && !isHidden;
  });
  const historyOf = (key: string) =>
    `${had.has(key) ? "had it" : "did not have it"}, ${has.has(key) ? "has it" : "does not have it"} now`;
  return [
    ...wrong.map((row): Violation => ({
      claim: "direct",
      text: `the review says: ${row.effect} ${keyOf(row)}; the person ${historyOf(keyOf(row))}`,
    })),
    ...unsaid.map((key): Violation => ({
      claim: "direct",
      text: `the person of ${key} ${historyOf(key)}; the review says ${JSON.stringify(rows.filter((row) => keyOf(row) === key).map(({ effect, unless }) => [effect, unless]))}`,
    })),
  ];
}

/** The history of a group's role. */
interface History {
  tenant: TenantName;
  edge: Edge;
  before: boolean;
  after: boolean;
  /** True if a request granted it to a group without it, or revoked it from one that had it. */
  wasGiven: boolean;
  wasTaken: boolean;
}

function edgesOf({ before, after, sent }: Deed): History[] {
  return TENANTS.flatMap((tenant) => {
    const [had, has] = [edgesIn(before[tenant]), edgesIn(after[tenant])];
    const [given, taken] = [new Set<string>(), new Set<string>()];
    const now = new Set(had);
    for (const { tenant: on, method, path, status, body } of sent) {
      if (on !== tenant || status < 200 || status > 299 || method === "GET") continue;
      for (const { role, group } of edgesOfRequest(path, body)) {
        const key = `${role} ${group}`;
        if (method === "POST" && !now.has(key)) given.add(key);
        if (method === "DELETE" && now.has(key)) taken.add(key);
        if (method === "POST") now.add(key);
        else now.delete(key);
      }
    }
    return [...new Set([...had, ...has, ...given, ...taken])].map((key) => {
      const [role = "", group = ""] = key.split(" ");
      return {
        tenant,
        edge: { role, group },
        before: had.has(key),
        after: has.has(key),
        wasGiven: given.has(key),
        wasTaken: taken.has(key),
      };
    });
  });
}

/** `rol_… grp_…`, `org_…/rol_… grp_…` */
export function edgesIn(state: SimulatorState): Set<string> {
  return new Set(rolesIn(state).flatMap(({ id, groups }) => groups.map((group) => `${id} ${group}`)));
}

function isTrue(row: Access, { tenant, edge, before, after, wasGiven }: History, deed: Deed): boolean {
  const [{ effect }, { unseen }] = [row, deed];
  // If the preview doesn't name the tenant, nothing was asked.
  const read = row.tenant !== null && wasAsked(deed, tenant);
  // A review of the preview alone can't know other people's changes.
  const isUnseen = !read && unseen.edges.has(edgeKey(tenant, edge));
  if (effect === "gains") return before ? !read && after : after && wasGiven;
  // An exclusive assignment takes the role from those whom the list shows when it's changed.
  const mayBeMissed = deed.before[tenant].behaviour.read_lag > 0 && row.by.every(isExclusive);
  if (effect === "loses") return !after || mayBeMissed;
  return before === after ? before || isUnseen : isUnseen;
}

function isExclusive({ reason }: Access["by"][number]): boolean {
  return reason === "is exclusive";
}

/** A review's client belongs to the stack's tenant. */
function wasAsked({ read, hosts }: Deed, tenant: TenantName): boolean {
  return read && hosts[tenant] === hosts.main;
}

/** True if the review says it can't know what one of these resources does in one of these ways. */
function isCovered(
  { review, concerned }: Deed,
  categories: readonly Category[],
  is: (resource: Concerned) => boolean,
): boolean {
  const names = new Set(concerned.filter(is).map(({ name }) => name));
  return review.unknown.some(
    (one) =>
      one.name !== null &&
      names.has(one.name) &&
      one.categories.some((category) => categories.includes(category)),
  );
}

type ProfileChange =
  | { kind: "created"; id: string; name: string }
  | { kind: "deleted"; id: string }
  | { kind: "changed"; id: string; field: string; from: unknown; to: unknown };

type ProfileRecord = Record<string, unknown>;

function profilesIn({ connection_profiles: profiles }: SimulatorState): Map<string, ProfileRecord> {
  return new Map<string, ProfileRecord>(
    profiles.map((profile) => [profile.id, profile as unknown as ProfileRecord]),
  );
}

function profileChanges({ before, after }: Deed, tenant: TenantName): ProfileChange[] {
  const [had, has] = [profilesIn(before[tenant]), profilesIn(after[tenant])];
  return [...new Set([...had.keys(), ...has.keys()])].flatMap((id): ProfileChange[] => {
    const [old, now] = [had.get(id), has.get(id)];
    if (now === undefined) return [{ kind: "deleted", id }];
    if (old === undefined) return [{ kind: "created", id, name: String(now["name"]) }];
    return Object.keys({ ...old, ...now })
      .filter((field) => JSON.stringify(leaves(old[field])) !== JSON.stringify(leaves(now[field])))
      .map((field) => ({
        kind: "changed",
        id,
        field: inCamelCase(field),
        from: old[field],
        to: now[field],
      }));
  });
}

/** Unset, empty and null are equal; the order of features means nothing. */
function leaves(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? null : [...(value as unknown[])].sort();
  if (typeof value !== "object" || value === null) return value ?? null;
  const kept = Object.entries(value)
    .map(([key, child]) => [key, leaves(child)] as const)
    .filter(([, child]) => child !== null)
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return kept.length === 0 ? null : Object.fromEntries(kept);
}

function isProfileSaid(deed: Deed, tenant: TenantName, change: ProfileChange): boolean {
  const { review, concerned, unseen } = deed;
  const isManager = (one: Concerned) => one.tenant === tenant && one.profile === change.id;
  const names = concerned.filter(isManager).map(({ name }) => name);
  const rows = review.profiles.filter(({ tenant: on }) => on === null || on === deed.hosts[tenant]);
  const covered = (...categories: Category[]) => isCovered(deed, categories, isManager);
  if (change.kind === "created")
    return (
      rows.some(({ op }) => op === "create") ||
      review.unknown.some(({ categories }) => categories.includes("adopt"))
    );
  if (change.kind === "deleted")
    return rows.some(({ op, id }) => op === "delete" && id === change.id) || covered("delete");
  const row = rows.find(
    ({ op, id, name }) =>
      ["update", "adopt"].includes(op) && (id === change.id || (id === null && names.includes(name))),
  );
  if (row?.changes.some(({ path }) => path === change.field || path.startsWith(`${change.field}.`)))
    return true;
  // If another resource writes to the profile at the same time, it's read and completed.
  if (unseen.profiles.has(change.id)) return true;
  return covered("adopt");
}

function goneCredentials({ before, after }: Deed, tenant: TenantName): string[] {
  const has = new Set(after[tenant].device_credentials.map(({ id }) => id));
  return before[tenant].device_credentials.map(({ id }) => id).filter((id) => !has.has(id));
}

function saidButNotDone(deed: Deed): Violation[] {
  const { review, sent, before, after, hosts } = deed;
  const found: Violation[] = [];
  const tenantsOf = (host: string | null) =>
    TENANTS.filter((tenant) => host === null || hosts[tenant] === host);
  const wasSent = (method: string, path: string, host: string | null) =>
    sent.some(
      (one) => one.method === method && one.path === `/api/v2${path}` && tenantsOf(host).includes(one.tenant),
    );
  for (const { id, tenant, name } of review.removals)
    if (!wasSent("DELETE", `/device-credentials/${id}`, tenant))
      found.push({
        claim: "said removal",
        text: `${name} was to remove ${id}, and no such request was sent`,
      });
  const creates = review.profiles.filter(({ op }) => op === "create");
  const created = creates.filter(({ unless }) => unless === undefined).length;
  const posts = sent.filter(
    ({ method, path, status }) =>
      method === "POST" && path === "/api/v2/connection-profiles" && status === 201,
  );
  const isWithin = posts.length >= created && posts.length <= creates.length;
  if (!isWithin && !review.unknown.some(({ categories }) => categories.includes("adopt")))
    found.push({
      claim: "said profile",
      text: `${created} profiles were to be created, and ${posts.length} were`,
    });
  for (const { op, id, tenant, name, changes, unless } of review.profiles) {
    if (id === null || unless !== undefined) continue;
    if (op === "delete" && !wasSent("DELETE", `/connection-profiles/${id}`, tenant))
      found.push({
        claim: "said profile",
        text: `${name}: ${id} was to be deleted, and no such request was sent`,
      });
    if (op !== "update" && op !== "adopt") continue;
    const recordsIn = (states: Deed["after"]) =>
      tenantsOf(tenant).flatMap((one): ProfileRecord[] => {
        const record = profilesIn(states[one]).get(id);
        return record === undefined ? [] : [record];
      });
    const [earlier, live] = [recordsIn(before), recordsIn(after)];
    for (const change of changes.filter(({ path }) => !path.includes("[") && path.split(".").length < 3)) {
      if (isHidden(change.after)) continue;
      const isThere = live.some((record) => sameLeaf(valueAt(record, change.path), change.after));
      // State may have had the same value as a secret, and then it isn't sent.
      const isLeft =
        isHidden(change.before) &&
        live.some((record) =>
          earlier.some((former) => sameLeaf(valueAt(record, change.path), valueAt(former, change.path))),
        );
      if (!isThere && !isLeft)
        found.push({
          claim: "said profile",
          text: `${name}: ${change.path} of ${id} was to become ${JSON.stringify(change.after)}, and is ${JSON.stringify(live.map((record) => valueAt(record, change.path)))}`,
        });
    }
  }
  return found;
}

function isHidden(value: unknown): boolean {
  return /\[secret\]|04da6b54-80e4-46f7-96ec-b56ff0331ba9/.test(JSON.stringify(value) ?? "");
}

function valueAt(record: ProfileRecord, path: string): unknown {
  const member = (value: unknown, key: string) => (value as ProfileRecord | null)?.[inSnakeCase(key)];
  return path.split(".").reduce<unknown>(member, record);
}

function sameLeaf(one: unknown, other: unknown): boolean {
  const text = (value: unknown) => JSON.stringify(leaves(value)).replace(/"\w+":/g, inSnakeCase);
  return text(one) === text(other);
}

/** Checks `NAME: role ROLE: + a, b; − c; hands over d` and similar lines. */
function lineClaims({ lines, review, concerned }: Deed): Violation[] {
  const names = [...new Set(concerned.map(({ name }) => name))];
  return lines.flatMap((line): Violation[] => {
    const name = names.find((each) => line.startsWith(`${each}: role `));
    const [, shown, organization, told = ""] =
      /: role (\S+?)(?: in (\S+))?: (.*)$/s.exec(wordsOf(line)) ?? [];
    if (name === undefined || shown === undefined) return [];
    const role = organization === undefined ? shown : `${organization}/${shown}`;
    const isSecret = role.includes("[secret]");
    // If only the command asks for a replacement, the host only learns of a create.
    const isGivenAgain = review.notes.some(
      (note) => note.name === name && /is replaced by one of the same role|its groups keep/.test(note.reason),
    );
    const groupsOf = (sign: string) =>
      [...told.matchAll(new RegExp(`(?:^|; )${sign} ([^;]*)`, "g"))].flatMap(
        // The replaced one may not be deleted, and others may list its groups.
        ([, list = ""]) => (list.endsWith("is deleted") ? [] : (list.match(/grp_\w+/g) ?? [])),
      );
    // Only after its line does the host learn that options replace what it took for an update, and it never
    // learns that it was deleted first.
    const isLeft = review.notes.some(
      (note) =>
        note.name === name && /its groups keep|has deleted the one that it replaces/.test(note.reason),
    );
    const isDoubted = (group: string) =>
      [...told.matchAll(/− ([^;]*), unless the program still lists them/g)].some(([, list]) =>
        list?.includes(group),
      );
    const fact = factIn(line);
    const taken = fact !== undefined && "exclusive" in fact ? fact.takes : [];
    const isUnknown = (...categories: Category[]) =>
      review.unknown.some(
        (one) =>
          // A renamed and replaced resource has two names.
          (one.name === name || isSecret) && one.categories.some((category) => categories.includes(category)),
      );
    const has = (group: string, effects: Access["effect"][]) =>
      review.access.some(
        (row) =>
          // The line of a role that is, or was, a secret hides it.
          (row.role === role || isSecret) && row.group === group && effects.includes(row.effect),
      );
    const wrong = [
      ...(isUnknown("grant")
        ? []
        : groupsOf("\\+").filter((group) => !has(group, ["gains", "keeps"]) && !isGivenAgain)),
      ...(isUnknown("revoke", "exclusive")
        ? []
        : [...(isLeft ? [] : groupsOf("−")), ...taken].filter(
            (group) =>
              !has(group, ["loses"]) &&
              // The program can't list groups that `ignoreChanges` keeps, but the engine's steps show them.
              !(isDoubted(group) && has(group, ["keeps"])) &&
              !review.access.some((row) => row.group === group && isInterrupted(row)),
          )),
    ];
    if (wrong.length === 0) return [];
    const rows = review.access.filter((row) => row.role === role);
    return [{ claim: "lines", text: `the preview shows ${JSON.stringify(line)}; ${saidText(rows)}` }];
  });
}

/**
 * Returns groups whose role came from state before a run, and that neither the program, nor state, nor a line
 * of the run names afterwards.
 */
export function leftOverClaims({
  before,
  after,
  listed,
  output,
  hasRole,
}: {
  before: readonly Holding[];
  after: readonly Holding[];
  /** The program's groups. */
  listed: readonly Holding[];
  output: string;
  hasRole: (holding: Holding) => boolean;
}): Violation[] {
  const keyOf = ({ tenant, role, group }: Holding) => JSON.stringify([tenant, role, group]);
  const answered = new Set([...after, ...listed].map(keyOf));
  // Lines hide secrets.
  const isNamed = ({ group }: Holding) => output.includes(group) || output.includes("[secret]");
  return before
    .filter((holding) => hasRole(holding) && !answered.has(keyOf(holding)) && !isNamed(holding))
    .map((holding): Violation => ({
      claim: "left over",
      text: `${holding.tenant} ${holding.role} ${holding.group} has the role; neither program nor state nor the run names it`,
    }));
}

/** A group for which an assignment is responsible. */
export interface Holding extends Edge {
  tenant: TenantName;
}

/** State must match the tenant. */
export function stateClaims(
  states: readonly { key: string; tenant: TenantName; state: ResourceState }[],
  tenants: Record<TenantName, SimulatorState>,
  unseen: Unseen,
): Violation[] {
  return states.flatMap(({ key, tenant, state }): Violation[] => {
    const { kind, id, external, pendingReplacement, outputs } = state;
    if (external || pendingReplacement) return [];
    const wrong = (text: string): Violation[] => [{ claim: "state", text: `${key}: ${text}` }];
    if (isAssignment(kind)) {
      const role = assignedRole(outputs) ?? "";
      const has = edgesIn(tenants[tenant]);
      const groups = outputs["groupIds"] as string[];
      const missing = groups.filter(
        (group) => !has.has(`${role} ${group}`) && !unseen.edges.has(edgeKey(tenant, { role, group })),
      );
      return missing.length === 0
        ? []
        : wrong(`state has ${missing.join(", ")} of ${role}, the tenant does not`);
    }
    if (kind === "DeviceCredentialRemoval")
      return tenants[tenant].device_credentials.some((one) => one.id === id)
        ? wrong(`${id} is still there`)
        : [];
    const live = profilesIn(tenants[tenant]).get(id);
    if (unseen.profiles.has(id)) return [];
    if (live === undefined) return wrong(`the tenant has no ${id}`);
    const fields = ["name", "enabledFeatures", "organization"].filter((field) => field in outputs);
    const different = fields.filter((field) => !sameLeaf(valueAt(live, field), outputs[field]));
    return different.length === 0
      ? []
      : wrong(`${different.join(", ")} of ${id} differ: ${JSON.stringify(outputs)}, ${JSON.stringify(live)}`);
  });
}

function rowText({ tenant, role, group, effect, by }: Access): string {
  return `${tenant ?? "a tenant"} ${role} ${effect} ${group} (${by.map(({ name, op }) => `${name} ${op}`).join(", ")})`;
}

/** True for a group that keeps its role, but is without it between two requests. */
export function isInterrupted({ effect, by }: ReviewJson["access"][number]): boolean {
  return effect === "keeps" && by.some(({ reason }) => reason.includes("without the role for a moment"));
}

function historyText({ tenant, edge, before, after, wasGiven, wasTaken }: History): string {
  const had = before ? "had it" : "did not have it";
  const done = [...(wasTaken ? ["it was taken away"] : []), ...(wasGiven ? ["it was given"] : [])];
  return `${tenant} ${edge.role} ${edge.group} ${had}; ${done.join(", ") || "nothing was sent"}; ${after ? "has it" : "does not have it"} now`;
}

function saidText(rows: readonly Access[]): string {
  return `the review says ${rows.length === 0 ? "nothing" : rows.map(rowText).join(", ")}`;
}

function changeText(change: ProfileChange): string {
  if (change.kind !== "changed") return `profile ${change.id} was ${change.kind}`;
  return `${change.field} of ${change.id} went from ${JSON.stringify(change.from)} to ${JSON.stringify(change.to)}`;
}

function profilesText({ profiles, unknown }: ReviewJson): string {
  return `the review says ${JSON.stringify(profiles.map(({ op, id, name, changes }) => [op, name, id, changes.map(({ path }) => path)]))}, unknown ${JSON.stringify(unknown.map(({ name, categories }) => [name, categories]))}`;
}
