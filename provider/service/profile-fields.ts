import * as z from "../zod";
import { misspelt } from "../near-names";
import { isEmpty, isObject, type JsonObject, own } from "./record";

/** A value's rules and structure. */
export interface Member {
  /** Created on demand: a review reads the table, and needs no rules. */
  schema: () => z.ZodType;
  /** The service's "not set". It has the type of the field; a field with a list is a set. */
  empty?: "" | readonly [] | Readonly<Record<string, never>>;
  /** The members that the service names. */
  members?: Record<string, Member>;
  /** The service's key. Default: the same. */
  wire?: string;
}

/** One setting of a profile: its rules, and everything about its wire format. */
export interface ProfileField extends Member {
  wire: string;
  empty: NonNullable<Member["empty"]>;
  /** The service refuses the empty value, because that lacks a required member. */
  isClearedByNull?: true;
  /** For an object of objects: the fields of each. */
  entries?: Record<string, ProfileField>;
}

const features = () =>
  z
    .array(
      z.enum(["directory_sync", "scim", "universal_logout"], {
        error: "must be directory_sync, scim or universal_logout",
      }),
    )
    .optional();
const participation = () =>
  z.enum(["none", "optional", "required"], { error: "must be none, optional or required" }).optional();
const freeForm = () => z.record(z.string(), z.unknown()).optional();

/** Section 2.4 of the source document. */
const PREFIX_TEMPLATE = /^(?!-)(?!.*--)(?:[a-zA-Z0-9-]|{org_id}|{org_name})*$/;

const ORGANIZATION_MEMBERS = {
  showAsButton: { wire: "show_as_button", schema: participation },
  assignMembershipOnLogin: { wire: "assign_membership_on_login", schema: participation },
} as const satisfies Record<string, Member>;

const crossAppAccess = () => z.enum(["enabled", "disabled"], { error: "must be enabled or disabled" });
const CROSS_APP_ACCESS_STATUS = {
  defaultValue: { wire: "default_value", schema: crossAppAccess },
  allowedValues: {
    wire: "allowed_values",
    schema: () =>
      z
        .array(crossAppAccess())
        .refine(hasLength(2, Infinity), "must have enabled and disabled, or be left out")
        .optional(),
    empty: [],
  },
} as const satisfies Record<string, Member>;
const CROSS_APP_ACCESS_MEMBERS = {
  status: {
    schema: () => objectOf(CROSS_APP_ACCESS_STATUS).optional(),
    members: CROSS_APP_ACCESS_STATUS,
  },
} as const satisfies Record<string, Member>;

const scimScope = () =>
  z.enum(["get:users", "post:users", "put:users", "patch:users", "delete:users"], {
    error: "must be get:users, post:users, put:users, patch:users or delete:users",
  });
const seconds = () =>
  z
    .number()
    .refine(
      (value) => Number.isSafeInteger(value) && value > 0,
      "must be a whole number of seconds, 1 or more",
    )
    .optional();
const SCIM_TOKENS = {
  scopes: { schema: () => z.array(scimScope()), empty: [] },
  defaultExpiry: { wire: "default_expiry", schema: seconds },
  maxAllowedExpiry: { wire: "max_allowed_expiry", schema: seconds },
} as const satisfies Record<string, Member>;
const SCIM_MEMBERS = {
  tokens: { schema: () => objectOf(SCIM_TOKENS), members: SCIM_TOKENS },
} as const satisfies Record<string, Member>;
const GOOGLE_WORKSPACE_MEMBERS = {
  syncUsers: {
    wire: "sync_users",
    schema: () => z.boolean({ error: "must be true or false" }).optional(),
  },
} as const satisfies Record<string, Member>;
const PROVISIONING_MEMBERS = {
  googleWorkspace: {
    wire: "google_workspace",
    schema: () => objectOf(GOOGLE_WORKSPACE_MEMBERS).optional(),
    members: GOOGLE_WORKSPACE_MEMBERS,
  },
  scim: { schema: () => objectOf(SCIM_MEMBERS).optional(), members: SCIM_MEMBERS },
} as const satisfies Record<string, Member>;

