import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { PREVIEW_COMMAND } from "../../cli/review/raw-preview";

/* Whoever copies a line from here makes a preview that shows the review all that `up` would do. */

const root = resolve(__dirname, "../..");
const TEXT = /\.(md|sh|ya?ml|ts|mts|mjs|js|json|tape)$/;

function filesIn(path: string): string[] {
  if (!statSync(join(root, path)).isDirectory()) return TEXT.test(path) ? [path] : [];
  const names = readdirSync(join(root, path)).filter(
    (name) => !["node_modules", "dist", "bin"].includes(name),
  );
  return names.flatMap((name) => filesIn(join(path, name)));
}

/** Lines that run a preview whose JSON goes somewhere, and lines that tell to. */
function previewsIn(text: string): string[] {
  return text.split("\n").filter((line) => /pulumi preview\b.*--json\b.*([|>]|one file a stack)/.test(line));
}

const lines = ["README.md", "docs", "examples", "template", "provider", "scripts/demo.ts"]
  .flatMap(filesIn)
  .flatMap((path) => previewsIn(readFileSync(join(root, path), "utf8")).map((line) => `${path}: ${line}`))
  .filter((line) => !/refresh --preview-only/.test(line));

test("lines are found", () => {
  expect(lines.length).toBeGreaterThan(6);
  expect(previewsIn('pulumi preview --json --non-interactive >"$folder/preview.json" || true')).toHaveLength(
    1,
  );
});

test("each preview that is reviewed shows all steps", () => {
  const flags = "--json --show-replacement-steps --show-sames";
  expect(lines.filter((line) => !line.includes(flags))).toEqual([]);
  expect(PREVIEW_COMMAND).toContain(flags);
});
