// SPDX-License-Identifier: Apache-2.0

import { MutableChatModel, MutableChatRequestModel, ToolCallChatResponseContent } from '@theia/ai-chat/lib/common/chat-model';
import { DiffInfo } from '../../common/session-events';
import { Edit } from '../diff/edit-diff-uris';
import { markerOf } from './chat-requests';
import { UndoneContent } from '../parts/response-parts';
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

/** All that the chat says of changed files, from its parts: so it is the same after a reload. */
export namespace ChangedFiles {
    /** Of the newest turn with changes that was not undone. */
    export function newest(model: MutableChatModel, agentId: string): TurnChanges | undefined {
        return ofTurns(model, agentId).at(-1);
    }

    /** Oldest first. */
    export function ofTurns(model: MutableChatModel, agentId: string): TurnChanges[] {
        const own = model.getRequests().filter(request => request.agentId === agentId);
        const undone = new Set(own.flatMap(({ response }) => response.response.content.flatMap(part => undoneTurn(part) ?? [])));
        const takenBack = new Set(own.flatMap(({ response }) => response.response.content.flatMap(part => takenBackFile(part) ?? [])));
        const turns = new Map<string, TurnChanges>();
        own.forEach((request, index) => {
            for (const file of request.response.response.content.flatMap(part => changedFile(part) ?? [])) {
                const { turnId } = file.edit;
                if (!undone.has(turnId) && !takenBack.has(fileKey(turnId, file.diff.path))) {
                    const turn = turns.get(turnId) ?? {
                        turnId,
                        files: [],
                        requests: own.slice(index).filter(other => !isUndone(other, undone))
                    };
                    turns.set(turnId, turn);
                    if (!turn.files.some(({ diff }) => diff.path === file.diff.path)) {
                        turn.files.push(file);
                    }
                }
            }
        });
        return [...turns.values()];
    }

    function undoneTurn(part: unknown): string | undefined {
        return part instanceof UndoneContent && part.path === undefined ? part.turnId : undefined;
    }

    function takenBackFile(part: unknown): string | undefined {
        return part instanceof UndoneContent && part.path !== undefined ? fileKey(part.turnId, part.path) : undefined;
    }

    function fileKey(turnId: string, path: string): string {
        return `${turnId}\0${path}`;
    }

    /** A turn that was steered shows behind several messages, and says behind the last that it was undone. */
    function isUndone(request: MutableChatRequestModel, undone: ReadonlySet<string>): boolean {
        return (
            undone.has(markerOf(request)?.turnId ?? '') || request.response.response.content.some(part => undoneTurn(part) !== undefined)
        );
    }

    function changedFile(part: unknown): ChangedFile | undefined {
        const details = ToolCallChatResponseContent.is(part) ? toolDetails(part) : undefined;
        return details?.diff && details.status === 'completed' ? { edit: details.edit, diff: details.diff } : undefined;
    }
}
