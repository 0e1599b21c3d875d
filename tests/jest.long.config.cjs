const {
  projects: [unit],
  ...config
} = require("./jest.config.cjs");

/** What takes minutes, or is worth more than `npm test` has time for: `npm run test:long` runs every file `*.long.ts`. */
module.exports = {
  ...config,
  testTimeout: 60 * 60_000,
  reporters: ["default", ["<rootDir>/tiers-reporter.cjs", { command: "npm run test:long", tiers: ["long"] }]],
  projects: [
    { ...unit, displayName: "long", testMatch: ["<rootDir>/**/*.long.ts"], testPathIgnorePatterns: [] },
  ],
};
