#!/usr/bin/env node
import { Command, CommanderError } from "commander";
import { PACKAGE_VERSION } from "../provider/http/package-version";
import { adoptCommand } from "./adopt/command";
import { accessCommand } from "./access/command";
import { doctorCommand } from "./doctor/command";
import { CommandError, USAGE } from "./errors";
import { writeFailed } from "./files";
import { initCommand } from "./init/command";
import { styleFor } from "./terminal";
import { tokenCommand } from "./token";
import { reviewCommand } from "./review/command";
import { rulesCommand } from "./rules/command";

/** In the order of the help. */
const COMMANDS = {
  review: () => reviewCommand(),
  adopt: () => adoptCommand(),
  access: () => accessCommand(),
  rules: () => rulesCommand(),
  doctor: () => doctorCommand(),
  token: () => tokenCommand(),
  init: () => initCommand(),
} as const;

async function main(): Promise<void> {
  goOnWithoutReader();
  const program = new Command("pulumi-identity")
    .description("Companion commands for pulumi-identity.")
    .version(PACKAGE_VERSION);
  for (const command of commandsFor(process.argv[2])) program.addCommand(command());
  const style = styleFor(process.stdout);
  for (const command of [program, ...program.commands])
    command.exitOverride().configureHelp({ styleTitle: (title) => style("bold", title) });
  try {
    await program.parseAsync();
  } catch (error) {
    process.exitCode = exitCodeOf(error);
  }
}

/** The named one alone: the others needn't be loaded. Without one of ours, all, for the help. */
function commandsFor(name = ""): readonly (() => Command)[] {
  return Object.hasOwn(COMMANDS, name) ? [COMMANDS[name as keyof typeof COMMANDS]] : Object.values(COMMANDS);
}

/** A reader such as `head` may leave early. The command still does its work, and keeps its exit code. */
function goOnWithoutReader(): void {
  for (const stream of [process.stdout, process.stderr])
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EPIPE") return;
      // Whoever reads a part of the output would take it for all of it.
      process.exit(exitCodeOf(writeFailed(error)));
    });
}

function exitCodeOf(error: unknown): number {
  // Help and the version aren't errors; real ones have already been printed.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE;
  if (!(error instanceof CommandError)) throw error;
  process.stderr.write(`${error.message}\n`);
  return error.exitCode;
}

void main();
