import type * as pulumi from "@pulumi/pulumi";
import {
  ConnectionProfile,
  type ConnectionProfileArgs,
  type ConnectionProfileValues,
  type ConnectionStrategy,
  DeviceCredentialRemoval,
  type DeviceCredentialRemovalArgs,
  Provider,
  type ProviderArgs,
  RoleGroupAssignment,
  type RoleGroupAssignmentArgs,
} from "../../provider";
import { type STRATEGIES } from "../../provider/service/profile-fields";

/* The compiler is the test: `npm run check` fails when a line below an expected error compiles. */

declare const output: <T>() => pulumi.Output<T>;

export const accepted: [
  ConnectionProfileArgs,
  RoleGroupAssignmentArgs,
  DeviceCredentialRemovalArgs,
  ProviderArgs,
] = [
  {
    name: "enterprise",
    organization: { showAsButton: "optional", future_key: 1 },
    enabledFeatures: ["scim", "universal_logout", "directory_sync"],
    crossAppAccessResourceApp: { status: { defaultValue: "enabled", allowedValues: ["enabled"] } },
    provisioning: { scim: { tokens: { scopes: ["get:users"], defaultExpiry: 60, later: 1 } } },
    strategyOverrides: {
      okta: { enabledFeatures: ["scim"], provisioning: { googleWorkspace: { syncUsers: true } } },
      "a-newer-strategy": { connectionConfig: {}, newer_field: true },
    },
    deleteOnDestroy: false,
  },
  { roleId: "rol_1", groupIds: ["grp_7TqWc2nYx5RkHbVd9sPmZa"], exclusive: true },
  { deviceCredentialId: "dcr_1" },
  { domain: "tenant.example.com", clientId: "id", clientSecret: "secret" },
];

export const strategies: [ConnectionStrategy, (typeof STRATEGIES)[number]] extends [infer A, infer B]
  ? [A, B] extends [B, A]
    ? true
    : false
  : never = true;

export function acceptedOutputs(): unknown[] {
  const profile: ConnectionProfileArgs = {
    name: output<string>(),
    enabledFeatures: [output<"scim">()],
    strategyOverrides: output<{ okta: { enabledFeatures: "scim"[] } }>(),
    adopt: output<string>(),
  };
  const assignment: RoleGroupAssignmentArgs = {
    roleId: output<string>(),
    groupIds: [output<string>(), "grp_"],
  };
  return [profile, assignment];
}

/** Values read from one profile fit another. */
export function fitting(other: ConnectionProfile, listed: ConnectionProfileValues): unknown[] {
  const { name, connectionNamePrefixTemplate, enabledFeatures, connectionConfig } = other;
  const { organization, strategyOverrides, crossAppAccessResourceApp, provisioning } = other;
  const { id, ...values } = listed;
  return [
    new ConnectionProfile("p", {
      name,
      organization,
      connectionNamePrefixTemplate,
      enabledFeatures,
      connectionConfig,
      crossAppAccessResourceApp,
      provisioning,
      strategyOverrides,
    }),
    new ConnectionProfile("q", values),
    new ConnectionProfile("r", { ...values, adopt: id }),
    new ConnectionProfile("s", { name, strategyOverrides: { okta: { enabledFeatures } } }),
    new ConnectionProfile("t", {
      name,
      organization: organization.apply((found) => ({ ...found, showAsButton: "none" as const })),
    }),
  ];
}

export function refused(): unknown[] {
  return [
    // @ts-expect-error no such participation
    new ConnectionProfile("p", { name: "p", organization: { showAsButton: "sometimes" } }),
    // @ts-expect-error misspelt
    new ConnectionProfile("p", { name: "p", strategyOverrides: { okta: { enabledFeature: ["scim"] } } }),
    // @ts-expect-error our own names
    new ConnectionProfile("p", { name: "p", strategyOverrides: { okta: { connection_config: {} } } }),
    // @ts-expect-error our own names
    new ConnectionProfile("p", { name: "p", organization: { show_as_button: "optional" } }),
    new ConnectionProfile("p", {
      name: "p",
      // @ts-expect-error our own names
      crossAppAccessResourceApp: { status: { default_value: "enabled" } },
      // @ts-expect-error our own names
      provisioning: { google_workspace: { syncUsers: true } },
    }),
    new ConnectionProfile("p", {
      name: "p",
      // @ts-expect-error not seconds
      provisioning: { scim: { tokens: { scopes: [], defaultExpiry: "1d" } } },
      // @ts-expect-error our own names
      strategyOverrides: { okta: { cross_app_access_resource_app: {} } },
    }),
    // @ts-expect-error in small letters
    new ConnectionProfile("p", { name: "p", strategyOverrides: { Okta: { enabledFeatures: ["scim"] } } }),
    // @ts-expect-error not a feature
    new ConnectionProfile("p", { name: "p", enabledFeatures: ["scimm"] }),
    // @ts-expect-error not an input
    new ConnectionProfile("p", { name: "p", nam: "p" }),
    // @ts-expect-error not a feature of a strategy
    new ConnectionProfile("p", { name: "p", strategyOverrides: { okta: { enabledFeatures: ["scimm"] } } }),
    // @ts-expect-error one group is a list too
    new RoleGroupAssignment("a", { roleId: "rol_1", groupIds: "grp_1" }),
    // @ts-expect-error the role is required
    new RoleGroupAssignment("a", { groupIds: [] }),
    // @ts-expect-error the credential is required
    new DeviceCredentialRemoval("d", {}),
    // @ts-expect-error the domain is required
    new Provider("p", { clientId: "id", clientSecret: "secret" }),
  ];
}

export function outputs(
  profile: ConnectionProfile,
  assignment: RoleGroupAssignment,
  removal: DeviceCredentialRemoval,
): unknown[] {
  const name: pulumi.Output<string> = profile.name;
  const features: pulumi.Output<string[] | undefined> = profile.enabledFeatures;
  const groups: pulumi.Output<string[]> = assignment.groupIds;
  const credential: pulumi.Output<string> = removal.deviceCredentialId;
  // @ts-expect-error an output is not a plain value
  const plain: string = profile.name;
  return [name, features, groups, credential, plain];
}
