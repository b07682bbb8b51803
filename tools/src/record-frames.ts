// SPDX-License-Identifier: Apache-2.0
// npm run record-frames -- claude-code@2.1.330 opencode@1.18.34 copilot@1.0.102 …: what these CLIs and the companion say to each other, without a browser.

import { execFileSync } from 'child_process';
import { promises as fs } from 'fs';
import { createServer, IncomingMessage, request as requestOf, Server } from 'http';
import * as os from 'os';
import * as path from 'path';
import { FileUri } from '@theia/core/lib/common/file-uri';
import { WebSocket } from '@theia/core/shared/ws';
import { IPty, spawn } from 'node-pty';
import { prepareSample } from '../../browser-app/launch/prepare-sample.mjs';
import { readCopilotLocks } from '../../companion-extension/lib/node/test/copilot-client';
import { TestHost } from '../../companion-extension/lib/node/discovery/test/test-host';
import { essence, formatRecording, RecordedLine } from '../../companion-extension/lib/node/test/recorded-frames';
import { TestBackend, TestService } from '../../companion-extension/lib/node/test/test-backend';
import { TestPage, typed } from '../../companion-extension/lib/node/test/test-page';
import { TerminalEnvironment } from '../../companion-extension/lib/node/terminal/terminal-environment';
import { delay, eventually } from '../../e2e/lib/support/eventually';
import { PROJECT } from '../../e2e/lib/support/project-paths';
import { ScriptedModel } from '../../e2e/lib/support/scripted-model';

const USAGE = 'Usage: npm run record-frames -- claude-code@VERSION opencode@VERSION copilot@VERSION …\n';
const FRAMES = path.join(PROJECT, 'configs', 'conformance', 'frames');

interface RecordedCli {
    readonly packageName: string;
    readonly program: string;
    readonly args: string[];
    readonly opensDiffs: boolean;
    /** It connects to a socket. */
    readonly usesSocket?: true;
}

const CLIS: Readonly<Record<string, RecordedCli>> = {
    'claude-code': {
        packageName: '@anthropic-ai/claude-code-linux-x64',
        program: 'claude',
        args: ['--permission-mode', 'manual'],
        opensDiffs: true
    },
    opencode: { packageName: 'opencode-linux-x64', program: 'bin/opencode', args: [], opensDiffs: false },
    copilot: { packageName: '@github/copilot-linux-x64', program: 'copilot', args: [], opensDiffs: true, usesSocket: true }
};
/** Those that a companion may look at. */
const HEADERS = [
    ...['user-agent', 'accept', 'content-type', 'transfer-encoding'],
    ...['sec-websocket-version', 'sec-websocket-protocol', 'sec-websocket-extensions']
];
/** Nothing is said for this long: the CLI waits for the user. In milliseconds. */
const QUIET = 3_000;
const MOST_ROUNDS = 10;
/** An Enter that follows the text at once is a pasted line break. In milliseconds. */
const PAUSE_BEFORE_ENTER = 600;

/** Notes what the servers and sockets of this process get and send. */
class Tap {
    lines: RecordedLine[] = [];
    headers: Record<string, string> = {};

    constructor() {
        listen(WebSocket.prototype, 'emit', (event, data) => event === 'message' && this.note('cli', data));
        listen(WebSocket.prototype, 'send', data => this.note('ide', data));
        listen(Server.prototype, 'emit', (event, request) => {
            if (event === 'upgrade') {
                this.noteHeaders(request as IncomingMessage);
            }
        });
    }

