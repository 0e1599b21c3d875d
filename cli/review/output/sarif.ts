import { createHash } from "node:crypto";
import { PACKAGE_VERSION } from "../../../provider/http/package-version";
import { DOCS } from "../../docs";
import { type Finding, FINDING_KINDS, KINDS, uriOf } from "./findings";

/** Returns SARIF 2.1.0, which GitHub's code scanning and editors show on the line. */
export function sarifOf(findings: readonly Finding[]): string {
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
            rules: KINDS.map((id) => {
              const { level, says, means, page } = FINDING_KINDS[id];
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
        // Without it, a run that found nothing and one that failed look alike.
        invocations: [{ executionSuccessful: findings.every(({ kind }) => kind !== "failure") }],
        columnKind: "utf16CodeUnits",
        results: findings.map((finding) => resultOf(finding)),
      },
    ],
  };
  return `${JSON.stringify(log, null, 2)}\n`;
}

function resultOf({ kind, text, whole, file, line }: Finding): object {
  return {
    ruleId: kind,
    ruleIndex: KINDS.indexOf(kind),
    level: FINDING_KINDS[kind].level,
    message: { text: literal(text) },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: uriOf(file) },
          region: { startLine: Math.max(1, line) },
        },
      },
    ],
    partialFingerprints: { "pulumi-identity/v1": findingId(kind, whole) },
  };
}

/** Leaves out the line, so that a finding keeps its identity when it moves. */
export function findingId(kind: string, text: string): string {
  return createHash("sha256").update(`${kind} ${text}`).digest("hex");
}

/** Escapes brackets, which would begin a link, and braces, an argument. */
function literal(text: string): string {
  return text.replace(/[\\[\]]/g, "\\$&").replace(/[{}]/g, "$&$&");
}
