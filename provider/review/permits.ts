import { basename } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { type Edge, type RoleAt, roleKey, roleText } from "../access/edge";
import { Grants } from "../access/grants";
import { endChange } from "../access/until";
import { hiddenIn } from "../seen";
import { isObject, type JsonObject } from "../service/record";
import { type Write } from "../service/writes";
import { type Category } from "./effects";
import { type ReviewJson } from "./model";
import { listText } from "./preview-lines";

/*
 * The writes that a review permits on one tenant, as pure functions: guard.ts holds a run to it.
 */

/**
 * A write that a resource plans. Revocations aren't among them: they are checked when they would be sent,
 * because by then the run may have checked another assignment that lists the group.
 */
export type PlannedWrite = PlannedGrant | { act: "remove credential"; id: string } | ProfileWrite;

interface PlannedGrant extends RoleAt {
  act: "grant";
  groups: readonly string[];
  /** When the grant ends; undefined without an end. */
  until: string | undefined;
}

/** A step of a profile, with its settings by their names in the program. */
export type ProfileWrite =
  | { act: "create profile"; wanted: JsonObject }
  /** `had`: from state, or in an adoption from the tenant. */
  | { act: "change profile"; id: string; wanted: JsonObject; had: JsonObject };

/** A write of which the call says everything. */
type PlainWrite = Write & { act: keyof typeof HOLES };

/** The resource that requests a write. A delete knows only the id. */
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
}

export type ProfileRow = ReviewJson["profiles"][number];

/** The writes that an unknown row with these categories leaves open. */
const HOLES = {
  grant: ["grant"],
  revoke: ["revoke", "exclusive"],
  "delete profile": ["delete"],
  "remove credential": ["removal"],
} as const satisfies Partial<Record<Write["act"], readonly Category[]>>;

interface Place {
  file: string;
  tenant: string | undefined;
  /** True if rows without a tenant in the preview may be about this one. */
  isDefault: boolean;
}

export function permitsOf(review: ReviewJson, { file, tenant, isDefault }: Place): Permits {
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
  };
}

/** Returns why a review doesn't permit a write; undefined if it does. */
export function problemOf(
  permits: Permits,
  actor: Actor,
  write: PlainWrite | PlannedWrite,
): string | undefined {
  if (write.act === "create profile" || write.act === "change profile")
    return rowFor(permits, actor, write) ? undefined : profileProblem(permits, actor, write);
  const ids = notPermitted(permits, write);
  const problem =
    ids.length === 0 ? undefined : unlessAccepted(permits, actor, write, whatWouldHappen(write, ids));
  if (problem !== undefined) return isKept(permits, write, ids) ? `${problem} ${KEPT}` : problem;
  if (!("until" in write)) return undefined;
  const other = endingOtherwise(permits, write);
  if (other.length === 0) return undefined;
  const end = write.until === undefined ? "without an end" : `until ${write.until}`;
  return unlessAccepted(permits, actor, write, `${roleText(write)}: ${listText(other)} would have it ${end}`);
}

/** Returns the ids in a write that the review doesn't permit. */
function notPermitted(permits: Permits, write: PlainWrite): readonly string[] {
  if ("role" in write) {
    const permitted = write.act === "grant" ? permits.after : permits.lost;
    return write.groups.filter((group) => !permitted.has(edgeOf(write, group)));
  }
  const ids = write.act === "delete profile" ? permits.deletedProfiles : permits.removedCredentials;
  return ids.has(write.id) ? [] : [write.id];
}

/** Returns the groups that would have the role until another moment than reviewed. */
function endingOtherwise({ after }: Permits, { groups, until, ...at }: PlannedGrant): readonly string[] {
  return groups.filter((group) => {
    const edge = edgeOf(at, group);
    return after.has(edge) && !after.by(edge).some((claim) => endChange(claim.until, until) === undefined);
  });
}

/** On the run's tenant, which all rows here are about. */
function edgeOf({ organization, role }: RoleAt, group: string): Edge {
  return { organization, role, holder: { group } };
}

