import { basename } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { type Edge, groupIn, type RoleAt, roleKey, roleText } from "../access/edge";
import { groupedBy, Grants } from "../access/grants";
import { endChange } from "../access/until";
import { hiddenIn } from "../seen";
import { optional } from "../sentence";
import { isObject } from "../service/record";
import { type Act, keyOf, type ProfileAct } from "./act";
import { type ReviewJson } from "./model";
import { type Category } from "./categories";
import { listText } from "./preview-lines";

/*
 * The acts that a review permits on one tenant, as pure functions: guard.ts holds a run to it. Acts are
 * compared by edge and act; an end by its moment; a profile by the settings that change. What the review
 * can't see is a hole, which names its resource.
 */

/** Acts on one role, which one sentence is about. */
interface RoleActs extends RoleAt {
  act: "grant" | "revoke";
  groups: readonly string[];
  until: string | undefined;
}

/** Acts that aren't compared setting by setting. */
type PlainActs = RoleActs | Extract<Act, { act: "delete profile" | "remove credential" | "sign out" }>;

/** The resource whose acts these are. A delete knows only the id. */
export interface Actor {
  name?: string | undefined;
  id?: string | undefined;
}

/** The part of a review that concerns one tenant. */
export interface Permits {
  review: ReviewJson;
  /** The review's file, for messages. */
  file: string;
  /** Host name; undefined if no setting names one. */
  tenant: string | undefined;
  profiles: readonly ProfileRow[];
  unknown: ReviewJson["unknown"];
  /** Who has which role after the change, and until when. */
  after: Grants;
  /** Who loses a role. */
  lost: Grants;
  /** Who keeps a role that an assignment drops and another one lists. */
  kept: Grants;
  deletedProfiles: ReadonlySet<string>;
  removedCredentials: ReadonlySet<string>;
  /** Keys of sign-outs. */
  signedOut: ReadonlySet<string>;
}

export type ProfileRow = ReviewJson["profiles"][number];

/** The acts that an unknown row with these categories leaves open. */
const HOLES = {
  grant: ["grant"],
  revoke: ["revoke", "exclusive"],
  "delete profile": ["delete"],
  "remove credential": ["removal"],
  "sign out": ["removal"],
} as const satisfies Partial<Record<Act["act"], readonly Category[]>>;

/** `isDefault`: true if rows without a tenant in the preview may be about this one. */
export function permitsOf(
  review: ReviewJson,
  { file, tenant, isDefault }: { file: string; tenant: string | undefined; isDefault: boolean },
): Permits {
  const isHere = (row: { tenant?: string | null | undefined }) =>
    (row.tenant ?? (isDefault ? review.environmentTenant : null)) === tenant;
  const after = new Grants();
  for (const { groups, ...at } of review.after.filter(isHere))
    for (const { id: group, until, earlier = [] } of groups)
      after.add(
        edgeOf(at, group),
        ...[until, ...earlier].map((end) => ({ name: "", line: undefined, until: end })),
      );
  const profiles = review.profiles.filter(isHere);
  const rows = (test: (row: ReviewJson["access"][number]) => boolean) =>
    new Grants(
      review.access
        .filter((row) => isHere(row) && test(row))
        .map((row) => ({ ...edgeOf(row, row.group), by: [] })),
    );
  return {
    review,
    file,
    tenant,
    profiles,
    unknown: review.unknown.filter(isHere),
    after,
    lost: rows(({ effect }) => effect === "loses"),
    kept: rows(({ effect, ends, by }) => effect === "keeps" && (ends === undefined || by.length > 1)),
    deletedProfiles: new Set(profiles.flatMap(({ op, id }) => (op === "delete" ? (id ?? []) : []))),
    removedCredentials: new Set(review.removed.filter(isHere).map(({ id }) => id)),
    signedOut: new Set(
      (review.signOuts ?? [])
        .filter(isHere)
        .map(({ user, client }) => keyOf({ act: "sign out", user, client })),
    ),
  };
}

/** Returns why a review doesn't permit acts: a sentence for those of one role, and one for each other. */
export function problemsOf(permits: Permits, actor: Actor, acts: readonly Act[]): string[] {
  return together(acts).flatMap((one) => optional(problemOf(permits, actor, one)));
}

function together(acts: readonly Act[]): (PlainActs | ProfileAct)[] {
  const subjectOf = (act: Act) => ("edge" in act ? `${act.act} ${roleKey(act.edge)}` : keyOf(act));
  return [...groupedBy(acts, subjectOf).values()].flatMap(ofOneRole);
}

