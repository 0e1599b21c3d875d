import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Compares with a file in `golden/` that a person has read. `UPDATE_GOLDEN=1` writes it anew, to be read
 * again.
 */
export function expectGolden(name: string, text: string): void {
  const file = join(__dirname, "golden", name);
  if (process.env["UPDATE_GOLDEN"] !== undefined) writeFileSync(file, text);
  expect(text).toBe(readFileSync(file, "utf8"));
}
