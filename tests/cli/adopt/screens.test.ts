import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { adoptCommand } from "../../../cli/adopt/command";
import { DEFAULT_SEED } from "../../../simulator/default-seed";
import { useFolder } from "../../../testkit/folder";
import { expectGolden } from "../../../testkit/golden";
import { shownOnTerminal } from "../../../testkit/cli/terminal";
import { environmentOf, useSimulator } from "../../../testkit/simulator";

/* `adopt` on a terminal: the file in golden/ has been read by a person. */

const KILLED = {
  version: 3,
  deployment: {
    pending_operations: [
      {
        type: "creating",
        resource: {
          urn: "urn:pulumi:prod::access::pulumi-nodejs:dynamic/identity:ConnectionProfile::workforce",
          type: "pulumi-nodejs:dynamic/identity:ConnectionProfile",
          custom: true,
        },
      },
    ],
  },
};

const folder = useFolder();
const simulator = useSimulator({
  seed: {
    ...DEFAULT_SEED,
    connection_profiles: [
      { id: "cop_9sJdYp3LfGe7uXaK", name: "workforce", enabled_features: ["scim"] },
      { id: "cop_4hNkVx8QmTz2bRcW", name: "a profile of partners with a long name", enabled_features: [] },
    ],
  },
});

/** What a person sees of both streams, without the progress that is gone by then. */
async function screenOf(columns: number, ...args: string[]): Promise<string> {
  const variables = environmentOf(simulator);
  const environment = { ...process.env };
  Object.assign(process.env, variables);
  const screen = await shownOnTerminal(() => adoptCommand().parseAsync(args, { from: "user" }), {
    streams: [process.stdout, process.stderr],
    columns,
  }).finally(() => {
    process.env = environment;
  });
  const shown = screen
    .split("\n")
    .map((line) => line.split("\r\u001b[K").at(-1))
    .join("\n");
  return `$ pulumi-identity adopt ${args.join(" ").replaceAll(folder, ".")}\n${shown}`.replaceAll(
    new URL(simulator.url).host,
    "tenant.example.com",
  );
}

test("80 columns: no word is cut, and no line is longer", async () => {
  const state = join(folder, "state.json");
  writeFileSync(state, JSON.stringify(KILLED));
  const first = await screenOf(80, "--only", "a*");
  const rest = await screenOf(80, "--unmanaged", "--state", state, "--all-roles", "--format", "import");
  expectGolden(join(__dirname, "golden/80-columns.txt"), `${first}\n${rest}`);
});
