import type * as z from "../zod";
import { type IdentityClient } from "../http/client";
import { type PlannedWrite } from "./held-review";
import { type RawInputs } from "./raw-inputs";
import { type CheckedResource, type Run } from "./run";

/*
 * What the author of a resource writes: a `ResourceKind`, free of Pulumi's contract. `host/lifecycle.ts`
 * makes handlers of it, and a class made with `program/registration.ts` declares it in programs.
 * CONTRIBUTING.md has a small one, `UserBlock`.
 *
 * Glossary
 *   inputs        What the program says, after `normalize`; stored in state as the tenant was last seen to hold them.
 *   outputs       All properties in state, the inputs among them.
 *   prior state   The resource as state records it, before the operation at hand.
 *   observed      The resource as the tenant was seen to hold it just now; becomes the next prior state.
 *   unconfirmed   Sent, but its outcome is unknown: the next update looks before it acts.
 *   wanted        Listed by a program that `check` approved, whatever becomes of it.
 *   loss          A role that a group loses, `rol_… grp_…`, or a device credential that is removed, `dcr_…`:
 *                 `run.revocations` counts these.
 *   run           One engine operation on one tenant, in one host process.
 *   gone          The service answered 404 for the object itself. Only the lifecycle decides this.
 *   partial failure   A create or update of which a part was done: state records that part, the next `up` the rest.
 */

/** What the operations of a kind work with. */
export interface Context {
  client: IdentityClient;
  run: Run;
  /** Shows a line to the person at the CLI. */
  tell: (line: string) => void;
  /**
   * Called before anything is taken away; throws where `identity:maxRevocations` is too low. `by`: what
   * messages call a resource whose name is unknown.
   */
  requestRevocation: (by: string, losses: readonly string[]) => void;
}

/** A resource as state records it. */
export interface PriorState<Inputs> {
  inputs: Inputs;
  outputs: Readonly<Record<string, unknown>>;
}

/** A resource as the tenant holds it; `outputs` are added to the inputs, and win over them. */
export interface Observed<Inputs> {
  inputs: Inputs;
  outputs?: Record<string, unknown>;
}

/** What the program wants of one resource, as `check` got it. */
export interface Wanted<Inputs> {
  /** The same object in all checks of the resource. */
  resource: CheckedResource;
  /** The inputs of the last update; undefined for a create. */
  before: Inputs | undefined;
  inputs: Inputs;
  /** All that the program sent, with what state never shows: names that begin with two underscores. */
  raw: RawInputs;
}

/** The input of this name differs. */
export interface InputDifference {
  name: string;
  id: string;
  after: RawInputs;
}

export interface ResourceKind<Inputs extends object> {
  /** `ConnectionProfile`: its class, its type token and, uncapitalized, its export of `runtime.ts`. */
  name: string;
  /** A strict object: its keys are the inputs. Every rule is a sentence that says what to write instead. */
  schema: z.ZodObject & z.ZodType<Inputs>;
  /** The rule for the id that a program gives to `get`. */
  id: z.ZodType<string>;
  /** Brings inputs into the one form that is compared and stored; must leave unknown values in place. */
  normalize?(inputs: RawInputs): RawInputs;
  /** Inputs that a run decides: state has them, and no program. */
  decided?: {
    names: readonly string[];
    /** What they are, for inputs that `check` approves. */
    values(run: Run, inputs: RawInputs): RawInputs;
  };
  /** What the difference of one input asks for; values may be unknown. Default: an update. */
  consequence?(difference: InputDifference): "replace" | "update" | "nothing";
  /**
   * The types of the outputs that the operations rely on, as all releases have written them; a loose object.
   * State that does not fit was damaged, and no operation begins. Default: none are checked.
   */
  state?: z.ZodType;
  /** The inputs within outputs. Default: the outputs of the same names. */
  inputsOf?(outputs: Readonly<Record<string, unknown>>): Inputs;

  /**
   * Called for each resource that `check` approved; some values may be unknown. Answers problems that only
   * the other resources of the program show.
   */
  onWanted?(run: Run, wanted: Wanted<RawInputs>): string[];
  /**
   * What a change does beside what Pulumi's own display says: called once for each resource that is to be
   * created, changed or replaced, in previews and before each `up`, once `onWanted` was called. An unchanged
   * one is asked, too: it is updated if there is anything to tell.
   */
  effects?(run: Run, change: PlannedChange<Inputs>): PlannedEffects;

  create(context: Context, inputs: Inputs): Promise<Observed<Inputs> & { id: string }>;
  /** Undefined: gone. `prior` is undefined for `Kind.get(…)`, which knows only the id. */
  read(
    context: Context,
    id: string,
    prior: PriorState<Inputs> | undefined,
  ): Promise<Observed<Inputs> | undefined>;
  update(context: Context, id: string, prior: PriorState<Inputs>, inputs: Inputs): Promise<Observed<Inputs>>;
  delete(context: Context, id: string, prior: PriorState<Inputs>): Promise<void>;
}

/** A change as it is planned. */
export interface PlannedChange<Inputs> {
  /** Undefined for a create. */
  id: string | undefined;
  /** What state records; undefined for a create. */
  prior: PriorState<Inputs> | undefined;
  /** What the program wants; values may be unknown. */
  inputs: RawInputs;
  isReplaced: boolean;
  /** Undefined where `check` has approved other inputs. */
  resource: CheckedResource | undefined;
}

export interface PlannedEffects {
  /** Why it may not be. */
  problems?: string[];
  lines: string[];
  /** Shown, and no reason for an update. */
  notices?: string[];
  losses: string[];
  /** What is sent, as far as it is known: the run may be held to a review that does not hold it. */
  writes?: PlannedWrite[];
  /** What only the tenant can tell: one read before the change, also in previews, for a limited time. */
  lookAhead?: LookAhead | undefined;
}

export interface LookAhead {
  /** The line that says why it could not be asked. */
  notAsked(reason: string): string;
  /** That the object is gone is a problem of the inputs. */
  ask(context: Context, signal: AbortSignal): Promise<Pick<PlannedEffects, "lines" | "losses" | "writes">>;
}

/** A create or update that was done in part: what is true is recorded, and the next `up` finishes the job. */
export class PartialFailure<Inputs> extends Error {
  constructor(
    readonly id: string,
    readonly observed: Observed<Inputs>,
    override readonly cause: unknown,
  ) {
    super("A part was done.");
  }
}
