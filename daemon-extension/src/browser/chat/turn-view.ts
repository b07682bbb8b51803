// SPDX-License-Identifier: Apache-2.0

import {
    CodeChatResponseContent,
    MutableChatRequestModel,
    MutableChatResponseModel,
    ThinkingChatResponseContentImpl,
    ToolCallChatResponseContent
} from '@theia/ai-chat/lib/common/chat-model';
import { Disposable } from '@theia/core/lib/common/disposable';
import { nls } from '@theia/core/lib/common/nls';
import { DaemonProblem, noticeText, problemText } from '../../common/daemon-problem';
import { EndEvent, PermissionRequest, PlanEntry, SessionEvent, ToolCall } from '../../common/qwen-daemon-protocol';
import { AnswerContent } from '../parts/answer-content';
import { NoticeContent } from '../parts/notice-content';
import { ProblemContent } from '../parts/problem-content';
import { toolDetails, ToolContent } from '../parts/tool-content';
import { TurnMarkerContent } from '../parts/turn-marker-content';
import { GrowingText } from './answer-text';
import { TurnHost } from './conversation-page';
import { AskingTurn, PermissionView } from './permission-view';

/** Id of the progress message that says what the turn is doing; one per response. */
export const STATUS_LINE = 'qwen-daemon-status-line';

/**
 * - `own`: asked in this chat; stopping the request cancels it
 * - `foreign`: asked by somebody else and running. Its response counts as finished from the start: Theia cancels unfinished
 *   responses when the user sends something, and that must not cancel another client's turn
 */
export type TurnKind = 'own' | 'foreign';

/** Shows one turn of the daemon session in one response of the chat. */
export class TurnView implements AskingTurn, Disposable {
    protected readonly tools = new Map<string, ToolContent>();
    protected readonly permissions = new Map<string, PermissionView>();
    protected plan: AnswerContent | undefined;
    protected text: GrowingText | undefined;
    ended = false;
    protected readonly told: NoticeContent[] = [];

    constructor(
        readonly request: MutableChatRequestModel,
        readonly marker: { sessionId: string; turnId: string },
        readonly kind: TurnKind,
        readonly host: TurnHost
    ) {
        this.begin();
    }

    get turnId(): string {
        return this.marker.turnId;
    }

    get waiting(): PermissionView[] {
        return [...this.permissions.values()].filter(({ isOpen }) => isOpen);
    }

    protected get response(): MutableChatResponseModel {
        return this.request.response;
    }

    /**
     * Forgets what it shows, to be rebuilt.
     *
     * @param asked permissions that will be asked again
     */
    reset(asked: ReadonlySet<string>): void {
        this.closePermissions(asked);
        this.tools.clear();
        this.plan = undefined;
        this.ended = false;
        this.text = undefined;
        this.response.response.clearContent();
        this.begin();
        this.response.response.addContents(this.told);
    }

    /** Whether it shows all that is told of the turn, and how it ended. */
    static showsAll({ response }: MutableChatRequestModel, events: readonly SessionEvent[]): boolean {
        const parts = response.response.content;
        const told = events.map(event => (event.kind === 'text' ? event.text : '')).join('');
        const shown = parts.filter(part => part instanceof AnswerContent || CodeChatResponseContent.is(part));
        const tools = parts.flatMap(part => (ToolCallChatResponseContent.is(part) ? (toolDetails(part) ?? []) : []));
        const end = events.find(event => event.kind === 'end');
        const isFailed = parts.at(-1) instanceof ProblemContent;
        return (
            end !== undefined &&
            (!isFailed || end.problem !== undefined) &&
            spoken(shown.map(part => part.asString?.() ?? '').join('')).length >= spoken(told).length &&
            events.every(
                event =>
                    event.kind !== 'tool' || tools.some(({ edit, status }) => edit.toolId === event.tool.id && status === event.tool.status)
            )
        );
    }

