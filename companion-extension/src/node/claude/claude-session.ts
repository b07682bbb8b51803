// SPDX-License-Identifier: Apache-2.0

import { randomUUID } from 'crypto';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { Emitter } from '@theia/core/lib/common/event';
import { FileUri } from '@theia/core/lib/common/file-uri';
import { Deferred } from '@theia/core/lib/common/promise-util';
import { z } from 'zod/v4';
import { FileDiagnostics, IdeContext, Mention } from '../../common/companion-protocol';
import { withTimeLimit } from '../../common/time-limit';
import { PeerProcess } from '../host/process-table';
import { CliSession, CliSessionState, CompanionNotification, ReviewOutcome, SessionWindow, ToldToSession } from '../server/cli-session';
import { CompanionTool, failure, ToolServer } from '../mcp/tool-server';
import { WaitingDiffs } from '../mcp/waiting-diffs';
import { activeSelection } from './active-selection';
import type { SocketTransport } from './socket-transport';

/** A CLI of this family, and the window in which it runs. */
export interface FoundCli {
    readonly cliId: string;
    readonly peer: PeerProcess | undefined;
    readonly window: SessionWindow;
}

/** A notification that comes sooner after the handshake than this, may be lost (Claude Code 2.1.330: 600). */
const LISTENS_AFTER_MS = 1_000;

/** How long a client may take to tell its folder. */
const ROOTS_LIMIT_MS = 1_000;

/** How long a client may take to tell its pid. */
const ANNOUNCED_LIMIT_MS = 1_000;

/** One connection of one CLI: the tools and notifications of Claude's family over the reviews and the context of a window. */
export class ClaudeSession implements CliSession {
    readonly id = randomUUID();
    readonly since = Date.now();
    gaveUp = false;
    /** Empty until the CLI has said its name. */
    cliId = '';
    peer: PeerProcess | undefined;
    /** The process at the other end of the connection. It is not the CLI if it forwards the connections of several. */
    connectedBy: PeerProcess | undefined;
    state: CliSessionState = 'initialised';
    told: ToldToSession | undefined;

    protected readonly server: ToolServer<ClaudeSession>;
    protected readonly found: Promise<FoundCli>;
    protected offered: Promise<ReadonlyArray<CompanionTool<ClaudeSession>>> | undefined;
    readonly diffs = new WaitingDiffs(this, async () => (await this.found).window);
    /** The context that the client is to learn next. */
    protected owed: IdeContext | undefined;
    protected listensTimer: NodeJS.Timeout | undefined;

    protected readonly onDidChangeStateEmitter = new Emitter<CliSessionState>();
    readonly onDidChangeState = this.onDidChangeStateEmitter.event;
    protected readonly announced = new Deferred<number>();

    /** @param find the window in which the client runs, once it has said its name. `undefined` if there is none: the session ends. */
    constructor(
        protected readonly transport: SocketTransport,
        serverInfo: { name: string; version: string },
        find: (clientName: string) => Promise<FoundCli | undefined>
    ) {
        this.server = new ToolServer<ClaudeSession>(serverInfo, () => this.tools(), this);
        this.found = new Promise(resolve => {
            const belong = async (clientName: string): Promise<void> => {
                // Only once, however often the client says so.
                this.server.server.oninitialized = undefined;
                const found = await find(clientName).catch(() => undefined);
                if (!found || this.state === 'closed') {
                    await this.close('The IDE knows no window with the folder of this CLI');
                    return;
                }
                this.cliId = found.cliId;
                this.peer = found.peer;
                this.listensTimer = setTimeout(() => this.beginStreaming(), LISTENS_AFTER_MS).unref();
                // Which may end it.
                found.window.join(this);
                resolve(found);
            };
            this.server.server.oninitialized = () => void belong(this.server.server.getClientVersion()?.name ?? '');
        });
        this.server.server.fallbackNotificationHandler = async ({ method, params }) => {
            if (method === 'ide_connected' && typeof params?.['pid'] === 'number') {
                this.announced.resolve(params['pid']);
            }
        };
        this.server.server.onclose = () => this.handleEnd();
        transport.ondrain = () => this.tell();
    }

    get gone(): boolean {
        return this.state === 'closed';
    }

    get hasOpenDiff(): boolean {
        return this.diffs.any;
    }

    /** When something last came from its client, as `performance.now` counts. */
    get lastUsed(): number {
        return this.transport.lastReceived;
    }

    /** Its client may call from now on. */
    async connect(): Promise<void> {
        await this.server.connect(this.transport);
    }

    /** The folder that the client runs in, if it says so (Claude Code does). Never rejects, and ends soon. */
    async clientFolder(): Promise<string | undefined> {
        if (!this.server.server.getClientCapabilities()?.roots) {
            return undefined;
        }
        const asked = this.server.server.listRoots(undefined, { timeout: ROOTS_LIMIT_MS }).catch(() => ({ roots: [] }));
        const uri = (await asked).roots[0]?.uri;
        return uri === undefined ? undefined : FileUri.fsPath(uri);
    }

    /** The pid that the client says it has (Claude Code does): another one than its connection shows if something forwards that. Never rejects. */
    async announcedPid(): Promise<number | undefined> {
        return withTimeLimit(this.announced.promise, ANNOUNCED_LIMIT_MS).catch(() => undefined);
    }

