// SPDX-License-Identifier: Apache-2.0
// What the scripts have in common that run after the set-up, on Node 24 and with all packages.

import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { execa } from 'execa';
import { Problem } from './set-up.cjs';

export { Problem };

export const ROOT = resolve(import.meta.dirname, '../..');
export const APP = join(ROOT, 'browser-app');
/** The Node 24 of the dev dependency `node`, which runs this. */
export const NODE = process.execPath;

const ending = new AbortController();
const started = new Set();

export function say(line) {
    process.stdout.write(`${line}\n`);
}

export function readJson(file) {
    return JSON.parse(readFileSync(join(ROOT, file), 'utf8'));
}

/** The file of a package's command. */
export function tool(path) {
    return join(ROOT, 'node_modules', path);
}

/**
 * Runs the main function of a script; a `Problem` is printed in one line. A signal, or the end of npm, ends what {@link start} has started,
 * and then the function.
 */
export async function runScript(main) {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
        process.on(signal, () => ending.abort(128 + constants.signals[signal]));
    }
    // A shell between npm and us may keep a signal for itself, and npm may be killed.
    const parent = process.ppid;
    setInterval(() => process.ppid !== parent && ending.abort(1), 1000).unref();
    let code = 0;
    try {
        await main();
    } catch (error) {
        code = 1;
        if (!ending.signal.aborted) {
            process.stderr.write(`\n${error instanceof Problem ? error.message : error.stack}\n`);
        }
    }
    ending.abort(code);
    await Promise.all(started);
    // What a pipe has not taken yet would be lost.
    await new Promise(written => process.stdout.write('', written));
    process.exit(ending.signal.reason);
}

/** Starts a process that ends with the script at the latest. */
export function start([command, ...args], options) {
    ending.signal.throwIfAborted();
    const ofScript = { reject: false, cancelSignal: ending.signal, forceKillAfterDelay: 10_000 };
    const subprocess = execa(command, args, { cwd: ROOT, stdin: 'ignore', all: true, ...ofScript, ...options });
    started.add(subprocess);
    void subprocess.finally(() => started.delete(subprocess));
    return subprocess;
}

/** Runs a command whose output the user sees, unless the options say otherwise; fails if the script is ending. */
export async function run(command, options) {
    const result = await start(command, { stdout: 'inherit', stderr: 'inherit', ...options });
    ending.signal.throwIfAborted();
    return result;
}

/** The first line of a process that matches; nothing if it ends before. */
export function lineOf({ all }, pattern) {
    return new Promise(found => {
        const lines = createInterface({ input: all });
        lines.on('line', line => pattern.test(line) && found(pattern.exec(line))).on('close', () => found(undefined));
    });
}

/** By compiled file: the line of each guard, and its replacement without the guard. The specs of the file notice each. */
export function readGuards() {
    return Object.entries(readJson('configs/conformance/guards.json')).flatMap(([file, { specs, guards }]) =>
        Object.entries(guards).map(([name, [guard, without]]) => ({ name, file, guard, without, specs: specs.map(spec => `lib/${spec}`) }))
    );
}
