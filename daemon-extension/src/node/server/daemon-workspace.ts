// SPDX-License-Identifier: Apache-2.0

import { DaemonSessionClient } from '@qwen-code/sdk/daemon';
import { Disposable } from '@theia/core/lib/common/disposable';
import { Emitter } from '@theia/core/lib/common/event';
import { defaultApprovalMode } from '../../common/approval-modes';
import { DaemonProblem } from '../../common/daemon-problem';
import { Answer, isOnBackendHost, OpenSessionRequest, SessionEvents } from '../../common/qwen-daemon-protocol';
import { ConnectedDaemon, DaemonConnection, withSlowAgent } from '../connection/daemon-connection';
import { DaemonError, problemOf } from '../connection/daemon-problems';
import { DaemonSession, SessionParts } from '../session/daemon-session';
import { SessionCommands } from '../session/session-commands';

/** The daemon keeps this with a session. So a chat's session is found again even if nobody else remembers it. */
const SOURCE_TYPE = 'theia';

/** One workspace: its connection, and the sessions of its chats. */
export class DaemonWorkspace {
    protected readonly sessions = new Map<string, SessionCommands>();
    /** Daemon sessions by the ids of Theia's chat sessions. */
    protected readonly chats = new Map<string, string>();
    protected readonly opening = new Map<string, Promise<SessionCommands>>();
    protected restedAt = -Infinity;
    protected readonly onDidChangeWorkEmitter = new Emitter<void>();
    readonly onDidChangeWork = this.onDidChangeWorkEmitter.event;

    constructor(
        readonly connection: DaemonConnection,
        protected readonly parts: Omit<SessionParts, 'connection'>,
        /** No page has shown a session of it for long, and nothing runs. */
        protected readonly onUnused: () => void
    ) {}

    /** Opens one session at a time for a chat: two calls at once would make two sessions. */
    async open(request: OpenSessionRequest): Promise<Answer<SessionCommands>> {
        const key = request.sessionId ?? `chat ${request.chatSessionId}`;
        const opening = this.opening.get(key) ?? this.find(request).finally(() => this.opening.delete(key));
        this.opening.set(key, opening);
        try {
            return { ok: true, value: await opening };
        } catch (error) {
            return { ok: false, problem: problemOf(error) };
        }
    }

    /** Tells a page what happens in a session, until it leaves. */
    show({ session }: SessionCommands, tell: (events: SessionEvents) => void): Disposable {
        return session.show(tell, () => {
            this.release(session);
            if (!this.hasSessions) {
                this.onUnused();
            }
        });
    }

    get hasSessions(): boolean {
        return this.sessions.size > 0;
    }

    /** When its agent did something last, as `performance.now` counts, infinite while a turn runs; `undefined` if it changes no files here. */
    get activeAt(): number | undefined {
        if (!this.hasSessions || !isOnBackendHost(this.connection.status)) {
            return undefined;
        }
        return [...this.sessions.values()].some(({ session }) => session.isWorking) ? Infinity : this.restedAt;
    }

    /** @param problem why, if the pages should know */
    async dispose(problem?: DaemonProblem): Promise<void> {
        this.sessions.forEach(({ session }) => void session.dispose(problem));
        this.sessions.clear();
        this.onDidChangeWorkEmitter.fire();
        this.onDidChangeWorkEmitter.dispose();
        await this.connection.dispose(problem);
    }

    protected async find({ chatSessionId, sessionId }: OpenSessionRequest): Promise<SessionCommands> {
        const known = sessionId ?? this.chats.get(chatSessionId);
        const found = known ? await this.revive(known) : await this.findOrMake(chatSessionId);
        this.chats.set(chatSessionId, found.session.sessionId);
        return found;
    }

    protected async findOrMake(chatSessionId: string): Promise<SessionCommands> {
        const daemon = await this.connection.connect();
        try {
            const stored = await this.storedFor(daemon, chatSessionId);
            return await (stored ? this.revive(stored) : this.create(daemon, chatSessionId));
        } catch (error) {
            if (DaemonError.isOfConnection(error)) {
                this.connection.reportFailure(daemon);
            }
            throw error;
        }
    }

    protected async revive(sessionId: string): Promise<SessionCommands> {
        const mode = await this.parts.modes.of(sessionId);
        // Nothing is awaited between these two lines, so two callers get the same session, whichever id they ask by.
        const known = this.sessions.get(sessionId) ?? this.add(sessionId, mode);
        const { session } = known;
        try {
            await session.client();
        } catch (error) {
            if (!session.isLoaded) {
                this.release(session);
            }
            throw error;
        }
        return known;
    }

    protected async create(daemon: ConnectedDaemon, chatSessionId: string): Promise<SessionCommands> {
        const { workspaceCwd } = daemon;
        // The default scope shares one session among all clients of the workspace.
        const own = { sessionScope: 'thread' as const, sourceType: SOURCE_TYPE, sourceId: chatSessionId };
        const options = { workspaceCwd, approvalMode: defaultApprovalMode, ...own };
        const client = await withSlowAgent(async () => {
            this.connection.checkWanted();
            return DaemonSessionClient.createOrAttach(daemon.client, options);
        });
        this.connection.checkWanted();
        const made = this.add(client.sessionId, defaultApprovalMode);
        await made.session.begin(client, daemon);
        return made;
    }

    protected async storedFor({ client, workspaceCwd }: ConnectedDaemon, chatSessionId: string): Promise<string | undefined> {
        const found = await client.listWorkspaceSessions(workspaceCwd, { sourceType: SOURCE_TYPE, sourceId: chatSessionId, pageSize: 5 });
        // The daemon should filter. If it did not, a chat would get another chat's session.
        return found.find(
            one => one.sourceType === SOURCE_TYPE && one.sourceId === chatSessionId && !one.isArchived && !one.parentSessionId
        )?.sessionId;
    }

    protected add(sessionId: string, approvalMode: string): SessionCommands {
        const session = new DaemonSession(sessionId, approvalMode, { ...this.parts, connection: this.connection });
        const commands = new SessionCommands(session);
        this.sessions.set(sessionId, commands);
        session.log.onDidAppend(({ events }) => {
            // One that waited begins with a shorter queue.
            if (events.some(({ kind }) => kind === 'turn' || kind === 'queue' || kind === 'end')) {
                this.restedAt = performance.now();
                this.onDidChangeWorkEmitter.fire();
            }
        });
        this.onDidChangeWorkEmitter.fire();
        return commands;
    }

    protected release(session: DaemonSession): void {
        this.sessions.delete(session.sessionId);
        void session.dispose();
        this.onDidChangeWorkEmitter.fire();
    }
}
