// SPDX-License-Identifier: Apache-2.0

import { randomUUID } from 'crypto';
import { Emitter } from '@theia/core/lib/common/event';
import { FileUri } from '@theia/core/lib/common/file-uri';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import {
    CallToolRequestSchema,
    CallToolResult,
    ErrorCode,
    ListToolsRequestSchema,
    McpError,
    Tool
} from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod/v4';
import { FileDiagnostics, Mention } from '../../common/companion-protocol';
import { IdeContext } from '../../common/ide-context';
import { PeerProcess } from '../host/process-table';
import { CliSession, CompanionNotification, SessionState, ToldToSession } from '../mcp/cli-session';
import { toolFailure } from '../mcp/diff-tools';
import { ReviewOutcome } from '../review/review';
import { mentionOf, selectionOf } from './claude-context';
import { ClaudeToolHandler, claudeTools, rejected, saved } from './claude-tools';
import type { SocketTransport } from './socket-transport';

/** What a session needs of the window that its CLI runs in. */
export interface SessionWindow {
    readonly reviewsOffered: boolean;
    /** From now on the session counts as one of the window's, and learns its context. */
    join(session: CliSession): void;
    /** @returns why the diff cannot be shown, or `undefined` if it is shown or will be when a page comes */
    openDiff(owner: CliSession, filePath: string, newContent: string): Promise<string | undefined>;
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
    settle(result: CallToolResult): void;
}

/** A notification that comes sooner after the handshake than this, in milliseconds, may be lost (Claude Code 2.1.330: 600). */
const LISTENS_AFTER = 1_000;

/** How long a client may take to tell its folder, in milliseconds. */
const ROOTS_LIMIT = 1_000;

/** One connection of one CLI: the tools and notifications of Claude's family over the reviews and the context of a window. */
export class ClaudeSession implements CliSession, ClaudeToolHandler {
    readonly id = randomUUID();
    readonly since = Date.now();
    gaveUp = false;

    protected currentState: SessionState = 'initialised';
    protected readonly server: McpServer;
    protected readonly found: Promise<FoundCli>;
    protected foundNow: FoundCli | undefined;
    protected readonly tabs = new Map<string, OpenTab>();
    /** The context that the client is to learn next. */
    protected owed: IdeContext | undefined;
    protected lastTold: ToldToSession | undefined;
    protected listensTimer: NodeJS.Timeout | undefined;

    protected readonly onDidChangeStateEmitter = new Emitter<SessionState>();
    readonly onDidChangeState = this.onDidChangeStateEmitter.event;

    /** @param find the window in which the client runs, once it has said its name. `undefined` if there is none: the session ends. */
    constructor(
        protected readonly transport: SocketTransport,
        serverInfo: { name: string; version: string },
        find: (clientName: string) => Promise<FoundCli | undefined>
    ) {
        this.server = new McpServer(serverInfo);
        this.found = new Promise(resolve => {
            const belong = async (clientName: string): Promise<void> => {
                // Only once, however often the client says so.
                this.server.server.oninitialized = undefined;
                const found = await find(clientName).catch(() => undefined);
                if (!found || this.currentState === 'closed') {
                    await this.close();
                    return;
                }
                this.foundNow = found;
                found.window.join(this);
                resolve(found);
                this.listensTimer = setTimeout(() => this.listens(), LISTENS_AFTER).unref();
            };
            this.server.server.oninitialized = () => void belong(this.server.server.getClientVersion()?.name ?? '');
        });
        this.server.server.onclose = () => this.ended();
        transport.ondrain = () => this.tell();
        this.serveTools();
    }

    get cliId(): string {
        return this.foundNow?.cliId ?? '';
    }

    get peer(): PeerProcess | undefined {
        return this.foundNow?.peer;
    }

    get state(): SessionState {
        return this.currentState;
    }

    get gone(): boolean {
        return this.currentState === 'closed';
    }

    get told(): ToldToSession | undefined {
        return this.lastTold;
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
        const asked = this.server.server.listRoots(undefined, { timeout: ROOTS_LIMIT }).catch(() => ({ roots: [] }));
        const uri = (await asked).roots[0]?.uri;
        return uri === undefined ? undefined : FileUri.fsPath(uri);
    }

