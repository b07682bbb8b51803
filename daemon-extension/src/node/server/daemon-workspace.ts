// SPDX-License-Identifier: Apache-2.0

import { Disposable, DisposableCollection } from '@theia/core/lib/common/disposable';
import { ApprovalMode, defaultApprovalMode } from '../../common/approval-modes';
import { DaemonCall, DaemonProblem } from '../../common/daemon-problem';
import { Answer, DaemonState } from '../../common/daemon-status';
import { DaemonLimits, OpenSessionRequest, SessionEvents, SessionSummary } from '../../common/qwen-daemon-protocol';
import { ConnectedDaemon, DaemonConnection } from '../connection/daemon-connection';
import { DaemonError, DaemonProblemError, problemOf } from '../connection/daemon-problems';
import { DaemonSession, SessionParts } from '../session/daemon-session';
import { SessionClients } from '../session/session-clients';

/** The daemon keeps this with a session. So a chat's session is found again even if nobody else remembers it. */
const SOURCE_TYPE = 'theia';

/** In milliseconds. */
export const WorkspaceTimings = {
    /** How long a session is kept that no page shows and in which nothing runs. The daemon limits how many are live. */
    idle: 10 * 60_000,
    housekeeping: 60_000
} as const;

export interface FoundSession {
    session: DaemonSession;
    created: boolean;
}

/** One workspace: its connection, and the sessions of its chats. */
export class DaemonWorkspace {
    protected readonly sessions = new Map<string, DaemonSession>();
    /** Daemon sessions by the ids of Theia's chat sessions. */
    protected readonly chats = new Map<string, string>();
    protected readonly opening = new Map<string, Promise<FoundSession>>();
    protected readonly watchers = new Map<string, number>();
    protected readonly idleSince = new Map<string, number>();
    protected housekeeper: NodeJS.Timeout | undefined;
    /** Changes when the daemon is given up. Answers to older requests are then dropped. */
    protected epoch = 0;
    protected gone: DaemonProblem = { code: 'stopping' };

    constructor(
        readonly connection: DaemonConnection,
        protected readonly parts: Omit<SessionParts, 'connection'>
    ) {}

    session(sessionId: string): DaemonSession | undefined {
        return this.sessions.get(sessionId);
    }

    /** Opens one session at a time for a chat: two calls at once would make two sessions. */
    async open(request: OpenSessionRequest, approvalMode?: ApprovalMode): Promise<Answer<FoundSession>> {
        const key = request.sessionId ?? `chat ${request.chatSessionId}`;
        const opening = this.opening.get(key) ?? this.find(request, approvalMode).finally(() => this.opening.delete(key));
        this.opening.set(key, opening);
        return this.answer(opening, 'open-session');
    }

    async list(): Promise<Answer<SessionSummary[]>> {
        return this.answer(this.summaries({ pageSize: DaemonLimits.sessions }), 'list-sessions');
    }

    /** A page shows the session until the result is disposed. */
    watch(session: DaemonSession, tell: (events: SessionEvents) => void): Disposable {
        const count = (difference: number): void => {
            this.watchers.set(session.sessionId, (this.watchers.get(session.sessionId) ?? 0) + difference);
            this.idleSince.set(session.sessionId, Date.now());
        };
        count(1);
        return new DisposableCollection(
            session.log.onDidAppend(tell),
            Disposable.create(() => count(-1))
        );
    }

    /** A turn runs or waits in one of its sessions. */
    get isBusy(): boolean {
        return [...this.sessions.values()].some(session => session.mapper.turns.open().length > 0);
    }

    /** From now on another daemon is used, or none. */
    async reset(state: DaemonState, problem: DaemonProblem): Promise<void> {
        this.epoch++;
        this.gone = problem;
        this.sessions.forEach(session => session.abandon(problem));
        await this.connection.disconnect(state);
    }

    async dispose(): Promise<void> {
        this.epoch++;
        clearInterval(this.housekeeper);
        const sessions = [...this.sessions.values()];
        this.sessions.clear();
        sessions.forEach(session => void session.dispose());
        await this.connection.dispose();
    }

    protected async find(request: OpenSessionRequest, approvalMode: ApprovalMode | undefined): Promise<FoundSession> {
        const known = request.sessionId ?? this.chats.get(request.chatSessionId) ?? (await this.storedFor(request.chatSessionId));
        const found = known
            ? { session: await this.revive(known, approvalMode), created: false }
            : await this.create(request.chatSessionId, approvalMode ?? defaultApprovalMode);
        this.chats.set(request.chatSessionId, found.session.sessionId);
        return found;
    }

