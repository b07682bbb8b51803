// SPDX-License-Identifier: Apache-2.0

import { MutableChatModel, MutableChatRequestModel } from '@theia/ai-chat/lib/common/chat-model';
import { Disposable } from '@theia/core/lib/common/disposable';
import { Emitter } from '@theia/core/lib/common/event';
import { nls } from '@theia/core/lib/common/nls';
import { visibleText } from 'theia-cli-companion/lib/common';
import { approvalModeName, defaultApprovalMode, isLooser, neverAsks } from '../../common/approval-modes';
import { DaemonProblem } from '../../common/daemon-problem';
import {
    Answer,
    ModeEvent,
    QwenDaemonBackend,
    SessionEvent,
    SessionEvents,
    SessionInfo,
    SessionPrompt,
    DaemonSessionState,
    SlashCommand
} from '../../common/qwen-daemon-protocol';
import { BackendConnection } from '../connection/backend-connection';
import { NoticeContent } from '../parts/notice-content';
import { ChangesLine } from './changes-line';
import { ChatRequests, promptText } from './chat-requests';
import { ConversationPage, TurnHost } from './conversation-page';
import { ConversationTurns } from './conversation-turns';

export interface Enclosure extends Pick<SessionPrompt, 'files' | 'images' | 'editor'> {
    /** Shown in the response: what the user should know about the prompt. */
    notices: string[];
}

export interface UnsentMessage {
    /** Of its request. */
    readonly id: string;
    readonly text: string;
}

/** One chat of Theia and its session of the daemon. */
export class Conversation implements TurnHost, Disposable {
    readonly turns: ConversationTurns;

    sessionId: string | undefined;
    /** `undefined` until the session was opened in this page. */
    session: SessionInfo | undefined;
    problem: DaemonProblem | undefined;

    protected state: DaemonSessionState | undefined;
    protected slashCommands: SlashCommand[] = [];
    /** A warning for which the chat has no answer yet that could say it. */
    protected untold: string | undefined;
    protected sending: Promise<void> = Promise.resolve();
    protected readonly onTheirWay = new Set<MutableChatRequestModel>();
    protected opening: Promise<Answer<SessionInfo>> | undefined;
    protected readonly requests: ChatRequests;
    protected readonly changes: ChangesLine;
    protected readonly following: Disposable;

    protected readonly onDidChangeEmitter = new Emitter<void>();
    readonly onDidChange = this.onDidChangeEmitter.event;

    constructor(
        readonly model: MutableChatModel,
        readonly page: ConversationPage,
        protected readonly connection: BackendConnection,
        sessionId?: string
    ) {
        this.requests = new ChatRequests(model);
        this.sessionId = sessionId ?? this.requests.knownSessionId;
        this.turns = new ConversationTurns(this.requests, this);
        this.changes = new ChangesLine(model, this);
        this.following = page.changes.onDidChange(() => this.changes.update());
        this.changes.update();
    }

    get chatSessionId(): string {
        return this.model.id;
    }

    get folder(): string {
        return this.session?.workspaceCwd ?? '';
    }

    get modelName(): string | undefined {
        const { models, currentModelId } = this.session ?? {};
        return models?.find(({ id }) => id === currentModelId)?.name ?? currentModelId;
    }

    modeName(id: string | undefined = this.session?.currentModeId): string | undefined {
        return (id && approvalModeName(id)) ?? this.session?.modes.find(mode => mode.id === id)?.name ?? id;
    }

    /** Opens the session, also again if it was lost. Several callers at once open it once. */
    open(again = false): Promise<Answer<SessionInfo>> {
        if (this.opening) {
            return this.opening;
        }
        if (this.session && !again && this.state === 'live') {
            return Promise.resolve({ ok: true, value: this.session });
        }
        this.opening = this.doOpen().finally(() => (this.opening = undefined));
        return this.opening;
    }

    get isIdle(): boolean {
        return this.model.getRequests().every(({ response }) => response.isComplete);
    }

