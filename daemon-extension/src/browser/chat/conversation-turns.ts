// SPDX-License-Identifier: Apache-2.0

import { MutableChatRequestModel } from '@theia/ai-chat/lib/common/chat-model';
import { Disposable, DisposableCollection } from '@theia/core/lib/common/disposable';
import { nls } from '@theia/core/lib/common/nls';
import { DaemonProblem } from '../../common/daemon-problem';
import { Answer, EndEvent, QueueEvent, SessionEvent, TurnEvent } from '../../common/qwen-daemon-protocol';
import { ChatRequests } from './chat-requests';
import { TurnHost } from './conversation-page';
import { PermissionView } from './permission-view';
import { STATUS_LINE, TurnKind, TurnView } from './turn-view';

/** Finds, for each event, the response in which its turn shows. */
export class ConversationTurns implements Disposable {
    protected readonly views = new Map<string, TurnView>();
    protected readonly toDispose = new DisposableCollection();
    /** The turn with the latest event. */
    current: TurnView | undefined;
    /** The events that are being applied. */
    protected batch: readonly SessionEvent[] = [];
    /** They are all that is known of the session. */
    protected fromStart = false;
    /** Permissions that they say are answered. */
    protected closed: ReadonlySet<string> = new Set();

    constructor(
        protected readonly requests: ChatRequests,
        protected readonly host: TurnHost
    ) {}

    get waiting(): PermissionView[] {
        return [...this.views.values()].flatMap(({ waiting }) => waiting);
    }

    /** A message waits for another one. */
    get isQueued(): boolean {
        return [...this.views.values()].filter(({ kind, ended }) => kind === 'own' && !ended).length > 1;
    }

    /** A turn that has ended keeps the name of its model. */
    showModel(name: string | undefined): void {
        this.views.forEach(view => !view.ended && view.request.response.setLanguageModel(name));
    }

    /** A request of the user is on its way, perhaps behind an earlier one: the daemon has not named its turn yet. */
    begin(request: MutableChatRequestModel): void {
        letGoOn(request);
        this.showStatus(request, nls.localize('theia/qwen-daemon/turn/sending', 'Sending…'));
    }

    showStatus({ response }: MutableChatRequestModel, content: string): void {
        response.addProgressMessage({ id: STATUS_LINE, content, status: 'inProgress', show: 'whileIncomplete' });
    }

    /** It was not sent. */
    fail(request: MutableChatRequestModel, problem: DaemonProblem): void {
        this.viewOf(request).fail(problem, true);
    }

    /** The backend has it. */
    accept(request: MutableChatRequestModel, notices: string[]): void {
        const view = this.viewOf(request);
        notices.forEach(notice => view.tell(notice));
    }

    /** Whether the backend has it: an answer may have been lost. */
    knows({ id }: MutableChatRequestModel): boolean {
        return this.views.has(id);
    }

    giveBack(request: MutableChatRequestModel): void {
        // One that was edited since stands in the chat as it is now.
        if (this.requests.isShown(request)) {
            this.host.page.view.giveBack(this.host.chatSessionId, request.request.text);
        }
    }

    /** Stops what was asked in this chat, the newest first: else the next of the queue would begin. */
    stop(): void {
        const running = [...this.views.values()].filter(
            ({ kind, ended, request }) => kind === 'own' && !ended && !request.response.isCanceled
        );
        running.reverse().forEach(({ request }) => request.response.cancel());
    }

    /** What a message that was edited had asked, and what followed it: Theia no longer shows it, nor what it would ask. */
    async stopHidden(): Promise<void> {
        const hidden = [...this.views.values()].filter(
            ({ kind, ended, request }) => kind === 'own' && !ended && !this.requests.isShown(request)
        );
        await Promise.all(hidden.reverse().map(view => this.cancel(view)));
    }

