import { AsyncLocalStorage } from "node:async_hooks";
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { type Call } from "../http/call";
import { NotReviewedError, outcomeOf } from "../http/errors";
import { Grants } from "../access/grants";
import { isObject, type JsonObject } from "../service/record";
import { type Write, writeOf } from "../service/writes";
import { type Category } from "./effects";
import { listText } from "./preview-lines";
import { type ReviewJson } from "./model";
import { hiddenIn } from "./step";
import { reviewIn, Unusable } from "./review-file";

/**
 * A write that a resource plans. Revocations aren't among them: they are checked when they would be sent,
 * because by then the run may have checked another assignment that lists the group.
 */
export type PlannedWrite =
  | {
      kind: "grant";
      role: string;
      groups: readonly string[];
      /** When the grant ends; undefined without an end. */
      until: string | undefined;
      /** True if this end is no later than another. */
      isWithin: (other: string | undefined) => boolean;
    }
  | { kind: "remove credential"; id: string }
  | ProfileWrite;

/** A step of a profile, with its settings by their names in the program. */
export type ProfileWrite =
  | { kind: "create profile"; wanted: JsonObject }
  /** `had`: from state, or in an adoption from the tenant. */
  | { kind: "change profile"; id: string; wanted: JsonObject; had: JsonObject };

/** The resource that requests a write. A delete knows only the id. */
export interface Actor {
  name?: string | undefined;
  id?: string | undefined;
}

interface HeldOptions {
  file: string | undefined;
  /** True if nothing is written without a review; a text is the SHA-256 that its file must have. */
  required: boolean | string;
  /** Host name; undefined if no setting names one. */
  tenant: string | undefined;
  /** True if rows without a tenant in the preview may be about this one. */
  isDefault: boolean;
}

/** The part of a review that concerns one tenant. */
interface Allowed {
  review: ReviewJson;
  profiles: ReviewJson["profiles"];
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

/** A handler's operation, and the approved writes to profiles. */
interface Operation {
  actor: Actor;
  approved: Set<string>;
  /** The reviewed profile that it has begun to create. */
  made?: ProfileRow;
}

/** The writes that an unknown row with these categories leaves open. */
const HOLES = {
  grant: ["grant"],
  revoke: ["revoke", "exclusive"],
  "delete profile": ["delete"],
  "remove credential": ["removal"],
} as const satisfies Partial<Record<Write["kind"], readonly Category[]>>;

export const AGAIN = "Preview and review the change again.";

/** Follows the refusal of a loss that the review doesn't have, because another assignment lists the group. */
const KEPT =
  "The review has the group in another assignment, but no assignment that this run has checked lists it. If the one that does depends " +
  "on this resource, take the dependency (or deleteBeforeReplace) out, or apply in two reviewed steps.";

/**
 * Holds a run to its review, and refuses to send anything else. It checks every call, whoever makes it.
 * Previews refuse what they know of, but for revocations: these are refused only when they would be sent.
 */
export class HeldReview {
  readonly #operation = new AsyncLocalStorage<Operation>();
  /** Profiles reviewed as new that an operation has begun to create. */
  readonly #made = new Set<ProfileRow>();
  #bytes: Buffer | undefined;
  #stack: string | undefined;
  #held: Allowed | { refusal: string } | undefined;

  constructor(private readonly options: HeldOptions) {}

  get isOn(): boolean {
    return this.options.file !== undefined || this.options.required !== false;
  }

  /** When the review was made; undefined if there is no usable one. */
  get made(): number | undefined {
    const made = this.#usable?.review.made;
    return made === undefined ? undefined : Date.parse(made);
  }

  /**
   * True if the review has replacements. Options ask for some of these, and `diff` takes those for updates.
   */
  get hasReplacements(): boolean {
    return this.#usable?.review.categories.includes("replace") === true;
  }

  /** Returns why the review can't be used. A preview is fine without one. `stack`: the program's. */
  problems(stack: string | undefined): string[] {
    if (this.#stack === undefined && stack !== undefined) {
      this.#stack = stack;
      this.#held = undefined;
    }
    if (this.options.file === undefined) return [];
    const held = this.#read();
    return "refusal" in held ? [held.refusal] : [];
  }

  /** Returns sentences on planned writes that aren't in the review. */
  problemsOf(actor: Actor, writes: readonly PlannedWrite[]): string[] {
    const held = this.#usable;
    return held === undefined
      ? []
      : writes.flatMap((write) => this.#plannedProblem(held, actor, write) ?? []);
  }

  /** Runs an operation of a resource, and checks its calls as this actor's. */
  during<T>(actor: Actor, operation: () => Promise<T>): Promise<T> {
    const current: Operation = { actor, approved: new Set() };
    return this.#operation.run(current, async () => {
      try {
        return await operation();
      } catch (error) {
        // Nothing was made, so another try may make it: resource hooks repeat a create.
        const isNotMade = outcomeOf(error) === "refused" || outcomeOf(error) === "not sent";
        if (isNotMade && current.made !== undefined) this.#made.delete(current.made);
        throw error;
      }
    });
  }