const OVERRIDE_FIELDS = {
  enabledFeatures: { wire: "enabled_features", schema: features, empty: [] },
  connectionConfig: { wire: "connection_config", schema: freeForm, empty: {} },
  crossAppAccessResourceApp: {
    wire: "cross_app_access_resource_app",
    schema: () => objectOf(CROSS_APP_ACCESS_MEMBERS).optional(),
    empty: {},
    members: CROSS_APP_ACCESS_MEMBERS,
    isClearedByNull: true,
  },
  provisioning: {
    wire: "provisioning",
    schema: () => objectOf(PROVISIONING_MEMBERS).optional(),
    empty: {},
    members: PROVISIONING_MEMBERS,
  },
} as const satisfies Record<string, ProfileField>;

/** The strategies that the service names. */
export const STRATEGIES = [
  "ad",
  "adfs",
  "google-apps",
  "oidc",
  "okta",
  "pingfederate",
  "samlp",
  "waad",
] as const;

/**
 * The one table of a profile's fields, by our names: wire format, rules, defaults and outputs follow from it.
 */
export const PROFILE_FIELDS = {
  name: {
    wire: "name",
    schema: () => z.string().refine(hasLength(1, 50), "must have 1 to 50 characters").optional(),
    empty: "",
  },
  organization: {
    wire: "organization",
    schema: () => objectOf(ORGANIZATION_MEMBERS).optional(),
    empty: {},
    members: ORGANIZATION_MEMBERS,
  },
  connectionNamePrefixTemplate: {
    wire: "connection_name_prefix_template",
    schema: () =>
      z
        .string()
        .refine(hasLength(0, 15), "must have at most 15 characters")
        .regex(
          PREFIX_TEMPLATE,
          "must hold only letters, digits, {org_id}, {org_name} and single hyphens, and not start with a hyphen",
        )
        .optional(),
    empty: "",
  },
  enabledFeatures: OVERRIDE_FIELDS.enabledFeatures,
  connectionConfig: OVERRIDE_FIELDS.connectionConfig,
  crossAppAccessResourceApp: OVERRIDE_FIELDS.crossAppAccessResourceApp,
  provisioning: OVERRIDE_FIELDS.provisioning,
  strategyOverrides: {
    wire: "strategy_overrides",
    schema: () => spelled(z.record(z.string(), objectOf(OVERRIDE_FIELDS)), STRATEGIES).optional(),
    empty: {},
    entries: OVERRIDE_FIELDS,
  },
} as const satisfies Record<string, ProfileField>;

/**
 * A character counts once, however it is encoded, as in JSON Schema. zod's own length checks also run on
 * values that aren't texts, and fail on some of them.
 */
function hasLength(least: number, most: number): (value: string | readonly unknown[]) => boolean {
  return (value) => {
    const { length } = typeof value === "string" ? Array.from(value) : value;
    return length >= least && length <= most;
  };
}

type Ruled = Record<string, { schema: () => z.ZodType }>;
type Shape<Fields extends Ruled> = { [Name in keyof Fields]: ReturnType<Fields[Name]["schema"]> };

export function shapeOf<Fields extends Ruled>(fields: Fields): Shape<Fields> {
  const rows = Object.entries(fields).map(([name, { schema }]) => [name, schema()]);
  return Object.fromEntries(rows) as Shape<Fields>;
}

function objectOf<Fields extends Record<string, Member>>(fields: Fields) {
  return spelled(z.looseObject(shapeOf(fields)), Object.keys(fields));
}

/** Further keys pass through, so a known one that is misspelt would be sent as a second value for it. */
function spelled<Schema extends z.ZodType>(schema: Schema, names: readonly string[]): Schema {
  return schema.check(
    always(({ value, issues }) => {
      for (const [key, input] of isObject(value) ? Object.entries(value) : []) {
        const meant = misspelt(key, names);
        if (meant !== undefined)
          issues.push({ code: "custom", path: [key], message: `write ${meant}`, input });
      }
    }),
  );
}

/** Without `when`, zod skips a check if a member has a problem of its own. */
export function always(check: (payload: z.core.ParsePayload) => void) {
  return { _zod: { check, def: { check: "custom", when: () => true }, onattach: [] } };
}

