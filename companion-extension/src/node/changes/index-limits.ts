// SPDX-License-Identifier: Apache-2.0

const MB = 1024 * 1024;

/** The bounds of a private index. */
export interface IndexLimits {
    /** In bytes: of a larger file only the name, size and times are known. */
    readonly fileBytes: number;
    /** At the start: how many files are stored, and how many bytes. Of others there is the hash. */
    readonly startFiles: number;
    readonly startBytes: number;
    /** In bytes: what is stored for one root. */
    readonly storeBytes: number;
    /** In bytes, and in lines: of a larger file no lines are told apart. */
    readonly textBytes: number;
    readonly textLines: number;
    /** A new folder with more files is one row. */
    readonly folderFiles: number;
    /** Names of what was there at the start and is ignored. */
    readonly ignoredNames: number;
    /** Entries of the journal, before they go into the index. */
    readonly journalEntries: number;
    /** In milliseconds: how long a call of git may take in a look, and in a start. */
    readonly lookMs: number;
    readonly startMs: number;
}

const LINE_END = 10;

/** Whether lines are told apart in a file. Else it is kept, undone and folded as a whole. */
export function hasHunks(bytes: Buffer, { textBytes, textLines }: Pick<IndexLimits, 'textBytes' | 'textLines'>): boolean {
    let lines = 0;
    for (let at = bytes.indexOf(LINE_END); at >= 0 && lines <= textLines; at = bytes.indexOf(LINE_END, at + 1)) {
        lines++;
    }
    return bytes.length <= textBytes && lines <= textLines;
}

export const INDEX_LIMITS: IndexLimits = {
    fileBytes: 10 * MB,
    startFiles: 20_000,
    startBytes: 128 * MB,
    storeBytes: 256 * MB,
    textBytes: MB,
    textLines: 20_000,
    folderFiles: 30,
    ignoredNames: 5_000,
    journalEntries: 500,
    lookMs: 10_000,
    startMs: 120_000
};