    /** @param closed permissions whose answer is already known: no diff opens for them */
    apply(event: SessionEvent, closed: ReadonlySet<string> = new Set()): void {
        switch (event.kind) {
            case 'text':
                this.showText(event.text);
                break;
            case 'thought':
                this.response.response.addContent(new ThinkingChatResponseContentImpl(event.text, ''));
                break;
            case 'tool':
                this.showTool(event.tool);
                break;
            case 'plan':
                this.showPlan(event.entries);
                break;
            case 'usage':
                this.response.setTokenUsage({
                    inputTokens: event.inputTokens,
                    outputTokens: event.outputTokens,
                    cacheReadInputTokens: event.cachedReadTokens
                });
                break;
            case 'permission':
                this.ask(event.permission, closed);
                break;
            case 'permissionClosed':
                if (!this.permissions.has(event.permissionId)) {
                    return;
                }
                this.permissions.get(event.permissionId)?.close(event);
                break;
            case 'notice':
                // The user's own message shows its images.
                if (event.notice.code !== 'prompt-image' || this.kind !== 'own') {
                    this.showNotice(noticeText(event.notice));
                }
                break;
            case 'waiting':
                this.showStatus(
                    nls.localize(
                        'theia/qwen-daemon/turn/waiting',
                        'Still waiting for the model: it may be busy or out of reach. Stop the request to give up.'
                    )
                );
                return;
            case 'cancelling':
                this.showStatus(nls.localize('theia/qwen-daemon/turn/cancelling', 'Cancelling…'));
                return;
            case 'end':
                this.end(event);
                return;
        }
        if (!this.ended) {
            this.showStatus();
        }
    }

    /** What the turn is doing, shown while it runs; without a text: that it works, or waits for the user. */
    showStatus(text: string = this.usualStatus()): void {
        const known = this.response.getProgressMessage(STATUS_LINE);
        if (known?.content !== text || known.status !== 'inProgress') {
            this.response.addProgressMessage({
                id: STATUS_LINE,
                content: text,
                status: 'inProgress',
                show: this.kind === 'foreign' ? 'forever' : 'whileIncomplete'
            });
        }
    }

    protected usualStatus(): string {
        return this.waiting.length
            ? nls.localize('theia/qwen-daemon/turn/asking', 'Qwen is waiting for your answer.')
            : nls.localize('theia/qwen-daemon/turn/working', 'Qwen is working…');
    }

    /** What no event repeats: it stays when the turn is rebuilt. */
    tell(message: string, warning = false): void {
        const notice = new NoticeContent({ message, warning });
        this.told.push(notice);
        this.response.response.addContent(notice);
    }

    showNotice(message: string): void {
        this.response.response.addContent(new NoticeContent({ message }));
    }

    showProblem(problem: DaemonProblem, isUnsent?: boolean): void {
        this.response.response.addContent(new ProblemContent({ code: problem.code, message: problemText(problem), isUnsent }));
    }

    /** The turn could not be asked, or what happens to it cannot be known. */
    fail(problem: DaemonProblem, isUnsent?: boolean): void {
        this.finish();
        this.completeWith(problem, isUnsent);
    }

    /** Nothing came yet. */
    get isEmpty(): boolean {
        return this.response.response.content.every(part => part instanceof TurnMarkerContent || part instanceof NoticeContent);
    }

    dispose(): void {
        this.closePermissions();
    }

    protected begin(): void {
        const { response } = this.response;
        if (!response.content.some(content => content instanceof TurnMarkerContent && content.data.turnId === this.turnId)) {
            response.addContent(new TurnMarkerContent({ ...this.marker }));
        }
        if (this.kind !== 'own') {
            this.complete();
        }
        if (!this.ended) {
            this.showStatus();
        }
    }

    protected showText(text: string): void {
        if (!this.text?.isLast) {
            this.text = new GrowingText(this.request);
        }
        this.text.append(text);
    }

