const Sequencer = require("@jest/test-sequencer").default;

/**
 * Without a cache Jest goes by file size, which says nothing about these: one of them would run last, and
 * alone.
 */
const LONGEST = [
  "tests/faults/matrix.long",
  "tests/e2e/fleet.long",
  "tests/e2e/moves.long",
  "tests/e2e/pipelines.long",
  "tests/e2e/start-page.long",
  "testkit/test/engine-previews.long",
  "tests/e2e/demo.test",
  "tests/e2e/review.test",
  "tests/e2e/review-command.test",
  "tests/e2e/languages.test",
  "tests/e2e/cancelled.test",
  "tests/scripts/smoke.test",
  "tests/e2e/data-sources.test",
  "tests/e2e/doctor.test",
  "tests/e2e/examples.test",
];

/** Starts the test files that take minutes before all others. */
module.exports = class extends Sequencer {
  sort(tests) {
    const place = ({ path }) => {
      const found = LONGEST.findIndex((name) => path.endsWith(`/${name}.ts`));
      return found === -1 ? LONGEST.length : found;
    };
    return super.sort(tests).sort((one, other) => place(one) - place(other));
  }
};
