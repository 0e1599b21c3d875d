/* global __dirname */
const { randomInt } = require("node:crypto");
const { chmodSync, mkdtempSync, rmSync } = require("node:fs");
const { availableParallelism, tmpdir } = require("node:os");
const { dirname, join } = require("node:path");
const searches = require("./searches.cjs");

const root = dirname(__dirname);

/** Kept for the next run: Jest's transformed files. */
const cacheDirectory = join(tmpdir(), "jest-pulumi-identity");

// Everything else that tests and their processes leave behind is deleted after the run. Hundreds of folders
// of earlier runs would slow down each provider host, which looks through them.
const temporary = mkdtempSync(join(tmpdir(), "tests-"));
// Like the system's own: some tests run things as another user.
chmodSync(temporary, 0o1777);
for (const variable of ["TMPDIR", "TEMP", "TMP"]) process.env[variable] = temporary;
process.once("exit", () => rmSync(temporary, { recursive: true, force: true, maxRetries: 3 }));

/** See testkit/properties.ts. Set in the parent process, so that all test files of a run share it. */
process.env.NEW_PROPERTY_SEED ??= String(randomInt(2 ** 31));

/**
 * Left out of `npm run test:portable`: tests that need a POSIX shell, file modes or signals, or check sources
 * instead of running them. docs/support.md says so, and scripts/rules/versions.ts checks it.
 */
const leftOutOnWindows = [
  "tests/cli/adopt/output",
  "tests/cli/doctor",
  "tests/cli/gone-stacks",
  "tests/cli/review/input/make-preview",
  "tests/cli/shell-path",
  "tests/cli/stack-settings",
  "tests/docs",
  "tests/host/hosts-file",
  "tests/scripts",
  "tests/simulator/main",
];
const leftOut = [
  ...(process.platform === "win32" ? leftOutOnWindows : []),
  ...(process.env.SEARCH === "later" ? searches.map((name) => `tests/${name.replace("*", "")}`) : []),
];

const tier = (displayName, folders, ignored = []) => ({
  displayName,
  rootDir: root,
  roots: ["<rootDir>/testkit", "<rootDir>/tests"],
  cacheDirectory,
  testMatch: folders.map((folder) => `<rootDir>/${folder}/*.test.ts`),
  testPathIgnorePatterns: [...ignored, ...leftOut].map((path) => `<rootDir>/${path}`),
  // `lazy`: an import loads when it is first used, as in dist/.
  transform: {
    "\\.[jt]s$": [
      "@swc/jest",
      {
        jsc: { target: "es2022", parser: { syntax: "typescript" } },
        module: { type: "commonjs", lazy: true },
      },
    ],
  },
  // jose is published only as ES modules, which Jest can't load untransformed.
  transformIgnorePatterns: ["/node_modules/(?!jose/)"],
});

/** The tiers of `npm test`. jest.long.config.cjs has the one of `npm run test:long`. */
const projects = [
  tier("unit", ["testkit/**", "tests/**"], ["tests/(contract|faults|host|plugin|truth|e2e)/"]),
  tier("faults", ["tests/faults/**"]),
  tier("host", ["tests/{contract,host,plugin}/**"]),
  tier("truth", ["tests/truth/**"]),
  tier("e2e", ["tests/e2e/**"]),
];

module.exports = {
  rootDir: root,
  cacheDirectory,
  // Only what hangs takes so long: a machine that others keep busy must fail no test.
  testTimeout: 15 * 60_000,
  // package.json gives workers more room for new objects, which takes a tenth off their processor time.
  // Tests spend nearly half of their time waiting for processes and answers, so three keep two cores busy.
  maxWorkers: Math.ceil(availableParallelism() * 1.5),
  // A worker keeps whatever each test file leaves behind, and has run out of memory after a hundred of them.
  workerIdleMemoryLimit: "512MB",
  testSequencer: "<rootDir>/tests/longest-first.cjs",
  reporters: [
    "default",
    [
      "<rootDir>/tests/tiers-reporter.cjs",
      { command: "npm test", tiers: projects.map(({ displayName }) => displayName) },
    ],
  ],
  projects,
};
