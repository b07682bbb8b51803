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
import { CliSession, CompanionNotification, CliSessionState, ToldToSession } from '../mcp/cli-session';
import { CompanionTool, failure, ToolServer } from '../mcp/tool-server';
import { ReviewOutcome } from '../review/review';
import type { SocketTransport } from './socket-transport';

/** The window that a session's CLI runs in, as far as the session needs it. */
export interface SessionWindow {
    readonly reviewsOffered: boolean;
    /** From now on the session counts as one of the window's, and learns its context. */
    join(session: CliSession): void;
    /** @returns why the diff cannot be shown, or `undefined` if it is shown or will be when a page comes */
    openDiff(owner: CliSession, filePath: string, newContent: string, onDidOpen: (reviewId: string) => void): Promise<string | undefined>;
    /** @param answered the user answered in the terminal */
    closeDiff(owner: CliSession, filePath: string, answered: boolean): Promise<unknown>;
    /** Never rejects, and ends soon. */
    diagnostics(uri: string | undefined): Promise<readonly FileDiagnostics[]>;
}

/** A CLI of this family, and the window in which it runs. */
export interface FoundCli {
    readonly cliId: string;
    readonly peer: PeerProcess | undefined;
    readonly window: SessionWindow;
}

/** A diff that the CLI waits for. */
interface OpenTab {
    readonly name: string;
    readonly filePath: string;
    /** Once the review waits. */
    reviewId?: string;
    settle(answer: readonly string[]): void;
}

/** What the user decided, as the CLI reads it, or why nobody could be asked. */
type DiffAnswer = { readonly texts: readonly string[] } | { readonly problem: string };

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
    protected readonly tabs = new Map<string, OpenTab>();
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
                    await this.close('No window of the IDE has the folder of this CLI open');
                    return;
                }
                this.cliId = found.cliId;
                this.peer = found.peer;
                found.window.join(this);
                resolve(found);
                this.listensTimer = setTimeout(() => this.beginStreaming(), LISTENS_AFTER_MS).unref();
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
        return this.tabs.size > 0;
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
        return this.answer(notification);
    }

    mention(mentions: readonly Mention[]): boolean {
        const params = mentions.map(mentionOf).filter(mention => mention !== undefined);
        if (this.state !== 'streaming' || params.length < mentions.length) {
            return false;
        }
        params.forEach(mention => this.send('at_mentioned', mention));
        return true;
    }

    /** Answers when the user has decided, or when nobody is asked any more. */
    async openDiff(tabName: string, filePath: string, newContent: string): Promise<DiffAnswer> {
        // The CLI asks again, and no longer waits for an earlier answer.
        const before = [...this.tabs.values()].filter(tab => tab.name === tabName || tab.filePath === filePath);
        before.forEach(tab => this.giveUp(tab));
        const answer = new Deferred<DiffAnswer>();
        const opened: OpenTab = { name: tabName, filePath, settle: texts => answer.resolve({ texts }) };
        this.tabs.set(tabName, opened);
        // Only now: a `close_tab` that came with it must find it.
        const { window } = await this.found;
        const ofOtherFiles = before.filter(tab => tab.filePath !== filePath).map(tab => window.closeDiff(this, tab.filePath, false));
        const problem = await window.openDiff(this, filePath, newContent, reviewId => (opened.reviewId = reviewId));
        await Promise.allSettled(ofOtherFiles);
        if (problem !== undefined && this.tabs.get(tabName) === opened) {
            this.tabs.delete(tabName);
            return { problem };
        }
        return answer.promise;
    }

    /** The user has answered in the terminal, or had answered before: then nothing is open. */
    async closeTab(tabName: string): Promise<void> {
        const tab = this.tabs.get(tabName);
        if (tab) {
            await this.closeDiff(tab, true);
        }
    }

    /** @returns how many were open */
    async closeAllTabs(): Promise<number> {
        const all = [...this.tabs.values()];
        await Promise.all(all.map(tab => this.closeDiff(tab, false)));
        return all.length;
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

    protected async closeDiff(tab: OpenTab, answered: boolean): Promise<void> {
        // First: what the user decides from now on is too late.
        this.giveUp(tab);
        await (await this.found).window.closeDiff(this, tab.filePath, answered);
    }

    /** The CLI does not wait for this one any more; an answer that says so has no effect. */
    protected giveUp(tab: OpenTab): void {
        this.tabs.delete(tab.name);
        tab.settle(['DIFF_REJECTED', tab.name]);
    }

    protected answer(outcome: ReviewOutcome): boolean {
        const tab = [...this.tabs.values()].find(({ reviewId }) => reviewId === outcome.reviewId);
        if (!tab) {
            return false;
        }
        this.tabs.delete(tab.name);
        tab.settle(outcome.method === 'ide/diffAccepted' ? ['FILE_SAVED', outcome.params.content] : ['DIFF_REJECTED', tab.name]);
        return true;
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
            this.send('selection_changed', selectionOf(context));
            this.told = { context, at: Date.now() };
        }
    }

    protected send(method: string, params: NotificationParams): void {
        // It fails if the connection has just ended, which is reported in another way.
        this.server.server.notification({ method, params }).catch(() => undefined);
    }

    protected async tools(): Promise<ReadonlyArray<CompanionTool<ClaudeSession>>> {
        const { reviewsOffered } = (await this.found).window;
        return [...(reviewsOffered ? CLAUDE_TOOLS.reviews : []), ...CLAUDE_TOOLS.others];
    }

    protected handleEnd(): void {
        if (this.state !== 'closed') {
            clearTimeout(this.listensTimer);
            this.changeState('closed');
            this.onDidChangeStateEmitter.dispose();
            [...this.tabs.values()].forEach(tab => this.giveUp(tab));
        }
    }

    protected changeState(state: CliSessionState): void {
        this.state = state;
        this.onDidChangeStateEmitter.fire(state);
    }
}