function ofOneRole(acts: readonly Act[]): (PlainActs | ProfileAct)[] {
  const [first] = acts;
  if (first === undefined) return [];
  if (!("edge" in first)) return acts as (PlainActs | ProfileAct)[];
  const { organization, role } = first.edge;
  const groups = acts.flatMap((act) => ("edge" in act ? groupIn(act.edge.holder) : []));
  return [
    { act: first.act, organization, role, groups, until: first.act === "grant" ? first.until : undefined },
  ];
}

function problemOf(permits: Permits, actor: Actor, acts: PlainActs | ProfileAct): string | undefined {
  if (acts.act === "create profile" || acts.act === "change profile")
    return rowFor(permits, actor, acts) ? undefined : profileProblem(permits, actor, acts);
  const ids = notPermitted(permits, acts);
  const problem =
    ids.length === 0 ? undefined : unlessAccepted(permits, actor, acts, whatWouldHappen(acts, ids));
  if (problem !== undefined) return isKept(permits, acts, ids) ? `${problem} ${KEPT}` : problem;
  if (acts.act !== "grant") return undefined;
  const other = endingOtherwise(permits, acts);
  if (other.length === 0) return undefined;
  const end = acts.until === undefined ? "without an end" : `until ${acts.until}`;
  return unlessAccepted(permits, actor, acts, `${roleText(acts)}: ${listText(other)} would have it ${end}`);
}

/** Returns the ids in acts that the review doesn't permit. */
function notPermitted(permits: Permits, acts: PlainActs): readonly string[] {
  if ("role" in acts) {
    const permitted = acts.act === "grant" ? permits.after : permits.lost;
    return acts.groups.filter((group) => !permitted.has(edgeOf(acts, group)));
  }
  return isPermitted(permits, acts) ? [] : ["id" in acts ? acts.id : acts.user];
}

function isPermitted(permits: Permits, act: Exclude<PlainActs, RoleActs>): boolean {
  if (act.act === "delete profile") return permits.deletedProfiles.has(act.id);
  const signOut = act.act === "sign out" ? act : act.signOut;
  if (signOut !== undefined) return permits.signedOut.has(keyOf(signOut));
  return "id" in act && permits.removedCredentials.has(act.id);
}

/** Returns the groups that would have the role until another moment than reviewed. */
function endingOtherwise({ after }: Permits, { groups, until, ...at }: RoleActs): readonly string[] {
  return groups.filter((group) => {
    const edge = edgeOf(at, group);
    return after.has(edge) && !after.by(edge).some((claim) => endChange(claim.until, until) === undefined);
  });
}

/** On the run's tenant, which all rows here are about. */
function edgeOf({ organization, role }: RoleAt, group: string): Edge {
  return { organization, role, holder: { group } };
}

function isKept({ kept }: Permits, acts: PlainActs, groups: readonly string[]): boolean {
  return acts.act === "revoke" && groups.some((group) => kept.has(edgeOf(acts, group)));
}

/** Describes acts on these ids, as a sentence that goes on with `, but …`. */
function whatWouldHappen(acts: PlainActs, ids: readonly string[]): string {
  if ("role" in acts)
    return `${roleText(acts)}: ${listText(ids)} would ${acts.act === "grant" ? "gain" : "lose"} it`;
  if (acts.act === "delete profile") return `connection profile ${acts.id} would be deleted`;
  if (acts.act === "remove credential") return `device credential ${acts.id} would be removed`;
  const from = acts.client === undefined ? "" : ` of client ${acts.client}`;
  return `user ${acts.user} would be signed out${from}`;
}

/** Returns a problem, unless the review calls these acts unknown, and that was accepted. */
function unlessAccepted(permits: Permits, actor: Actor, acts: PlainActs, what: string): string | undefined {
  const categories: readonly Category[] = HOLES[acts.act];
  const isHole = permits.unknown.some(
    (row) =>
      isOf(row, actor) &&
      // Names aren't unique: a resource with another role isn't this one.
      (!("role" in acts) || row.roles?.includes(roleKey(acts)) !== false) &&
      row.categories.some((category) => categories.includes(category)),
  );
  return isHole && permits.review.unknownAccepted ? undefined : refusal(permits, what, isHole);
}

function isOf({ name, id }: ReviewJson["unknown"][number], actor: Actor): boolean {
  if (actor.name !== undefined) return name === actor.name;
  return actor.id !== undefined && id === actor.id;
}

