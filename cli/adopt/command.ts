import { Command, Option } from "commander";
import { CommandError, USAGE } from "../errors";
import { checkOutput, readExports, writeOutput } from "../files";
import { exportedStates, outputFile, repeatable, tenantStack, withOptions } from "../option-values";
import { helpText, Progress } from "../terminal";
import { ADOPT_FORMATS, type AdoptOptions, adoptTenant } from "./adopt";

export function adoptCommand(): Command {
  const command = new Command("adopt")
    .description(
      "Writes a program for your existing tenant: in TypeScript, or in any language with `pulumi import`.",
    )
    .addHelpText(
      "after",
      helpText(
        "Examples:\n  pulumi-identity adopt --all-roles --output index.ts" +
          "\n  pulumi-identity adopt --all-roles --format import --output import.json" +
          "\n  pulumi-identity adopt --organization acme --output acme.ts" +
          "\n  pulumi stack export | pulumi-identity adopt --unmanaged --state -",
        "It only reads. The program finds roles and groups by name, unless two share one. Settings come from IDENTITY_… first, " +
          "then from the stack's configuration.",
        "Exit codes: 0 ok, 1 the tenant can't be read, 2 wrong usage.",
      ),
    )
    .action(adopt);
  return withOptions(command, ADOPT_OPTIONS);
}

const ADOPT_OPTIONS: readonly Option[] = [
  new Option(
    "--format <format>",
    "typescript: a program; import: a file for `pulumi import --file`, which writes the program in your language",
  )
    .choices(ADOPT_FORMATS)
    .default("typescript"),
  outputFile(),
  new Option("--force", "overwrite an existing file"),
  repeatable("--role <name>", "also the groups of this role, by name or id"),
  new Option("--all-roles", "also the groups of all roles"),
  repeatable(
    "--organization <name>",
    "also the groups that have a role in this organization, by name or id; all: in every one",
  ),
  new Option("--ids", "write ids of roles and groups, even if names would do"),
  new Option("--only <pattern>", "only profiles whose name matches: * for any characters, ? for one"),
  new Option("--unmanaged", "only what isn't in any --state"),
  exportedStates(),
  tenantStack(),
];

async function adopt(options: AdoptOptions): Promise<void> {
  const { output, force = false, unmanaged = false, state } = options;
  if (unmanaged && state.length === 0)
    throw new CommandError(
      "--unmanaged needs the state: add --state FILE, written by `pulumi stack export`.",
      USAGE,
    );
  if (!unmanaged && state.length > 0) throw new CommandError("--state is for --unmanaged: add it.", USAGE);
  if (output !== undefined) checkOutput(output, force);
  const exports = await readExports(state);
  const [folder, environment] = [process.cwd(), process.env];
  const { text, notes } = await adoptTenant({ ...options, exports, environment, folder });
  const progress = new Progress(process.stderr);
  for (const note of notes) progress.notice(note);
  if (output === undefined) process.stdout.write(text);
  else writeOutput(output, text, force);
}