    notify(notification: CompanionNotification): boolean {
        if (this.currentState === 'closed') {
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
        const params = mentions.flatMap(mention => mentionOf(mention) ?? []);
        if (this.currentState !== 'streaming' || params.length < mentions.length) {
            return false;
        }
        params.forEach(each => this.send('at_mentioned', { ...each }));
        return true;
    }

    async openDiff(tabName: string, filePath: string, newContent: string): Promise<CallToolResult> {
        // The CLI asks anew, and waits for no earlier answer.
        [...this.tabs.values()].filter(tab => tab.name === tabName || tab.filePath === filePath).forEach(tab => this.giveUp(tab));
        const answer = new Promise<CallToolResult>(resolve => this.tabs.set(tabName, { name: tabName, filePath, settle: resolve }));
        // Only now: a `close_tab` that came with it must find it.
        const problem = await (await this.found).window.openDiff(this, filePath, newContent);
        if (problem !== undefined && this.tabs.delete(tabName)) {
            return toolFailure(problem);
        }
        return answer;
    }

    /** The CLI also closes what was answered here: nothing is open then. */
    async closeTab(tabName: string): Promise<void> {
        const tab = this.tabs.get(tabName);
        if (tab) {
            await this.closeDiff(tab, true);
        }
    }

    async closeAllTabs(): Promise<number> {
        const all = [...this.tabs.values()];
        await Promise.all(all.map(tab => this.closeDiff(tab, false)));
        return all.length;
    }

    async diagnostics(uri: string | undefined): Promise<readonly FileDiagnostics[]> {
        return (await this.found).window.diagnostics(uri);
    }

    /** An answer is sent at once, or never. */
    forgetOutcomes(): void {}

    takeUndelivered(): ReviewOutcome[] {
        return [];
    }

    async close(): Promise<void> {
        this.ended();
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
        tab.settle(rejected(tab.name));
    }

    protected answer(outcome: ReviewOutcome): boolean {
        const tab = [...this.tabs.values()].find(({ filePath }) => filePath === outcome.params.filePath);
        if (!tab) {
            return false;
        }
        this.tabs.delete(tab.name);
        tab.settle(outcome.method === 'ide/diffAccepted' ? saved(outcome.params.content) : rejected(tab.name));
        return true;
    }

    protected listens(): void {
        this.changeState('streaming');
        this.tell();
    }

    /** Only the newest context waits for a client that does not read. */
    protected tell(): void {
        if (this.owed && this.currentState === 'streaming' && this.transport.isReading) {
            const context = this.owed;
            this.owed = undefined;
            this.send('selection_changed', { ...selectionOf(context) });
            this.lastTold = { context, at: Date.now() };
        }
    }

    protected send(method: string, params: Record<string, unknown>): void {
        // It fails if the connection has just ended, which is told in another way.
        this.server.server.notification({ method, params }).catch(() => undefined);
    }

    protected serveTools(): void {
        const tools = async (): Promise<ReturnType<typeof claudeTools>> => claudeTools((await this.found).window.reviewsOffered);
        this.server.server.registerCapabilities({ tools: {} });
        this.server.server.setRequestHandler(ListToolsRequestSchema, async () => ({
            tools: (await tools()).map(({ name, description, schema }) => ({
                name,
                description,
                inputSchema: z.toJSONSchema(schema) as Tool['inputSchema']
            }))
        }));
        this.server.server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
            const tool = (await tools()).find(({ name }) => name === params.name);
            if (!tool) {
                throw new McpError(ErrorCode.InvalidParams, `Unknown tool: ${params.name}`);
            }
            const parsed = tool.schema.safeParse(params.arguments ?? {});
            return parsed.success ? tool.call(parsed.data, this) : toolFailure(`${tool.name}: ${z.prettifyError(parsed.error)}`);
        });
    }

    protected ended(): void {
        if (this.currentState !== 'closed') {
            clearTimeout(this.listensTimer);
            this.changeState('closed');
            this.onDidChangeStateEmitter.dispose();
            [...this.tabs.values()].forEach(tab => this.giveUp(tab));
        }
    }

    protected changeState(state: SessionState): void {
        this.currentState = state;
        this.onDidChangeStateEmitter.fire(state);
    }
}