/**
 * Finds the reviewed step for an act on a profile. `isOpen`: values that the review didn't know may be
 * anything.
 */
export function rowFor(
  { profiles, review }: Permits,
  actor: Actor,
  act: ProfileAct,
  isOpen = review.unknownAccepted,
): ProfileRow | undefined {
  return profiles.find((row) => isStepOf(row, actor, act) && differsAt(row, act, isOpen) === undefined);
}

function profileProblem(permits: Permits, actor: Actor, act: ProfileAct): string {
  const isHole = rowFor(permits, actor, act, true) !== undefined;
  if (act.act === "create profile") {
    const name = JSON.stringify(act.wanted["name"]);
    return refusal(
      permits,
      `a connection profile named ${name} would be created with these settings`,
      isHole,
    );
  }
  const row = permits.profiles.find((step) => isStepOf(step, actor, act));
  const what = row === undefined || isHole ? "it would change" : whatDiffers(row, act);
  return refusal(permits, `connection profile ${act.id}: ${what}`, isHole);
}

/** True if a row is about the same resource and the same kind of step. */
function isStepOf({ op, id, name }: ProfileRow, actor: Actor, act: ProfileAct): boolean {
  if (act.act === "create profile") return op === "create" && name === actor.name;
  // The review may not have known which profile is adopted.
  return id === null ? op === "adopt" && name === actor.name : op !== "delete" && id === act.id;
}

/**
 * Returns the first setting that a step writes differently from the review; undefined if there is none. A
 * setting that doesn't change needs no review.
 */
function differsAt(row: ProfileRow, act: ProfileAct, isOpen: boolean): string | undefined {
  const { wanted = {}, had } = row;
  const isWanted = (name: string) => mayBe(wanted[name], act.wanted[name], isOpen);
  const names = Object.keys({ ...wanted, ...act.wanted });
  if (act.act === "create profile") return names.find((name) => !isWanted(name));
  if (had === undefined && !isOpen) return names[0];
  const isHad = (name: string) => had === undefined || mayBe(had[name], act.had[name], isOpen);
  return [...names, ...Object.keys(act.had)].find(
    (name) => !isDeepStrictEqual(act.wanted[name], act.had[name]) && !(isHad(name) && isWanted(name)),
  );
}

function whatDiffers(row: ProfileRow, act: ProfileAct): string {
  const name = differsAt(row, act, true) ?? "";
  return mayBe(row.wanted?.[name], act.wanted[name], true)
    ? `it would overwrite ${name}, which has changed since`
    : `${name} would get another value`;
}

/** True if a value equals the reviewed one, or that one was hidden and may be anything. */
function mayBe(reviewed: unknown, now: unknown, isOpen: boolean): boolean {
  if (isObject(reviewed) && isObject(now))
    return Object.keys({ ...reviewed, ...now }).every((key) => mayBe(reviewed[key], now[key], isOpen));
  return (isOpen && hiddenIn(reviewed) !== undefined) || isDeepStrictEqual(reviewed, now);
}

export const AGAIN = "Preview and review the change again.";

/** Follows the refusal of a loss that the review doesn't have, because another assignment lists the group. */
const KEPT =
  "The review has the group in another assignment, which this run hasn't checked yet. If that one waits for something else, run again " +
  "with the same file, or let this resource depend on it (dependsOn). If it depends on this resource, take the dependency (or " +
  "deleteBeforeReplace) out, or apply in two reviewed steps.";

/** `… would gain it, but review.json (fingerprint …, made 2026-11-22 10:02) doesn't allow that.` */
export function refusal({ review, file, tenant }: Permits, what: string, isHole = false): string {
  const { fingerprint, made, tenants, after, profiles, removals, signOuts = [], environmentTenant } = review;
  const isTenantUnknown = [...after, ...profiles, ...removals, ...signOuts].some(
    (row) => row.tenant === null,
  );
  const name = `${basename(file)} (fingerprint ${fingerprint}, made ${made.slice(0, 16).replace("T", " ")})`;
  const isOther = tenants.length > 0 && tenant !== undefined && !tenants.includes(tenant);
  const why = isHole
    ? " It calls this unknown, and was made without --accept-unknown."
    : isOther
      ? ` It is for ${tenants.join(" and ")}, and this run is on ${tenant}.`
      : isTenantUnknown && environmentTenant !== tenant
        ? " It doesn't name its tenant: make it with IDENTITY_DOMAIN in the environment."
        : "";
  return `${what}, but ${name} doesn't allow that.${why} ${AGAIN}`;
}
