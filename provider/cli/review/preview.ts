import { clean } from "../../border";
import { parsePreviewLine, type PreviewLine } from "../../pulumi/preview-lines";
import { tenantOf } from "../../pulumi/settings";
import { CommandError } from "../errors";
import { type Place, say, type Sentence } from "./sentence";

/** What Pulumi prints in place of values. */
export const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
export const SECRET = "[secret]";

export type Kind = "RoleGroupAssignment" | "ConnectionProfile" | "DeviceCredentialRemoval";
export type Values = Readonly<Record<string, unknown>>;

/** A resource before or after a step. */
export interface Side {
  id: string | undefined;
  tenant: string | undefined;
  inputs: Values;
  outputs: Values;
  protect: boolean;
  retainOnDelete: boolean;
}

/** What is to happen to one resource of this package. A replacement has both sides. */
export interface Step {
  kind: Kind;
  name: string;
  op: "create" | "update" | "replace" | "delete";
  before?: Side;
  after?: Side;
  /** Inputs that differ, as the engine sees it: also where both values are secret. */
  differs: readonly string[];
  /** Place in the program: `index.ts:9`. */
  line: Place | undefined;
  /** What the preview tells of this resource beside its values. */
  told: readonly PreviewLine[];
}

/** What is to happen to a `Provider`. */
export interface ProviderStep {
  name: string;
  op: Step["op"];
  tenant: string | undefined;
  /** Settings that differ: `clientSecret`. */
  differs: readonly string[];
}

/** What the review needs of `pulumi preview --json`. */
export interface Preview {
  /** `project/stack`; undefined where no step and no error names it. */
  stack: string | undefined;
  steps: readonly Step[];
  errors: readonly { name: string | undefined; message: Sentence }[];
  /** Changes of this package's explicit providers. */
  providers: readonly ProviderStep[];
  /** Changes of resources that are not of this package. */
  others: number;
  /** Resources of this package with an operation that this release doesn't know. */
  strange: readonly { name: string; op: string }[];
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
};

const TYPE =
  /^pulumi-nodejs:dynamic\/identity:(RoleGroupAssignment|ConnectionProfile|DeviceCredentialRemoval)$/;

