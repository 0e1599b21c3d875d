import { Command, Option } from "commander";
import { CommandError, USAGE } from "../errors";
import { readExports, write } from "../files";
import { exportedStates, listOf, outputFile, repeatable, userId, withOptions } from "../option-values";
import { readRulesFile } from "../rules/file";
import { helpText, PLAIN, styleFor } from "../terminal";
import { askAccess } from "./ask";
import { type Format, FORMATS, formatted } from "./formats";
import { type AccessFinding, FINDINGS, findingsIn } from "./roles";

const FOUND = 3;

interface AccessOptions {
  state: string[];
  stack: string[];
  role: string[];
  group: string[];
  user?: string;
  rules?: string;
  format: Format;
  output?: string;
  failOn: AccessFinding[];
  direct: boolean;
  people?: boolean;
}

export function accessCommand(): Command {
  const command = new Command("access")
    .description(
      "Shows who has which role, and why: the stack, resource and line that grant it, or that it was granted by hand.",
    )
    .addHelpText(
      "after",
      helpText(
        "Examples:\n  pulumi-identity access --stack prod --stack dev --format csv --output access.csv" +
          "\n  pulumi stack export | pulumi-identity access --state - --fail-on drift" +
          "\n  pulumi-identity access --stack prod --user 'auth0|64c1f0a2b7d83e5f9a1b2c3d'",
        "It only reads. Settings come from IDENTITY_… first, then from the first stack's configuration. Read every stack that " +
          "assigns roles: grants of the others look as if they were made by hand.",
        `Exit codes: 0 ok, 1 a state or the tenant can't be read, or only in part, 2 wrong usage, ${FOUND} found what --fail-on names.`,
      ),
    )
    .action(async (options: AccessOptions) => {
      process.exitCode = await access(options);
    });
  return withOptions(command, ACCESS_OPTIONS);
}

const ACCESS_OPTIONS: readonly Option[] = [
  exportedStates(),
  repeatable("--stack <name>", "stack of this project; default without --state: the selected one"),
  repeatable("--role <id>", "only this role; default: all"),
  repeatable("--group <id>", "only the roles of this group; default: all"),
  new Option("--user <id>", "show what this user can do, and through which role, group and line")
    .argParser(userId)
    .conflicts(["role", "group", "failOn"]),
  new Option(
    "--rules <file>",
    "YAML or JSON: who may have which role, what conflicts, what must end; shows what breaks it",
  ).conflicts(["role", "group", "user"]),
  new Option("--no-direct", "don't ask who has the roles directly, without a group"),
  new Option("--people", "also list the ids of people who have a role directly"),
  new Option("--format <format>").choices(FORMATS).default("text"),
  outputFile(),
  listOf("--fail-on <list>", `exit ${FOUND} on any of`, FINDINGS),
];

async function access({ state, rules: file, ...options }: AccessOptions): Promise<number> {
  if (file === undefined && options.failOn.includes("rules"))
    throw new CommandError("--fail-on rules needs --rules FILE.", USAGE);
  const rules = file === undefined ? undefined : readRulesFile(file);
  const exports = await readExports(state);
  const [folder, environment] = [process.cwd(), process.env];
  const answer = await askAccess({ ...options, rules, exports, environment, folder });
  const { output, format } = options;
  write(output, formatted(answer, format, output === undefined ? styleFor(process.stdout) : PLAIN));
  const found = findingsIn(answer).filter((finding) => options.failOn.includes(finding));
  if (found.length === 0 && answer.incomplete.length > 0) {
    process.stderr.write("The answer is not complete: it says which lists could not be read whole.\n");
    return 1;
  }
  if (found.length === 0 && answer.unreadPeople !== undefined) {
    process.stderr.write(
      `The answer is not complete: ${answer.unreadPeople.join("; ")}. Grant the scope, or leave it out with --no-direct.\n`,
    );
    return 1;
  }
  if (found.length === 0) return 0;
  // The answer may go to a file that nobody has opened yet.
  process.stderr.write(`Found what --fail-on names: ${found.join(", ")}.\n`);
  return FOUND;
}
