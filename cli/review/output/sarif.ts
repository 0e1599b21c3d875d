import { createHash } from "node:crypto";
import { PACKAGE_VERSION } from "../../../provider/http/package-version";
import { count, grouped } from "../../../provider/sentence";
import { DOCS } from "../../docs";
import { type LineFinding, FINDING_TYPES, TYPE_NAMES, uriOf } from "./findings";

/** GitHub refuses a file with more. */
const MOST_RESULTS = 25_000;

/**
 * Returns SARIF 2.1.0, which GitHub's code scanning and editors show on the line. The worst come first, so
 * that those beyond the limit are left out; `say` is told, and the file has the sentence, too. `about`: its
 * kind and its stacks, such as `review/access/prod`.
 */
export function sarifOf(
  findings: readonly LineFinding[],
  about: string,
  say?: (sentence: string) => void,
): string {
  const shown = findings.slice(0, MOST_RESULTS);
  const left = findings.length - shown.length;
  if (left > 0) say?.(leftText(left));
  const log = {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: {
          driver: {
            name: "pulumi-identity",
            version: PACKAGE_VERSION,
            informationUri: `${DOCS}/review.md`,
            // GitHub requires all of these, and editors show them next to a finding.
            rules: TYPE_NAMES.map((id) => {
              const { level, says, means, page } = FINDING_TYPES[id];
              return {
                id,
                shortDescription: { text: says },
                fullDescription: { text: means },
                help: { text: `${means} More: ${DOCS}/${page}` },
                helpUri: `${DOCS}/${page}`,
                defaultConfiguration: { level },
              };
            }),
          },
        },
        // GitHub takes what precedes the last slash for a category, and a job uploads one file of each.
        automationDetails: { id: `pulumi-identity/${about}/` },
        // Without it, a run that found nothing and one that failed look alike.
        invocations: [
          {
            executionSuccessful: findings.every(({ type }) => type !== "failure"),
            ...(left > 0 && {
              toolExecutionNotifications: [{ level: "warning", message: { text: leftText(left) } }],
            }),
          },
        ],
        columnKind: "utf16CodeUnits",
        results: shown.map((finding) => resultOf(finding)),
      },
    ],
  };
  return `${JSON.stringify(log, null, 2)}\n`;
}

function leftText(left: number): string {
  return `${count(left, "finding")} more ${left === 1 ? "is" : "are"} only in the review: a SARIF file holds ${grouped(MOST_RESULTS)}.`;
}

function resultOf({ type, text, whole, file, line }: LineFinding): object {
  return {
    ruleId: type,
    ruleIndex: TYPE_NAMES.indexOf(type),
    level: FINDING_TYPES[type].level,
    message: { text: literal(text) },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: uriOf(file) },
          region: { startLine: Math.max(1, line) },
        },
      },
    ],
    partialFingerprints: { "pulumi-identity/v1": findingId(type, whole) },
  };
}

/** Leaves out the line, so that a finding keeps its identity when it moves. */
export function findingId(type: string, text: string): string {
  return createHash("sha256").update(`${type} ${text}`).digest("hex");
}

/** Escapes brackets, which would begin a link, and braces, an argument. */
function literal(text: string): string {
  return text.replace(/[\\[\]]/g, "\\$&").replace(/[{}]/g, "$&$&");
}
