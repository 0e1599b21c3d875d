import { Command, Option } from "commander";
import { CommandError, USAGE } from "../errors";
import { checkOutput, readExports, writeOutput } from "../files";
import { repeatable } from "../option-values";
import { helpText } from "../terminal";
import { type AdoptOptions, programOfTenant } from "./tenant";

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
        "Exit codes: 0 ok, 1 the tenant could not be read, 2 wrong usage.",
      ),
    )
    .action(adopt);
  for (const option of ADOPT_OPTIONS) command.addOption(option);
  return command;
}

const ADOPT_OPTIONS: readonly Option[] = [
  new Option("--out <file>", "where to write the program; default: standard output"),
  new Option("--force", "write the file even if it is there already"),
  repeatable("--role <id>", "also the groups of this role; may be repeated"),
  new Option("--all-roles", "also the groups of every role of the tenant that has any"),
  new Option("--only <pattern>", "only profiles of matching names: * any characters, ? one"),
  new Option("--unmanaged", "only what no state given by --state knows"),
  repeatable("--state <file>", "output of `pulumi stack export`, - for standard input; may be repeated"),
  new Option("--stack <name>", "whose configuration names the tenant; default: the selected stack"),
];

async function adopt(options: AdoptOptions): Promise<void> {
  const { out, force = false, unmanaged = false, state } = options;
  if (unmanaged && state.length === 0)
    throw new CommandError(
      "--unmanaged needs the state: add --state FILE, written by `pulumi stack export`.",
      USAGE,
    );
  if (!unmanaged && state.length > 0) throw new CommandError("--state is for --unmanaged: add it.", USAGE);
  if (out !== undefined) checkOutput(out, force);
  const exports = await readExports(state);
  const [folder, environment] = [process.cwd(), process.env];
  const program = await programOfTenant({ ...options, exports, environment, folder });
  if (out === undefined) process.stdout.write(program);
  else writeOutput(out, program, force);
}
