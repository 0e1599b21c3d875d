import * as z from "../provider/zod";
import { parseJson } from "../provider/http/shape";
import { makeBorder } from "../provider/pulumi/clients";
import { readSettings } from "../provider/pulumi/settings";
import { runPulumi, type StackOfProgram } from "./pulumi-cli";

const listed = z.array(z.object({ name: z.string() }));

/**
 * True if none of these stacks exists any more, `project/stack` each; false if Pulumi can't tell. A list that
 * lacks this run's `own` stacks is that of another place, or of a token that doesn't see all.
 */
export async function areGone(
  stacks: readonly string[],
  own: readonly string[],
  program: Omit<StackOfProgram, "stack">,
): Promise<boolean> {
  const projects = new Set([...stacks, ...own].map((stack) => stack.split("/").slice(0, -1).join("/")));
  const border = makeBorder(readSettings(() => undefined, program.environment));
  const existing = new Set<string>();
  for (const project of projects) {
    if (project === "") return false;
    const printed = await runPulumi(["stack", "ls", "--json", "--project", project], program, border);
    const list = "unread" in printed ? undefined : listed.safeParse(parseJson(printed.output));
    if (list?.success !== true) return false;
    for (const { name } of list.data) existing.add(`${project}/${name.split("/").at(-1)}`);
  }
  return own.every((stack) => existing.has(stack)) && !stacks.some((stack) => existing.has(stack));
}
