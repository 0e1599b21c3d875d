import { isDefaultName, urnName } from "../provider/pulumi/urn";

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

/** A provider may have a parent. Other packages have the first type, too. */
const PROVIDERS = [
  { type: /(?:::|\$)pulumi:providers:pulumi-nodejs::/, prefix: "identity:", mark: "identity:provider" },
  { type: /(?:::|\$)pulumi:providers:identity::/, prefix: "", mark: undefined },
] as const;

type Inputs = Readonly<Record<string, unknown>>;

/** The settings of a provider by their names; undefined for what is none. */
export function settingsOfProvider(urn: string, inputs: Inputs): Inputs | undefined {
  const found = PROVIDERS.find(({ type }) => type.test(urn));
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
  return urn.includes("::pulumi:providers:") && isDefaultName(urnName(urn));
}

/** True for a provider of this package that the program declares itself. */
export function isOwnProvider(urn: string, inputs: Inputs): boolean {
  if (isDefaultProvider(urn)) return false;
  return PROVIDERS.some(({ type, mark }) => type.test(urn) && (mark === undefined || mark in inputs));
}
