// SPDX-License-Identifier: Apache-2.0

import {
    ChatResponseContent,
    MarkdownChatResponseContentImpl,
    ToolCallChatResponseContent,
    ToolCallChatResponseContentImpl
} from '@theia/ai-chat/lib/common';
import { MutableChatRequestModel, QuestionContentData, QuestionResponseContentImpl } from '@theia/ai-chat/lib/common/chat-model';
import { ChatContentDeserializerContribution, ChatContentDeserializerRegistry } from '@theia/ai-chat/lib/common/chat-content-deserializer';
import { SerializableChatResponseContentData } from '@theia/ai-chat/lib/common/chat-model-serialization';
import { MarkdownStringImpl } from '@theia/core/lib/common/markdown-rendering/markdown-string';
import { nls } from '@theia/core/lib/common/nls';
import { injectable } from '@theia/core/shared/inversify';
import { visibleText } from 'theia-cli-companion/lib/common';
import { DaemonProblem } from '../../common/daemon-problem';
import { PermissionOption, PermissionRequest, PlanEntry, ToolCall } from '../../common/qwen-daemon-protocol';
import { Edit } from '../diff/edit-diff-resources';

const ANSWER_KIND = 'qwenDaemonAnswer';

/** Markdown of the model. Stored as its own kind, because Theia (1.74) treats text in `<>`, as in `List<String>`, as HTML. */
export class AnswerContent extends MarkdownChatResponseContentImpl {
    override toSerializable(): { kind: 'markdownContent'; data: { content: string } } {
        return { ...super.toSerializable(), kind: ANSWER_KIND as 'markdownContent' };
    }
}

/** The model's list of steps. A later list replaces the entries, and the list keeps its place in the response. */
export class PlanContent extends AnswerContent {
    show(entries: PlanEntry[]): void {
        const marks = { pending: '☐', in_progress: '▸', completed: '☑' };
        const title = nls.localize('theia/qwen-daemon/plan/title', 'Plan');
        this._content = new MarkdownStringImpl(
            [`**${title}**`, ...entries.map(({ content, status }) => `${marks[status]} ${content}`)].join('  \n')
        );
    }
}

/** A part that Theia stores with the chat. */
abstract class StoredContent<T> implements ChatResponseContent {
    abstract readonly kind: string;

    constructor(readonly data: T) {}

    asString(): string {
        return '';
    }

    toSerializable(): SerializableChatResponseContentData<T> {
        return { kind: this.kind, data: this.data };
    }
}

const NOTICE_KIND = 'qwenDaemonNotice';

export interface NoticeData {
    message: string;
    warning?: boolean;
    /** It says that a file of a turn was reverted. */
    reverted?: { turnId: string; path: string };
}

/** A notice to the user, as plain text. Theia does not render its own informational content at all (1.74). */
export class NoticeContent extends StoredContent<NoticeData> {
    readonly kind = NOTICE_KIND;

    override asString(): string {
        return this.data.message;
    }
}

const PROBLEM_KIND = 'qwenDaemonProblem';

/** Kept in sentences, as notices are: a stored chat says what it said before. */
export interface ProblemData {
    message: string;
    code: DaemonProblem['code'];
    /** The daemon did not get the message. */
    isUnsent?: boolean;
}

/** What went wrong and what helps, with a button if one does. */
export class ProblemContent extends StoredContent<ProblemData> {
    readonly kind = PROBLEM_KIND;

    override asString(): string {
        return this.data.message;
    }
}

export const TURN_MARKER_KIND = 'qwenDaemonTurn';

export interface TurnMarkerData {
    sessionId: string;
    turnId: string;
}

/**
 * Says which turn of which daemon session a response shows. It is invisible. Theia stores it with the chat, as it stores
 * all content, so a turn is found again after a reload. (A request's data and its mode are not stored by Theia 1.74.)
 */
export class TurnMarkerContent extends StoredContent<TurnMarkerData> {
    readonly kind = TURN_MARKER_KIND;
}

const PERMISSION_KIND = 'qwenDaemonPermission';

/** What is shown of a permission, before and after the answer. */
export interface PermissionData extends Omit<PermissionRequest, 'questions'> {
    /** Label of what was chosen, or why nothing was. Absent while it is asked. */
    answer?: string;
}

/**
 * A permission that the daemon asks for. To Theia it is a question, so Theia says in its lists that the chat waits for the user. It has a
 * renderer of its own: a plan and a command are more than a sentence. It stays in the stored chat with its answer.
 */
export class PermissionContent extends QuestionResponseContentImpl {
    constructor(
        readonly permission: Readonly<PermissionData>,
        request?: MutableChatRequestModel,
        protected readonly vote?: (optionId: string) => unknown,
        onSkip?: () => void
    ) {
        const options = PermissionContent.inOrder(permission.options).map(({ id, label }) => ({ text: label, value: id }));
        const { answer } = permission;
        super(permission.title, options, request, vote && (({ value }) => vote(value ?? '')), {
            onSkip,
            selectedOption: answer === undefined ? undefined : { text: optionLabel(answer) }
        });
    }