    protected showTool(tool: ToolCall): void {
        const known = this.tools.get(tool.id);
        if (known) {
            known.update(tool);
            this.response.response.responseContentChanged();
        } else {
            const content = new ToolContent(this.marker, tool);
            this.tools.set(tool.id, content);
            this.response.response.addContent(content);
        }
    }

    protected ask(permission: PermissionRequest, closed: ReadonlySet<string>): void {
        const { response } = this.response;
        // After a reconnect it is said again. What the user has begun to answer stays.
        const asked = this.permissions.get(permission.id);
        if (asked?.isOpen) {
            response.addContents(asked.parts.filter(part => !response.content.includes(part)));
            return;
        }
        const view = new PermissionView(permission, this);
        this.permissions.set(permission.id, view);
        response.addContents(view.parts);
        if (permission.diff && !closed.has(permission.id)) {
            this.host.page.diffs.openForPermission({ edit: view.edit, diff: permission.diff });
        }
    }

    /** Closes all but those that will be asked again. */
    protected closePermissions(but: ReadonlySet<string> = new Set()): void {
        for (const [id, view] of this.permissions) {
            if (!but.has(id)) {
                view.close();
            }
            if (!view.isOpen) {
                this.permissions.delete(id);
            }
        }
    }

    protected showPlan(entries: PlanEntry[]): void {
        if (!this.plan) {
            this.plan = new AnswerContent('');
            this.response.response.addContent(this.plan);
        }
        const marks = { pending: '☐', in_progress: '▸', completed: '☑' };
        const title = nls.localize('theia/qwen-daemon/plan/title', 'Plan');
        const lines = [`**${title}**`, ...entries.map(({ content, status }) => `${marks[status]} ${content}`)];
        // A later list of steps keeps the place of the first one.
        this.plan.replace(lines.join('  \n'));
        this.response.response.responseContentChanged();
    }

    protected end(event: EndEvent): void {
        if (this.ended) {
            return;
        }
        this.finish();
        switch (event.outcome) {
            case 'completed':
                if (event.stopReason && event.stopReason !== 'end_turn') {
                    this.showNotice(nls.localize('theia/qwen-daemon/turn/stopped', 'The model stopped early: {0}', event.stopReason));
                }
                this.complete();
                break;
            case 'cancelled':
                this.showNotice(nls.localize('theia/qwen-daemon/turn/cancelled', 'Cancelled.'));
                this.complete();
                break;
            case 'removed':
                if (event.problem) {
                    this.completeWith(event.problem, true);
                    break;
                }
                this.showNotice(nls.localize('theia/qwen-daemon/turn/removed', 'Removed from the queue before it started.'));
                this.complete();
                break;
            case 'error':
            case 'lost':
                // Of a turn that the user stopped, the daemon may later know no end (Qwen Code 0.24). One loss is said once.
                if (!this.response.isCanceled && !(this.response.response.content.at(-1) instanceof ProblemContent)) {
                    this.completeWith(event.problem ?? { code: 'model-failed', cause: '' });
                }
                break;
        }
    }

    protected finish(): void {
        this.ended = true;
        this.closePermissions();
        this.tools.forEach(tool => tool.interrupt());
        if (this.kind === 'foreign') {
            this.response.addProgressMessage({
                id: STATUS_LINE,
                content: nls.localize('theia/qwen-daemon/turn/ended', 'This turn has ended.'),
                status: 'completed'
            });
        }
    }

    /**
     * Theia says the error of a response also in a message over its input. The answer says it already, so it is complete before it is an
     * error; only an error can be retried.
     */
    protected completeWith(problem: DaemonProblem, isUnsent?: boolean): void {
        this.showProblem(problem, isUnsent);
        this.complete();
        setTimeout(() => this.response.error(new Error(problemText(problem))));
    }

    protected complete(): void {
        if (!this.response.isComplete) {
            this.response.complete();
        }
    }
}

/** A text as it was told and as it is shown in parts differ in fences and in what is between blocks. */
function spoken(text: string): string {
    return text.replace(/[\s`]/g, '');
}
