// SPDX-License-Identifier: Apache-2.0

import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { atEnd, isEnding, Problem, say } from './script.mjs';

/** Milliseconds that a process gets to end by itself. */
const GRACE = 10_000;
/** Milliseconds of silence after which a long step says that it is still at work. */
const HEARTBEAT = 15_000;

/** The first of the commands that is on the PATH, with its folder. */
export function findCommand(...names) {
    const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
    return names.flatMap(name => folders.map(folder => join(folder, name))).find(file => existsSync(file));
}

/** Starts a process that ends with the script at the latest; throws where the script is ending already. `exited` never rejects. */
export function start([command, ...args], options) {
    if (isEnding()) {
        throw new Problem(`The script is ending, so ${command} is not started.`);
    }
    const child = spawn(command, args, options);
    const exited = new Promise(resolve => {
        child.on('error', error => resolve({ code: 1, error }));
        child.on('exit', (code, signal) => resolve({ code: code ?? 1, signal }));
    });
    const stop = () => stopProcess(child, exited);
    const forget = atEnd(stop);
    void exited.then(forget);
    return { child, exited, stop };
}

/** Runs a command whose output the user sees; resolves to its exit code. */
export async function runVisibly(command, options = {}) {
    const { code, error } = await start(command, { stdio: ['ignore', 'inherit', 'inherit'], ...options }).exited;
    if (error) {
        process.stderr.write(`${error.message}\n`);
    }
    return code;
}

/** Runs a command whose output goes to a log; says now and then that it is still at work. Resolves to its exit code and output. */
export async function runLogged(command, logFile, options = {}) {
    const log = openSync(logFile, 'w');
    const since = Date.now();
    const heartbeat = setInterval(() => say(`  … ${Math.round((Date.now() - since) / 1000)} s`), HEARTBEAT);
    try {
        const { code, error } = await start(command, { ...options, stdio: ['ignore', log, log] }).exited;
        return { code, output: readFileSync(logFile, 'utf8') + (error ? error.message : '') };
    } finally {
        clearInterval(heartbeat);
        closeSync(log);
    }
}

export function lastLines(text, count) {
    return text.trimEnd().split('\n').slice(-count).join('\n');
}

async function stopProcess(child, exited) {
    if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) {
        return;
    }
    child.kill('SIGTERM');
    const kill = setTimeout(() => child.kill('SIGKILL'), GRACE);
    await exited;
    clearTimeout(kill);
}
