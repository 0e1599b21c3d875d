import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Compares with a file in `golden/`, which a person has read: it is written anew, and to be read again, with
 * `UPDATE_GOLDEN=1`.
 */
export function expectGolden(name: string, text: string): void {
  const file = join(__dirname, "golden", name);
  if (process.env["UPDATE_GOLDEN"] !== undefined) writeFileSync(file, text);
  expect(text).toBe(readFileSync(file, "utf8"));
}
