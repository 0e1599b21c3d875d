import { holderId } from "../../provider/access/edge";
import { endSentence } from "../../provider/access/until";
import { say, tail, word } from "../../provider/sentence";
import { readPreview } from "../../cli/review/input/preview";
import { type Review, reviewOf } from "../../cli/review/review";
import { type RawInputs as Values } from "../../provider/review/raw-inputs";

/*
 * Previews in the shape that tests/e2e/review.test.ts gets from the real CLI, for situations that are too
 * many, too large or too rare to make there.
 */

export const TENANT = "tenant.example.com";
const DEFAULT_PROVIDER = "urn:pulumi:prod::access::pulumi:providers:pulumi-nodejs::default::p1";

interface Made {
  kind?: string;
  name: string;
  /** Default: an update, or what it is with only one of `before` and `after`. */
  op?: string;
  id?: string;
  before?: Values;
  /** Default of a step that is the same: `before`. */
  after?: Values;
  outputs?: Values;
  old?: object;
  state?: object;
  diffReasons?: string[];
  replaceReasons?: string[];
}

export function step({ kind = "RoleGroupAssignment", name, id = "rol_1", ...made }: Made): object {
  const type = `pulumi-nodejs:dynamic/identity:${kind}`;
  const { op, before, after } = changeOf(made);
  const { outputs = {}, old = {}, state = {}, diffReasons, replaceReasons } = made;
  const common = { type, custom: true, provider: DEFAULT_PROVIDER };
  const tenant = { tenant: TENANT, ...before, ...outputs };
  return {
    op,
    urn: `urn:pulumi:prod::access::${type}::${name}`,
    ...(before && { oldState: { ...common, id, inputs: before, outputs: tenant, ...old } }),
    ...(after && { newState: { ...common, inputs: after, ...state } }),
    ...(diffReasons && { diffReasons }),
    ...(replaceReasons && { replaceReasons }),
  };
}

type Change = Pick<Made, "op" | "before" | "after">;

function changeOf({ before, after, op = opOf(before, after) }: Change): Change {
  return { op, before, after: op === "same" ? (after ?? before) : after };
}

function opOf(before?: Values, after?: Values): string {
  if (before === undefined) return "create";
  return after === undefined ? "delete" : "update";
}

interface OfAuth0 extends Change {
  id?: string;
  old?: object;
  state?: object;
  diffReasons?: string[];
}

const AUTH0_PROVIDER = "urn:pulumi:prod::access::pulumi:providers:auth0::default_3_55_1::p2";

/** A step of `@pulumi/auth0`, whose outputs are its inputs: `auth0("userRole:UserRole", "carol", …)`. */
export function auth0(type: string, name: string, { id = "x", ...made }: OfAuth0): object {
  const { op, before, after } = changeOf(made);
  const { old = {}, state = {}, diffReasons } = made;
  const common = { type: `auth0:index/${type}`, custom: true, provider: AUTH0_PROVIDER };
  return {
    op,
    urn: `urn:pulumi:prod::access::${common.type}::${name}`,
    ...(before && { oldState: { ...common, id, inputs: before, outputs: before, ...old } }),
    ...(after && { newState: { ...common, inputs: after, ...state } }),
    ...(diffReasons && { diffReasons }),
  };
}

/** With the parts of replacements, as `--show-replacement-steps` has them. */
function withParts(steps: readonly object[]): object[] {
  const isPart = ({ op }: { op?: string }) => op?.includes("-replace") ?? false;
  return steps.flatMap((step) => {
    const { op, urn, oldState, newState } = step as Record<string, unknown>;
    if (op !== "replace" || steps.some(isPart)) return [step];
    return [
      { ...step, op: "create-replacement", oldState, newState },
      step,
      { op: "delete-replaced", urn, oldState },
    ];
  });
}

export function previewText(steps: readonly object[], lines: readonly string[] = []): string {
  const diagnostics = lines.map((message) => ({ message: `${message}\n\n`, severity: "info" }));
  return JSON.stringify({
    config: { "identity:domain": TENANT, "auth0:domain": TENANT },
    steps: withParts(steps),
    diagnostics,
    changeSummary: {},
  });
}

/** The text of a preview that failed after these steps. */
export function failedText(steps: readonly object[]): string {
  const preview = JSON.parse(previewText(steps)) as object;
  return JSON.stringify({ ...preview, diagnostics: [{ message: "error: no\n", severity: "error" }] });
}

export function made(steps: readonly object[], lines: readonly string[] = [], isDrift = false): Review {
  return reviewOf(readPreview(previewText(steps, lines)), isDrift);
}

export const groups = (...groupIds: string[]) => ({ roleId: "rol_1", groupIds, exclusive: false });

/** `gains rol_1 grp_a by x`, `keeps rol_1 grp_a by x, now without an end (was 2026-12-31)` */
export function accessOf({ access }: Review): string[] {
  return access.map((row) => {
    const { effect, role, holder, by, unless } = row;
    const names = by.map(({ name }) => name).join(", ");
    return say`${word(`${effect} ${role} ${holderId(holder)} by ${names}`)}${tail`, ${endSentence(row)}`}${tail` unless ${unless}`}`.toString();
  });
}