    notify(notification: CompanionNotification): boolean {
        if (this.state === 'closed') {
            return false;
        }
        if (notification.method === 'ide/contextUpdate') {
            this.owed = notification.params;
            this.tell();
            return true;
        }
        return this.diffs.answer(notification);
    }

    mention(mentions: readonly Mention[]): boolean {
        const params = mentions.map(mentionOf).filter(mention => mention !== undefined);
        if (this.state !== 'streaming' || params.length < mentions.length) {
            return false;
        }
        params.forEach(mention => this.send('at_mentioned', mention));
        return true;
    }

    /** @param uri of the one file; of all files if it is left out */
    async diagnostics(uri: string | undefined): Promise<readonly FileDiagnostics[]> {
        return (await this.found).window.diagnostics(uri);
    }

    /** An answer is sent at once, or never. */
    forgetOutcomes(): void {}

    takeUndelivered(): ReviewOutcome[] {
        return [];
    }

    /** @param reason for the client, which shows it */
    async close(reason = 'The window of this CLI is served no longer'): Promise<void> {
        this.handleEnd();
        await this.transport.close(reason);
        await this.server.close();
    }

    protected beginStreaming(): void {
        this.changeState('streaming');
        this.tell();
    }

    /** Only the newest context waits for a client that does not read. */
    protected tell(): void {
        if (this.owed && this.state === 'streaming' && this.transport.isReading) {
            const context = this.owed;
            this.owed = undefined;
            this.send('selection_changed', activeSelection(context) ?? { text: '', selection: null });
            this.told = { context, at: Date.now() };
        }
    }

    protected send(method: string, params: object): void {
        // It fails if the connection has just ended, which is reported in another way.
        this.server.server.notification({ method, params: { ...params } }).catch(() => undefined);
    }

    /** Those of its beginning: a session keeps its tools. */
    protected tools(): Promise<ReadonlyArray<CompanionTool<ClaudeSession>>> {
        return (this.offered ??= this.found.then(({ window: { reviewsOffered } }) => [
            ...(reviewsOffered ? CLAUDE_TOOLS.reviews : []),
            ...CLAUDE_TOOLS.others
        ]));
    }

    protected handleEnd(): void {
        if (this.state !== 'closed') {
            clearTimeout(this.listensTimer);
            this.changeState('closed');
            this.onDidChangeStateEmitter.dispose();
            this.diffs.giveUpAll();
        }
    }

    protected changeState(state: CliSessionState): void {
        this.state = state;
        this.onDidChangeStateEmitter.fire(state);
    }
}

/** For `at_mentioned`, counted from 0. @returns `undefined` for a whole file: OpenCode (1.18) takes no mention without lines */
function mentionOf({ path, lines }: Mention): object | undefined {
    return lines && { filePath: path, lineStart: lines.first - 1, lineEnd: lines.last - 1 };
}

const openDiffSchema = z.object({
    old_file_path: z.string().describe('Absolute path of the file on disk'),
    new_file_path: z.string().describe('Absolute path of the file to write'),
    new_file_contents: z.string().describe('The whole proposed content of the file'),
    tab_name: z.string().describe('Names the diff in later calls')
});

const openDiff: CompanionTool<ClaudeSession, z.infer<typeof openDiffSchema>> = {
    name: 'openDiff',
    description: 'Opens a diff view in the IDE and answers when the user has accepted or rejected it.',
    schema: openDiffSchema,
    async call(args, session, cancelled) {
        const decision = await session.diffs.open(args.tab_name, args.new_file_path, args.new_file_contents, cancelled);
        if ('problem' in decision) {
            return failure(decision.problem);
        }
        const { outcome } = decision;
        return outcome?.method === 'ide/diffAccepted' ? texts('FILE_SAVED', outcome.params.content) : texts('DIFF_REJECTED', args.tab_name);
    }
};

const closeTabSchema = z.object({ tab_name: z.string().describe('As it was given to openDiff') });

const closeTab: CompanionTool<ClaudeSession, z.infer<typeof closeTabSchema>> = {
    name: 'close_tab',
    description: 'Closes a diff view.',
    schema: closeTabSchema,
    async call({ tab_name }, session) {
        await session.diffs.close(tab_name);
        return texts('TAB_CLOSED');
    }
};

const closeAllDiffTabs: CompanionTool<ClaudeSession> = {
    name: 'closeAllDiffTabs',
    description: 'Closes all diff views of this session.',
    schema: z.object({}),
    call: async (_, session) => texts(`CLOSED_${await session.diffs.closeAll()}_DIFF_TABS`)
};

const getDiagnosticsSchema = z.object({ uri: z.string().nullish().describe('URI of a file; all files if it is left out') });

const getDiagnostics: CompanionTool<ClaudeSession, z.infer<typeof getDiagnosticsSchema>> = {
    name: 'getDiagnostics',
    description: 'Reads the problems that the IDE has found.',
    schema: getDiagnosticsSchema,
    call: async ({ uri }, session) => texts(JSON.stringify(await session.diagnostics(uri ?? undefined)))
};

/** Without those for reviews, the CLI asks in the terminal. */
const CLAUDE_TOOLS = { reviews: [openDiff, closeTab, closeAllDiffTabs], others: [getDiagnostics] } as const;

/** Makes a result as the CLIs of this family read it. */
function texts(...all: string[]): CallToolResult {
    return { content: all.map(text => ({ type: 'text', text })) };
}
