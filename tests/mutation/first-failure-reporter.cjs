/* global __dirname */
const { join, relative } = require("node:path");

/** Tells the parent process the first test that fails, and ends the run. */
module.exports = class {
  onTestCaseResult({ path }, { status, fullName, duration }) {
    if (status === "failed") end(path, fullName, duration ?? 0);
    else process.send("passed");
  }

  onTestResult({ path }, { testExecError, numFailingTests }) {
    if (testExecError || numFailingTests > 0) end(path, "the file does not run", 0);
  }
};

function end(path, test, ms) {
  process.send({ file: relative(join(__dirname, ".."), path), test, ms }, () => process.exit(1));
}
