import { type FactOf, factIn, factsOf } from "../../../provider/review/facts";
import { type Place, say, type Sentence } from "../../../provider/sentence";
import { type Step } from "../kinds/step";
import { hiddenIn, UNKNOWN } from "../../../provider/seen";
import { parseUrn, urnName, urnStack } from "../../../provider/pulumi/urn";
import { type PendingCreate } from "../../stack-export";
import { optional } from "../../lists";
import { isDefaultProvider } from "../../tokens";
import { type Locate, NO_WORKPLACE } from "../../places";
import { type Auth0Step, auth0Steps, isReadOfAuth0, madeObjectsIn, tenantsOfAuth0, typeOf } from "./auth0";
import { changeBy, isImport, isKnownOperation } from "./operations";
import { printedFacts } from "./printed-lines";
import { isProviderStep, type ProviderStep, providerStep, tenantsOfProviders, urnOf } from "./providers";
import { parseRawPreview, type RawPreview, type RawStep } from "./raw-preview";
import { resourceKind, stepsIn } from "./steps";

export interface Preview {
  /** `project/stack`; undefined if nothing names it. */
  stack: string | undefined;
  steps: readonly Step[];
  /** Resources that a refresh has found as they are in state. */
  asInState: readonly Step[];
  /** Steps of `@pulumi/auth0` that change who may do what. */
  auth0: readonly Auth0Step[];
  /** True if the preview doesn't name the tenant of one that changes something. */
  isAuth0Untold: boolean;
  errors: readonly { name: string | undefined; message: Sentence }[];
  providers: readonly ProviderStep[];
  others: number;
  /** A refresh didn't find these, and keeps them, because they were written less than a minute ago. */
  kept: readonly { name: string | undefined; fact: FactOf<"kept"> }[];
  /** Names of resources that the stack takes over unchanged, by Pulumi's import. */
  imported: readonly string[];
  /** Resources of a Provider with an unknown setting: Pulumi calls no provider until all are known. */
  unchecked: readonly { name: string; provider: string; line: Place | undefined }[];
  /** Steps with an unknown operation, or in an unknown form. */
  strange: readonly { name: string; op: string }[];
  /** The missing flag, without which the preview hides steps. */
  lacks: "--show-sames" | "--show-replacement-steps" | undefined;
  /** True for a refresh, according to the stack's step; undefined if there is none. */
  isRefresh: boolean | undefined;
  /** The tenant of IDENTITY_DOMAIN, if a line says that it wins over the configuration. */
  environmentTenant: string | undefined;
  /** From the stack's state; undefined if it wasn't read. */
  pending?: readonly PendingCreate[];
}

/** Facts about a preview that its text lacks. */
interface PreviewFacts {
  isDestroy?: boolean;
  /** The tenant of the default provider, where neither the preview nor its configuration names one. */
  ofEnvironment?: string | undefined;
}

/**
 * Reads the JSON of `pulumi preview`, or of `pulumi refresh` or `destroy` with `--preview-only`; throws
 * `NoPreview`.
 */
export function readPreview(
  text: string,
  locate: Locate = NO_WORKPLACE.locate,
  { isDestroy = false, ofEnvironment }: PreviewFacts = {},
): Preview {
  const raw = parseRawPreview(text);
  const { steps, diagnostics } = raw;
  const lines = diagnostics
    .filter(({ severity }) => severity === "info")
    .flatMap(({ urn, message }) => {
      const line = message.trim();
      return optional(factIn(line)).map((fact) => ({ urn, text: line, fact }));
    });
  const facts = lines.map(({ fact }) => fact);
  const environmentTenant = factsOf(facts, "tenant").at(0)?.tenant;
  const isRefresh = isRefreshOf(steps);
  const ofPackage = steps.filter((step) => resourceKind(step) !== undefined);
  const own = withoutRegistered(ofPackage);
  const changes = steps.filter(({ op }) => changeBy(op) === "own");
  const known = { locate, isDestroy, madeFor: madeObjectsIn(steps) };
  const ofOwn = {
    ...known,
    kindOf: resourceKind,
    tenantOfProvider: tenantsOfProviders(raw, environmentTenant, ofEnvironment),
    printed: printedFacts(lines, own),
  };
  const ownSteps = stepsIn(own, steps, ofOwn);
  const changed = new Set(own.filter(({ op }) => op !== "refresh").map(({ urn }) => urn));
  const refreshed = own.filter(({ op, urn }) => op === "refresh" && !changed.has(urn));
  // A refresh only finds changes that others have made already, so there is nothing of them to review.
  const isOfAuth0 = isRefresh === true ? () => false : isReadOfAuth0;
  const ofAuth0 = steps.filter(isOfAuth0);
  const auth0In = (assumed: string | undefined) =>
    stepsIn(ofAuth0, steps, {
      ...known,
      kindOf: typeOf,
      tenantOfProvider: tenantsOfAuth0(raw, assumed),
      printed: new Map(),
    });
  const isUntold = auth0In(undefined).some(
    ({ op, before, after }) =>
      op !== "same" && (after ?? before) !== undefined && (after ?? before)?.tenant === undefined,
  );
  const [tenant, ...otherTenants] = new Set(
    ownSteps.flatMap(({ before, after }) => (after ?? before)?.tenant ?? []),
  );
  return {
    stack: urnStack(steps[0]?.urn ?? diagnostics.find(({ urn }) => urn !== undefined)?.urn ?? ""),
    steps: ownSteps,
    asInState: stepsIn(
      refreshed.map((step) => ({ ...step, op: "same" })),
      steps,
      ofOwn,
    ),
    auth0: auth0Steps(auth0In(otherTenants.length === 0 ? tenant : undefined)),
    isAuth0Untold: isUntold,
    errors: reasonsIn(diagnostics).map(({ urn, message }) => ({
      name: urn && urnName(urn),
      message: say`${errorText(message)}`,
    })),
    providers: changes
      .filter((step) => isProviderStep(step) && isKnownOperation(step.op))
      .map((step) => providerStep(step)),
    others: changes.filter((step) => isOfOthers(step) && !isOfAuth0(step)).length,
    strange: [
      ...own.filter(({ op }) => !isKnownOperation(op)).map(({ urn, op }) => ({ name: urnName(urn), op })),
      ...raw.strange.map(({ urn = "", op = "", member }) => ({
        name: urnName(urn) || "a step",
        op: `${op} without a ${member} that it can read`.trim(),
      })),
    ],
    kept: lines.flatMap(({ urn, fact }) =>
      factsOf([fact], "kept").map((kept) => ({ name: urn && urnName(urn), fact: kept })),
    ),
    imported: own.filter(({ op }) => isImport(op)).map(({ urn }) => urnName(urn)),
    unchecked: uncheckedIn(own, steps, locate),
    lacks: isRefresh === true ? undefined : missingFlag(raw),
    isRefresh,
    environmentTenant,
  };
}