    protected async revive(sessionId: string, approvalMode: ApprovalMode | undefined): Promise<DaemonSession> {
        const mode = await this.parts.modes.forLoading(sessionId, approvalMode);
        // Nothing is awaited between these two lines, so two callers get the same session, whichever id they ask by.
        const session = this.sessions.get(sessionId) ?? this.add(sessionId, mode);
        // It is wanted: the housekeeping must not take it away before a page shows it.
        this.idleSince.set(sessionId, Date.now());
        try {
            await session.client();
        } catch (error) {
            if (!session.isLoaded) {
                this.remove(session);
            }
            throw error;
        }
        return session;
    }

    protected async create(chatSessionId: string, approvalMode: ApprovalMode): Promise<FoundSession> {
        const { epoch } = this;
        const daemon = await this.connection.connect();
        const options = { approvalMode, sourceType: SOURCE_TYPE, sourceId: chatSessionId };
        const client = await this.asking(daemon, () => SessionClients.create(daemon, options, () => this.checkEpoch(epoch)));
        this.checkEpoch(epoch);
        const session = this.add(client.sessionId, approvalMode);
        await Promise.all([session.keepMode(), session.begin(client, daemon)]);
        return { session, created: true };
    }

    protected async storedFor(chatSessionId: string): Promise<string | undefined> {
        const found = await this.summaries({ sourceType: SOURCE_TYPE, sourceId: chatSessionId, pageSize: 5 });
        // The daemon should filter. If it did not, a chat would get another chat's session.
        return found.find(summary => summary.chatSessionId === chatSessionId)?.sessionId;
    }

    protected async summaries(options: { pageSize: number; sourceType?: string; sourceId?: string }): Promise<SessionSummary[]> {
        const daemon = await this.connection.connect();
        const sessions = await this.asking(daemon, () => daemon.client.listWorkspaceSessions(daemon.workspaceCwd, options));
        return sessions
            .filter(({ isArchived, parentSessionId }) => !isArchived && !parentSessionId)
            .map(({ sessionId, displayName, createdAt, updatedAt, hasActivePrompt, sourceType, sourceId }) => ({
                sessionId,
                title: this.parts.redactor.redact(titleOf(displayName), DaemonLimits.label),
                updatedAt: Date.parse(updatedAt ?? createdAt ?? '') || 0,
                active: hasActivePrompt === true,
                chatSessionId: sourceType === SOURCE_TYPE ? sourceId : undefined
            }))
            .sort((a, b) => b.updatedAt - a.updatedAt);
    }

    protected add(sessionId: string, approvalMode: string): DaemonSession {
        const session = new DaemonSession(sessionId, approvalMode, { ...this.parts, connection: this.connection });
        this.sessions.set(sessionId, session);
        this.idleSince.set(sessionId, Date.now());
        this.startHousekeeping();
        return session;
    }

    protected remove(session: DaemonSession): void {
        const { sessionId } = session;
        if (this.sessions.get(sessionId) === session) {
            this.sessions.delete(sessionId);
            this.watchers.delete(sessionId);
            this.idleSince.delete(sessionId);
        }
        void session.dispose();
    }

    protected checkEpoch(epoch: number): void {
        if (epoch !== this.epoch) {
            throw new DaemonProblemError(this.gone);
        }
    }

    protected async asking<T>(daemon: ConnectedDaemon, call: () => Promise<T>): Promise<T> {
        try {
            return await call();
        } catch (error) {
            if (DaemonError.isOfConnection(error)) {
                this.connection.reportFailure(daemon);
            }
            throw error;
        }
    }

    protected async answer<T>(value: Promise<T>, call: DaemonCall): Promise<Answer<T>> {
        try {
            return { ok: true, value: await value };
        } catch (error) {
            return { ok: false, problem: problemOf(error, call) };
        }
    }

    protected startHousekeeping(): void {
        this.housekeeper ??= setInterval(() => this.releaseIdle(), WorkspaceTimings.housekeeping);
        this.housekeeper.unref();
    }

    protected releaseIdle(): void {
        for (const [sessionId, session] of this.sessions) {
            const idle = Date.now() - (this.idleSince.get(sessionId) ?? Date.now()) > WorkspaceTimings.idle;
            if (idle && !this.watchers.get(sessionId) && session.mapper.turns.open().length === 0) {
                this.remove(session);
            }
        }
    }
}

/** The daemon names a session by its first prompt, cut at a length of its own. */
function titleOf(displayName = ''): string {
    return displayName.replace(/\s*<editor-context>[^]*$/, '');
}
