import { AsyncLocalStorage } from "node:async_hooks";
import { readFileSync } from "node:fs";
import { type Call } from "../http/call";
import { NotReviewedError, outcomeOf } from "../http/errors";
import { fileReason } from "../sentence";
import { type Act, keyOf, keysOfCall } from "./act";
import {
  type Actor,
  AGAIN,
  type Permits,
  permitsOf,
  problemsOf,
  type ProfileRow,
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

/** A handler's operation, and the keys of the acts that it may send. */
interface Operation {
  actor: Actor;
  allowed: Set<string>;
  /** The reviewed profile that it has begun to create. */
  made?: ProfileRow;
}

/** The operation under way. One for all guards: in Node.js 20, each one slows down every promise. */
const operations = new AsyncLocalStorage<Operation>();

const REQUIRED = "identity:requireReview (IDENTITY_REQUIRE_REVIEW)";
const DIGEST = "identity:reviewDigest (IDENTITY_REVIEW_DIGEST)";

/**
 * Holds a run to its review, and refuses to send anything else. An act is judged when it's planned, and again
 * when its operation begins. A revocation is judged only when its call is built: by then the run may have
 * checked another assignment that lists the group. What is sent must have been allowed, whoever sends it.
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

  /** Returns sentences on planned acts that aren't in the review. */
  problemsOf(actor: Actor, acts: readonly Act[]): string[] {
    const permits = this.#usable;
    return permits === undefined ? [] : problemsOf(permits, actor, judgedAhead(acts));
  }

  /** Runs an operation of a resource. Throws if the review lacks any of what it plans. */
  during<T>(actor: Actor, planned: readonly Act[], operation: () => Promise<T>): Promise<T> {
    const current: Operation = { actor, allowed: new Set() };
    return operations.run(current, async () => {
      try {
        this.allow(judgedAhead(planned));
        return await operation();
      } catch (error) {
        // Nothing was made, so another try may make it: resource hooks repeat a create.
        const isNotMade = outcomeOf(error) === "refused" || outcomeOf(error) === "not sent";
        if (isNotMade && current.made !== undefined) this.#made.delete(current.made);
        throw error;
      }
    });
  }

  /** Lets the operation under way send these acts; throws if the review lacks any of them. */
  allow(acts: readonly Act[]): void {
    const permits = this.#usable;
    const operation = operations.getStore();
    if (permits === undefined || operation === undefined) return;
    const { actor, allowed } = operation;
    const [problem] = problemsOf(permits, actor, acts);
    if (problem !== undefined) throw new NotReviewedError(problem);
    for (const act of acts) allowed.add(keyOf(act));
    const [create] = acts.filter((act) => act.act === "create profile");
    const row = create && rowFor(permits, actor, create);
    if (row === undefined) return;
    this.#made.add(row);
    operation.made = row;
  }

  /** Sends a call if the operation may. */
  async send<Answer>(call: Call<Answer>, send: () => Promise<Answer>): Promise<Answer> {
    const problem = call.method === "GET" ? undefined : this.#callProblem(call);
    if (problem !== undefined) throw new NotReviewedError(problem);
    return send();
  }

  #callProblem(call: Call<unknown>): string | undefined {
    const permits = this.#read();
    if ("refusal" in permits) return permits.refusal;
    const allowed = operations.getStore()?.allowed;
    const isAllowed = keysOfCall(call)?.every((key) => allowed?.has(key) === true) === true;
    return isAllowed ? undefined : refusal(permits, `${call.method} ${call.path} would be sent`);
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

/** A revocation is judged only when its call is built. */
function judgedAhead(acts: readonly Act[]): Act[] {
  return acts.filter(({ act }) => act !== "revoke");
}
