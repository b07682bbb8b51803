// SPDX-License-Identifier: Apache-2.0

import { nls } from '@theia/core/lib/common/nls';
import { ChangeKind, ChangesTrouble, FileChange } from '../../common/changes/changes-protocol';
import { joinClauses, joinSentences } from '../../common/sentences';
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

/** What keeps changes from being followed as they should. @returns a sentence, and one with what helps */
export function describeTrouble(trouble: ChangesTrouble): { readonly what: string; readonly advice: string } {
    switch (trouble.code) {
        case 'off':
            return {
                what: nls.localize('theia/cli-companion/changes/off', 'Changes are not followed.'),
                advice: nls.localize('theia/cli-companion/changes/offAdvice', 'The preference {0} is off.', 'companion.changes.track')
            };
        case 'no-git':
            return {
                what: nls.localize(
                    'theia/cli-companion/changes/noGit',
                    'git was not found, so the text before a change is often not known.'
                ),
                advice: nls.localize('theia/cli-companion/changes/noGitAdvice', 'Install it, or start the IDE with it on its PATH.')
            };
        case 'refused':
            return {
                what: nls.localize('theia/cli-companion/changes/refused', 'git refuses {0}, which belongs to another user.', trouble.root),
                advice: nls.localize(
                    'theia/cli-companion/changes/refusedAdvice',
                    'If you trust that user: {0}',
                    `git config --global --add safe.directory '${trouble.root.replace(/'/g, "'\\''")}'`
                )
            };
        case 'slow':
            return {
                what: nls.localize(
                    'theia/cli-companion/changes/slow',
                    'git takes long in {0}, so it is asked only when you open the list.',
                    trouble.root
                ),
                advice: nls.localize(
                    'theia/cli-companion/changes/slowAdvice',
                    'What often helps: {0}',
                    'git config core.untrackedCache true'
                )
            };
    }
}

/** Of a list in which nothing is. */
export function emptyText(tracking: boolean, trouble: ChangesTrouble | undefined): string {
    if (trouble) {
        const { what, advice } = describeTrouble(trouble);
        return joinSentences([what, advice]);
    }
    return tracking
        ? nls.localize('theia/cli-companion/changes/nothing', 'Nothing was changed outside the editor since you last looked.')
        : nls.localize(
              'theia/cli-companion/changes/noAgent',
              'Files are listed here that are changed outside the editor while an agent runs in a terminal: the CLIs that connect, ' +
                  'Codex, Aider, Cursor CLI and others that are known, and those that you name in {0}.',
              'companion.agents'
          );
}
