import { Command, Option } from "commander";
import { SCOPED, type Scoped } from "../../provider/service/scopes";
import { addedNames } from "../option-values";
import { helpText, styleFor } from "../terminal";
import { examine } from "./examine";
import { doctorText } from "./report";

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
    .action(async ({ json, stack, require, strict }: DoctorOptions) => {
      const [folder, environment] = [process.cwd(), process.env];
      const report = await examine({ stack, required: require, folder, environment });
      process.stdout.write(
        json
          ? `${JSON.stringify(report, null, 2)}\n`
          : doctorText(report, process.stdout.columns, styleFor(process.stdout)),
      );
      const isFailure = report.status === "wrong" || (strict === true && report.status === "warning");
      process.exitCode = isFailure ? WRONG : 0;
    });
}
