import { isObject, issueProblem } from "../../http/shape";
import { ConfigurationError, IdentityError } from "../../http/errors";
import { isHidden, PROVIDER_TEXT, keptMarks, STACK, WRITTEN } from "../hidden-inputs";
import { pathText, type RawInputs, withChildren } from "../../review/raw-inputs";
import { type Observed, type Prior, type ResourceKind } from "../resource-kind";
import { type Run } from "../run";
import { settingName } from "../settings";

/** Output of every resource: host name of its tenant. */
const TENANT = "tenant";

export class StateFormat<Inputs extends object> {
  readonly inputNames: readonly string[];

  constructor(private readonly kind: ResourceKind<Inputs>) {
    this.inputNames = Object.keys(kind.fields.schema.shape);
  }

  inputs(raw: RawInputs): Inputs & RawInputs {
    return Object.fromEntries(
      this.inputNames.filter((name) => name in raw).map((name) => [name, raw[name]]),
    ) as Inputs & RawInputs;
  }

  /** The inputs of the last update; undefined for a create. */
  before(olds: RawInputs): RawInputs | undefined {
    const before = withoutHidden(olds);
    return Object.keys(before).length === 0 ? undefined : before;
  }

  /** Throws an `IdentityError` if the state is damaged. */
  prior(raw: RawInputs): Prior<Inputs> {
    const outputs = withoutHidden(raw);
    const {
      name,
      fields: { state },
    } = this.kind;
    const [issue] = state?.types.safeParse(outputs).error?.issues ?? [];
    if (issue === undefined) {
      const inputs = state?.inputsIn?.(outputs) ?? this.inputs(outputs);
      return { inputs, outputs, isJustWritten: isJustWritten(raw) };
    }
    throw new IdentityError(
      `The state of this ${name} is damaged at ${pathText(issue.path)} (${issueProblem(issue)}), so nothing was sent. Restore an ` +
        "earlier state: pulumi stack export --version N, then pulumi stack import.",
    );
  }

  tenantOf(raw: RawInputs): string | undefined {
    const tenant = raw[TENANT];
    return typeof tenant === "string" ? tenant : undefined;
  }

  /** Returns all outputs. `source`: has what else state keeps, such as the names of secret inputs. */
  outputs(tenant: string, { inputs, outputs }: Observed<Inputs>, source: RawInputs): Record<string, unknown> {
    const kept = { [WRITTEN]: source[WRITTEN], [STACK]: source[STACK], [TENANT]: tenant };
    return withChildren({ ...inputs, ...outputs, ...keptMarks(source), ...kept }, plain);
  }

  /** Outputs for the error of a partial failure: there the engine doesn't add the text itself. */
  partialOutputs(tenant: string, observed: Observed<Inputs>, source: RawInputs): Record<string, unknown> {
    return { ...this.outputs(tenant, observed, source), [PROVIDER_TEXT]: source[PROVIDER_TEXT] };
  }

  observedInputs({ inputs }: Observed<Inputs>, source: RawInputs): Record<string, unknown> {
    return withChildren({ ...inputs, ...keptMarks(source) }, plain);
  }
}

/** Raw inputs marked as written now. `stack`: undefined if the door tells it anyway. */
export function writtenNow(raw: RawInputs, stack: string | undefined): RawInputs {
  return { ...raw, [WRITTEN]: now(), [STACK]: stack };
}

/** The service's reads can lag behind its writes by this many seconds. */
const LAG_SECONDS = 60;

function isJustWritten({ [WRITTEN]: written }: RawInputs): boolean {
  return typeof written === "number" && Math.abs(now() - written) < LAG_SECONDS;
}

function now(): number {
  return Math.floor(Date.now() / 1000);
}

/** The resource's own values, without those that Pulumi and this package add. */
export function withoutHidden(raw: RawInputs): RawInputs {
  return withChildren(raw, (value, name) => (isHidden(name) || name === TENANT ? undefined : value));
}

/** The engine rejects `undefined`, dates and the like, but only after the service has acted. */
function plain(value: unknown): unknown {
  if (value === undefined || typeof value === "string" || typeof value === "boolean") return value;
  if (Array.isArray(value)) return withChildren(value, (item) => plain(item) ?? null);
  if (isObject(value) && !("toJSON" in value)) return withChildren(value, plain);
  return JSON.parse(JSON.stringify(value)) as unknown;
}

/** Refuses to work on another tenant than the one in state. Call it before all else. */
export function guardTenant(kind: string, { [TENANT]: recorded, [STACK]: stack }: RawInputs, run: Run): void {
  const { tenant } = run;
  if (typeof stack === "string") run.stack ??= stack;
  if (typeof recorded !== "string" || tenant === undefined) return;
  if (recorded === tenant || run.formerTenants.includes(recorded)) {
    run.isKnownTenant = true;
    return;
  }
  const [domain, formerDomains] = (["domain", "formerDomains"] as const).map((name) =>
    settingName(name, run.source),
  );
  const former = run.source.from === "provider" ? JSON.stringify([recorded]) : recorded;
  throw new ConfigurationError(
    `This ${kind} lives on the tenant ${recorded}, but the configuration names ${tenant}. Set ${domain} back to ` +
      `${recorded}; or, if ${tenant} is another name of the same tenant, set ${formerDomains} to ${former} and run ` +
      "pulumi refresh --run-program; or, to leave the resource behind and create it anew, remove it from the state with " +
      "pulumi state delete.",
  );
}
