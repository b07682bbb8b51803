// SPDX-License-Identifier: Apache-2.0

import { ChatResponseContent } from '@theia/ai-chat/lib/common';
import { ChatContentDeserializerContribution, ChatContentDeserializerRegistry } from '@theia/ai-chat/lib/common/chat-content-deserializer';
import { SerializableChatResponseContentData } from '@theia/ai-chat/lib/common/chat-model-serialization';
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

export const NOTICE_KIND = 'qwenDaemonNotice';

export interface NoticeData {
    message: string;
    warning: boolean;
}

/** A notice to the user, as plain text. Theia does not render its own informational content at all (1.74). */
export class NoticeContent implements ChatResponseContent {
    readonly kind: string = NOTICE_KIND;

    constructor(
        readonly message: string,
        readonly warning = false
    ) {}

    asString(): string {
        return this.message;
    }

    toSerializable(): SerializableChatResponseContentData<NoticeData> {
        return { kind: NOTICE_KIND, data: { message: this.message, warning: this.warning } };
    }
}

export const UNDONE_KIND = 'qwenDaemonUndone';

export interface UndoneData extends NoticeData {
    turnId: string;
    path?: string;
}

/** Says that a turn was undone, or one file of it, and what became of the files. */
export class UndoneContent extends NoticeContent {
    override readonly kind = UNDONE_KIND;

    constructor(
        readonly turnId: string,
        message: string,
        warning: boolean,
        /** Of the one file that was taken back; absent: the whole turn was undone. */
        readonly path?: string
    ) {
        super(message, warning);
    }

    static ofFile(turnId: string, path: string, { files, copies }: TakenBack, folder: string): UndoneContent {
        const said = outcomes(
            files.filter(file => file.path === path),
            copies,
            folder
        );
        return new UndoneContent(
            turnId,
            said.join('\n'),
            files.some(file => file.path === path && whyLeft(file) !== undefined),
            path
        );
    }

    /** @param folder absolute path of the folder in which the daemon works; paths are shown as they are from there */
    static of({ turnId, forgotten, files, copies }: UndoneEvent, folder: string): UndoneContent {
        const said = [
            forgotten
                ? nls.localize('theia/qwen-daemon/undo/done', 'Undone: Qwen no longer knows this message and its answer.')
                : nls.localize('theia/qwen-daemon/undo/doneFiles', 'Undone, but Qwen still knows this message and its answer.'),
            ...outcomes(files, copies, folder)
        ];
        return new UndoneContent(turnId, said.join('\n'), !forgotten || files.some(file => whyLeft(file) !== undefined));
    }

    override toSerializable(): SerializableChatResponseContentData<UndoneData> {
        return { kind: UNDONE_KIND, data: { message: this.message, warning: this.warning, turnId: this.turnId, path: this.path } };
    }
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

export const PLAN_KIND = 'qwenDaemonPlan';

export interface PlanData {
    entries: PlanEntry[];
}

/** The model's list of steps. A later list replaces the entries, and the list keeps its place in the response. */
export class PlanContent implements ChatResponseContent {
    readonly kind = PLAN_KIND;

    constructor(public entries: PlanEntry[]) {}

    asString(): string {
        const mark = { pending: '[ ]', in_progress: '[~]', completed: '[x]' };
        return this.entries.map(entry => `${mark[entry.status]} ${entry.content}`).join('\n');
    }

    toSerializable(): SerializableChatResponseContentData<PlanData> {
        return { kind: PLAN_KIND, data: { entries: this.entries } };
    }
}

export const PROBLEM_KIND = 'qwenDaemonProblem';

/** Kept in sentences, as notices are: a stored chat says what it said before. */
export interface ProblemData extends DaemonProblemText {
    code: DaemonProblem['code'];
}

/** What went wrong, what the user can do, and a button for it if one helps. */
export class ProblemContent implements ChatResponseContent {
    readonly kind = PROBLEM_KIND;

    constructor(readonly problem: ProblemData) {}

    asString(): string {
        return joinedText(this.problem);
    }

    toSerializable(): SerializableChatResponseContentData<ProblemData> {
        return { kind: PROBLEM_KIND, data: this.problem };
    }
}

export const TURN_MARKER_KIND = 'qwenDaemonTurn';

export interface TurnMarkerData {
    /** The daemon's session. */
    sessionId: string;
    /** The daemon's id of the prompt. */
    turnId: string;
}

/**
 * Says which turn of which daemon session a response shows. It is invisible. Theia stores it with the chat, as it stores
 * all content, so a turn is found again after a reload. (A request's data and its mode are not stored by Theia 1.74.)
 */
export class TurnMarkerContent implements ChatResponseContent {
    readonly kind = TURN_MARKER_KIND;

    constructor(readonly data: TurnMarkerData) {}

    asString(): string {
        return '';
    }

    asDisplayString(): string {
        return '';
    }

    toSerializable(): SerializableChatResponseContentData<TurnMarkerData> {
        return { kind: TURN_MARKER_KIND, data: this.data };
    }
}

/** Makes the parts of a stored chat again. */
@injectable()
export class QwenContentDeserializers implements ChatContentDeserializerContribution {
    registerDeserializers(registry: ChatContentDeserializerRegistry): void {
        registry.register({ kind: TURN_MARKER_KIND, deserialize: data => new TurnMarkerContent(data as TurnMarkerData) });
        registry.register({ kind: PLAN_KIND, deserialize: data => new PlanContent((data as PlanData).entries) });
        registry.register({
            kind: NOTICE_KIND,
            deserialize: data => new NoticeContent((data as NoticeData).message, (data as NoticeData).warning)
        });
        registry.register({
            kind: UNDONE_KIND,
            deserialize: data => {
                const { turnId, message, warning, path } = data as UndoneData;
                return new UndoneContent(turnId, message, warning, path);
            }
        });
        registry.register({
            kind: PERMISSION_KIND,
            deserialize: data => new PermissionContent((data as { permission: PermissionData }).permission)
        });
        registry.register({ kind: PROBLEM_KIND, deserialize: data => new ProblemContent(data as ProblemData) });
    }
}
