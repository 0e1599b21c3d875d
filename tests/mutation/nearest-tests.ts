import { readdirSync } from "node:fs";
import { join } from "node:path";

/**
 * The tests that may judge a mutant of a folder: first those within the process, then those of the provider
 * host.
 */
const TESTS_OF: [source: string, tests: string[]][] = [
  [
    "provider/http/",
    [
      "http",
      "border.test.ts",
      "pulumi/settings.test.ts",
      "host/connection-profile/failures",
      "host/lifecycle/errors",
      "host/role-group-assignment/lost-answers",
    ],
  ],
  ["provider/pulumi/program/", ["pulumi", "data-sources", "resources", "host/lifecycle"]],
  [
    "provider/pulumi/",
    [
      "pulumi",
      "resources",
      "host/lifecycle",
      "host/look-ahead",
      "host/max-revocations",
      "host/device-credential-removal",
      "host/connection-profile",
      "host/role-group-assignment",
    ],
  ],
  ["provider/resources/connection-profile/", ["resources/connection-profile", "host/connection-profile"]],
  [
    "provider/resources/role-group-assignment/",
    ["resources/role-group-assignment", "host/role-group-assignment"],
  ],
  [
    "provider/resources/device-credential-removal/",
    ["host/device-credential-removal", "host/lifecycle/contract"],
  ],
];

/**
 * The first checks types, which the compiler also does for mutants. The second checks how the project is
 * compiled, and a copy isn't. The others would take more time than all the rest.
 */
const LEFT_OUT = [
  "types.test.ts",
  "start-up.test.ts",
  "host/role-group-assignment/handover.test.ts",
  "host/walk/",
];

/** Returns the files that judge a mutant of the source file, the likeliest first, as paths from `tests/`. */
export function nearestTests(root: string, source: string): string[] {
  const [, prefixes] = TESTS_OF.find(([folder]) => source.startsWith(folder)) ?? [];
  if (prefixes === undefined)
    throw new Error(`No tests are named for ${source}; see tests/mutation/nearest-tests.ts.`);
  const rank = (test: string) => prefixes.findIndex((prefix) => test.startsWith(prefix));
  return readdirSync(join(root, "tests"), { recursive: true, encoding: "utf8" })
    .map((name) => name.replaceAll("\\", "/"))
    .filter((name) => name.endsWith(".test.ts") && rank(name) !== -1)
    .filter((name) => !LEFT_OUT.some((part) => name.includes(part)))
    .sort(
      (one, other) =>
        tier(one) - tier(other) ||
        nearness(source, other) - nearness(source, one) ||
        rank(one) - rank(other) ||
        one.localeCompare(other),
    );
}

function tier(test: string): number {
  return test.startsWith("host/") ? 1 : 0;
}

/** Counts the names, of folders and the file, that the paths share. */
function nearness(source: string, test: string): number {
  const names = new Set(test.replace(".test.ts", "").split("/"));
  return source
    .replace("provider/", "")
    .replace(".ts", "")
    .split("/")
    .filter((name) => names.has(name)).length;
}
