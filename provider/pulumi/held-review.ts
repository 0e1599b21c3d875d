import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { type Call } from "../http/call";
import { NotReviewedError } from "../http/errors";
import { settingsFromWire } from "../service/profile-fields";
import { isObject, type JsonObject } from "../service/record";
import { profileOf, type Write, writeOf } from "../service/writes";
import { pathText } from "./input-problems";
import { listText } from "./preview-lines";
import { type ReviewJson, reviewSchema } from "./review-model";
import { type Actor, type Opening, Permits } from "./review-permits";

export type PlannedWrite =
  | (Write & {
      /** What state knows of the profile that it changes. */
      before?: JsonObject;
      /** What may be sent in its place: options that handlers don't see make an update a replacement. */
      instead?: PlannedWrite | undefined;
    })
  | PlannedEnd;

/** Until when groups are to have a role. It is sent nowhere: what takes the role away then is another run. */
export interface PlannedEnd {
  kind: "end";
  role: string;
  groups: readonly string[];
  until: string | undefined;
  /** Those that have the role by the same assignment, and until when. */
  before: { groups: readonly string[]; until: string | undefined };
  /** Whether the end is no later than this one. */
  isWithin: (until: string | undefined) => boolean;
}

interface HeldOptions {
  file: string | undefined;
  /** Whether nothing is written without a review; or the SHA-256 that its file must have. */
  required: boolean | string;
  /** Host name; undefined while settings name none. */
  tenant: string | undefined;
  /** Whether rows may be meant of which the preview did not tell the tenant. */
  isDefault: boolean;
}

/** A review is made right before it is applied. */
const LONGEST_HOURS = 24;
const AGAIN = "Preview and review the change again.";

/**
 * The review that a run is held to: nothing is sent that it does not hold. It is asked of each call, whoever
 * makes it, and by previews as soon as they know what a change does.
 */
export class HeldReview {
  /** What is on profiles, as far as this process has read it. */
  readonly #live = new Map<string, JsonObject>();
  #bytes: Buffer | undefined;
  #stack: string | undefined;
  #held: Permits | { refusal: string } | undefined;

  constructor(private readonly options: HeldOptions) {}

  get isOn(): boolean {
    return this.options.file !== undefined || this.options.required !== false;
  }

  /** When the review was made; undefined where there is none, or none that can be used. */
  get moment(): number | undefined {
    const made = this.#usable?.review.made;
    return made === undefined ? undefined : Date.parse(made);
  }

  /** Why the review can't be used. A preview is fine without one. `stack`: that of the program. */
  problems(stack: string | undefined): string[] {
    if (this.#stack === undefined && stack !== undefined) {
      this.#stack = stack;
      this.#held = undefined;
    }
    if (this.options.file === undefined) return [];
    const held = this.#read();
    return "refusal" in held ? [held.refusal] : [];
  }

  /** Sentences on planned writes that the review does not hold. */
  problemsOf(writes: readonly PlannedWrite[]): string[] {
    const permits = this.#usable;
    if (permits === undefined) return [];
    return writes.flatMap((write) => {
      if (write.kind === "end") return this.#endProblem(permits, write) ?? [];
      const problem = this.#problemOf(permits, write, write.before);
      const isFine =
        problem === undefined || (write.instead && this.problemsOf([write.instead]).length === 0);
      return isFine ? [] : [problem];
    });
  }

  open(actor: Actor, openings: readonly Opening[]): void {
    this.#usable?.open(actor, openings);
  }

  /** Sends a call, if the review holds what it writes. */
  async guard<Answer>(call: Call<Answer>, send: () => Promise<Answer>): Promise<Answer> {
    const giveBack = call.method === "GET" ? undefined : this.#take(call);
    try {
      const answer = await send();
      const profile = profileOf(call);
      if (profile !== undefined && isObject(answer)) this.#live.set(profile, settingsFromWire(answer));
      return answer;
    } catch (error) {
      giveBack?.();
      throw error;
    }
  }

