import { isDeeperThan } from "../../provider/http/shape";
import { isObject } from "../../provider/service/record";
import { CommandError } from "../errors";
import { sourcePositionsOf } from "../stack-export";

/*
 * What `pulumi preview --json` prints, as far as the review reads it. Each member has the type that is said
 * here: a step that has another one, or that lacks what its operation is about, counts as strange, since
 * nothing can be told of it.
 */

export type Values = Readonly<Record<string, unknown>>;

/** A resource before or after a step. Pulumi leaves out what is false or empty. */
export interface RawState {
  /** Before a step of a renamed resource: its former URN. */
  urn: string | undefined;
  type: string | undefined;
  id: string | undefined;
  custom: boolean;
  /** What `get` has read. */
  external: boolean;
  protect: boolean;
  retainOnDelete: boolean;
  /** To be deleted at the end of the run; by an earlier run, or by this one. */
  delete: boolean;
  /** Deleted already, or to be deleted before its replacement is made. */
  pendingReplacement: boolean;
  /** A URN. */
  deletedWith: string | undefined;
  /** URN and id. */
  provider: string | undefined;
  /** Why an earlier change was not finished. */
  initErrors: readonly string[];
  inputs: Values;
  /** Undefined: not known. */
  outputs: Values | undefined;
  /** Places in the program, the innermost first. */
  sourcePositions: readonly string[];
}

export interface RawStep {
  op: string;
  urn: string;
  oldState: RawState | undefined;
  newState: RawState | undefined;
  diffReasons: readonly string[];
  replaceReasons: readonly string[];
}

/** A step that this release can't read. */
interface StrangeStep {
  urn: string | undefined;
  op: string | undefined;
  /** The first member that is missing or of another type: `newState.inputs`. */
  member: string;
}

interface RawDiagnostic {
  urn: string | undefined;
  message: string;
  severity: string;
}

export interface RawPreview {
  config: Values;
  steps: readonly RawStep[];
  strange: readonly StrangeStep[];
  diagnostics: readonly RawDiagnostic[];
  /** How many resources do not change, be they shown or not. */
  unchanged: number;
}

/** Without the flags, Pulumi shows neither what an interrupted replacement left nor what stays as it is. */
export const PREVIEW_COMMAND = "pulumi preview --json --show-replacement-steps --show-sames";

export const REFRESH_COMMAND = "pulumi refresh --preview-only --json";

/** Far more than any program has, and little enough for functions that call themselves. */
const DEEPEST = 500;

/** The sides without which a step of an operation says nothing. */
const SIDES: Readonly<Record<string, readonly ("oldState" | "newState")[]>> = {
  create: ["newState"],
  "create-replacement": ["newState"],
  update: ["oldState", "newState"],
  replace: ["oldState", "newState"],
  delete: ["oldState"],
  "delete-replaced": ["oldState"],
};

/** `source`: what messages call the text. */
export function parseRawPreview(text: string, source: string): RawPreview {
  const raw = parsePreview(text, source);
  const unknownShape = (part: string) =>
    unusable(
      source,
      `has \`${part}\` in a shape that this release doesn't know. Update pulumi-identity, or report it with pulumi's version`,
    );
  const { config = {}, steps = [], diagnostics = [], changeSummary } = raw;
  if (!isObject(config)) throw unknownShape("config");
  if (!isList(steps, isObject)) throw unknownShape("steps");
  if (!isList(diagnostics, isObject)) throw unknownShape("diagnostics");
  const read = steps.map(readStep);
  return {
    config,
    steps: read.flatMap(({ step }) => step ?? []),
    strange: read.flatMap(({ strange }) => strange ?? []),
    diagnostics: diagnostics.map((diagnostic) => {
      const { urn, message, severity } = diagnostic;
      if (!isText(message) || !isText(severity) || !(urn === undefined || isText(urn)))
        throw unknownShape("diagnostics");
      return { urn, message, severity };
    }),
    unchanged:
      isObject(changeSummary) && typeof changeSummary["same"] === "number" ? changeSummary["same"] : 0,
  };
}

