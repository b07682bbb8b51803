// SPDX-License-Identifier: Apache-2.0

import { DaemonPendingPromptSummary, DaemonSessionClient } from '@qwen-code/sdk/daemon';
import { z } from 'zod/v4';
import { DaemonProblem } from '../../common/daemon-problem';
import { EndEvent, SessionEvent, SessionInfo, SessionState } from '../../common/qwen-daemon-protocol';
import { ConnectedDaemon, DaemonConnection, withSlowAgent } from '../connection/daemon-connection';
import { DaemonError, DaemonProblemError, problemOf } from '../connection/daemon-problems';
import { Redactor } from '../config/redactor';
import { DaemonEnvelope, noContext, payloads, SessionContext, sessionContext } from './event-payloads';
import { EventLog } from './event-log';
import { EventMapper, MapperContext } from './event-mapper';
import { ChosenModes } from './chosen-modes';
import { KeptEdits } from './tool-calls';
import { SessionStream, StreamListener, StreamTimings } from './session-stream';
import { OwnPrompts, TurnList } from './turn-list';

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

type PendingPrompt = Pick<DaemonPendingPromptSummary, 'promptId' | 'text' | 'state'>;

/** One answer may be older than a prompt that has just been taken. */
const IDLE_PROBES = 2;

export interface SessionParts {
    connection: DaemonConnection;
    redactor: Redactor;
    modes: ChosenModes;
    debug: (message: string) => void;
    stream: StreamTimings;
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
    state: SessionState = 'lost';
    chosenModeId: string;
    context: SessionContext = noContext;

    /** A session that is loaded again does not tell the texts of longer edits. */
    readonly edits: KeptEdits;
    readonly own = new OwnPrompts();
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
    /** Why it was disposed. Answers that come later are dropped and start nothing. */
    protected gone: DaemonProblem | undefined;

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

    get isBusy(): boolean {
        return this.mapper.turns.ahead > 0;
    }

    /** Rejects with a {@link DaemonProblemError}; then it is lost, and {@link client} loads it. */
    begin(client: DaemonSessionClient, daemon: ConnectedDaemon): Promise<void> {
        return this.track(this.orLose(() => this.adopt(client, daemon)));
    }

    /** Loads a session again that is lost or out of step. Rejects with a {@link DaemonProblemError}. */
    reload(): Promise<void> {
        return this.loading ?? this.track(this.orLose(() => this.load()));
    }

