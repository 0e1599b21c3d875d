import { type Effects, type Note, type NotReviewable } from "./kinds/effects";
import { keptText } from "../../provider/review/facts";
import { list, say, type Sentence, tail } from "../../provider/sentence";
import { type Step } from "./kinds/step";
import { anyOf, optional } from "../lists";
import { type Preview } from "./input/preview";

/** Returns what a preview says beside the effects of its resources. */
export function besideEffects(preview: Preview, isDrift: boolean): Pick<Effects, "unknown" | "notes"> {
  const open = [...strangeIn(preview), ...uncheckedIn(preview), ...keptIn(preview)];
  if (isDrift) return { unknown: open, notes: [] };
  return {
    unknown: [...open, ...tenantDoubt(preview), ...auth0TenantDoubt(preview)],
    notes: [...optionNotes(preview.steps), ...providersOf(preview), ...importsOf(preview)],
  };
}

/** Anybody can print lines, so one that names a tenant adds doubt. */
function tenantDoubt({ environmentTenant: tenant }: Preview): NotReviewable[] {
  return optional(tenant).map((host) => {
    const reason = say`the tenant is ${host}, because IDENTITY_DOMAIN was set for the preview; the stack's identity:domain is another one`;
    return { name: undefined, line: undefined, reason, categories: [] };
  });
}

/** Its own environment variable may name any tenant. */
function auth0TenantDoubt({ isAuth0Untold, auth0 }: Preview): NotReviewable[] {
  const tenant = auth0
    .map(({ step: { before, after } }) => (after ?? before)?.tenant)
    .find((host) => host !== undefined);
  const taken = tail`, and was taken to be ${tenant}`;
  const reason = say`the tenant of @pulumi/auth0 doesn't show in the preview${taken}: set auth0:domain in the stack's configuration`;
  return anyOf([
    isAuth0Untold,
    { name: undefined, line: undefined, reason, categories: ["grant", "revoke"] as const },
  ]);
}

function strangeIn({ strange }: Preview): NotReviewable[] {
  return strange.map(({ name, op }) => ({
    name,
    line: undefined,
    reason: say`this release does not know the operation ${op}: update pulumi-identity`,
    categories: ["grant", "revoke", "removal", "delete"],
  }));
}

function uncheckedIn({ unchecked }: Preview): NotReviewable[] {
  return unchecked.map(({ name, provider, line }) => {
    const reason = say`its Provider ${provider} has a setting that isn't known until the change is made, so its inputs weren't checked`;
    return { name, line, reason, categories: [] };
  });
}

/** Reads lag behind writes, so neither a drift nor its absence is known. */
function keptIn({ kept }: Preview): NotReviewable[] {
  return kept.map(({ name, fact }) => ({
    name,
    line: undefined,
    reason: say`${keptText(fact)}`,
    categories: [],
  }));
}

function importsOf({ imported }: Preview): Note[] {
  return imported.map((name) => ({ name, reason: say`is imported: from now on, this stack manages it` }));
}

/** A `Provider` changes nothing on its tenant, but it selects the tenant and the client. */
function providersOf({ providers }: Preview): Note[] {
  return providers.map(({ name, op, tenant, differs }) => {
    const where = tail`${tenant}`.or(say`a tenant that the preview doesn't tell`);
    const change = PROVIDERS[op]?.(where);
    // Secrets look alike, known or not.
    const settings = tail`its settings change: ${list(differs)}`.or(say`its settings may change`);
    return { name, reason: change ?? say`is the Provider of ${where}; ${settings}` };
  });
}

const PROVIDERS: Readonly<Record<string, (tenant: Sentence) => Sentence>> = {
  create: (tenant) => say`is a new Provider, of ${tenant}`,
  delete: (tenant) => say`is no longer a Provider, of ${tenant}`,
};

/** Options that affect what a later run does, each with what it means from now on. */
const OPTIONS = [
  { option: "protect", on: say`is protected from now on`, off: say`is no longer protected` },
  {
    option: "retainOnDelete",
    on: say`from now on, destroying it sends nothing (retainOnDelete)`,
    off: say`from now on, destroying it has its effect again (retainOnDelete is gone)`,
  },
] as const;

function optionNotes(steps: readonly Step[]): Note[] {
  return steps.flatMap(({ name, before, after }) => {
    if (before === undefined || after === undefined) return [];
    const changed = OPTIONS.filter(({ option }) => before[option] !== after[option]);
    return changed.map(({ option, on, off }) => ({
      name,
      tenant: after.tenant,
      reason: after[option] ? on : off,
    }));
  });
}
