import { AsyncLocalStorage } from "node:async_hooks";
import { readFileSync } from "node:fs";
import { type Call } from "../http/call";
import { NotReviewedError, outcomeOf } from "../http/errors";
import { fileReason } from "../sentence";
import { writeOf } from "../service/writes";
import {
  type Actor,
  AGAIN,
  type Permits,
  permitsOf,
  type PlannedWrite,
  problemOf,
  type ProfileRow,
  type ProfileWrite,
  refusal,
  rowFor,
} from "./permits";
import { reviewIn, Unusable } from "./review-file";

interface GuardOptions {
  file: string | undefined;
  /** True if nothing is written without a review. */
  required: boolean;
  /** The SHA-256 that the file must have. */
  digest?: string | undefined;
  /** Host name; undefined if no setting names one. */
  tenant: string | undefined;
  /** True if rows without a tenant in the preview may be about this one. */
  isDefault: boolean;
}

/** A handler's operation, and the approved writes to profiles. */
interface Operation {
  actor: Actor;
  approved: Set<string>;
  /** The reviewed profile that it has begun to create. */
  made?: ProfileRow;
}

/** The operation under way. One for all guards: in Node.js 20, each one slows down every promise. */
const operations = new AsyncLocalStorage<Operation>();

const REQUIRED = "identity:requireReview (IDENTITY_REQUIRE_REVIEW)";
const DIGEST = "identity:reviewDigest (IDENTITY_REVIEW_DIGEST)";

/**
 * Holds a run to its review, and refuses to send anything else. It checks every call, whoever makes it.
 * Previews refuse what they know of, but for revocations: these are refused only when they would be sent.
 */
export class ReviewGuard {
  /** Profiles reviewed as new that an operation has begun to create. */
  readonly #made = new Set<ProfileRow>();
  #bytes: Buffer | undefined;
  #stack: string | undefined;
  #permits: Permits | { refusal: string } | undefined;

  constructor(private readonly options: GuardOptions) {}

  get isOn(): boolean {
    return this.options.file !== undefined || this.options.required;
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
      this.#permits = undefined;
    }
    if (this.options.file === undefined) return [];
    const permits = this.#read();
    return "refusal" in permits ? [permits.refusal] : [];
  }

  /** Returns sentences on planned writes that aren't in the review. */
  problemsOf(actor: Actor, writes: readonly PlannedWrite[]): string[] {
    const permits = this.#usable;
    return permits === undefined ? [] : writes.flatMap((write) => problemOf(permits, actor, write) ?? []);
  }

  /** Runs an operation of a resource, and checks its calls as this actor's. */
  during<T>(actor: Actor, operation: () => Promise<T>): Promise<T> {
    const current: Operation = { actor, approved: new Set() };
    return operations.run(current, async () => {
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
    const permits = this.#usable;
    const operation = operations.getStore();
    if (permits === undefined || operation === undefined) return;
    const { actor, approved } = operation;
    const row = rowFor(permits, actor, write);
    if (row === undefined) throw new NotReviewedError(problemOf(permits, actor, write) ?? "");
    approved.add(profileKey(write));
    if (row.op !== "create") return;
    this.#made.add(row);
    operation.made = row;
  }

  /** Sends a call if its writes are in the review. */
  async send<Answer>(call: Call<Answer>, send: () => Promise<Answer>): Promise<Answer> {
    const problem = call.method === "GET" ? undefined : this.#callProblem(call);
    if (problem !== undefined) throw new NotReviewedError(problem);
    return send();
  }

  #callProblem(call: Call<unknown>): string | undefined {
    const permits = this.#read();
    if ("refusal" in permits) return permits.refusal;
    const { actor = {}, approved } = operations.getStore() ?? {};
    const write = writeOf(call);
    const what = `${call.method} ${call.path} would be sent`;
    if (write?.act !== "create profile" && write?.act !== "change profile")
      return write === undefined ? refusal(permits, what) : problemOf(permits, actor, write);
    return approved?.has(profileKey(write)) === true ? undefined : refusal(permits, what);
  }

  /** Still permitted: a profile that was made isn't made again. */
  get #usable(): Permits | undefined {
    if (this.options.file === undefined) return undefined;
    const permits = this.#read();
    if ("refusal" in permits) return undefined;
    if (this.#made.size === 0) return permits;
    return { ...permits, profiles: permits.profiles.filter((row) => !this.#made.has(row)) };
  }

  #read() {
    return (this.#permits ??= this.#parse());
  }

  #parse(): Permits | { refusal: string } {
    const { file, digest, tenant, isDefault } = this.options;
    if (file === undefined)
      return {
        refusal:
          `Nothing is sent without a review: ${digest === undefined ? REQUIRED : DIGEST} is set, and IDENTITY_REVIEW_FILE ` +
          "is not. Preview and review the change, and give the review's JSON.",
      };
    try {
      // Read once, so that a program can't replace it.
      this.#bytes ??= readFileSync(file);
      const review = reviewIn(this.#bytes, digest, this.#stack);
      return permitsOf(review, { file, tenant, isDefault });
    } catch (error) {
      const why = error instanceof Unusable ? error.message : `can't be read (${fileReason(error)})`;
      return { refusal: `Nothing is sent: the review ${JSON.stringify(file)} ${why}. ${AGAIN}` };
    }
  }
}

function profileKey(write: { act: "create profile" } | { act: "change profile"; id: string }): string {
  return write.act === "create profile" ? write.act : `${write.act} ${write.id}`;
}
