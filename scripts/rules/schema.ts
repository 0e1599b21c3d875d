import { deepEqual } from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { isThere, root, rule } from "./rule";

/* schema.json: the registry, `pulumi package add` and the SDKs of sdk/ read it from the repository. */

/** Files that differ from the last commit. */
function changed(...paths: readonly string[]): string[] {
  // The owner of a container's clone is often another user.
  const args = ["-c", "safe.directory=*", "status", "--porcelain", "--", ...paths];
  return execFileSync("git", args, { cwd: root, encoding: "utf8" }).split("\n").filter(Boolean);
}

// Every build makes the file anew, this rule's own too: so it asks git for what was committed. While the
// sources are being changed, the next commit takes both. A downloaded archive has no commits.
if (isThere(".git") && changed("provider", "package.json", "scripts/schema.mjs").length === 0)
  rule("`npm run build` makes schema.json from the sources: commit it with them", () =>
    deepEqual(changed("schema.json"), []),
  );
