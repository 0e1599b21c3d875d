import { CALLERS } from "../../cli/doctor/callers";
import { accessCommand } from "../../cli/access/command";
import { adoptCommand } from "../../cli/adopt/command";
import { doctorCommand } from "../../cli/doctor/command";
import { reviewCommand } from "../../cli/review/command";
import { rulesCommand } from "../../cli/rules/command";
import { AGENT } from "../../simulator/default-seed";
import { runListing } from "../../testkit/cli/bin";
import { runCommand } from "../../testkit/cli/in-process";

/* How all commands answer wrong usage and --help: at once, with no package but the one that reads both. */

const COMMANDS = {
  review: reviewCommand,
  access: accessCommand,
  adopt: adoptCommand,
  doctor: doctorCommand,
  rules: rulesCommand,
} as const;
const VALUES = "Allowed choices are text, markdown, csv, json, html.";

test.each<[line: string, message: string]>([
  ["review --colour", "unknown option '--colour'"],
  ["review --fail-on grants", '"grants" is none of grant, revoke,'],
  ["review --expect-reviewed", "--expect-reviewed needs --github or --gitlab."],
  ["review --issue Drift --drift", "--issue needs --github or --gitlab."],
  ["review --github --gitlab", "cannot be used with option"],
  ["review --outcome applied", "--outcome needs --github or --gitlab."],
  ["review --github --outcome applied --drift", "cannot be used with option"],
  [`review --github --expect-reviewed --expect ${"0".repeat(32)}`, "cannot be used with option"],
  ["review --github --drift", "add --issue TITLE"],
  ["review --github --issue Drift", "add --drift"],
  ["review --github --drift --expect-reviewed", "leave out --drift"],
  ["review --max-length 10", "Give a whole number from 1000."],
  ["review --sample-user ..", "It must be an id of 1 to 512 characters"],
  ["review --sample-user=", "It must be an id of 1 to 512 characters"],
  [`access --user a --role ${AGENT}`, "cannot be used with option '--role <name>'"],
  ["access --user a --fail-on drift", "--fail-on with --user takes only left"],
  ["access --user ..", "argument '..' is invalid"],
  ["access --format xml", VALUES],
  ["access --fail-on over", '"over" is none of unmanaged, drift, expired, rules, changes, ends, left.'],
  ["access --decisions access.csv", "--decisions needs --people"],
  [`access --decisions access.csv --role ${AGENT}`, "cannot be used with option"],
  ["access --fail-on changes", "--fail-on changes needs --compare FILE."],
  ["access --by-name", "--by-name needs --compare FILE, of another tenant."],
  ["access --compare then.json --user a", "cannot be used with option '--user <id>'"],
  ["access --permissions", "--permissions needs --format html or json."],
  ["access prod", "too many arguments"],
  ["adopt --unmanaged", "--unmanaged needs the state: add --state FILE"],
  ["adopt --state state.json", "--state is for --unmanaged: add it."],
  ["adopt --all", "unknown option '--all'"],
  ["adopt index.ts", "too many arguments"],
  ["doctor --require ConnectionProfile,getUsers", `"getUsers" is none of ${CALLERS.join(", ")}.`],
  ["doctor --require=", '"" is none of'],
  ["doctor --colour", "unknown option '--colour'"],
  ["doctor --stack", "argument missing"],
  ["doctor extra", "too many arguments"],
  ["rules", "missing required argument 'file'"],
  ["rules --fail-on cases", "unknown option '--fail-on'"],
  ["rules a.yaml b.yaml", "too many arguments"],
])("%s: exit 2, and nothing but a sentence", async (line, message) => {
  const [name, ...args] = line.split(" ") as [keyof typeof COMMANDS, ...string[]];
  const { stderr, ...result } = await runCommand(COMMANDS[name](), args);
  expect(result).toEqual({ code: 2, stdout: "" });
  expect(stderr).toContain(message);
});

test.each<[line: string, message: string]>([
  ["review --expect-reviewed", "--expect-reviewed needs --github or --gitlab."],
  ["access --permissions", "--permissions needs --format html or json."],
  ["adopt --unmanaged", "--unmanaged needs the state: add --state FILE"],
  ["doctor --stack", "argument missing"],
  ["init pipelines", "required option '--host <host>' not specified"],
  ["init pipelines --host other", "Allowed choices are github, gitlab."],
  ["init pipelines --host github --stack a:b", "Write it as NAME, ORGANIZATION/NAME"],
  ["rules", "missing required argument 'file'"],
  ["token --output x", "unknown option '--output'"],
])("%s, as a process: the same, at once", async (line, message) => {
  const { stderr, ...result } = await runListing({}, line.split(" "));
  expect(result).toEqual({ code: 2, stdout: "", packages: ["commander"] });
  expect(stderr).toContain(message);
  expect(stderr).not.toMatch(/\n {4}at /);
});

test.each(["review", "access", "rules", "adopt", "doctor", "token", "init"])("%s --help", async (command) => {
  const { stdout, ...result } = await runListing({}, [command, "--help"]);
  expect(result).toEqual({ code: 0, stderr: "", packages: ["commander"] });
  expect(stdout).toContain(`Usage: pulumi-identity ${command}`);
});
