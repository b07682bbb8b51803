// SPDX-License-Identifier: Apache-2.0

const { appendFileSync } = require('node:fs');
const { reporters } = require('mocha');

/** Characters of a failure's message that its line shows. */
const MESSAGE_LIMIT = 800;
/** The time for what the last test still ends. A process that is open after it would keep `npm test` waiting for ever. */
const END_LIMIT_MS = 60_000;

/** Mocha's own `spec`; each failure is written to `TEST_FAILURES_FILE`, too, as one line for the summary of `npm test`. */
module.exports = class extends reporters.Spec {
    constructor(runner, options) {
        super(runner, options);
        runner.on('fail', (test, error) => note(`${oneLine(test.fullTitle())}: ${oneLine(error.message)}`));
        runner.on('end', () => setTimeout(failOpen, END_LIMIT_MS).unref());
    }
};

/** Ends a run whose tests left something open, and says what: mocha itself would wait for it. */
function failOpen() {
    const message = `The tests are over, but ${process.getActiveResourcesInfo().join(', ')} is still open.`;
    process.stderr.write(`\n${message}\n`);
    note(message);
    // Mocha sets the exit code to the number of failures when the process exits (11.8.0): this comes after it.
    process.on('exit', () => (process.exitCode = 1));
    process.exit();
}

function note(line) {
    if (process.env.TEST_FAILURES_FILE) {
        appendFileSync(process.env.TEST_FAILURES_FILE, `${line}\n`);
    }
}

function oneLine(text) {
    const line = String(text).replace(/\s+/g, ' ').trim();
    return line.length > MESSAGE_LIMIT ? `${line.slice(0, MESSAGE_LIMIT)}…` : line;
}
