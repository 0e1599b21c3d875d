import { z } from "zod";
import { type RawInputs, sortedSet } from "../../pulumi/raw-inputs";
import { connectionProfileRecord, type ConnectionProfileRecord } from "../../service/connection-profiles";
import { CONNECTION_PROFILE_ID } from "../../service/ids";
import { isEmpty, isObject, type JsonObject } from "./json-tree";

/** One input of the resource: all that the rest of this folder knows of it. */
interface Field {
  /** The API's name; without one the input says how the resource is handled, and is never sent. */
  wire?: string;
  schema: z.ZodType;
  /** What the service takes for "not set". It has the type of the field; a field with a list is a set. */
  empty?: "" | readonly [] | Readonly<Record<string, never>>;
  /** For an object of objects: the fields of each. */
  entries?: Record<string, Field>;
}

const features = z.array(z.enum(["scim", "universal_logout"], { error: "must be scim or universal_logout" }));
const participation = z.enum(["none", "optional", "required"], {
  error: "must be none, optional or required",
});
const freeForm = z.record(z.string(), z.unknown());

/** Section 2.4 of the source document. */
const PREFIX_TEMPLATE = /^(?!-)(?!.*--)(?:[a-zA-Z0-9-]|{org_id}|{org_name})*$/;

const OVERRIDE_FIELDS = {
  enabledFeatures: { wire: "enabled_features", schema: features.optional(), empty: [] },
  connectionConfig: { wire: "connection_config", schema: freeForm.optional(), empty: {} },
} as const satisfies Record<string, Field>;

/** The one table of the resource's fields. Wire format, schema, defaults and outputs are made of it. */
export const FIELDS = {
  name: {
    wire: "name",
    schema: z.string().refine(hasLength(1, 50), "must have 1 to 50 characters"),
    empty: "",
  },
  organization: {
    wire: "organization",
    schema: z
      .looseObject({
        show_as_button: participation.optional(),
        assign_membership_on_login: participation.optional(),
      })
      .optional(),
    empty: {},
  },
  connectionNamePrefixTemplate: {
    wire: "connection_name_prefix_template",
    schema: z
      .string()
      .refine(hasLength(0, 15), "must have at most 15 characters")
      .regex(
        PREFIX_TEMPLATE,
        "must hold only letters, digits, {org_id}, {org_name} and single hyphens, and not start with a hyphen",
      )
      .optional(),
    empty: "",
  },
  enabledFeatures: { wire: "enabled_features", schema: features.optional(), empty: [] },
  connectionConfig: { wire: "connection_config", schema: freeForm.optional(), empty: {} },
  strategyOverrides: {
    wire: "strategy_overrides",
    schema: z
      .record(
        z.string(),
        z.looseObject({
          ...shapeOf(OVERRIDE_FIELDS),
          ...wireNamesRefused(OVERRIDE_FIELDS),
        }),
      )
      .optional(),
    empty: {},
    entries: OVERRIDE_FIELDS,
  },
  adopt: { schema: CONNECTION_PROFILE_ID.optional() },
  deleteOnDestroy: { schema: z.boolean().optional() },
} as const satisfies Record<string, Field>;

/** zod's own checks of a length also run on what is no text, and fail on some of it. */
function hasLength(least: number, most: number): (text: string) => boolean {
  return ({ length }) => length >= least && length <= most;
}

type Shape<Fields extends Record<string, Field>> = { [Name in keyof Fields]: Fields[Name]["schema"] };

function shapeOf<Fields extends Record<string, Field>>(fields: Fields): Shape<Fields> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, { schema }]) => [name, schema]),
  ) as Shape<Fields>;
}

/** Further keys pass through: without this, the API's spelling of a known one would pass as a second value for it. */
function wireNamesRefused(fields: Record<string, Field>): Record<string, z.ZodType> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, { wire = name }]) => [
      wire,
      z.never(`is written ${name} here`).optional(),
    ]),
  );
}

export const schema = z.strictObject(shapeOf(FIELDS));
export type Inputs = z.infer<typeof schema>;

/** The inputs that are settings of the profile itself, and how the others are handled. */
export type Settings = Omit<Inputs, "adopt" | "deleteOnDestroy">;

