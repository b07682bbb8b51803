// SPDX-License-Identifier: Apache-2.0

import { ChatResponseContent, MarkdownChatResponseContentImpl } from '@theia/ai-chat/lib/common';
import { ChatContentDeserializerContribution, ChatContentDeserializerRegistry } from '@theia/ai-chat/lib/common/chat-content-deserializer';
import { SerializableChatResponseContentData } from '@theia/ai-chat/lib/common/chat-model-serialization';
import { MarkdownStringImpl } from '@theia/core/lib/common/markdown-rendering/markdown-string';
import { nls } from '@theia/core/lib/common/nls';
import { injectable } from '@theia/core/shared/inversify';
import { listOf } from 'theia-cli-companion/lib/common';
import { DaemonProblem, DaemonProblemText } from '../../common/daemon-problem';
import { joinedText } from '../../common/daemon-problem-text';
import { shownPath } from '../../common/plain-text';
import { PlanEntry, UndoneEvent } from '../../common/session-events';
import { TakenBack, UndoneFile } from '../../common/turn-undo';
import { whyLeft } from '../../common/undo-text';
import { PERMISSION_KIND, PermissionContent, PermissionData } from './permission-content';

const ANSWER_KIND = 'qwenDaemonAnswer';

/** Markdown of the model. Of a kind of its own when it is stored: Theia takes what stands in `<>`, as in `List<String>`, for HTML (1.74). */
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
    /** It says that a turn was undone, or only one file of it. */
    undone?: { turnId: string; path?: string };
}

/** A notice to the user, as plain text. Theia does not render its own informational content at all (1.74). */
export class NoticeContent extends StoredContent<NoticeData> {
    readonly kind = NOTICE_KIND;

    override asString(): string {
        return this.data.message;
    }
}

/** @param folder absolute path of the folder in which the daemon works; paths are shown as they are from there */
export function undoneNotice({ turnId, forgotten, files, copies }: Omit<UndoneEvent, 'kind'>, folder: string): NoticeContent {
    const said = [
        forgotten
            ? nls.localize('theia/qwen-daemon/undo/done', 'Undone: Qwen no longer knows this message and its answer.')
            : nls.localize('theia/qwen-daemon/undo/doneFiles', 'Undone, but Qwen still knows this message and its answer.'),
        ...outcomes(files, copies, folder)
    ];
    return new NoticeContent({ message: said.join('\n'), warning: !forgotten || files.some(isLeft), undone: { turnId } });
}

export function takenBackNotice(turnId: string, path: string, { files, copies }: TakenBack, folder: string): NoticeContent {
    const [file] = files.filter(one => one.path === path);
    return new NoticeContent({
        message: outcomes(file ? [file] : [], copies, folder).join('\n'),
        warning: file !== undefined && isLeft(file),
        undone: { turnId, path }
    });
}

function isLeft(file: UndoneFile): boolean {
    return whyLeft(file) !== undefined;
}

function outcomes(files: readonly UndoneFile[], copies: string | undefined, folder: string): string[] {
    const named = (...results: UndoneFile['result'][]): string[] =>
        files.filter(({ result }) => results.includes(result)).map(({ path }) => shownPath(path, folder));
    const restored = named('restored', 'as-before');
    const deleted = named('deleted');
    const left = files.flatMap(file => {
        const why = whyLeft(file);
        return why === undefined ? [] : nls.localize('theia/qwen-daemon/undo/named', '{0} ({1})', shownPath(file.path, folder), why);
    });
    return [
        ...(restored.length ? [nls.localize('theia/qwen-daemon/undo/restored', 'As before: {0}', listOf(restored))] : []),
        ...(deleted.length ? [nls.localize('theia/qwen-daemon/undo/deletedFiles', 'Deleted: {0}', listOf(deleted))] : []),
        ...(left.length ? [nls.localize('theia/qwen-daemon/undo/left', 'Not undone: {0}', listOf(left))] : []),
        ...(copies
            ? [nls.localize('theia/qwen-daemon/undo/copiesIn', 'Copies of what was overwritten or deleted, for 14 days: {0}', copies)]
            : [])
    ];
}

const PROBLEM_KIND = 'qwenDaemonProblem';

/** Kept in sentences, as notices are: a stored chat says what it said before. */
export interface ProblemData extends DaemonProblemText {
    code: DaemonProblem['code'];
}

/** What went wrong, what the user can do, and a button for it if one helps. */
export class ProblemContent extends StoredContent<ProblemData> {
    readonly kind = PROBLEM_KIND;

    override asString(): string {
        return joinedText(this.data);
    }
}

export const TURN_MARKER_KIND = 'qwenDaemonTurn';

export interface TurnMarkerData {
    /** The daemon's session. */
    sessionId: string;
    /** The daemon's id of the prompt. */
    turnId: string;
    /** The response shows the whole turn. */
    hasEnded?: boolean;
}

/**
 * Says which turn of which daemon session a response shows. It is invisible. Theia stores it with the chat, as it stores
 * all content, so a turn is found again after a reload. (A request's data and its mode are not stored by Theia 1.74.)
 */
export class TurnMarkerContent extends StoredContent<TurnMarkerData> {
    readonly kind = TURN_MARKER_KIND;
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
