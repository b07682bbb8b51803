// SPDX-License-Identifier: Apache-2.0
// npm start [-- [--port N] [/path/to/project]]: opens the sample, or a project of the user's, in the browser IDE; ends when the IDE does.

import { existsSync, mkdtempSync, openSync, readFileSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import getPort, { portNumbers } from 'get-port';
import { prepareSample } from '../../browser-app/launch/prepare-sample.mjs';
import { withoutNpm } from '../../browser-app/launch/user-environment.mjs';
import { APP, lineOf, NODE, Problem, ROOT, runScript, say, start } from './script.mjs';
import { joinRuns } from './set-up.cjs';

const USAGE = 'npm start [-- [--port N] [/path/to/project]]';
const FIRST_PORT = 3000;
const HELP = [
    `Usage: ${USAGE}`,
    'Opens the browser IDE on a project of yours, with your own CLIs and settings; without a path, on the sample, which needs no account.',
    `--port N   the first port to try, ${FIRST_PORT} by default`,
    '--help     this text'
];
const PORTS = 100;

await runScript(async () => {
    const { project, firstPort, help } = readArguments(process.argv.slice(2));
    if (help) {
        HELP.forEach(say);
        return;
    }
    const sample = project ? undefined : mkdtempSync(join(tmpdir(), 'companion-sample-'));
    joinRuns({ sample });
    try {
        const { workspace, env, advice } = sample ? await openSample(sample) : openProject(project);
        await runIde(workspace, env, firstPort, advice);
    } finally {
        if (sample) {
            // The CLIs still print something when their terminal closes.
            await rm(sample, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
        }
    }
});

function readArguments(args) {
    let parsed;
    try {
        const port = { type: 'string', default: String(FIRST_PORT) };
        parsed = parseArgs({ args, allowPositionals: true, options: { port, help: { type: 'boolean', short: 'h' } } });
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
    return { project, firstPort, help: parsed.values.help };
}

function openProject(workspace) {
    const advice = [`Your project ${workspace}, with your own CLIs and settings. Its first page says which of them are found.`];
    return { workspace, env: withoutNpm(process.env, ROOT), advice };
}

async function openSample(directory) {
    const { workspace, env } = prepareSample({ directory, modelPort: await startModel(), gettingStarted: true });
    const advice = [
        'The sample workspace is open, with Qwen Code and Gemini CLI on a scripted model: no account is needed.',
        'Its page says what to try first: run a CLI, then ask: improve the greeting'
    ];
    return { workspace, env, advice };
}

async function startModel() {
    const model = start([NODE, join(APP, 'scripted-model', 'main.mts')], { detached: true, buffer: false });
    const ready = await lineOf(model, /http:\/\/127\.0\.0\.1:(\d+)$/);
    if (!ready) {
        throw new Problem('The scripted model could not be started.');
    }
    return Number(ready[1]);
}

async function runIde(workspace, env, firstPort, advice) {
    const port = await getPort({ port: portNumbers(firstPort, Math.min(firstPort + PORTS, 65535)) });
    const log = join('.setup', `ide-${port}.log`);
    // Straight into a file. A backend that logs into the pipe of a script that was killed never ends: Theia (1.74) logs that it cannot log.
    const output = openSync(join(ROOT, log), 'w');
    // In its own process group: the terminal's Ctrl+C reaches only this script, which stops everything in the right order.
    // Theia stops a backend whose parent was killed.
    const ide = start([NODE, 'lib/backend/main.js', workspace, '--hostname', '127.0.0.1', '--port', port], {
        ...{ cwd: APP, env: { ...env, THEIA_PARENT_PID: String(process.pid) }, extendEnv: false },
        ...{ detached: true, buffer: false, stdout: output, stderr: output }
    });
    const isReady = () => readFileSync(join(ROOT, log), 'utf8').includes('Theia app listening on');
    let hasEnded = false;
    void ide.finally(() => (hasEnded = true));
    while (!hasEnded && !isReady()) {
        await delay(100);
    }
    if (isReady()) {
        if (port !== firstPort) {
            say(`Port ${firstPort} is taken, so this is another one.`);
        }
        advice.forEach(say);
        say(`Ctrl+C stops everything. The IDE is open on: http://localhost:${port}`);
    }
    const { isCanceled, signal, exitCode } = await ide;
    if (!isCanceled) {
        const lastWords = readFileSync(join(ROOT, log), 'utf8').trimEnd().split('\n').pop();
        throw new Problem(`The IDE has ended by itself (${signal ?? `exit code ${exitCode}`}). Its log is ${log}: ${lastWords}`);
    }
}
