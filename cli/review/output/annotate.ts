import { type Environment } from "../../code-host/host";
import { inText } from "../../escape";
import { write } from "../../files";
import { anyOf } from "../../lists";
import { type LineFinding, FINDING_TYPES } from "./findings";
import { findingId } from "./sarif";

/** GitHub shows no more of one kind per step. */
const MOST_ANNOTATIONS = 10;

/** GitLab reads it if the job has it as an artifact: `reports: codequality`. */
const GITLAB_REPORT = "gl-code-quality-report.json";

/** Puts findings on their lines in the job's change. Outside of a job, only prints a note. */
export function annotate(findings: readonly LineFinding[], environment: Environment): void {
  if (environment["GITHUB_ACTIONS"] === "true") process.stderr.write(commandsOf(findings));
  else if (environment["GITLAB_CI"] === "true") write(GITLAB_REPORT, gitlabReport(findings));
  else process.stderr.write("Nothing was annotated: --annotate works in jobs of GitHub and GitLab.\n");
}

/** Returns workflow commands. They can't go to standard output, where the review itself may be. */
export function commandsOf(findings: readonly LineFinding[]): string {
  const shown = findings.slice(0, MOST_ANNOTATIONS).map((finding) => {
    const { type, file, line, text } = finding;
    const { level, says } = FINDING_TYPES[type];
    const command = level === "note" ? "notice" : level;
    return `::${command} file=${property(inText(file))},line=${line},title=${property(says)}::${data(text)}\n`;
  });
  const left = findings.length - shown.length;
  return [...shown, ...anyOf([left, `${left} more findings are only in the review.\n`])].join("");
}

function data(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function property(text: string): string {
  return data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}

const SEVERITIES = { error: "critical", warning: "major", note: "minor" } as const;

export function gitlabReport(findings: readonly LineFinding[]): string {
  const report = findings.map(({ type, text, whole, file, line }) => ({
    description: text,
    check_name: `pulumi-identity/${type}`,
    fingerprint: findingId(type, whole),
    severity: SEVERITIES[FINDING_TYPES[type].level],
    location: { path: inText(file), lines: { begin: line } },
  }));
  return `${JSON.stringify(report, null, 2)}\n`;
}
