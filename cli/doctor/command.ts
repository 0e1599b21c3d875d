import { Command, Option } from "commander";
import { SCOPED, type Scoped } from "../../provider/service/scopes";
import { addedNames } from "../option-values";
import { helpText, Progress, styleFor } from "../terminal";
import { type Report } from "./report";

const WRONG = 1;

interface DoctorOptions {
  json?: true;
  stack?: string;
  require: Scoped[];
  strict?: true;
}

export function doctorCommand(): Command {
  return new Command("doctor")
    .description(
      "Says whether the set-up is right: program, settings, connection, token, scopes, rate limit.",
    )
    .option("--json", "print the report as JSON")
    .option("--stack <name>", "the stack whose configuration is read; default: the selected one")
    .addOption(
      new Option(
        "--require <list>",
        `what programs use, so that its scopes must be granted: ${SCOPED.join(", ")}`,
      )
        .argParser(addedNames(SCOPED))
        .default([], "none"),
    )
    .option("--strict", `exit ${WRONG} on warnings, too`)
    .addHelpText(
      "after",
      helpText(
        "Example:\n  pulumi-identity doctor --stack prod --require RoleGroupAssignment,getUser",
        "It changes nothing: it sends the token request and GETs. Run it in the folder of the program.",
        `Exit codes: 0 fine or warnings, ${WRONG} something is wrong, 2 wrong usage.`,
      ),
    )
    .action(async (options: DoctorOptions) => {
      const report = await examined(options);
      const { doctorText } = await import("./report.js");
      process.stdout.write(
        options.json
          ? `${JSON.stringify(report, null, 2)}\n`
          : doctorText(report, process.stdout.columns, styleFor(process.stdout)),
      );
      process.exitCode = isFailure(report, options) ? WRONG : 0;
    });
}

/** Loads the client, which help and wrong usage need not. */
async function examined({ stack, require }: DoctorOptions): Promise<Report> {
  const { examine } = await import("./examine.js");
  const progress = new Progress(process.stderr);
  try {
    return await examine({
      stack,
      required: require,
      folder: process.cwd(),
      environment: process.env,
      show: (text) => progress.show(text),
    });
  } finally {
    progress.clear();
  }
}

function isFailure({ status }: Report, { strict }: DoctorOptions): boolean {
  return status === "wrong" || (strict === true && status === "warning");
}
