import { isDeepStrictEqual } from "node:util";
import { parseDomainLine } from "../../../provider/review/preview-lines";
import { type Place, say, type Sentence } from "../../../provider/review/sentence";
import { tenantOf } from "../../../provider/pulumi/settings";
import { compare, hiddenIn, type Side, type Step } from "../../../provider/review/step";
import { urnName, urnStack } from "../../../provider/pulumi/urn";
import { type PendingCreate } from "../../stack-export";
import { type Locate, NO_WORKPLACE } from "../../workplace";
import { isDefaultProvider, isOwnProvider, kindOfType, settingsOfProvider } from "../../tokens";
import { parseRawPreview, type RawPreview, type RawState, type RawStep } from "./raw-preview";
import { toldLines } from "./told-lines";

interface ProviderStep {
  name: string;
  op: string;
  tenant: string | undefined;
  /** Settings that differ: `clientSecret`. */
  differs: readonly string[];
}

export interface Preview {
  /** `project/stack`; undefined if nothing names it. */
  stack: string | undefined;
  steps: readonly Step[];
  errors: readonly { name: string | undefined; message: Sentence }[];
  providers: readonly ProviderStep[];
  others: number;
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

/**
 * Reads the JSON of `pulumi preview`, or of `pulumi refresh` or `destroy` with `--preview-only`; throws
 * `NoPreview`. `isDestroy`: the text doesn't say so itself.
 */
export function readPreview(text: string, locate: Locate = NO_WORKPLACE.locate, isDestroy = false): Preview {
  const raw = parseRawPreview(text);
  const { steps, diagnostics } = raw;
  const lines = diagnostics
    .filter(({ severity }) => severity === "info")
    .map(({ urn, message }) => ({ urn, text: message.trim() }));
  const environmentTenant = lines
    .map((line) => parseDomainLine(line.text))
    .find((tenant) => tenant !== undefined);
  const changes = steps.filter(({ op }) => !UNCHANGED.has(op) && !PARTS.has(op));
  const isNotPreview = isRefresh(steps) !== false;
  const own = steps.filter(
    (step) => resourceKind(step) !== undefined && !(isNotPreview && isRegisteredOnly(step, steps)),
  );
  // The preview's environment may have won over the configuration.
  const configured = environmentTenant ?? hostOfDomain(raw.config["identity:domain"]);
  const tenantOfProvider = tenantsOfProviders(steps, configured);
  return {
    stack: urnStack(steps[0]?.urn ?? diagnostics.find(({ urn }) => urn !== undefined)?.urn ?? ""),
    steps: stepsOf(
      own,
      new StepReader(steps, { tenantOfProvider, locate, isDestroy }, toldLines(lines, own)),
    ),
    errors: diagnostics
      .filter(({ severity }) => severity === "error")
      .map(({ urn, message }) => ({
        name: urn === undefined ? undefined : urnName(urn),
        message: say`${errorText(message)}`,
      })),
    providers: changes.filter((step) => isProviderStep(step) && KNOWN.has(step.op)).map(providerStep),
    others: changes.filter(
      (step) => resourceKind(step) === undefined && !isProviderStep(step) && isCustom(step),
    ).length,
    strange: [
      ...own.filter(({ op }) => !KNOWN.has(op)).map(({ urn, op }) => ({ name: urnName(urn), op })),
      ...raw.strange.map(({ urn = "", op = "", member }) => ({
        name: urnName(urn) || "a step",
        op: `${op} without a ${member} that it can read`.trim(),
      })),
    ],
    imported: own.filter(({ op }) => op === "import").map(({ urn }) => urnName(urn)),
    unchecked: uncheckedIn(own, steps, locate),
    lacks: missingFlag(raw),
    isRefresh: isRefresh(steps),
    environmentTenant,
  };
}

/** Removes the program's local path, because comments on pull requests show this. */
function errorText(message: string): string {
  return message
    .replace(/^error: /, "")
    .replace(/^Running program '.*' failed with an unhandled exception:\s*/, "The program failed: ")
    .replace(/^ +at .*\n?/gm, "");
}

/** Operations that change neither the tenant nor its resources in state. */
const UNCHANGED: ReadonlySet<string> = new Set([
  "same",
  "refresh",
  "import",
  "read",
  "read-replacement",
  "read-discard",
  "discard",
  "discard-replaced",
  "remove-pending-replace",
]);
/** The parts of a replacement; only --show-replacement-steps shows them. */
const PARTS: ReadonlySet<string> = new Set(["create-replacement", "delete-replaced", "read-replacement"]);
const KNOWN: ReadonlySet<string> = new Set([
  ...UNCHANGED,
  ...PARTS,
  ...["create", "update", "delete", "replace"],
]);

/** After the refresh, a preview has a further step for each resource; a refresh doesn't. */
function isRefresh(steps: readonly RawStep[]): boolean | undefined {
  const isRefreshed = ({ op, newState }: RawStep) =>
    op === "refresh" || (op === "update" && newState?.outputs !== undefined);
  const goesOn = new Set(steps.filter((step) => !isRefreshed(step)).map(({ urn }) => urn));
  if (steps.some((step) => isRefreshed(step) && !goesOn.has(step.urn))) return true;
  if (steps.some((step) => isRegisteredOnly(step, steps))) return undefined;
  return steps.some(({ urn }) => urn.split("::")[2] === "pulumi:pulumi:Stack") ? false : undefined;
}

/**
 * True if the program registers what a refresh has found to be gone: with `--run-program` and `--show-sames`,
 * that is a second step, of a resource without an id.
 */
function isRegisteredOnly({ op, urn, oldState, newState }: RawStep, steps: readonly RawStep[]): boolean {
  if (op !== "same" || (oldState ?? newState)?.id !== undefined) return false;
  return steps.some((other) => other.op === "delete" && other.urn === urn);
}

/** The summary counts all unchanged resources, shown or not; a replacement without its parts is one step. */
function missingFlag({ unchanged, steps }: RawPreview): Preview["lacks"] {
  if (isRefresh(steps) === true) return undefined;
  const shown = (...ops: string[]) => steps.filter(({ op }) => ops.includes(op));
  if (unchanged > shown("same").length) return "--show-sames";
  const inParts = new Set(shown(...PARTS).map(({ urn }) => urn));
  return shown("replace").every(({ urn }) => inParts.has(urn)) ? undefined : "--show-replacement-steps";
}

function stepsOf(own: readonly RawStep[], read: StepReader): Step[] {
  // A resource deleted for its replacement still has its former name.
  const renamed = new Map(
    own.flatMap(({ op, urn, oldState }) => (op === "replace" ? [[oldState?.urn, urn] as const] : [])),
  );
  const byUrn = new Map<string, RawStep[]>();
  for (const step of own) {
    const urn = step.op === "delete-replaced" ? (renamed.get(step.urn) ?? step.urn) : step.urn;
    byUrn.set(urn, [...(byUrn.get(urn) ?? []), step]);
  }
  const steps = [...byUrn.values()].flatMap((ofResource) => stepsOfResource(ofResource, read));
  return steps.sort(
    (one, other) =>
      compare(one.name, other.name) || compare(one.kind, other.kind) || compare(one.op, other.op),
  );
}

/**
 * Returns the steps of one resource. For a replacement its parts count: they show if and when anything is
 * deleted. `delete-replaced` may also be left over from an earlier run.
 */
function stepsOfResource(steps: readonly RawStep[], read: StepReader): Step[] {
  const find = (...ops: string[]) => steps.filter(({ op }) => ops.includes(op));
  const declared = (op: "create" | "update" | "same") =>
    find(op).map((step) => read.step(step, op, step.oldState, step.newState));
  const ended = (step: RawStep) => read.step(step, "delete", step.oldState);
  const replacement = replacementIn(steps);
  const deleted = find("delete", "delete-replaced").filter((step) => step !== replacement?.deleted);
  const released = find("read").filter(({ oldState }) => oldState !== undefined && !oldState.external);
  return [
    ...(replacement === undefined
      ? [...declared("create"), ...declared("update")]
      : [replacementStep(replacement, read)]),
    ...deleted.map(ended),
    ...released.map((step) => leaving("get", ended(step))),
    ...declared("same"),
    ...imported(steps, read),
  ];
}

/** An import that fits the program changes nothing. Any other comes with an update, which covers the rest. */
function imported(steps: readonly RawStep[], read: StepReader): Step[] {
  const step = steps.find(({ op }) => op === "import");
  if (step === undefined || steps.length > 1) return [];
  return [{ ...read.step(step, "same", undefined, step.newState), isOutside: false }];
}

/** A replacement and its parts. */
interface Replacement {
  whole: RawStep;
  made: RawStep;
  deleted: RawStep | undefined;
  deletesFirst: boolean;
}

function replacementIn(steps: readonly RawStep[]): Replacement | undefined {
  const whole = steps.find(({ op }) => op === "replace");
  const made = steps.find(({ op }) => op === "create" || op === "update" || op === "create-replacement");
  if (whole === undefined || made === undefined) return undefined;
  const deletes = steps.filter(({ op }) => op === "delete" || op === "delete-replaced");
  // An earlier run may have left another one with the same id to be deleted.
  const deleted =
    deletes.find(({ oldState }) => isSameState(oldState, whole.oldState)) ??
    deletes.find(({ oldState }) => oldState?.id === whole.oldState?.id);
  const deletesFirst = deleted !== undefined && steps.indexOf(deleted) < steps.indexOf(made);
  return { whole, made, deleted, deletesFirst };
}

function replacementStep(replacement: Replacement, read: StepReader): Step {
  const { whole, made, deleted, deletesFirst } = replacement;
  const old = whole.oldState;
  // Deletes outside the run's targets wait for a later run, unless an earlier one has already made them.
  const isGone = deleted === undefined && old?.pendingReplacement === true;
  const isLeft = deleted === undefined && !isGone;
  const before = isLeft ? old : deleted?.oldState;
  // A resource that was only read can't be replaced.
  const op = old?.external === true ? "create" : "replace";
  const mayNotBeReplaced = read.mayNotBeReplaced(whole.urn);
  const step: Step = {
    ...read.step(made, op, before, made.newState),
    deletesFirst,
    isGone,
    // Pulumi doesn't compare inputs if an option replaces the resource, so any of them may differ.
    differs: mayNotBeReplaced ? Object.keys(made.newState?.inputs ?? {}) : whole.diffReasons,
    replacedFor: whole.replaceReasons,
    mayNotBeReplaced,
  };
  return isLeft ? leaving("later", step) : step;
}

/** Returns the step with nothing sent at the old resource's end. */
function leaving(leaves: Step["leaves"] & string, step: Step): Step {
  return { ...step, leaves, mayLeave: false };
}

/** Turns raw steps into the form that resources read. */
class StepReader {
  readonly #deleted: ReadonlySet<string>;
  /** The subset that is renamed, or replaced because of a value that may turn out unchanged. */
  readonly #maybeDeleted: ReadonlySet<string>;
  readonly #dependencies: ReadonlyMap<string, readonly string[]>;
  /** URNs of resources that are deleted before their replacements are created. */
  readonly #deletedFirst: ReadonlySet<string>;
  readonly #maybeReplaced: ReadonlySet<string>;

