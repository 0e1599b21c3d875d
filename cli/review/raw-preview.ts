import * as z from "../../provider/zod";
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

const textShape = z.string().optional();
/** Pulumi leaves out what is false or empty. */
const flagShape = z.boolean().default(false);
const textsShape = z.array(z.string()).default([]);
// zod would copy records, and lose a key `__proto__`.
const objectShape = z.custom<Values>(isObject);

const stateShape = z.looseObject({
  /** Before a step of a renamed resource: its former URN. */
  urn: textShape,
  type: textShape,
  id: textShape,
  custom: flagShape,
  /** What `get` has read. */
  external: flagShape,
  protect: flagShape,
  retainOnDelete: flagShape,
  /** To be deleted at the end of the run; by an earlier run, or by this one. */
  delete: flagShape,
  /** Deleted already, or to be deleted before its replacement is made. */
  pendingReplacement: flagShape,
  /** A URN. */
  deletedWith: textShape,
  /** URN and id. */
  provider: textShape,
  /** Why an earlier change was not finished. */
  initErrors: textsShape,
  inputs: objectShape.default({}),
  /** Undefined: not known. */
  outputs: objectShape.optional(),
});

/** A resource before or after a step. */
export interface RawState extends z.infer<typeof stateShape> {
  /** Places in the program, the innermost first. */
  sourcePositions: readonly string[];
}

const sideShape = stateShape
  .optional()
  .transform((raw): RawState | undefined => raw && { ...raw, sourcePositions: sourcePositionsOf(raw) });

const stepShape = z.looseObject({
  op: z.string(),
  urn: z.string(),
  oldState: sideShape,
  newState: sideShape,
  diffReasons: textsShape,
  replaceReasons: textsShape,
});

export type RawStep = z.infer<typeof stepShape>;

/** A step that this release can't read. */
export interface StrangeStep {
  urn: string | undefined;
  op: string | undefined;
  /** The first member that is missing or of another type: `newState.inputs`. */
  member: string;
}

const diagnosticShape = z.looseObject({ urn: textShape, message: z.string(), severity: z.string() });

export interface RawPreview {
  config: Values;
  steps: readonly RawStep[];
  strange: readonly StrangeStep[];
  diagnostics: readonly z.infer<typeof diagnosticShape>[];
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
  const member = <Shape extends z.ZodType>(name: string, shape: Shape): z.output<Shape> => {
    const parsed = shape.safeParse(raw[name]);
    if (parsed.success) return parsed.data;
    throw unusable(
      source,
      `has \`${name}\` in a shape that this release doesn't know. Update pulumi-identity, or report it with pulumi's version`,
    );
  };
  const read = member("steps", z.array(objectShape).default([])).map(readStep);
  const { same } = member("changeSummary", z.looseObject({ same: z.number().default(0) }).catch({ same: 0 }));
  return {
    config: member("config", objectShape.default({})),
    steps: read.flatMap(({ step }) => step ?? []),
    strange: read.flatMap(({ strange }) => strange ?? []),
    diagnostics: member("diagnostics", z.array(diagnosticShape).default([])),
    unchanged: same,
  };
}

function readStep(raw: Values): { step: RawStep; strange?: never } | { step?: never; strange: StrangeStep } {
  const { data, error } = stepShape.safeParse(raw);
  const sides = data !== undefined && Object.hasOwn(SIDES, data.op) ? (SIDES[data.op] ?? []) : [];
  const missing = sides.find((side) => data?.[side] === undefined);
  if (data !== undefined && missing === undefined) return { step: data };
  const { urn, op } = z
    .looseObject({ urn: textShape.catch(undefined), op: textShape.catch(undefined) })
    .parse(raw);
  // Of a list, the place within it tells nobody anything.
  const path = error?.issues[0]?.path.filter((key) => typeof key === "string");
  return { strange: { urn, op, member: missing ?? path?.join(".") ?? "" } };
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