  /** Call it before writing a profile; throws if the write isn't in the review. */
  approve(write: ProfileWrite): void {
    const held = this.#usable;
    const operation = this.#operation.getStore();
    if (held === undefined || operation === undefined) return;
    const { actor, approved } = operation;
    const row = this.#rowOf(held, actor, write);
    if (row === undefined) throw new NotReviewedError(this.#profileRefusal(held, actor, write));
    approved.add(profileKey(write));
    if (row.op !== "create") return;
    this.#made.add(row);
    operation.made = row;
  }

  /** Sends a call if its writes are in the review. */
  async guard<Answer>(call: Call<Answer>, send: () => Promise<Answer>): Promise<Answer> {
    const problem = call.method === "GET" ? undefined : this.#callProblem(call);
    if (problem !== undefined) throw new NotReviewedError(problem);
    return send();
  }

  #callProblem(call: Call<unknown>): string | undefined {
    const held = this.#read();
    if ("refusal" in held) return held.refusal;
    const { actor = {}, approved } = this.#operation.getStore() ?? {};
    const write = writeOf(call);
    const isOfProfile = write?.kind === "create profile" || write?.kind === "change profile";
    if (write !== undefined && !isOfProfile) return this.#problem(held, actor, write);
    if (write !== undefined && approved?.has(profileKey(write)) === true) return undefined;
    return this.#notHeld(held, `${call.method} ${call.path} would be sent`);
  }

  #plannedProblem(held: Allowed, actor: Actor, write: PlannedWrite): string | undefined {
    if (write.kind === "create profile" || write.kind === "change profile")
      return this.#rowOf(held, actor, write) ? undefined : this.#profileRefusal(held, actor, write);
    const problem = this.#problem(held, actor, write);
    if (problem !== undefined || write.kind !== "grant") return problem;
    const { role, groups, until, isWithin } = write;
    const late = groups.filter((group) => {
      const edge = { role, holder: { group } };
      return held.after.has(edge) && !held.after.by(edge).some(({ until: end }) => isWithin(end));
    });
    if (late.length === 0) return undefined;
    const end = until === undefined ? "without an end" : `until ${until}`;
    return this.#unlessUnknown(held, actor, write, `role ${role}: ${listText(late)} would have it ${end}`);
  }

  #problem(held: Allowed, actor: Actor, write: OtherWrite): string | undefined {
    const others = notIn(held, write);
    if (others.length === 0) return undefined;
    const refusal = this.#unlessUnknown(held, actor, write, whatWouldHappen(write, others));
    const isKept =
      write.kind === "revoke" &&
      others.some((group) => held.kept.has({ role: write.role, holder: { group } }));
    return refusal !== undefined && isKept ? `${refusal} ${KEPT}` : refusal;
  }

  /** Returns a refusal; undefined if the review calls this write unknown, and that was accepted. */
  #unlessUnknown(held: Allowed, actor: Actor, write: OtherWrite, what: string): string | undefined {
    const categories: readonly Category[] = HOLES[write.kind];
    const isHole = held.unknown.some(
      (row) =>
        isOf(row, actor) &&
        // Names aren't unique: a resource with another role isn't this one.
        (!("role" in write) || row.roles?.includes(write.role) !== false) &&
        row.categories.some((category) => categories.includes(category)),
    );
    return isHole && held.review.unknownAccepted ? undefined : this.#notHeld(held, what, isHole);
  }

  #profileRefusal(held: Allowed, actor: Actor, write: ProfileWrite): string {
    const isHole = this.#rowOf(held, actor, write, true) !== undefined;
    if (write.kind === "create profile") {
      const name = JSON.stringify(write.wanted["name"]);
      return this.#notHeld(
        held,
        `a connection profile named ${name} would be created with these settings`,
        isHole,
      );
    }
    const row = held.profiles.find((one) => isStepOf(one, actor, write));
    const what = row === undefined || isHole ? "it would change" : whatDiffers(row, write);
    return this.#notHeld(held, `connection profile ${write.id}: ${what}`, isHole);
  }

  /**
   * Finds the reviewed step for a write to a profile. `isOpen`: values that the review didn't know may be
   * anything.
   */
  #rowOf(held: Allowed, actor: Actor, write: ProfileWrite, isOpen = held.review.unknownAccepted) {
    return held.profiles.find(
      (row) =>
        isStepOf(row, actor, write) && !this.#made.has(row) && differsAt(row, write, isOpen) === undefined,
    );
  }

  /** `… would gain it, but review.json (fingerprint …, made 2026-11-22 10:02) doesn't allow that.` */
  #notHeld({ review }: Allowed, what: string, isHole = false): string {
    const { fingerprint, made, tenants, after, profiles, removals, environmentTenant } = review;
    const { file = "", tenant } = this.options;
    const isUntold = [...after, ...profiles, ...removals].some((row) => row.tenant === null);
    const name = `${basename(file)} (fingerprint ${fingerprint}, made ${made.slice(0, 16).replace("T", " ")})`;
    const isOther = tenants.length > 0 && tenant !== undefined && !tenants.includes(tenant);
    const why = isHole
      ? " It calls this unknown, and was made without --accept-unknown."
      : isOther
        ? ` It is for ${tenants.join(" and ")}, and this run is on ${tenant}.`
        : isUntold && environmentTenant !== tenant
          ? " It doesn't name its tenant: make it with IDENTITY_DOMAIN in the environment."
          : "";
    return `${what}, but ${name} doesn't allow that.${why} ${AGAIN}`;
  }

  get #usable(): Allowed | undefined {
    if (this.options.file === undefined) return undefined;
    const held = this.#read();
    return "refusal" in held ? undefined : held;
  }

  #read() {
    return (this.#held ??= this.#parse());
  }

  #parse(): Allowed | { refusal: string } {
    const { file, required, tenant, isDefault } = this.options;
    if (file === undefined)
      return {
        refusal:
          "Nothing is sent without a review: identity:requireReview (IDENTITY_REQUIRE_REVIEW) is set, and IDENTITY_REVIEW_FILE " +
          "is not. Preview and review the change, and give the review's JSON.",
      };
    try {
      // Read once, so that a program can't replace it.
      this.#bytes ??= readFileSync(file);
      const review = reviewIn(this.#bytes, required, this.#stack);
      const isHere = (row: { tenant?: string | null | undefined }) =>
        (row.tenant ?? (isDefault ? review.environmentTenant : null)) === tenant;
      return allowedBy(review, isHere);
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      const why = error instanceof Unusable ? error.message : `can't be read (${code ?? String(error)})`;
      return { refusal: `Nothing is sent: the review ${JSON.stringify(file)} ${why}. ${AGAIN}` };
    }
  }
}

