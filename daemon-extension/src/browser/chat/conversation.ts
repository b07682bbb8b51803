// SPDX-License-Identifier: Apache-2.0

import { MutableChatModel, MutableChatRequestModel } from '@theia/ai-chat/lib/common/chat-model';
import { Disposable } from '@theia/core/lib/common/disposable';
import { Emitter } from '@theia/core/lib/common/event';
import { nls } from '@theia/core/lib/common/nls';
import { approvalModeName, defaultApprovalMode } from '../../common/approval-modes';
import { EditorContext } from '../../common/editor-context';
import { DaemonProblem } from '../../common/daemon-problem';
import { Answer } from '../../common/daemon-status';
import { PermissionAnswer, PromptImage, QwenDaemonBackend, SessionEvents, SessionInfo } from '../../common/qwen-daemon-protocol';
import { SessionEvent, SessionState, SlashCommand } from '../../common/session-events';
import { UndoPlan, WantedFile } from '../../common/turn-undo';
import { ChangeList } from './change-list';
import { BackendConnection } from '../connection/backend-connection';
import { NoticeContent, ProblemContent, takenBackNotice } from '../parts/response-parts';
import { ChatRequests } from './chat-requests';
import { ConversationPage, TurnHost } from './conversation-page';
import { ConversationTurns } from './conversation-turns';
import { ModeAtInput } from './mode-at-input';
import { OwnCommands } from './own-commands';

/** What the user sent, ready for the daemon. */
export interface OutgoingPrompt {
    text: string;
    files: string[];
    images?: PromptImage[];
    editor?: EditorContext;
    /** The mode that is selected at the chat's input. */
    modeId?: string;
    /** The id of the request that the user edited: Qwen is to forget it, and what came after it. */
    replaces?: string;
    /** Shown in the response: what the user should know about the prompt. */
    notices?: string[];
}

/** One chat of Theia and its session of the daemon. */
export class Conversation implements TurnHost, Disposable {
    readonly turns: ConversationTurns;
    readonly changes: ChangeList;

    protected info: SessionInfo | undefined;
    protected sessionState: SessionState | undefined;
    protected sessionProblem: DaemonProblem | undefined;
    protected slashCommands: SlashCommand[] = [];
    protected knownSessionId: string | undefined;
    protected readonly modeAtInput = new ModeAtInput();
    /** The mode for the session that is to be made, while there is none. */
    protected modeForNew: string | undefined;
    protected sending: Promise<void> = Promise.resolve();
    protected opening: Promise<Answer<SessionInfo>> | undefined;
    protected readonly requests: ChatRequests;

    protected readonly onDidChangeEmitter = new Emitter<void>();
    readonly onDidChange = this.onDidChangeEmitter.event;

    constructor(
        readonly model: MutableChatModel,
        agentId: string,
        readonly page: ConversationPage,
        protected readonly connection: BackendConnection,
        sessionId?: string
    ) {
        this.requests = new ChatRequests(model, agentId);
        this.knownSessionId = sessionId ?? this.requests.knownSessionId;
        this.turns = new ConversationTurns(this.requests, this);
        this.changes = new ChangeList(model, agentId, this);
        this.changes.update();
    }

    get chatSessionId(): string {
        return this.model.id;
    }

    get sessionId(): string | undefined {
        return this.knownSessionId;
    }

    get folder(): string {
        return this.info?.workspaceCwd ?? '';
    }

    /** `undefined` until the session was opened in this page. */
    get session(): SessionInfo | undefined {
        return this.info;
    }

    get problem(): DaemonProblem | undefined {
        return this.sessionProblem;
    }

    /** What the newest answer says last that went wrong. */
    get lastProblem(): ProblemContent | undefined {
        return this.model
            .getRequests()
            .at(-1)
            ?.response.response.content.findLast(part => part instanceof ProblemContent);
    }

    get modelName(): string | undefined {
        const { models, currentModelId } = this.info ?? {};
        return models?.find(({ id }) => id === currentModelId)?.name ?? currentModelId;
    }

    modeName(id: string | undefined = this.info?.currentModeId): string | undefined {
        return (id && approvalModeName(id)) ?? this.info?.modes.find(mode => mode.id === id)?.name ?? id;
    }

