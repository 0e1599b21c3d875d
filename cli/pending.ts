import { type Border } from "../provider/border";
import { list, say, type Sentence } from "../provider/sentence";
import { runPulumi, type StackOfProgram, type Unanswered } from "./pulumi-cli";
import { workplaceOf } from "./workplace";
import { readStackExport, type StackState } from "./stack-export";

/*
 * A run that was killed leaves its creates in state as pending. Previews don't tell, and the next `up`
 * creates again what may be there already.
 */

/** Reads a stack's state by the `pulumi` on the PATH, without its secrets. */
export async function readStackState(
  program: StackOfProgram,
  border: Border,
): Promise<StackState | Unanswered> {
  const { stack } = program;
  const read = await runPulumi(["stack", "export"], program, border);
  if ("unread" in read) return read;
  const file = `The state of ${stack === undefined ? "the selected stack" : `the stack ${stack}`}`;
  const { locate } = workplaceOf(program.folder, program.environment);
  return readStackExport({ file, text: read.output }, "--state", locate);
}

/** The beginning of a message; the reason follows. */
export const PENDING_UNREAD = "Pending operations were not looked for:";

export interface ProfileNames {
  profiles: readonly { id: string; name: string }[];
  /** True if the tenant has more. */
  isMore: boolean;
}

/** Returns the ids of profiles with a name that no state knows. */
export function twinsOf(
  name: string,
  { profiles }: Pick<ProfileNames, "profiles">,
  known: ReadonlySet<string>,
): string[] {
  return profiles.filter((profile) => profile.name === name && !known.has(profile.id)).map(({ id }) => id);
}

export function twinSentence(name: string, ids: readonly string[]): Sentence {
  return say`a profile named ${name} already exists as ${list(ids.map((id) => ({ id })))}: adopt it, or choose another name`;
}
