import { readFileSync } from "node:fs";
import { parseJson } from "../provider/http/shape";

/** The pull request of GitHub that a run is for; of other runs, and elsewhere, nothing is known. */
export function pullRequestOf({ GITHUB_EVENT_PATH: file }: Readonly<Record<string, string | undefined>>): {
  number: number | undefined;
  /** The commit at its head. */
  sha: string | undefined;
} {
  const event = (file === undefined ? undefined : parseJson(fileText(file))) as Event | null | undefined;
  const { number, head } = event?.pull_request ?? {};
  const sha = head?.sha;
  return {
    number: typeof number === "number" ? number : undefined,
    sha: typeof sha === "string" ? sha : undefined,
  };
}

interface Event {
  pull_request?: { number?: unknown; head?: { sha?: unknown } };
}

/** Empty for a file that can't be read. */
function fileText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
