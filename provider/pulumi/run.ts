import { type Border } from "../border";
import { type IdentityClient } from "../http/client";
import { makeBorder, makeClient } from "./clients";
import { type RawInputs } from "./raw-inputs";
import { stableJson } from "./stable-json";
import { Revocations } from "./revocations";
import {
  formerTenants,
  maxRevocations,
  maxRevocationsSetting,
  type RawSettings,
  type SettingsSource,
  tenantOf,
  wrongSettings,
} from "./settings";

/**
 * What a run remembers for one kind of resource: made when `run.recall` first asks for it, and gone with the run.
 * A module has one as a constant: `const ROLES = new RunMemory(() => new Map<string, RoleInRun>())`.
 */
export class RunMemory<T> {
  constructor(readonly make: () => T) {}
}

/**
 * One operation of the engine (a preview, an update, a refresh, a destroy) on one tenant, as one provider host process
 * serves it: its client, and what its handlers must know of each other. Nothing of it outlives the process.
 */
export class Run {
  /** Host name of the tenant; undefined while settings name none, as previews allow. */
  readonly tenant: string | undefined;
  /** Other host names under which state may know the tenant. */
  readonly formerTenants: readonly string[];
  /** What every message of this run leaves through. */
  readonly border: Border;
  /** What the run takes away, and whether it may. */
  readonly revocations: Revocations;
  /** Why looking ahead was given up: a tenant that is silent once would keep each resource waiting. */
  lookAheadEnded: string | undefined;
  readonly #approved = new Map<string, string | undefined>();
  readonly #checked = new Map<string, RawInputs>();
  readonly #memories = new Map<RunMemory<unknown>, unknown>();
  #toldSettings = false;
  #client: IdentityClient | undefined;
  #cancelled: string | undefined;

  constructor(
    readonly settings: RawSettings,
    readonly source: SettingsSource,
  ) {
    this.tenant = tenantOf(settings);
    this.formerTenants = formerTenants(settings);
    this.border = makeBorder(settings);
    this.revocations = new Revocations(maxRevocations(settings), maxRevocationsSetting(source));
  }

  /** The one client of this run, made on first use; throws a `ConfigurationError`. */
  get client(): IdentityClient {
    if (this.#client === undefined) {
      this.#client = makeClient(this.settings, this.source, this.border);
      if (this.#cancelled !== undefined) this.#client.cancel(this.#cancelled);
    }
    return this.#client;
  }

  /** What was not sent is not sent any more; answers that are under way still come. `reason` ends a sentence. */
  cancel(reason: string): void {
    this.#cancelled ??= reason;
    this.#client?.cancel(this.#cancelled);
  }

  /** Sentences on settings that are wrong, in full once. Missing ones are fine in a preview: they are not among these. */
  wrongSettings(): string[] {
    const problems = wrongSettings(this.settings, this.source);
    if (problems.length === 0) return [];
    if (this.#toldSettings) return ["The settings of the connection are wrong: see the first message."];
    this.#toldSettings = true;
    return problems;
  }

  recall<T>(memory: RunMemory<T>): T {
    if (!this.#memories.has(memory)) this.#memories.set(memory, memory.make());
    return this.#memories.get(memory) as T;
  }

  /** Records inputs that `check` approved, so that a later `diff` with these is known to be about the program. */
  approve(kind: string, name: string | undefined, inputs: RawInputs): void {
    this.#approved.set(stableJson([kind, inputs]), name);
  }

  /**
   * Whether inputs come from the program. A refresh within a run calls `diff` with the inputs of the last update, which
   * say nothing of what the program wants now.
   */
  isApproved(kind: string, inputs: RawInputs): boolean {
    return this.#approved.has(stableJson([kind, inputs]));
  }

  /** Name in the program of the resource that has these inputs. */
  nameOf(kind: string, inputs: RawInputs): string | undefined {
    return this.#approved.get(stableJson([kind, inputs]));
  }

  /**
   * Records a `check`, and answers what is replaced by it: the engine checks a replacement twice, the second time as if it
   * were new.
   */
  checked(kind: string, name: string | undefined, before: RawInputs | undefined): RawInputs | undefined {
    const key = `${kind} ${name}`;
    if (before === undefined) return name === undefined ? undefined : this.#checked.get(key);
    this.#checked.set(key, before);
    return undefined;
  }
}