/** Reads the output of `pulumi preview --json`, or of `pulumi refresh --preview-only --json`. */
export function readPreview(text: string, source: string): Preview {
  if (text.trim() === "") return NO_PREVIEW;
  const raw = parse(text, source);
  const all = (raw.steps ?? []).filter(({ urn }) => typeof urn === "string");
  const tenants = new Tenants(raw, all);
  const told = new ToldLines(raw);
  const changes = withoutParts(all).filter(({ op }) => !UNCHANGED.has(op));
  const own = changes.filter((step) => kindOf(step) !== undefined && !isExternal(step));
  return {
    stack: stackOf(all, raw),
    steps: own.flatMap((step) => toStep(step, tenants, told)).sort(byName),
    errors: (raw.diagnostics ?? [])
      .filter(({ severity }) => severity === "error")
      .map(({ urn, message }) => ({
        name: urn === undefined ? undefined : nameOf(urn),
        message: say`${message.replace(/^error: /, "")}`,
      })),
    providers: changes.flatMap(toProviderStep),
    others: changes.filter((step) => kindOf(step) === undefined && !isProvider(step) && isCustom(step))
      .length,
    strange: own
      .filter(({ op }) => operation(op) === undefined)
      .map(({ urn, op }) => ({ name: nameOf(urn), op })),
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

function operation(op: string): Step["op"] | undefined {
  if (op === "create" || op === "create-replacement") return "create";
  if (op === "delete" || op === "delete-replaced") return "delete";
  return op === "update" || op === "replace" ? op : undefined;
}

/** With --show-replacement-steps a replacement comes as three steps: the middle one has both sides. */
function withoutParts(steps: readonly RawStep[]): RawStep[] {
  const replaced = new Set(steps.filter(({ op }) => op === "replace").map(({ urn }) => urn));
  return steps.filter(
    ({ op, urn }) => !replaced.has(urn) || !["create-replacement", "delete-replaced"].includes(op),
  );
}

function toStep(step: RawStep, tenants: Tenants, told: ToldLines): Step[] {
  const { op: rawOp, urn, oldState, newState, diffReasons = [] } = step;
  const op = operation(rawOp);
  const kind = kindOf(step);
  if (op === undefined || kind === undefined) return [];
  const name = nameOf(urn);
  const before = op === "create" || oldState === undefined ? {} : { before: sideOf(oldState, tenants) };
  const after = op === "delete" || newState === undefined ? {} : { after: sideOf(newState, tenants) };
  return [
    {
      kind,
      name,
      op,
      ...before,
      ...after,
      differs: diffReasons,
      line: placeOf(newState),
      told: told.of(name),
    },
  ];
}

function toProviderStep(step: RawStep): ProviderStep[] {
  const op = operation(step.op);
  if (op === undefined || !isProvider(step)) return [];
  const { urn, newState, oldState, diffReasons = [] } = step;
  const differs = diffReasons.map((name) => name.replace(/^identity:/, "")).sort(compare);
  const tenant = hostOf((newState ?? oldState)?.inputs?.["identity:domain"]);
  return [{ name: nameOf(urn), op, tenant, differs }];
}

/** Whether a step is about a `Provider` of this package; others have the same type. */
function isProvider({ urn, newState, oldState }: RawStep): boolean {
  const inputs = (newState ?? oldState)?.inputs ?? {};
  return urn.includes("::pulumi:providers:pulumi-nodejs::") && "identity:provider" in inputs;
}

function sideOf(state: RawState, tenants: Tenants): Side {
  const { id, inputs = {}, outputs = {}, protect = false, retainOnDelete = false } = state;
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

  constructor({ config }: RawPreview, steps: readonly RawStep[]) {
    this.#configured = config === undefined ? undefined : hostOf(config["identity:domain"]);
    for (const { oldState } of steps) {
      const tenant = oldState?.outputs?.["tenant"];
      if (oldState?.provider !== undefined && typeof tenant === "string")
        this.#byProvider.set(urnOf(oldState.provider), tenant);
    }
    for (const { urn, newState } of steps) {
      const host = hostOf(newState?.inputs?.["identity:domain"]);
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

function hostOf(domain: unknown): string | undefined {
  return typeof domain === "string" ? tenantOf({ domain }) : undefined;
}

/** A provider is referred to by its URN and its id. */
function urnOf(reference: string): string {
  return reference.slice(0, reference.lastIndexOf("::"));
}

/**
 * Lines that resources have printed. They have no URN: each begins with its resource's name, as it leaves the process.
 * Names may hold colons, so that each colon may be the end of one; what is no name here is a line of somebody else.
 */
class ToldLines {
  readonly #byBeginning = new Map<string, PreviewLine[]>();

  constructor({ diagnostics = [] }: RawPreview) {
    for (const { urn, severity, message } of diagnostics) {
      if (severity === "error" || urn !== undefined) continue;
      const text = message.trim();
      for (let end = text.indexOf(":") + 1; end > 0; end = text.indexOf(":", end) + 1) {
        const line = parsePreviewLine(text.slice(end).trim());
        if (line !== undefined) this.#add(text.slice(0, end), line);
      }
    }
  }

  of(name: string): readonly PreviewLine[] {
    return this.#byBeginning.get(clean(`${name}:`)) ?? [];
  }

  #add(beginning: string, line: PreviewLine): void {
    const lines = this.#byBeginning.get(beginning) ?? [];
    lines.push(line);
    this.#byBeginning.set(beginning, lines);
  }
}

/** The innermost place within the project: calls into packages are of no interest. */
function placeOf(state: RawState | undefined): Place | undefined {
  const positions = [...(state?.stackTrace ?? []), state ?? {}].map(({ sourcePosition = "" }) =>
    /^project:\/\/\/(.+)#(\d+)(?:,\d+)?$/.exec(sourcePosition),
  );
  const own = positions.find(
    (match) => match !== null && !/^\.\.\/|(^|\/)node_modules\//.test(match[1] ?? ""),
  );
  return own === null || own === undefined ? undefined : { file: own[1] ?? "", line: Number(own[2]) };
}

function kindOf({ newState, oldState }: RawStep): Kind | undefined {
  return TYPE.exec((newState ?? oldState)?.type ?? "")?.[1] as Kind | undefined;
}

/** What `get` has read belongs to somebody else. */
function isExternal({ newState, oldState }: RawStep): boolean {
  return (newState ?? oldState)?.external === true;
}

/** Components, the stack and default providers change nothing by themselves. */
function isCustom({ urn, newState, oldState }: RawStep): boolean {
  return (newState ?? oldState)?.custom === true && !/::pulumi:providers:.*::default(_\w+)?$/.test(urn);
}

function stackOf(steps: readonly RawStep[], { diagnostics = [] }: RawPreview): string | undefined {
  const urn = steps[0]?.urn ?? diagnostics.find((diagnostic) => diagnostic.urn !== undefined)?.urn;
  const [, stack, project] = /^urn:pulumi:(.*?)::(.*?)::/.exec(urn ?? "") ?? [];
  return stack === undefined || project === undefined ? undefined : `${project}/${stack}`;
}

/** Names may hold `::` themselves. */
function nameOf(urn: string): string {
  return urn.split("::").slice(3).join("::");
}

function byName(one: Step, other: Step): number {
  return compare(one.name, other.name) || compare(one.kind, other.kind) || compare(one.op, other.op);
}

/** An order that is the same on every machine. */
export function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

interface RawState {
  type?: string;
  id?: string;
  custom?: boolean;
  external?: boolean;
  protect?: boolean;
  retainOnDelete?: boolean;
  provider?: string;
  inputs?: Values;
  outputs?: Values;
  sourcePosition?: string;
  stackTrace?: { sourcePosition?: string }[];
}

interface RawStep {
  op: string;
  urn: string;
  oldState?: RawState;
  newState?: RawState;
  diffReasons?: string[];
}

interface RawPreview {
  config?: Values;
  steps?: RawStep[];
  diagnostics?: { urn?: string; message: string; severity: string }[];
}

function parse(text: string, source: string): RawPreview {
  const raw = parseJson(text, source);
  if (isObject(raw) && ("resourcePlans" in raw || "manifest" in raw))
    throw unusable(source, "is a saved plan. Give the output of pulumi preview --json instead");
  if (isObject(raw) && "deployment" in raw)
    throw unusable(source, "is an exported state. Give the output of pulumi preview --json instead");
  if (!isObject(raw) || !("steps" in raw || "changeSummary" in raw))
    throw unusable(source, "is JSON, but no preview. Give the output of pulumi preview --json");
  for (const part of ["steps", "diagnostics"] as const) {
    const list = raw[part];
    if (list !== undefined && !(Array.isArray(list) && list.every(isObject)))
      throw unusable(
        source,
        `has \`${part}\` in a shape that this release doesn't know. Update pulumi-identity, or report it with pulumi's version`,
      );
  }
  return raw;
}

function parseJson(text: string, source: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    if (isJsonLines(text))
      throw unusable(
        source,
        "is a stream of events, which can hold secrets in clear. Don't keep it; unset PULUMI_ENABLE_STREAMING_JSON_PREVIEW and " +
          "give the output of pulumi preview --json",
      );
    throw unusable(source, "is not JSON. Give the output of pulumi preview --json, without its stderr");
  }
}

function isJsonLines(text: string): boolean {
  const [first = ""] = text.trimStart().split("\n");
  try {
    return isObject(JSON.parse(first));
  } catch {
    return false;
  }
}

function unusable(source: string, what: string): CommandError {
  return new CommandError(`${source} ${what}.`);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
