import { setTimeout } from "node:timers/promises";
import { inspect, isDeepStrictEqual } from "node:util";
import type * as pulumi from "@pulumi/pulumi";
import { type z } from "zod";
import { type IdentityClient } from "../../http/client";
import { ConfigurationError, IdentityError, NotFoundError } from "../../http/errors";
import { redact } from "../../http/redact";
import { problemsOf, type RawInputs, SECRET_INPUTS_KEY } from "../input-problems";
import { clientFor } from "../clients";
import { beginDeployment, claim, isDeploying, isTaken, remember } from "./run";
import {
  EXPLICIT_PROVIDER_KEY,
  formerTenants,
  type RawSettings,
  readSettings,
  type SettingsSource,
  tenantOf,
} from "../settings";
import { holdsUnknown } from "../unknown";

/** What a resource kind's functions work with. */
export interface Context {
  client: IdentityClient;
  /** Shows a line to the person at the CLI. */
  tell: (text: string) => void;
}

/** A resource as state records it: its inputs as the tenant holds them, and all output properties. */
export interface Recorded<Inputs> {
  inputs: Inputs;
  outputs: Readonly<Record<string, unknown>>;
}

/** A resource as the tenant was seen to hold it; `outputs` are added to the inputs, and win over them. */
export interface Held<Inputs> {
  inputs: Inputs;
  outputs?: Record<string, unknown>;
}

/** The story of one resource kind, free of Pulumi's contract; `lifecycle` turns it into handlers. */
export interface ResourceKind<Inputs extends object> {
  /** `ConnectionProfile` */
  name: string;
  schema: z.ZodType<Inputs>;
  inputNames: readonly (keyof Inputs & string)[];
  /** Whether the change of one input needs a new resource; values may be unknown. */
  replaces(change: { name: string; id: string; before: RawInputs; after: RawInputs }): boolean;
  /** Brings raw inputs into the one form that is compared and stored; must leave unknown values in place. */
  canonical?(inputs: RawInputs): RawInputs;
  /** The inputs within recorded outputs. Default: the outputs of the same names. */
  inputsOf?(outputs: Readonly<Record<string, unknown>>): Inputs;
  /**
   * Keys of what the resource wants to be there, that another resource of the kind could have made before, or could
   * remove in the same run (see run.ts).
   */
  claims?(
    tenant: string,
    inputs: RawInputs,
    outputs: Readonly<Record<string, unknown>>,
    id: string,
  ): string[];
  /** What Pulumi's own display of a change does not say, as one line; values may be unknown. `before`: undefined for a create. */
  describe?(before: Inputs | undefined, after: RawInputs): string | undefined;
  /**
   * For the rare change whose effect only the tenant can tell: one read before it, also in previews. The answer is a
   * line to show; a `NotFoundError` is a problem of the inputs; any other failure is left to the change itself.
   * `before`: the inputs of the last update; empty for a create.
   */
  lookAhead?(
    context: () => Context,
    before: RawInputs,
    inputs: Inputs,
  ): Promise<string | undefined> | undefined;
  create(context: Context, inputs: Inputs): Promise<Held<Inputs> & { id: string }>;
  /**
   * The resource as the tenant holds it; undefined when it is gone, as does a `NotFoundError`. `recorded` is undefined
   * for `Kind.get(…)`, which knows only the id.
   */
  read(
    context: Context,
    id: string,
    recorded: Recorded<Inputs> | undefined,
  ): Promise<Held<Inputs> | undefined>;
  update(context: Context, id: string, recorded: Recorded<Inputs>, inputs: Inputs): Promise<Held<Inputs>>;
  delete(context: Context, id: string, recorded: Recorded<Inputs>): Promise<void>;
}

/** A create or update that was done in part: what is true is recorded, and the next `up` finishes the job. */
export class PartialFailure<Inputs> extends Error {
  constructor(
    readonly id: string,
    readonly held: Held<Inputs>,
    readonly reason: unknown,
  ) {
    super(messageOf(reason));
  }
}

/** The engine checks one resource after the other: a slow tenant must not hold up a preview. */
const LONGEST_LOOK_AHEAD_MS = 10_000;

/** Keys of Pulumi's and of this layer among the inputs; the rest is the resource's own. */
const PROVIDER_KEY = "__provider";
const OWN_KEYS = new Set([PROVIDER_KEY, SECRET_INPUTS_KEY, "tenant"]);

