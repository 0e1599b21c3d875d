import { isDeepStrictEqual } from "node:util";
import type * as pulumi from "@pulumi/pulumi";
import { IdentityError, NotFoundError, NotReviewedError } from "../../http/errors";
import {
  GIVEN_SETS,
  ignoredIn,
  keptMarks,
  PROVIDER_TEXT,
  QUALIFIED_NAME,
  qualifiedName,
  READ_ONLY,
  registered,
  secretNames,
  secretTexts,
} from "../hidden-inputs";
import { type Actor } from "../../review/permits";
import { problemsOf } from "../input-problems";
import {
  holdsUnknown,
  type RawInputs,
  recordable,
  sortedSet,
  unrecordable,
  withoutNulls,
} from "../../review/raw-inputs";
import {
  type Context,
  PartialFailure,
  type PlannedChange,
  type PlannedEffects,
  type ResourceKind,
} from "../resource-kind";
import { type CheckedResource, type Run } from "../run";
import { indexProblem, mixtureProblem, replacedSets } from "../sets";
import { ById, checkId, unlessGone } from "./by-id";
import { type Door, dynamicDoor, type HostConfig } from "./door";
import { HandlerError, messageOf } from "./handler-error";
import { runOf } from "./run-of-host";
import { lookAhead } from "./look-ahead";
import { notShownYet, SIGHTINGS } from "./sightings";
import { guardTenant, StateFormat, withoutHidden, writtenNow } from "./state";

export interface Handlers extends Required<Omit<pulumi.dynamic.ResourceProvider, "configure">> {
  configure: (request: { config: HostConfig }) => Promise<void>;
  /** Reads a resource that state doesn't have yet, to manage it from now on or only to read it. */
  import: (id: string) => Promise<pulumi.dynamic.ReadResult>;
  /** The same for a program that asks whether there is one: without an id if there isn't. */
  exists: (id: string) => Promise<pulumi.dynamic.ReadResult>;
}

/** Returns the handlers of a kind: the only place that knows Pulumi's contract for them. */
export function handlersOf<Inputs extends object>(
  kind: ResourceKind<Inputs>,
  door: Door = dynamicDoor(),
): Handlers {
  const methods = new Lifecycle(kind, door);
  // The SDK calls these without `this`. They must throw an Error, or the engine waits forever.
  const guarded =
    <Args extends unknown[], Result>(handler: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      try {
        return await handler(...args);
      } catch (error) {
        throw methods.leaving(error, args.at(-1) as RawInputs | undefined);
      }
    };
  return {
    // The SDK doesn't await `configure`, and after a rejection handlers would run unconfigured. So it stores
    // the config and never fails.
    configure: ({ config }) => {
      methods.configure(config);
      return Promise.resolve();
    },
    check: guarded((olds: RawInputs, news: RawInputs) => methods.check(olds, news)),
    diff: guarded((id: string, olds: RawInputs, news: RawInputs) => methods.diff(id, olds, news)),
    create: guarded((news: RawInputs) => methods.create(news)),
    read: guarded((id: string, props: RawInputs = {}) => methods.read(id, props)),
    import: (id: string) => guarded((given: string, _: RawInputs) => methods.import(given))(id, {}),
    exists: (id: string) => guarded((given: string, _: RawInputs) => methods.exists(given))(id, {}),
    update: guarded((id: string, olds: RawInputs, news: RawInputs) => methods.update(id, olds, news)),
    delete: guarded((id: string, props: RawInputs) => methods.delete(id, props)),
  };
}

class Lifecycle<Inputs extends object> {
  readonly #kind: ResourceKind<Inputs>;
  readonly #format: StateFormat<Inputs>;
  #config: HostConfig | undefined;
  #run: Run | undefined;

  constructor(
    kind: ResourceKind<Inputs>,
    private readonly door: Door,
  ) {
    this.#kind = kind;
    this.#format = new StateFormat(kind);
  }

  configure(config: HostConfig): void {
    this.#config = config;
    this.#run = undefined;
  }

