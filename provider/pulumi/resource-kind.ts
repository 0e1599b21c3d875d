import type * as z from "../zod";
import { type Border } from "../border";
import { type IdentityClient } from "../http/client";
import { type KindName } from "../kinds";
import { type Act } from "../review/act";
import { type RawInputs } from "../review/raw-inputs";
import { type OpenId } from "../service/ids";
import { type CheckedResource, type Run } from "./run";
import { type ReplacedSet, type SetPath } from "./sets";

/*
 * The author of a resource writes a `ResourceKind`, free of Pulumi's contract. `host/lifecycle.ts` turns it
 * into handlers, and a class made with `program/registration.ts` declares it in programs.
 * docs/contributing/new-resource.md has a small example, `UserBlock`.
 */

/** One call of the engine about one resource, through either door. */
export interface Request<Inputs extends object> {
  run: Run;
  /** Throws a `ConfigurationError` if settings are missing or wrong. */
  readonly client: IdentityClient;
  /** The resource, if this run has checked it with these inputs: the same object in all its checks. */
  resource: CheckedResource | undefined;
  /** Undefined for a create; in `check`, that of the resource which it replaces. */
  id: string | undefined;
  /** The resource in state, if it stays. */
  prior: Prior<Inputs> | undefined;
  /** The resource in state that a new one replaces. */
  replaced: Prior<Inputs> | undefined;
  /** The program's inputs, none in `read` and `delete`. In `check` and `effects`, values may be unknown. */
  inputs: RawInputs;
  /** False if no input differs from those of `prior`. */
  isChanged: boolean;
  isDelete: boolean;
  /** All that the program sent, with the hidden inputs. In `read` and `delete`, state. */
  given: RawInputs;
  /** In `check`, the sets whose elements aren't those that the program gave. */
  replacedSets: readonly ReplacedSet[];
  /** Names of the program's secret inputs: their values never appear in lines or outputs. */
  secretInputs: readonly string[];
  /** Hides the secrets of this resource, too. */
  border: Border;
  /** Shows lines to the person at the CLI. */
  tell: (...lines: readonly string[]) => void;
  /**
   * Call it before taking anything away; throws if `identity:maxRevocations` is too low. `by`: the name in
   * messages if the resource has none.
   */
  requestRevocation: (by: string, acts: readonly Act[]) => void;
}

export interface CreateRequest<Inputs extends object> extends Request<Inputs> {
  inputs: Inputs & RawInputs;
}

export interface ReadRequest<Inputs extends object> extends Request<Inputs> {
  id: string;
  /** True if an assumption is no answer: a program asks whether it exists. */
  needsProof: boolean;
}

export interface UpdateRequest<Inputs extends object> extends CreateRequest<Inputs> {
  id: string;
  prior: Prior<Inputs>;
}

export interface DeleteRequest<Inputs extends object> extends Request<Inputs> {
  id: string;
  prior: Prior<Inputs>;
}

/** A resource as state records it. */
export interface Prior<Inputs> {
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

/** `always`: an update that `ignoreChanges` can't hold back. */
export type Consequence = "replace" | "update" | "always" | "nothing";

/** The inputs, id and state of a kind's resources. */
export interface Fields<Inputs extends object> {
  /** A strict object: its keys are the inputs. Every rule is a sentence that says what to write instead. */
  schema: z.ZodObject & z.ZodType<Inputs>;
  /** The lists that stand for sets. The class has the same ones. Default: none. */
  sets?: readonly SetPath[];
  /**
   * Inputs that others rely on once `check` has seen them. A policy pack can change inputs after that, and a
   * change of these is refused. Default: none.
   */
  reliedOn?: readonly (keyof Inputs & string)[];
  /** The consequence of a difference in the input with this name. Default: an update. */
  consequence?(name: string, request: Pick<Request<Inputs>, "id" | "inputs">): Consequence;
  /** The rule for the id that a program gives to `get`. */
  id: z.ZodType<string>;
  /**
   * The input whose value may be a name in place of an id: a preview that creates the resource says so, and
   * an error of an object that isn't there. Default: none.
   */
  openId?: (inputs: RawInputs) => OpenId;
  /** Reads state, as any release has written it. Default: the outputs named like inputs, unchecked. */
  state?: {
    /** A loose object. State that doesn't fit was damaged, and no operation begins. */
    types: z.ZodType;
    /** The inputs within outputs. Default: the outputs of the same names. */
    inputsIn?(outputs: RawInputs): Inputs;
  };
}

export interface ResourceKind<Inputs extends object> {
  /** Its row in the catalogue. */
  name: KindName;
  fields: Fields<Inputs>;
  /**
   * Called for each resource of the program, once its inputs fit the schema. Returns the inputs in the one
   * form that is compared and stored, with unknown values left in place, and problems that only show next to
   * the program's other resources.
   */
  check?(request: Request<Inputs> & { resource: CheckedResource }): { inputs: RawInputs; problems: string[] };
  /**
   * The effects of a change that Pulumi's own display doesn't show. Called after `check` for each resource to
   * be created, changed or replaced, in previews and before each `up`. Also called for an unchanged resource:
   * it's updated if there is anything to print. A held run calls it again before the operation, and before a
   * delete, which has no `check`.
   */
  effects?(request: Request<Inputs>): PlannedEffects;

  create(request: CreateRequest<Inputs>): Promise<Observed<Inputs> & { id: string }>;
  /**
   * Undefined means gone, and so does the service's 404 for the object itself. Without a `prior`, nothing is
   * known but the id: `Kind.get(…)` asks, or an import.
   */
  read(request: ReadRequest<Inputs>): Promise<Observed<Inputs> | undefined>;
  update(request: UpdateRequest<Inputs>): Promise<Observed<Inputs>>;
  delete(request: DeleteRequest<Inputs>): Promise<void>;
}

export interface PlannedEffects {
  /** Reasons against the change. */
  problems?: string[];
  lines: string[];
  /** Shown, but no reason for an update. */
  notices?: string[];
  /** Its acts, as far as they are known. If the run is held to a review, that must have them. */
  acts: readonly Act[];
  /** A read before the change for what only the tenant knows, also in previews, for a limited time. */
  lookAhead?: LookAhead | undefined;
}

export interface LookAhead {
  /** The line that says why the tenant couldn't be asked. */
  notAsked(reason: string): string;
  /** If the object is gone, that's a problem of the inputs. */
  ask(signal: AbortSignal): Promise<Pick<PlannedEffects, "lines" | "acts">>;
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