  constructor(
    steps: readonly RawStep[],
    private readonly found: { tenantOfProvider: TenantOf; locate: Locate; isDestroy: boolean },
    private readonly told: ReadonlyMap<string, ReadonlySet<string>>,
  ) {
    this.#dependencies = new Map(
      steps.flatMap(({ urn, newState }) => (newState === undefined ? [] : [[urn, newState.dependencies]])),
    );
    const deleted = steps.filter(({ op, oldState }) => isDeletedLast(op, oldState));
    const urns = ({ urn, oldState }: RawStep) => [urn, oldState?.urn ?? urn];
    this.#deleted = new Set(deleted.flatMap(urns));
    this.#deletedFirst = new Set(
      steps
        .filter(({ op, oldState }) => op === "delete-replaced" && !isDeletedLast(op, oldState))
        .flatMap(urns),
    );
    const open = steps.filter(
      ({ op, newState }) => op.includes("replace") && hiddenIn(newState?.inputs) === "unknown",
    );
    this.#maybeReplaced = maybeReplaced(steps, new Set(open.map(({ urn }) => urn)));
    const renamed = deleted.flatMap(({ urn, oldState }) =>
      oldState?.urn === undefined || oldState.urn === urn ? [] : [oldState.urn],
    );
    this.#maybeDeleted = new Set([...open.flatMap(urns), ...this.#maybeReplaced, ...renamed]);
  }

  mayNotBeReplaced(urn: string): boolean {
    return this.#maybeReplaced.has(urn);
  }

  step(raw: RawStep, op: Step["op"], before: RawState | undefined, after?: RawState): Step {
    const provider = (raw.oldState ?? raw.newState)?.provider;
    return {
      kind: resourceKind(raw) ?? "",
      urn: raw.urn,
      name: urnName(raw.urn),
      op,
      ...(isThere(before, op) && { before: sideOf(before, this.found.tenantOfProvider) }),
      ...(isManaged(after) && { after: sideOf(after, this.found.tenantOfProvider) }),
      ...this.#leaves(op, raw.op, before),
      provider: provider === undefined ? undefined : urnOf(provider),
      deletesFirst: false,
      isGone: false,
      mayNotBeReplaced: false,
      isOutside: op === "same" && isOutside(before, after),
      isSpared: op === "same" && this.found.isDestroy,
      isHalfDone: before !== undefined && before.initErrors.length > 0,
      differs: raw.diffReasons,
      isAfter: ({ urn }) => this.#before(raw.urn).has(urn),
      line: raw.newState && this.found.locate(raw.newState.sourcePositions, raw.urn),
      replacedFor: [],
      told: [...(this.told.get(raw.urn) ?? [])],
    };
  }

  /** Returns the URNs of all that a resource depends on, directly or not. */
  #before(urn: string): ReadonlySet<string> {
    const found = new Set(this.#dependencies.get(urn));
    // A set's loop goes on to what is added meanwhile.
    for (const dependency of found)
      for (const further of this.#dependencies.get(dependency) ?? []) found.add(further);
    return found;
  }

  /** Returns why the engine doesn't send a resource's end. */
  #leaves(op: Step["op"], rawOp: string, state: RawState | undefined): Pick<Step, "leaves" | "mayLeave"> {
    if (state === undefined || (op !== "delete" && op !== "replace")) return { mayLeave: false };
    if (state.retainOnDelete) return { leaves: "retainOnDelete", mayLeave: false };
    const { deletedWith } = state;
    const isLast = op === "replace" ? state.delete : isDeletedLast(rawOp, state);
    if (deletedWith === undefined) return { mayLeave: false };
    // If the other is deleted first, only newer versions of the CLI skip this delete too.
    if (!isLast || !this.#deleted.has(deletedWith)) return { mayLeave: this.#deletedFirst.has(deletedWith) };
    return this.#maybeDeleted.has(deletedWith)
      ? { mayLeave: true }
      : { leaves: "deletedWith", mayLeave: false };
  }
}