    /**
     * Shows events, in their order. After a gap they are all that is known, and every turn that they name is built anew from them. What the chat
     * shows of others stays, and so does a turn that it shows whole: a daemon that loaded its session has no answered permissions.
     */
    apply(events: readonly SessionEvent[], fromStart: boolean, applyOther: (event: SessionEvent) => void): void {
        this.batch = events;
        this.fromStart = fromStart;
        this.closed = new Set(events.flatMap(event => (event.kind === 'permissionClosed' ? [event.permissionId] : [])));
        const whole = fromStart ? this.shownWhole() : new Set<string>();
        for (const event of events) {
            if (event.kind === 'turn') {
                this.current = this.turn(event, whole.has(event.turnId));
            } else if (event.kind === 'end' || !('turnId' in event) || event.turnId === undefined || !whole.has(event.turnId)) {
                this.applyOne(event, applyOther);
            }
        }
        if (fromStart) {
            // What the backend had taken, and nobody knows any more: it ended, or the daemon did.
            const named = new Set(events.flatMap(event => (event.kind === 'turn' ? event.turnId : [])));
            this.failRunning({ code: 'turn-lost' }, turnId => !named.has(turnId));
        }
    }

    /** No more events will come for what runs. The newest first: what goes back to the user is put above what went before. */
    failRunning(problem: DaemonProblem, isMeant = (_turnId: string): boolean => true): void {
        const running = [...this.views.values()].filter(({ ended, turnId }) => !ended && isMeant(turnId));
        for (const view of running.reverse()) {
            // What others asked stands at no input.
            if (view.isEmpty && view.request.id === view.turnId) {
                this.giveBack(view.request);
            }
            view.fail(problem);
        }
    }

    showQueue({ turnIds }: QueueEvent): void {
        for (const [turnId, view] of this.views) {
            const index = turnIds.indexOf(turnId);
            if (index > 0) {
                view.showStatus(nls.localize('theia/qwen-daemon/turn/queued', 'Queued behind {0} other prompts', index + 1));
            } else if (index === 0) {
                view.showStatus(nls.localize('theia/qwen-daemon/turn/queuedOne', 'Queued behind 1 other prompt'));
            } else if (!view.ended && view.isEmpty) {
                view.showStatus();
            }
        }
    }

    dispose(): void {
        this.toDispose.dispose();
        this.views.forEach(view => view.dispose());
    }

    protected applyOne(event: SessionEvent, applyOther: (event: SessionEvent) => void): void {
        if (event.kind === 'permissionClosed') {
            this.views.forEach(view => view.apply(event));
            return;
        }
        const turnId = 'turnId' in event ? event.turnId : undefined;
        const view = turnId === undefined ? this.current : this.views.get(turnId);
        if (turnId === undefined && event.kind !== 'notice') {
            applyOther(event);
            return;
        }
        view?.apply(event, this.closed);
        // Each once: not what a session repeats, nor what somebody else asked.
        if (event.kind === 'usage' && view?.kind === 'own' && !this.fromStart) {
            this.host.page.countTokens(this.host.modelName ?? '', view.request.id, event);
        }
        // Not what was removed long ago, in another chat.
        if (event.kind === 'end' && event.outcome === 'removed' && view?.kind === 'own' && !this.fromStart) {
            this.giveBack(view.request);
        }
    }

    protected shownWhole(): Set<string> {
        const names = this.batch.flatMap(event => (event.kind === 'turn' ? event.turnId : []));
        return new Set(
            names.filter(turnId => {
                const request = this.views.get(turnId)?.request ?? this.requests.showing(turnId);
                const told = this.batch.filter(event => 'turnId' in event && event.turnId === turnId);
                return request !== undefined && TurnView.showsAll(request, told);
            })
        );
    }

    protected viewOf(request: MutableChatRequestModel): TurnView {
        return this.views.get(request.id) ?? this.show(request, request.id, 'own');
    }