  /** Takes what a call needs out of the review; answers how to give it back. Throws what forbids the call. */
  #take(call: Call<unknown>): (() => void) | undefined {
    const permits = this.#read();
    if ("refusal" in permits) throw new NotReviewedError(permits.refusal);
    const write = writeOf(call);
    const problem =
      write === undefined
        ? this.#notHeld(permits, `${call.method} ${call.path} would be sent, which`)
        : this.#problemOf(permits, write, "id" in write ? this.#live.get(write.id) : undefined);
    if (problem !== undefined) throw new NotReviewedError(problem);
    return write?.kind === "create profile" ? permits.takeCreate(write.settings) : undefined;
  }

  #problemOf(permits: Permits, write: Write, before: JsonObject | undefined): string | undefined {
    const refused = permits.refused(write, before);
    if (refused === undefined) return undefined;
    return this.#notHeld(permits, refused, permits.refused(write, before, true) === undefined);
  }

  #endProblem(permits: Permits, { role, groups, until, before, isWithin }: PlannedEnd): string | undefined {
    const others = groups.filter((group) => {
      const reviewed = permits.endOf(role, group) ?? (before.groups.includes(group) ? before : undefined);
      return reviewed !== undefined && !isWithin(reviewed.until);
    });
    if (others.length === 0) return undefined;
    const end = until === undefined ? "without an end" : `until ${until}`;
    return this.#notHeld(permits, `role ${role}: ${listText(others)} would have it ${end}, which`);
  }

  /** `… would gain it, which review.json (fingerprint …, made 2026-11-22 10:02) does not hold.` */
  #notHeld({ review }: Permits, what: string, isOpen = false): string {
    const { fingerprint, made, tenants, access, profiles, removals, environmentTenant } = review;
    const { file = "", tenant } = this.options;
    const isUntold = [...access, ...profiles, ...removals].some((row) => row.tenant === null);
    const name = `${basename(file)} (fingerprint ${fingerprint}, made ${made.slice(0, 16).replace("T", " ")})`;
    const isOther = tenants.length > 0 && tenant !== undefined && !tenants.includes(tenant);
    const why = isOpen
      ? " It calls this unknown, and was made without --accept-unknown."
      : isOther
        ? ` It is of ${tenants.join(" and ")}, and this is ${tenant}.`
        : isUntold && environmentTenant !== tenant
          ? " It does not tell its tenant: make it with IDENTITY_DOMAIN in the environment, too."
          : "";
    return `${what} ${name} does not hold.${why} ${AGAIN}`;
  }

  get #usable(): Permits | undefined {
    if (this.options.file === undefined) return undefined;
    const held = this.#read();
    return "refusal" in held ? undefined : held;
  }

  #read() {
    return (this.#held ??= this.#parse());
  }

  #parse(): Permits | { refusal: string } {
    const { file, required, tenant, isDefault } = this.options;
    if (file === undefined)
      return {
        refusal:
          "Nothing is sent without a review: identity:requireReview (IDENTITY_REQUIRE_REVIEW) is set, and IDENTITY_REVIEW_FILE " +
          "is not. Preview and review the change, and give the review's JSON.",
      };
    try {
      // A program must not replace what was read once.
      this.#bytes ??= readFileSync(file);
      const review = reviewIn(this.#bytes, required, this.#stack);
      const isHere = (row: { tenant?: string | null | undefined }) =>
        (row.tenant ?? (isDefault ? review.environmentTenant : null)) === tenant;
      return new Permits(review, isHere);
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      const why = error instanceof Unusable ? error.message : `can't be read (${code ?? String(error)})`;
      return { refusal: `Nothing is sent: the review ${JSON.stringify(file)} ${why}. ${AGAIN}` };
    }
  }
}

/** The end of a sentence that begins with the file. */
class Unusable extends Error {}

function reviewIn(bytes: Buffer, required: boolean | string, stack: string | undefined): ReviewJson {
  if (typeof required === "string" && createHash("sha256").update(bytes).digest("hex") !== required)
    throw new Unusable(
      "is not the file whose SHA-256 identity:requireReview (IDENTITY_REQUIRE_REVIEW) gives",
    );
  const raw = ofStack(parsed(bytes), stack);
  const { version } = raw;
  if (typeof version === "number" && version > 1)
    throw new Unusable(`has form ${version}, which this release does not know: update pulumi-identity`);
  const result = reviewSchema.safeParse(raw);
  if (!result.success) {
    const [issue] = result.error.issues;
    throw new Unusable(
      `is not what \`pulumi-identity review --json\` of this release writes (${pathText(issue?.path ?? [])})`,
    );
  }
  const { kind, failed, made } = result.data;
  if (kind === "drift") throw new Unusable("is that of a drift, and not of a change");
  if (failed) throw new Unusable("is of a preview that failed");
  const hours = (Date.now() - Date.parse(made)) / 3_600_000;
  if (!(hours <= LONGEST_HOURS)) throw new Unusable(`was made ${made}, more than ${LONGEST_HOURS} hours ago`);
  return result.data;
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch {
    throw new Unusable("is not JSON");
  }
}

/** The review of the stack, which may be one of several. */
function ofStack(json: unknown, stack: string | undefined): JsonObject {
  const all = (Array.isArray(json) ? (json as unknown[]) : [json]).map((one) => (isObject(one) ? one : {}));
  if (all.length > 1 && stack === undefined)
    throw new Unusable("is that of several stacks, and no resource of this run tells which this is");
  // A preview without a step does not tell its stack, and permits nothing.
  const own = all.find((one) => stack === undefined || (one["stack"] ?? stack) === stack);
  if (own !== undefined) return own;
  throw new Unusable(`is that of ${all.map((one) => String(one["stack"])).join(", ")}, and this is ${stack}`);
}
