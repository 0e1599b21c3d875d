import { isDeepStrictEqual } from "node:util";
import type * as pulumi from "@pulumi/pulumi";
import { z } from "zod";
import { type IdentityClient } from "../../http/client";
import {
  ApiError,
  IdentityError,
  InsufficientScopeError,
  mayHaveReached,
  NotFoundError,
} from "../../http/errors";
import { isPathId, PATH_ID_RULE } from "../../http/ids";
import { createConnectionProfile } from "./create-once";
import {
  type ConnectionProfileBody,
  type ConnectionProfileRecord,
  deleteConnectionProfile,
  updateConnectionProfile,
} from "../../service/connection-profiles";
import { readsOf } from "../shared-reads";
import {
  type Context,
  type Held,
  lifecycle,
  PartialFailure,
  type ResourceKind,
} from "../../pulumi/host/lifecycle";
import { alike, at, isEmpty, isObject, keysOf, leaves, overlaid, owned, pruned } from "./ownership";
import { existing, IdentityResource } from "../../pulumi/program/resource";
import { claim, isClaimed, isRemembered } from "../../pulumi/host/run";
import { isUnknown } from "../../pulumi/unknown";

/** What a connection made from the profile can do. */
export type ConnectionFeature = "scim" | "universal_logout";

/** Strategies that the service names; others are accepted too. */
export type ConnectionStrategy =
  "ad" | "adfs" | "google-apps" | "oidc" | "okta" | "pingfederate" | "samlp" | "waad";

/** How connections of one strategy differ from the profile. Fields beyond these two are sent as they are. */
export interface StrategyOverride {
  /** API: `enabled_features`. */
  enabledFeatures?: pulumi.Input<pulumi.Input<ConnectionFeature>[]>;
  /** Free-form, sent as it is. API: `connection_config`. */
  connectionConfig?: pulumi.Input<Record<string, unknown>>;
  [field: string]: unknown;
}

export interface ConnectionProfileArgs {
  /** 1 to 50 characters. API: `name`. */
  name: pulumi.Input<string>;
  /**
   * Free-form, sent as it is, with the API's own keys: `{ show_as_button: "optional" }`. Known keys are `show_as_button`
   * and `assign_membership_on_login`, each `none`, `optional` or `required`. API: `organization`.
   */
  organization?: pulumi.Input<Record<string, unknown>>;
  /**
   * At most 15 characters: letters, digits, single hyphens but none at the start, and the placeholders `{org_id}` and
   * `{org_name}`, e.g. `con-{org_id}`. API: `connection_name_prefix_template`.
   */
  connectionNamePrefixTemplate?: pulumi.Input<string>;
  /** A set: order means nothing. API: `enabled_features`. */
  enabledFeatures?: pulumi.Input<pulumi.Input<ConnectionFeature>[]>;
  /** Free-form, sent as it is. API: `connection_config`. */
  connectionConfig?: pulumi.Input<Record<string, unknown>>;
  /** By strategy, e.g. `{ okta: { enabledFeatures: ["scim"] } }`. API: `strategy_overrides`. */
  strategyOverrides?: pulumi.Input<
    { [Strategy in ConnectionStrategy]?: pulumi.Input<StrategyOverride> } & {
      [strategy: string]: pulumi.Input<StrategyOverride> | undefined;
    }
  >;
  /**
   * Id of an existing profile, e.g. `cop_2GjRf8mYd5LcVt7K9sPmZa`, that is taken over instead of making a new one; the
   * preview tells what would change on it. An id other than the resource's own replaces the resource; once adopted, the
   * argument may be removed. Default: a new profile is made.
   */
  adopt?: pulumi.Input<string>;
  /** Whether destroying the resource deletes the profile. Default: true, but false for an adopted profile. */
  deleteOnDestroy?: pulumi.Input<boolean>;
}

const features = z.array(z.enum(["scim", "universal_logout"], { error: "must be scim or universal_logout" }));
const freeForm = z.record(z.string(), z.unknown());

const OVERRIDE_TO_WIRE: Record<string, string> = {
  enabledFeatures: "enabled_features",
  connectionConfig: "connection_config",
};
const OVERRIDE_FROM_WIRE = Object.fromEntries(
  Object.entries(OVERRIDE_TO_WIRE).map(([ours, theirs]) => [theirs, ours]),
);

