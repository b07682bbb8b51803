// SPDX-License-Identifier: Apache-2.0

import { z } from 'zod/v4';
import { DaemonProblem, SessionNotice } from '../../common/daemon-problem';
import { EditorContextText } from '../../common/editor-context';
import { DaemonLimits, EndEvent, PlanEntry, SessionEvent, TurnEvent } from '../../common/qwen-daemon-protocol';
import { Redactor } from '../config/redactor';
import { DaemonEnvelope, payloads } from './event-payloads';
import { PendingPermissions } from './pending-permissions';
import { SessionTraits } from './session-traits';
import { KeptEdits, ToolCalls } from './tool-calls';
import { TurnIds } from './turn-ids';
import { TurnList } from './turn-list';

type Chunk = z.infer<typeof payloads.chunk>;
type ChunkMeta = Chunk['_meta'];

/** What is known of the turns of a replay beside its events. */
export interface Past {
    /** How it ended, as the daemon says. */
    endOf(turnId: string): EndEvent | undefined;
    /** They were open in the session's earlier life. */
    wasOpen(turnId: string): boolean;
}

/** Sources of what nobody asked for. */
const BY_ITSELF: ReadonlySet<string | undefined> = new Set(['background_notification', 'cron', 'loop']);

export interface MapperContext {
    readonly redactor: Redactor;
    readonly ids: TurnIds;
    /** Whether a client id that the daemon names is this backend's. */
    isOwnClient(clientId: string): boolean;
    /** Metadata of an event that is not shown; never its content. */
    readonly debug: (message: string) => void;
    /** What was chosen in this IDE. */
    readonly chosenModeId: string;
    /** The user chose a mode by what was answered here: it counts like one that was chosen by name. */
    chooseMode(modeId: string): void;
}

/**
 * Turns the daemon's events into events that a page may know, in the order of arrival. Knows no connection and no time. Each load of a
 * session makes a new one.
 */
export class EventMapper {
    readonly tools: ToolCalls;
    readonly permissions: PendingPermissions;
    readonly traits: SessionTraits;

    /** Set while the events that come are a replay. Unknown prompts in it are history, not another client's. */
    past: Past | undefined;
    /** Kinds of what could not be read. */
    protected readonly unread = new Set<string>();

    constructor(
        protected readonly context: MapperContext,
        readonly turns: TurnList,
        edits: KeptEdits
    ) {
        this.tools = new ToolCalls(context.redactor, edits);
        this.permissions = new PendingPermissions(context.redactor);
        this.traits = new SessionTraits(context);
    }

    map(event: DaemonEnvelope): SessionEvent[] {
        const handler = ownEntry(this.handlers, event.type);
        if (!handler) {
            this.context.debug(`Event ${event.type} is not shown`);
            return [];
        }
        return (handler(event) ?? this.unreadable(event, event.type)).map(told => this.redacted(told));
    }

    /** A model tells a text in pieces: a secret that is told in two gets past this. */
    protected redacted(event: SessionEvent): SessionEvent {
        const isText = event.kind === 'text' || event.kind === 'thought';
        return isText ? { ...event, text: this.context.redactor.redact(event.text, Infinity) } : event;
    }

    /** No more events come. What the daemon was not given goes back to the user, the newest first, as at Stop: each is put above the one before. */
    loseTurns(problem: DaemonProblem): SessionEvent[] {
        return this.turns.open
            .reverse()
            .flatMap(turnId => this.end({ kind: 'end', turnId, outcome: this.turns.is('waiting', turnId) ? 'removed' : 'lost', problem }));
    }

    /** The daemon says that it works on nothing in this session. */
    endWork(): SessionEvent[] {
        return this.turns.working.flatMap(turnId => this.endUnheard(turnId));
    }

    /** It is over, and its end was not among the events: of some turns the daemon says none. */
    endUnheard(turnId: string): SessionEvent[] {
        const isLost = this.past ? this.past.wasOpen(turnId) : !this.turns.isUnnamed(turnId);
        const problem: DaemonProblem = { code: this.turns.is('sent', turnId) ? 'no-answer' : 'turn-lost' };
        return this.end(
            this.past?.endOf(turnId) ?? { kind: 'end', turnId, ...(isLost ? { outcome: 'lost', problem } : { outcome: 'completed' }) }
        );
    }