/** Counted from 0. */
interface Position {
    readonly line: number;
    readonly character: number;
}

/** The parameters of a notification, see docs/protocol.md. */
type NotificationParams = Record<string, unknown>;

/** For `selection_changed`: this family only gets the active file. Without one, it gets an empty selection. */
function selectionOf(context: IdeContext): NotificationParams {
    const active = context.workspaceState?.openFiles?.find(({ isActive }) => isActive);
    if (!active) {
        return { text: '', selection: null };
    }
    const { path, cursor = { line: 1, character: 1 }, selectedText = '', selection = { start: cursor, end: cursor } } = active;
    return {
        text: selectedText,
        filePath: path,
        fileUrl: FileUri.create(path).toString(),
        selection: { start: fromZero(selection.start), end: fromZero(selection.end), isEmpty: selectedText === '' }
    };
}

/** For `at_mentioned`, counted from 0. @returns `undefined` for a whole file: OpenCode (1.18) takes no mention without lines */
function mentionOf({ path, lines }: Mention): NotificationParams | undefined {
    return lines && { filePath: path, lineStart: lines.first - 1, lineEnd: lines.last - 1 };
}

function fromZero({ line, character }: Position): Position {
    return { line: line - 1, character: character - 1 };
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
    async call(args, session) {
        const answer = await session.openDiff(args.tab_name, args.new_file_path, args.new_file_contents);
        return 'problem' in answer ? failure(answer.problem) : texts(...answer.texts);
    }
};

const closeTabSchema = z.object({ tab_name: z.string().describe('As it was given to openDiff') });

const closeTab: CompanionTool<ClaudeSession, z.infer<typeof closeTabSchema>> = {
    name: 'close_tab',
    description: 'Closes a diff view.',
    schema: closeTabSchema,
    async call({ tab_name }, session) {
        await session.closeTab(tab_name);
        return texts('TAB_CLOSED');
    }
};

const closeAllDiffTabs: CompanionTool<ClaudeSession> = {
    name: 'closeAllDiffTabs',
    description: 'Closes all diff views of this session.',
    schema: z.object({}),
    call: async (_, session) => texts(`CLOSED_${await session.closeAllTabs()}_DIFF_TABS`)
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
