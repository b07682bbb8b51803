// SPDX-License-Identifier: Apache-2.0

import { FileUri } from '@theia/core/lib/common/file-uri';
import { Mention } from '../../common/companion-protocol';
import { IdeContext } from '../../common/ide-context';

/** Counted from 0. */
interface Position {
    readonly line: number;
    readonly character: number;
}

/** The parameters of `selection_changed`. */
export interface SelectionChanged {
    /** Empty if nothing is selected. */
    readonly text: string;
    readonly filePath?: string;
    readonly fileUrl?: string;
    readonly selection: { readonly start: Position; readonly end: Position; readonly isEmpty: boolean } | null;
}

/** The parameters of `at_mentioned`. */
export interface AtMentioned {
    readonly filePath: string;
    /** Counted from 0. */
    readonly lineStart: number;
    readonly lineEnd: number;
}

/** This family learns of the active file alone. Without one it is told that nothing is selected any more. */
export function selectionOf(context: IdeContext): SelectionChanged {
    const active = context.workspaceState?.openFiles?.find(({ isActive }) => isActive);
    if (!active) {
        return { text: '', selection: null };
    }
    const { path, cursor = { line: 1, character: 1 }, selectedText = '', selection = { start: cursor, end: cursor } } = active;
    return {
        text: selectedText,
        filePath: path,
        fileUrl: FileUri.create(path).toString(),
        selection: { start: fromZero(selection.start), end: fromZero(selection.end), isEmpty: selectedText === '' }
    };
}

/** @returns `undefined` for a whole file: OpenCode (1.18) takes no mention without lines */
export function mentionOf({ path, lines }: Mention): AtMentioned | undefined {
    return lines && { filePath: path, lineStart: lines.first - 1, lineEnd: lines.last - 1 };
}

function fromZero({ line, character }: Position): Position {
    return { line: line - 1, character: character - 1 };
}
