const {
  projects: [unit],
  ...config
} = require("./jest.config.cjs");

/** `npm run test:python`, a command of its own because it needs Python and its package index. */
module.exports = {
  ...config,
  testTimeout: 10 * 60_000,
  reporters: [
    "default",
    ["<rootDir>/tiers-reporter.cjs", { command: "npm run test:python", tiers: ["python"] }],
  ],
  projects: [
    {
      ...unit,
      displayName: "python",
      testMatch: ["<rootDir>/python/*.python.ts"],
      testPathIgnorePatterns: [],
    },
  ],
};
