import { Command } from "commander";
import { CommandError, USAGE } from "../errors";
import { readInput } from "../input";
import { helpText } from "../terminal";
import { ADOPT_OPTIONS, type AdoptOptions } from "./options";
import { checkOutput, writeOutput } from "./output";

export function adoptCommand(): Command {
  const command = new Command("adopt")
    .description(
      "Writes a program for what the tenant holds: a first preview of it says that every connection profile stays as it is.",
    )
    .addHelpText(
      "after",
      helpText(
        "Examples:\n  pulumi-identity adopt --all-roles --out index.ts\n  pulumi-identity adopt --role rol_4hNkVx8QmTz2bRcW --out index.ts" +
          "\n  pulumi stack export | pulumi-identity adopt --unmanaged --state -",
        "Sends nothing but reads. Settings are those of a program: IDENTITY_… of the environment, then the configuration of the " +
          "stack.",
        "Exit codes: 0 fine, 1 the tenant could not be read, 2 wrong usage.",
      ),
    )
    .action(async (options: AdoptOptions) => {
      await adopt(options);
    });
  for (const option of ADOPT_OPTIONS) command.addOption(option);
  return command;
}

async function adopt(options: AdoptOptions): Promise<void> {
  const { out, force = false, unmanaged = false, state } = options;
  if (unmanaged && state.length === 0)
    throw new CommandError(
      "--unmanaged needs the state: add --state FILE, written by `pulumi stack export`.",
      USAGE,
    );
  if (!unmanaged && state.length > 0) throw new CommandError("--state is for --unmanaged: add it.", USAGE);
  if (out !== undefined) checkOutput(out, force);
  const exports: { file: string; text: string }[] = [];
  for (const file of state) {
    exports.push({
      file: file === "-" ? "The input" : file,
      text: await readInput(file, "pulumi stack export"),
    });
  }
  // Loads the client, which help and wrong usage need not.
  const { programOfTenant } = await import("./tenant.js");
  const program = await programOfTenant({
    ...options,
    exports,
    environment: process.env,
    folder: process.cwd(),
  });
  if (out === undefined) process.stdout.write(program);
  else writeOutput(out, program, force);
}
