// SPDX-License-Identifier: Apache-2.0

import { CodeChatResponseContent, MutableChatRequestModel } from '@theia/ai-chat/lib/common/chat-model';
import { Disposable, DisposableCollection } from '@theia/core/lib/common/disposable';
import { nls } from '@theia/core/lib/common/nls';
import { DaemonProblem } from '../../common/daemon-problem';
import { Answer, EndEvent, PromptAccepted, QueueEvent, SessionEvent, SteeredEvent, TurnEvent } from '../../common/qwen-daemon-protocol';
import { AnswerContent } from '../parts/response-parts';
import { ChatRequests, markerOf } from './chat-requests';
import { TurnHost } from './conversation-page';
import { PermissionView } from './permission-view';
import { STATUS_LINE, TurnKind, TurnView } from './turn-view';

/** Finds, for each event, the response in which its turn shows. */
export class ConversationTurns implements Disposable {
    protected readonly views = new Map<string, TurnView>();
    protected readonly viewsOfRequests = new Map<string, TurnView>();
    protected readonly toDispose = new DisposableCollection();
    /** The turn with the latest event. */
    current: TurnView | undefined;
    /** By the user, in this page. */
    protected readonly stopped = new WeakSet<TurnView>();

    /** Of the batch of events that is being applied. */
    protected closedPermissions = new Set<string>();
    protected ends = new Map<string, EndEvent | undefined>();
    protected namedTurns = new Set<string>();
    protected batch: SessionEvent[] = [];
    /** What the chat shows of these stays as it is. */
    protected keptTurns = new Set<string>();
    protected anew = false;

    constructor(
        protected readonly requests: ChatRequests,
        protected readonly host: TurnHost
    ) {}

