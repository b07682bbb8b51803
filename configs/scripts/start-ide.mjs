// SPDX-License-Identifier: Apache-2.0

import { existsSync, mkdtempSync, readFileSync, openSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { prepareSample } from '../../browser-app/launch/prepare-sample.mjs';
import { withoutNpm } from '../../browser-app/launch/user-environment.mjs';
import { freePort } from './ports.mjs';
import { lastLines, start } from './processes.mjs';
import { APP, NODE, ROOT, setUpFile } from './project.mjs';
import { runs, SAMPLE_PREFIX } from './runs.mjs';
import { atEnd, isEnding, Problem, say } from './script.mjs';
import { setUp } from './set-up.mjs';

const USAGE = 'npm start [-- [--port N] [/path/to/project]]';
const FIRST_PORT = 3000;
/** Milliseconds until the backend has to answer; it takes 2 to 5 s where it is not the first time. */
const PATIENCE = 120_000;

/** Opens the sample, or a project of the user's, in the browser IDE; ends when the IDE does. */
export async function startIde(args) {
    const { project, firstPort } = readArguments(args);
    await setUp({ withTests: false, command: 'npm start' });
    const port = await freePort(firstPort);
    const { workspace, env, advice } = project ? ownProject(project) : await sample();
    const logFile = setUpFile(`ide-${port}.log`);
    const ide = startBackend(workspace, port, env, logFile);
    await answers(ide, port, logFile);
    if (port !== firstPort) {
        say(`Port ${firstPort} is taken, so this is another one.`);
    }
    advice.forEach(say);
    say(`Ctrl+C stops everything. The IDE is open on: http://localhost:${port}`);
    await ide.exited;
    if (!isEnding()) {
        throw await endedByItself(ide, logFile);
    }
}

function readArguments(args) {
    let parsed;
    try {
        parsed = parseArgs({ args, allowPositionals: true, options: { port: { type: 'string', default: String(FIRST_PORT) } } });
    } catch (error) {
        throw new Problem(`${error.message} Usage: ${USAGE}`);
    }
    const [path, ...more] = parsed.positionals;
    const firstPort = Number(parsed.values.port);
    if (more.length > 0 || !Number.isInteger(firstPort) || firstPort < 1 || firstPort > 65535) {
        throw new Problem(`Usage: ${USAGE}, with a port from 1 to 65535.`);
    }
    // npm changes to the project's folder; what the user typed is relative to where they are.
    const project = path === undefined ? undefined : resolve(process.env.INIT_CWD ?? process.cwd(), path);
    if (project && !(existsSync(project) && statSync(project).isDirectory())) {
        throw new Problem(`${project} is not a folder: give the path of a project, or nothing for the sample.`);
    }
    return { project, firstPort };
}

function ownProject(workspace) {
    return {
        workspace,
        env: withoutNpm(process.env, ROOT),
        advice: [`Your project ${workspace}, with your own CLIs and settings: type qwen or gemini in its terminal.`]
    };
}

async function sample() {
    const directory = mkdtempSync(join(tmpdir(), SAMPLE_PREFIX));
    runs.noteSample(directory);
    // The CLIs write their last words when their terminal goes.
    atEnd(() => rm(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 }));
    const { workspace, env } = prepareSample({ directory, modelPort: await startModel() });
    return {
        workspace,
        env,
        advice: [
            'The sample workspace is open, with Qwen Code and Gemini CLI on a scripted model: no account is needed.',
            'Open src/greeting.js, then a terminal (Terminal > New Terminal), type qwen or gemini, and ask: improve the greeting'
        ]
    };
}

async function startModel() {
    const script = join(APP, 'scripted-model', 'main.mts');
    const { child, exited } = start([NODE, script], { detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const url = new Promise(found => {
        for (const stream of [child.stdout, child.stderr]) {
            stream.setEncoding('utf8').on('data', chunk => {
                output += chunk;
                const match = /http:\/\/127\.0\.0\.1:(\d+)\n/.exec(output);
                if (match) {
                    found(match);
                }
            });
        }
    });
    const match = await Promise.race([url, exited]);
    if (!match?.[1]) {
        throw new Problem(`${output.trim() || 'The scripted model could not be started.'}`);
    }
    return Number(match[1]);
}

function startBackend(workspace, port, env, logFile) {
    const log = openSync(logFile, 'w');
    const args = [join(APP, 'lib', 'backend', 'main.js'), workspace, '--hostname', '127.0.0.1', '--port', String(port)];
    // In a process group of its own: the terminal's Ctrl+C reaches this script alone, which ends all in the right order.
    // Theia ends a backend by itself whose parent was killed.
    return start([NODE, ...args], {
        cwd: APP,
        env: { ...env, THEIA_PARENT_PID: String(process.pid) },
        detached: true,
        stdio: ['ignore', log, log]
    });
}

async function answers(ide, port, logFile) {
    let exited = false;
    void ide.exited.then(() => (exited = true));
    for (const since = Date.now(); Date.now() - since < PATIENCE && !exited; await delay(200)) {
        try {
            const { ok } = await fetch(`http://127.0.0.1:${port}/`, { signal: AbortSignal.timeout(5000) });
            if (ok) {
                return;
            }
        } catch {
            // Not yet.
        }
    }
    throw exited
        ? await endedByItself(ide, logFile)
        : new Problem(`The IDE does not answer on port ${port}; see ${relative(ROOT, logFile)}.`);
}

async function endedByItself(ide, logFile) {
    const { code, signal } = await ide.exited;
    const lastWords = lastLines(readFileSync(logFile, 'utf8'), 1);
    return new Problem(
        `The IDE has ended by itself (${signal ?? `exit code ${code}`}). Its log is ${relative(ROOT, logFile)}: ${lastWords}`
    );
}
