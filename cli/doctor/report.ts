import { type Border } from "../../provider/border";
import { PACKAGE_VERSION } from "../../provider/http/package-version";
import { capitalized } from "../../provider/sentence";
import { PLAIN, type Style, wrapped } from "../terminal";

/** `unchecked`: it depends on a failed step, or can't be known. */
export type Status = "ok" | "warning" | "error" | "unchecked";

export interface Finding {
  /** Stable: `group.subject`, such as `connection.tls` or `scopes.getUser`. */
  id: `${GroupName}.${string}`;
  status: Status;
  says: string;
  /** The fix; absent if the status is ok, or `says` is an error that says it. */
  do?: string;
  /** True for a warning that matters only to those who use what it names. */
  optional?: true;
  /** For a setting: where its value comes from. */
  source?: "environment" | "stack";
}

/** In order of dependency. */
const FINDING_GROUPS = ["state", "program", "settings", "connection", "access", "scopes"] as const;
type GroupName = (typeof FINDING_GROUPS)[number];

function findingMaker(status: Status) {
  return (id: Finding["id"], says: string, advice?: string): Finding => ({
    id,
    status,
    says,
    ...(advice !== undefined && { do: advice }),
  });
}

export const ok = (id: Finding["id"], says: string): Finding => ({ id, status: "ok", says });
export const warning = findingMaker("warning");
export const optionalWarning = (...of: Parameters<typeof warning>): Finding => ({
  ...warning(...of),
  optional: true,
});
export const failure = findingMaker("error");
/** Has no reason of its own if another finding is the reason. */
export const unchecked = (id: Finding["id"], says = "not checked", advice?: string): Finding =>
  findingMaker("unchecked")(id, says, advice);

/**
 * The output of `--format json`. Fields may be added; `version` changes if one is removed or changes its
 * meaning.
 *
 * @example
 * ```json
 * { "version": 1, "package": "0.1.0", "status": "error", "first": "Run `pulumi login`.",
 *   "findings": [{ "id": "settings.domain", "status": "ok", "says": "tenant.example.com", "source": "stack" }] }
 * ```
 */
export interface Report {
  version: 1;
  package: string;
  status: Exclude<Status, "unchecked">;
  /** The first thing to do; absent without errors, and warnings that aren't optional. */
  first?: string;
  findings: Finding[];
}

/** Returns the report for printing: all its texts pass the border. */
export function reportOf(findings: readonly Finding[], border: Border): Report {
  const printable = findings.map((finding) => ({
    ...finding,
    says: border.clean(finding.says),
    ...(finding.do !== undefined && { do: border.clean(finding.do) }),
  }));
  const first = mostUrgent(printable);
  return {
    version: 1,
    package: PACKAGE_VERSION,
    status: worstOf(printable) ?? "ok",
    ...(first !== undefined && { first: first.do ?? first.says }),
    findings: printable,
  };
}

function worstOf(findings: readonly Finding[]): "error" | "warning" | undefined {
  return (["error", "warning"] as const).find((one) => findings.some(({ status }) => status === one));
}

function mostUrgent(findings: readonly Finding[]): Finding | undefined {
  const worst = worstOf(findings);
  return findings.find(({ status, optional }) => status === worst && optional !== true);
}

const MARKS: Readonly<Record<Status, { word: string; look: Parameters<Style>[0] }>> = {
  ok: { word: "ok", look: "green" },
  warning: { word: "warning", look: "yellow" },
  error: { word: "error", look: ["red", "bold"] },
  unchecked: { word: "-", look: "dim" },
};

const NARROWEST = 60;
const WIDEST = 110;

function widthOf(columns: number): number {
  return Math.min(Math.max(columns, NARROWEST), WIDEST);
}

/** Returns a report in which nothing is wrong, with a line for each group. */
export function briefText(report: Report, columns = WIDEST, style = PLAIN): string {
  const titles = Math.max(...FINDING_GROUPS.map(({ length }) => length));
  const lines = FINDING_GROUPS.flatMap((group) => {
    const findings = report.findings.filter(({ id }) => id.startsWith(`${group}.`));
    const checked = findings.filter(({ status }) => status === "ok").map(labelOf);
    const others = new Set(findings.flatMap(({ status, says }) => (status === "ok" ? [] : [says])));
    const [first, ...more] = [...(checked.length > 0 ? [checked.join(", ")] : []), ...others];
    if (first === undefined) return [];
    const mark = checked.length > 0 ? MARKS.ok : MARKS.unchecked;
    const head = `${capitalized(group).padEnd(titles)}  ${mark.word.padEnd(2)}  `;
    const text = wrapped([first, ...more].join("; "), widthOf(columns) - head.length);
    return [style(mark.look, head) + text.replaceAll("\n", `\n${" ".repeat(head.length)}`)];
  });
  return [...lines, "", style("green", "The set-up is ok. --all shows each check."), ""].join("\n");
}

/** Returns the report for a person, in ASCII except for quotes. `columns`: of the terminal. */
export function doctorText(report: Report, columns = WIDEST, style = PLAIN): string {
  const width = widthOf(columns);
  const labels = Math.max(...report.findings.map((finding) => labelOf(finding).length));
  const lines = FINDING_GROUPS.flatMap((group) => {
    const findings = report.findings.filter(({ id }) => id.startsWith(`${group}.`));
    const [first] = findings;
    if (first === undefined) return [];
    const title = style("bold", capitalized(group));
    if (findings.every(({ status, says }) => status === "unchecked" && says === first.says))
      return [`${title}: ${first.says}`, ""];
    return [title, ...findings.flatMap((finding) => findingLines(finding, labels, width, style)), ""];
  });
  const verdict = wrapped(verdictOf(report), width).split("\n");
  return [...lines, ...verdict.map((line) => style(MARKS[report.status].look, line)), ""].join("\n");
}

function labelOf({ id }: Finding): string {
  return id.slice(id.indexOf(".") + 1);
}

function findingLines(finding: Finding, labels: number, width: number, style: Style): string[] {
  const mark = MARKS[finding.status];
  const word = mark.word.padEnd(7);
  const rest = `  ${labelOf(finding).padEnd(labels)}  `;
  const head = `  ${style(mark.look, word)}${rest}`;
  const indent = " ".repeat(2 + word.length + rest.length);
  const said = wrapped(finding.says, width - indent.length).replaceAll("\n", `\n${indent}`);
  if (finding.do === undefined) return [head + said];
  const advice = wrapped(finding.do, width - indent.length - 3).replaceAll("\n", `\n${indent}   `);
  return [head + said, `${indent}-> ${advice}`];
}

function verdictOf({ findings }: Report): string {
  const numberOf = (of: Status) => findings.filter(({ status }) => status === of).length;
  const counts = (["error", "warning"] as const).flatMap((status) => {
    const number = numberOf(status);
    return number === 0 ? [] : [`${number} ${status}${number > 1 ? "s" : ""}`];
  });
  if (counts.length === 0) return "The set-up is ok.";
  const found = `The doctor found ${counts.join(" and ")}`;
  const first = mostUrgent(findings);
  if (first === undefined) return `${found}, and nothing that --require names needs a fix.`;
  return `${found}. ${first.do === undefined ? `Fix "${labelOf(first)}" first.` : `Fix this first: ${first.do}`}`;
}
