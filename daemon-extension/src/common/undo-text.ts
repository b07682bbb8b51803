// SPDX-License-Identifier: Apache-2.0

import { nls } from '@theia/core/lib/common/nls';
import { PlannedFile, UndoneFile } from './turn-undo';

/** Why a file is not undone, without a full stop; `undefined` if it is as it was before. */
export function whyLeft({ result, cause }: Pick<UndoneFile, 'result' | 'cause'>): string | undefined {
    switch (result) {
        case 'as-written':
            return nls.localize('theia/qwen-daemon/undo/asWritten', 'as Qwen wrote it');
        case 'changed':
            return nls.localize('theia/qwen-daemon/undo/changed', 'changed since Qwen wrote it');
        case 'missing':
            return nls.localize('theia/qwen-daemon/undo/missing', 'deleted since Qwen wrote it');
        case 'no-text':
            return nls.localize('theia/qwen-daemon/undo/noText', 'its earlier text is not kept');
        case 'outside':
            return nls.localize('theia/qwen-daemon/undo/outside', 'outside the folder that Qwen works in');
        case 'unreadable':
            return nls.localize('theia/qwen-daemon/undo/unreadable', 'cannot be read as UTF-8 text');
        case 'failed':
            return nls.localize('theia/qwen-daemon/undo/failed', 'that failed: {0}', cause ?? '?');
        case 'as-before':
        case 'restored':
        case 'deleted':
            return undefined;
    }
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
