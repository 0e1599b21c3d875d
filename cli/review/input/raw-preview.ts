import { isDeeperThan, parseJson } from "../../../provider/http/shape";
import { firstOf } from "../../../provider/sentence";
import { isObject } from "../../../provider/service/record";
import { sourcePositionsOf } from "../../stack-export";
import { neededBy } from "./operations";

/*
 * The parts of `pulumi preview --json` that the review reads, with their types. A step with another type, or
 * without something its operation needs, counts as strange, because nothing certain is known about it.
 */

export type Values = Readonly<Record<string, unknown>>;

/** A member's type, and its value if Pulumi omits it as false or empty. */
interface RawMember<Value> {
  is: (value: unknown) => boolean;
  absent: Value;
}
type RawValues<Members> = {
  [Name in keyof Members]: Members[Name] extends RawMember<infer Value> ? Value : never;
};

const TEXT: RawMember<string | undefined> = { is: isText, absent: undefined };
const TEXTS: RawMember<readonly string[]> = { is: (value) => isList(value, isText), absent: [] };
const FLAG: RawMember<boolean> = { is: (value) => typeof value === "boolean", absent: false };
const OBJECT: RawMember<Values | undefined> = { is: isObject, absent: undefined };

const STATE = {
  /** Former URN of a renamed resource, before its step. */
  urn: TEXT,
  type: TEXT,
  id: TEXT,
  custom: FLAG,
  /** True if `get` read it. */
  external: FLAG,
  protect: FLAG,
  retainOnDelete: FLAG,
  /** To be deleted at the end of the run; left by an earlier run, or by this one. */
  delete: FLAG,
  /** Already deleted, or to be deleted before its replacement is created. */
  pendingReplacement: FLAG,
  /** A URN. */
  deletedWith: TEXT,
  /** URNs. */
  dependencies: TEXTS,
  /** URNs by input. */
  propertyDependencies: { is: isObject, absent: {} } as RawMember<Values>,
  /** URNs. */
  replaceWith: TEXTS,
  replacementTrigger: { is: () => true, absent: undefined } as RawMember<unknown>,
  /** URN and id. */
  provider: TEXT,
  /** Reasons why an earlier change wasn't finished. */
  initErrors: TEXTS,
  inputs: { is: isObject, absent: {} } as RawMember<Values>,
  /** Undefined if not known. */
  outputs: OBJECT,
} as const;

/** A resource before or after a step. */
export interface RawState extends RawValues<typeof STATE> {
  /** Places in the program, the innermost first. */
  sourcePositions: readonly string[];
}

const STEP = {
  op: TEXT,
  urn: TEXT,
  diffReasons: TEXTS,
  replaceReasons: TEXTS,
  oldState: OBJECT,
  newState: OBJECT,
} as const;

export interface RawStep extends Omit<RawValues<typeof STEP>, "op" | "urn" | "oldState" | "newState"> {
  op: string;
  urn: string;
  oldState: RawState | undefined;
  newState: RawState | undefined;
}

interface StrangeStep {
  urn: string | undefined;
  op: string | undefined;
  /** The first member that is missing or of the wrong type: `newState.inputs`. */
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
  /** Number of unchanged resources, shown or not. */
  unchanged: number;
}

/** The text isn't a preview. The message is the end of a sentence that begins with the text's name. */
export class NoPreview extends Error {}

/** Far more than any program needs, and still safe for recursive functions. */
const DEEPEST = 500;

/** Throws `NoPreview`. */
export function parseRawPreview(text: string): RawPreview {
  const raw = parsePreview(text);
  const unknownShape = (part: string) =>
    new NoPreview(`has \`${part}\` in a shape that this release doesn't know: update pulumi-identity`);
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

function readStep(raw: Values): { step?: RawStep; strange?: StrangeStep } {
  const wrong: string[] = [];
  const { op, urn, ...members } = readMembers(STEP, raw, wrong);
  const sides = {
    oldState: readState(members.oldState, "oldState.", wrong),
    newState: readState(members.newState, "newState.", wrong),
  };
  if (op === undefined) wrong.push("op");
  if (urn === undefined) wrong.push("urn");
  wrong.push(...neededBy(op ?? "").filter((side) => sides[side] === undefined));
  const [member = ""] = wrong;
  if (member !== "" || op === undefined || urn === undefined) return { strange: { urn, op, member } };
  return { step: { ...members, ...sides, op, urn } };
}

function readState(raw: Values | undefined, path: string, wrong: string[]): RawState | undefined {
  return raw && { ...readMembers(STATE, raw, wrong, path), sourcePositions: sourcePositionsOf(raw) };
}

/** Adds the names of members with the wrong type to `wrong`. */
function readMembers<Members extends Readonly<Record<string, RawMember<unknown>>>>(
  members: Members,
  raw: Values,
  wrong: string[],
  path = "",
): RawValues<Members> {
  const read = Object.entries(members).map(([name, { is, absent }]) => {
    const value = raw[name];
    const isWrong = value !== undefined && !is(value);
    if (isWrong) wrong.push(`${path}${name}`);
    return [name, value === undefined || isWrong ? absent : value];
  });
  return Object.fromEntries(read) as RawValues<Members>;
}

/** Returns all members of a preview, known to this release or not. */
function parsePreview(text: string): Values {
  if (text.trim() === "") throw new NoPreview("is empty, as Pulumi's output is when a preview ends early");
  const raw = parseJson(text);
  if (raw === undefined) throw new NoPreview(whyNoJson(text));
  const is = (...members: string[]) => isObject(raw) && members.some((member) => member in raw);
  const problem = firstOf([
    [isDeeperThan(DEEPEST, raw), () => `holds values that are nested more than ${DEEPEST} levels deep`],
    [is("resourcePlans", "manifest"), () => "is a saved plan, and no preview"],
    [is("deployment"), () => "is an exported state, and no preview"],
    // A preview that fails before its first step has only diagnostics.
    [!is("steps", "changeSummary", "diagnostics"), () => "is JSON, but no preview"],
  ]);
  if (problem !== undefined) throw new NoPreview(problem);
  return raw as Values;
}

function whyNoJson(text: string): string {
  const [firstLine = ""] = text.trimStart().split("\n", 1);
  return isObject(parseJson(firstLine))
    ? "is a stream of events, which can hold secrets in clear: delete it"
    : "is not JSON";
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isList<Item>(value: unknown, is: (item: unknown) => item is Item): value is Item[] {
  return Array.isArray(value) && value.every(is);
}