    get waiting(): PermissionView[] {
        return [...this.views.values()].flatMap(({ waiting }) => waiting);
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

    fail(request: MutableChatRequestModel, problem: DaemonProblem): void {
        const view = this.viewsOfRequests.get(request.id) ?? this.show(request, '', 'own');
        view.fail(problem);
    }

    accepted(request: MutableChatRequestModel, { turnId, ahead, steers }: PromptAccepted, notices: string[]): void {
        const view = this.views.get(turnId) ?? this.viewsOfRequests.get(request.id) ?? this.show(request, turnId, 'own');
        notices.forEach(notice => view.tell(notice));
        if (view.turnId === turnId && ahead > 0 && !view.ended) {
            this.showPlace(view, ahead, steers);
        }
    }

    /** The turn of a request that the daemon has, whoever knows that it was sent. */
    turnOf(request: MutableChatRequestModel): Answer<PromptAccepted> | undefined {
        const turnId = this.viewsOfRequests.get(request.id)?.turnId;
        return turnId ? { ok: true, value: { turnId, ahead: 0 } } : undefined;
    }

    /** Stops what was asked in this chat, and waits for nothing. */
    stopAll(): void {
        this.views.forEach(view => view.kind === 'own' && !view.ended && void this.cancel(view));
    }

    beginBatch(events: SessionEvent[], fromStart: boolean): void {
        this.anew = fromStart;
        this.closedPermissions = new Set(events.flatMap(event => (event.kind === 'permissionClosed' ? [event.permissionId] : [])));
        this.namedTurns = new Set(events.flatMap(event => (event.kind === 'turn' ? [event.turnId] : [])));
        this.batch = events;
        this.keptTurns.clear();
        this.ends = new Map(events.flatMap(event => (event.kind === 'end' ? [[event.turnId, event]] : [])));
        for (const event of events) {
            if (event.kind === 'steered' && this.ends.has(event.turnId)) {
                this.ends.set(event.messageId, this.ends.get(event.turnId));
            }
        }
    }

    apply(event: SessionEvent): void {
        if (event.kind === 'turn') {
            this.current = this.turn(event);
            return;
        }
        if (event.kind === 'steered') {
            if (!this.keptTurns.has(event.turnId)) {
                this.steer(event);
            }
            return;
        }
        if (event.kind === 'permissionClosed') {
            this.views.forEach(view => view.apply(event));
            return;
        }
        const turnId = 'turnId' in event ? event.turnId : undefined;
        const view = turnId === undefined ? this.current : this.views.get(turnId);
        if (turnId !== undefined && this.keptTurns.has(turnId)) {
            if (event.kind === 'end') {
                view?.apply(event);
            }
            return;
        }
        view?.apply(event, this.closedPermissions);
        // Each once: not what a session repeats, nor what somebody else asked.
        if (event.kind === 'usage' && view?.kind === 'own' && !this.anew) {
            this.host.page.countTokens(this.host.modelName ?? '', view.request.id, event);
        }
        // By Stop or Reject: not what was removed long ago, in another chat.
        const isGivenBack = view?.kind === 'own' && (this.stopped.has(view) || !this.anew);
        if (isGivenBack && event.kind === 'end' && event.outcome === 'removed') {
            this.host.page.view.giveBack(this.host.chatSessionId, view.request.request.text);
        }
    }

    /** No more events will come for what runs. */
    failRunning(problem: DaemonProblem): void {
        this.views.forEach(view => !view.ended && view.fail(problem));
    }

    showQueue({ turnIds, steering }: QueueEvent): void {
        turnIds.forEach((turnId, index) => {
            const view = this.views.get(turnId);
            if (view && !view.ended) {
                this.showPlace(view, index + 1, steering.includes(turnId));
            }
        });
    }

    dispose(): void {
        this.toDispose.dispose();
        this.views.forEach(view => view.dispose());
    }

    /** The message leaves the queue: the turn that runs goes on behind it. */
    protected steer({ turnId, messageId }: SteeredEvent): void {
        const view = this.views.get(turnId);
        const waiting = this.views.get(messageId);
        this.views.delete(messageId);
        if (!view || !waiting) {
            waiting?.apply({ kind: 'end', turnId: messageId, outcome: 'completed' });
            return;
        }
        view.goOnBehind(waiting);
        this.viewsOfRequests.set(waiting.request.id, view);
        this.current = view;
        if (view.kind === 'own') {
            this.cancelWith(waiting.request, view);
        }
    }

    protected showPlace(view: TurnView, ahead: number, steers = false): void {
        view.showStatus(
            steers
                ? nls.localize('theia/qwen-daemon/turn/steering', 'Qwen gets this when its current step is done.')
                : ahead === 1
                  ? nls.localize('theia/qwen-daemon/turn/queuedOne', 'Queued behind 1 other prompt')
                  : nls.localize('theia/qwen-daemon/turn/queued', 'Queued behind {0} other prompts', ahead)
        );
    }

    protected turn(event: TurnEvent): TurnView {
        const known = this.views.get(event.turnId);
        if (known && !this.anew) {
            return known;
        }
        const request = known?.root ?? this.requests.showing(event, this.namedTurns);
        return request ? this.viewOf(event, request, known) : this.showForeign(event);
    }

    protected viewOf(event: TurnEvent, request: MutableChatRequestModel, known: TurnView | undefined): TurnView {
        // After a reload, another client's turn is found by its marker; who asked it is still said by the event.
        const isOfOthers = event.origin === 'other' && event.requestId === undefined && request.response.isComplete;
        const kind = isOfOthers ? 'foreign' : (known?.kind ?? 'own');
        if (this.anew && this.isKept(event, request)) {
            this.keptTurns.add(event.turnId);
            return known ?? this.show(request, event.turnId, kind);
        }
        const { response } = request;
        const running = !this.ends.has(event.turnId);
        if (kind === 'own' && this.anew && response.isComplete && !response.isCanceled && (running || response.isError)) {
            known?.dispose();
            return this.show(this.requests.reopen(request), event.turnId, kind, true);
        }
        known?.reset(this.asked());
        return known ?? this.show(request, event.turnId, kind, true);
    }

    /** All of the turn is shown, perhaps under an id that a daemon forgot; or the daemon lost it, and knows less of it than the chat shows. */
    protected isKept({ turnId, prompt }: TurnEvent, request: MutableChatRequestModel): boolean {
        const marker = markerOf(request);
        const end = this.ends.get(turnId);
        if (end && marker?.hasEnded && this.requests.asks(request, prompt)) {
            marker.turnId = turnId;
            return true;
        }
        const isLost = end?.outcome === 'lost' || (end?.problem?.code === 'model-failed' && end.problem.cause === '');
        const told = this.batch.map(event => (event.kind === 'text' && event.turnId === turnId ? event.text : '')).join('');
        return marker !== undefined && isLost && shownText(request).length >= told.length;
    }

    /** The permissions of this batch that nobody has answered. */
    protected asked(): ReadonlySet<string> {
        const asked = this.batch.flatMap(event => (event.kind === 'permission' ? [event.permission.id] : []));
        return new Set(asked.filter(id => !this.closedPermissions.has(id)));
    }

    protected showForeign(event: TurnEvent): TurnView {
        const request = this.requests.append(
            event.origin === 'qwen' ? nls.localize('theia/qwen-daemon/turn/byItselfAsked', '(Qwen goes on by itself)') : event.prompt
        );
        const running = !this.ends.has(event.turnId);
        // A turn of this very session that runs already when the session is opened is the user's own: it may be stopped.
        const foreign = event.origin === 'other' || (event.origin === 'own' && !this.anew);
        const view = this.show(request, event.turnId, running && foreign ? 'foreign' : 'own');
        if (event.origin === 'other') {
            view.tell(nls.localize('theia/qwen-daemon/turn/foreign', 'Asked by another client of this session.'));
        } else if (event.origin === 'qwen') {
            view.tell(
                nls.localize(
                    'theia/qwen-daemon/turn/byItself',
                    'Nobody asked for this: Qwen goes on by itself, for a goal, a schedule, or a task in the background. Stop also pauses the goal.'
                )
            );
        } else if (event.origin === 'own' && !this.anew) {
            view.tell(nls.localize('theia/qwen-daemon/turn/otherWindow', 'Asked in another window of this IDE.'));
        }
        return view;
    }

    protected show(request: MutableChatRequestModel, turnId: string, kind: TurnKind, rebuild = false): TurnView {
        if (rebuild && request.response.response.content.length) {
            request.response.response.clearContent();
        }
        if (!this.ends.has(turnId) && !request.response.languageModel) {
            request.response.setLanguageModel(this.host.modelName);
        }
        const view = new TurnView(request, { sessionId: this.host.sessionId ?? '', turnId }, kind, this.host);
        if (turnId) {
            this.views.set(turnId, view);
        }
        this.viewsOfRequests.set(request.id, view);
        this.current = view;
        if (kind === 'own' && turnId) {
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
     * only, so it stops those before it as well, the newest first: else the next of the queue would begin.
     */
    protected cancelWith(request: MutableChatRequestModel, view: TurnView): void {
        const cancel = async (): Promise<void> => {
            if (!view.ended) {
                this.stopped.add(view);
                const result = await this.cancel(view);
                if (!result.ok && !view.ended) {
                    view.showProblem(result.problem);
                }
            }
        };
        const stop = (): void => {
            void cancel();
            const before = [...this.views.values()].filter(
                ({ kind, ended, request: { response } }) => kind === 'own' && !ended && !response.isCanceled
            );
            before.reverse().forEach(other => other.request.response.cancel());
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
 * the two can be told apart. Here a message waits in the daemon's queue instead. What another agent delegated to this one it may still cancel.
 */
function letGoOn(request: MutableChatRequestModel): void {
    if (request.session.parentSessionId === undefined) {
        request.cancel = () => undefined;
    }
}

function shownText({ response }: MutableChatRequestModel): string {
    const spoken = response.response.content.filter(part => part instanceof AnswerContent || CodeChatResponseContent.is(part));
    return spoken.map(part => part.asString?.() ?? '').join('');
}
