import { schema } from "../../provider/resources/connection-profile/schema";
import fc from "../../testkit/properties";
import { type TenantRoles } from "../../cli/access/roles";
import { hostileText, hostileValue, UNKNOWN, type Values } from "./hostile";

/* Inputs of each kind, mostly valid. */

/** Mostly `good`, now and then anything. */
const mostly = <T>(good: fc.Arbitrary<T>): fc.Arbitrary<unknown> =>
  fc.oneof(
    { weight: 12, arbitrary: good },
    { weight: 1, arbitrary: hostileValue },
    { weight: 1, arbitrary: fc.constant(UNKNOWN) },
  );

const features = fc.array(fc.constantFrom("scim", "universal_logout", "scim", "other"), { maxLength: 4 });
const participation = fc.constantFrom("none", "optional", "required", "Required");
const template = fc
  .array(fc.constantFrom("a", "Z", "9", "-", "{org_id}", "{org_name}", "{", "_"), { maxLength: 6 })
  .map((parts) => parts.join(""));
const config = fc.oneof(
  fc.constant({}),
  fc.dictionary(fc.string({ maxLength: 4 }), fc.oneof(fc.boolean(), hostileValue), { maxKeys: 2 }),
);
const record = <T>(fields: { [Name in keyof T]: fc.Arbitrary<T[Name]> }) =>
  fc.record(fields, { requiredKeys: [] }) as fc.Arbitrary<Values>;

export const profileInputs: fc.Arbitrary<Values> = record({
  name: mostly(fc.string({ minLength: 1, maxLength: 52 })),
  organization: mostly(
    record({
      showAsButton: participation,
      assignMembershipOnLogin: participation,
      show_as_button: participation,
    }),
  ),
  connectionNamePrefixTemplate: mostly(template),
  enabledFeatures: mostly(features),
  connectionConfig: mostly(config),
  strategyOverrides: mostly(
    fc.dictionary(
      fc.constantFrom("okta", "oidc", "google-apps", "__proto__", "other"),
      mostly(record({ enabledFeatures: features, connectionConfig: config, enabled_features: features })),
      { maxKeys: 3 },
    ),
  ),
  adopt: mostly(hostileText),
  deleteOnDestroy: mostly(fc.boolean()),
});

const groupId = fc.oneof(
  { weight: 9, arbitrary: fc.stringMatching(/^grp_[1-9a-km-zA-HJ-NP-Z]{13,23}$/) },
  { weight: 1, arbitrary: hostileText },
);

/** End dates, valid and almost valid. */
export const untilText = fc.oneof(
  fc.date({ noInvalidDate: true, min: new Date("0001-01-01"), max: new Date("9999-12-31") }).chain((when) => {
    const text = when.toISOString();
    return fc.constantFrom(
      text,
      text.slice(0, 10),
      text.replace("Z", "+05:30"),
      text.replace(/\.\d+Z/, "-11:59"),
      text.replace(/:\d\d\.\d+Z/, "Z"),
      text.slice(0, -1),
    );
  }),
  fc.stringMatching(
    /^2\d{3}-[01]\d-[0-3]\d(T[0-2]\d:[0-6]\d(:[0-6]\d(\.\d{1,4})?)?(Z|[+-][0-2]\d:[0-6]\d)?)?$/,
  ),
  hostileText,
);

export const assignmentInputs: fc.Arbitrary<Values> = record({
  roleId: mostly(fc.constantFrom("rol_aaaaaaaaaaaaaaaa", "rol_bbbbbbbbbbbbbbbb", "..")),
  groupIds: mostly(fc.array(groupId, { maxLength: 5 })),
  exclusive: mostly(fc.boolean()),
  deleteOnDestroy: mostly(fc.boolean()),
  until: mostly(untilText),
});

export const removalInputs: fc.Arbitrary<Values> = record({
  deviceCredentialId: mostly(fc.oneof(fc.stringMatching(/^dcr_\w{16}$/), hostileText)),
});

export const PROFILE_INPUTS = Object.keys(schema.shape);

/** A tenant of which nobody could read anything. */
export const NOTHING_KNOWN: TenantRoles = {
  roles: [],
  groups: new Map(),
  names: new Map(),
  gone: new Set(),
  incomplete: [],
  inPart: new Set(),
};
