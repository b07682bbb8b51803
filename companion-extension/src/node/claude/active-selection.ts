// SPDX-License-Identifier: Apache-2.0

import { FileUri } from '@theia/core/lib/common/file-uri';
import { IdeContext } from '../../common/companion-protocol';

/** Counted from 0. */
interface Position {
    readonly line: number;
    readonly character: number;
}

/** For `selection_changed`. */
export interface ActiveSelection {
    readonly text: string;
    readonly filePath: string;
    readonly fileUrl: string;
    readonly selection: { readonly start: Position; readonly end: Position; readonly isEmpty: boolean };
}

/** Describes the active file, all that these CLIs get of the editors. @returns `undefined` without one */
export function activeSelection(context: IdeContext): ActiveSelection | undefined {
    const active = context.workspaceState?.openFiles?.find(({ isActive }) => isActive);
    if (!active) {
        return undefined;
    }
    const { path, cursor = { line: 1, character: 1 }, selectedText = '', selection = { start: cursor, end: cursor } } = active;
    return {
        text: selectedText,
        filePath: path,
        fileUrl: FileUri.create(path).toString(),
        selection: { start: fromZero(selection.start), end: fromZero(selection.end), isEmpty: selectedText === '' }
    };
}

function fromZero({ line, character }: Position): Position {
    return { line: line - 1, character: character - 1 };
}
