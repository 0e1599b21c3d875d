const Sequencer = require("@jest/test-sequencer").default;

/**
 * Those of more than ten seconds in `npm test`, and twenty in `npm run test:long`, the longest one first.
 * Without a cache Jest goes by file size, which says nothing about these: one of them would run last, and
 * alone.
 */
const LONGEST = [
  "tests/truth/truth.long",
  "tests/faults/matrix-profiles.long",
  "tests/faults/matrix-rest.long",
  "tests/faults/matrix-roles.long",
  "tests/faults/pairs.long",
  "tests/e2e/release.long",
  "tests/truth/people.long",
  "tests/e2e/restraints.long",
  "tests/e2e/python.long",
  "tests/e2e/fleet.long",
  "tests/e2e/start-page.long",
  "tests/e2e/inline-programs.long",
  "tests/e2e/package.long",
  "testkit/test/engine-previews.long",
  "tests/e2e/sdks.long",
  "tests/e2e/registry.long",
  "tests/docs/walk-through.long",
  "tests/e2e/examples.long",
  "testkit/test/engine-beliefs.long",
  "tests/e2e/package-managers.long",
  "tests/e2e/policies.long",
  "tests/e2e/review-pipeline.long",
  "tests/e2e/truth.long",
  "tests/e2e/moves.long",
  "tests/e2e/kill-rounds.long",
  "tests/e2e/break-glass.long",
  "tests/e2e/pipelines.long",
  "tests/border.test",
  "tests/e2e/simulator-package.long",
  "tests/fuzz/check-and-diff.test",
  "tests/e2e/several-tenants.long",
  "tests/fuzz/previews.test",
  "tests/canary/client.test",
  "tests/contract/role-group-assignment.test",
  "tests/contract/role-group-assignment-changes.test",
  "tests/host/max-revocations.test",
  "tests/e2e/demo.test",
  "tests/e2e/review.test",
  "tests/e2e/review-command.test",
  "tests/contract/connection-profile.test",
  "tests/e2e/languages.test",
  "tests/e2e/access-command.test",
  "tests/e2e/token-command.test",
  "tests/e2e/cancelled.long",
  "tests/contract/role-group-assignment-limits.test",
  "tests/e2e/doctor.long",
  "tests/truth/truth.test",
  "tests/e2e/data-sources.long",
  "tests/e2e/import.long",
  "tests/http/rate-limit/governor.test",
  "tests/scripts/smoke.test",
  "tests/e2e/state.long",
  "tests/e2e/held.long",
  "tests/cli/code-host/errors.test",
  "tests/contract/organization-role-group-assignment.test",
  "tests/e2e/adopt.long",
  "tests/faults/sample.test",
  "tests/http/client.test",
  "tests/e2e/examples-of-resources.long",
  "tests/e2e/auth0-steps.long",
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