    /** Puts a proxy in front of a socket, and notes the MCP that goes through it. @returns ends it */
    async listenAt(socketPath: string): Promise<() => void> {
        const behind = `${socketPath}.behind`;
        await fs.rename(socketPath, behind);
        const proxy = createServer((request, response) => {
            const { method, url: path, headers } = request;
            if (headers['mcp-session-id'] === undefined) {
                this.noteHeaders(request);
            }
            const onward = requestOf({ socketPath: behind, method, path, headers }, answer => {
                response.writeHead(answer.statusCode ?? 502, answer.headers);
                this.read(answer, 'ide');
                answer.pipe(response);
            });
            onward.on('error', () => response.destroy());
            response.on('close', () => onward.destroy());
            this.read(request, 'cli');
            request.pipe(onward);
        });
        await new Promise<void>(resolve => proxy.listen(socketPath, resolve));
        return () => {
            proxy.close();
            proxy.closeAllConnections();
        };
    }

    /** One message, or a stream of events that have one each. */
    protected read(source: IncomingMessage, from: 'cli' | 'ide'): void {
        const isStream = source.headers['content-type']?.startsWith('text/event-stream');
        let text = '';
        source.on('data', (piece: Buffer) => {
            text += piece.toString();
            for (let end = text.indexOf('\n\n'); isStream && end >= 0; end = text.indexOf('\n\n')) {
                const data = /^data: (.+)$/m.exec(text.slice(0, end))?.[1];
                text = text.slice(end + 2);
                if (data) {
                    this.note(from, data);
                }
            }
        });
        source.on('end', () => text.startsWith('{') && this.note(from, text));
    }

    protected note(from: 'cli' | 'ide', text: unknown): void {
        this.lines.push({ from, message: essence(JSON.parse(String(text)) as Record<string, unknown>) });
    }

    protected noteHeaders({ headers }: IncomingMessage): void {
        this.headers = Object.fromEntries(HEADERS.flatMap(name => (headers[name] ? [[name, String(headers[name])]] : [])));
    }

    /** Waits until the CLI waits for its user. */
    async quiet(): Promise<void> {
        for (let round = 0; round < MOST_ROUNDS; round++) {
            const before = this.lines.length;
            await delay(QUIET);
            if (this.lines.length === before) {
                return;
            }
        }
        throw new Error('The CLI talks on: does the scripted model understand what this version says?');
    }
}

function listen(prototype: object, method: string, listener: (...args: unknown[]) => unknown): void {
    const original = Reflect.get(prototype, method) as (...args: unknown[]) => unknown;
    Reflect.set(prototype, method, function (this: unknown, ...args: unknown[]) {
        listener(...args);
        return original.apply(this, args);
    });
}

/** The companion without a browser, the CLI in a terminal, and a user at both. */
class Session {
    protected readonly page = new TestPage();
    protected readonly service: TestService;
    protected terminal: IPty | undefined;
    protected endTap: (() => void) | undefined;

    constructor(
        protected readonly tap: Tap,
        protected readonly model: ScriptedModel,
        protected readonly host = new TestHost(),
        protected readonly backend = new TestBackend(host)
    ) {
        this.service = backend.connect(this.page).service;
    }

    async record(name: string, program: string): Promise<void> {
        const { tap, backend, page, service } = this;
        const cli = CLIS[name.split('@')[0]];
        const { workspace, env } = prepareSample({ directory: this.host.folder, modelPort: this.model.port });
        await service.hello(backend.window(page, { roots: [FileUri.create(workspace).toString()] }));
        const port = backend.windows.serverFor('window-1')?.port ?? 0;
        const preferences = backend.windows.preferencesOf('window-1');
        const variables = backend.container.get(TerminalEnvironment).variables({ port, roots: [workspace] }, {}, preferences);
        tap.lines = [];
        await this.look(path.join(workspace, 'src', 'greeting.js'), cli.usesSocket);
        if (cli.usesSocket) {
            const lock = await eventually('a lock for a trusted folder', () =>
                readCopilotLocks(this.host.homeFolder).find(({ isTrusted }) => isTrusted)
            );
            this.endTap = await tap.listenAt(lock.socketPath);
        }
        this.terminal = spawn(program, cli.args, {
            cwd: workspace,
            env: { ...env, ...variables, TERM: 'xterm-256color' } as typeof process.env
        });
        await eventually('the first context', () =>
            tap.lines.some(line => 'message' in line && line.message['method'] === 'selection_changed')
        );
        await tap.quiet();
        if (cli.opensDiffs) {
            const proposed = 'proposed\n';
            const propose = (file: string): Promise<void> => this.propose(path.join(workspace, file), proposed, cli);
            await propose('accepted.txt');
            await this.accept(cli.usesSocket ? proposed : `${proposed}and edited\n`);
            await propose('rejected.txt');
            await this.reject();
            await propose('terminal.txt');
            this.terminal.write('\r');
            await tap.quiet();
        }
        const text = formatRecording({ cli: name, headers: tap.headers, lines: tap.lines }, { workspace, pid: this.terminal.pid });
        if (text.includes(this.host.folder) || text.includes(os.homedir()) || text.includes(os.hostname())) {
            throw new Error(`The recording of ${name} names something of this machine`);
        }
        await fs.writeFile(path.join(FRAMES, `${name}.jsonl`), text);
    }