    end(event: EndEvent): SessionEvent[] {
        if (!this.turns.end(event.turnId)) {
            return [];
        }
        const closed = this.permissions.closeTurn(event.turnId);
        this.tools.forgetTurn(event.turnId);
        this.traits.nextModeIsChosen = false;
        return [...closed, event, ...this.turns.queue()];
    }

    /** By the name of the daemon event. Each answers `undefined` if it cannot read the payload. */
    protected readonly handlers: Record<string, ((event: DaemonEnvelope) => SessionEvent[] | undefined) | undefined> = {
        session_update: event => this.update(event),
        permission_request: event => this.permissionRequest(event),
        permission_resolved: event => this.permissionClosed(event),
        permission_already_resolved: event => this.permissionClosed(event),
        permission_partial_vote: event => [this.notice(event, { code: 'vote-elsewhere' })],
        permission_forbidden: event => [this.notice(event, { code: 'vote-elsewhere' })],
        turn_complete: event =>
            this.read(payloads.turnComplete, event.data, ({ stopReason, promptId }) => {
                const turnId = this.turnOf(event, promptId);
                const outcome = stopReason === 'cancelled' ? 'cancelled' : 'completed';
                return turnId === undefined
                    ? []
                    : this.end({ kind: 'end', turnId, outcome, stopReason: this.label(stopReason) || undefined });
            }),
        turn_error: event => this.read(payloads.turnError, event.data, data => this.turnError(event, data)),
        prompt_cancelled: event => {
            // The daemon also sends this if nothing runs, and before the error of a turn that failed by itself.
            const turnId = this.named(event);
            return turnId && this.turns.isOpen(turnId) ? [{ kind: 'cancelling', turnId }] : [];
        },
        pending_prompt_completed: event =>
            this.read(payloads.pendingPrompt, event.data, ({ promptId, state }) =>
                state === 'removed' ? this.end({ kind: 'end', turnId: this.context.ids.turnOf(promptId), outcome: 'removed' }) : []
            ),
        model_switched: event => this.read(payloads.modelSwitched, event.data, ({ modelId }) => this.traits.changeModel(modelId)),
        approval_mode_changed: event =>
            this.read(payloads.approvalMode, event.data, ({ next }) => {
                // Of a client that names it, it is no part of the plan that was approved here.
                this.traits.nextModeIsChosen &&=
                    event.originatorClientId === undefined || this.context.isOwnClient(event.originatorClientId);
                return this.traits.changeMode(next);
            }),
        mid_turn_message_injected: event =>
            this.read(payloads.injected, event.data, ({ messages }) => messages.map(text => this.extended(event, text))),
        session_rewound: event => {
            const isOwn = event.originatorClientId !== undefined && this.context.isOwnClient(event.originatorClientId);
            return isOwn ? [] : [this.notice(event, { code: 'rewound' })];
        },
        // A command that somebody typed into another client, with `!` before it.
        user_shell_command: event => [this.notice(event, { code: 'part-not-shown', kind: 'user_shell_command' })],
        history_truncated: event => [this.notice(event, { code: 'history-shortened' })]
    };