/**
 * Finds replacements by options that may not happen: a trigger is unknown, or the resources they follow may
 * stay. `open`: URNs of resources that an unknown input may leave as they are.
 */
function maybeReplaced(steps: readonly RawStep[], open: ReadonlySet<string>): Set<string> {
  const found = new Set<string>();
  const replaced = steps.filter(({ op }) => op === "replace");
  const urns = new Set(replaced.map(({ urn }) => urn));
  const isOpen = (urn: string) => open.has(urn) || found.has(urn);
  // A resource is registered after those it follows, so these come first in the preview.
  for (const { urn, replaceReasons, newState } of replaced) {
    const isOwn = replaceReasons.some((reason) => reason !== "deletedWith" && reason !== "replaceWith");
    const followed = [newState?.deletedWith ?? [], newState?.replaceWith ?? []].flat();
    const causes = followed.filter((other) => urns.has(other));
    const isTriggered = hiddenIn(newState?.replacementTrigger) === "unknown";
    if (!isOwn && (isTriggered || causes.length > 0) && causes.every(isOpen)) found.add(urn);
  }
  return found;
}

/** A resource read by `get` isn't managed. */
function isManaged(state: RawState | undefined): state is RawState {
  return state !== undefined && !state.external;
}

/** True if a managed resource exists before the step. */
function isThere(state: RawState | undefined, op: Step["op"]): state is RawState {
  // A new resource outside the run's targets has no id.
  if (!isManaged(state) || state.id === undefined) return false;
  // A replacement that deletes first is marked as soon as it has deleted.
  return !state.pendingReplacement || op === "replace";
}

