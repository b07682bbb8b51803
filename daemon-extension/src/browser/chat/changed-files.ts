// SPDX-License-Identifier: Apache-2.0

import { MutableChatModel, MutableChatRequestModel, ToolCallChatResponseContent } from '@theia/ai-chat/lib/common/chat-model';
import { DiffInfo } from '../../common/session-events';
import { Edit } from '../diff/edit-diff-uris';
import { markerOf } from './chat-requests';
import { NoticeContent } from '../parts/response-parts';
import { toolDetails } from '../parts/tool-content';

/** A file that a turn edited. */
export interface ChangedFile {
    /** Its first edit in the turn, whose earlier text is the file's before the turn. */
    edit: Edit;
    diff: DiffInfo;
}

/** What one turn changed. */
export interface TurnChanges {
    turnId: string;
    files: ChangedFile[];
    /** The messages of this turn and of those after it, that Qwen's session still knows, in the order of the chat. */
    requests: MutableChatRequestModel[];
}

/**
 * What the newest turn changed that changed any file and was not undone. The chat's parts say it, so it is the same after a reload.
 */
export function newestChanges(model: MutableChatModel, agentId: string): TurnChanges | undefined {
    const own = model.getRequests().filter(request => request.agentId === agentId);
    const undone = own.flatMap(undoneIn);
    const isUndone = (turnId: string | undefined, file?: string): boolean =>
        undone.some(one => one.turnId === turnId && (one.path === undefined || one.path === file));
    const changed = own.flatMap(changedIn).filter(({ edit, diff }) => !isUndone(edit.turnId, diff.path));
    const turnId = changed.at(-1)?.edit.turnId;
    if (turnId === undefined) {
        return undefined;
    }
    const ofTurn = changed.filter(({ edit }) => edit.turnId === turnId);
    const first = own.findIndex(request => changedIn(request).some(({ edit }) => edit.turnId === turnId));
    return {
        turnId,
        files: ofTurn.filter(({ diff }, index) => ofTurn.findIndex(other => other.diff.path === diff.path) === index),
        // A turn that was steered shows behind several messages, and says behind the last that it was undone.
        requests: own
            .slice(first)
            .filter(request => !isUndone(markerOf(request)?.turnId) && undoneIn(request).every(({ path }) => path !== undefined))
    };
}

function undoneIn({ response }: MutableChatRequestModel): { turnId: string; path?: string }[] {
    return response.response.content.flatMap(part => (part instanceof NoticeContent && part.data.undone) || []);
}

function changedIn({ response }: MutableChatRequestModel): ChangedFile[] {
    return response.response.content.flatMap(part => {
        const details = ToolCallChatResponseContent.is(part) ? toolDetails(part) : undefined;
        return details?.diff && details.status === 'completed' ? { edit: details.edit, diff: details.diff } : [];
    });
}
