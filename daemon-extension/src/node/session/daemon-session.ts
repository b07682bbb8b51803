// SPDX-License-Identifier: Apache-2.0

import type { DaemonSessionClient } from '@qwen-code/sdk/daemon';
import { DaemonProblem } from '../../common/daemon-problem';
import { Answer } from '../../common/daemon-status';
import { PromptAccepted, SessionInfo, SessionPrompt } from '../../common/qwen-daemon-protocol';
import { SessionEvent, SessionState } from '../../common/session-events';
import { ConnectedDaemon } from '../connection/daemon-connection';
import { DaemonError, DaemonProblemError, problemOf } from '../connection/daemon-problems';
import { Redactor } from '../config/redactor';
import { DaemonEnvelope } from './event-payloads';
import { EventLog } from './event-log';
import { EventMapper } from './event-mapper';
import { ChosenModes } from './chosen-modes';
import { HeldEvents } from './held-events';
import { KeptEdits } from './kept-edits';
import { SessionClients } from './session-clients';
import { SessionCommands } from './session-commands';
import { SessionContext } from './session-context';
import { SessionMappers } from './session-mappers';
import { SessionReplay } from './session-replay';
import { SessionSignals } from './session-signals';
import { SessionStream, StreamConnection, StreamTimings } from './session-stream';
import { UndoSubject } from './turn-undo';
import { UndoCopies } from './undo-copies';
import { WaitingWatch } from './waiting-watch';

/** What a session needs of the backend around it. */
export interface SessionParts {
    connection: StreamConnection;
    redactor: Redactor;
    modes: ChosenModes;
    copies: UndoCopies;
    debug: (message: string) => void;
    stream: StreamTimings;
    /** Milliseconds without a word until a turn counts as waiting. */
    waiting: number;
}

/**
 * One daemon session of one chat: its client, its stream, its log of events and its commands. It survives pages, cuts and restarts of
 * the daemon. After a restart it is loaded again with a new client, because the old client's cursor is useless.
 */
export class DaemonSession {
    readonly log: EventLog;
    readonly commands: SessionCommands;
    state: SessionState = 'live';
    chosenModeId: string;
    context = SessionContext.empty;

    protected readonly mappers: SessionMappers;
    protected readonly watch: WaitingWatch;
    protected mapperNow: EventMapper;
    protected clientNow: DaemonSessionClient | undefined;
    protected daemon: ConnectedDaemon | undefined;
    protected stream: SessionStream | undefined;
    protected loading: Promise<void> | undefined;
    protected readonly signals = this.newSignals();
    protected readonly held = new HeldEvents(event => this.tell(event));
    /** Changes when the session is given up. Answers to older requests are then dropped and start nothing. */
    protected life = 0;
    protected gone: DaemonProblem | undefined;
    protected disposed = false;

    constructor(
        readonly sessionId: string,
        chosenModeId: string,
        protected readonly parts: SessionParts
    ) {
        this.chosenModeId = chosenModeId;
        this.log = new EventLog(sessionId, parts.redactor);
        this.mappers = new SessionMappers(parts.redactor, parts.debug, {
            chosenModeId: () => this.chosenModeId,
            chooseMode: modeId => {
                this.chosenModeId = modeId;
                void this.keepMode();
            }
        });
        this.mapperNow = this.mappers.create();
        this.commands = new SessionCommands(this, this.mappers.own, parts.redactor);
        this.watch = new WaitingWatch(parts.waiting, this, event => this.log.append(event));
    }

    get mapper(): EventMapper {
        return this.mapperNow;
    }

    get edits(): KeptEdits {
        return this.mappers.edits;
    }

    get undoSubject(): UndoSubject {
        return { turns: this.mapperNow.turns, edits: this.edits, copies: this.parts.copies, folder: this.workspaceCwd };
    }

    get workspaceCwd(): string {
        return this.clientNow?.workspaceCwd ?? '';
    }

