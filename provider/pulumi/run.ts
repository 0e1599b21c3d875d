import { type Border, type Clean } from "../border";
import { type Guard, type IdentityClient } from "../http/client";
import { IdentityError } from "../http/errors";
import { type KindName } from "../kinds";
import { makeBorder, makeClient } from "./clients";
import { foundNamesIn, qualifiedName, registered } from "./hidden-inputs";
import { ReviewGuard } from "../review/guard";
import { domainLine } from "../review/facts";
import { type RawInputs } from "../review/raw-inputs";
import { type HostsFile } from "./hosts-file";
import { type ResourceName, Ledger } from "./ledger";
import { Revocations } from "./revocations";
import {
  credentialOf,
  FOR_REVIEW,
  formerTenants,
  maxRevocationsSetting,
  requiredReview,
  restraintsText,
  settingProblems,
  settingValue,
  type RawSettings,
  type SettingsSource,
  tenantOf,
  type TodaysSettings,
  withToday,
} from "./settings";
import { type UnknownSetting } from "./settings-table";

/**
 * A run's memory for one kind of resource: created when `run.recall` first asks for it, and gone with the
 * run. A module has one as a constant: `const ROLES = new RunMemory(() => new Map<string, RoleInRun>())`.
 */
export class RunMemory<T> {
  constructor(readonly make: (run: Run) => T) {}
}

const SEE_FIRST = "The settings of the connection are missing or wrong: see the first message.";

export interface RunOptions {
  /** Host name in the stack's configuration; the environment may override it. */
  configured?: string | undefined;
  file?: HostsFile | undefined;
  /** True if a refresh or destroy also gets today's settings. */
  isCurrent?: boolean;
  /** Looks for today's restraints where a run without the program has those of the last `up`. */
  today?: (stack: string | undefined) => TodaysSettings;
  /** Shows a line. Default: prints it. */
  write?: (line: Clean) => void;
  /** Misspelt settings: keys of the stack's configuration, and environment variables. */
  unknown?: {
    keys: readonly UnknownSetting[];
    variables: readonly UnknownSetting[];
    /** Of today's configuration, where a run without the program has the last `up`'s beside it. */
    todays?: readonly UnknownSetting[];
  };
}

/**
 * One operation of the engine (a preview, an update, a refresh, a destroy) on one tenant, in one provider
 * host process: its client, and the memory its handlers share. Nothing outlives the process, except the file
 * for the other hosts of the run.
 */
export class Run {
  /** Host name; undefined if no setting names one, as previews allow. */
  readonly tenant: string | undefined;
  readonly formerTenants: readonly string[];
  readonly border: Border;
  readonly revocations: Revocations;
  readonly ledger: Ledger;
  /** The stack's name, as the program or state tells it. */
  stack: string | undefined;
  /** True if state has a resource of this tenant, so the host was the tenant's when it was recorded. */
  isKnownTenant = false;
  /** The reason why looking ahead was given up: a silent tenant would keep each resource waiting. */
  lookAheadEnded: string | undefined;
  readonly #checked = new Map<string, CheckedResource>();
  readonly #knownIds = new Map<KindName, Set<string>>();
  readonly #memories = new Map<RunMemory<unknown>, unknown>();
  #wrongSettings: string[] | undefined;
  #hasChecked = false;
  #toldSettings = false;
  #toldDomain = false;
  #toldRestraints = false;
  #toldUnconfigured = false;
  /** Each of the run's operations fails with one of its own. */
  readonly #unusableSettings = new WeakSet<Error>();
  #settings: RawSettings;
  #guard: ReviewGuard;
  /** Today's restraints, and the stack that they were looked for by. */
  #today: (TodaysSettings & { stack: string | undefined }) | undefined;
  #client: IdentityClient | undefined;
  #cancelled: string | undefined;

  constructor(
    settings: RawSettings,
    readonly source: SettingsSource,
    private readonly options: RunOptions = {},
  ) {
    this.#settings = settings;
    this.tenant = tenantOf(settings);
    this.formerTenants = formerTenants(settings);
    this.ledger = new Ledger(
      this.tenant === undefined ? [] : [this.tenant, ...this.formerTenants],
      options.file,
    );
    this.border = makeBorder(settings, options.write);
    this.#guard = this.#reviewGuard();
    this.revocations = new Revocations(
      () => settingValue("maxRevocations", this.settings),
      maxRevocationsSetting(source),
    );
  }