function allowedBy(
  review: ReviewJson,
  isHere: (row: { tenant?: string | null | undefined }) => boolean,
): Allowed {
  const after = new Grants();
  for (const { role, groups } of review.after.filter(isHere))
    for (const { id: group, until } of groups)
      after.add({ role, holder: { group } }, { name: "", line: undefined, until });
  const profiles = review.profiles.filter(isHere);
  const rows = (effect: ReviewJson["access"][number]["effect"]) =>
    new Grants(
      review.access
        .filter((row) => row.effect === effect && isHere(row))
        .map(({ role, group }) => ({ role, holder: { group }, by: [] })),
    );
  return {
    review,
    profiles,
    unknown: review.unknown.filter(isHere),
    after,
    lost: rows("loses"),
    kept: rows("keeps"),
    deletedProfiles: new Set(profiles.flatMap(({ op, id }) => (op === "delete" ? (id ?? []) : []))),
    removedCredentials: new Set(review.removed.filter(isHere).map(({ id }) => id)),
  };
}

type OtherWrite = Write & { kind: keyof typeof HOLES };

/** Returns the ids in a write that the review doesn't allow. */
function notIn(held: Allowed, write: OtherWrite): string[] {
  if ("role" in write) {
    const allowed = write.kind === "grant" ? held.after : held.lost;
    return write.groups.filter((group) => !allowed.has({ role: write.role, holder: { group } }));
  }
  const ids = write.kind === "delete profile" ? held.deletedProfiles : held.removedCredentials;
  return ids.has(write.id) ? [] : [write.id];
}

/** Describes a write to these ids, as a sentence that goes on with `, but …`. */
function whatWouldHappen(write: OtherWrite, ids: readonly string[]): string {
  if ("role" in write)
    return `role ${write.role}: ${listText(ids)} would ${write.kind === "grant" ? "gain" : "lose"} it`;
  return write.kind === "delete profile"
    ? `connection profile ${write.id} would be deleted`
    : `device credential ${write.id} would be removed`;
}

function isOf({ name, id }: ReviewJson["unknown"][number], actor: Actor): boolean {
  if (actor.name !== undefined) return name === actor.name;
  return actor.id !== undefined && id === actor.id;
}

type ProfileRow = ReviewJson["profiles"][number];

/** True if a row is about the same resource and the same kind of step. */
function isStepOf({ op, id, name }: ProfileRow, actor: Actor, write: ProfileWrite): boolean {
  if (write.kind === "create profile") return op === "create" && name === actor.name;
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
  if (write.kind === "create profile") return names.find((name) => !isWanted(name));
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

function profileKey(write: { kind: "create profile" } | { kind: "change profile"; id: string }): string {
  return write.kind === "create profile" ? write.kind : `${write.kind} ${write.id}`;
}
