#!/usr/bin/env bash
# Guess: `merge` of the SARIF Multitool keeps what each result says: one that takes its level from its rule, an error in one log and a note in
#   the other, stays an error and a note.
# Seen: rules of one id become one, with the level of the log that is read first. Which one that is differs from run to run, so the error
#   becomes a note, or the note an error, by chance. Results that state their own level keep it.
# Linux only: the package is the binary.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT && cd "$tmp"
export DOTNET_SYSTEM_GLOBALIZATION_INVARIANT=1
npm install --silent --no-audit --no-fund --ignore-scripts @microsoft/sarif-multitool-linux@5.7.0
multitool=node_modules/@microsoft/sarif-multitool-linux/Sarif.Multitool
chmod +x "$multitool"
cat >make.cjs <<'JS'
const { writeFileSync } = require("node:fs");
const [, , given] = process.argv;
for (const [name, level] of Object.entries({ grants: "error", names: "note" })) {
  const rule = { id: "rule", defaultConfiguration: { level } };
  const region = { artifactLocation: { uri: `${name}.ts` }, region: { startLine: 1 } };
  const result = { ruleId: "rule", ruleIndex: 0, message: { text: name }, locations: [{ physicalLocation: region }] };
  const results = [given === "result" ? { ...result, level } : result];
  writeFileSync(`${name}.sarif`, JSON.stringify({ version: "2.1.0", runs: [{ tool: { driver: { name: "access", rules: [rule] } }, results }] }));
}
JS
cat >levels.cjs <<'JS'
const { runs } = JSON.parse(require("node:fs").readFileSync("merged.sarif"));
const found = runs.flatMap(({ tool, results }) =>
  results.map(({ level, ruleIndex, message }) => [message.text, level ?? tool.driver.rules[ruleIndex].defaultConfiguration.level]),
);
const { grants, names } = Object.fromEntries(found);
console.log(`${grants === names ? "one level for both" : `grants ${grants}, names ${names}`}`);
JS
for place in rule result; do
  echo "levels stand in the $place:"
  node make.cjs "$place"
  for _ in 1 2 3 4 5; do
    "$multitool" merge grants.sarif names.sarif --output-directory . --output-file merged.sarif --log ForceOverwrite >log 2>&1 || { cat log && exit 1; }
    node levels.cjs
  done | sort | uniq -c | sed -E 's/^ *([0-9]+) +/  \1 times: /'
done | tee seen
diff seen - <<'SEEN'
levels stand in the rule:
  5 times: one level for both
levels stand in the result:
  5 times: grants error, names note
SEEN
