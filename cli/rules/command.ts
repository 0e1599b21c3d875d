import { Command } from "commander";
import { write } from "../files";
import { toText } from "../output/text";
import { appearanceIn, helpText } from "../terminal";
import { tried } from "./cases";
import { readRulesFile } from "./file";

const FAILED = 3;

export function rulesCommand(): Command {
  return new Command("rules")
    .description("Tries the cases that a rules file has under tests, and lists exceptions that don't count.")
    .argument("<file>", "YAML or JSON, as for --rules of review and access")
    .addHelpText(
      "after",
      helpText(
        "Example:\n  pulumi-identity rules rules.yaml",
        "It reads the file and nothing else: it needs no tenant and no credentials. Each name stands for itself, so it can't " +
          "find out whether the tenant has it.",
        `Exit codes: 0 ok, also if exceptions have ended, 1 the file is unusable, 2 wrong usage, ${FAILED} a case fails, or an ` +
          "exception has no reason, owner or end, or ends more than a year ahead.",
      ),
    )
    .action((file: string) => {
      process.exitCode = rules(file);
    });
}

function rules(file: string): number {
  const { document, isFailed } = tried(readRulesFile(file), Date.now());
  const { style, columns } = appearanceIn(undefined);
  write(undefined, toText([document], {}, style, columns));
  return isFailed ? FAILED : 0;
}
