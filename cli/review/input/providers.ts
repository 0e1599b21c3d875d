import { tenantOf } from "../../../provider/pulumi/settings";
import { urnName } from "../../../provider/pulumi/urn";
import { stableJson } from "../../../provider/review/raw-inputs";
import { ifKnown, seenText } from "../../../provider/seen";
import { isDefaultProvider, isOwnProvider, settingsOfProvider } from "../../tokens";
import { type RawPreview, type RawState, type RawStep } from "./raw-preview";
import { compare } from "../../lists";

/** A step of this package's `Provider`. */
export interface ProviderStep {
  name: string;
  op: string;
  tenant: string | undefined;
  /** Settings that differ: `clientSecret`. */
  differs: readonly string[];
}

/** True if a step is about this package's `Provider`; others have the same type. */
export function isProviderStep({ urn, newState, oldState }: RawStep): boolean {
  return isOwnProvider(urn, (newState ?? oldState)?.inputs ?? {});
}

export function providerStep(step: RawStep): ProviderStep {
  const { op, urn, newState, oldState, diffReasons } = step;
  // If a setting isn't known yet, the provider isn't asked, and Pulumi names no difference.
  const [names = []] = [diffReasons, differingInputs(step)].filter(({ length }) => length > 0);
  const differs = names.map((name) => name.replace(/^identity:/, "")).sort(compare);
  return { name: urnName(urn), op, tenant: hostOfProvider(urn, newState ?? oldState), differs };
}

function differingInputs({ newState, oldState }: RawStep): string[] {
  const [before, after] = [oldState?.inputs ?? {}, newState?.inputs ?? {}];
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names.filter((name) => stableJson(before[name] ?? null) !== stableJson(after[name] ?? null));
}

/** Returns the tenant of a provider, by its reference. */
export type TenantOf = (provider: string | undefined) => string | undefined;

/**
 * Returns each provider's tenant, because a resource yet to be created doesn't have one. `environmentTenant`:
 * the preview's environment won over the configuration. `assumed`: of the default provider, if nothing names
 * one.
 */
export function tenantsOfProviders(
  { steps, config }: RawPreview,
  environmentTenant: string | undefined,
  assumed?: string,
): TenantOf {
  const ofResources = steps.map(({ oldState }) => ({
    urn: urnOf(oldState?.provider ?? ""),
    tenant: oldState?.outputs?.["tenant"],
  }));
  const declared = steps
    .filter(({ urn }) => !isDefaultProvider(urn))
    .map(({ urn, newState }) => ({ urn, tenant: hostOfProvider(urn, newState) }));
  const byProvider = new Map(
    [...ofResources, ...declared].flatMap(({ urn, tenant }) =>
      typeof tenant === "string" ? [[urn, tenant]] : [],
    ),
  );
  const configured = environmentTenant ?? hostOfDomain(config["identity:domain"]) ?? assumed;
  return (provider = "") => {
    const urn = urnOf(provider);
    return byProvider.get(urn) ?? (isDefaultProvider(urn) ? configured : undefined);
  };
}

function hostOfProvider(urn: string, state: RawState | undefined): string | undefined {
  return hostOfDomain(settingsOfProvider(urn, state?.inputs ?? {})?.["domain"]);
}

function hostOfDomain(domain: unknown): string | undefined {
  return tenantOf({ domain: ifKnown(seenText(domain)) });
}

/** Providers are referenced by URN and id. */
export function urnOf(reference: string): string {
  return reference.slice(0, reference.lastIndexOf("::"));
}