    protected readonly updates: Record<string, ((event: DaemonEnvelope, update: unknown) => SessionEvent[] | undefined) | undefined> = {
        user_message_chunk: (event, update) =>
            this.read(payloads.chunk, update, ({ content, _meta }) => {
                const text = 'text' in content ? content.text : '';
                const { running } = this.turns;
                switch (_meta?.source) {
                    case 'mid_turn_message_injected':
                        return [this.extended(event, text)];
                    case 'goal_control':
                        // On the daemon's disk: the command once more, or what the daemon did without one.
                        return this.past && running !== undefined ? this.endUnheard(running) : [];
                    case 'background_notification':
                        return this.inTurn(event, turnId => [this.background(turnId, text)], _meta);
                    case 'cron':
                    case 'loop':
                        return this.inTurn(event, turnId => [this.background(turnId, text)], _meta, this.turns.newId());
                }
                // After a restart of the daemon only this part of a turn still says which turn it is.
                const promptId = event.promptId ?? _meta?.promptId;
                const requestId = _meta?.inputAnnotations;
                if (promptId !== undefined && requestId !== undefined) {
                    this.context.ids.add(promptId, requestId);
                }
                const turnId = promptId === undefined ? this.turns.newId() : this.context.ids.turnOf(promptId);
                const at = event._meta?.serverTimestamp ?? _meta?.timestamp;
                this.turns.noteBegin({ turnId, at, isCommand: text.startsWith('/') });
                const begun = this.begin(turnId, text);
                return 'attachmentId' in content
                    ? [...begun, { kind: 'notice', turnId, notice: { code: 'prompt-image', name: this.label(content.attachmentId) } }]
                    : begun;
            }),
        agent_message_chunk: (event, update) => this.chunk('text', event, update),
        agent_thought_chunk: (event, update) => this.chunk('thought', event, update),
        tool_call: (event, update) => this.toolCall(event, update),
        tool_call_update: (event, update) => this.toolCall(event, update),
        plan: (event, update) =>
            this.read(payloads.plan, update, ({ entries }) =>
                this.inTurn(event, turnId => [{ kind: 'plan', turnId, entries: entries.slice(0, 200).map(entry => this.planEntry(entry)) }])
            ),
        current_mode_update: (_event, update) =>
            this.read(payloads.mode, update, ({ currentModeId }) => this.traits.changeMode(currentModeId)),
        available_commands_update: (_event, update) =>
            this.read(payloads.commands, update, ({ availableCommands }) => [
                this.traits.commands(
                    availableCommands.map(({ name, description, input }) => ({ name, description, hint: input?.hint ?? '' }))
                )
            ])
    };

    protected update(event: DaemonEnvelope): SessionEvent[] | undefined {
        return this.read(payloads.update, event.data, ({ update }) => {
            const handler = ownEntry(this.updates, update.sessionUpdate);
            if (!handler) {
                this.context.debug(`Update ${this.label(update.sessionUpdate)} is not shown`);
                return [];
            }
            return handler(event, update) ?? this.unreadable(event, update.sessionUpdate);
        });
    }

    protected chunk(kind: 'text' | 'thought', event: DaemonEnvelope, update: unknown): SessionEvent[] | undefined {
        return this.read(payloads.chunk, update, chunk => {
            const { content, _meta } = chunk;
            // Also how a goal is that was set in a terminal.
            const isEmpty = 'text' in content && content.text === '' && !_meta?.usage && !_meta?.visionBridgeNotice;
            // Said at once, perhaps in the middle of an answer, and again when the model is told.
            const isTooEarly = _meta?.source === 'background_task_completed';
            // The daemon's disk has no message for it, so it would go on with the turn before.
            const isAlone = _meta?.source === 'slash_command' && this.past !== undefined && event.promptId === undefined;
            return isEmpty || isTooEarly || isAlone ? [] : this.inTurn(event, turnId => this.said(kind, turnId, chunk), _meta);
        });
    }

    protected said(kind: 'text' | 'thought', turnId: string, { content, _meta }: Chunk): SessionEvent[] {
        const usage: SessionEvent[] = _meta?.usage ? [{ kind: 'usage', turnId, ..._meta.usage }] : [];
        if (_meta?.visionBridgeNotice) {
            const notice = { ..._meta.visionBridgeNotice, by: this.label(_meta.visionBridgeNotice.by) };
            return [{ kind: 'notice', turnId, notice }, ...usage];
        }
        if (!('text' in content)) {
            return [{ kind: 'notice', turnId, notice: { code: 'part-not-shown', kind: this.label(content.type) } }, ...usage];
        }
        const { text } = content;
        switch (_meta?.source) {
            case 'background_notification_turn_started':
                // Its text is an id.
                return usage;
            case 'background_notification_response':
            case 'realtime_voice':
                return [{ kind, turnId, text: `\n\n${text}\n\n` }, ...usage];
        }
        if (_meta?.qwenDiscreteMessage || _meta?.source === 'background_notification') {
            return [this.background(turnId, text), ...usage];
        }
        return text ? [{ kind, turnId, text }, ...usage] : usage;
    }

