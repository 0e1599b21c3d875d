import { isDeeperThan, parseJson } from "../../provider/http/shape";
import { isObject } from "../../provider/service/record";
import { CommandError } from "../errors";
import { sourcePositionsOf } from "../stack-export";

/*
 * What `pulumi preview --json` prints, as far as the review reads it. Each member has the type that is said
 * here: a step that has another one, or that lacks what its operation is about, counts as strange, since
 * nothing can be told of it.
 */

export type Values = Readonly<Record<string, unknown>>;

/** What a member must be, and what stands for it where Pulumi leaves it out, since it is false or empty. */
interface Member<Value> {
  is: (value: unknown) => boolean;
  absent: Value;
}
type Read<Members> = { [Name in keyof Members]: Members[Name] extends Member<infer Value> ? Value : never };

const TEXT: Member<string | undefined> = { is: isText, absent: undefined };
const TEXTS: Member<readonly string[]> = { is: (value) => isList(value, isText), absent: [] };
const FLAG: Member<boolean> = { is: (value) => typeof value === "boolean", absent: false };
const OBJECT: Member<Values | undefined> = { is: isObject, absent: undefined };

const STATE = {
  /** Before a step of a renamed resource: its former URN. */
  urn: TEXT,
  type: TEXT,
  id: TEXT,
  custom: FLAG,
  /** What `get` has read. */
  external: FLAG,
  protect: FLAG,
  retainOnDelete: FLAG,
  /** To be deleted at the end of the run; by an earlier run, or by this one. */
  delete: FLAG,
  /** Deleted already, or to be deleted before its replacement is made. */
  pendingReplacement: FLAG,
  /** A URN. */
  deletedWith: TEXT,
  /** URN and id. */
  provider: TEXT,
  /** Why an earlier change was not finished. */
  initErrors: TEXTS,
  inputs: { is: isObject, absent: {} } as Member<Values>,
  /** Undefined: not known. */
  outputs: OBJECT,
} as const;

/** A resource before or after a step. */
export interface RawState extends Read<typeof STATE> {
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

export interface RawStep extends Omit<Read<typeof STEP>, "op" | "urn" | "oldState" | "newState"> {
  op: string;
  urn: string;
  oldState: RawState | undefined;
  newState: RawState | undefined;
}

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

/** The operations of which a step says nothing without this side. */
const NEEDED_BY: Readonly<Record<"oldState" | "newState", readonly string[]>> = {
  oldState: ["update", "replace", "delete", "delete-replaced"],
  newState: ["update", "replace", "create", "create-replacement"],
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

function readStep(raw: Values): { step?: RawStep; strange?: StrangeStep } {
  const wrong: string[] = [];
  const { op, urn, ...members } = readMembers(STEP, raw, wrong);
  const sides = {
    oldState: readState(members.oldState, "oldState.", wrong),
    newState: readState(members.newState, "newState.", wrong),
  };
  if (op === undefined) wrong.push("op");
  if (urn === undefined) wrong.push("urn");
  for (const side of ["oldState", "newState"] as const)
    if (sides[side] === undefined && NEEDED_BY[side].includes(op ?? "")) wrong.push(side);
  const [member = ""] = wrong;
  if (member !== "" || op === undefined || urn === undefined) return { strange: { urn, op, member } };
  return { step: { ...members, ...sides, op, urn } };
}

function readState(raw: Values | undefined, path: string, wrong: string[]): RawState | undefined {
  return raw && { ...readMembers(STATE, raw, wrong, path), sourcePositions: sourcePositionsOf(raw) };
}

/** Adds the names of members that are of another type to `wrong`. */
function readMembers<Members extends Readonly<Record<string, Member<unknown>>>>(
  members: Members,
  raw: Values,
  wrong: string[],
  path = "",
): Read<Members> {
  const read = Object.entries(members).map(([name, { is, absent }]) => {
    const value = raw[name];
    const isWrong = value !== undefined && !is(value);
    if (isWrong) wrong.push(`${path}${name}`);
    return [name, value === undefined || isWrong ? absent : value];
  });
  return Object.fromEntries(read) as Read<Members>;
}

/** The members of a preview, be they what this release knows or not; throws for another JSON. */
function parsePreview(text: string, source: string): Values {
  const raw = parseJson(text);
  if (raw === undefined) throw unusable(source, whyNoJson(text));
  if (isDeeperThan(DEEPEST, raw))
    throw unusable(
      source,
      `holds values that are nested more than ${DEEPEST} levels deep, as no preview does`,
    );
  const is = (...members: string[]) => isObject(raw) && members.some((member) => member in raw);
  if (is("resourcePlans", "manifest"))
    throw unusable(source, `is a saved plan. Give the output of ${PREVIEW_COMMAND} instead`);
  if (is("deployment"))
    throw unusable(source, `is an exported state. Give the output of ${PREVIEW_COMMAND} instead`);
  // One that fails before its first step has nothing but diagnostics.
  if (!isObject(raw) || !is("steps", "changeSummary", "diagnostics"))
    throw unusable(source, `is JSON, but no preview. Give the output of ${PREVIEW_COMMAND}`);
  return raw;
}

function whyNoJson(text: string): string {
  const [firstLine = ""] = text.trimStart().split("\n", 1);
  return isObject(parseJson(firstLine))
    ? "is a stream of events, which can hold secrets in clear. Don't keep it; unset PULUMI_ENABLE_STREAMING_JSON_PREVIEW and " +
        `give the output of ${PREVIEW_COMMAND}`
    : `is not JSON. Give the output of ${PREVIEW_COMMAND}, without its stderr`;
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
