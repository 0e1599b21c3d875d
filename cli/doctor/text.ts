import { type Finding, FINDING_GROUPS, type Status } from "./finding";
import { PLAIN, type Style } from "../terminal";
import { type Report, withStatus } from "./report";

const WORDS = { fine: "fine", warning: "WARNING", wrong: "WRONG", unchecked: "-" } as const satisfies Record<
  Status,
  string
>;
const LOOKS = {
  fine: "green",
  warning: "yellow",
  wrong: ["red", "bold"],
  unchecked: "dim",
} as const satisfies Record<Status, Parameters<Style>[0]>;
const TITLES = {
  program: "Program",
  settings: "Settings",
  connection: "Connection",
  access: "Access",
  scopes: "Scopes",
} as const satisfies Record<(typeof FINDING_GROUPS)[number], string>;

const NARROWEST = 60;
const WIDEST = 110;

/** The report for a person, in ASCII but for what it quotes. `columns`: of the terminal. */
export function doctorText(report: Report, columns = WIDEST, style = PLAIN): string {
  const width = Math.min(Math.max(columns, NARROWEST), WIDEST);
  const labels = Math.max(...report.findings.map((finding) => labelOf(finding).length));
  const lines = FINDING_GROUPS.flatMap((group) => {
    const findings = report.findings.filter(({ id }) => id.startsWith(`${group}.`));
    if (findings.length === 0) return [];
    const [first] = findings;
    if (
      first !== undefined &&
      findings.every(({ status, says }) => status === "unchecked" && says === first.says)
    )
      return [`${style("bold", TITLES[group])}: ${first.says}`, ""];
    const found = findings.flatMap((finding) => findingLines(finding, labels, width, style));
    return [style("bold", TITLES[group]), ...found, ""];
  });
  const verdict = wrapped(verdictOf(report), width).map((line) => style(LOOKS[report.status], line));
  return [...lines, ...verdict, ""].join("\n");
}

function labelOf({ id }: Finding): string {
  return id.slice(id.indexOf(".") + 1);
}

function findingLines(finding: Finding, labels: number, width: number, style: Style): string[] {
  const word = WORDS[finding.status].padEnd(7);
  const rest = `  ${labelOf(finding).padEnd(labels)}  `;
  const head = `  ${style(LOOKS[finding.status], word)}${rest}`;
  const indent = " ".repeat(2 + word.length + rest.length);
  const said = wrapped(finding.says, width - indent.length);
  const advice = finding.do === undefined ? [] : wrapped(finding.do, width - indent.length - 3);
  return [
    ...said.map((line, index) => (index === 0 ? head : indent) + line),
    ...advice.map((line, index) => `${indent}${index === 0 ? "-> " : "   "}${line}`),
  ];
}

/** Between words; a longer word stays whole, so that it can be copied. */
function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

function verdictOf({ findings, first }: Report): string {
  const wrong = withStatus(findings, "wrong").length;
  const warnings = withStatus(findings, "warning").length;
  const counts = [
    ...(wrong > 0 ? [`${wrong} wrong`] : []),
    ...(warnings > 0 ? [`${warnings} warning${warnings > 1 ? "s" : ""}`] : []),
  ];
  if (counts.length === 0) return "All fine.";
  return `${counts.join(", ")}.${first === undefined ? "" : ` First: ${first}`}`;
}