/** In red. The lines after it show the program's source. */
const YAML_ERROR = "\u001b[31mError\u001b[0m: ";

/** Pulumi's YAML host prints what is wrong with a program as a line of output, and no error. */
function isError({ urn, message, severity }: RawPreview["diagnostics"][number]): boolean {
  return severity === "error" || (urn === undefined && message.startsWith(YAML_ERROR));
}

/** Pulumi's last word on each failed preview, and on one that a policy refuses the only one. */
const FAILED = /^(?:error: )?preview failed\s*$/;

function reasonsIn(diagnostics: RawPreview["diagnostics"]): RawPreview["diagnostics"] {
  const errors = diagnostics.filter((diagnostic) => isError(diagnostic));
  const reasons = errors.filter(({ message }) => !FAILED.test(message));
  return reasons.length > 0 ? reasons : errors.slice(0, 1);
}

/** Removes the program's local path, because comments on pull requests show this. */
function errorText(message: string): string {
  return (
    message
      .replace(FAILED, "Its JSON doesn't say why, as when a policy refuses it: `pulumi preview` does.")
      .replace(YAML_ERROR, "")
      .replace(/^error: /, "")
      .replace(/^Running program '.*' failed with an unhandled exception:\s*/, "The program failed: ")
      .replace(/^ +at .*\n?/gm, "")
      // Compilers print the reason, but programs print secrets, too, so a review has neither.
      .replace(/\b(exit (?:status|code):? \d+)\s*$/, "$1. `pulumi preview` prints why.")
  );
}

/** After the refresh, a preview has a further step for each resource; a refresh doesn't. */
function isRefreshOf(steps: readonly RawStep[]): boolean | undefined {
  const isRefreshed = ({ op, newState }: RawStep) =>
    op === "refresh" || (op === "update" && newState?.outputs !== undefined);
  const goesOn = new Set(steps.filter((step) => !isRefreshed(step)).map(({ urn }) => urn));
  if (steps.some((step) => isRefreshed(step) && !goesOn.has(step.urn))) return true;
  if (withoutRegistered(steps).length < steps.length) return undefined;
  return steps.some(({ urn }) => parseUrn(urn).type === "pulumi:pulumi:Stack") ? false : undefined;
}

/**
 * Leaves out what a refresh has found to be gone, and the program registers: with `--run-program` and
 * `--show-sames`, that is a second step, of a resource without an id.
 */
function withoutRegistered(steps: readonly RawStep[]): readonly RawStep[] {
  const gone = new Set(steps.filter(({ op }) => op === "delete").map(({ urn }) => urn));
  const hasId = ({ oldState, newState }: RawStep) => (oldState ?? newState)?.id !== undefined;
  return steps.filter((step) => step.op !== "same" || hasId(step) || !gone.has(step.urn));
}

/** The summary counts all unchanged resources, shown or not; a replacement without its parts is one step. */
function missingFlag({ unchanged, steps }: RawPreview): Preview["lacks"] {
  if (unchanged > steps.filter(({ op }) => op === "same").length) return "--show-sames";
  const inParts = new Set(steps.filter(({ op }) => changeBy(op) === "part").map(({ urn }) => urn));
  const isWhole = steps.every(({ op, urn }) => op !== "replace" || inParts.has(urn));
  return isWhole ? undefined : "--show-replacement-steps";
}

function uncheckedIn(own: readonly RawStep[], all: readonly RawStep[], locate: Locate): Preview["unchecked"] {
  const open = all.filter((step) => isProviderStep(step) && hiddenIn(step.newState?.inputs) === UNKNOWN);
  const urns = new Set(open.map(({ urn }) => urn));
  return own.flatMap(({ urn, op, newState }) => {
    const provider = urnOf(newState?.provider ?? "");
    if (changeBy(op) !== "own" || !urns.has(provider)) return [];
    const line = newState && locate(newState.sourcePositions, urn);
    return [{ name: urnName(urn), provider: urnName(provider), line }];
  });
}

/** Components, the stack and default providers change nothing by themselves. */
function isOfOthers(step: RawStep): boolean {
  const { urn, newState, oldState } = step;
  if (resourceKind(step) !== undefined || isProviderStep(step)) return false;
  return (newState ?? oldState)?.custom === true && !isDefaultProvider(urn);
}