    /** Messages of the user that the daemon has not taken yet. */
    get unsent(): UnsentMessage[] {
        return [...this.onTheirWay].map(({ id, request }) => ({ id, text: request.text }));
    }

    /** One message after the other, in the order in which the user sent them, however long the files of one are looked up. */
    async inOrder(request: MutableChatRequestModel, send: () => Promise<void>): Promise<void> {
        this.onTheirWay.add(request);
        this.onDidChangeEmitter.fire();
        this.sending = this.sending.then(send, send);
        const stopping = request.response.cancellationToken.onCancellationRequested(() => this.stop());
        try {
            await this.sending;
        } finally {
            stopping.dispose();
            this.onTheirWay.delete(request);
            this.onDidChangeEmitter.fire();
        }
    }

    /** Stops what runs, and what is on its way. Never rejects; when it resolves, nothing more is sent to the daemon but the stops. */
    async stopAll(): Promise<void> {
        this.stop();
        await this.sending.catch(() => undefined);
    }

    /** The newest first, as Theia offers Stop for that one only. */
    protected stop(): void {
        const onTheirWay = [...this.onTheirWay].filter(({ response }) => !response.isCanceled);
        onTheirWay.reverse().forEach(({ response }) => response.cancel());
        this.turns.stop();
    }

    /** Messages that were on their way when the page was left: one that did not arrive can be sent again. */
    restoreUnsent(messages: readonly UnsentMessage[]): void {
        for (const { id, text } of messages) {
            const request = this.model.getRequests().find(other => other.id === id);
            if (!request) {
                this.page.view.giveBack(this.chatSessionId, text);
            } else if (!this.requests.turnOf(id)) {
                this.turns.fail(request, { code: 'no-answer' });
            }
        }
    }

    /** Sends a request of the user; its response shows the turn. Ends when the daemon has taken the request or refused it. */
    async send(request: MutableChatRequestModel, { files, images, editor, notices }: Enclosure): Promise<void> {
        this.page.view.showEnd(this.chatSessionId);
        const refuse = (problem: DaemonProblem): void => {
            this.turns.fail(request, problem);
            this.turns.giveBack(request);
            this.onDidChangeEmitter.fire();
        };
        this.turns.showStatus(request, nls.localize('theia/qwen-daemon/turn/connecting', 'Connecting to the Qwen daemon…'));
        const { modeId, referencedRequestId } = request.request;
        const isFirst = this.session === undefined;
        const opened = await this.open();
        if (!opened.ok) {
            refuse(opened.problem);
            return;
        }
        const mode = isFirst ? modeForFirst(modeId, opened.value) : modeId;
        if (!(await this.isConfirmed(mode))) {
            const message = nls.localize('theia/qwen-daemon/mode/notSent', 'Not sent.');
            request.response.response.addContent(new NoticeContent({ message }));
            request.response.cancel();
        } else if (mode !== undefined) {
            this.change({ chosenModeId: mode });
        }
        const told = request.response.isCanceled ? [] : [...notices, ...(await this.forget(referencedRequestId))];
        if (request.response.isCanceled) {
            this.turns.giveBack(request);
            return;
        }
        this.turns.showStatus(request, nls.localize('theia/qwen-daemon/turn/sending', 'Sending…'));
        request.response.setLanguageModel(this.modelName);
        const accepted = await this.call(async (backend, session): Promise<Answer<void>> => {
            // Asked again: a backend that was restarted knows no request, but the session may have its turn.
            if (this.turns.knows(request)) {
                return { ok: true, value: undefined };
            }
            return backend.sendPrompt(session, {
                requestId: request.id,
                text: promptText(request.message),
                modeId: mode,
                files,
                ...(images?.length ? { images } : {}),
                ...(editor ? { editor } : {})
            });
        });
        if (accepted.ok) {
            this.turns.accept(request, told);
            this.onDidChangeEmitter.fire();
        } else {
            refuse(accepted.problem);
        }
    }

