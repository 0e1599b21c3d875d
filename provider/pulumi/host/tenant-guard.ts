import { ConfigurationError } from "../../http/errors";
import { type Run } from "../run";

/** Refuses to work on a tenant other than the one that state records. */
export function guardTenant(kind: string, recorded: string | undefined, run: Run): void {
  const { tenant } = run;
  if (recorded === undefined || tenant === undefined) return;
  if (recorded === tenant || run.formerTenants.includes(recorded)) {
    run.isKnownTenant = true;
    return;
  }
  throw new ConfigurationError(
    `This ${kind} lives on the tenant ${recorded}, but the configuration names ${tenant}. Set identity:domain ` +
      `(IDENTITY_DOMAIN) back to ${recorded}; or, if ${tenant} is another name of the same tenant, set ` +
      `identity:formerDomains (IDENTITY_FORMER_DOMAINS) to ${recorded} and run pulumi refresh; or, to leave the ` +
      "resource behind and create it anew, remove it from the state with pulumi state delete.",
  );
}