  get settings(): RawSettings {
    return this.#settings;
  }

  get guard(): ReviewGuard {
    return this.#guard;
  }

  #reviewGuard(): ReviewGuard {
    const { isRequired, digest } = requiredReview(this.settings);
    const { reviewFile } = this.settings;
    // A new review may show more than the former one allows. It sends nothing, so it needs no permission.
    const isForReview = process.env[FOR_REVIEW] !== undefined;
    return new ReviewGuard({
      file: isForReview ? undefined : reviewFile?.trim(),
      required: isRequired || (isForReview && reviewFile !== undefined),
      digest,
      tenant: this.tenant,
      isDefault: this.source.from === "stack",
    });
  }

  /** The one client of this run, created on first use; throws a `ConfigurationError`. */
  get client(): IdentityClient {
    return (this.#client ??= this.#newClient());
  }

  #newClient(): IdentityClient {
    const guard: Guard = (call, send) => (this.guard.isOn ? this.guard.send(call, send) : send());
    try {
      const client = makeClient(this.settings, this.source, this.border, {
        guard,
        mayBeOld: () => this.#mayBeOld,
      });
      if (this.#cancelled !== undefined) client.cancel(this.#cancelled);
      return client;
    } catch (error) {
      this.#unusableSettings.add(error as Error);
      throw error;
    }
  }

  /** Only a run of the program provides its settings, and then the engine checks what it registers. */
  get #mayBeOld(): boolean {
    return this.options.isCurrent !== true && !this.#hasChecked;
  }

  /** Restrains a run without the program by today's settings. Call it before each operation that writes. */
  restrain(): void {
    const { stack, settings: before } = this;
    const { today } = this.options;
    const isDone = this.#today !== undefined && this.#today.stack === stack;
    if (today === undefined || !this.#mayBeOld || isDone) return;
    this.#today = { ...today(stack), stack };
    this.#settings = withToday(before, this.#today, process.env);
    const isOfReview = (["reviewFile", "requireReview", "reviewDigest"] as const).some(
      (name) => this.settings[name] !== before[name],
    );
    if (isOfReview) this.#guard = this.#reviewGuard();
  }

  /** Prints once what restrains a run that may not see today's settings. Call it before a revocation. */
  tellRestraints(): void {
    const isKnown = this.#today !== undefined && this.#today.unknown === undefined;
    if (this.#toldRestraints || !this.#mayBeOld || isKnown) return;
    this.#toldRestraints = true;
    this.border.print(restraintsText(this.settings, this.source, this.#today?.unknown));
  }

  /** The start of this host; `check` compares end dates with it. */
  readonly moment = Date.now();

  /** Sends nothing more; answers on their way still arrive. `reason` ends a sentence. */
  cancel(reason: string): void {
    this.#cancelled ??= reason;
    this.#client?.cancel(this.#cancelled);
  }

  /** Prints once if the tenant isn't the one that reviewers see in the stack's configuration. */
  tellDomain(): void {
    const { tenant } = this;
    const { configured } = this.options;
    if (this.#toldDomain || tenant === undefined || configured === undefined || configured === tenant) return;
    this.#toldDomain = true;
    this.border.print(domainLine(tenant, configured));
  }

  /** A preview works without any settings, so it announces what the first `up` will need. */
  tellUnconfigured(): void {
    const { domain, clientId } = this.settings;
    const isAny = domain !== undefined || clientId !== undefined || credentialOf(this.settings) !== undefined;
    if (this.#toldUnconfigured || isAny || this.source.from !== "stack") return;
    this.#toldUnconfigured = true;
    this.border.print(
      "No tenant is configured. `pulumi up` will need identity:domain, identity:clientId and identity:clientSecret: `npx --no pulumi-identity doctor` says how to set them.",
    );
  }

  /** Returns sentences on wrong settings, in full only once. Missing ones are fine in a preview. */
  wrongSettings(): string[] {
    // Only once, because a private key takes long to parse.
    const problems = (this.#wrongSettings ??= this.#settingProblems());
    if (problems.length === 0) return [];
    if (this.#toldSettings) return [SEE_FIRST];
    this.#toldSettings = true;
    return [...problems];
  }

  /** Returns the message of an error that leaves: which settings are missing in full only once. */
  settingsOnce(error: unknown, message: string): string {
    if (!(error instanceof Error && this.#unusableSettings.has(error))) return message;
    const isFirst = !this.#toldSettings;
    this.#toldSettings = true;
    return isFirst ? message : SEE_FIRST;
  }

  #settingProblems(): string[] {
    const { keys = [], variables = [] } = this.options.unknown ?? {};
    const { wrong } = settingProblems(this.settings, this.source);
    return [...[...keys, ...variables].map(sentencesOf), ...wrong.map(({ says }) => says)];
  }

  /**
   * Throws if a setting is misspelt: it may be the limit on revocations, and deletes have no `check`. Call it
   * after `restrain`: of the stack's keys only today's count, and a destroy gets those of the last `up`.
   */
  refuseMisspelt(): void {
    const { variables = [], todays = [] } = this.options.unknown ?? {};
    const wrong = [...variables, ...todays, ...(this.#today?.misspelt ?? [])];
    if (wrong.length === 0) return;
    throw new IdentityError(`Nothing was deleted. ${wrong.map(sentencesOf).join(" ")}`, "not sent");
  }

  recall<T>(memory: RunMemory<T>): T {
    if (!this.#memories.has(memory)) this.#memories.set(memory, memory.make(this));
    return this.#memories.get(memory) as T;
  }

  /** By id: the names by which a program in another language has found objects. Only for lines. */
  readonly foundNames = new Map<string, string>();

  /** Ids of the resources of one kind in state, as far as the engine has come. */
  knownIds(kind: KindName): Set<string> {
    const ids = this.#knownIds.get(kind) ?? new Set();
    this.#knownIds.set(kind, ids);
    return ids;
  }

  /**
   * Records that the engine checks a resource, and returns it with what it replaces. The engine checks a
   * replacement twice, the second time as if it were new.
   */
  checked(kind: KindName, news: RawInputs, before: RawInputs | undefined): CheckedResource {
    this.#hasChecked = true;
    this.stack = registered(news)?.stack.replace(/^.*\//, "") ?? this.stack;
    const key = keyOf(kind, news);
    const last = key === undefined ? undefined : this.#checked.get(key);
    const given = foundNamesIn(news);
    const isSecond = before === undefined && last?.before !== undefined;
    const fresh = {
      key,
      name: registered(news)?.name,
      before,
      inputs: {},
      names: given.size > 0 ? given : this.foundNames,
      isTold: false,
    };
    const resource = isSecond ? last : fresh;
    if (key !== undefined) this.#checked.set(key, resource);
    return resource;
  }

  /** All resources of a kind that the run has checked so far. */
  resources(kind: KindName): CheckedResource[] {
    return [...this.#checked].filter(([key]) => key.startsWith(`${kind} `)).map(([, resource]) => resource);
  }

  /** Returns the resource with this name, if the run has checked it; `inputs`: those of a later call. */
  resource(kind: KindName, inputs: RawInputs): CheckedResource | undefined {
    return this.#checked.get(keyOf(kind, inputs) ?? "");
  }
}

function keyOf(kind: KindName, inputs: RawInputs): string | undefined {
  const name = qualifiedName(inputs);
  return name === undefined ? undefined : `${kind} ${name}`;
}

function sentencesOf({ says, advice }: UnknownSetting): string {
  return `${says} ${advice}`;
}

export interface CheckedResource extends ResourceName {
  /** The inputs of the last update; undefined for a create. */
  before: RawInputs | undefined;
  /** The inputs that the last check returned. */
  inputs: RawInputs;
  /** By id: the names for its lines. */
  names: ReadonlyMap<string, string>;
  /** True once its effects were printed. */
  isTold: boolean;
  /** Set if `diff` asked for a replacement: the inputs that count are those of the second check. */
  replaced?: { id: string; outputs: RawInputs };
}
