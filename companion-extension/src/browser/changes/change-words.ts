// SPDX-License-Identifier: Apache-2.0

import { nls } from '@theia/core/lib/common/nls';
import { ChangeKind, FileChange } from '../../common/changes/changes-protocol';
import { joinClauses } from '../../common/sentences';
import { authorsOf } from './change-groups';

export function changesTitle(): string {
    return nls.localize('theia/cli-companion/changes/title', 'Agent Changes');
}

/** In front of a row. */
export const KIND_LETTERS: Readonly<Record<ChangeKind, string>> = { modified: 'M', added: 'A', deleted: 'D', binary: 'B', unknown: '?' };

/** What has happened to the file, in a few words. */
export function describeKind(kind: ChangeKind): string {
    switch (kind) {
        case 'modified':
            return nls.localize('theia/cli-companion/changes/modified', 'changed');
        case 'added':
            return nls.localize('theia/cli-companion/changes/added', 'new');
        case 'deleted':
            return nls.localize('theia/cli-companion/changes/deleted', 'deleted');
        case 'binary':
            return nls.localize('theia/cli-companion/changes/binary', 'not compared');
        case 'unknown':
            return nls.localize('theia/cli-companion/changes/unknown', 'text before not known');
    }
}

/** For screen readers. @param name of the file @param folder empty for the root */
export function speakChange({ kind, authors, added = 0, removed = 0 }: FileChange, name: string, folder: string): string {
    const author = authorsOf({ authors });
    const counts = [
        ...(added > 0 ? [nls.localize('theia/cli-companion/changes/addedLines', 'lines added: {0}', added)] : []),
        ...(removed > 0 ? [nls.localize('theia/cli-companion/changes/removedLines', 'lines removed: {0}', removed)] : [])
    ];
    return joinClauses([name, describeKind(kind), ...(author ? [author] : []), ...counts, ...(folder ? [folder] : [])]);
}

/** The title of a diff. */
export function titleOf({ kind, authors }: FileChange, name: string): string {
    const author = authorsOf({ authors });
    if (kind === 'deleted') {
        return nls.localize('theia/cli-companion/changes/deletedTitle', '{0} (deleted)', name);
    }
    return author
        ? nls.localize('theia/cli-companion/changes/titleBy', '{0} (changed by {1})', name, author)
        : nls.localize('theia/cli-companion/changes/titleOutside', '{0} (changed outside the editor)', name);
}

/** The number of files since the user last looked. */
export function describeCount(count: number): string {
    return count === 1
        ? nls.localize('theia/cli-companion/changes/oneSince', '1 file changed since you last looked')
        : nls.localize('theia/cli-companion/changes/since', '{0} files changed since you last looked', count);
}
