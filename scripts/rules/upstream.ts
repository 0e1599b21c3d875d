import { deepEqual, ok } from "node:assert/strict";
import { filesIn, isThere, read, rule } from "./rule";

/* tests/upstream: what our code or pages rest on in other tools. */

const scripts = filesIn(["tests/upstream"], ".sh").filter((path) => !path.endsWith("/set-up.sh"));

rule("a script of tests/upstream names our file that rests on it first, and what would change", () => {
  ok(scripts.length > 20);
  const wrong = scripts.filter((path) => {
    const [, file = ""] = /^#!\/usr\/bin\/env bash\n# ([\w./-]+): .+\. If .+\.\n/.exec(read(path)) ?? [];
    return file === "" || !isThere(file);
  });
  deepEqual(wrong, []);
});
