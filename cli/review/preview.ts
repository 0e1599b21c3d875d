import { isDeepStrictEqual } from "node:util";
import { clean } from "../../provider/border";
import { parseDomainLine } from "../../provider/pulumi/preview-lines";
import { say, type Sentence } from "../../provider/pulumi/sentence";
import { tenantOf } from "../../provider/pulumi/settings";
import { compare, hiddenIn, type Side, type Step } from "../../provider/pulumi/step";
import { placeOf, urnName, urnStack } from "../stack-export";
import { parseRawPreview, type RawPreview, type RawState, type RawStep } from "./raw-preview";

interface ProviderStep {
  name: string;
  op: "create" | "update" | "replace" | "delete";
  tenant: string | undefined;
  /** Settings that differ: `clientSecret`. */
  differs: readonly string[];
}

export interface Preview {
  /** `project/stack`; undefined where no step and no error names it. */
  stack: string | undefined;
  steps: readonly Step[];
  errors: readonly { name: string | undefined; message: Sentence }[];
  providers: readonly ProviderStep[];
  others: number;
  /** Steps with an operation that this release doesn't know, or in a form that it doesn't. */
  strange: readonly { name: string; op: string }[];
  /** Whether the preview was made without the options that show all of its steps. */
  isPartial: boolean;
  /** Whether it is that of a refresh, as the step of the stack tells; undefined where there is none. */
  isRefresh: boolean | undefined;
  /** The tenant of IDENTITY_DOMAIN, where a line of the preview says that it wins over the configuration. */
  environmentTenant: string | undefined;
}

const NO_PREVIEW: Preview = {
  stack: undefined,
  steps: [],
  errors: [
    {
      name: undefined,
      message: say`There is no preview: the input is empty. Pulumi prints nothing when it ends early, for example without its passphrase or its backend. Look at what the command printed on stderr.`,
    },
  ],
  providers: [],
  others: 0,
  strange: [],
  isPartial: false,
  isRefresh: undefined,
  environmentTenant: undefined,
};

const TYPE_PATTERN =
  /^pulumi-nodejs:dynamic\/identity:(RoleGroupAssignment|ConnectionProfile|DeviceCredentialRemoval)$/;

/** Reads the output of `pulumi preview --json`, or of `pulumi refresh --preview-only --json`. */
export function readPreview(text: string, source: string): Preview {
  if (text.trim() === "") return NO_PREVIEW;
  const raw = parseRawPreview(text, source);
  const all = raw.steps;
  const changes = all.filter(({ op }) => !UNCHANGED.has(op) && !PARTS.has(op));
  const own = all.filter((step) => resourceKind(step) !== undefined);
  const isAnyHidden = hasHiddenSteps(raw, all);
  return {
    stack: urnStack(all[0]?.urn ?? raw.diagnostics.find(({ urn }) => urn !== undefined)?.urn ?? ""),
    steps: stepsOf(own, new StepReader(all, new Tenants(raw, all), new ToldLines(raw), isAnyHidden)),
    errors: raw.diagnostics
      .filter(({ severity }) => severity === "error")
      .map(({ urn, message }) => ({
        name: urn === undefined ? undefined : urnName(urn),
        message: say`${message.replace(/^error: /, "")}`,
      })),
    providers: changes.flatMap(toProviderStep),
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
    isPartial: isAnyHidden,
    isRefresh: isRefresh(all),
    environmentTenant: environmentTenant(raw.diagnostics),
  };
}

/** Operations that change neither the tenant nor what the state holds of it. */
const UNCHANGED: ReadonlySet<string> = new Set([
  "same",
  "refresh",
  "read",
  "read-replacement",
  "read-discard",
  "discard",
  "discard-replaced",
  "remove-pending-replace",
]);
/** What a replacement is made of; only --show-replacement-steps shows these. */
const PARTS: ReadonlySet<string> = new Set(["create-replacement", "delete-replaced", "read-replacement"]);
const KNOWN: ReadonlySet<string> = new Set([
  ...UNCHANGED,
  ...PARTS,
  ...["create", "update", "delete", "replace"],
]);

/** A preview that refreshes first has both steps of its stack, a refresh only its own. */
function isRefresh(steps: readonly RawStep[]): boolean | undefined {
  const stack = steps.filter(({ urn }) => urn.split("::")[2] === "pulumi:pulumi:Stack");
  return stack.length === 0 ? undefined : stack.every(({ op }) => op === "refresh");
}

