// SPDX-License-Identifier: Apache-2.0

import * as path from 'path';
import { DaemonSessionClient } from '@qwen-code/sdk/daemon';
import { Disposable } from '@theia/core/lib/common/disposable';
import { Emitter, Event } from '@theia/core/lib/common/event';
import { FileUri } from '@theia/core/lib/common/file-uri';
import { ILogger } from '@theia/core/lib/common/logger';
import { EnvVariablesServer } from '@theia/core/lib/common/env-variables';
import { inject, injectable, named, postConstruct } from '@theia/core/shared/inversify';
import { DaemonProblem } from '../../common/daemon-problem';
import { Answer, DaemonStatus, OpenSessionRequest, SessionEvents } from '../../common/qwen-daemon-protocol';
import { DaemonSettings, DaemonTarget } from '../config/daemon-settings';
import { ConnectedDaemon, DaemonConnection, defaultConnectionTimings, withSlowAgent } from '../connection/daemon-connection';
import { DaemonError, DaemonProblemError, problemOf } from '../connection/daemon-problems';
import { Redactor } from '../config/redactor';
import { DaemonProcess } from '../process/daemon-process';
import { ChosenModes } from '../session/chosen-modes';
import { defaultStreamTimings } from '../session/session-stream';
import { defaultApprovalMode } from '../../common/approval-modes';
import { DaemonSession, SessionParts } from '../session/daemon-session';
import { SessionCommands } from '../session/session-commands';

const MODES = 'qwen-daemon-modes';

/** As long as the daemon keeps a session of which no client wants to hear. */
const UNUSED_MS = 1_800_000;

/** A page. */
export interface WorkspaceUser {
    /** Real, absolute path of the folder that it trusts and works in. */
    readonly worksIn: string | undefined;
}

/** Every workspace whose daemon somebody asked for. Lives as long as the backend; does nothing before the first request. */
@injectable()
export class DaemonWorkspaces {
    @inject(DaemonSettings)
    protected readonly settings: DaemonSettings;

    @inject(EnvVariablesServer)
    protected readonly environment: EnvVariablesServer;

    @inject(ILogger)
    @named('qwen-daemon:DaemonWorkspaces')
    protected readonly logger: ILogger;

    readonly users = new Set<WorkspaceUser>();
    protected readonly onDidChangeStatusEmitter = new Emitter<void>();
    readonly onDidChangeStatus: Event<void> = this.onDidChangeStatusEmitter.event;

    /** A product or a test may have others. */
    protected readonly timings = { connection: defaultConnectionTimings, stream: defaultStreamTimings, unusedMs: UNUSED_MS };

    protected readonly workspaces = new Map<string, DaemonWorkspace>();
    protected readonly redactor = new Redactor();
    protected readonly modes = new ChosenModes(() => this.folder(MODES));
    protected target: string | undefined;
    protected sequence = 0;
    protected stopped = false;

    @postConstruct()
    protected init(): void {
        this.settings.onDidChange(() => void this.reconfigure());
        this.modes.removeOld().catch(error => this.logger.warn('Old files of earlier sessions could not be removed', error));
    }

    /**
     * @param root real, absolute path
     * @throws if the backend stops
     */
    workspace(root: string): DaemonWorkspace {
        const known = this.workspaces.get(root);
        if (known) {
            return known;
        }
        if (this.stopped) {
            throw new DaemonProblemError({ code: 'daemon-lost' });
        }
        const connection = new DaemonConnection(root, {
            target: () => this.resolve(),
            newProcess: command => new DaemonProcess(command, root, this.redactor, line => this.logger.debug(line)),
            redactor: this.redactor,
            logger: this.logger,
            timings: this.timings.connection
        });
        connection.onDidChangeStatus(() => this.onDidChangeStatusEmitter.fire());
        const parts = {
            redactor: this.redactor,
            modes: this.modes,
            debug: (message: string) => void this.logger.debug(message),
            stream: this.timings.stream,
            unusedMs: this.timings.unusedMs
        };
        const workspace = new DaemonWorkspace(connection, parts, () => this.endUnused(root));
        this.workspaces.set(root, workspace);
        return workspace;
    }

    /** A page says that the root is not trusted, or it was the last to show a session. If no page works in it, what runs there ends now. */
    endUnused(root: string): void {
        if (![...this.users].some(({ worksIn }) => worksIn === root)) {
            this.end(root);
        }
    }

    isEnabled(): Promise<boolean> {
        return this.settings.isEnabled();
    }

    /** @param root real, absolute path; `undefined` if no folder is open */
    async status(root: string | undefined): Promise<DaemonStatus> {
        const enabled = await this.settings.isEnabled();
        const sequence = ++this.sequence;
        if (!enabled) {
            return { sequence, state: 'off', warnings: [] };
        }
        if (root === undefined) {
            return { sequence, state: 'refused', problem: { code: 'no-workspace' }, warnings: [] };
        }
        const known = this.workspaces.get(root)?.connection.status;
        return known ? { ...known, sequence } : { sequence, state: 'idle', workspaceCwd: root, warnings: [] };
    }

    /** Ends the managed daemons before the first `await`: at the end of a process nothing else is certain to run. */
    async stop(): Promise<void> {
        this.stopped = true;
        await Promise.all([...this.workspaces.values()].map(workspace => workspace.dispose()));
        this.workspaces.clear();
    }

    /** Whoever still holds the workspace can start nothing in it any more. */
    protected end(root: string, problem?: DaemonProblem): void {
        const workspace = this.workspaces.get(root);
        this.workspaces.delete(root);
        workspace?.dispose(problem).catch(error => this.logger.warn('A daemon could not be ended', error));
    }

    protected async resolve(): Promise<DaemonTarget> {
        const target = await this.settings.resolve();
        this.target = JSON.stringify(target);
        return target;
    }

    /** A preference changed: disconnects every workspace that is connected to another daemon than the preferences now name. */
    protected async reconfigure(): Promise<void> {
        if (this.target !== undefined) {
            const before = this.target;
            const target = await this.resolve();
            if (this.target !== before) {
                const problem: DaemonProblem = { code: target.kind === 'off' ? 'off' : 'daemon-lost' };
                [...this.workspaces.keys()].forEach(root => this.end(root, problem));
            }
        }
        this.onDidChangeStatusEmitter.fire();
    }

    /** In the IDE's configuration folder. */
    protected async folder(name: string): Promise<string> {
        return path.join(FileUri.fsPath(await this.environment.getConfigDirUri()), name);
    }
}

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
            if (this.sessions.size === 0) {
                this.onUnused();
            }
        });
    }

    /** @param problem why, if the pages should know */
    async dispose(problem?: DaemonProblem): Promise<void> {
        this.sessions.forEach(({ session }) => void session.dispose(problem));
        this.sessions.clear();
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
        return commands;
    }

    protected release(session: DaemonSession): void {
        this.sessions.delete(session.sessionId);
        void session.dispose();
    }
}
