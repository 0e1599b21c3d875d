import { isDefaultName } from "../provider/pulumi/provider-name";

/*
 * How Pulumi calls what the package has: by the SDK's dynamic provider for programs in TypeScript, and by the
 * plugin for all languages.
 */

const RESOURCE =
  /^(?:pulumi-nodejs:dynamic\/identity|identity:index):(RoleGroupAssignment|ConnectionProfile|DeviceCredentialRemoval)$/;

/** `RoleGroupAssignment`, by a resource's type; undefined for what is not of this package. */
export function kindOfType(type: string): string | undefined {
  return RESOURCE.exec(type)?.[1];
}

/** A provider may have a parent. */
const SETTING_PREFIXES = [
  { type: /(?:::|\$)pulumi:providers:pulumi-nodejs::/, prefix: "identity:" },
  { type: /(?:::|\$)pulumi:providers:identity::/, prefix: "" },
] as const;

/**
 * The settings of a provider by their names; undefined for other resources and providers. The dynamic
 * provider of other packages has the same type.
 */
export function settingsOfProvider(
  urn: string,
  inputs: Readonly<Record<string, unknown>>,
): Record<string, unknown> | undefined {
  const found = SETTING_PREFIXES.find(({ type }) => type.test(urn));
  if (found === undefined) return undefined;
  const { prefix } = found;
  return Object.fromEntries(
    Object.entries(inputs).flatMap(([name, value]) =>
      name.startsWith(prefix) ? [[name.slice(prefix.length), value]] : [],
    ),
  );
}

/** Pulumi makes a default provider where a program names none. */
export function isDefaultProvider(urn: string): boolean {
  const [, name] = /::pulumi:providers:.*?::(.*)$/s.exec(urn) ?? [];
  return name !== undefined && isDefaultName(name);
}

/** Whether a provider is one that the program declares for this package. */
export function isOwnProvider(urn: string, inputs: Readonly<Record<string, unknown>>): boolean {
  if (isDefaultProvider(urn)) return false;
  const settings = settingsOfProvider(urn, inputs);
  return settings !== undefined && (!urn.includes("pulumi-nodejs::") || settings["provider"] !== undefined);
}