/** True if an unchanged resource is outside the run's targets. */
function isOutside(before: RawState | undefined, after: RawState | undefined): boolean {
  return after?.outputs !== undefined || (after?.id === undefined && before?.id === undefined);
}

/**
 * True if a resource goes after all creates and updates, even one that was only read: before that,
 * `deletedWith` spares nothing.
 */
function isDeletedLast(op: string, state: RawState | undefined): boolean {
  return (
    op === "delete" ||
    op === "discard" ||
    ((op === "delete-replaced" || op === "replace") && state?.delete === true)
  );
}

function isSameState(one: RawState | undefined, other: RawState | undefined): boolean {
  return isDeepStrictEqual([one?.id, one?.outputs], [other?.id, other?.outputs]);
}

function providerStep({ op, urn, newState, oldState, diffReasons }: RawStep): ProviderStep {
  const differs = diffReasons.map((name) => name.replace(/^identity:/, "")).sort(compare);
  const tenant = hostOfProvider(urn, newState ?? oldState);
  return { name: urnName(urn), op, tenant, differs };
}

function uncheckedIn(own: readonly RawStep[], all: readonly RawStep[], locate: Locate): Preview["unchecked"] {
  const open = all.filter((step) => isProviderStep(step) && hiddenIn(step.newState?.inputs) === "unknown");
  const urns = new Set(open.map(({ urn }) => urn));
  return own.flatMap(({ urn, op, newState }) => {
    const provider = newState?.provider === undefined ? "" : urnOf(newState.provider);
    if (UNCHANGED.has(op) || PARTS.has(op) || !urns.has(provider)) return [];
    const line = newState && locate(newState.sourcePositions, urn);
    return [{ name: urnName(urn), provider: urnName(provider), line }];
  });
}