    /** Opens the session, also again if it was lost. Several callers at once open it once. */
    open(again = false): Promise<Answer<SessionInfo>> {
        if (this.opening) {
            return this.opening;
        }
        if (this.info && !again && this.sessionState === 'live') {
            return Promise.resolve({ ok: true, value: this.info });
        }
        this.opening = this.doOpen().finally(() => (this.opening = undefined));
        return this.opening;
    }

    /** One message after the other, in the order in which the user sent them, however long the files of one are looked up. */
    inOrder(send: () => Promise<void>): Promise<void> {
        this.sending = this.sending.then(send, send);
        return this.sending;
    }

    /** Sends a request of the user; its response shows the turn. Ends when the daemon has taken the request or refused it. */
    async send(request: MutableChatRequestModel, prompt: OutgoingPrompt): Promise<void> {
        this.page.view.showEnd(this.chatSessionId);
        const refuse = (problem: DaemonProblem): void => {
            this.turns.fail(request, problem);
            this.page.view.giveBack(this.chatSessionId, request.request.text);
            this.onDidChangeEmitter.fire();
        };
        this.turns.showStatus(request, nls.localize('theia/qwen-daemon/turn/connecting', 'Connecting to the Qwen daemon…'));
        this.modeForNew ??= prompt.modeId;
        const opened = await this.open();
        if (!opened.ok) {
            refuse(opened.problem);
            return;
        }
        const newMode = this.modeAtInput.change(prompt.modeId, opened.value);
        if (newMode && (newMode !== opened.value.currentModeId || newMode !== opened.value.chosenModeId)) {
            const changed = await this.changeMode(newMode);
            if (!changed.ok) {
                refuse(changed.problem);
                return;
            }
        }
        const notices = [...(prompt.notices ?? []), ...(await this.forget(prompt.replaces))];
        if (request.response.isCanceled) {
            this.page.view.giveBack(this.chatSessionId, request.request.text);
            return;
        }
        this.turns.showStatus(request, nls.localize('theia/qwen-daemon/turn/sending', 'Sending…'));
        request.response.setLanguageModel(this.modelName);
        const accepted = await this.connection.callAgain(
            async backend =>
                // Asked again: a backend that was restarted knows no request, but the session may have the turn.
                this.turns.turnOf(request) ??
                backend.sendPrompt(this.knownSessionId ?? '', {
                    requestId: request.id,
                    text: prompt.text,
                    files: prompt.files,
                    ...(prompt.images?.length ? { images: prompt.images } : {}),
                    ...(prompt.editor ? { editor: prompt.editor } : {})
                }),
            () => this.open(true)
        );
        if (accepted.ok) {
            this.turns.accepted(request, accepted.value, notices);
            this.onDidChangeEmitter.fire();
        } else {
            refuse(accepted.problem);
        }
    }

    /** Answers a command that the daemon is not asked for. */
    async answer(request: MutableChatRequestModel, command: OwnCommands.Name): Promise<void> {
        const { response } = request;
        if (command === 'clear') {
            response.response.addContent(
                new NoticeContent({
                    message: nls.localize(
                        'theia/qwen-daemon/commands/cleared',
                        'A new chat has begun. This one stays among the earlier ones.'
                    )
                })
            );
            this.page.view.beginChat();
        } else {
            await this.open();
            response.response.addContent(new NoticeContent({ message: OwnCommands.help(this.slashCommands) }));
        }
        response.complete();
    }

