import type * as z from "../zod";
import { type IdentityClient } from "../http/client";
import { type PlannedWrite } from "../review/held";
import { type RawInputs } from "../review/raw-inputs";
import { type CheckedResource, type Run } from "./run";

/*
 * What the author of a resource writes: a `ResourceKind`, free of Pulumi's contract. `host/lifecycle.ts`
 * makes handlers of it, and a class made with `program/registration.ts` declares it in programs.
 * docs/contributing/new-resource.md has a small one, `UserBlock`.
 */

/** What the operations of a kind work with. */
export interface Context {
  client: IdentityClient;
  run: Run;
  /** Names of the inputs that the program keeps secret: their values never appear in lines or outputs. */
  secretInputs: readonly string[];
  /** Shows a line to the person at the CLI. */
  tell: (line: string) => void;
  /**
   * To be called before anything is taken away; throws where `identity:maxRevocations` is too low. `by`: what
   * messages call a resource whose name is unknown. `losses`: as in `PlannedEffects`.
   */
  requestRevocation: (by: string, losses: readonly string[]) => void;
}

/** A resource as state records it. */
export interface PriorState<Inputs> {
  inputs: Inputs;
  outputs: Readonly<Record<string, unknown>>;
  /** Within the last minute: what the service doesn't show of it may be there all the same. */
  isJustWritten: boolean;
}

/** A resource as the tenant was just seen to hold it; `outputs` win over inputs of the same name. */
export interface Observed<Inputs> {
  inputs: Inputs;
  outputs?: Record<string, unknown>;
  /** The service can't be asked: it says nothing of whether other objects are there. */
  isAssumed?: true;
}

/** What the program wants of one resource. */
export interface Wanted {
  /** The same object in all checks of the resource. */
  resource: CheckedResource;
  /** The inputs of the last update; undefined for a create. */
  before: RawInputs | undefined;
  /** They fit the schema; values may be unknown. */
  inputs: RawInputs;
  /** All that the program sent, with what state never shows: names that begin with two underscores. */
  raw: RawInputs;
}

/** The input of this name differs. */
export interface InputDifference {
  name: string;
  id: string;
  after: RawInputs;
}

export interface Checked {
  inputs: RawInputs;
  problems: string[];
}

export interface StateReader<Inputs> {
  /** A loose object. State that does not fit was damaged, and no operation begins. */
  types: z.ZodType;
  /** The inputs within outputs. Default: the outputs of the same names. */
  inputsIn?(outputs: RawInputs): Inputs;
}

/** `always`: an update that `ignoreChanges` can't hold back. */
export type Consequence = "replace" | "update" | "always" | "nothing";

export interface ResourceKind<Inputs extends object> {
  /** `ConnectionProfile`: its class, its type token and, uncapitalized, its export of `runtime.ts`. */
  name: string;
  /** A strict object: its keys are the inputs. Every rule is a sentence that says what to write instead. */
  schema: z.ZodObject & z.ZodType<Inputs>;
  /** The rule for the id that a program gives to `get`. */
  id: z.ZodType<string>;
  /** How state is read, as any release has written it. Default: the outputs named like inputs, unchecked. */
  state?: StateReader<Inputs>;
  /**
   * Called for each resource of the program, once its inputs fit the schema. Answers the inputs in the one
   * form that is compared and stored, which leaves unknown values in place, and problems that only the other
   * resources of the program show.
   */
  check?(run: Run, wanted: Wanted): Checked;
  /** What the difference of one input asks for; values may be unknown. Default: an update. */
  consequence?(difference: InputDifference): Consequence;
  /**
   * What a change does beside what Pulumi's own display says: called once for each resource that is to be
   * created, changed or replaced, in previews and before each `up`, after `check`. An unchanged one is asked,
   * too: it is updated if there is anything to tell.
   */
  effects?(run: Run, change: PlannedChange<Inputs>): PlannedEffects;

  create(context: Context, inputs: Inputs): Promise<Observed<Inputs> & { id: string }>;
  /**
   * Undefined means gone, and so does the service's 404 for the object itself. `prior` is undefined for
   * `Kind.get(…)`, which knows only the id.
   */
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
  /** What `identity:maxRevocations` counts: a role that a group loses, `rol_… grp_…`; a removed `dcr_…`. */
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