    async dispose(): Promise<void> {
        this.terminal?.kill('SIGKILL');
        this.endTap?.();
        await this.backend.stop();
    }

    /** @param isTrusted the folder: a CLI may ask for that before it connects */
    protected async look(file: string, isTrusted?: true): Promise<void> {
        const selection = { start: { line: 3, character: 5 }, end: { line: 3, character: 11 } };
        const active = { path: file, timestamp: 1, isActive: true, cursor: selection.end, selectedText: 'return', selection };
        const sees = { workspaceState: { openFiles: [active], ...(isTrusted && { isTrusted }) } };
        this.tap.lines.push({ from: 'user', sees });
        await this.service.updateContext({ sequence: 1, context: sees });
    }

    protected async propose(file: string, text: string, { usesSocket }: RecordedCli): Promise<void> {
        const prompt = await this.model.script(
            usesSocket
                ? { name: 'create', args: { path: file, file_text: text } }
                : { name: 'write_file', args: { file_path: file, content: text } }
        );
        const before = this.page.shown.length;
        this.terminal?.write(prompt);
        await delay(PAUSE_BEFORE_ENTER);
        this.terminal?.write('\r');
        await eventually('the diff', () => this.page.shown.length > before);
        await this.tap.quiet();
    }

    protected async accept(text: string): Promise<void> {
        this.tap.lines.push({ from: 'user', accepts: text });
        await this.service.acceptReview(this.page.shown.at(-1)?.id ?? '', typed(text));
        await this.tap.quiet();
    }

    protected async reject(): Promise<void> {
        this.tap.lines.push({ from: 'user', rejects: true });
        await this.service.rejectReview(this.page.shown.at(-1)?.id ?? '');
        await this.tap.quiet();
    }
}

async function main(): Promise<number> {
    const names = process.argv.slice(2);
    if (names.length === 0 || !names.every(name => /^(claude-code|opencode|copilot)@[\w.-]+$/.test(name))) {
        process.stderr.write(USAGE);
        return 2;
    }
    const tap = new Tap();
    const model = await ScriptedModel.start();
    const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'record-frames-'));
    try {
        for (const name of names) {
            const [id, version] = name.split('@');
            const { packageName, program } = CLIS[id];
            const options = ['--no-save', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'];
            execFileSync('npm', ['install', '--prefix', folder, ...options, `${packageName}@${version}`], { stdio: 'inherit' });
            const session = new Session(tap, model);
            await session.record(name, path.join(folder, 'node_modules', packageName, program)).finally(() => session.dispose());
            process.stdout.write(`${name}: ${tap.lines.length} lines\n`);
        }
    } finally {
        await model.dispose();
        await fs.rm(folder, { recursive: true, force: true });
    }
    return 0;
}

void main().then(
    code => process.exit(code),
    error => {
        process.stderr.write(`${String(error)}\n`);
        process.exit(1);
    }
);
