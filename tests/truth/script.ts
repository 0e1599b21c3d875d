import { divertLines } from "../../testkit/hosts/host-in-process";
import { Story, type Verdict } from "./story";

/* For worlds written as a program. */

export function begin(world: Parameters<typeof Story.begin>[0]): Promise<Story> {
  divertLines();
  return Story.begin(world);
}

export function show({ outcome, review, sent, violations }: Verdict): void {
  process.stdout.write(`${JSON.stringify({ outcome, review, sent, violations }, undefined, 2)}\n`);
  process.exit(violations.length === 0 ? 0 : 1);
}