  async check(olds: RawInputs, raw: RawInputs): Promise<pulumi.dynamic.CheckResult> {
    const kind = this.#kind;
    const { run } = this;
    const before = this.#format.before(recordable(olds));
    const news = recordable(raw);
    let inputs = withoutNulls(withoutHidden(news));
    const replaced = replacedSets(kind.sets ?? [], news[GIVEN_SETS], { inputs, before });
    const problems = [
      ...run.wrongSettings(),
      ...run.held.problems(registered(news)?.stack),
      ...unrecordable(raw).map(([name, rule]) => `${name}: ${rule}.`),
      ...problemsOf(kind.schema, inputs, secretNames(news)),
      ...replaced.filter(({ isMixture }) => isMixture).map(({ place }) => mixtureProblem(place)),
    ];
    run.tellDomain();
    run.tellUnconfigured();
    if (problems.length === 0) {
      const resource = run.checked(kind.name, news, before);
      const checked = kind.check?.(run, { resource, before, inputs, raw: news, replacedSets: replaced });
      inputs = checked?.inputs ?? inputs;
      problems.push(...(checked?.problems ?? []));
      resource.inputs = inputs;
      // `diff` reports changes, because it gets what state records. Replacements are reported here: the
      // engine puts none of the old inputs in their place, so theirs may be different.
      if (before === undefined) problems.push(...(await this.#tellCreate(resource, inputs, news)));
    }
    const secrets = secretTexts(news);
    return {
      inputs: { ...inputs, ...keptMarks({ ...news, ...this.#nameMark(news) }) },
      // With a property name, the engine would print the value, secret or not.
      failures: problems.map((problem) => ({ property: "", reason: run.border.clean(problem, secrets) })),
    };
  }

  async diff(id: string, olds: RawInputs, news: RawInputs): Promise<pulumi.dynamic.DiffResult> {
    const kind = this.#kind;
    const { run } = this;
    guardTenant(kind.name, this.#format.tenantOf(olds), run);
    run.knownIds(kind.name).add(id);
    const prior = this.#format.prior(recordable(olds));
    const before = prior.inputs as RawInputs;
    const after = this.#format.inputs(news);
    const consequences = this.#format.inputNames
      .filter((name) => holdsUnknown(after[name]) || !isDeepStrictEqual(before[name], after[name]))
      .map((name) => [name, kind.consequence?.({ name, id, before, after }) ?? "update"] as const)
      .filter(([, consequence]) => consequence !== "nothing");
    const changed = consequences.map(([name]) => name);
    const replaces = consequences
      .filter(([, consequence]) => consequence === "replace")
      .map(([name]) => name);
    const resource = this.#checked(news, after);
    // Without a resource this is a refresh within a run, and the program may want something else by now.
    if (resource === undefined) return changed.length > 0 ? { replaces } : { changes: false };
    const index = indexProblem(kind.sets ?? [], ignoredIn(news));
    if (index !== undefined) throw new IdentityError(index);
    if (replaces.length > 0) {
      resource.replaced = { id, outputs: olds };
      return { replaces };
    }
    const change = { id, prior, inputs: after, isReplaced: false, resource };
    const effects = this.#effects(change);
    const secrets = [...secretTexts(recordable(olds)), ...secretTexts(news)];
    const [problem] = await this.#tell(resource, change, { news, secrets }, effects);
    if (problem !== undefined) throw new IdentityError(problem);
    const hadEffects = effects.lines.length > 0;
    // Without `changes` the engine compares the inputs itself, and so shows each changed property.
    const isAlways = consequences.every(([, consequence]) => consequence === "always");
    if (changed.length > 0) return isAlways ? { changes: true } : { replaces };
    // State from the plugin lacks the text by which the SDK's host finds the code.
    if (PROVIDER_TEXT in news && !(PROVIDER_TEXT in olds)) return { changes: true };
    // Refresh and delete know the secrets from outputs alone, and only an update writes those.
    const isUpdated = hadEffects || !isDeepStrictEqual(this.#secretInputs(olds), this.#secretInputs(news));
    return { changes: isUpdated };
  }

  async create(news: RawInputs): Promise<pulumi.dynamic.CreateResult> {
    const { tenant } = this.run.client;
    try {
      const inputs = this.#format.inputs(news);
      const resource = this.#checked(news, inputs);
      const change = { resource, id: undefined, prior: undefined, inputs, isReplaced: false };
      const observed = await this.#ifReviewed({ name: resource?.name }, change, () =>
        this.#kind.create(this.#context(news, resource?.name), inputs),
      );
      return { id: observed.id, outs: this.#format.outputs(tenant, observed, writtenNow(news)) };
    } catch (error) {
      throw this.#failed(error, tenant, news);
    }
  }

  import(id: string): Promise<pulumi.dynamic.ReadResult> {
    return new ById(this.#kind, this.#format, this.#context({})).import(id);
  }

  exists(id: string): Promise<pulumi.dynamic.ReadResult> {
    return new ById(this.#kind, this.#format, this.#context({})).exists(id);
  }

  async read(id: string, props: RawInputs): Promise<pulumi.dynamic.ReadResult> {
    const kind = this.#kind;
    if (id.trim() === "") {
      throw new IdentityError(`${kind.name}.get needs the id of an existing resource; it is empty.`);
    }
    // State written by this package always has the tenant; `get` provides only the id.
    const isKnown = this.#format.tenantOf(props) !== undefined;
    if (!isKnown) checkId(kind, id, `${kind.name}.get`);
    const isManaged = isKnown && props[READ_ONLY] !== true;
    const { tenant } = this.run.client;
    guardTenant(kind.name, this.#format.tenantOf(props), this.run);
    const context = this.#context(props);
    const prior = isManaged ? this.#format.prior(props) : undefined;
    const read = async () => {
      const seen = await unlessGone(() => kind.read(context, id, prior));
      return seen ?? (prior?.isJustWritten === true ? notShownYet(kind.name, id, prior, context) : undefined);
    };
    const observed = await (isKnown ? this.run.recall(SIGHTINGS).during(tenant, read) : read());
    if (observed === undefined && isKnown) return {};
    if (observed === undefined) {
      throw new IdentityError(
        `${kind.name} ${JSON.stringify(id)} does not exist on the tenant ${tenant}. Check the id given to ${kind.name}.get.`,
      );
    }
    return {
      id,
      props: { ...this.#format.outputs(tenant, observed, props), ...(!isManaged && { [READ_ONLY]: true }) },
      inputs: this.#format.observedInputs(observed, props),
    };
  }

  async update(id: string, olds: RawInputs, news: RawInputs): Promise<pulumi.dynamic.UpdateResult> {
    const { tenant } = this.run.client;
    guardTenant(this.#kind.name, this.#format.tenantOf(olds), this.run);
    try {
      const prior = this.#format.prior(olds);
      // The id may have come from an input that was a secret back then.
      this.run.client.keepSecret(secretTexts(olds));
      const inputs = this.#format.inputs(news);
      const resource = this.#checked(news, inputs);
      const change = { resource, id, prior, inputs, isReplaced: false };
      const observed = await this.#ifReviewed({ name: resource?.name, id }, change, () =>
        this.#kind.update(this.#context(news, resource?.name), id, prior, inputs),
      );
      return { outs: this.#format.outputs(tenant, observed, writtenNow(news)) };
    } catch (error) {
      throw this.#failed(error, tenant, news);
    }
  }

  async delete(id: string, props: RawInputs): Promise<void> {
    this.run.refuseMisspeltVariables();
    guardTenant(this.#kind.name, this.#format.tenantOf(props), this.run);
    const context = this.#context(props);
    const prior = this.#format.prior(props);
    // A review shows everything in state except secrets, so only those can leave something open.
    const actor = secretNames(props).length > 0 ? { id } : {};
    await unlessGone(() => this.#ifReviewed(actor, undefined, () => this.#kind.delete(context, id, prior)));
  }

  /** Cleans an error for leaving the process; `raw` names the secrets in it. */
  leaving(error: unknown, raw: RawInputs = {}): HandlerError {
    if (error instanceof HandlerError) return error;
    return new HandlerError(this.run.border.clean(messageOf(error), secretTexts(recordable(raw))));
  }

  get run(): Run {
    this.#run ??= runOf(this.#config, this.door);
    return this.#run;
  }

  #context(raw: RawInputs, name?: string): Context {
    const { run } = this;
    const secrets = secretTexts(raw);
    run.client.keepSecret(secrets);
    return {
      client: run.client,
      run,
      secretInputs: secretNames(raw),
      tell: (line) => run.border.print(line, secrets),
      // Messages of other resources name it, but don't know its secrets.
      requestRevocation: (by, losses) => {
        run.revocations.request(name ?? run.border.clean(by, secrets), losses);
        if (losses.length > 0) run.tellRestraints();
      },
    };
  }

  /** Options make outputs secret too, but a program doesn't send those. */
  #secretInputs(raw: RawInputs): string[] {
    return secretNames(raw)
      .filter((name) => this.#format.inputNames.includes(name))
      .sort();
  }

  #tellCreate(resource: CheckedResource, inputs: RawInputs, news: RawInputs): Promise<string[]> {
    // If options ask for the replacement, `diff` isn't called: only the inputs of the last update are known.
    const { id, outputs = resource.before } = resource.replaced ?? {};
    const prior = outputs && this.#format.prior(recordable(outputs));
    const secrets = [...secretTexts(outputs ?? {}), ...secretTexts(news)];
    const change = { resource, id, prior, inputs, isReplaced: prior !== undefined };
    return this.#tell(resource, change, { news, secrets });
  }

  /** Runs an operation. If the run is held to a review that lacks any part of it, refuses the whole. */
  async #ifReviewed<T>(
    actor: Actor,
    change: PlannedChange<Inputs> | undefined,
    operation: () => Promise<T>,
  ): Promise<T> {
    const { held } = this.run;
    if (!held.isOn) return operation();
    const writes = change === undefined ? [] : (this.#effects(change).writes ?? []);
    const [problem] = held.problemsOf(actor, writes);
    if (problem !== undefined) throw new NotReviewedError(problem);
    return held.during(actor, operation);
  }

  /** Left for the calls that get nothing but inputs. */
  #nameMark(news: RawInputs): RawInputs {
    const name = this.door.namesResources ? undefined : qualifiedName(news);
    return name === undefined ? {} : { [QUALIFIED_NAME]: name };
  }

  /** Returns the resource of a later call, if this run has checked it; throws if its inputs have changed. */
  #checked(raw: RawInputs, inputs: RawInputs): CheckedResource | undefined {
    const { name, reliedOn = [] } = this.#kind;
    const resource = this.run.resource(name, raw);
    if (resource === undefined) return undefined;
    const now = recordable(inputs);
    const changed = reliedOn.filter((input) => !isAlike(resource.inputs[input], now[input]));
    if (changed.length === 0) return resource;
    // The engine compares dependents of a replaced resource with what is not known yet.
    if (changed.some((input) => holdsUnknown(now[input]))) return undefined;
    throw new IdentityError(changedSinceCheck(resource.name ?? name, changed), "not sent");
  }

  #effects(change: PlannedChange<Inputs>): PlannedEffects {
    return this.#kind.effects?.(this.run, change) ?? { lines: [], losses: [] };
  }

  /** Prints what a change does, once, and returns the reasons against it. */
  async #tell(
    resource: CheckedResource,
    change: PlannedChange<Inputs>,
    { news, secrets }: { news: RawInputs; secrets: readonly string[] },
    effects = this.#effects(change),
  ): Promise<string[]> {
    // The engine also checks the create of a replacement.
    if (resource.isTold) return [];
    resource.isTold = true;
    const { revocations } = this.run;
    const all = await lookAhead(effects, this.run, () => this.#context(news));
    for (const line of [...all.lines, ...(all.notices ?? [])]) this.#print(line, resource.name, secrets);
    const excess = revocations.plan(resource.name ?? this.#kind.name, all.losses);
    return [
      ...(all.problems ?? []),
      ...this.#notReviewed(resource, change, all.writes),
      ...(excess === undefined ? [] : [capitalized(excess)]),
    ];
  }

  #notReviewed(
    { name }: CheckedResource,
    { id, prior, isReplaced }: PlannedChange<Inputs>,
    writes: PlannedEffects["writes"] = [],
  ): string[] {
    const { held } = this.run;
    // If options turn this update into a replacement, only its operations know what they write.
    const mayBeReplaced = prior !== undefined && !isReplaced && held.hasReplacements;
    return mayBeReplaced ? [] : held.problemsOf({ name, id }, writes);
  }

  /** The engine shows a handler's lines without the resource's name. */
  #print(line: string, name: string | undefined, secrets: readonly string[]): void {
    this.run.border.print(name === undefined ? line : `${name}: ${line}`, secrets);
  }

  #failed(error: unknown, tenant: string, news: RawInputs): Error {
    const cause = error instanceof PartialFailure ? error.cause : error;
    const advice =
      cause instanceof NotFoundError
        ? ` The ${this.#kind.name} refers to something that is not on the tenant ${tenant} (any more): check the ids.`
        : "";
    const message = this.run.border.clean(messageOf(cause) + advice, secretTexts(news));
    if (!(error instanceof PartialFailure)) return new HandlerError(message);
    const { id, observed } = error as PartialFailure<Inputs>;
    const properties = this.#format.partialOutputs(tenant, observed, writtenNow(news));
    return new HandlerError(message, { id, properties, reasons: [message] });
  }
}

/** Other resources of the run have relied on what `check` got. */
function changedSinceCheck(resource: string, inputs: readonly string[]): string {
  return (
    `Nothing was sent: after the provider had checked ${resource}, something changed its ${inputs.join(" and ")}, as a policy ` +
    "pack's remediation does. Write the change into the program, or make the policy mandatory."
  );
}

/** Order means nothing in a list that others rely on. */
function isAlike(one: unknown, other: unknown): boolean {
  const [a, b] = [one, other].map((value) => (Array.isArray(value) ? sortedSet(value) : value));
  return isDeepStrictEqual(a, b);
}

function capitalized(sentence: string): string {
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}
