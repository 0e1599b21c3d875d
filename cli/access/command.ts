import { Command, Option } from "commander";
import { INPUT_UNUSABLE, refuseMisuse } from "../errors";
import { checkOutputs, readExports, readFile, write } from "../files";
import { exportedStates, listOf, outputFile, repeatable, userId, withOptions } from "../option-values";
import { readRulesFile } from "../rules/file";
import { anyOf, optional } from "../lists";
import { appearanceIn, helpText } from "../terminal";
import { askAccess } from "./ask";
import { type Access } from "./document";
import { readCompared } from "./compare";
import { openIn, readDecisions } from "./decisions";
import { type Format, FORMATS, formatted } from "./formats";
import { endsWithinOption, type Within } from "../ends";
import { type AccessFinding, FINDINGS, findingsIn, isCertain } from "./roles";

const FOUND = 3;

interface AccessOptions {
  state: string[];
  stack: string[];
  role: string[];
  group: string[];
  organization: string[];
  user?: string;
  leave?: boolean;
  rules?: string;
  format: Format;
  output?: string;
  failOn: AccessFinding[];
  direct: boolean;
  people?: boolean;
  permissions?: boolean;
  decisions?: string;
  endsWithin?: Within;
  compare?: string;
  byName?: boolean;
}

export function accessCommand(): Command {
  const command = new Command("access")
    .description(
      "Shows who has which role, and why: the stack, resource and line that grant it, or that it was granted by hand.",
    )
    .addHelpText(
      "after",
      helpText(
        "Examples:\n  pulumi-identity access --stack prod --stack dev --format html --output access.html" +
          "\n  pulumi-identity access --stack prod --people --format csv --output access.csv" +
          "\n  pulumi-identity access --stack prod --people --decisions access.csv" +
          "\n  pulumi-identity access --stack prod --people --compare last-quarter.json --decisions access.csv" +
          "\n  pulumi stack export | pulumi-identity access --state - --fail-on drift" +
          "\n  pulumi-identity access --stack prod --user 'auth0|64c1f0a2b7d83e5f9a1b2c3d'" +
          "\n  pulumi-identity access --stack prod --user 'auth0|64c1f0a2b7d83e5f9a1b2c3d' --leave --fail-on left",
        "It only reads. Settings come from IDENTITY_… first, then from the first stack's configuration. Read every stack that " +
          "assigns roles: grants of the others look as if they were made by hand.",
        `Exit codes: 0 ok, 1 a state or the tenant can't be read, or only in part, 2 wrong usage, ${FOUND} found what --fail-on names, or decisions are open.`,
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
  repeatable("--role <name>", "only this role, by name or id; default: all"),
  repeatable("--group <name>", "only the roles of this group, by name or id; default: all"),
  repeatable(
    "--organization <name>",
    "also ask this organization who has roles in it, by name or id; all: every one; default: those that states and rules name; all, up to 100, if a rule holds in each",
  ),
  new Option("--user <id>", "show what this user can do, and through which role, group and line")
    .argParser(userId)
    .conflicts(["role", "group"]),
  new Option(
    "--leave",
    "with --user: also show what the user is signed in with, in all organizations, and how to take all of it",
  ),
  new Option(
    "--rules <file>",
    "YAML or JSON: who may have which role, what conflicts, what must end; shows what breaks it",
  ).conflicts(["role", "group", "user"]),
  new Option("--no-direct", "don't ask who has the roles directly, without a group"),
  new Option(
    "--people",
    "also list the ids of people who have a role directly; in html and json, of the groups' members too",
  ),
  new Option("--permissions", "also read what the roles allow; for html and json"),
  new Option(
    "--decisions <file>",
    "CSV of this command with decisions filled in: shows what is still to revoke, new or undecided",
  ).conflicts(["role", "group", "user"]),
  endsWithinOption("show grants that end within this time, or have ended and are still there"),
  new Option(
    "--compare <file>",
    "earlier output of --format json: shows who gained and lost what since then, and by which line",
  ).conflicts("user"),
  new Option(
    "--by-name",
    "the file of --compare is of another tenant: matches roles, groups and organizations by their names",
  ),
  new Option("--format <format>").choices(FORMATS).default("text"),
  outputFile(),
  listOf("--fail-on <list>", `exit ${FOUND} on any of`, FINDINGS),
];

/** Formats that show all that is known of a role and a group. */
const DETAILED: readonly Format[] = ["html", "json"];

async function access({ state, rules, decisions, compare, ...options }: AccessOptions): Promise<number> {
  check({ ...options, rules, decisions, compare });
  const { output, format, people = false, byName = false } = options;
  checkOutputs([output], [...state, rules, decisions, compare]);
  const asksPeople = options.direct && options.group.length === 0;
  const files = {
    rules: rules === undefined ? undefined : readRulesFile(rules),
    decisions:
      decisions === undefined
        ? undefined
        : readDecisions({ file: decisions, text: readFile(decisions, '"CSV UTF-8"') }),
    compare:
      compare === undefined
        ? undefined
        : readCompared({ file: compare, text: readFile(compare) }, { isByName: byName, people: asksPeople }),
  };
  const answer = await askAccess({
    ...options,
    ...files,
    exports: await readExports(state),
    members: people && DETAILED.includes(format),
    environment: process.env,
    folder: process.cwd(),
  });
  const { style, columns } = appearanceIn(output);
  write(output, formatted(answer, format, style, columns));
  return exitCode(answer, options.failOn);
}

type Checked = Pick<
  AccessOptions,
  "failOn" | "format" | "direct" | "people" | "permissions" | "endsWithin" | "user" | "leave" | "byName"
> & {
  rules: string | undefined;
  decisions: string | undefined;
  compare: string | undefined;
};

/** The findings that only an option looks for. */
const NEEDED = {
  rules: ["rules", "--rules FILE"],
  changes: ["compare", "--compare FILE"],
  ends: ["endsWithin", "--ends-within TIME"],
  left: ["leave", "--user ID --leave"],
} as const satisfies Partial<Record<AccessFinding, readonly [keyof Checked, string]>>;

function check(checked: Checked): void {
  const { user, leave = false, decisions, compare, failOn, format } = checked;
  const { direct, people, permissions, byName } = checked;
  refuseMisuse([
    [leave && user === undefined, () => "--leave needs --user ID: the person who leaves."],
    ...Object.entries(NEEDED).map(
      ([finding, [option, needs]]) =>
        [
          failOn.includes(finding as AccessFinding) && checked[option] === undefined,
          () => `--fail-on ${finding} needs ${needs}.`,
        ] as const,
    ),
    [
      user !== undefined && failOn.some((finding) => finding !== "left"),
      () =>
        "--fail-on with --user takes only left, with --leave: the others are findings about all of the tenant.",
    ],
    [leave && format === "csv", () => "--leave has no --format csv: take json for a program."],
    [compare === undefined && byName === true, () => "--by-name needs --compare FILE, of another tenant."],
    [permissions === true && !DETAILED.includes(format), () => "--permissions needs --format html or json."],
    [
      decisions !== undefined && direct && people !== true,
      () => "--decisions needs --people, to know people by their ids, or --no-direct.",
    ],
  ]);
}

/** Says why it isn't 0: the answer may go to a file that nobody has opened yet. */
function exitCode(answer: Access, failOn: readonly AccessFinding[]): number {
  const { tenant, user, decisions, incomplete, unreadPeople = [], unreadDetails = [] } = answer;
  const found = findingsIn(answer).filter((finding) => failOn.includes(finding));
  const certain = found.filter((finding) => isCertain(finding, answer));
  const possible = found.filter((finding) => !certain.includes(finding));
  const open = optional(decisions).filter(({ findings }) => findings.length > 0);
  const findings = [
    ...open.map((answered) => `Open in ${answered.file}: ${openIn(answered)}.`),
    ...anyOf(
      [certain.length, `Found what --fail-on names: ${certain.join(", ")}.`],
      [
        possible.length,
        `Can't rule out ${possible.join(", ")}: the answer says what was not asked or not read.`,
      ],
    ),
  ];
  const [gap] = anyOf(
    [
      incomplete.length + unreadDetails.length,
      "The answer is not complete: it says which lists could not be read whole.",
    ],
    [
      unreadPeople.length,
      `The answer is not complete: ${unreadPeople.join("; ")}. Grant the scope, or leave it out with --no-direct.`,
    ],
  );
  if (findings.length > 0) return endWith(FOUND, findings);
  if (gap !== undefined) return endWith(INPUT_UNUSABLE, [gap]);
  const gone = user?.leaving?.gone === true ? [user.id] : [];
  return endWith(
    0,
    gone.map((id) => `The tenant ${tenant} has no user ${id}: deleted, or --user is mistyped.`),
  );
}

function endWith(code: number, sentences: readonly string[]): number {
  process.stderr.write(sentences.map((sentence) => `${sentence}\n`).join(""));
  return code;
}
