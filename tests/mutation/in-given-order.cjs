const Sequencer = require("@jest/test-sequencer").default;

/** Test files run in the order in which the command line names them. */
module.exports = class extends Sequencer {
  sort(tests) {
    const place = (test) => process.argv.indexOf(test.path);
    return [...tests].sort((one, other) => place(one) - place(other));
  }
};