const strategyOverride = z.looseObject({
  enabledFeatures: features.optional(),
  connectionConfig: freeForm.optional(),
  enabled_features: z.never("is written enabledFeatures here").optional(),
  connection_config: z.never("is written connectionConfig here").optional(),
});

/** Section 2.4 of the source document. */
const PREFIX_TEMPLATE = /^(?!-)(?!.*--)(?:[a-zA-Z0-9-]|{org_id}|{org_name})*$/;

const schema = z.strictObject({
  name: z.string().min(1, "must have 1 to 50 characters").max(50, "must have 1 to 50 characters"),
  organization: freeForm.optional(),
  connectionNamePrefixTemplate: z
    .string()
    .max(15, "must have at most 15 characters")
    .regex(
      PREFIX_TEMPLATE,
      "must hold only letters, digits, {org_id}, {org_name} and single hyphens, and not start with a hyphen",
    )
    .optional(),
  enabledFeatures: features.optional(),
  connectionConfig: freeForm.optional(),
  strategyOverrides: z.record(z.string(), strategyOverride).optional(),
  adopt: z.string().refine(isPathId, PATH_ID_RULE).optional(),
  deleteOnDestroy: z.boolean().optional(),
});
type Inputs = z.infer<typeof schema>;
/** How the resource is handled; the other inputs are settings of the profile itself. */
type Handling = Pick<Inputs, "adopt" | "deleteOnDestroy">;
type Settings = Omit<Inputs, keyof Handling>;
type SettingName = keyof Settings;

/** Inputs and the API's fields. */
const FIELDS: Record<SettingName, keyof ConnectionProfileBody> = {
  name: "name",
  organization: "organization",
  connectionNamePrefixTemplate: "connection_name_prefix_template",
  enabledFeatures: "enabled_features",
  connectionConfig: "connection_config",
  strategyOverrides: "strategy_overrides",
};
const SETTING_NAMES = Object.keys(FIELDS) as SettingName[];

/** What the source document accepts for a field, and means "not set". */
const NOTHING: Record<SettingName, unknown> = {
  name: "",
  organization: {},
  connectionNamePrefixTemplate: "",
  enabledFeatures: [],
  connectionConfig: {},
  strategyOverrides: {},
};

type Values = Record<string, unknown>;

function toWire(settings: Values): ConnectionProfileBody {
  const body: ConnectionProfileBody = {};
  for (const name of SETTING_NAMES) {
    if (settings[name] !== undefined) {
      body[FIELDS[name]] =
        name === "strategyOverrides" ? overrides(settings[name], OVERRIDE_TO_WIRE) : settings[name];
    }
  }
  return body;
}

function fromWire(record: ConnectionProfileRecord): Values {
  const settings: Values = {};
  for (const name of SETTING_NAMES) {
    const value = record[FIELDS[name]];
    if (isEmpty(value)) continue;
    settings[name] = name === "strategyOverrides" ? overrides(value, OVERRIDE_FROM_WIRE) : value;
  }
  return settings;
}

function overrides(byStrategy: unknown, names: Record<string, string>): unknown {
  return mapped(byStrategy, (strategy, override) => [
    strategy,
    mapped(override, (field, value) => [names[field] ?? field, value]),
  ]);
}

function mapped(value: unknown, entry: (key: string, value: unknown) => [string, unknown]): unknown {
  return isObject(value) ? Object.fromEntries(Object.entries(value).map(([k, v]) => entry(k, v))) : value;
}

/** What state is to hold when the tenant holds `live`, and the program owns the values that the pointers name. */
function held(live: Values, wanted: Inputs, pointers: readonly string[], adopted: boolean): Held<Inputs> {
  const { adopt, deleteOnDestroy, ...settings } = wanted;
  const inputs = alike(owned(live, pointers), settings) as Settings;
  const handling = {
    ...(adopt !== undefined && { adopt }),
    ...(deleteOnDestroy !== undefined && { deleteOnDestroy }),
  };
  return {
    inputs: { ...inputs, ...handling },
    outputs: { ...(overlaid(live, inputs) as Values), managedFields: [...pointers], adopted },
  };
}