/** True if a step is about this package's `Provider`; others have the same type. */
function isProviderStep({ urn, newState, oldState }: RawStep): boolean {
  return isOwnProvider(urn, (newState ?? oldState)?.inputs ?? {});
}

function sideOf(state: RawState, tenantOfProvider: TenantOf): Side {
  const { id, inputs, outputs = {}, protect, retainOnDelete, provider } = state;
  const told = id === undefined ? undefined : outputs["tenant"];
  const tenant = typeof told === "string" ? told : tenantOfProvider(provider);
  return { id, tenant, inputs, outputs, protect, retainOnDelete };
}

/** Returns each provider's tenant, because a resource yet to be created doesn't have one. */
function tenantsOfProviders(steps: readonly RawStep[], configured: string | undefined): TenantOf {
  const byProvider = new Map<string, string>();
  for (const { oldState } of steps) {
    const tenant = oldState?.outputs?.["tenant"];
    if (oldState?.provider !== undefined && typeof tenant === "string")
      byProvider.set(urnOf(oldState.provider), tenant);
  }
  for (const { urn, newState } of steps) {
    const host = isDefaultProvider(urn) ? undefined : hostOfProvider(urn, newState);
    if (host !== undefined) byProvider.set(urn, host);
  }
  return (provider) => {
    if (provider === undefined) return undefined;
    const urn = urnOf(provider);
    return byProvider.get(urn) ?? (isDefaultProvider(urn) ? configured : undefined);
  };
}

type TenantOf = (provider: string | undefined) => string | undefined;

function hostOfProvider(urn: string, state: RawState | undefined): string | undefined {
  return hostOfDomain(settingsOfProvider(urn, state?.inputs ?? {})?.["domain"]);
}

function hostOfDomain(domain: unknown): string | undefined {
  return typeof domain === "string" ? tenantOf({ domain }) : undefined;
}

/** Providers are referenced by URN and id. */
function urnOf(reference: string): string {
  return reference.slice(0, reference.lastIndexOf("::"));
}

function resourceKind({ newState, oldState }: Pick<RawStep, "newState" | "oldState">): string | undefined {
  return kindOfType((newState ?? oldState)?.type ?? "");
}

/** Components, the stack and default providers change nothing by themselves. */
function isCustom({ urn, newState, oldState }: RawStep): boolean {
  return (newState ?? oldState)?.custom === true && !isDefaultProvider(urn);
}
