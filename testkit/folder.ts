import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A folder that is empty before each test of the file, or of the `describe` that calls this. */
export function useFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "test-"));
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder);
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  return folder;
}
