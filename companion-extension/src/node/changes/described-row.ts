// SPDX-License-Identifier: Apache-2.0

import { ChangeKind, FileChange } from '../../common/changes/changes-protocol';
import { LINK_MODE } from './index-entry';
import { LineCount } from './index-lines';
import { ListedRow } from './index-rows';

/** @param lines absent if they are not known. @param turn the newest one that changed it; absent if none did */
export function describeRow(listed: ListedRow, uri: string, lines: LineCount | undefined, turn: string | undefined): FileChange {
    const { row, version, note, isAsCommitted, isAgain } = listed;
    const group = groupOf(listed);
    const authors = note?.agents ?? [];
    const kind = kindOf(listed, lines?.isBinary ?? false);
    return {
        uri,
        kind,
        version: numberOf(version),
        authors: authors.filter(Boolean),
        changedAt: note?.changedAt ?? 0,
        canUndo: listed.canUndo && !isAsCommitted,
        ...(lines && !lines.isBinary && kind !== 'link' && { added: lines.added, removed: lines.removed }),
        ...(lines?.isWhole && { isWhole: true as const }),
        ...(row.files && { files: row.files.length }),
        ...(group && { group }),
        ...(turn !== undefined && { turn }),
        ...(note?.isCommitted && { isCommitted: true as const }),
        ...(isAgain && { isAgain: true as const })
    };
}

/** @returns `undefined` for what counts, and is undone with all others */
export function groupOf({ isAsCommitted, note }: ListedRow): FileChange['group'] {
    if (isAsCommitted) {
        return 'committed';
    }
    return note === undefined || note.agents.length === 0 ? 'outside' : undefined;
}

/** A version as pages know it: 48 of its bits. */
export function numberOf(version: string): number {
    return parseInt(version, 16);
}

function kindOf({ row, note }: ListedRow, isBinary: boolean): ChangeKind {
    switch (row.kind) {
        case 'file':
            if ([row.base, row.now].some(entry => entry?.mode === LINK_MODE)) {
                // Its text is a path. An editor would show, and write, the file behind it.
                return 'link';
            }
            return isBinary ? 'binary' : note?.isNew && row.how === 'modified' ? 'added' : row.how;
        case 'mode':
        case 'link':
        case 'unknown':
        case 'folder':
        case 'repository':
        case 'ignored':
        case 'secret':
        case 'large':
            return row.kind;
    }
}
