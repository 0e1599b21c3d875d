import { isDeepStrictEqual } from "node:util";
import { type Values } from "../hosts/host";
import { type Failure } from "./deployment";
import { type StepEvent } from "./plan";
import { type ResourceState, urnOf } from "./state";

/*
 * Pulumi's JSON for the review's previews, from a preview planned by the tests' engine.
 */

export interface JsonStep {
  op: string;
  urn: string;
  provider?: string;
  oldState?: Values;
  newState?: Values;
  diffReasons?: string[];
  replaceReasons?: string[];
  detailedDiff: Record<string, { kind: string; inputDiff: boolean }> | null;
}

interface JsonDiagnostic {
  urn?: string;
  message: string;
  severity: string;
}

export interface Json {
  config?: Record<string, string>;
  steps?: JsonStep[];
  diagnostics?: JsonDiagnostic[];
  duration: number;
  changeSummary?: Record<string, number>;
}

interface Planned {
  config: Readonly<Record<string, string>>;
  /** Settings of the explicit providers, in state and in the program. */
  providersBefore: ReadonlyMap<string, Readonly<Record<string, string>>>;
  providers: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** True if there was an `up` before. */
  hasStack: boolean;
  events: readonly StepEvent[];
  /** Lines of handlers. */
  messages: readonly string[];
  failures: readonly Failure[];
  /** URNs of resources, by their keys. */
  urns: ReadonlyMap<string, string>;
  /** Types of components, in state and in the program. */
  componentsBefore: ReadonlySet<string>;
  /** True if not all resources take part. */
  isPartial: boolean;
  components: ReadonlySet<string>;
}

const SECRET = "[secret]";
const STACK = "urn:pulumi:test::test::pulumi:pulumi:Stack::test-test";
const SECRET_SETTINGS = /:(clientSecret|privateKey|accessToken)$/;
/** Parts of a replacement, which the summary does not count. */
const PARTS = ["create-replacement", "delete-replaced", "discard-replaced", "read-replacement"];

export function previewJson(planned: Planned): Json {
  const steps = [
    ...stackSteps(planned),
    ...providerSteps(planned),
    ...componentSteps(planned),
    ...planned.events.map((event) => stepOf(event, planned)),
  ];
  const diagnostics = diagnosticsOf(planned);
  return {
    ...(Object.keys(planned.config).length > 0 && { config: blinded(planned.config) }),
    steps,
    ...(diagnostics.length > 0 && { diagnostics }),
    duration: 1,
    changeSummary: summaryOf(steps, planned.failures),
  };
}

function diagnosticsOf({ messages, failures, urns }: Planned): JsonDiagnostic[] {
  const lines = messages.map((line) => ({ message: `${line}\n\n`, severity: "info" }));
  const errors = failures.map(({ key, message, isCheck }): JsonDiagnostic => {
    const urn = urns.get(key) ?? STACK;
    const [type = "", name] = [urn.split("::")[2]?.split("$").at(-1), urn.split("::").slice(3).join("::")];
    const text = isCheck
      ? `${type} resource '${name}' has a problem: ${message}`
      : `Preview failed: ${message}`;
    return { urn, message: `error: ${text}\n`, severity: "error" };
  });
  if (failures.some(({ isCheck }) => !isCheck))
    errors.push({ message: "error: preview failed\n", severity: "error" });
  return [...lines, ...errors];
}

function summaryOf(steps: readonly JsonStep[], failures: readonly Failure[]): Record<string, number> {
  const counts: Record<string, number> = {};
  const failed = failures.map(({ key }) => key);
  for (const { op, urn, oldState, newState } of steps) {
    // A read with the same result as before is no change.
    const isRead = op === "read" && oldState?.["external"] === true && oldState["id"] === newState?.["id"];
    if (!PARTS.includes(op) && !isRead && !failed.includes(urn)) counts[op] = (counts[op] ?? 0) + 1;
  }
  return counts;
}

function stackSteps({ hasStack }: Planned): JsonStep[] {
  const state = { urn: STACK, custom: false, type: "pulumi:pulumi:Stack" };
  return hasStack
    ? [{ op: "same", urn: STACK, oldState: state, newState: state, detailedDiff: null }]
    : [{ op: "create", urn: STACK, newState: state, detailedDiff: null }];
}

function providerSteps({ providers, providersBefore, hasStack }: Planned): JsonStep[] {
  return Object.entries(providers).map(([name, settings]): JsonStep => {
    const [type, urn] = ["pulumi:providers:pulumi-nodejs", providerUrn(name)];
    const stateOf = (values: Readonly<Record<string, string>>) => {
      const inputs = blinded({ ...values, "identity:provider": name });
      return { urn, custom: true, id: idOf(name), type, inputs, outputs: inputs, parent: STACK };
    };
    const before = hasStack ? providersBefore.get(name) : undefined;
    const { urn: newUrn, custom, inputs, parent } = stateOf(settings);
    const newState = { urn: newUrn, custom, type, inputs, parent };
    if (before === undefined) return { op: "create", urn, newState, detailedDiff: null };
    const changed = Object.keys({ ...before, ...settings })
      .filter((key) => before[key] !== settings[key])
      .sort();
    const states = { oldState: stateOf(before), newState };
    if (changed.length === 0) return { op: "same", urn, ...states, detailedDiff: null };
    const detailedDiff = Object.fromEntries(
      changed.map((key) => [`[${JSON.stringify(key)}]`, { kind: "update", inputDiff: true }]),
    );
    return { op: "update", urn, ...states, diffReasons: changed, detailedDiff };
  });
}

