// SPDX-License-Identifier: Apache-2.0

import { nls } from '@theia/core/lib/common/nls';

/**
 * A file that the undone turns changed, as it is now:
 *
 * - `as-written`: as Qwen left it
 * - `changed`, `missing`: changed or deleted since, by whomever
 * - `as-before`: as it was before the turns
 *
 * Never undone are those whose earlier text, or whose text to be overwritten, is not known:
 *
 * - `no-text`: the text before the turns is not, or not wholly, kept
 * - `outside`: not in the folder in which Qwen works
 * - `unreadable`: also if it is no text in UTF-8, or a very large one
 */
export type FileState = 'as-written' | 'changed' | 'missing' | 'as-before' | 'no-text' | 'outside' | 'unreadable';

/** What undo overwrites, deletes or makes again, if the user wants it. */
export type UndoableState = Extract<FileState, 'as-written' | 'changed' | 'missing'>;

export function isUndoable(state: FileState): state is UndoableState {
    return state === 'as-written' || state === 'changed' || state === 'missing';
}

/** What an undo would do, for the user to decide. */
export interface UndoPlan {
    files: PlannedFile[];
    /** How many: also those that a chat no longer shows, because a message was edited. */
    turns: number;
    /** Whether Qwen's session can forget the turns. It cannot, for example, when it has summarised them. */
    forgets: boolean;
}

export interface PlannedFile {
    /** Absolute path. */
    path: string;
    state: FileState;
    /** Undo deletes it: before the turns it was not there, or empty, which the daemon does not distinguish (Qwen Code 0.24). */
    deletes: boolean;
}

/** A file that the user wants to be undone, in the state in which the user knows it. */
export interface WantedFile {
    path: string;
    state: UndoableState;
}

export interface TakenBack {
    files: UndoneFile[];
    /** The folder with the copies of what was overwritten or deleted. */
    copies?: string;
}

/** What became of a file; a state: it was left as it is. */
export interface UndoneFile {
    path: string;
    result: 'restored' | 'deleted' | 'failed' | FileState;
    /** Why it failed, in the system's word. */
    cause?: string;
}

const reasons: Partial<Record<UndoneFile['result'], string>> = {
    'as-written': nls.localize('theia/qwen-daemon/undo/asWritten', 'as Qwen wrote it'),
    changed: nls.localize('theia/qwen-daemon/undo/changed', 'changed since Qwen wrote it'),
    missing: nls.localize('theia/qwen-daemon/undo/missing', 'deleted since Qwen wrote it'),
    'no-text': nls.localize('theia/qwen-daemon/undo/noText', 'its earlier text is not kept'),
    outside: nls.localize('theia/qwen-daemon/undo/outside', 'outside the folder that Qwen works in'),
    unreadable: nls.localize('theia/qwen-daemon/undo/unreadable', 'cannot be read as UTF-8 text')
};

/** Why a file is not undone, without a full stop; `undefined` if it is as it was before. */
export function whyLeft({ result, cause }: Pick<UndoneFile, 'result' | 'cause'>): string | undefined {
    return result === 'failed' ? nls.localize('theia/qwen-daemon/undo/failed', 'that failed: {0}', cause ?? '?') : reasons[result];
}

/** What undo does to a file, where that is not what everybody expects; may be empty. */
export function plannedFileText({ state, deletes }: PlannedFile): string {
    if (state === 'missing') {
        return nls.localize('theia/qwen-daemon/undo/makes', 'deleted since; undo creates it again');
    }
    if (state === 'changed') {
        return deletes
            ? nls.localize('theia/qwen-daemon/undo/deletesChanged', 'changed since; undo deletes it')
            : nls.localize('theia/qwen-daemon/undo/overwrites', 'changed since; undo overwrites that');
    }
    return deletes ? nls.localize('theia/qwen-daemon/undo/deletes', 'new, or was empty; undo deletes it') : '';
}
