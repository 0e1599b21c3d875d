// Opens an issue on what has changed, or gives the open one the new report. Runs none of the tools.
// node tests/upstream/issue.mjs REPORT, the file of `--report`. With an empty one, or none, it does nothing.
import { spawnSync } from "node:child_process";
import { lstatSync, readFileSync } from "node:fs";

const TITLE = "A tool no longer behaves as we expect";
const BODY = `Tried with the newest versions: \`npm run upstream -- --newest NAME\`. Take out what can go, and change the script or delete it.\n\n`;
/** GitHub refuses longer texts. */
const MOST = 60_000;

const [file = ""] = process.argv.slice(2);
const report = reportIn(file);
if (report !== "") tell(BODY + report.slice(0, MOST));

/** @param {string} path */
function reportIn(path) {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return "";
  // The newest versions ran where it was written, and a link could name any file.
  if (!stats.isFile()) throw new Error(`${path} isn't a plain file, so it opens no issue.`);
  return readFileSync(path, "utf8").trim();
}

/** @param {string} body */
function tell(body) {
  const ours = ["issue", "list", "--app", "github-actions", "--state", "open", "--limit", "200"];
  const issues = /** @type {{ number: number, title: string }[]} */ (
    JSON.parse(gh([...ours, "--json", "number,title"]))
  );
  const open = issues.find(({ title }) => title === TITLE);
  const command = open === undefined ? ["create", "--title", TITLE] : ["edit", String(open.number)];
  console.log(gh(["issue", ...command, "--body-file", "-"], body).trim());
}

/**
 * @param {string[]} args
 * @param {string} [input]
 */
function gh(args, input = "") {
  const { status, stdout, stderr, error } = spawnSync("gh", args, { encoding: "utf8", input });
  if (status === 0) return stdout;
  throw new Error(`gh ${args.join(" ")} failed: ${error?.message ?? stderr.trim()}`);
}
