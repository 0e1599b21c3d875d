import { Argument, Command, InvalidArgumentError, Option } from "commander";
import { DOCS } from "../docs";
import { withOptions } from "../option-values";
import { helpText } from "../terminal";
import { BACKENDS, type Paste, type PipelineOptions } from "./from-examples";
import { writePipelines } from "./pipelines";

const HOSTS = ["github", "gitlab"] as const;

/** Headings of docs/pipelines.md. */
const SECTIONS = { github: "set-up-github-actions", gitlab: "set-up-gitlab-ci" } as const;

export function initCommand(): Command {
  const command = new Command("init")
    .description("Writes pipelines that review, apply, check for drift, and end expired grants.")
    .addArgument(new Argument("<what>", "what to write").choices(["pipelines"]))
    .addHelpText(
      "after",
      helpText(
        "Example:\n  pulumi-identity init pipelines --host github --stack acme/prod",
        "Run it in your program's folder. Scripts go to pipelines/ beside Pulumi.yaml, the rest to the root of the " +
          "repository. Run it again for a further stack. Existing files stay, unless you add --force.",
        "Exit codes: 0 ok, 2 wrong usage, or a file exists already.",
      ),
    )
    .action((_what: string, options: PipelineOptions) => {
      const { paths, kept, suffix, paste } = writePipelines(options, process.cwd());
      process.stdout.write(paths.map((file) => `${file}\n`).join(""));
      if (kept.length > 0) process.stderr.write(`Kept, because all stacks use them: ${kept.join(", ")}\n`);
      if (suffix !== undefined)
        process.stderr.write(
          `This stack's variables and secrets of the repository end in ${suffix}, such as IDENTITY_DOMAIN${suffix}.\n`,
        );
      if (paste !== undefined) process.stderr.write(`${pasteText(paste)}\n`);
      process.stderr.write(
        `Next, set the variables and secrets: ${DOCS}/pipelines.md#${SECTIONS[options.host]}\n`,
      );
    });
  return withOptions(command, INIT_OPTIONS);
}

function pasteText({ path, under, text }: Paste): string {
  const where = under === undefined ? `at the end of ${path}` : `to the list \`${under}\` of ${path}`;
  return `Add this ${where} by hand, because editing would change how the rest of the file looks:\n\n${text}`;
}

const INIT_OPTIONS: readonly Option[] = [
  new Option("--host <host>", "host of the repository").choices(HOSTS).makeOptionMandatory(),
  new Option("--backend <backend>", "where your state is").choices(BACKENDS).default("pulumi-cloud"),
  new Option("--stack <name>", "the stack to review and apply").argParser(stackName).default("prod"),
  new Option("--force", "overwrite existing files"),
];

function stackName(name: string): string {
  if (!/^[\w.-]+(\/[\w.-]+){0,2}$/.test(name))
    throw new InvalidArgumentError("Write it as NAME, ORGANIZATION/NAME or ORGANIZATION/PROJECT/NAME.");
  return name;
}