/** Handlers for the SDK's dynamic provider host. The only place that knows Pulumi's contract for them. */
export function lifecycle<Inputs extends object>(
  kind: ResourceKind<Inputs>,
): pulumi.dynamic.ResourceProvider {
  let config: pulumi.dynamic.Config | undefined;
  const source = (): SettingsSource => {
    const name = config?.get(EXPLICIT_PROVIDER_KEY);
    return name === undefined ? { kind: "stack" } : { kind: "provider", name };
  };
  const settings = (): RawSettings => {
    const environment = source().kind === "provider" ? {} : process.env;
    return readSettings((setting) => config?.get(`identity:${setting}`), environment);
  };
  const context = (): Context => ({ client: clientFor(settings(), source()), tell });

  /** Problems that only the tenant knows of; none when it can't be asked, for previews without network or credentials. */
  const lookAhead = async (before: RawInputs, inputs: Inputs): Promise<string[]> => {
    try {
      const answer = kind.lookAhead?.(context, before, inputs);
      const line = await Promise.race([answer, setTimeout(LONGEST_LOOK_AHEAD_MS, undefined, { ref: false })]);
      if (line !== undefined) tell(line);
      return [];
    } catch (error) {
      return error instanceof NotFoundError ? [error.message] : [];
    }
  };

  /** Refuses to work on a tenant other than the one that state records. */
  const guard = (state: RawInputs, current: string | undefined): void => {
    const recorded = state["tenant"];
    if (typeof recorded !== "string" || current === undefined || recorded === current) return;
    if (formerTenants(settings()).includes(recorded)) return;
    throw new ConfigurationError(
      `This ${kind.name} lives on the tenant ${recorded}, but the configuration names ${current}. Set identity:domain ` +
        `(IDENTITY_DOMAIN) back to ${recorded}; or, if ${current} is another name of the same tenant, set ` +
        `identity:formerDomains (IDENTITY_FORMER_DOMAINS) to ${recorded} and run pulumi refresh; or, to leave the ` +
        "resource behind and create it anew, remove it from the state with pulumi state delete.",
    );
  };

  const own = (raw: RawInputs): Inputs => pick(raw, kind.inputNames) as Inputs;

  const recorded = (state: RawInputs): Recorded<Inputs> => {
    const outputs = without(state, OWN_KEYS);
    return { inputs: kind.inputsOf?.(outputs) ?? own(outputs), outputs };
  };

  /** `marked`: where the names of secret inputs are kept; `read` is given nothing but the outputs. */
  const outs = (client: IdentityClient, held: Held<Inputs>, marked: RawInputs) =>
    plain({ ...held.inputs, ...held.outputs, ...secretMarks(marked), tenant: client.tenant });

  return {
    // Called without being awaited, and handlers run unconfigured after a rejection: it stores and never fails.
    configure(request) {
      config = request.config;
      return Promise.resolve();
    },

    check: handler(async (olds: RawInputs, news: RawInputs) => {
      beginDeployment();
      const given = without(news, OWN_KEYS);
      const inputs = kind.canonical?.(given) ?? given;
      const secretInputs = secretInputsOf(news);
      const problems = problemsOf(kind.schema, inputs, secretInputs);
      const before = without(olds, OWN_KEYS);
      if (problems.length === 0) {
        const isCreate = Object.keys(before).length === 0;
        const line = isCreate ? kind.describe?.(undefined, inputs) : undefined;
        if (line !== undefined) tell(redact(line, secretValues(news)));
        if (!holdsUnknown(inputs)) problems.push(...(await lookAhead(before, inputs as Inputs)));
      }
      return {
        inputs: { ...inputs, ...secretMarks(news) },
        // A property name would make the engine print the value, secret or not.
        failures: problems.map((reason) => ({ property: "", reason })),
      };
    }),

    diff: handler((id: string, state: RawInputs, news: RawInputs) => {
      const tenant = tenantOf(settings());
      guard(state, tenant);
      const { inputs: before, outputs } = recorded(state);
      const after = own(news) as RawInputs;
      const changed = kind.inputNames.filter(
        (name) => holdsUnknown(after[name]) || !isDeepStrictEqual(before[name], after[name]),
      );
      const replaces = changed.filter((name) =>
        kind.replaces({ name, id, before: before as RawInputs, after }),
      );
      const wants = isDeploying() && replaces.length === 0 && tenant !== undefined;
      const claims = wants ? (kind.claims?.(tenant, after, outputs, id) ?? []) : [];
      claim(...claims);
      remember(kind.name, id);
      if (changed.length === 0) {
        // Nothing that the inputs show, but this run has taken away what the resource owns.
        return Promise.resolve<pulumi.dynamic.DiffResult>({ changes: claims.some(isTaken) });
      }
      const line = kind.describe?.(before, after);
      if (line !== undefined) tell(redact(line, secretValues(news)));
      // With `changes` left out the engine compares the inputs itself, and so shows each changed property.
      return Promise.resolve({ replaces });
    }),

    create: handler(async (news: RawInputs) => {
      const ctx = context();
      const inputs = own(news);
      try {
        const result = await kind.create(ctx, inputs);
        return { id: result.id, outs: outs(ctx.client, result, news) };
      } catch (error) {
        throw failed(error, ctx, news);
      }
    }),

    read: handler(async (id: string, props: RawInputs = {}) => {
      if (id.trim() === "")
        throw new IdentityError(`${kind.name}.get needs the id of an existing resource; it is empty.`);
      const state = without(props, new Set([PROVIDER_KEY]));
      // State of a resource that this package made always has the tenant; `get` brings nothing but the id.
      const managed = state["tenant"] !== undefined;
      const ctx = context();
      guard(state, ctx.client.tenant);
      const found = await unlessGone(() => kind.read(ctx, id, managed ? recorded(state) : undefined));
      if (found === undefined) {
        if (managed) return {};
        throw new IdentityError(
          `${kind.name} ${JSON.stringify(id)} does not exist on the tenant ${ctx.client.tenant}. Check the id given to ${kind.name}.get.`,
        );
      }
      return {
        id,
        props: outs(ctx.client, found, state),
        inputs: plain({ ...found.inputs, ...secretMarks(state) }),
      };
    }),

    update: handler(async (id: string, state: RawInputs, news: RawInputs) => {
      const ctx = context();
      guard(state, ctx.client.tenant);
      try {
        const held = await kind.update(ctx, id, recorded(state), own(news));
        return { outs: outs(ctx.client, held, news) };
      } catch (error) {
        throw failed(error, ctx, news);
      }
    }),

    delete: handler(async (id: string, state: RawInputs) => {
      const ctx = context();
      guard(state, ctx.client.tenant);
      await unlessGone(() => kind.delete(ctx, id, recorded(state)));
    }),
  };

  /** What the engine is told of a failed create or update. */
  function failed(error: unknown, { client }: Context, news: RawInputs): Error {
    const cause = error instanceof PartialFailure ? error.reason : error;
    let message = redact(messageOf(cause), secretValues(news));
    if (cause instanceof NotFoundError) {
      message += ` The ${kind.name} refers to something that is not on the tenant ${client.tenant} (any more): check the ids, or run pulumi refresh.`;
    }
    if (!(error instanceof PartialFailure)) return new HandlerError(message);
    const properties = {
      ...outs(client, error.held as Held<Inputs>, news),
      [PROVIDER_KEY]: news[PROVIDER_KEY],
    };
    return new HandlerError(message, { id: error.id, properties, reasons: [message] });
  }
}

