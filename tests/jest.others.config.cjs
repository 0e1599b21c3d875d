const {
  projects: [unit],
  ...config
} = require("./jest.config.cjs");

/** `npm run test:others`, a command of its own because it needs Python, and its index and npm's. */
module.exports = {
  ...config,
  reporters: [
    "default",
    ["<rootDir>/tiers-reporter.cjs", { command: "npm run test:others", tiers: ["others"] }],
  ],
  projects: [
    {
      ...unit,
      displayName: "others",
      testMatch: ["<rootDir>/others/*.others.ts"],
      testPathIgnorePatterns: [],
    },
  ],
};
