import { setTimeout } from "node:timers/promises";
import { type Border } from "../../../provider/border";
import { makeBorder } from "../../../provider/pulumi/clients";
import { say, Sentence } from "../../../provider/sentence";
import { FOR_REVIEW, readSettings, tenantOf } from "../../../provider/pulumi/settings";
import { CommandError, orError } from "../../errors";
import { PENDING_UNREAD, readStackState } from "../../pending";
import { projectOf } from "../../project";
import {
  causeIn,
  collectFromPulumi,
  type Collected,
  type StackOfProgram,
  type Unanswered,
} from "../../pulumi-cli";
import { type StackState } from "../../stack-export";
import { selectedStack } from "../../stack-settings";
import { type Locate } from "../../places";
import { workplaceOf } from "../../workplace";
import { type Preview, readPreview } from "./preview";
import { NoPreview } from "./raw-preview";

/** The flags also show unchanged resources, and those that an earlier run left to be deleted. */
export const PREVIEW = ["preview", "--json", "--show-replacement-steps", "--show-sames"] as const;
/** The program provides today's credentials; state has those of the last `up`. */
const REFRESH = ["refresh", "--preview-only", "--json", "--run-program"] as const;
const DESTROY = ["destroy", "--preview-only", "--json", "--show-sames"] as const;

/** On two cores, a second `pulumi` beside the first one's start would make the preview later. */
const HEAD_START_MS = 250;

/** The subject of a stack's preview. */
export type Previewed = "change" | "drift" | "destroy";
const COMMANDS = { change: PREVIEW, drift: REFRESH, destroy: DESTROY } as const;

/**
 * Runs the preview of a stack, its refresh or its end; the result contains any errors. `options` are
 * Pulumi's, and can't switch off the flags that make the preview whole.
 */
export async function makePreview(
  program: StackOfProgram,
  previewed: Previewed,
  options: readonly string[],
): Promise<Preview> {
  // Its events can contain secrets in clear.
  const environment = {
    ...program.environment,
    PULUMI_ENABLE_STREAMING_JSON_PREVIEW: undefined,
    [FOR_REVIEW]: "true",
  };
  const [command = "", ...flags] = COMMANDS[previewed];
  const border = makeBorder(readSettings(() => undefined, program.environment));
  const running = collectFromPulumi([command, ...options, ...flags], { ...program, environment });
  const started = Promise.race([running, setTimeout(HEAD_START_MS, undefined, { ref: false })]);
  // Reading the state takes no lock.
  const reading = started.then(() => readStackState(program, border));
  reading.catch(() => undefined);
  const { locate } = workplaceOf(program.folder, program.environment);
  const ran = await running;
  const preview =
    "unread" in ran
      ? withError(nothing(), `${ran.unread} ${ran.advice}`)
      : await read(ran, previewed, border, {
          locate,
          ofEnvironment: tenantOfEnvironment(program.environment),
        });
  const pending = "unread" in ran ? undefined : pendingIn(await reading, preview, border);
  return { ...preview, stack: preview.stack ?? (await nameOf(program)), pending };
}

/** Previews don't tell of pending operations. */
function pendingIn(state: StackState | Unanswered, { errors }: Preview, border: Border): Preview["pending"] {
  if (!("unread" in state)) return state.pending;
  // Whatever made the preview fail has been said.
  if (errors.length === 0) process.stderr.write(`${PENDING_UNREAD} ${border.clean(state.unread)}\n`);
  return undefined;
}

async function read(
  { output, ended, stderr }: Collected,
  previewed: Previewed,
  border: Border,
  { locate, ofEnvironment }: { locate: Locate; ofEnvironment: string | undefined },
): Promise<Preview> {
  const [command] = COMMANDS[previewed];
  const end = typeof ended === "number" ? `exited with ${ended}` : `was ended by ${ended}`;
  const beside = { isDestroy: previewed === "destroy", ofEnvironment };
  const preview = await orError(NoPreview, () => readPreview(output, locate, beside));
  const isDone = ended === 0;
  if (!(preview instanceof NoPreview))
    return isDone || preview.errors.length > 0
      ? preview
      : withError(preview, `pulumi ${command} ${end}, and its JSON doesn't say why. Run it without --json.`);
  if (isDone) throw new CommandError(`The output of \`pulumi ${command}\` ${preview.message}.`);
  const cause = causeIn(stderr, command, border);
  const failure = `pulumi ${command} ${end} before it printed a preview`;
  return withError(
    nothing(),
    cause === undefined ? `${failure}. Its error message is in the log of this run.` : `${failure}: ${cause}`,
  );
}

/** Where the stack's configuration names no tenant, the provider's host takes this one, too. */
export function tenantOfEnvironment(environment: NodeJS.ProcessEnv): string | undefined {
  return tenantOf(readSettings(() => undefined, environment));
}

function nothing(): Preview {
  return readPreview('{"steps":[]}');
}

function withError(preview: Preview, error: string): Preview {
  return { ...preview, errors: [{ name: undefined, message: say`${new Sentence([error])}` }] };
}

/** `project/stack`, as in URNs; undefined if neither the user nor Pulumi can name it. */
async function nameOf(program: StackOfProgram): Promise<string | undefined> {
  const project = projectOf(program.folder)?.name;
  const stack = program.stack ?? program.environment["PULUMI_STACK"] ?? (await selectedStack(program));
  return project === undefined || stack === undefined ? undefined : `${project}/${stack.split("/").at(-1)}`;
}