type ProfileSetting = keyof typeof PROFILE_FIELDS;
const ROWS = Object.entries<ProfileField>(PROFILE_FIELDS) as [ProfileSetting, ProfileField][];
export const PROFILE_SETTINGS = ROWS.map(([name]) => name);

/** A profile's settings as a program writes them. */
export type ProfileSettings = z.infer<z.ZodObject<Shape<typeof PROFILE_FIELDS>>>;

/** The places of all sets; `*` stands for a strategy. */
export const PROFILE_SETS: readonly (readonly string[])[] = setsIn(PROFILE_FIELDS);

function setsIn(fields: Record<string, Member & Pick<ProfileField, "entries">>): string[][] {
  return Object.entries(fields).flatMap(([name, { empty, members, entries }]) => {
    const inside = [
      ...(Array.isArray(empty) ? [[]] : []),
      ...setsIn(members ?? {}),
      ...setsIn(entries ?? {}).map((path) => ["*", ...path]),
    ];
    return inside.map((path) => [name, ...path]);
  });
}

/** True if the list at a path stands for a set, whose order means nothing. */
export function isSet(path: readonly string[]): boolean {
  return Array.isArray(memberAt(path)?.empty);
}

/** Returns the table's entry for the value at a path. */
export function memberAt([name = "", ...path]: readonly string[]): Member | undefined {
  const field = own<ProfileField>(PROFILE_FIELDS, name);
  if (field?.entries === undefined) return memberIn(field, path);
  const [, inner, ...deeper] = path;
  return inner === undefined ? undefined : memberIn(own(field.entries, inner), deeper);
}

function memberIn(field: Member | undefined, path: readonly string[]): Member | undefined {
  return path.reduce((member, key) => own(member?.members ?? {}, key), field);
}

export function emptyValue(name: string): unknown {
  return ROWS.find(([field]) => field === name)?.[1].empty;
}

/** True if a PATCH of a setting can wipe values that others have added. */
export function isShared(name: string): boolean {
  return isObject(emptyValue(name));
}

export function toWire(settings: JsonObject): JsonObject {
  const body = ROWS.filter(([name]) => settings[name] !== undefined).map(
    ([name, field]): [string, unknown] => [
      field.wire,
      field.isClearedByNull && isEmpty(settings[name]) ? null : renamed(settings[name], field, toTheirs),
    ],
  );
  return Object.fromEntries(body);
}

/** Returns a record's settings that are set, by our names. */
export function settingsFromWire(record: JsonObject): JsonObject {
  const settings = ROWS.filter(([, { wire }]) => !isEmpty(record[wire])).map(
    ([name, field]): [string, unknown] => [name, renamed(record[field.wire], field, toOurs)],
  );
  return Object.fromEntries(settings);
}

/** Returns the names of a record's fields that are newer than this package. */
export function otherFields(record: JsonObject): string[] {
  const known = new Set(["id", ...ROWS.map(([, { wire }]) => wire)]);
  return Object.keys(record).filter((name) => !known.has(name) && !isEmpty(record[name]));
}

/** Returns a key's other name, and what the table says of it. */
type Renaming = (key: string, members: Record<string, Member>) => [name: string, member: Member | undefined];

const toTheirs: Renaming = (key, members) => {
  const member = own(members, key);
  return [member?.wire ?? key, member];
};
const toOurs: Renaming = (key, members) =>
  Object.entries(members).find(([name, { wire = name }]) => wire === key) ?? [key, undefined];

/** Renames the keys inside a setting. */
function renamed(
  value: unknown,
  { entries, members }: Pick<ProfileField, "entries" | "members">,
  rename: Renaming,
): unknown {
  if (entries !== undefined)
    return mapEntries(value, (strategy, override) => [
      strategy,
      renamed(override, { members: entries }, rename),
    ]);
  if (members === undefined) return value;
  return mapEntries(value, (key, inner) => {
    const [name, member = {}] = rename(key, members);
    return [name, renamed(inner, member, rename)];
  });
}

/** Maps each entry of an object; anything else stays as it is. */
export function mapEntries(
  value: unknown,
  entry: (key: string, value: unknown) => [string, unknown],
): unknown {
  return isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([key, inner]) => entry(key, inner)))
    : value;
}