    /** The client to ask. Loads the session again if it is lost. */
    async client(): Promise<DaemonSessionClient> {
        if (this.loading || this.state === 'lost') {
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
        this.gone = problem ?? { code: 'stopping' };
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
        const turnId = turns.running;
        if (this.idleProbes >= IDLE_PROBES) {
            const ends = turns.open().map(open => (turns.isUnnamed(open) ? completed(open) : lost(open)));
            this.log.append(...ends.flatMap(end => this.mapper.end(end)));
        } else if (turnId !== undefined && !turns.isUnnamed(turnId) && permissions.size === 0 && !tools.hasRunning(turnId)) {
            this.log.append({ kind: 'waiting', turnId });
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
        const unfinished = this.mapper.turns.open();
        this.clientNow = client;
        this.daemon = daemon;
        const pending = await pendingPrompts(client);
        this.checkWanted();
        // At once: a page that reads meanwhile must find the old log whole, or the new one.
        this.mapper = this.newMapper();
        this.log.restart();
        tellReplay(client, this.mapper, this.log, unfinished, pending);
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
                this.sessionEnded(event);
                break;
            case 'state_resync_required':
                this.outOfStep();
                break;
            default:
                // Of its end the stream itself says nothing that counts: SessionStream opens it again.
                this.log.append(...this.mapper.map(event));
        }
    }

    protected sessionEnded(event: DaemonEnvelope): void {
        const { data } = payloads.sessionEnd.safeParse(event.data);
        if (data?.sessionId !== this.sessionId) {
            return;
        }
        this.stream?.stop();
        this.lose({ code: event.type === 'session_closed' ? 'session-closed' : 'session-died' });
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
        return new EventMapper(this, new TurnList(this.own), this.edits);
    }

    malformed(): void {
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

/** What runs and waits, as the daemon says, also the messages that the running turn has not taken yet. */
async function pendingPrompts(client: DaemonSessionClient): Promise<PendingPrompt[]> {
    if (!client.hasActivePrompt) {
        return [];
    }
    // What cannot be asked for, the journal alone says.
    const [prompts, { messages }] = await Promise.all([
        client.getPendingPrompts().catch(() => ({ pendingPrompts: [] })),
        client.getMidTurnMessages().catch(() => ({ messages: [] }))
    ]);
    return [...prompts.pendingPrompts, ...messages.map(({ messageId, text }) => ({ promptId: messageId, text, state: 'queued' as const }))];
}

/**
 * Tells what a loaded session brings with it: its history, the running turn so far, and how its turns ended.
 *
 * @param unfinished turns that had no end when the session was lost
 */
function tellReplay(client: DaemonSessionClient, mapper: EventMapper, log: EventLog, unfinished: string[], pending: PendingPrompt[]): void {
    const { compactedReplay, liveJournal } = client.consumeReplaySnapshot();
    mapper.replaying = true;
    // In the order in which things began, which is not that of their ids.
    for (const event of [...compactedReplay, ...liveJournal]) {
        log.append(...mapper.map(event));
    }
    log.append(...settle(client, mapper, unfinished, pending));
    mapper.replaying = false;
    if (client.historyHasMore || client.replayPartial || client.replayDegraded) {
        log.append({ kind: 'notice', notice: { code: 'history-shortened' } });
    }
}

/** Gives every turn of a replay the end that it had: a replay from the daemon's disk holds no ends (Qwen Code 0.24). */
function settle(client: DaemonSessionClient, mapper: EventMapper, unfinished: string[], pending: PendingPrompt[]): SessionEvent[] {
    const { turns } = mapper;
    const terminals = withTerminals.safeParse(client.session).data?.promptTerminals ?? [];
    const endOf = (turnId: string): EndEvent | undefined => {
        const terminal = terminals.findLast(({ promptId }) => promptId === turnId);
        return terminal && asEnd(turnId, terminal);
    };
    const events: SessionEvent[] = [];
    for (const { promptId, text, state } of pending) {
        const queued = state === 'queued';
        const first = turns.begin(promptId, { prompt: mapper.prompt(text), ownClient: false, replaying: true, queued });
        events.push(...[first, queued ? turns.queue(promptId) : undefined].flatMap(event => event ?? []));
    }
    for (const turnId of unfinished) {
        // What the daemon never wrote down before it ended is not in the replay at all.
        const first = turns.begin(turnId, { prompt: '', ownClient: false, replaying: true, queued: true });
        events.push(...(first ? [first, ...mapper.end(endOf(turnId) ?? lost(turnId))] : []));
    }
    const open = turns.open();
    const alive = new Set(pending.map(({ promptId }) => promptId));
    const guess = open.some(turnId => alive.has(turnId)) ? undefined : open.at(-1);
    for (const turnId of open) {
        const known = endOf(turnId);
        const runs = client.hasActivePrompt && (alive.has(turnId) || turnId === guess);
        if (known || !runs) {
            const expected = unfinished.includes(turnId);
            events.push(...mapper.end(known ?? (expected ? lost(turnId) : completed(turnId))));
        }
    }
    return events;
}

function asEnd(turnId: string, { terminal, stopReason }: PromptTerminal): EndEvent {
    switch (terminal) {
        case 'completed':
            return { kind: 'end', turnId, outcome: stopReason === 'cancelled' ? 'cancelled' : 'completed', stopReason };
        case 'error':
            return { kind: 'end', turnId, outcome: 'error', problem: { code: 'model-failed', cause: '' } };
        default:
            return lost(turnId);
    }
}

function lost(turnId: string): EndEvent {
    return { kind: 'end', turnId, outcome: 'lost', problem: { code: 'turn-lost' } };
}

function completed(turnId: string): EndEvent {
    return { kind: 'end', turnId, outcome: 'completed' };
}
