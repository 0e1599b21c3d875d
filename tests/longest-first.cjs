const Sequencer = require("@jest/test-sequencer").default;

/**
 * Without a cache Jest goes by file size, which says nothing about these: one of them would run last, and
 * alone.
 */
const LONGEST = [
  "faults/matrix.long",
  "e2e/fleet.long",
  "e2e/moves.long",
  "e2e/pipelines.long",
  "e2e/start-page.long",
  "e2e/engine-previews.long",
  "e2e/demo.test",
  "e2e/review.test",
  "e2e/review-command.test",
  "e2e/languages.test",
  "e2e/cancelled.test",
  "scripts/smoke.test",
  "e2e/data-sources.test",
  "e2e/doctor.test",
  "e2e/examples.test",
];

/** Starts the test files that take minutes before all others. */
module.exports = class extends Sequencer {
  sort(tests) {
    const place = ({ path }) => {
      const found = LONGEST.findIndex((name) => path.endsWith(`/tests/${name}.ts`));
      return found === -1 ? LONGEST.length : found;
    };
    return super.sort(tests).sort((one, other) => place(one) - place(other));
  }
};
