import type * as z from "../zod";
import { type Border } from "../border";
import { type IdentityClient } from "../http/client";
import { type PlannedWrite } from "../review/permits";
import { type RawInputs } from "../review/raw-inputs";
import { type OpenId } from "../service/ids";
import { type CheckedResource, type Run } from "./run";
import { type ReplacedSet, type SetPath } from "./sets";

/*
 * The author of a resource writes a `ResourceKind`, free of Pulumi's contract. `host/lifecycle.ts` turns it
 * into handlers, and a class made with `program/registration.ts` declares it in programs.
 * docs/contributing/new-resource.md has a small example, `UserBlock`.
 */

/** The tools for a kind's operations. */
export interface Context {
  client: IdentityClient;
  run: Run;
  /** The way out for the resource's messages. */
  border: Border;
  /** Names of the program's secret inputs: their values never appear in lines or outputs. */
  secretInputs: readonly string[];
  /** Shows lines to the person at the CLI. */
  tell: (...lines: readonly string[]) => void;
  /**
   * Call it before taking anything away; throws if `identity:maxRevocations` is too low. `by`: the name in
   * messages if the resource has none. `losses`: as in `PlannedEffects`.
   */
  requestRevocation: (by: string, losses: readonly string[]) => void;
}

/** A resource as state records it. */
export interface PriorState<Inputs> {
  inputs: Inputs;
  outputs: Readonly<Record<string, unknown>>;
  /** True within a minute of the last write: objects that the service doesn't show yet may still exist. */
  isJustWritten: boolean;
}

/** A resource as last seen on the tenant; `outputs` win over inputs of the same name. */
export interface Observed<Inputs> {
  inputs: Inputs;
  outputs?: Record<string, unknown>;
  /** The service can't be asked about it, so this is no proof that other objects exist. */
  isAssumed?: true;
}

/** The program's message for one resource. */
export interface ToCheck {
  /** The same object in all checks of the resource. */
  resource: CheckedResource;
  /** They fit the schema; values may be unknown. */
  inputs: RawInputs;
  /**
   * Everything that the program sent, including names with two leading underscores, which state never shows.
   */
  raw: RawInputs;
  /** The sets whose elements aren't those that the program gave. */
  replacedSets: readonly ReplacedSet[];
}

/** The input with this name differs. */
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
  /** A loose object. State that doesn't fit was damaged, and no operation begins. */
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
  /** The lists that stand for sets. The class has the same ones. Default: none. */
  sets?: readonly SetPath[];
  /** The rule for the id that a program gives to `get`. */
  id: z.ZodType<string>;
  /**
   * The input whose value may be a name in place of an id: a preview that creates the resource says so, and
   * an error of an object that isn't there. Default: none.
   */
  openId?: (inputs: RawInputs) => OpenId;
  /** Reads state, as any release has written it. Default: the outputs named like inputs, unchecked. */
  state?: StateReader<Inputs>;
  /**
   * Called for each resource of the program, once its inputs fit the schema. Returns the inputs in the one
   * form that is compared and stored, with unknown values left in place, and problems that only show next to
   * the program's other resources.
   */
  check?(run: Run, given: ToCheck): Checked;
  /**
   * Inputs that others rely on once `check` has seen them. A policy pack can change inputs after that, and a
   * change of these is refused. Default: none.
   */
  reliedOn?: readonly (keyof Inputs & string)[];
  /** The consequence of a difference in one input; values may be unknown. Default: an update. */
  consequence?(difference: InputDifference): Consequence;
  /**
   * The effects of a change that Pulumi's own display doesn't show. Called after `check` for each resource to
   * be created, changed or replaced, in previews and before each `up`. Also called for an unchanged resource:
   * it's updated if there is anything to print. A held run calls it again before the operation.
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
  /** For a kind whose `read` assumes: false if the tenant shows that its work isn't done. */
  isDone?(context: Context, id: string): Promise<boolean>;
  update(context: Context, id: string, prior: PriorState<Inputs>, inputs: Inputs): Promise<Observed<Inputs>>;
  delete(context: Context, id: string, prior: PriorState<Inputs>): Promise<void>;
}

/** A change as it is planned. */
export interface PlannedChange<Inputs> {
  /** Undefined for a create. */
  id: string | undefined;
  /** The resource in state, if it stays; undefined for a create. */
  prior: PriorState<Inputs> | undefined;
  /** The resource in state that a new one replaces. */
  replaced: PriorState<Inputs> | undefined;
  /** The program's inputs; values may be unknown. */
  inputs: RawInputs;
  /** False if no input differs from those of `prior`. */
  isChanged: boolean;
  /** Undefined if `check` has approved other inputs. */
  resource: CheckedResource | undefined;
}

export interface PlannedEffects {
  /** Reasons against the change. */
  problems?: string[];
  lines: string[];
  /** Shown, but no reason for an update. */
  notices?: string[];
  /**
   * Losses that `identity:maxRevocations` counts: a role that a group loses, `rol_… grp_…`; a removed
   * `dcr_…`.
   */
  losses: string[];
  /** Losses that a resource not checked yet may prevent. Only the run counts those, and a preview warns. */
  possibleLosses?: string[];
  /** The planned requests, as far as they are known. If the run is held to a review, it must contain them. */
  writes?: PlannedWrite[];
  /** A read before the change for what only the tenant knows, also in previews, for a limited time. */
  lookAhead?: LookAhead | undefined;
}

export interface LookAhead {
  /** The line that says why the tenant couldn't be asked. */
  notAsked(reason: string): string;
  /** If the object is gone, that's a problem of the inputs. */
  ask(context: Context, signal: AbortSignal): Promise<Pick<PlannedEffects, "lines" | "losses" | "writes">>;
}

/** A create or update done in part: state records what is true, and the next `up` finishes the job. */
export class PartialFailure<Inputs> extends Error {
  constructor(
    readonly id: string,
    readonly observed: Observed<Inputs>,
    override readonly cause: unknown,
  ) {
    super("A part was done.");
  }
}
