// SPDX-License-Identifier: Apache-2.0

import { DaemonSessionClient } from '@qwen-code/sdk/daemon';
import { Disposable } from '@theia/core/lib/common/disposable';
import { z } from 'zod/v4';
import { DaemonProblem } from '../../common/daemon-problem';
import { EndEvent, SessionEvents, SessionInfo, DaemonSessionState } from '../../common/qwen-daemon-protocol';
import { ConnectedDaemon, DaemonConnection, withSlowAgent } from '../connection/daemon-connection';
import { DaemonError, DaemonProblemError, problemOf } from '../connection/daemon-problems';
import { Redactor } from '../config/redactor';
import { DaemonEnvelope, noContext, payloads, SessionContext, sessionContext } from './event-payloads';
import { EventLog } from './event-log';
import { EventMapper, MapperContext } from './event-mapper';
import { ChosenModes } from './chosen-modes';
import { KeptEdits } from './tool-calls';
import { SessionStream, StreamListener, StreamTimings } from './session-stream';
import { TurnIds } from './turn-ids';
import { TurnList } from './turn-list';

/** How turns ended. The daemon keeps it even where the turn's end is not among the events; the client library's types do not know it. */
const withTerminals = z.object({
    promptTerminals: z.array(
        z.object({
            promptId: z.string(),
            terminal: z.string(),
            stopReason: z.string().optional()
        })
    )
});
type PromptTerminal = z.infer<typeof withTerminals>['promptTerminals'][number];

/** One answer may be older than a prompt that has just been taken. */
const IDLE_PROBES = 2;

export interface SessionParts {
    connection: DaemonConnection;
    redactor: Redactor;
    modes: ChosenModes;
    debug: (message: string) => void;
    stream: StreamTimings;
    /** In milliseconds: how long a session is kept that no page shows and in which nothing runs. */
    unusedMs: number;
}

/**
 * One daemon session of one chat: its client, its stream and its log of events. It survives pages, cuts and restarts of
 * the daemon. After a restart it is loaded again with a new client, because the old client's cursor is useless.
 */
export class DaemonSession implements MapperContext, StreamListener {
    readonly redactor: Redactor;
    readonly debug: (message: string) => void;
    readonly log: EventLog;
    /** Live only while its events arrive here. */
    state: DaemonSessionState = 'lost';
    chosenModeId: string;
    context: SessionContext = noContext;

    /** A session that is loaded again does not tell the texts of longer edits. */
    readonly edits: KeptEdits;
    readonly ids = new TurnIds();
    /** The daemon gives each client an id, and a new one if it has forgotten the client. */
    protected readonly ownClients = new Set<string>();
    /** Another one whenever the session is loaded. */
    mapper: EventMapper;
    protected clientNow: DaemonSessionClient | undefined;
    protected daemon: ConnectedDaemon | undefined;
    protected stream: SessionStream | undefined;
    protected loading: Promise<void> | undefined;
    /** In a row: answers of the daemon that nothing runs. */
    protected idleProbes = 0;
    protected readonly pages = new Set<unknown>();
    protected unused: NodeJS.Timeout | undefined;
    /** Why it was disposed. Answers that come later are dropped and start nothing. */
    gone: DaemonProblem | undefined;

    constructor(
        readonly sessionId: string,
        chosenModeId: string,
        protected readonly parts: SessionParts
    ) {
        this.chosenModeId = chosenModeId;
        this.redactor = parts.redactor;
        this.debug = parts.debug;
        this.log = new EventLog(sessionId);
        this.edits = new KeptEdits(parts.redactor);
        this.mapper = this.newMapper();
    }

    get workspaceCwd(): string {
        return this.clientNow?.workspaceCwd ?? '';
    }

