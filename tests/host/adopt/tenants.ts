import { type SeedInput } from "../../../simulator";
import fc from "../../../testkit/properties";
import { hostileTexts, ids, jsonObjects } from "../../../testkit/hostile-texts";

/*
 * Random tenants, as hostile as the simulator allows: names of any characters, and objects with any contents.
 */

/** Values that must not get into a program unchanged. */
const traps: Record<string, unknown>[] = [
  { __pulumiOutput: true, kept: 1 },
  { "4dabf18193072939515e22adb298388d": "c44067f5952c0a294b673a41bacd8c17", path: "/etc/hostname", kept: 1 },
  { text: "04da6b54-80e4-46f7-96ec-b56ff0331ba9", kept: 1 },
  { list: ["6a19a0b0-7e62-4c92-b797-7f8e31da9cc2"], kept: 1 },
  { tokens: [{ value: "a" }], client_secret: "b", token_lifetime: 5, kept: 1 },
  { list: [{ nothing: null }, {}], half: "\ud800", ["\udc00"]: 1, kept: 1 },
  JSON.parse('{"__proto__": {"polluted": true}, "kept": 1}') as Record<string, unknown>,
];

const anyObject = fc.oneof(
  { weight: 4, arbitrary: jsonObjects },
  { weight: 1, arbitrary: fc.constantFrom(...traps) },
);
const optional = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined });
const features = fc.uniqueArray(fc.constantFrom("scim" as const, "universal_logout" as const));
const participation = fc.constantFrom("none" as const, "optional" as const, "required" as const);

const override = fc.record(
  { enabled_features: features, connection_config: fc.constant({}), provisioning: anyObject },
  { requiredKeys: [] },
);

const profile = fc.record(
  {
    id: ids,
    name: hostileTexts.map((text) => text.slice(0, 50) || "x"),
    enabled_features: features,
    connection_name_prefix_template: fc.constantFrom("", "con-{org_id}", "a"),
    organization: fc.record(
      { show_as_button: participation, assign_membership_on_login: participation },
      { requiredKeys: [] },
    ),
    connection_config: fc.constant({}),
    strategy_overrides: fc.record(
      { okta: override, "google-apps": override, oidc: override },
      { requiredKeys: [] },
    ),
    provisioning: anyObject,
  },
  { requiredKeys: ["id", "name"] },
);

const groupIds = ids.map((id) => id.replace("cop_", "grp_"));

export const tenants: fc.Arbitrary<SeedInput & { connection_profiles: object[] }> = fc
  .record({
    connection_profiles: fc.uniqueArray(profile, { maxLength: 13, selector: ({ id }) => id }),
    groups: fc.uniqueArray(fc.record({ id: groupIds, name: optional(hostileTexts) }), {
      maxLength: 6,
      selector: ({ id }) => id,
    }),
    first: fc.nat(),
  })
  .map(({ connection_profiles, groups, first }) => ({
    connection_profiles,
    groups,
    roles: [
      { id: ROLES[0], groups: groups.slice(0, first % (groups.length + 1)).map(({ id }) => id) },
      { id: ROLES[1], groups: groups.map(({ id }) => id) },
    ],
  }));

export const ROLES = ["rol_4hNkVx8QmTz2bRcW", "rol_9sJdYp3LfGe7uXaK"] as const;