    protected background(turnId: string, text: string): SessionEvent {
        return { kind: 'notice', turnId, notice: { code: 'background', text: this.label(text) } };
    }

    protected toolCall(event: DaemonEnvelope, update: unknown): SessionEvent[] | undefined {
        return this.read(payloads.permission.shape.toolCall, update, data =>
            this.inTurn(event, turnId => [{ kind: 'tool', turnId, tool: this.tools.update(turnId, data) }])
        );
    }

    protected permissionRequest(event: DaemonEnvelope): SessionEvent[] | undefined {
        return this.read(payloads.permission, event.data, data =>
            this.inTurn(event, turnId => {
                const tool = this.tools.update(turnId, data.toolCall);
                const permission = this.permissions.add(turnId, data, tool, this.tools.text(data.toolCall.content ?? []));
                return permission
                    ? [
                          { kind: 'tool', turnId, tool },
                          { kind: 'permission', turnId, permission }
                      ]
                    : [];
            })
        );
    }

    protected permissionClosed(event: DaemonEnvelope): SessionEvent[] | undefined {
        return this.read(payloads.permissionClosed, event.data, ({ requestId, outcome, voterClientId }) => {
            const waiting = this.permissions.get(requestId);
            const selected = outcome.outcome === 'selected';
            const closed = this.permissions.close(requestId, {
                outcome: selected ? 'selected' : 'cancelled',
                optionId: outcome.optionId,
                by: voterClientId ? (this.context.isOwnClient(voterClientId) ? 'this-ide' : 'other-client') : selected ? 'unknown' : 'turn'
            });
            const byUser = closed?.by === 'this-ide';
            const role = waiting?.request.options.find(({ id }) => id === outcome.optionId)?.role;
            const allowed = role === 'allow_once' || role === 'allow_always';
            const runs = waiting && allowed ? this.tools.running(waiting.turnId, waiting.request.toolId) : undefined;
            // The daemon says the mode next (Qwen Code 0.24).
            this.traits.nextModeIsChosen ||= byUser && waiting?.modeOptions.includes(outcome.optionId ?? '') === true;
            return [...this.optional(closed), ...(waiting && runs ? [{ kind: 'tool' as const, turnId: waiting.turnId, tool: runs }] : [])];
        });
    }

    /** A message that the running turn took: this chat sends none, another client may. */
    protected extended(event: DaemonEnvelope, text: string): SessionEvent {
        return this.notice(event, { code: 'prompt-extended', text: this.label(text) });
    }

    protected turnError(event: DaemonEnvelope, { promptId, message, code }: z.infer<typeof payloads.turnError>): SessionEvent[] {
        const turnId = this.turnOf(event, promptId);
        const loss = lossOf(code, message);
        const problem: DaemonProblem = loss ?? { code: 'model-failed', cause: this.context.redactor.redactError(message) };
        return turnId ? this.end({ kind: 'end', turnId, outcome: loss ? 'lost' : 'error', problem }) : [];
    }

    protected begin(turnId: string, prompt: string, byItself = false): SessionEvent[] {
        const { running } = this.turns;
        const isKnown = this.turns.knows(turnId);
        if (!this.turns.begin(turnId)) {
            return [];
        }
        // A replay holds no ends, and of a turn without an id the daemon says none.
        const isUnheard = running !== undefined && (this.past !== undefined || this.turns.isUnnamed(running));
        const isOwn = this.context.ids.promptOf(turnId) !== undefined;
        const origin = isOwn ? 'own' : byItself ? 'qwen' : this.past ? 'history' : 'other';
        const first: TurnEvent = { kind: 'turn', turnId, origin, prompt: this.prompt(prompt) };
        return [...(isUnheard ? this.endUnheard(running) : []), ...(isKnown ? [] : [first])];
    }

