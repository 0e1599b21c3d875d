import { holderId } from "../../provider/access/edge";
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
  op?: string;
  id?: string;
  before?: Values;
  after?: Values;
  outputs?: Values;
  old?: object;
  state?: object;
  diffReasons?: string[];
  replaceReasons?: string[];
}

export function step({
  kind = "RoleGroupAssignment",
  name,
  op = "create",
  id = "rol_1",
  ...made
}: Made): object {
  const type = `pulumi-nodejs:dynamic/identity:${kind}`;
  const { before, after, outputs = {}, old = {}, state = {}, diffReasons, replaceReasons } = made;
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
    config: { "identity:domain": TENANT },
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

/** `gains rol_1 grp_a by x` */
export function accessOf({ access }: Review): string[] {
  return access.map(
    ({ effect, role, holder, by, unless }) =>
      `${effect} ${role} ${holderId(holder)} by ${by.map(({ name }) => name).join(", ")}${unless ? ` unless ${unless.toString()}` : ""}`,
  );
}
