// SPDX-License-Identifier: Apache-2.0

import type { z } from 'zod/v4';
import type { PagePayloads } from '../page-payloads';

/**
 * - `modified`, `added`, `deleted`: both texts are known, and can be compared
 * - `binary`: only the name is known: no text, too large, or a file that is never shared
 * - `unknown`: the text before is not known
 */
export type ChangeKind = 'modified' | 'added' | 'deleted' | 'binary' | 'unknown';

/** A file that was changed outside the editor, for a page. Its texts are read when it is shown. */
export interface FileChange {
    uri: string;
    kind: ChangeKind;
    /** Never used twice. What a user does to a change names the version that the user saw. */
    version: number;
    /** CLIs that said that they wrote it. Empty: nobody said so. */
    authors: string[];
    /** The only agent that ran then, for a file that nobody named; absent if there were several. */
    onlyAgent?: string;
    /** When it was seen last, in milliseconds since the epoch. */
    changedAt: number;
    /** Numbers of lines; absent if the texts are not both known. */
    added?: number;
    removed?: number;
    /** It is as the repository has it: whoever committed it. Counts in no number. */
    committed?: true;
    /** It is the file that HEAD has: an undo would make it another one. */
    equalsHead?: true;
}

/** What an undo took away, and can put back. */
export interface UndoneChange {
    id: string;
    uri: string;
    authors: string[];
}

/** All that was changed in the folders of a window. */
export interface ChangeList {
    /** As {@link ChangesState.version}. */
    version: number;
    /** An agent runs, so that changes are listed. */
    tracking: boolean;
    /** The newest first. */
    files: FileChange[];
    /** How many more files changed, for which the list has no room. */
    more: number;
    /** The newest first. */
    undone: UndoneChange[];
}

/** What keeps changes from being followed as they should: the preference, or git, in this root. */
export type ChangesTrouble = { code: 'off' } | { code: 'no-git' | 'refused' | 'slow'; root: string };

/** The part of a window's state that says whether to read the list again. */
export interface ChangesState {
    /** Another one after each change of the list. */
    version: number;
    /** How many files wait for the user to look, those included that have no room. */
    count: number;
    trouble?: ChangesTrouble;
}

/** The text that the user last knew. */
export interface Baseline {
    /** Of the row: {@link FileChange.version}. */
    version: number;
    /** Of which no byte is lost, by `toWire`; absent if there was no file. */
    text?: string;
}

/** Lines of the baseline and of the file in their place; as `LineHunk`. */
export type ChangeLines = z.infer<typeof PagePayloads.lines>;

/** The file as an undo leaves it, by `toWire`. Over the wire `null` if the user saves it later. */
export type TextAfterUndo = z.infer<typeof PagePayloads.afterUndo>;

/** What the page calls about changes. */
export interface ChangesBackend {
    /** @param look at the files before: not every change was reported */
    readChanges(look: boolean): Promise<ChangeList>;
    /** `undefined` (over the wire `null`) if the file is not listed any more, or its text before is not known. */
    readBaseline(uri: string): Promise<Baseline | undefined>;
    /**
     * Takes the file, or one change of it, for seen.
     *
     * @param version that the user saw
     * @param lines of the one change; of the whole file if it is left out
     * @returns false, and nothing happens, if anything has changed since
     */
    keepChange(uri: string, version: number, lines?: ChangeLines): Promise<boolean>;
    /**
     * Asks before an undo, which the page then does in the file's editor.
     *
     * @param left the file after it: its save types nothing. Left out if the user saves it later
     * @returns false if anything has changed since, or nothing can be undone
     */
    mayUndoChange(uri: string, version: number, left?: TextAfterUndo): Promise<boolean>;
    /** What an undo took away, by `toWire`; `undefined` (over the wire `null`) if it is not kept any more. The page saves it in the file's editor. */
    readUndone(id: string): Promise<{ uri: string; text?: string } | undefined>;
}
