import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * What several test files build and none changes, such as an archive: the first one makes it, and the others
 * wait for it. Whatever it makes goes into the folder, which lasts as long as the run of the tests, and the
 * result is JSON.
 */
export async function onceARun<Result>(
  name: string,
  make: (folder: string) => Promise<Result>,
): Promise<Result> {
  // The temporary folder of a run is its own: see jest.config.cjs.
  const folder = join(tmpdir(), `once-${name}`);
  const file = join(folder, "result.json");
  if (mkdirSync(folder, { recursive: true }) !== undefined) {
    const result = await make(folder).then(
      (made) => ({ made }),
      (error: Error) => ({ error: error.message }),
    );
    writeFileSync(`${file}.new`, JSON.stringify(result));
    renameSync(`${file}.new`, file);
  }
  while (!existsSync(file)) await sleep(100);
  const result = JSON.parse(readFileSync(file, "utf8")) as { made: Result } | { error: string };
  if ("error" in result) throw new Error(result.error);
  return result.made;
}
