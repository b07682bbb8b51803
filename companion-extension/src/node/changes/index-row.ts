// SPDX-License-Identifier: Apache-2.0

import { createHash } from 'crypto';
import { Entry, LINK_MODE } from './index-entry';
import { DiskEntry } from './work-tree';

/**
 * - `file`: content that differs, or a file that came or went
 * - `mode`: only its mode differs
 * - `link`: a link stands where a file stood, or the reverse
 * - `unknown`: it was changed, and what stood there before is not known
 * - `folder`: a new folder with many files
 * - `repository`: one that was not there before
 * - `ignored`: something that the repository ignores was deleted
 * - `secret`, `large`: only name, size and times are known
 */
export type RowKind = 'file' | 'mode' | 'link' | 'unknown' | 'folder' | 'repository' | 'ignored' | 'secret' | 'large';

/** A path where the disk is other than the baseline. It holds no text. */
export interface IndexRow {
    readonly kind: RowKind;
    readonly how: 'modified' | 'added' | 'deleted';
    /** Within the private index; ends with `/` for a folder. */
    readonly name: string;
    /** `null` also where there is no baseline: see {@link kind}. */
    readonly base: Entry;
    readonly now: DiskEntry | null;
    /** Of a new folder. */
    readonly files?: readonly string[];
    /** Of a new folder: when the look that saw it began, in milliseconds since the epoch. */
    readonly lookedAt?: number;
    /** The text before is nowhere any more. */
    readonly isMissing?: boolean;
    /** The file is as HEAD has it. */
    readonly equalsHead?: boolean;
    /** The base is HEAD's text. */
    readonly isHeadBase?: boolean;
}

/** Who changed a row, and when. */
export interface RowNote {
    /** Of the row: another content is another note. */
    readonly version: string;
    /** The agents that worked when it was changed; empty if none did. */
    readonly agents: readonly string[];
    /** In milliseconds since the epoch. */
    readonly changedAt: number;
    /** It was committed while an agent worked. */
    readonly isCommitted?: true;
    /** There was no file before. The user may have typed into it since, which made that its base. */
    readonly isNew?: true;
}

/** Whether the row stands for entries of the index, and not for a name alone. */
export function isOfIndex({ kind }: Pick<IndexRow, 'kind'>): boolean {
    return kind === 'file' || kind === 'mode' || kind === 'link' || kind === 'unknown';
}

export function rowOf(name: string, base: Entry, now: DiskEntry | null, isUnknown = false): IndexRow {
    const how = !now ? 'deleted' : !base ? 'added' : 'modified';
    const [isLink, wasLink] = [now, base].map(entry => entry?.mode === LINK_MODE);
    const differs = isLink !== wasLink ? 'link' : base?.oid === now?.oid ? 'mode' : 'file';
    return {
        kind: isUnknown ? 'unknown' : how === 'modified' ? differs : 'file',
        how: isUnknown && now ? 'modified' : how,
        name,
        base,
        now
    };
}

/** The same two contents are the same version, after a restart and in another backend, too. */
export function versionOf({ kind, base, now, files }: IndexRow): string {
    const entry = (of: Entry): unknown => of && [of.mode, of.oid];
    const isUnknown = kind === 'unknown';
    const count = files ? [files.length] : [];
    return createHash('sha1')
        .update(JSON.stringify([isOfIndex({ kind }) ? '' : kind, entry(base), entry(now), isUnknown, ...count]))
        .digest('hex')
        .slice(0, 12);
}

/** Whether the row can be undone as a whole. */
export function canUndo({ kind, files, isMissing, now }: IndexRow): boolean {
    return (kind === 'file' || kind === 'mode' || kind === 'link' || files !== undefined) && !isMissing && !now?.isNameOnly;
}
