import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { runPulumi } from "../../cli/pulumi-cli";
import { Border } from "../../provider/border";
import { useFolder } from "../../testkit/folder";

const folder = useFolder();

/** A folder whose `pulumi` prints its PATH. */
function withPulumi(name: string): string {
  const bin = join(folder, name);
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, "pulumi"), '#!/bin/sh\nprintf %s "$PATH"\n');
  chmodSync(join(bin, "pulumi"), 0o755);
  return bin;
}

async function pathSeen(folders: readonly string[], npm_command: string): Promise<unknown> {
  const environment = { PATH: folders.join(delimiter), npm_command };
  const answer = await runPulumi([], { folder, environment }, new Border());
  return "output" in answer ? answer.output.split(delimiter) : answer;
}

test("pulumi runs without the commands that npx has put in front of the PATH, as from the shell", async () => {
  const ofNpm = join(folder, "access/node_modules/.bin");
  mkdirSync(ofNpm, { recursive: true });
  const ofShell = withPulumi("bin");
  expect(await pathSeen([ofNpm, ofShell], "exec")).toEqual([ofShell]);
  expect(await pathSeen([ofNpm, ofShell], "run-script")).toEqual([ofNpm, ofShell]);
});

test("npm's own pulumi stays", async () => {
  const ofNpm = withPulumi("access/node_modules/.bin");
  expect(await pathSeen([ofNpm], "exec")).toEqual([ofNpm]);
});