    /** Answers a command that the daemon is not asked for. */
    async answer(request: MutableChatRequestModel, command: OwnCommand): Promise<void> {
        const message = command === 'clear' ? this.clear() : command === 'help' ? await this.help() : terminalOnly();
        request.response.response.addContent(new NoticeContent({ message }));
        request.response.complete();
    }

    protected clear(): string {
        this.page.view.beginChat();
        return nls.localize('theia/qwen-daemon/commands/cleared', 'A new chat has begun. This one stays among the earlier ones.');
    }

    protected async help(): Promise<string> {
        await this.open();
        const title = nls.localize('theia/qwen-daemon/commands/helpTitle', 'A message may begin with one of these:');
        const lines = this.slashCommands.map(({ name, hint, description }) =>
            visibleText(`/${[name, hint].filter(part => part).join(' ')} — ${description}`)
        );
        return [title, ...lines].join('\n');
    }

    /**
     * Qwen stops and forgets a message that was edited, and what came after it. Files stay as they are.
     * @returns what the user should know
     */
    protected async forget(requestId: string | undefined): Promise<string[]> {
        if (requestId === undefined) {
            return [];
        }
        await this.turns.stopHidden();
        const turnId = this.requests.turnOf(requestId);
        if (!turnId || (await this.call((backend, session) => backend.rewind(session, turnId))).ok) {
            return [];
        }
        return [
            nls.localize(
                'theia/qwen-daemon/agent/edited',
                "Editing a message does not rewind Qwen's session: it still holds the earlier version and what followed."
            )
        ];
    }

    async setMode(modeId: string): Promise<Answer<void>> {
        if (!(await this.isConfirmed(modeId))) {
            return { ok: true, value: undefined };
        }
        const result = await this.call((backend, session) => backend.setApprovalMode(session, modeId));
        if (result.ok) {
            this.change({ chosenModeId: modeId });
            this.page.view.showMode(this.chatSessionId, modeId);
        }
        return result;
    }

    /** In the mode that never asks, the user is asked once. If they do not want it, the input goes back to the mode that was chosen. */
    protected async isConfirmed(modeId: string | undefined): Promise<boolean> {
        const chosen = this.session?.chosenModeId ?? defaultApprovalMode;
        if (modeId !== neverAsks || chosen === neverAsks || (await this.page.confirmNeverAsking())) {
            return true;
        }
        this.page.view.showMode(this.chatSessionId, chosen);
        this.page.view.focusInput(this.chatSessionId);
        return false;
    }

    call<T>(ask: (backend: QwenDaemonBackend, sessionId: string) => Promise<Answer<T>>): Promise<Answer<T>> {
        return this.connection.call(async backend => {
            // After the connection was lost, a new backend does not know the session before.
            const opened = this.opening && (await this.opening);
            return opened?.ok === false ? opened : ask(backend, this.sessionId ?? '');
        });
    }

    receive(events: SessionEvents): void {
        if (events.sessionId === this.sessionId) {
            this.accept(events.events, events.fromStart);
        }
    }

    dispose(): void {
        this.following.dispose();
        this.turns.dispose();
        this.onDidChangeEmitter.dispose();
    }

    protected async doOpen(): Promise<Answer<SessionInfo>> {
        const answer = await this.connection.call(backend =>
            backend.openSession({
                chatSessionId: this.chatSessionId,
                sessionId: this.sessionId
            })
        );
        if (!answer.ok) {
            this.problem = answer.problem;
            // The next message tries again, instead of using a session whose events do not reach this page.
            this.state = this.session && 'lost';
            if (answer.problem.code === 'untrusted' || answer.problem.code === 'ai-off') {
                this.turns.failRunning(answer.problem);
            }
            this.onDidChangeEmitter.fire();
            return answer;
        }
        const { session, events } = answer.value;
        if (!this.session && session.chosenModeId !== defaultApprovalMode) {
            // After a reload Theia shows the default at the input (1.74).
            this.page.view.showMode(this.chatSessionId, session.chosenModeId);
        }
        this.sessionId = session.sessionId;
        this.session = session;
        this.state = session.state;
        this.problem = undefined;
        this.accept(events, true);
        this.onDidChangeEmitter.fire();
        return { ok: true, value: session };
    }