function isKept({ kept }: Permits, write: PlainWrite, groups: readonly string[]): boolean {
  return write.act === "revoke" && groups.some((group) => kept.has(edgeOf(write, group)));
}

/** Describes a write to these ids, as a sentence that goes on with `, but …`. */
function whatWouldHappen(write: PlainWrite, ids: readonly string[]): string {
  if ("role" in write)
    return `${roleText(write)}: ${listText(ids)} would ${write.act === "grant" ? "gain" : "lose"} it`;
  return write.act === "delete profile"
    ? `connection profile ${write.id} would be deleted`
    : `device credential ${write.id} would be removed`;
}

/** Returns a problem, unless the review calls this write unknown, and that was accepted. */
function unlessAccepted(permits: Permits, actor: Actor, write: PlainWrite, what: string): string | undefined {
  const categories: readonly Category[] = HOLES[write.act];
  const isHole = permits.unknown.some(
    (row) =>
      isOf(row, actor) &&
      // Names aren't unique: a resource with another role isn't this one.
      (!("role" in write) || row.roles?.includes(roleKey(write)) !== false) &&
      row.categories.some((category) => categories.includes(category)),
  );
  return isHole && permits.review.unknownAccepted ? undefined : refusal(permits, what, isHole);
}

function isOf({ name, id }: ReviewJson["unknown"][number], actor: Actor): boolean {
  if (actor.name !== undefined) return name === actor.name;
  return actor.id !== undefined && id === actor.id;
}

/**
 * Finds the reviewed step for a write to a profile. `isOpen`: values that the review didn't know may be
 * anything.
 */
export function rowFor(
  { profiles, review }: Permits,
  actor: Actor,
  write: ProfileWrite,
  isOpen = review.unknownAccepted,
): ProfileRow | undefined {
  return profiles.find((row) => isStepOf(row, actor, write) && differsAt(row, write, isOpen) === undefined);
}

function profileProblem(permits: Permits, actor: Actor, write: ProfileWrite): string {
  const isHole = rowFor(permits, actor, write, true) !== undefined;
  if (write.act === "create profile") {
    const name = JSON.stringify(write.wanted["name"]);
    return refusal(
      permits,
      `a connection profile named ${name} would be created with these settings`,
      isHole,
    );
  }
  const row = permits.profiles.find((step) => isStepOf(step, actor, write));
  const what = row === undefined || isHole ? "it would change" : whatDiffers(row, write);
  return refusal(permits, `connection profile ${write.id}: ${what}`, isHole);
}

/** True if a row is about the same resource and the same kind of step. */
function isStepOf({ op, id, name }: ProfileRow, actor: Actor, write: ProfileWrite): boolean {
  if (write.act === "create profile") return op === "create" && name === actor.name;
  // The review may not have known which profile is adopted.
  return id === null ? op === "adopt" && name === actor.name : op !== "delete" && id === write.id;
}

/**
 * Returns the first setting that a step writes differently from the review; undefined if there is none. A
 * setting that doesn't change needs no review.
 */
function differsAt(row: ProfileRow, write: ProfileWrite, isOpen: boolean): string | undefined {
  const { wanted = {}, had } = row;
  const isWanted = (name: string) => mayBe(wanted[name], write.wanted[name], isOpen);
  const names = Object.keys({ ...wanted, ...write.wanted });
  if (write.act === "create profile") return names.find((name) => !isWanted(name));
  if (had === undefined && !isOpen) return names[0];
  const isHad = (name: string) => had === undefined || mayBe(had[name], write.had[name], isOpen);
  return [...names, ...Object.keys(write.had)].find(
    (name) => !isDeepStrictEqual(write.wanted[name], write.had[name]) && !(isHad(name) && isWanted(name)),
  );
}

function whatDiffers(row: ProfileRow, write: ProfileWrite): string {
  const name = differsAt(row, write, true) ?? "";
  return mayBe(row.wanted?.[name], write.wanted[name], true)
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
  const { fingerprint, made, tenants, after, profiles, removals, environmentTenant } = review;
  const isTenantUnknown = [...after, ...profiles, ...removals].some((row) => row.tenant === null);
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