    /**
     * Qwen forgets a message that was edited, and what came after it. Files stay as they are.
     * @returns what the user should know
     */
    protected async forget(requestId: string | undefined): Promise<string[]> {
        const turnId = requestId && this.requests.turnOf(requestId);
        if (!turnId || (await this.undoTurn(turnId, [])).ok) {
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
        const result = await this.changeMode(modeId);
        if (result.ok) {
            this.modeAtInput.noteCommand();
        }
        return result;
    }

    answerPermission(permissionId: string, answer: PermissionAnswer): Promise<Answer<'accepted' | 'late'>> {
        return this.callSession((backend, session) => backend.answerPermission(session, permissionId, answer));
    }

    cancelTurn(turnId: string): Promise<Answer<void>> {
        return this.callSession((backend, session) => backend.cancelTurn(session, turnId));
    }

    planUndo(turnId: string): Promise<Answer<UndoPlan>> {
        return this.callSession((backend, session) => backend.planUndo(session, turnId));
    }

    undoTurn(turnId: string, wanted: WantedFile[]): Promise<Answer<void>> {
        return this.callSession((backend, session) => backend.undoTurn(session, turnId, wanted));
    }

    /** Brings one file of a turn back. Qwen still knows the turn. */
    async takeBack(turnId: string, wanted: WantedFile): Promise<Answer<void>> {
        const answer = await this.callSession((backend, session) => backend.takeBack(session, turnId, [wanted]));
        if (!answer.ok) {
            return answer;
        }
        const said = takenBackNotice(turnId, wanted.path, answer.value, this.folder);
        this.model.getRequests().at(-1)?.response.response.addContent(said);
        this.changes.update();
        return { ok: true, value: undefined };
    }

    setModel(modelId: string): Promise<Answer<void>> {
        return this.callSession((backend, session) => backend.setModel(session, modelId));
    }

    /** Takes events that the backend sent by itself. */
    receive(events: SessionEvents): void {
        if (events.sessionId === this.knownSessionId) {
            this.accept(events.events, events.fromStart);
        }
    }

    dispose(): void {
        this.turns.dispose();
        this.onDidChangeEmitter.dispose();
    }

    protected async doOpen(): Promise<Answer<SessionInfo>> {
        const answer = await this.connection.callAgain(backend =>
            backend.openSession({
                chatSessionId: this.chatSessionId,
                sessionId: this.knownSessionId,
                approvalMode: this.info?.chosenModeId ?? (this.knownSessionId ? undefined : (this.modeForNew ?? defaultApprovalMode))
            })
        );
        if (!answer.ok) {
            this.sessionProblem = answer.problem;
            // The next message tries again, instead of using a session whose events do not reach this page.
            this.sessionState = this.info && 'lost';
            if (answer.problem.code === 'untrusted' || answer.problem.code === 'ai-off') {
                this.turns.failRunning(answer.problem);
            }
            this.onDidChangeEmitter.fire();
            return answer;
        }
        const { session, events } = answer.value;
        this.knownSessionId = session.sessionId;
        this.info = session;
        this.sessionState = session.state;
        this.sessionProblem = undefined;
        this.accept(events, true);
        this.onDidChangeEmitter.fire();
        return { ok: true, value: session };
    }

    protected async changeMode(modeId: string): Promise<Answer<void>> {
        const result = await this.callSession((backend, session) => backend.setApprovalMode(session, modeId));
        if (result.ok) {
            this.change({ chosenModeId: modeId });
        }
        return result;
    }

    protected callSession<T>(ask: (backend: QwenDaemonBackend, sessionId: string) => Promise<Answer<T>>): Promise<Answer<T>> {
        return this.connection.call(backend => ask(backend, this.knownSessionId ?? ''));
    }

    protected accept(events: SessionEvent[], fromStart: boolean): void {
        this.turns.beginBatch(events, fromStart);
        for (const event of events) {
            this.apply(event);
        }
        this.changes.accept(events, fromStart);
        this.onDidChangeEmitter.fire();
    }

    protected apply(event: SessionEvent): void {
        switch (event.kind) {
            case 'commands':
                this.slashCommands = OwnCommands.among(event.commands);
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
                this.applyMode(event.modeId, event.chosenModeId, event.looser);
                break;
            case 'session':
                this.sessionState = event.state;
                this.sessionProblem = event.problem;
                break;
            default:
                this.turns.apply(event);
        }
    }

    protected applyMode(modeId: string, chosenModeId: string, looser: boolean): void {
        const before = this.info?.currentModeId;
        this.change({ currentModeId: modeId, chosenModeId });
        if (looser && modeId !== before) {
            this.turns.current?.tell(
                nls.localize(
                    'theia/qwen-daemon/mode/looser',
                    'Warning: the approval mode is now "{0}". Qwen asks less often than with "{1}", which was chosen here.',
                    this.modeName(modeId) ?? modeId,
                    this.modeName(chosenModeId) ?? chosenModeId
                ),
                true
            );
        }
    }

    protected change(changes: Partial<SessionInfo>): void {
        if (this.info) {
            this.info = { ...this.info, ...changes };
        }
    }
}