    /** @param created by this backend, just now */
    info(created: boolean): SessionInfo {
        const { traits } = this.mapperNow;
        return {
            sessionId: this.sessionId,
            workspaceCwd: this.workspaceCwd,
            created,
            state: this.state,
            title: traits.title,
            models: this.context.models,
            currentModelId: traits.modelId,
            modes: this.context.modes,
            currentModeId: traits.modeId,
            chosenModeId: this.chosenModeId
        };
    }

    /** Whether it ever was. */
    get isLoaded(): boolean {
        return this.clientNow !== undefined;
    }

    /** Begins with a client that was just made. */
    begin(client: DaemonSessionClient, daemon: ConnectedDaemon): Promise<void> {
        return this.track(this.adopt(client, daemon, this.life));
    }

    /** Loads a session again that is lost, closed or out of step. Rejects with a {@link DaemonProblemError}. */
    reload(): Promise<void> {
        return this.loading ?? this.track(this.load(this.life));
    }

    /** The client to ask. Loads the session again if it is lost or closed. */
    async client(): Promise<DaemonSessionClient> {
        if (this.loading || this.state === 'lost' || this.state === 'closed' || !this.clientNow) {
            await this.reload();
        }
        return this.clientNow!;
    }

    sendPrompt(prompt: SessionPrompt): Promise<Answer<PromptAccepted>> {
        this.watch.touch();
        return this.commands.sendPrompt(prompt);
    }

    /** A prompt was handed over, or could not be: releases the events that were held back for it. */
    admitted(client: DaemonSessionClient): void {
        this.mappers.noteClient(client);
        if (client === this.clientNow) {
            this.held.release();
        }
    }

    /** A request got no answer, or the daemon refused its token, as after a restart of the daemon. */
    reportFailure(error: unknown): void {
        if (this.daemon && DaemonError.isOfConnection(error)) {
            this.parts.connection.reportFailure(this.daemon);
        }
    }

    /** Lets go of the daemon's session. It goes on there and can be loaded again. */
    async dispose(): Promise<void> {
        this.disposed = true;
        this.endLife({ code: 'stopping' });
        this.watch.dispose();
        this.log.dispose();
        await this.clientNow?.detach().catch(() => undefined);
    }

    /** The daemon is given up, for example because the user switched it off. */
    abandon(problem: DaemonProblem): void {
        this.endLife(problem);
        this.lose('lost', problem);
    }

    announce(event: SessionEvent): void {
        this.log.append(event);
    }

    /** The user chose a mode, so the page compares the daemon's mode with another one now. */
    announceMode(modeId: string): void {
        this.log.append(this.mapperNow.traits.mode(modeId));
    }

    async keepMode(): Promise<void> {
        try {
            await this.parts.modes.keep(this.sessionId, this.chosenModeId);
        } catch (error) {
            this.parts.debug(`The chosen mode was not kept: ${(error as NodeJS.ErrnoException).code}`);
        }
    }

    /** Ends a turn of which the daemon says no end, if nothing runs there any more. */
    async endIfIdle(turnId: string): Promise<void> {
        const status = await this.clientNow?.status().catch(() => undefined);
        if (status && !status.hasActivePrompt && status.activeWorkState !== 'active') {
            this.log.append(...this.mapperNow.end({ kind: 'end', turnId, outcome: 'completed' }));
        }
    }

    protected endLife(problem: DaemonProblem): void {
        this.life++;
        this.gone = problem;
        this.loading = undefined;
        this.stream?.stop();
    }

    protected checkLife(life: number): void {
        if (life !== this.life) {
            throw new DaemonProblemError(this.gone ?? { code: 'stopping' });
        }
    }

    protected track(loading: Promise<void>): Promise<void> {
        const tracked = loading.finally(() => {
            this.loading = this.loading === tracked ? undefined : this.loading;
        });
        this.loading = tracked;
        return tracked;
    }