/** Marks that a change may or may not have reached the tenant: the next update looks before it acts. */
function unsure({ inputs, outputs }: Held<Inputs>): Held<Inputs> {
  return { inputs, outputs: { ...outputs, unsure: true } };
}

/** The settings among recorded outputs. */
function liveIn(outputs: Readonly<Values>): Values {
  return Object.fromEntries(
    SETTING_NAMES.filter((name) => name in outputs).map((name) => [name, outputs[name]]),
  );
}

function pointersIn(outputs: Readonly<Values>): string[] {
  return (outputs["managedFields"] ?? []) as string[];
}

function settingsOf({ adopt: _adopt, deleteOnDestroy: _deleteOnDestroy, ...settings }: Inputs): Settings {
  return settings;
}

/** The settings to send so that a profile that is `live` becomes what is wanted, each complete in itself. */
function patchFor(
  live: Values,
  wanted: Settings,
  removed: readonly string[] = [],
  /** What the program had not owned before: nobody has looked at it since, so it is sent in any case. */
  added: readonly string[] = [],
): Values {
  const target = overlaid(pruned(live, removed), wanted) as Values;
  const changed = SETTING_NAMES.filter(
    (name) =>
      !isDeepStrictEqual(alike(live[name], target[name]), target[name]) ||
      added.some((pointer) => keysOf(pointer)[0] === name),
  );
  return Object.fromEntries(changed.map((name) => [name, target[name] ?? NOTHING[name]]));
}

/** Changes a profile, of which the program owns what the pointers name, to what is wanted; answers what is live then. */
async function change(
  { client, tell }: Context,
  id: string,
  live: Values,
  pointers: readonly string[],
  wanted: Settings,
  /** Whether `live` was read just now. */
  fresh: boolean,
): Promise<{ live: Values; failure?: unknown; unsure?: boolean }> {
  const removed = pointers.filter((pointer) => at(wanted, pointer) === undefined);
  const added = fresh ? [] : leaves(wanted).filter((pointer) => !pointers.includes(pointer));
  const patch = patchFor(live, wanted, removed, added);
  if (Object.keys(patch).length === 0) return { live };
  const send = async (body: Values) => fromWire(await updateConnectionProfile(client, id, toWire(body)));
  const keptIn = (answer: Values) => removed.filter((pointer) => !isEmpty(at(answer, pointer)));

  let answer: Values;
  try {
    try {
      answer = await send(patch);
    } catch (failure) {
      if (!mayHaveReached(failure)) throw failure;
      // The answer was lost: whether it was done shows in the profile itself.
      readsOf(client).profiles.forget(id);
      const seen = await readLive(client, id).catch(() => undefined);
      if (seen === undefined) return { live, failure, unsure: true };
      const left = patchFor(seen, wanted, removed);
      answer = Object.keys(left).length === 0 ? seen : await send(left);
    }
    if (keptIn(answer).length > 0) {
      try {
        // Nobody says whether leaving a value out, or an empty value, removes it. Null is the other way to say it.
        answer = await send(withNulls(keptIn(answer)));
      } catch (failure) {
        const refused = failure instanceof ApiError && failure.status === 400;
        if (!refused) return { live: answer, failure };
      }
    }
  } finally {
    readsOf(client).profiles.forget(id);
  }
  const kept = keptIn(answer);
  if (kept.length > 0) {
    tell(
      `Connection profile ${id}: the service kept ${kept.map(pathText).join(", ")}, which the program no longer sets. ` +
        "Set another value in the program, or remove it on the tenant; until then it stays as it is.",
    );
  }
  return { live: answer };
}

function withNulls(pointers: readonly string[]): Values {
  const paths = pointers.map((pointer) => keysOf(pointer));
  return paths.reduce<Values>(
    (body, keys) =>
      overlaid(
        body,
        keys.reduceRight<unknown>((value, key) => ({ [key]: value }), null),
      ) as Values,
    {},
  );
}

function pathText(pointer: string): string {
  return keysOf(pointer).join(".");
}

