// SPDX-License-Identifier: Apache-2.0

import { constants } from 'node:os';

/** Something that the user has to put right; the message is one line that says what to do. */
export class Problem extends Error {}

/** Clean-ups in the order in which they were registered; they run in the opposite one. */
const cleanUps = [];
let ending;

/** Has a clean-up run when the script ends, however it does; the result takes it back. */
export function atEnd(cleanUp) {
    cleanUps.push(cleanUp);
    return () => {
        const index = cleanUps.indexOf(cleanUp);
        if (index >= 0) {
            cleanUps.splice(index, 1);
        }
    };
}

export function say(line) {
    process.stdout.write(`${line}\n`);
}

/** Ends the script after all clean-ups; a second call waits for the first. */
export function end(exitCode) {
    ending ??= cleanUpAll().then(() => process.exit(exitCode));
    return ending;
}

export function isEnding() {
    return ending !== undefined;
}

/** Runs the main function of a script; a signal ends it early, and a `Problem` is told in one line. */
export async function runScript(main) {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
        process.on(signal, () => void end(128 + constants.signals[signal]));
    }
    endWithNpm();
    try {
        await main();
        await end(0);
    } catch (error) {
        if (!isEnding()) {
            process.stderr.write(`\n${error instanceof Problem ? error.message : error.stack}\n`);
        }
        await end(1);
    }
}

async function cleanUpAll() {
    while (cleanUps.length > 0) {
        try {
            await cleanUps.pop()();
        } catch (error) {
            process.stderr.write(`${error.message}\n`);
        }
    }
}

/** A shell between npm and us may keep a signal for itself, and npm may be killed: either ends us as well. */
function endWithNpm() {
    if (process.env.npm_lifecycle_event === undefined) {
        return;
    }
    const parent = process.ppid;
    const watch = () => {
        if (process.ppid !== parent) {
            void end(1);
        }
    };
    setInterval(watch, 1000).unref();
}
