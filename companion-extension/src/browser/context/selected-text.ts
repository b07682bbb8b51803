// SPDX-License-Identifier: Apache-2.0

import { Range, TextEditor } from '@theia/editor/lib/browser/editor';
import { IdeContextLimits } from '../../common/ide-context';

export interface SelectedText {
    /** Counted from 0, `start` before `end`. */
    range: Range;
    /** At most as many UTF-16 units as a context may have bytes. */
    text: string;
}

/**
 * What is selected in the editor; `undefined` where nothing is. In Theia's `Selection` (1.74) `start` is where the user began and `end` is
 * the cursor: in one that was made upwards or to the left, `start` lies behind `end`.
 */
export function selectedText({ selection, document }: Pick<TextEditor, 'selection' | 'document'>): SelectedText | undefined {
    const anchor = document.offsetAt(selection.start);
    const cursor = document.offsetAt(selection.end);
    if (anchor === cursor) {
        return undefined;
    }
    const [start, end] = anchor < cursor ? [selection.start, selection.end] : [selection.end, selection.start];
    // A text of N bytes never has more than N UTF-16 units: more need not be read of a huge selection.
    const limit = Math.min(anchor, cursor) + IdeContextLimits.selectedText;
    const until = limit < Math.max(anchor, cursor) ? document.positionAt(limit) : end;
    return { range: { start, end }, text: document.getText({ start, end: until }) };
}
