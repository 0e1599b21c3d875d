import { Command, Option } from "commander";
import { type Caller, CALLERS } from "./callers";
import { checkOutputs, write } from "../files";
import { listOf, outputFile, tenantStack, withOptions } from "../option-values";
import { appearanceIn, helpText } from "../terminal";
import { examine } from "./examine";
import { briefText, doctorText } from "./report";

const FAILED = 1;

const FORMATS = ["text", "json"] as const;
const FAIL_ON = ["error", "warning"] as const;

interface DoctorOptions {
  stack?: string;
  require: Caller[];
  read: boolean;
  all?: true;
  format: (typeof FORMATS)[number];
  output?: string;
  failOn: (typeof FAIL_ON)[number][];
}

export function doctorCommand(): Command {
  const command = new Command("doctor")
    .description(
      "Checks your set-up: pending operations, program, plugin, settings, connection, token, scopes and rate limit.",
    )
    .addHelpText(
      "after",
      helpText(
        "Example:\n  pulumi-identity doctor --stack prod --require RoleGroupAssignment,review",
        "Run it in your program's folder. It changes nothing: it requests a token, and sends one GET.",
        `Exit codes: 0 ok or only warnings, ${FAILED} errors, 2 wrong usage.`,
      ),
    )
    .action(doctor);
  return withOptions(command, DOCTOR_OPTIONS);
}

const DOCTOR_OPTIONS: readonly Option[] = [
  tenantStack(),
  listOf("--require <list>", "what you use, so that missing scopes are errors", CALLERS),
  new Option("--no-read", "check program and settings only"),
  new Option("--all", "show each check, also where nothing is wrong"),
  new Option("--format <format>").choices(FORMATS).default("text"),
  outputFile(),
  listOf("--fail-on <list>", `exit ${FAILED} on any of`, FAIL_ON),
];

async function doctor({ stack, require, read, all, format, output, failOn }: DoctorOptions): Promise<void> {
  checkOutputs([output]);
  const [folder, environment] = [process.cwd(), process.env];
  const report = await examine({ stack, required: require, folder, environment, isTenantAsked: read });
  const { style, columns } = appearanceIn(output);
  const textOf = report.status === "ok" && all !== true ? briefText : doctorText;
  write(output, format === "json" ? `${JSON.stringify(report, null, 2)}\n` : textOf(report, columns, style));
  const isFailure = report.status === "error" || failOn.some((status) => status === report.status);
  process.exitCode = isFailure ? FAILED : 0;
}