    protected async adopt(client: DaemonSessionClient, daemon: ConnectedDaemon, life: number): Promise<void> {
        this.stream?.stop();
        const unfinished = this.mapperNow.turns.open();
        this.clientNow = client;
        this.daemon = daemon;
        this.mappers.noteClient(client);
        const pending = await SessionReplay.pendingPrompts(client);
        this.checkLife(life);
        // At once: a page that reads meanwhile must find the old log whole, or the new one.
        this.held.forget();
        this.mapperNow = this.mappers.create();
        this.log.restart();
        SessionReplay.tell(client, this.mapperNow, this.log, { unfinished, pending });
        await this.refreshContext(client, daemon, life);
        this.checkLife(life);
        this.state = 'live';
        this.log.append({ kind: 'session', state: 'live' });
        this.startStream(client, daemon);
    }

    protected async load(life: number): Promise<void> {
        this.stream?.stop();
        try {
            const daemon = await this.parts.connection.connect();
            const client = await SessionClients.load(daemon, this.sessionId, this.chosenModeId, () => this.checkLife(life));
            this.checkLife(life);
            await this.adopt(client, daemon, life);
        } catch (error) {
            this.checkLife(life);
            const problem = problemOf(error, 'load-session');
            this.reportFailure(error);
            this.lose('lost', problem);
            throw new DaemonProblemError(problem);
        }
    }

    protected async refreshContext(client: DaemonSessionClient, daemon: ConnectedDaemon, life: number): Promise<void> {
        try {
            const context = SessionContext.parse(await client.context());
            if (life !== this.life) {
                return;
            }
            this.context = context;
            const { traits } = this.mapperNow;
            traits.modelId = this.context.currentModelId ?? traits.modelId;
            this.log.append(...(this.context.currentModeId ? traits.changeMode(this.context.currentModeId) : []));
        } catch (error) {
            // The chat works without the lists of models and modes.
            this.parts.debug(`No context: ${DaemonError.status(error) ?? 'no answer'}`);
            if (DaemonError.isNetwork(error)) {
                this.parts.connection.reportFailure(daemon);
            }
        }
    }

    protected startStream(client: DaemonSessionClient, daemon: ConnectedDaemon): void {
        this.stream?.stop();
        const stream = new SessionStream(
            client,
            daemon,
            this.parts.connection,
            {
                receive: event => this.receive(event),
                interrupted: () => this.change('reconnecting'),
                resumed: () => this.change('live'),
                reload: () => void this.reload().catch(() => undefined),
                lost: problem => this.lose('lost', problem),
                malformed: () => this.log.append({ kind: 'notice', notice: { code: 'unreadable' } })
            },
            this.parts.stream
        );
        this.stream = stream;
        void stream.run();
    }

    protected receive(event: DaemonEnvelope): void {
        this.watch.touch();
        const unknown = event.promptId !== undefined && !this.mapperNow.turns.knows(event.promptId);
        this.held.take(event, unknown && this.commands.isAdmitting && this.mappers.isOwn(event.originatorClientId));
    }

    protected tell(event: DaemonEnvelope): void {
        if (!this.signals.take(event)) {
            this.log.append(...this.mapperNow.map(event));
        }
    }

    protected newSignals(): SessionSignals {
        const { sessionId, parts } = this;
        return new SessionSignals({
            sessionId,
            died: (problem, daemonEnds) => {
                this.stream?.stop();
                this.lose('lost', problem);
                if (daemonEnds && this.daemon) {
                    parts.connection.reportFailure(this.daemon);
                }
            },
            closed: problem => {
                this.stream?.stop();
                this.lose('closed', problem);
            },
            outOfStep: () => void this.reload().catch(() => undefined),
            redactError: (text, limit) => parts.redactor.redactError(text, limit),
            debug: message => parts.debug(message)
        });
    }

    protected lose(state: 'lost' | 'closed', problem: DaemonProblem): void {
        if (!this.disposed) {
            this.log.append(...this.mapperNow.endTurns('lost', problem));
            this.change(state, problem);
        }
    }

    protected change(state: SessionState, problem?: DaemonProblem): void {
        if (this.state !== state || problem) {
            this.state = state;
            this.log.append({ kind: 'session', state, problem });
        }
    }
}