/** The CLI shows what the host prints. */
function tell(text: string): void {
  console.log(text);
}

/** 404 means gone: decided here for `read` and `delete` of every kind. */
async function unlessGone<T>(run: () => Promise<T>): Promise<T | undefined> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}

/** A handler that throws anything but an `Error` makes the engine wait for ever. */
function handler<Args extends unknown[], Result>(run: (...args: Args) => Promise<Result>) {
  return async (...args: Args): Promise<Result> => {
    try {
      return await run(...args);
    } catch (error) {
      throw error instanceof HandlerError ? error : new HandlerError(messageOf(error));
    }
  };
}

/**
 * What the engine is told. It shows the message at the resource; the host besides prints the error and its stack, which
 * would tell the same once more without saying of which resource.
 */
class HandlerError extends IdentityError {
  override stack = "see the error of the resource.";

  constructor(
    message: string,
    /** Of a resource that was made or changed in part; the SDK looks for these by name. */
    partial?: { id: string; properties: object; reasons: string[] },
  ) {
    super(message);
    Object.assign(this, partial);
  }

  override toString(): string {
    return "An operation failed";
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error && error.message !== ""
    ? error.message
    : `Unexpected failure: ${inspect(error)}`;
}

function pick(values: RawInputs, keys: readonly string[]): RawInputs {
  return Object.fromEntries(keys.filter((key) => key in values).map((key) => [key, values[key]]));
}

function without(values: RawInputs, keys: ReadonlySet<string>): RawInputs {
  return Object.fromEntries(Object.entries(values).filter(([key]) => !keys.has(key)));
}

/** The engine can't take `undefined`, dates and the like, and says so only after the service has acted. */
function plain<T extends object>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

function secretInputsOf(news: RawInputs): string[] {
  const names = news[SECRET_INPUTS_KEY];
  return Array.isArray(names) ? names.map(String) : [];
}

function secretMarks(values: RawInputs): RawInputs {
  const names = secretInputsOf(values);
  return names.length === 0 ? {} : { [SECRET_INPUTS_KEY]: names };
}

function secretValues(news: RawInputs): string[] {
  const strings = (value: unknown): string[] => {
    if (typeof value === "string") return [value];
    return typeof value === "object" && value !== null ? Object.values(value).flatMap(strings) : [];
  };
  return secretInputsOf(news).flatMap((name) => strings(news[name]));
}
