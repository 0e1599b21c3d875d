import { Command, Option } from "commander";
import { type Caller, CALLERS } from "./callers";
import { addedNames } from "../option-values";
import { helpText, styleFor } from "../terminal";
import { examine } from "./examine";
import { doctorText } from "./report";

const FAILED = 1;

interface DoctorOptions {
  json?: true;
  stack?: string;
  require: Caller[];
  strict?: true;
}

export function doctorCommand(): Command {
  return new Command("doctor")
    .description("Checks the set-up: program, plugin, settings, connection, token, scopes and rate limit.")
    .option("--json", "print the report as JSON")
    .option("--stack <name>", "the stack whose configuration is read; default: the selected one")
    .addOption(
      new Option("--require <list>", `what you use, so that missing scopes are errors: ${CALLERS.join(", ")}`)
        .argParser(addedNames(CALLERS))
        .default([], "none"),
    )
    .option("--strict", `exit ${FAILED} on warnings too`)
    .addHelpText(
      "after",
      helpText(
        "Example:\n  pulumi-identity doctor --stack prod --require RoleGroupAssignment,review",
        "Run it in the folder of the program. It changes nothing: it sends the token request and one GET.",
        `Exit codes: 0 ok or only warnings, ${FAILED} errors, 2 wrong usage.`,
      ),
    )
    .action(async ({ json, stack, require, strict }: DoctorOptions) => {
      const [folder, environment] = [process.cwd(), process.env];
      const report = await examine({ stack, required: require, folder, environment });
      process.stdout.write(
        json
          ? `${JSON.stringify(report, null, 2)}\n`
          : doctorText(report, process.stdout.columns, styleFor(process.stdout)),
      );
      const isFailure = report.status === "error" || (strict === true && report.status === "warning");
      process.exitCode = isFailure ? FAILED : 0;
    });
}