    protected turn(event: TurnEvent, isWhole: boolean): TurnView {
        const known = this.views.get(event.turnId);
        if (known && (!this.fromStart || isWhole)) {
            return known;
        }
        const request = known?.request ?? this.requests.showing(event.turnId);
        if (!request) {
            return this.showForeign(event);
        }
        const end = this.endOf(event);
        const kind = known?.kind ?? (end || isStoppable(event) ? 'own' : 'foreign');
        if (isWhole) {
            const view = this.show(request, event.turnId, kind);
            view.ended = end?.problem === undefined;
            return view;
        }
        const { response } = request;
        if (kind === 'own' && response.isComplete && !response.isCanceled && (!end || response.isError)) {
            known?.dispose();
            const waits = (turnId: string): boolean => {
                const told = this.batch.filter(other => 'turnId' in other && other.turnId === turnId);
                return told.length > 0 && told.every(other => other.kind === 'turn');
            };
            return this.show(this.requests.reopen(request, waits), event.turnId, kind);
        }
        if (known) {
            known.reset(this.asked());
            return known;
        }
        response.response.clearContent();
        return this.show(request, event.turnId, kind);
    }

    protected endOf({ turnId }: TurnEvent): EndEvent | undefined {
        return this.batch.filter(event => event.kind === 'end').find(end => end.turnId === turnId);
    }

    /** The permissions of this batch that nobody has answered. */
    protected asked(): ReadonlySet<string> {
        const asked = this.batch.flatMap(event => (event.kind === 'permission' ? [event.permission.id] : []));
        return new Set(asked.filter(id => !this.closed.has(id)));
    }

    protected showForeign(event: TurnEvent): TurnView {
        const request = this.requests.append(
            event.origin === 'qwen' ? nls.localize('theia/qwen-daemon/turn/byItselfAsked', '(Qwen goes on by itself)') : event.prompt
        );
        const isElsewhere = event.origin === 'own' && !this.fromStart;
        const view = this.show(request, event.turnId, this.endOf(event) || (isStoppable(event) && !isElsewhere) ? 'own' : 'foreign');
        if (event.origin === 'other') {
            view.tell(nls.localize('theia/qwen-daemon/turn/foreign', 'Asked by another client of this session.'));
        } else if (event.origin === 'qwen') {
            view.tell(
                nls.localize(
                    'theia/qwen-daemon/turn/byItself',
                    'Nobody asked for this: Qwen goes on by itself, for a goal, a schedule, or a task in the background. Stop also pauses the goal.'
                )
            );
        } else if (isElsewhere) {
            view.tell(nls.localize('theia/qwen-daemon/turn/otherWindow', 'Asked in another window of this IDE.'));
        }
        return view;
    }

    protected show(request: MutableChatRequestModel, turnId: string, kind: TurnKind): TurnView {
        if (!request.response.languageModel) {
            request.response.setLanguageModel(this.host.modelName);
        }
        const view = new TurnView(request, { sessionId: this.host.sessionId ?? '', turnId }, kind, this.host);
        this.views.set(turnId, view);
        this.current = view;
        if (kind === 'own') {
            letGoOn(request);
            this.cancelWith(request, view);
        }
        return view;
    }

    protected cancel({ turnId }: TurnView): Promise<Answer<void>> {
        return this.host.call((backend, session) => backend.cancelTurn(session, turnId));
    }

    /**
     * The user stops the request: Theia ends its response at once, the daemon's turn ends when it can. Theia offers Stop for the newest request
     * only, so it stops those before it as well.
     */
    protected cancelWith(request: MutableChatRequestModel, view: TurnView): void {
        const cancel = async (): Promise<void> => {
            if (!view.ended) {
                const result = await this.cancel(view);
                if (!result.ok && !view.ended) {
                    view.showProblem(result.problem);
                }
            }
        };
        const stop = (): void => {
            void cancel();
            this.stop();
        };
        if (request.response.isCanceled) {
            void cancel();
        } else {
            this.toDispose.push(request.response.cancellationToken.onCancellationRequested(stop));
        }
    }
}

/**
 * With every message Theia cancels what runs in the chat (`cancelIncompleteRequests`), by the request. The user's Stop goes by the response, so
 * the two can be told apart. Here a message waits in the backend instead. What another agent delegated to this one it may still cancel.
 */
function letGoOn(request: MutableChatRequestModel): void {
    if (request.session.parentSessionId === undefined) {
        request.cancel = () => undefined;
    }
}

/** Another client's turn is not stopped from here. */
function isStoppable({ origin }: TurnEvent): boolean {
    return origin === 'own' || origin === 'qwen';
}