    protected accept(events: SessionEvent[], fromStart: boolean): void {
        const chosen = this.session?.chosenModeId;
        this.turns.apply(events, fromStart, event => this.apply(event));
        if (this.untold !== undefined && this.turns.current) {
            this.turns.current.tell(this.untold, true);
            this.untold = undefined;
        }
        this.changes.update();
        const { chosenModeId } = this.session ?? {};
        if (!fromStart && chosenModeId !== undefined && chosenModeId !== chosen && !this.turns.isQueued) {
            // With a plan, or with all edits, that was allowed. A message that waits goes with its own.
            this.page.view.showMode(this.chatSessionId, chosenModeId);
        }
        this.onDidChangeEmitter.fire();
    }

    protected apply(event: SessionEvent): void {
        switch (event.kind) {
            case 'commands':
                this.slashCommands = withOwnCommands(event.commands);
                this.page.offerCommands(this.slashCommands);
                break;
            case 'queue':
                this.turns.showQueue(event);
                break;
            case 'model':
                this.change({ currentModelId: event.modelId });
                this.turns.showModel(this.modelName);
                break;
            case 'mode':
                this.applyMode(event);
                break;
            case 'session':
                this.state = event.state;
                this.problem = event.problem;
                break;
        }
    }

    protected applyMode({ modeId, chosenModeId, looser }: ModeEvent): void {
        const isNew = modeId !== this.session?.currentModeId;
        this.change({ currentModeId: modeId, chosenModeId });
        if (!looser) {
            this.untold = undefined;
        } else if (isNew) {
            this.untold = nls.localize(
                'theia/qwen-daemon/mode/looser',
                'Warning: the approval mode is now "{0}". Qwen asks less often than with "{1}", which was chosen here.',
                this.modeName(modeId) ?? modeId,
                this.modeName(chosenModeId) ?? chosenModeId
            );
        }
    }

    protected change(changes: Partial<SessionInfo>): void {
        if (this.session) {
            this.session = { ...this.session, ...changes };
        }
    }
}

/** The default at the input may only be Theia's, since a reload: a stricter mode that the session has stays. */
function modeForFirst(modeAtInput: string | undefined, { chosenModeId }: SessionInfo): string | undefined {
    return modeAtInput === defaultApprovalMode && isLooser(modeAtInput, chosenModeId) ? chosenModeId : modeAtInput;
}

export type OwnCommand = 'clear' | 'help' | 'terminal';

function terminalOnly(): string {
    return nls.localize(
        'theia/qwen-daemon/commands/terminal',
        'Not sent: goals and schedules are set in a terminal, with "qwen". What Qwen then does by itself is shown here.'
    );
}

/**
 * The command that a message is, if the chat answers it itself. The daemon's own `/clear` takes the session's id away, so that every later
 * message fails, and `/help` is for a terminal alone (Qwen Code 0.24).
 */
export function ownCommand(text: string): OwnCommand | undefined {
    const [, name] = /^\/(\S+)/.exec(text.toLowerCase()) ?? [];
    switch (name) {
        case 'clear':
        case 'new':
        case 'reset':
            return 'clear';
        case 'help':
        case '?':
            return 'help';
        case 'goal':
        case 'loop':
            return 'terminal';
        default:
            return undefined;
    }
}

/** What the daemon offers, with these as they are here. */
function withOwnCommands(commands: readonly SlashCommand[]): SlashCommand[] {
    return [
        { name: 'clear', description: nls.localize('theia/qwen-daemon/commands/clear', 'Begin a new chat'), hint: '' },
        { name: 'help', description: nls.localize('theia/qwen-daemon/commands/help', 'List the commands'), hint: '' },
        ...commands.filter(({ name }) => ownCommand(`/${name}`) === undefined)
    ];
}
