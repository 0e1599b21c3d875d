#!/usr/bin/env bash
# Guess: the SARIF validator fails a build: an invalid file makes it exit with 1, and its rules for GitHub know
#   GitHub's limits.
# Seen: it prints errors, says "Analysis completed successfully" and exits with 0. A level that SARIF doesn't have,
#   and 26,000 results, of which GitHub takes 25,000, pass without a word. Read its output file, not its exit code.
# Linux only: the package is the binary.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT && cd "$tmp"
npm install --silent --no-audit --no-fund --ignore-scripts @microsoft/sarif-multitool-linux@5.7.0

cat >make.cjs <<'JS'
const { writeFileSync } = require("node:fs");
const text = (value) => ({ text: value });
const rule = { id: "rule", shortDescription: text("Short."), fullDescription: text("Full."), help: text("Help.") };
const driver = { name: "tool", version: "1.0.0", informationUri: "https://example.com", rules: [rule] };
const result = (startLine, level) => ({
  ruleId: "rule",
  level,
  message: text("Something was found."),
  locations: [{ physicalLocation: { artifactLocation: { uri: "index.ts" }, region: { startLine } } }],
});
const write = (name, results) => {
  const $schema = "https://json.schemastore.org/sarif-2.1.0.json";
  writeFileSync(name, JSON.stringify({ $schema, version: "2.1.0", runs: [{ tool: { driver }, results }] }));
};
write("valid.sarif", [result(1, "warning")]);
write("line-0.sarif", [result(0, "warning")]);
write("level-critical.sarif", [result(1, "critical")]);
write("26000-results.sarif", Array.from({ length: 26_000 }, (_, i) => result(i + 1, "warning")));
JS
node make.cjs
validator=node_modules/@microsoft/sarif-multitool-linux/Sarif.Multitool
chmod u+x $validator
for file in valid line-0 level-critical 26000-results; do
  exit=0
  $validator validate "$file.sarif" --rule-kind "Sarif;Gh" >output 2>&1 || exit=$?
  grep --quiet "Analysis completed successfully" output
  rules=$(sed -nE 's/.*: error ([A-Z]+[0-9]+):.*/\1/p' output | sort -u | tr '\n' ' ')
  echo "$file: exit code $exit, errors: ${rules:-none}" | sed 's/ $//'
done | tee seen
diff seen - <<'SEEN'
valid: exit code 0, errors: none
line-0: exit code 0, errors: JSON1008 SARIF1007
level-critical: exit code 0, errors: none
26000-results: exit code 0, errors: none
SEEN