    /** Whether it was allowed; `undefined` while nobody answered. */
    get allowed(): boolean | undefined {
        const { selectedOption, permission } = this;
        const role = PermissionContent.inOrder(permission.options).find(({ label }) => label === selectedOption?.text)?.role;
        return selectedOption && (role === 'allow_once' || role === 'allow_always');
    }

    choose(optionId: string): void {
        const option = this.options.find(({ value }) => value === optionId);
        if (option && !this.isReadOnly && !this.isResolved) {
            this.selectedOption = option;
            this.vote?.(optionId);
        }
    }

    /** Takes the option that allows or refuses it this time only. */
    decide(allow: boolean): void {
        const wanted = allow ? 'allow_once' : 'reject_once';
        const option = PermissionContent.inOrder(this.permission.options).find(({ role }) => role === wanted);
        if (option) {
            this.choose(option.id);
        }
    }

    /** What allows the least first, as people read it. What allows for ever is never the first, wherever the daemon puts it. */
    static inOrder(options: readonly PermissionOption[]): PermissionOption[] {
        const ranks: Record<PermissionOption['role'], number> = {
            allow_once: 0,
            reject_once: 1,
            reject_always: 2,
            other: 3,
            allow_always: 4
        };
        // Of several that allow once, this is the one that goes on asking (Qwen Code 0.24).
        const rank = ({ id, role }: PermissionOption): number => (id === 'proceed_once' ? -1 : ranks[role]);
        return options.map(option => ({ ...option, label: optionLabel(option.label) })).sort((a, b) => rank(a) - rank(b));
    }

    override toSerializable(): SerializableChatResponseContentData<QuestionContentData & { permission: PermissionData }> {
        const chosen = this.selectedOption?.text;
        // In the daemon's words: the user may have another language when it is read.
        const answer = this.permission.options.find(({ label }) => optionLabel(label) === chosen)?.label ?? chosen;
        const permission: PermissionData = { ...this.permission, answer };
        return { kind: PERMISSION_KIND, data: { ...super.toSerializable().data, permission } };
    }
}

/** In the daemon's words, which are English; some name the key that they have in its terminal. */
export function optionLabel(label: string): string {
    switch (label) {
        case 'Allow':
            return nls.localize('theia/qwen-daemon/waiting/allow', 'Allow');
        case 'Reject':
            return nls.localize('theia/qwen-daemon/waiting/reject', 'Reject');
        default:
            return visibleText(label).replace(/ \(esc\)$/, '');
    }
}

const DATA_KEY = 'qwen-daemon';

/** What the renderer needs beyond name, arguments and result of the tool call. */
export interface ToolDetails extends Pick<ToolCall, 'title' | 'toolKind' | 'status' | 'diff' | 'mcpServer' | 'truncated'> {
    edit: Edit;
}

/**
 * A tool call of the daemon. The details are in `data` and not in own fields, because Theia restores stored tool calls as plain
 * ones: the renderer must be able to recognise them by their data.
 */
export class ToolContent extends ToolCallChatResponseContentImpl {
    constructor(
        protected readonly turn: { sessionId: string; turnId: string },
        tool: ToolCall
    ) {
        // The id is unique in its turn only; Theia merges by id within one response, which is a turn.
        super(tool.id, tool.name);
        this.update(tool);
    }

    /** Shows the tool call as it is now. Call `responseContentChanged` of the response afterwards. */
    update({ id, name, args, result, title, toolKind, status, diff, mcpServer, truncated }: ToolCall): void {
        const { sessionId, turnId } = this.turn;
        const details: ToolDetails = { edit: { sessionId, turnId, toolId: id }, title, toolKind, status, diff, mcpServer, truncated };
        this._name = name;
        this._arguments = args;
        this._data = { [DATA_KEY]: JSON.stringify(details) };
        if (status === 'completed' || status === 'failed') {
            this.complete(result ?? '');
        } else if (result !== undefined) {
            this.updateResult(result);
        }
    }

    /** The turn ended before this call did. */
    interrupt(): void {
        if (!this.finished) {
            this.complete(this.result ?? '');
        }
    }
}

/** `undefined` for tool calls of other agents, and for damaged data. */
export function toolDetails(content: ToolCallChatResponseContent): ToolDetails | undefined {
    const data = content.data?.[DATA_KEY];
    if (data === undefined) {
        return undefined;
    }
    try {
        return JSON.parse(data) as ToolDetails;
    } catch {
        return undefined;
    }
}

/** Makes the parts of a stored chat again. */
@injectable()
export class QwenContentDeserializers implements ChatContentDeserializerContribution {
    registerDeserializers(registry: ChatContentDeserializerRegistry): void {
        registry.register({ kind: ANSWER_KIND, deserialize: data => new AnswerContent((data as { content: string }).content) });
        registry.register({ kind: TURN_MARKER_KIND, deserialize: data => new TurnMarkerContent(data as TurnMarkerData) });
        registry.register({ kind: NOTICE_KIND, deserialize: data => new NoticeContent(data as NoticeData) });
        registry.register({ kind: PROBLEM_KIND, deserialize: data => new ProblemContent(data as ProblemData) });
        registry.register({
            kind: PERMISSION_KIND,
            deserialize: data => new PermissionContent((data as { permission: PermissionData }).permission)
        });
    }
}
