#!/usr/bin/env bash
# Guess: zod's `fromJSONSchema` throws for keywords it doesn't support (it does for `if` and `not`), so a schema that
#   it takes accepts what the JSON Schema accepts.
# Seen: some keywords are dropped in silence where they stand beside another one, or without `type`; others make it
#   refuse what is valid. ajv is the other opinion.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT && cd "$tmp"
npm install --silent --no-audit --no-fund --ignore-scripts zod@4.6.7 ajv@8.20.0

cat >show.cjs <<'JS'
const { z } = require("zod");
const Ajv = require("ajv/dist/2020");
const ajv = new Ajv({ strict: false });
const text = { type: "string" };
const $defs = { id: text };
const cases = [
  ["constraint beside $ref", { $defs, $ref: "#/$defs/id", minLength: 3 }, "ab"],
  ["constraint beside anyOf", { type: "string", anyOf: [{ pattern: "^a" }, { pattern: "^b" }] }, "c"],
  ["constraint beside enum", { type: "string", enum: ["a", "bb"], minLength: 2 }, "a"],
  ["required, not in properties", { type: "object", required: ["id"] }, {}],
  ["properties without type", { properties: { id: text } }, { id: 1 }],
  ["oneOf of required", { type: "object", oneOf: [{ required: ["id"] }, { required: ["name"] }] }, { id: "a" }],
  ["const that is an object", { const: { id: 1 } }, { id: 1 }],
];
const verdict = (accepts) => (accepts ? "valid" : "invalid");
for (const [name, schema, value] of cases) {
  const [byAjv, byZod] = [ajv.validate(schema, value), z.fromJSONSchema(schema).safeParse(value).success];
  console.log(`${name}: ${JSON.stringify(value)} is ${verdict(byAjv)} for ajv, ${verdict(byZod)} for zod`);
}
JS
node show.cjs | tee seen
diff seen - <<'SEEN'
constraint beside $ref: "ab" is invalid for ajv, valid for zod
constraint beside anyOf: "c" is invalid for ajv, valid for zod
constraint beside enum: "a" is invalid for ajv, valid for zod
required, not in properties: {} is invalid for ajv, valid for zod
properties without type: {"id":1} is invalid for ajv, valid for zod
oneOf of required: {"id":"a"} is valid for ajv, invalid for zod
const that is an object: {"id":1} is valid for ajv, invalid for zod
SEEN