function componentSteps({ components, componentsBefore, failures, isPartial }: Planned): JsonStep[] {
  const gone = isPartial || failures.length > 0 ? [] : [...componentsBefore];
  return [...new Set([...gone, ...components])].map((type): JsonStep => {
    const urn = componentUrn(type);
    const state = { urn, custom: false, type, parent: STACK };
    const isBefore = componentsBefore.has(type);
    const isAfter = components.has(type);
    return {
      op: isBefore && isAfter ? "same" : isAfter ? "create" : "delete",
      urn,
      ...(isBefore && { oldState: state }),
      ...(isAfter && { newState: state }),
      detailedDiff: null,
    };
  });
}

function stepOf(event: StepEvent, { urns }: Planned): JsonStep {
  const { op, old, difference } = event;
  const state = (given: StepEvent["old"]) => stateOf(given as Shown, urns);
  return {
    op,
    urn: urnOf((event.new ?? old) as Shown),
    provider: providerReference((event.new ?? old)?.provider),
    ...(old !== undefined && { oldState: state(old) }),
    ...(event.new !== undefined && { newState: state(event.new) }),
    ...(difference?.compared === true && { diffReasons: difference.keys }),
    ...(difference !== undefined &&
      difference.replaceKeys.length > 0 && { replaceReasons: difference.replaceKeys }),
    detailedDiff: difference?.compared === true ? detailedDiffOf(event) : null,
  };
}

type Shown = Partial<ResourceState> & Pick<ResourceState, "kind" | "name" | "parent"> & { delete?: boolean };

function stateOf(state: Shown, urns: ReadonlyMap<string, string>): Values {
  const { kind, id, inputs, outputs, external, parent, deletedWith, secrets = [] } = state;
  const { dependsOn = [], replaceWith = [] } = state;
  const urnsOf = (keys: readonly string[]) => keys.map((key) => urns.get(key) ?? "");
  const flags = ["delete", "protect", "taint", "retainOnDelete", "pendingReplacement"] as const;
  const lists = ["initErrors", "ignoreChanges", "replaceOnChanges"] as const;
  return {
    urn: urnOf(state),
    custom: true,
    ...(id !== "" && id !== undefined && { id }),
    type: `pulumi-nodejs:dynamic/identity:${kind}`,
    ...(inputs !== undefined && { inputs: masked(shown(inputs), secrets) }),
    ...(outputs !== undefined && { outputs: masked(shown(outputs), secrets) }),
    parent: parent === undefined ? STACK : componentUrn(parent),
    ...(external && { external }),
    provider: providerReference(state.provider),
    ...Object.fromEntries(flags.filter((flag) => state[flag] === true).map((flag) => [flag, true])),
    ...Object.fromEntries(
      lists.filter((list) => (state[list] ?? []).length > 0).map((list) => [list, state[list]]),
    ),
    ...(deletedWith !== undefined && { deletedWith: urns.get(deletedWith) ?? "" }),
    ...(dependsOn.length > 0 && { dependencies: urnsOf(dependsOn) }),
    ...(replaceWith.length > 0 && { replaceWith: urnsOf(replaceWith) }),
  };
}

/** The engine omits `null` properties of an object when it prints. */
function shown(values: Values): Values {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

function masked(value: unknown, paths: readonly (readonly string[])[]): unknown {
  if (paths.some((path) => path.length === 0)) return SECRET;
  if (paths.length === 0 || typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => [
      key,
      masked(
        child,
        paths.filter(([first]) => first === key).map((path) => path.slice(1)),
      ),
    ]),
  );
}

function detailedDiffOf({ old, new: goal, difference }: StepEvent): JsonStep["detailedDiff"] {
  const found: NonNullable<JsonStep["detailedDiff"]> = {};
  const compare = (before: unknown, after: unknown, path: (string | number)[]) => {
    if (isDeepStrictEqual(before, after)) return;
    if (before !== undefined && after !== undefined && isTree(before) && isTree(after)) {
      if (Array.isArray(before) === Array.isArray(after)) {
        const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
        for (const key of keys) {
          const step = Array.isArray(before) ? Number(key) : key;
          compare((before as Values)[key], (after as Values)[key], [...path, step]);
        }
        return;
      }
    }
    const kind = before === undefined ? "add" : after === undefined ? "delete" : "update";
    const isReplaced = goal?.replaceOnChanges?.some((name) => name === "*" || name === path[0]) === true;
    found[pathText(path)] = { kind: isReplaced ? `${kind}-replace` : kind, inputDiff: true };
  };
  for (const key of difference?.keys ?? []) compare(old?.inputs?.[key], goal?.inputs?.[key], [key]);
  return found;
}

function isTree(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function pathText(path: readonly (string | number)[]): string {
  return path
    .map((step, index) => {
      if (typeof step === "number") return `[${step}]`;
      if (/^[\w$-]+$/.test(step)) return index === 0 ? step : `.${step}`;
      return `[${JSON.stringify(step)}]`;
    })
    .join("");
}

function blinded(settings: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(settings).map(([key, value]) => [key, SECRET_SETTINGS.test(key) ? SECRET : value]),
  );
}

function providerReference(name: string | undefined): string {
  return `${providerUrn(name ?? "default")}::${idOf(name ?? "default")}`;
}

function providerUrn(name: string): string {
  return `urn:pulumi:test::test::pulumi:providers:pulumi-nodejs::${name}`;
}

/** Any id will do if it stays the same. */
function idOf(provider: string): string {
  return `${Buffer.from(provider).toString("hex").padEnd(8, "0").slice(0, 8)}-0000-4000-8000-000000000000`;
}

function componentUrn(type: string): string {
  return `urn:pulumi:test::test::${type}::${nameOfComponent(type)}`;
}

/** Components of programs are named after their type. */
export function nameOfComponent(type: string): string {
  return type.split(":").at(-1) ?? type;
}
