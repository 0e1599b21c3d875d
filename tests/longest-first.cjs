const Sequencer = require("@jest/test-sequencer").default;

/** Without a cache Jest goes by the size of a file, which tells nothing of these: one of them would run last, and alone. */
const LONGEST = [
  "faults/matrix",
  "e2e/pipelines",
  "truth/truth",
  "e2e/truth",
  "e2e/engine-previews",
  "e2e/fleet",
  "host/role-group-assignment/handover",
  "e2e/kill-rounds",
  "e2e/upgrade",
  "e2e/review-pipeline",
  "e2e/identity-of-things",
];

/** Starts the test files that take minutes before all others. */
module.exports = class extends Sequencer {
  sort(tests) {
    const place = ({ path }) => {
      const found = LONGEST.findIndex((name) => path.endsWith(`/tests/${name}.test.ts`));
      return found === -1 ? LONGEST.length : found;
    };
    return super.sort(tests).sort((one, other) => place(one) - place(other));
  }
};
