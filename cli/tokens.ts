import { isDefaultName, urnName } from "../provider/pulumi/urn";

/** A provider may have a parent. Other packages share the first type. */
const PROVIDERS = [
  { type: /(?:::|\$)pulumi:providers:pulumi-nodejs::/, prefix: "identity:", mark: "identity:provider" },
  { type: /(?:::|\$)pulumi:providers:identity::/, prefix: "", mark: undefined },
] as const;

type Inputs = Readonly<Record<string, unknown>>;

/** Returns a provider's settings by name; undefined if it isn't a provider. */
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

/** True for a provider that Pulumi creates because the program names none. */
export function isDefaultProvider(urn: string): boolean {
  return urn.includes("::pulumi:providers:") && isDefaultName(urnName(urn));
}

/** True for a provider of this package that the program itself declares. */
export function isOwnProvider(urn: string, inputs: Inputs): boolean {
  if (isDefaultProvider(urn)) return false;
  return PROVIDERS.some(({ type, mark }) => type.test(urn) && (mark === undefined || mark in inputs));
}
