import { readFileSync, writeFileSync } from "node:fs";

/** Compares with a file that a person has read. `UPDATE_GOLDEN=1` writes it anew, to be read again. */
export function expectGolden(file: string, text: string): void {
  if (process.env["UPDATE_GOLDEN"] !== undefined) writeFileSync(file, text);
  expect(text).toBe(readFileSync(file, "utf8"));
}