function readStep(raw: Values): { step: RawStep; strange?: never } | { step?: never; strange: StrangeStep } {
  const members = new Members(raw);
  const [op, urn] = [members.text("op"), members.text("urn")];
  const step = {
    diffReasons: members.texts("diffReasons"),
    replaceReasons: members.texts("replaceReasons"),
    oldState: readState(members, "oldState"),
    newState: readState(members, "newState"),
  };
  if (op === undefined) members.wrong.push("op");
  if (urn === undefined) members.wrong.push("urn");
  const needed = op !== undefined && Object.hasOwn(SIDES, op) ? (SIDES[op] ?? []) : [];
  members.wrong.push(...needed.filter((side) => step[side] === undefined));
  const [member] = members.wrong;
  if (member !== undefined || op === undefined || urn === undefined)
    return { strange: { urn, op, member: member ?? "" } };
  return { step: { op, urn, ...step } };
}

function readState(step: Members, side: "oldState" | "newState"): RawState | undefined {
  const raw = step.object(side);
  if (raw === undefined) return undefined;
  const members = new Members(raw);
  const state: RawState = {
    urn: members.text("urn"),
    type: members.text("type"),
    id: members.text("id"),
    custom: members.flag("custom"),
    external: members.flag("external"),
    protect: members.flag("protect"),
    retainOnDelete: members.flag("retainOnDelete"),
    delete: members.flag("delete"),
    pendingReplacement: members.flag("pendingReplacement"),
    deletedWith: members.text("deletedWith"),
    provider: members.text("provider"),
    initErrors: members.texts("initErrors"),
    inputs: members.object("inputs") ?? {},
    outputs: members.object("outputs"),
    sourcePositions: sourcePositionsOf(raw),
  };
  step.wrong.push(...members.wrong.map((member) => `${side}.${member}`));
  return state;
}

/** The members of an object, which may be left out, and the names of those that are of another type. */
class Members {
  readonly wrong: string[] = [];
  readonly #object: Values;

  constructor(object: Values) {
    this.#object = object;
  }

  text(name: string): string | undefined {
    return this.#read(name, isText);
  }

  flag(name: string): boolean {
    return this.#read(name, (value) => typeof value === "boolean") ?? false;
  }

  texts(name: string): readonly string[] {
    return this.#read(name, (value) => isList(value, isText)) ?? [];
  }

  object(name: string): Values | undefined {
    return this.#read(name, isObject);
  }

  #read<Value>(name: string, is: (value: unknown) => value is Value): Value | undefined {
    const value = Object.hasOwn(this.#object, name) ? this.#object[name] : undefined;
    if (value === undefined || is(value)) return value;
    this.wrong.push(name);
    return undefined;
  }
}

/** The members of a preview, be they what this release knows or not; throws for another JSON. */
function parsePreview(text: string, source: string): Values {
  const raw = parsePreviewJson(text, source);
  if (isDeeperThan(DEEPEST, raw))
    throw unusable(
      source,
      `holds values that are nested more than ${DEEPEST} levels deep, as no preview does`,
    );
  if (isObject(raw) && ("resourcePlans" in raw || "manifest" in raw))
    throw unusable(source, `is a saved plan. Give the output of ${PREVIEW_COMMAND} instead`);
  if (isObject(raw) && "deployment" in raw)
    throw unusable(source, `is an exported state. Give the output of ${PREVIEW_COMMAND} instead`);
  // One that fails before its first step has nothing but diagnostics.
  if (!isObject(raw) || !("steps" in raw || "changeSummary" in raw || "diagnostics" in raw))
    throw unusable(source, `is JSON, but no preview. Give the output of ${PREVIEW_COMMAND}`);
  return raw;
}

function parsePreviewJson(text: string, source: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    if (isJsonLines(text))
      throw unusable(
        source,
        "is a stream of events, which can hold secrets in clear. Don't keep it; unset PULUMI_ENABLE_STREAMING_JSON_PREVIEW and " +
          `give the output of ${PREVIEW_COMMAND}`,
      );
    throw unusable(source, `is not JSON. Give the output of ${PREVIEW_COMMAND}, without its stderr`);
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

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isList<Item>(value: unknown, is: (item: unknown) => item is Item): value is Item[] {
  return Array.isArray(value) && value.every(is);
}