/** A profile as it is; where the client may not read it, by the answer to a change of nothing. */
async function readLive(client: IdentityClient, id: string): Promise<Values> {
  try {
    return fromWire(await readsOf(client).profiles.read(id));
  } catch (error) {
    if (!(error instanceof InsufficientScopeError)) throw error;
    // Only the reason to say that reading is not granted; if changing isn't either, reading is what to grant.
    const record = await updateConnectionProfile(client, id, {}).catch((second: unknown) => {
      throw second instanceof InsufficientScopeError ? error : second;
    });
    return fromWire(record);
  }
}

/** Adopting needs neither the right to create nor an operation that does. */
function orAdopt(error: unknown): unknown {
  const notThere = error instanceof NotFoundError || error instanceof InsufficientScopeError;
  if (!notThere) return error;
  return new IdentityError(
    `${error.message} Or make the profile by hand and take it over: adopt: "<id of the profile>".`,
  );
}

const kind: ResourceKind<Inputs> = {
  name: "ConnectionProfile",
  schema,
  inputNames: [...SETTING_NAMES, "adopt", "deleteOnDestroy"],
  // Removing the argument after the adoption changes nothing, nor does the id that the resource has anyway.
  replaces: ({ name, id, after }) =>
    name === "adopt" && after["adopt"] !== undefined && after["adopt"] !== id,

  canonical(inputs) {
    const canonical = { ...inputs };
    if (Array.isArray(inputs["enabledFeatures"]))
      canonical["enabledFeatures"] = set(inputs["enabledFeatures"]);
    canonical["strategyOverrides"] = mapped(inputs["strategyOverrides"], (strategy, override) => [
      strategy,
      mapped(override, (field, value) => [
        field,
        field === "enabledFeatures" && Array.isArray(value) ? set(value) : value,
      ]),
    ]);
    if (canonical["strategyOverrides"] === undefined) delete canonical["strategyOverrides"];
    return canonical;
  },

  // Only what was adopted can be the resource of another name, too.
  claims: (tenant, _inputs, { adopted }, id) => (adopted === true ? [profileKey(tenant, id)] : []),

  inputsOf: (outputs) =>
    ({
      ...owned(outputs, pointersIn(outputs)),
      ...("adopt" in outputs && { adopt: outputs["adopt"] }),
      ...("deleteOnDestroy" in outputs && { deleteOnDestroy: outputs["deleteOnDestroy"] }),
    }) as Inputs,

  async lookAhead(context, before, inputs) {
    const { adopt } = inputs;
    if (adopt === undefined || Object.keys(before).length > 0) return undefined;
    const { client } = context();
    const live = fromWire(await readsOf(client).profiles.read(adopt));
    const names = Object.keys(patchFor(live, settingsOf(inputs)));
    const effect = names.length === 0 ? "it stays as it is" : `changes its ${names.join(", ")}`;
    return `adopts connection profile ${adopt}, named ${JSON.stringify(live["name"])}: ${effect}`;
  },

  async create(context, inputs) {
    const { client } = context;
    const { adopt } = inputs;
    const settings = settingsOf(inputs);
    const pointers = leaves(settings);
    if (adopt !== undefined) {
      claim(profileKey(client.tenant, adopt));
      const { live, failure } = await change(
        context,
        adopt,
        await readLive(client, adopt),
        [],
        settings,
        true,
      );
      if (failure === undefined) return { id: adopt, ...held(live, inputs, pointers, true) };
      throw new PartialFailure(adopt, unsure(held(live, inputs, pointers, true)), failure);
    }
    try {
      let found = false;
      const record = await createConnectionProfile(client, toWire(settings), {
        isManaged: (id) => isRemembered(kind.name, id) || isClaimed(profileKey(client.tenant, id)),
        onFound: () => (found = true),
      });
      if (found) {
        context.tell(
          `Connection profile ${record.id}: the answer to its creation was lost, and the tenant holds it just as the program ` +
            "says. In case it was there before, it counts as adopted: destroying the resource leaves it in place, unless " +
            "deleteOnDestroy is true.",
        );
      }
      return { id: record.id, ...held(fromWire(record), inputs, pointers, found) };
    } catch (error) {
      throw orAdopt(error);
    }
  },

  async read({ client, tell }, id, recorded) {
    const live = await readLive(client, id);
    for (const twin of readsOf(client).profiles.twins(id)) {
      tell(
        `Connection profile ${twin} has the same name as ${id}, ${JSON.stringify(live["name"])}. Unless another resource or ` +
          `stack manages it, an interrupted run may have left it behind: take it over with adopt: "${twin}", or delete it.`,
      );
    }
    if (recorded === undefined) return held(live, live as Inputs, leaves(live), false);
    const { inputs, outputs } = recorded;
    return held(live, inputs, pointersIn(outputs), outputs["adopted"] === true);
  },

  async update(context, id, { outputs }, inputs) {
    const settings = settingsOf(inputs);
    const adopted = outputs["adopted"] === true;
    const before = pointersIn(outputs);
    const fresh = outputs["unsure"] === true;
    const known = fresh ? await readLive(context.client, id) : liveIn(outputs);
    const done = await change(context, id, known, before, settings, fresh);
    if (done.failure === undefined) return held(done.live, inputs, leaves(settings), adopted);
    // What was to go is still owned, so that the next update tries again.
    const pointers = [...new Set([...before, ...leaves(settings)])];
    const half = held(done.live, inputs, pointers, adopted);
    throw new PartialFailure(id, done.unsure === true ? unsure(half) : half, done.failure);
  },

  async delete({ client, tell }, id, { inputs, outputs }) {
    const adopted = outputs["adopted"] === true;
    if (!(inputs.deleteOnDestroy ?? !adopted)) {
      const why = adopted ? "it was adopted" : "deleteOnDestroy is false";
      tell(`Connection profile ${id} stays on ${client.tenant} as it is, because ${why}.`);
      return;
    }
    if (isClaimed(profileKey(client.tenant, id))) {
      tell(`Connection profile ${id} stays: another resource has adopted it.`);
      return;
    }
    await deleteConnectionProfile(client, id);
    readsOf(client).profiles.forget(id);
  },
};