    info(): SessionInfo {
        const { traits } = this.mapper;
        return {
            sessionId: this.sessionId,
            workspaceCwd: this.workspaceCwd,
            state: this.state,
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

    get isWorking(): boolean {
        return this.mapper.turns.working.length > 0;
    }

    /** Tells a page what happens, until it leaves. Some time after the last page, a session in which nothing runs ends here. */
    show(tell: (events: SessionEvents) => void, onUnused: () => void): Disposable {
        clearInterval(this.unused);
        this.pages.add(tell);
        const listener = this.log.onDidAppend(tell);
        return Disposable.create(() => {
            listener.dispose();
            if (this.pages.delete(tell) && this.pages.size === 0 && !this.gone) {
                this.unused = setInterval(() => this.mapper.turns.open.length === 0 && onUnused(), this.parts.unusedMs).unref();
            }
        });
    }

    /** Rejects with a {@link DaemonProblemError}; then it is lost, and {@link client} loads it. */
    begin(client: DaemonSessionClient, daemon: ConnectedDaemon): Promise<void> {
        return this.track(this.orLose(() => this.adopt(client, daemon)));
    }

    /** Loads a session again that is lost or out of step. Rejects with a {@link DaemonProblemError}. */
    reload(): Promise<void> {
        return this.loading ?? this.track(this.orLose(() => this.load()));
    }

    /** The client to ask. Waits for a daemon that is just being got back, and loads the session again if it is lost. */
    async client(): Promise<DaemonSessionClient> {
        if (this.loading || this.state === 'lost' || (await this.parts.connection.connect()) !== this.daemon) {
            await this.reload();
        }
        return this.clientNow!;
    }

    /** A request got no answer, or the daemon refused its token, as after a restart of the daemon. */
    reportFailure(error: unknown): void {
        if (this.daemon && DaemonError.isOfConnection(error)) {
            this.parts.connection.reportFailure(this.daemon);
        }
    }

    /**
     * Lets go of the daemon's session. It goes on there and can be loaded again, as another object.
     *
     * @param problem why the daemon is given up, if it is: the pages should know, and the daemon is told nothing more
     */
    async dispose(problem?: DaemonProblem): Promise<void> {
        this.gone = problem ?? { code: 'daemon-lost' };
        clearInterval(this.unused);
        this.stream?.stop();
        if (problem) {
            this.lose(problem);
        }
        this.log.dispose();
        if (!problem) {
            await this.clientNow?.detach().catch(() => undefined);
        }
    }

    async keepMode(): Promise<void> {
        try {
            await this.parts.modes.keep(this.sessionId, this.chosenModeId);
        } catch (error) {
            this.debug(`The chosen mode was not kept: ${(error as NodeJS.ErrnoException).code}`);
        }
    }

    /**
     * The daemon has said nothing for a while. A model that is busy or unreachable is tried again by the daemon without a word (Qwen Code
     * 0.24). A tool that runs and a question to the user are no such silence. If nothing runs there, twice, then no end will come: of a
     * schedule's turn the daemon says none, and another one may have been lost.
     *
     * @param works whether anything runs there
     */
    silent(works: boolean): void {
        const { turns, permissions, tools } = this.mapper;
        this.idleProbes = works ? 0 : this.idleProbes + 1;
        const { running } = turns;
        if (this.idleProbes >= IDLE_PROBES) {
            // The next turn begins with none.
            this.idleProbes = 0;
            this.log.append(...this.mapper.endWork());
        } else if (running !== undefined && !turns.isUnnamed(running) && permissions.size === 0 && !tools.hasRunning(running)) {
            this.log.append({ kind: 'waiting', turnId: running });
        }
    }

    protected checkWanted(): void {
        if (this.gone) {
            throw new DaemonProblemError(this.gone);
        }
    }

    protected track(loading: Promise<void>): Promise<void> {
        const tracked = loading.finally(() => {
            this.loading = this.loading === tracked ? undefined : this.loading;
        });
        this.loading = tracked;
        return tracked;
    }

    protected async adopt(client: DaemonSessionClient, daemon: ConnectedDaemon): Promise<void> {
        this.stream?.stop();
        this.clientNow = client;
        this.daemon = daemon;
        // At once: a page that reads meanwhile must find the old log whole, or the new one.
        this.replay(client);
        this.context = sessionContext.safeParse(await client.context()).data ?? noContext;
        this.checkWanted();
        const { traits } = this.mapper;
        traits.modelId = this.context.currentModelId ?? traits.modelId;
        this.log.append(...(this.context.currentModeId ? traits.changeMode(this.context.currentModeId) : []));
        this.state = 'live';
        this.log.append({ kind: 'session', state: 'live' });
        this.stream = new SessionStream(client, daemon, this.parts.connection, this, this.parts.stream);
        void this.stream.run();
    }

    /** Begins the log again with what a loaded session brings with it: its history, the running turn so far, and how its turns ended. */
    protected replay(client: DaemonSessionClient): void {
        const { turns: before } = this.mapper;
        const firsts = this.log.read().filter(event => event.kind === 'turn');
        this.mapper = this.newMapper();
        this.log.restart();
        const { mapper, log } = this;
        const { turns } = mapper;
        const terminals = endsIn(client.session);
        const endOf = (turnId: string): EndEvent | undefined => {
            const terminal = terminals.get(this.ids.promptOf(turnId) ?? turnId);
            return terminal && asEnd(turnId, terminal);
        };
        mapper.past = { endOf, wasOpen: turnId => before.isOpen(turnId) };
        const { compactedReplay, liveJournal } = client.consumeReplaySnapshot();
        // In the order in which things began, which is not that of their ids.
        for (const event of [...compactedReplay, ...liveJournal]) {
            log.append(...mapper.map(event));
        }
        const unnamed = turns.adopt(before);
        log.append(...firsts.filter(({ turnId }) => unnamed.includes(turnId)));
        // What ran and is not in the replay was never written down.
        const isGone = (turnId: string): boolean => unnamed.includes(turnId) && turns.is('running', turnId);
        const isOver = (turnId: string): boolean => !client.hasActivePrompt || isGone(turnId) || endOf(turnId) !== undefined;
        log.append(...turns.working.filter(isOver).flatMap(turnId => mapper.endUnheard(turnId)));
        log.append(...turns.queue());
        mapper.past = undefined;
        if (client.historyHasMore || client.replayPartial || client.replayDegraded) {
            log.append({ kind: 'notice', notice: { code: 'history-shortened' } });
        }
    }

    protected async load(): Promise<void> {
        this.checkWanted();
        this.stream?.stop();
        const daemon = await this.parts.connection.connect();
        const client = await withSlowAgent(async () => {
            this.checkWanted();
            // Without the mode it comes back in the settings' default, which is looser.
            const options = { workspaceCwd: daemon.workspaceCwd, approvalMode: this.chosenModeId };
            return DaemonSessionClient.load(daemon.client, this.sessionId, options);
        });
        this.checkWanted();
        await this.adopt(client, daemon);
    }

    /** A session that is opened only in part gets no events, so it is lost. */
    protected async orLose(open: () => Promise<void>): Promise<void> {
        try {
            await open();
        } catch (error) {
            this.checkWanted();
            const problem = problemOf(error);
            this.reportFailure(error);
            this.lose(problem);
            throw new DaemonProblemError(problem);
        }
    }

    /** What is about the session and its stream is handled here; the rest is of a turn. */
    receive(event: DaemonEnvelope): void {
        this.idleProbes = 0;
        switch (event.type) {
            case 'session_died':
            case 'session_closed':
                this.handleSessionEnd(event);
                break;
            case 'state_resync_required':
                this.outOfStep();
                break;
            default:
                // Of its end the stream itself says nothing that counts: SessionStream opens it again.
                this.log.append(...this.mapper.map(event));
        }
    }

    protected handleSessionEnd(event: DaemonEnvelope): void {
        const { data } = payloads.sessionEnd.safeParse(event.data);
        if (data?.sessionId !== this.sessionId) {
            return;
        }
        this.stream?.stop();
        this.lose({ code: 'session-died' });
        if (data.reason === 'daemon_shutdown' && this.daemon) {
            this.parts.connection.reportFailure(this.daemon);
        }
    }

    isOwnClient(clientId: string): boolean {
        if (this.clientNow?.clientId) {
            this.ownClients.add(this.clientNow.clientId);
        }
        return this.ownClients.has(clientId);
    }

    chooseMode(modeId: string): void {
        this.chosenModeId = modeId;
        void this.keepMode();
    }

    /** Anew whenever the session is loaded, from what outlives the loading. */
    protected newMapper(): EventMapper {
        return new EventMapper(this, new TurnList(), this.edits);
    }

    handleMalformed(): void {
        this.log.append({ kind: 'notice', notice: { code: 'part-not-shown', kind: '?' } });
    }

    /** If it fails, it has said so. */
    outOfStep(): void {
        this.reload().catch(() => undefined);
    }

    lose(problem: DaemonProblem): void {
        this.state = 'lost';
        this.log.append(...this.mapper.loseTurns(problem), { kind: 'session', state: 'lost', problem });
    }
}

/** How turns of a session ended, as the daemon says. */
function endsIn(session: unknown): Map<string, PromptTerminal> {
    const terminals = withTerminals.safeParse(session).data?.promptTerminals ?? [];
    return new Map(terminals.map(terminal => [terminal.promptId, terminal]));
}

function asEnd(turnId: string, { terminal, stopReason }: PromptTerminal): EndEvent {
    switch (terminal) {
        case 'completed':
            return { kind: 'end', turnId, outcome: stopReason === 'cancelled' ? 'cancelled' : 'completed', stopReason };
        case 'error':
            return { kind: 'end', turnId, outcome: 'error', problem: { code: 'model-failed', cause: '' } };
        default:
            return { kind: 'end', turnId, outcome: 'lost', problem: { code: 'turn-lost' } };
    }
}
