// SPDX-License-Identifier: Apache-2.0

import { nls } from '@theia/core/lib/common/nls';
import { ChangeKind, ChangesTrouble, FileChange } from '../../common/changes/changes-protocol';
import { joinClauses, joinSentences, listOf } from '../../common/sentences';
import { authorsOf } from './change-groups';
import type { ChangeOutcome } from './change-undo';

const NAMED_FILES = 3;

export function changesTitle(): string {
    return nls.localize('theia/cli-companion/changes/title', 'Agent Changes');
}

/** In front of a row. */
export const KIND_LETTERS: Readonly<Record<ChangeKind, string>> = {
    modified: 'M',
    added: 'A',
    deleted: 'D',
    binary: 'B',
    mode: 'M',
    link: 'L',
    folder: 'A',
    repository: 'A',
    ignored: 'D',
    secret: 'S',
    large: 'B',
    unknown: '?'
};

/** What has happened to the file, in a few words. */
export function describeKind(change: Pick<FileChange, 'kind' | 'files' | 'added' | 'removed' | 'isAgain'>): string {
    const { kind, files = 0, added, removed, isAgain } = change;
    switch (kind) {
        case 'modified':
            if (isAgain) {
                return nls.localize('theia/cli-companion/changes/again', 'changed again');
            }
            return added === 0 && removed === 0
                ? nls.localize('theia/cli-companion/changes/lineEnds', 'line ends changed')
                : nls.localize('theia/cli-companion/changes/modified', 'changed');
        case 'added':
            return nls.localize('theia/cli-companion/changes/added', 'new');
        case 'deleted':
            return nls.localize('theia/cli-companion/changes/deleted', 'deleted');
        case 'binary':
            return nls.localize('theia/cli-companion/changes/binary', 'not compared');
        case 'mode':
            return nls.localize('theia/cli-companion/changes/mode', 'permissions changed');
        case 'link':
            return nls.localize('theia/cli-companion/changes/link', 'link changed');
        case 'folder':
            return nls.localize('theia/cli-companion/changes/folder', 'new folder with {0} files', files);
        case 'repository':
            return nls.localize('theia/cli-companion/changes/repository', 'new repository');
        case 'ignored':
            return nls.localize('theia/cli-companion/changes/ignored', 'deleted, ignored by git');
        case 'secret':
            return nls.localize('theia/cli-companion/changes/secret', 'changed, never shared');
        case 'large':
            return nls.localize('theia/cli-companion/changes/large', 'changed, larger than 10 MB');
        case 'unknown':
            return nls.localize('theia/cli-companion/changes/unknown', 'text before not known');
    }
}

/** In a row, whose letter says the rest. */
export function briefKind(change: FileChange): string {
    return change.kind === 'modified' && change.isAgain
        ? nls.localize('theia/cli-companion/changes/againInRow', 'again')
        : describeKind(change);
}

/** For screen readers. @param name of the file @param folder empty for the root */
export function speakChange(change: FileChange, name: string, folder: string): string {
    const { authors, added = 0, removed = 0 } = change;
    const author = authorsOf({ authors });
    const counts = [
        ...(added > 0 ? [nls.localize('theia/cli-companion/changes/addedLines', 'lines added: {0}', added)] : []),
        ...(removed > 0 ? [nls.localize('theia/cli-companion/changes/removedLines', 'lines removed: {0}', removed)] : [])
    ];
    return joinClauses([name, describeKind(change), ...(author ? [author] : []), ...counts, ...(folder ? [folder] : [])]);
}

/** Above the diff of a file that has no single changes. */
export function wholeText(): string {
    return nls.localize(
        'theia/cli-companion/changes/whole',
        'This file has more than 1 MB, or more than 20,000 lines. Keep or undo it as a whole.'
    );
}

export function noUndoText(): string {
    return nls.localize('theia/cli-companion/changes/noUndo', 'This file cannot be put back.');
}

/** In the file's own editor, instead of its bars. */
export function notShownText(): string {
    return nls.localize(
        'theia/cli-companion/changes/notShown',
        'What agents changed is not shown here: more than 1 MB, or more than 500 changes.'
    );
}

/** Beside a change in the file's own editor. @param author empty if nobody's name is known @param key of the removed lines */
export function changedByText(author: string, key = ''): string {
    const who = author
        ? nls.localize('theia/cli-companion/changes/changedBy', 'Changed by {0}', author)
        : nls.localize('theia/cli-companion/changes/changedOutside', 'Changed outside the editor');
    const how = nls.localize('theia/cli-companion/changes/showRemovedHere', 'Click to see the lines before, keep or undo');
    return `${who}. ${how}${key && ` (${key})`}`;
}

/** For screen readers. */
export function removedLinesText(count: number): string {
    return nls.localize('theia/cli-companion/changes/linesBefore', 'Lines before the change: {0}', count);
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

/** What keeps changes from being followed. @returns a sentence, and one with what helps */
export function describeTrouble(trouble: ChangesTrouble): { readonly what: string; readonly advice: string } {
    switch (trouble.code) {
        case 'off':
            return {
                what: nls.localize('theia/cli-companion/changes/off', 'Changes are not followed.'),
                advice: nls.localize('theia/cli-companion/changes/offAdvice', 'The preference {0} is off.', 'companion.changes.track')
            };
        case 'no-git':
            return {
                what: nls.localize('theia/cli-companion/changes/noGit', 'git was not found, so changes are not followed.'),
                advice: nls.localize('theia/cli-companion/changes/noGitAdvice', 'Install it, or start the IDE with it on its PATH.')
            };
        case 'failed':
            return {
                what: nls.localize(
                    'theia/cli-companion/changes/notFollowed',
                    'Changes in {0} are not followed ({1}).',
                    trouble.root,
                    trouble.cause
                ),
                advice: nls.localize('theia/cli-companion/changes/notFollowedAdvice', 'git is asked again after a while.')
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
              'While an agent runs in a terminal, this view lists the files that change outside the editor. Agents are the CLIs that ' +
                  'connect, Codex, Aider, Cursor CLI and other known ones, and those that you name in {0}.',
              'companion.agents'
          );
}

/** Why files were not kept, undone or put back. */
export function outcomeText(outcome: ChangeOutcome, names: readonly string[]): string {
    const more = names.length - NAMED_FILES;
    const all = listOf(
        more > 0 ? [...names.slice(0, NAMED_FILES), nls.localize('theia/cli-companion/changes/others', '{0} more', more)] : names
    );
    switch (outcome) {
        case 'edited':
            return nls.localize('theia/cli-companion/changes/edited', 'Save or undo your own edits of {0} first.', all);
        case 'unsaved':
            return nls.localize('theia/cli-companion/changes/unsaved', 'Undone in the editor of {0}. Save it: it has edits of yours.', all);
        case 'failed':
            return nls.localize('theia/cli-companion/changes/failed', 'Could not be written, and stays listed: {0}', all);
        case 'no-room':
            return nls.localize(
                'theia/cli-companion/changes/noRoom',
                'Not undone, because there is no room to store what Undo would take away: {0}',
                all
            );
        default:
            return names.length === 1
                ? nls.localize(
                      'theia/cli-companion/changes/changed',
                      '{0} has changed since this was shown. Look at it, then try again.',
                      all
                  )
                : nls.localize(
                      'theia/cli-companion/changes/severalChanged',
                      '{0} have changed since this was shown. Look at them, then try again.',
                      all
                  );
    }
}
