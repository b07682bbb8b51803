// SPDX-License-Identifier: Apache-2.0

const { appendFileSync } = require('node:fs');
const { reporters } = require('mocha');

/** Characters of a failure's message that its line shows. */
const MESSAGE_LIMIT = 800;

/** Mocha's own `spec`; each failure is written to `TEST_FAILURES_FILE`, too, as one line for the summary of `npm test`. */
module.exports = class extends reporters.Spec {
    constructor(runner, options) {
        super(runner, options);
        const file = process.env.TEST_FAILURES_FILE;
        if (file) {
            runner.on('fail', (test, error) => appendFileSync(file, `${oneLine(test.fullTitle())}: ${oneLine(error.message)}\n`));
        }
    }
};

function oneLine(text) {
    const line = String(text).replace(/\s+/g, ' ').trim();
    return line.length > MESSAGE_LIMIT ? `${line.slice(0, MESSAGE_LIMIT)}…` : line;
}