function profileKey(tenant: string, id: string): string {
  return JSON.stringify([tenant, "connection-profile", id]);
}

function set(features: readonly unknown[]): unknown[] {
  return features
    .filter((feature, index) => isUnknown(feature) || features.indexOf(feature) === index)
    .sort();
}

export const connectionProfile = lifecycle(kind);

/**
 * A profile from which connections to enterprise identity providers are made. The program owns the values that it
 * writes: others, set elsewhere, are neither shown as drift nor changed.
 *
 * Scopes: `create:`, `read:`, `update:` and `delete:connection_profiles`, each for the operation of its name.
 *
 * @example
 * new ConnectionProfile("enterprise", {
 *   name: "enterprise",
 *   connectionNamePrefixTemplate: "con-{org_id}",
 *   enabledFeatures: ["scim", "universal_logout"],
 * });
 */
export class ConnectionProfile extends IdentityResource {
  declare readonly name: pulumi.Output<string>;
  declare readonly organization: pulumi.Output<Record<string, unknown> | undefined>;
  declare readonly connectionNamePrefixTemplate: pulumi.Output<string | undefined>;
  declare readonly enabledFeatures: pulumi.Output<string[] | undefined>;
  declare readonly connectionConfig: pulumi.Output<Record<string, unknown> | undefined>;
  declare readonly strategyOverrides: pulumi.Output<Record<string, Record<string, unknown>> | undefined>;
  /** Whether the profile was there before the resource. */
  declare readonly adopted: pulumi.Output<boolean>;
  /** The values that this resource owns, as JSON Pointers; all others are left to whoever set them. */
  declare readonly managedFields: pulumi.Output<string[]>;
  /** Host name of the tenant that the profile is on. */
  declare readonly tenant: pulumi.Output<string>;

  constructor(name: string, args: ConnectionProfileArgs, options?: pulumi.CustomResourceOptions) {
    super(kind.name, name, args, [...SETTING_NAMES, "adopted", "managedFields", "tenant"], options);
  }

  /** An existing profile, by its id. */
  static get(
    name: string,
    id: pulumi.Input<pulumi.ID>,
    options?: pulumi.CustomResourceOptions,
  ): ConnectionProfile {
    const none = undefined as unknown as ConnectionProfileArgs;
    return new ConnectionProfile(name, none, existing(kind.name, name, id, options));
  }
}