/**
 * Whether steps are hidden. Without --show-replacement-steps that is also what an earlier run has left to be
 * deleted, of which nothing else tells; without --show-sames what does not change.
 */
function hasHiddenSteps({ unchanged }: RawPreview, steps: readonly RawStep[]): boolean {
  const shown = (...ops: string[]) => steps.filter(({ op }) => ops.includes(op));
  const replaced = new Set(shown(...PARTS).map(({ urn }) => urn));
  return shown("replace").some(({ urn }) => !replaced.has(urn)) || unchanged > shown("same").length;
}

function stepsOf(own: readonly RawStep[], read: StepReader): Step[] {
  // What is deleted for its replacement still has its former name.
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
 * What is done to one resource. Where the parts of a replacement are shown, these count: they tell whether
 * anything is deleted, and when. `delete-replaced` is also what an earlier run has left to be deleted.
 */
function stepsOfResource(steps: readonly RawStep[], read: StepReader): Step[] {
  const find = (...ops: string[]) => steps.filter(({ op }) => ops.includes(op));
  const replacement = replacementIn(steps);
  const created = find("create").map((step) => read.step(step, "create", step.oldState, step.newState));
  const updated = find("update").map((step) => read.step(step, "update", step.oldState, step.newState));
  const deleted = find("delete", "delete-replaced").filter((step) => step !== replacement?.deleted);
  const released = find("read").filter(({ oldState }) => oldState !== undefined && !oldState.external);
  return [
    ...(replacement === undefined ? [...created, ...updated] : [replacementStep(replacement, read)]),
    ...deleted.map((step) => read.step(step, "delete", step.oldState)),
    ...released.map((step) => leaving("get", read.step(step, "delete", step.oldState))),
    ...find("same").map((step) => read.step(step, "same", step.oldState, step.newState)),
  ];
}

/** A replacement, as far as the preview shows its parts. */
interface Replacement {
  whole: RawStep;
  /** `whole` where the parts are not shown. */
  made: RawStep;
  deleted: RawStep | undefined;
  arePartsShown: boolean;
  deletesFirst: boolean;
}

function replacementIn(steps: readonly RawStep[]): Replacement | undefined {
  const whole = steps.find(({ op }) => op === "replace");
  const arePartsShown = steps.some(({ op }) => PARTS.has(op));
  const creates = ["create", "update", "create-replacement", ...(arePartsShown ? [] : ["replace"])];
  const made = steps.find(({ op }) => creates.includes(op));
  if (whole === undefined || made === undefined) return undefined;
  const deletes = steps.filter(({ op }) => op === "delete" || op === "delete-replaced");
  // An earlier run may have left another one of the same id to be deleted.
  const deleted =
    deletes.find(({ oldState }) => isSameState(oldState, whole.oldState)) ??
    deletes.find(({ oldState }) => oldState?.id === whole.oldState?.id);
  const deletesFirst = deleted !== undefined && steps.indexOf(deleted) < steps.indexOf(made);
  return { whole, made, deleted, arePartsShown, deletesFirst };
}

function replacementStep(replacement: Replacement, read: StepReader): Step {
  const { whole, made, deleted, arePartsShown, deletesFirst } = replacement;
  const old = whole.oldState;
  // Deletes outside of the run's targets wait for a later run, unless an earlier one has made them.
  const isGone = deleted === undefined && old?.pendingReplacement === true;
  const isLeft = arePartsShown && deleted === undefined && !isGone;
  const before = !arePartsShown || isLeft ? old : deleted?.oldState;
  // What was only read before is not there to be replaced.
  const op = old?.external === true ? "create" : "replace";
  const step: Step = {
    ...read.step(made, op, before, made.newState),
    deletesFirst,
    isGone,
    differs: whole.diffReasons,
    replacedFor: whole.replaceReasons,
  };
  return isLeft ? leaving("later", step) : step;
}

/** The step where nothing is sent for the end of what there was. */
function leaving(leaves: Step["leaves"] & string, step: Step): Step {
  return { ...step, leaves, mayLeave: false };
}

/** Brings raw steps into the form in which resources read them. */
class StepReader {
  readonly #deleted: ReadonlySet<string>;
  /** Those of them that are renamed, or replaced because of a value that may turn out to be as it is. */
  readonly #maybeDeleted: ReadonlySet<string>;

  constructor(
    steps: readonly RawStep[],
    private readonly tenants: Tenants,
    private readonly told: ToldLines,
    private readonly isPartial: boolean,
  ) {
    const deleted = steps.filter(({ op, oldState }) => isDeletedLast(op, oldState));
    const urns = ({ urn, oldState }: RawStep) => [urn, oldState?.urn ?? urn];
    this.#deleted = new Set(deleted.flatMap(urns));
    const open = steps.filter(
      ({ op, newState }) => op.includes("replace") && hiddenIn(newState?.inputs) === "unknown",
    );
    const renamed = deleted.flatMap(({ urn, oldState }) =>
      oldState?.urn === undefined || oldState.urn === urn ? [] : [oldState.urn],
    );
    this.#maybeDeleted = new Set([...open.flatMap(urns), ...renamed]);
  }

  step(raw: RawStep, op: Step["op"], before: RawState | undefined, after?: RawState): Step {
    const name = urnName(raw.urn);
    return {
      kind: resourceKind(raw) ?? "",
      name,
      op,
      ...(isThere(before, op) && { before: sideOf(before, this.tenants) }),
      ...(isManaged(after) && { after: sideOf(after, this.tenants) }),
      ...this.#leaves(op, raw.op, before),
      provider: urnOf((raw.oldState ?? raw.newState)?.provider),
      isDeleteHidden: raw.op === "replace",
      areOthersHidden: this.isPartial,
      deletesFirst: false,
      isGone: false,
      isOutside: op === "same" && isOutside(before, after),
      isHalfDone: before !== undefined && before.initErrors.length > 0,
      differs: raw.diffReasons,
      line: placeOf(raw.newState?.sourcePositions ?? []),
      replacedFor: [],
      told: this.told.of(name),
    };
  }

  /** What keeps the end of a resource from being sent, as far as that is the engine's doing. */
  #leaves(op: Step["op"], rawOp: string, state: RawState | undefined): Pick<Step, "leaves" | "mayLeave"> {
    const sent = { mayLeave: false };
    if (state === undefined || (op !== "delete" && op !== "replace")) return sent;
    if (state.retainOnDelete) return { leaves: "retainOnDelete", mayLeave: false };
    const { deletedWith } = state;
    if (deletedWith === undefined || !this.#deleted.has(deletedWith)) return sent;
    const isLast = op === "replace" ? state.delete : isDeletedLast(rawOp, state);
    if (!isLast) return sent;
    return this.#maybeDeleted.has(deletedWith)
      ? { mayLeave: true }
      : { leaves: "deletedWith", mayLeave: false };
  }
}

/** What `get` has read is not managed. */
function isManaged(state: RawState | undefined): state is RawState {
  return state !== undefined && !state.external;
}

/** Whether there still is a managed resource for a step to begin with. */
function isThere(state: RawState | undefined, op: Step["op"]): state is RawState {
  // What is new, and outside of the run's targets, has no id.
  if (!isManaged(state) || state.id === undefined) return false;
  // A replacement that deletes first says so itself as soon as it has deleted.
  return !state.pendingReplacement || op === "replace";
}

/** Whether what stays the same is outside of the targets of the run. */
function isOutside(before: RawState | undefined, after: RawState | undefined): boolean {
  return after?.outputs !== undefined || (after?.id === undefined && before?.id === undefined);
}

/** Whether it is deleted after all creates and updates: only then does `deletedWith` spare it. */
function isDeletedLast(op: string, state: RawState | undefined): boolean {
  return op === "delete" || ((op === "delete-replaced" || op === "replace") && state?.delete === true);
}

function isSameState(one: RawState | undefined, other: RawState | undefined): boolean {
  return isDeepStrictEqual([one?.id, one?.outputs], [other?.id, other?.outputs]);
}

function toProviderStep(step: RawStep): ProviderStep[] {
  const { op, urn, newState, oldState, diffReasons } = step;
  if (!isProviderOp(op) || !isProviderStep(step)) return [];
  const differs = diffReasons.map((name) => name.replace(/^identity:/, "")).sort(compare);
  const tenant = hostOfDomain((newState ?? oldState)?.inputs["identity:domain"]);
  return [{ name: urnName(urn), op, tenant, differs }];
}

function isProviderOp(op: string): op is ProviderStep["op"] {
  return ["create", "update", "replace", "delete"].includes(op);
}

/** Whether a step is about a `Provider` of this package; others have the same type. */
function isProviderStep({ urn, newState, oldState }: RawStep): boolean {
  const inputs = (newState ?? oldState)?.inputs ?? {};
  return urn.includes("::pulumi:providers:pulumi-nodejs::") && "identity:provider" in inputs;
}

function sideOf(state: RawState, tenants: Tenants): Side {
  const { id, inputs, outputs = {}, protect, retainOnDelete } = state;
  const tenant = outputs["tenant"];
  return {
    id,
    tenant: typeof tenant === "string" && state.id !== undefined ? tenant : tenants.of(state.provider),
    inputs,
    outputs,
    protect,
    retainOnDelete,
  };
}

/** Which tenant a provider works on: a resource that is to be created doesn't say. */
class Tenants {
  readonly #byProvider = new Map<string, string>();
  readonly #configured: string | undefined;

  constructor({ config, diagnostics }: RawPreview, steps: readonly RawStep[]) {
    // The environment of the preview may have won over the configuration.
    this.#configured = environmentTenant(diagnostics) ?? hostOfDomain(config["identity:domain"]);
    for (const { oldState } of steps) {
      const tenant = oldState?.outputs?.["tenant"];
      if (oldState?.provider !== undefined && typeof tenant === "string")
        this.#byProvider.set(urnOf(oldState.provider), tenant);
    }
    for (const { urn, newState } of steps) {
      const host = hostOfDomain(newState?.inputs["identity:domain"]);
      if (urn.includes("::pulumi:providers:pulumi-nodejs::") && host !== undefined)
        this.#byProvider.set(urn, host);
    }
  }

  of(provider: string | undefined): string | undefined {
    if (provider === undefined) return undefined;
    const urn = urnOf(provider);
    return this.#byProvider.get(urn) ?? (/::default(_\w+)?$/.test(urn) ? this.#configured : undefined);
  }
}

/** The tenant that IDENTITY_DOMAIN has put in place of the one of the configuration, as a line says. */
function environmentTenant(diagnostics: RawPreview["diagnostics"]): string | undefined {
  const tenants = diagnostics
    .filter(({ severity, urn }) => severity === "info" && urn === undefined)
    .map(({ message }) => parseDomainLine(message.trim()));
  return tenants.find((tenant) => tenant !== undefined);
}

function hostOfDomain(domain: unknown): string | undefined {
  return typeof domain === "string" ? tenantOf({ domain }) : undefined;
}

/** A provider is referred to by its URN and its id. */
function urnOf(reference: string): string;
function urnOf(reference: string | undefined): string | undefined;
function urnOf(reference: string | undefined): string | undefined {
  if (reference === undefined) return undefined;
  return reference.slice(0, reference.lastIndexOf("::"));
}

/**
 * Lines of the preview. They have no URN: each begins with its resource's name, as it leaves the process.
 * Names may hold colons, so that each colon may be the end of one.
 */
class ToldLines {
  readonly #texts: readonly string[];
  readonly #known = new Map<string, readonly string[]>();

  constructor({ diagnostics }: RawPreview) {
    this.#texts = diagnostics
      .filter(({ severity, urn }) => severity === "info" && urn === undefined)
      .map(({ message }) => message.trim())
      .sort(compare);
  }

  /** What stands behind `name:`. The engine shows a line twice that the `check` of a replacement prints. */
  of(name: string): readonly string[] {
    const beginning = clean(`${name}: `);
    const known = this.#known.get(beginning) ?? this.#find(`${beginning} `);
    this.#known.set(beginning, known);
    return known;
  }

  #find(beginning: string): string[] {
    const [from, to] = [this.#firstFrom(beginning), this.#firstFrom(`${beginning}\uffff`)];
    return [...new Set(this.#texts.slice(from, to).map((text) => text.slice(beginning.length).trim()))];
  }

  /** Index of the first text that does not come before this one. */
  #firstFrom(beginning: string): number {
    let [low, high] = [0, this.#texts.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compare(this.#texts[middle] ?? "", beginning) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function resourceKind({ newState, oldState }: Pick<RawStep, "newState" | "oldState">): string | undefined {
  return TYPE_PATTERN.exec((newState ?? oldState)?.type ?? "")?.[1];
}

/** Components, the stack and default providers change nothing by themselves. */
function isCustom({ urn, newState, oldState }: RawStep): boolean {
  return (newState ?? oldState)?.custom === true && !/::pulumi:providers:.*::default(_\w+)?$/.test(urn);
}
