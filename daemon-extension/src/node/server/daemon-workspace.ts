// SPDX-License-Identifier: Apache-2.0

import { defaultApprovalMode } from '../../common/approval-modes';
import { DaemonProblem } from '../../common/daemon-problem';
import { Answer, OpenSessionRequest } from '../../common/qwen-daemon-protocol';
import { ConnectedDaemon, DaemonConnection, loadDaemonSdk, withSlowAgent } from '../connection/daemon-connection';
import { DaemonError, problemOf } from '../connection/daemon-problems';
import { DaemonSession, SessionParts } from '../session/daemon-session';
import { SessionCommands } from '../session/session-commands';
import { UndoCopy } from '../session/turn-undo';

/** The daemon keeps this with a session. So a chat's session is found again even if nobody else remembers it. */
const SOURCE_TYPE = 'theia';

/** One workspace: its connection, and the sessions of its chats. */
export class DaemonWorkspace {
    protected readonly sessions = new Map<string, SessionCommands>();
    /** Daemon sessions by the ids of Theia's chat sessions. */
    protected readonly chats = new Map<string, string>();
    protected readonly opening = new Map<string, Promise<SessionCommands>>();

    constructor(
        readonly connection: DaemonConnection,
        protected readonly parts: Omit<SessionParts, 'connection'> & { newCopy: () => UndoCopy },
        protected readonly isShown: (sessionId: string) => boolean
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

    /** A turn runs or waits in one of its sessions. */
    get isBusy(): boolean {
        return [...this.sessions.values()].some(({ session }) => session.isBusy);
    }

    /** @param problem why, if the pages should know */
    async dispose(problem?: DaemonProblem): Promise<void> {
        this.sessions.forEach(({ session }) => void session.dispose(problem));
        this.sessions.clear();
        await this.connection.dispose(problem);
    }

    protected async find({ chatSessionId, sessionId, approvalMode }: OpenSessionRequest): Promise<SessionCommands> {
        const known = sessionId ?? this.chats.get(chatSessionId);
        const found = known ? await this.revive(known, approvalMode) : await this.findOrMake(chatSessionId, approvalMode);
        this.chats.set(chatSessionId, found.session.sessionId);
        return found;
    }

    protected async findOrMake(chatSessionId: string, approvalMode: string | undefined): Promise<SessionCommands> {
        const daemon = await this.connection.connect();
        try {
            const stored = await this.storedFor(daemon, chatSessionId);
            return await (stored
                ? this.revive(stored, approvalMode)
                : this.create(daemon, chatSessionId, approvalMode ?? defaultApprovalMode));
        } catch (error) {
            if (DaemonError.isOfConnection(error)) {
                this.connection.reportFailure(daemon);
            }
            throw error;
        }
    }

    protected async revive(sessionId: string, approvalMode: string | undefined): Promise<SessionCommands> {
        const mode = await this.parts.modes.forLoading(sessionId, approvalMode);
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

    protected async create(daemon: ConnectedDaemon, chatSessionId: string, approvalMode: string): Promise<SessionCommands> {
        const { DaemonSessionClient: clients } = await loadDaemonSdk();
        const { workspaceCwd } = daemon;
        this.releaseIdle();
        // The default scope shares one session among all clients of the workspace.
        const options = { workspaceCwd, sessionScope: 'thread' as const, approvalMode, sourceType: SOURCE_TYPE, sourceId: chatSessionId };
        const client = await withSlowAgent(async () => {
            this.connection.checkWanted();
            return clients.createOrAttach(daemon.client, options);
        });
        this.connection.checkWanted();
        const made = this.add(client.sessionId, approvalMode);
        await Promise.all([made.session.keepMode(), made.session.begin(client, daemon)]);
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
        const commands = new SessionCommands(session, this.parts.newCopy);
        this.sessions.set(sessionId, commands);
        return commands;
    }

    /** The daemon limits how many are live. What no page shows and where nothing runs is loaded again when it is wanted. */
    protected releaseIdle(): void {
        // Another one that is being opened is shown at once.
        if (this.opening.size === 1) {
            [...this.sessions.values()]
                .filter(({ session }) => !session.isBusy && !this.isShown(session.sessionId))
                .forEach(({ session }) => this.release(session));
        }
    }

    protected release(session: DaemonSession): void {
        this.sessions.delete(session.sessionId);
        void session.dispose();
    }
}