const PROFILE_FIELDS = Object.entries<Field>(FIELDS).filter(([, { wire }]) => wire !== undefined) as [
  keyof Settings,
  Required<Pick<Field, "wire" | "empty">> & Field,
][];
export const SETTINGS = PROFILE_FIELDS.map(([name]) => name);

/** A record, of which each field that is used has the type that the document gives it. */
export const profileRecord: z.ZodType<ProfileRecord> = connectionProfileRecord.extend({
  ...typesOf(Object.fromEntries(PROFILE_FIELDS), "wire"),
  name: connectionProfileRecord.shape.name,
});
export type ProfileRecord = ConnectionProfileRecord;

/** The settings as state has them. The service may hold what the rules for inputs refuse: only the types are fixed. */
export const settingTypes = typesOf(Object.fromEntries(PROFILE_FIELDS), "ours");

function typesOf(fields: Record<string, Field>, names: "ours" | "wire"): Record<string, z.ZodType> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [
      names === "wire" ? (field.wire ?? name) : name,
      typeOf(field, names),
    ]),
  );
}

function typeOf({ empty, entries }: Field, names: "ours" | "wire"): z.ZodType {
  if (entries !== undefined) {
    return z.record(z.string(), z.looseObject(typesOf(entries, names)).nullish()).nullish();
  }
  if (empty === "") return z.string().nullish();
  return Array.isArray(empty) ? z.array(z.string()).nullish() : freeForm.nullish();
}

export function settingsOf({
  adopt: _adopt,
  deleteOnDestroy: _deleteOnDestroy,
  ...settings
}: Inputs): Settings {
  return settings;
}

/** What is sent to leave a setting empty. */
export function emptyValue(name: string): unknown {
  return PROFILE_FIELDS.find(([field]) => field === name)?.[1].empty;
}

/** Whether a PATCH of a setting can wipe what others have put into it. */
export function isShared(name: string): boolean {
  return isObject(emptyValue(name));
}

/** The body of a request that sets these settings, by our names. */
export function toWire(settings: JsonObject): JsonObject {
  const body = PROFILE_FIELDS.filter(([name]) => settings[name] !== undefined).map(
    ([name, { wire, entries }]): [string, unknown] => [wire, renamed(settings[name], entries, "to wire")],
  );
  return Object.fromEntries(body);
}

/** The settings of a record that are set. */
export function fromWire(record: ProfileRecord): JsonObject {
  const settings = PROFILE_FIELDS.filter(([, { wire }]) => !isEmpty(record[wire])).map(
    ([name, { wire, entries }]): [string, unknown] => [name, renamed(record[wire], entries, "from wire")],
  );
  return Object.fromEntries(settings);
}

function renamed(
  value: unknown,
  entries: Record<string, Field> | undefined,
  direction: "to wire" | "from wire",
): unknown {
  if (entries === undefined) return value;
  const names = new Map(
    Object.entries(entries).map(([ours, { wire = ours }]) =>
      direction === "to wire" ? [ours, wire] : [wire, ours],
    ),
  );
  return mapEntries(value, (key, entry) => [
    key,
    mapEntries(entry, (name, inner) => [names.get(name) ?? name, inner]),
  ]);
}

/** Inputs with their sets in one order. */
export function normalize(inputs: RawInputs): RawInputs {
  return mapEntries(inputs, (name, value) => [name, sortedSets(value, fieldOf(FIELDS, name))]) as RawInputs;
}

function sortedSets(value: unknown, field: Field | undefined): unknown {
  if (Array.isArray(field?.empty) && Array.isArray(value)) return sortedSet(value);
  const { entries } = field ?? {};
  if (entries === undefined) return value;
  return mapEntries(value, (key, entry) => [
    key,
    mapEntries(entry, (name, inner) => [name, sortedSets(inner, fieldOf(entries, name))]),
  ]);
}

function fieldOf(fields: Record<string, Field>, name: string): Field | undefined {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

function mapEntries(value: unknown, entry: (key: string, value: unknown) => [string, unknown]): unknown {
  return isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([key, inner]) => entry(key, inner)))
    : value;
}
