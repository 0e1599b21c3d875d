import { deepEqual } from "node:assert/strict";
import { join } from "node:path";
import { sumsOf } from "../sdks/sums";
import { read, root, rule } from "./rule";

/* sdk/: generated and committed. tests/e2e/sdks.long.ts generates them again. */

rule("sdk/ is what `npm run sdks` makes of schema.json; run it, and commit what it writes", () => {
  const recorded = linesOf(read("sdk/SHA256SUMS"));
  const actual = linesOf(sumsOf(join(root, "sdk")));
  const differing = [...actual, ...recorded].filter(
    (line) => actual.includes(line) !== recorded.includes(line),
  );
  deepEqual([...new Set(differing.map((line) => line.split("  ")[1]))], []);
});

function linesOf(text: string): string[] {
  return text.split("\n").filter((line) => line !== "");
}
