// SPDX-License-Identifier: Apache-2.0

import type { z } from 'zod/v4';
import type { PagePayloads } from '../page-payloads';

/**
 * - `modified`, `added`, `deleted`: the content; both texts can be compared, unless there are no numbers of lines
 * - `binary`: the content of a file that is no text
 * - `mode`: only its mode, such as who may run it
 * - `link`: a link is new, gone or leads elsewhere, or stands where a file stood, or the reverse
 * - `folder`: a new folder with many files
 * - `repository`: one that was not there before
 * - `ignored`: something that git ignores was deleted
 * - `secret`, `large`: only the name is known, for the file is never shared, or too large
 * - `unknown`: the text before is not known
 */
export type ChangeKind =
    'modified' | 'added' | 'deleted' | 'binary' | 'mode' | 'link' | 'folder' | 'repository' | 'ignored' | 'secret' | 'large' | 'unknown';

/** A file that was changed outside the editor, for a page. Its texts are read when it is shown. */
export interface FileChange {
    uri: string;
    kind: ChangeKind;
    /** The same for the same two contents. What a user does to a change names the version that the user saw. */
    version: number;
    /** The agents that worked when it was changed, by their names. */
    authors: string[];
    /** When it was changed, in milliseconds since the epoch. */
    changedAt: number;
    /** The whole file can be taken back. */
    canUndo: boolean;
    /** Numbers of lines; absent as long as they are not known, and where there are none. */
    added?: number;
    removed?: number;
    /** It is kept and undone as a whole: it is too large, or has too many lines, for single changes. */
    isWhole?: true;
    /** Of a new folder: how many. */
    files?: number;
    /**
     * Counts in no number, and is not undone with the others.
     * - `outside`: no agent worked when it was changed
     * - `committed`: it is as the repository has it, and the user has kept what was there before
     */
    group?: 'outside' | 'committed';
    /** The newest {@link AgentTurn} that changed it. */
    turn?: string;
    /** It was committed while an agent worked. */
    isCommitted?: true;
    /** It has changed since the user kept it. */
    isAgain?: true;
}

/** What agents did from when they began to work until they waited, were done, or rested. */
export interface AgentTurn {
    id: string;
    /** In milliseconds since the epoch. */
    startedAt: number;
    /** Those that worked, by their names. */
    agents: string[];
    /** What it is about, in the agent's own words. */
    prompt?: string;
    /** How many it changed. */
    files: number;
    /** It changed more than are known. */
    isCut?: true;
}

/** A file of which an undo of turns takes something back. */
export interface TurnUndoFile extends ChangedFile {
    /**
     * - `undone`: nothing of the turns is left in it
     * - `partly`: lines stay that somebody has changed since
     * - `stays`: nothing of it can be told from what others did
     */
    readonly left: 'undone' | 'partly' | 'stays';
}

/** What an undo took away of a file, and can put back. */
export interface UndoneChange {
    /** Of the undo: files that were undone at once have the same one. */
    id: string;
    uri: string;
    /** In milliseconds since the epoch. */
    at: number;
    /** The agents that worked when it was changed, by their names; absent if none did. */
    authors?: string[];
}

/** The texts of an undo, by `toWire`; each is absent if there was no file then. */
export interface UndoneTexts {
    /** As it left the file. */
    before?: string;
    /** What it took away. */
    after?: string;
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
    /** Those of which something is listed, the newest first. */
    turns: AgentTurn[];
}

/** What keeps changes from being followed: the preference, no git on the `PATH`, or what git said in this root. */
export type ChangesTrouble = { code: 'off' | 'no-git' } | { code: 'failed'; root: string; cause: string };

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

export const changesPath = '/services/companion/changes';

export const ChangesBackend = Symbol('ChangesBackend');
/** What a page calls about changes. Refused before the window has said hello. */
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
     * Asks before an undo of one change, which the page then does in the file's editor.
     *
     * @param left the file after it: its save types nothing. Left out if the user saves it later
     * @returns false if anything has changed since, or nothing can be undone
     */
    mayUndoChange(uri: string, version: number, left?: TextAfterUndo): Promise<boolean>;
    /** The page has done what {@link mayUndoChange} allowed last for this file. */
    markUndone(uri: string): Promise<void>;
    /** Takes whole files back, on disk. Those with edits that are not saved stay as they are. */
    undoFiles(files: ChangedFile[]): Promise<UndoResult>;
    /** How many files an undo of all would take back, and of how many of them it cannot keep what it takes away. */
    countUndoAll(): Promise<{ files: number; lost: number }>;
    /** All that count in the number, also those that are not shown. @param version of the list. @returns `undefined` (over the wire `null`) if it is another one by now */
    undoAll(version: number): Promise<UndoResult | undefined>;
    /**
     * What an undo of a turn would make of its files.
     *
     * @param andLater of all later turns, too: back to before it
     * @returns `undefined` (over the wire `null`) if it is not known any more
     */
    planTurnUndo(turn: string, andLater: boolean): Promise<TurnUndoFile[] | undefined>;
    /** Takes a turn back in files of the plan that the user saw. Those that have changed since stay as they are. */
    undoTurn(turn: string, andLater: boolean, files: ChangedFile[]): Promise<UndoResult>;
    /** All that are listed, also those that are not shown. @returns false if the list is another one by now */
    keepAll(version: number): Promise<boolean>;
    /** Puts back what an undo took away. @param uri of one file; all of that undo if it is left out */
    putBack(id: string, uri?: string): Promise<UndoResult>;
    /** `undefined` (over the wire `null`) for what is not kept any more, or is no text. @param id of the undo */
    readUndone(id: string, uri: string): Promise<UndoneTexts | undefined>;
    /** Forgets what can be put back. @param version of the list. @returns false, and nothing happens, if it is another one by now */
    clearUndone(version: number): Promise<boolean>;
}

/** A file in the version that the user saw. */
export interface ChangedFile {
    readonly uri: string;
    readonly version: number;
}

/** What became of files that are to be undone, or put back. */
export interface UndoResult {
    /** Their URIs. */
    done: string[];
    left: Array<{
        uri: string;
        /**
         * - `changed`: the file is not as it was shown
         * - `edited`: an editor has edits of it that are not saved
         * - `failed`: it could not be written
         * - `no-room`: what would be taken away could not be put back
         */
        reason: 'changed' | 'edited' | 'failed' | 'no-room';
        /** Of a failure: the system's code, such as `EACCES`. */
        cause?: string;
    }>;
}
