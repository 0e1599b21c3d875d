#!/usr/bin/env bash
# Guess: a key whose schema takes `undefined` may be missing from the object, as before, and a minor version doesn't change that.
# Seen: since 4.4, of April 2026, such a key must be there. `unknown()`, a union with `undefined()`, `coerce` and `transform` refuse an object
#   without it, "expected nonoptional", and take the same object with the key set to undefined, which JSON can't say. Only `optional`,
#   `nullish`, `default`, `catch` and `preprocess` let it be missing.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT && cd "$tmp"
npm install --silent --no-audit --no-fund --ignore-scripts zod@4.6.7 before@npm:zod@4.3.6
cat >show.cjs <<'JS'
const schemas = (z) => ({
  "unknown()": z.unknown(),
  "union([string(), undefined()])": z.union([z.string(), z.undefined()]),
  "coerce.boolean()": z.coerce.boolean(),
  "unknown().transform": z.unknown().transform((value) => value ?? "none"),
  "string().optional()": z.string().optional(),
  'string().default("none")': z.string().default("none"),
  "preprocess": z.preprocess((value) => value ?? "none", z.string()),
});
const tell = (version, input) => {
  const { z } = require(version);
  return Object.values(schemas(z)).map((key) => z.object({ key }).safeParse(input).success);
};
const missing = tell("before", {});
const [now, undefinedNow] = [tell("zod", {}), tell("zod", { key: undefined })];
for (const [at, name] of Object.keys(schemas(require("zod").z)).entries())
  console.log(`${name}: missing in 4.3.6 ${missing[at]}, in 4.6.7 ${now[at]}; undefined in 4.6.7 ${undefinedNow[at]}`);
const { z } = require("zod");
console.log(z.object({ key: z.unknown() }).safeParse({}).error.issues[0].message);
JS
node show.cjs | tee seen
diff seen - <<'SEEN'
unknown(): missing in 4.3.6 true, in 4.6.7 false; undefined in 4.6.7 true
union([string(), undefined()]): missing in 4.3.6 true, in 4.6.7 false; undefined in 4.6.7 true
coerce.boolean(): missing in 4.3.6 true, in 4.6.7 false; undefined in 4.6.7 true
unknown().transform: missing in 4.3.6 true, in 4.6.7 false; undefined in 4.6.7 true
string().optional(): missing in 4.3.6 true, in 4.6.7 true; undefined in 4.6.7 true
string().default("none"): missing in 4.3.6 true, in 4.6.7 true; undefined in 4.6.7 true
preprocess: missing in 4.3.6 true, in 4.6.7 true; undefined in 4.6.7 true
Invalid input: expected nonoptional, received undefined
SEEN
