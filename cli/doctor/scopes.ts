import { InsufficientScopeError } from "../../provider/http/errors";
import { allScopesOf, SCOPED, type Scoped, scopesOf } from "../../provider/service/scopes";
import { fine, type Finding, NOT_CHECKED, unchecked, warning, wrong } from "./finding";
import { type Visit } from "./visit";

/** What the token may do, against what each resource and data source needs. */
export function scopeFindings({ token, api }: Visit, required: readonly Scoped[]): Finding[] {
  const isRefused = api !== undefined && "error" in api && api.error.name === "AuthenticationError";
  if (token === undefined || "error" in token || isRefused) return [unchecked("scopes.granted", NOT_CHECKED)];
  const { scopes } = token.value;
  if (scopes === undefined) return unknownScopes(api, required);
  const granted = new Set(scopes);
  return [
    fine("scopes.granted", scopes.length === 0 ? "none" : `${scopes.length} scopes`),
    ...SCOPED.map((name) => {
      const needed = scopesOf(name);
      const missing = needed.filter((scope) => !granted.has(scope));
      if (missing.length > 0) return missingScopes(name, missing, required);
      return fine(`scopes.${name}`, `has ${needed.join(", ")}`);
    }),
    ...unneededFinding(scopes, required),
  ];
}

function missingScopes(name: Scoped, missing: readonly string[], required: readonly Scoped[]): Finding {
  const scopes = missing.join(", ");
  const says = `lacks ${scopes}`;
  if (required.includes(name)) {
    return wrong(
      `scopes.${name}`,
      says,
      `Grant ${scopes}: on the tenant, in the client's grant for the management API.`,
    );
  }
  return warning(
    `scopes.${name}`,
    says,
    `Grant ${missing.length === 1 ? "it" : "them"} to the client if programs use ${name}.`,
  );
}

/** Then only the one call that was sent tells something. */
function unknownScopes(api: Visit["api"], required: readonly Scoped[]): Finding[] {
  const denied =
    api !== undefined && "error" in api && api.error instanceof InsufficientScopeError
      ? api.error.scopes
      : [];
  const advice = "Nothing keeps a program from trying: its messages name a scope that is missing.";
  return [
    unchecked("scopes.granted", "not known: the token does not say", advice),
    ...SCOPED.map((name) => {
      const missing = scopesOf(name).filter((scope) => denied.includes(scope));
      return missing.length === 0
        ? unchecked(`scopes.${name}`, "not known")
        : missingScopes(name, missing, required);
    }),
  ];
}

function unneededFinding(granted: readonly string[], required: readonly Scoped[]): Finding[] {
  const users = required.length === 0 ? SCOPED : required;
  const needed = new Set(users.flatMap(allScopesOf));
  const unneeded = granted.filter((scope) => !needed.has(scope)).sort();
  if (unneeded.length === 0) return [];
  const by = required.length === 0 ? "anything in this package" : required.join(", ");
  return [fine("scopes.unneeded", `${unneeded.join(", ")}: not needed by ${by}`)];
}
