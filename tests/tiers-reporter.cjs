// Ends every run with the line `N passed, N failed`, where all that fails the run counts as failed. A full
// run (no filter on the command line, or CI=true) fails if a tier ran no test, or if a test was skipped or is
// only planned. Options: the tiers, and the command that runs them.

class TiersReporter {
  #globalConfig;
  #options;
  /** @type {Map<string, number>} */
  #ran = new Map();
  /** @type {string[]} */
  #problems = [];

  constructor(globalConfig, options) {
    this.#globalConfig = globalConfig;
    this.#options = options;
  }

  onRunStart() {
    const seed = process.env.PROPERTY_SEED ?? process.env.NEW_PROPERTY_SEED;
    process.stdout.write(
      `Random walks beside the fixed ones: PROPERTY_SEED=${seed} ${this.#options.command} repeats them.\n`,
    );
  }

  onTestResult({ context }, { numPassingTests, numFailingTests }) {
    const tier = context.config.displayName.name;
    this.#ran.set(tier, (this.#ran.get(tier) ?? 0) + numPassingTests + numFailingTests);
  }

  onRunComplete(_contexts, results) {
    const { numPassedTests, numFailedTests, numRuntimeErrorTestSuites, snapshot } = results;
    if (results.runExecError) this.#problems.push(`The run broke off: ${results.runExecError.message}`);
    if (results.wasInterrupted) this.#problems.push("The run was interrupted.");
    if (snapshot.failure) this.#problems.push("Snapshots are obsolete or were not written.");
    if (process.env.CI === "true" || !this.#isFiltered()) this.#judgeFullRun(results);

    const failed = numFailedTests + numRuntimeErrorTestSuites + this.#problems.length;
    const lines = [...this.#problems, `${numPassedTests} passed, ${failed} failed`];
    // Jest itself still prints after the reporters if something keeps it from ending.
    process.once("exit", () => process.stdout.write(`\n${lines.join("\n")}\n`));
  }

  /** Makes Jest end with code 1. */
  getLastError() {
    return this.#problems.length > 0 ? new Error(this.#problems.join(" ")) : undefined;
  }

  #judgeFullRun({ numPendingTests, numTodoTests, testResults }) {
    for (const tier of this.#options.tiers) {
      if (!this.#ran.get(tier)) this.#problems.push(`The tier ${tier} ran no test.`);
    }
    if (numPendingTests + numTodoTests === 0) return;
    const names = testResults.flatMap((file) =>
      file.testResults
        .filter(({ status }) => status !== "passed" && status !== "failed")
        .map(({ fullName }) => fullName),
    );
    this.#problems.push(`${names.length} test(s) were skipped or are only planned: ${names.join("; ")}.`);
  }

  #isFiltered() {
    const { testNamePattern, testPathPatterns, onlyChanged, onlyFailures, findRelatedTests, runTestsByPath } =
      this.#globalConfig;
    return (
      Boolean(testNamePattern || onlyChanged || onlyFailures || findRelatedTests || runTestsByPath) ||
      Boolean(this.#globalConfig.shard) ||
      testPathPatterns.patterns.length > 0 ||
      process.argv.some((argument) => /^--(select|ignore)Projects(=|$)/.test(argument))
    );
  }
}

module.exports = TiersReporter;
