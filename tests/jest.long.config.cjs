const searches = require("./searches.cjs");
const {
  projects: [unit],
  ...config
} = require("./jest.config.cjs");

/** See testkit/properties.ts. */
process.env.SEARCH = "long";

/**
 * Tests that take minutes, or deserve more time than `npm test` has: `npm run test:long` runs every file
 * `*.long.ts`, and all of the searches. Many of these work long in one process: package.json gives it more
 * room for new objects than the short files of `npm test` have use for, and cleans that room in one thread.
 */
module.exports = {
  ...config,
  testTimeout: 60 * 60_000,
  reporters: [
    "default",
    ["<rootDir>/tests/tiers-reporter.cjs", { command: "npm run test:long", tiers: ["long"] }],
  ],
  projects: [
    {
      ...unit,
      displayName: "long",
      testMatch: ["<rootDir>/**/*.long.ts", ...searches.map((name) => `<rootDir>/tests/${name}.test.ts`)],
      testPathIgnorePatterns: [],
    },
  ],
};