    /** Every text belongs to a turn, even if nobody saw the turn begin. */
    protected inTurn(
        event: DaemonEnvelope,
        events: (turnId: string) => SessionEvent[],
        meta?: ChunkMeta,
        unnamed?: string
    ): SessionEvent[] {
        const turnId = this.named(event) ?? unnamed ?? this.unnamedTurn();
        const isBackground = meta?.backgroundTurn !== undefined || BY_ITSELF.has(meta?.source);
        const byItself = isBackground || (this.turns.isUnnamed(turnId) && event.originatorClientId === undefined && !this.past);
        if (byItself) {
            this.turns.noteBegin({ turnId, at: event._meta?.serverTimestamp, isCommand: true, isByItself: true });
        }
        return [...this.begin(turnId, '', byItself), ...events(turnId)];
    }

    /**
     * Whose an event is that names no turn. A replay from the daemon's disk names one only at its beginning. Later each event of a prompt
     * names it: a step of a goal may begin before the daemon says that the prompt before it is over (Qwen Code 0.24.4).
     */
    protected unnamedTurn(): string {
        const { running } = this.turns;
        return running !== undefined && (this.past || this.turns.isUnnamed(running)) ? running : this.turns.newId();
    }

    protected named({ promptId }: DaemonEnvelope): string | undefined {
        return promptId && this.context.ids.turnOf(promptId);
    }

    /** A prompt as pages know it. */
    prompt(text: string): string {
        return this.context.redactor.redact(EditorContextText.remove(text), DaemonLimits.toolText);
    }

    /** The turn that ends. Of one that began without an id the daemon says one in the end, which is then new. */
    protected turnOf(event: DaemonEnvelope, promptId: string | undefined): string | undefined {
        const { running } = this.turns;
        const named = promptId === undefined ? this.named(event) : this.context.ids.turnOf(promptId);
        const isNew = named !== undefined && !this.turns.knows(named) && running !== undefined && this.turns.isUnnamed(running);
        return isNew ? running : (named ?? running);
    }

    protected planEntry({ content, status }: { content: string; status: string }): PlanEntry {
        const known = status === 'in_progress' || status === 'completed' ? status : 'pending';
        return { content: this.label(content), status: known };
    }

    protected notice(event: DaemonEnvelope, notice: SessionNotice): SessionEvent {
        const turnId = this.named(event) ?? this.turns.running;
        return { kind: 'notice', turnId: turnId && this.turns.isOpen(turnId) ? turnId : undefined, notice };
    }

    /** The seed's rule: what cannot be shown faithfully says so, once for each kind. */
    protected unreadable(event: DaemonEnvelope, what: string): SessionEvent[] {
        this.context.debug(`Event ${what} could not be read`);
        if (this.unread.has(what)) {
            return [];
        }
        this.unread.add(what);
        return [this.notice(event, { code: 'part-not-shown', kind: this.label(what) })];
    }

    protected label(text: string | null | undefined): string {
        return this.context.redactor.label(text);
    }

    protected optional<T extends SessionEvent>(event: T | undefined): T[] {
        return event ? [event] : [];
    }

    protected read<T>(schema: z.ZodType<T>, data: unknown, then: (value: T) => SessionEvent[]): SessionEvent[] | undefined {
        const parsed = schema.safeParse(data);
        return parsed.success ? then(parsed.data) : undefined;
    }
}

/** Why a turn was lost, if it was: the whole daemon ends, or the agent process under it ended (Qwen Code 0.24). */
function lossOf(code: string | number | null | undefined, message: string): DaemonProblem | undefined {
    if (code === 'daemon_shutdown') {
        return { code: 'turn-lost' };
    }
    return /agent channel closed/i.test(message) ? { code: 'session-died' } : undefined;
}

/** A daemon may call an event `constructor`. */
function ownEntry<T>(entries: Record<string, T | undefined>, name: string): T | undefined {
    return Object.hasOwn(entries, name) ? entries[name] : undefined;
}
