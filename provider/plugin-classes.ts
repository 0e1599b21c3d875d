/**
 * The package's resources through its plugin instead of the SDK's dynamic provider host: the same classes, by
 * the types that all other languages use. `pulumi import` and the option `import` work with them.
 *
 * @module pulumi-identity/plugin
 */

/* eslint-disable @typescript-eslint/no-unsafe-declaration-merging, @typescript-eslint/no-empty-object-type --
   the properties are those of the class of the same name, which has the words for them */

import * as pulumi from "@pulumi/pulumi";
import { OF_PROVIDER, type ProviderArgs, providerFacts, type ProviderFacts } from "./pulumi/program/provider";
import { PLUGIN_SOURCE } from "./pulumi/plugin-source";
import { getExisting, pluginRegistration } from "./pulumi/program/registration";
import {
  CONNECTION_PROFILE,
  type ConnectionProfileArgs,
  type ConnectionProfile as DynamicProfile,
} from "./resources/connection-profile";
import {
  DEVICE_CREDENTIAL_REMOVAL,
  type DeviceCredentialRemovalArgs,
  type DeviceCredentialRemoval as DynamicRemoval,
} from "./resources/device-credential-removal";
import {
  type OrganizationRoleGroupAssignment as DynamicOrganizationAssignment,
  ORGANIZATION_ROLE_GROUP_ASSIGNMENT,
  type OrganizationRoleGroupAssignmentArgs,
} from "./resources/organization-role-group-assignment";
import {
  type RoleGroupAssignment as DynamicAssignment,
  ROLE_GROUP_ASSIGNMENT,
  type RoleGroupAssignmentArgs,
} from "./resources/role-group-assignment";
import {
  type UserSignOut as DynamicSignOut,
  USER_SIGN_OUT,
  type UserSignOutArgs,
} from "./resources/user-sign-out";

// Data sources, types and errors. The classes below take the place of those of the same names.
export * from "./index";

type Properties<Resource> = Omit<Resource, keyof pulumi.CustomResource>;

/** `ConnectionProfile` of `pulumi-identity`, through the plugin. */
export class ConnectionProfile extends pulumi.CustomResource {
  constructor(name: string, args: ConnectionProfileArgs, options?: pulumi.CustomResourceOptions) {
    super(...pluginRegistration(CONNECTION_PROFILE, { name, args, options }));
  }

  /** An existing profile, by its id; it is read, and never changed or deleted. */
  static readonly get = getExisting;
}
export interface ConnectionProfile extends Properties<DynamicProfile> {}

/** `RoleGroupAssignment` of `pulumi-identity`, through the plugin. */
export class RoleGroupAssignment extends pulumi.CustomResource {
  constructor(name: string, args: RoleGroupAssignmentArgs, options?: pulumi.CustomResourceOptions) {
    super(...pluginRegistration(ROLE_GROUP_ASSIGNMENT, { name, args, options }));
  }

  /** An existing role with all its groups, by the role's id; it is read, and never changed. */
  static readonly get = getExisting;
}
export interface RoleGroupAssignment extends Properties<DynamicAssignment> {}

/** `OrganizationRoleGroupAssignment` of `pulumi-identity`, through the plugin. */
export class OrganizationRoleGroupAssignment extends pulumi.CustomResource {
  constructor(
    name: string,
    args: OrganizationRoleGroupAssignmentArgs,
    options?: pulumi.CustomResourceOptions,
  ) {
    super(...pluginRegistration(ORGANIZATION_ROLE_GROUP_ASSIGNMENT, { name, args, options }));
  }

  /** All groups that have a role in an organization, by `org_…/rol_…`; it is read, and never changed. */
  static readonly get = getExisting;
}
export interface OrganizationRoleGroupAssignment extends Properties<DynamicOrganizationAssignment> {}

/** `DeviceCredentialRemoval` of `pulumi-identity`, through the plugin. */
export class DeviceCredentialRemoval extends pulumi.CustomResource {
  constructor(name: string, args: DeviceCredentialRemovalArgs, options?: pulumi.CustomResourceOptions) {
    super(...pluginRegistration(DEVICE_CREDENTIAL_REMOVAL, { name, args, options }));
  }

  /** A removal that was done elsewhere, by the id of the credential. Nothing is sent for it. */
  static readonly get = getExisting;
}
export interface DeviceCredentialRemoval extends Properties<DynamicRemoval> {}

/** `UserSignOut` of `pulumi-identity`, through the plugin. */
export class UserSignOut extends pulumi.CustomResource {
  constructor(name: string, args: UserSignOutArgs, options?: pulumi.CustomResourceOptions) {
    super(...pluginRegistration(USER_SIGN_OUT, { name, args, options }));
  }
}
export interface UserSignOut extends Properties<DynamicSignOut> {}

/** `Provider` of `pulumi-identity`, for resources of this module and for data sources. */
export class Provider extends pulumi.ProviderResource {
  /** Private at run time too, so that nobody prints it: it holds credentials. */
  readonly #facts: ProviderFacts;

  constructor(name: string, args: ProviderArgs, options?: pulumi.ResourceOptions) {
    const facts = providerFacts(name, args);
    super("identity", name, facts.inputs, { ...PLUGIN_SOURCE, ...options });
    this.#facts = { ...facts, isPlugin: true };
  }

  /** @internal */
  [OF_PROVIDER](): ProviderFacts {
    return this.#facts;
  }
}
