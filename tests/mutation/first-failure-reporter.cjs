/* global __dirname */
const { join, relative } = require("node:path");

/** Reports the run's progress to the parent process, and ends the run at the first failing test. */
module.exports = class {
  onTestFileStart({ path }) {
    process.send({ started: named(path) });
  }

  onTestCaseResult({ path }, { status, fullName }) {
    if (status === "failed") end(path, fullName);
    else process.send({ passed: fullName });
  }

  onTestResult({ path }, { testExecError, numFailingTests }) {
    if (testExecError || numFailingTests > 0) end(path, undefined);
  }
};

function named(path) {
  return relative(join(__dirname, ".."), path);
}

function end(path, test) {
  process.send({ failed: { file: named(path), test } }, () => process.exit(1));
}
