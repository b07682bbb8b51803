// SPDX-License-Identifier: Apache-2.0

import { FileFacts, SeenFile } from '../../common/companion-protocol';

/**
 * Why a file is not shown, or not as it is:
 * - `unknownEncoding`: some characters are not shown as they are
 * - `binary`, `tooLarge`, `directory`, `unreadable`: it is not shown
 */
export interface FileFault {
    readonly kind: 'unknownEncoding' | 'binary' | 'tooLarge' | 'directory' | 'unreadable';
    /** The system's reason, with `unreadable`. */
    readonly cause?: string;
}

/** How the left side differs from the file as it was when the CLI asked: somebody wrote, made or removed the file since, or it has a fault. */
export type OriginalDifference = FileFault | { readonly kind: 'changed' | 'created' | 'vanished'; readonly cause?: undefined };

/** A file on disk, as one read found it. */
export interface OriginalFile {
    readonly exists: boolean;
    /** Empty if there is none, or if it is not shown. */
    readonly text: string;
    /** When it was written last, in milliseconds since the epoch; absent if that is not known. */
    readonly modifiedAt?: number;
    /** In bytes; absent if it was not read. */
    readonly size?: number;
    /** What the backend has seen of it; absent if it did not answer. */
    readonly facts?: FileFacts;
    /** As Theia calls it; absent if it is not known. */
    readonly encoding?: string;
    /** The name of the encoding, if the user has chosen it. */
    readonly chosenEncoding?: string;
    readonly fault?: FileFault;
}

/** By this the backend says whether it is still the same file; `undefined` if it was not read. */
export function seenFileOf({ exists, modifiedAt, size }: OriginalFile): SeenFile | undefined {
    return exists ? (size === undefined ? undefined : { modifiedAt, size }) : {};
}

export function isSameFile(one: SeenFile | undefined, other: SeenFile | undefined): boolean {
    return one?.modifiedAt === other?.modifiedAt && one?.size === other?.size;
}

/** Whether both look the same on the screen. */
export function looksSame(one: OriginalFile, other: OriginalFile): boolean {
    return one === other || (one.exists === other.exists && one.text === other.text && one.fault?.kind === other.fault?.kind);
}

/**
 * Empty if the left side shows the file as it was when the CLI asked.
 *
 * @param askedAt when it had been written last at that time; `undefined` for a new file
 * @param file absent if it is not known yet
 */
export function differencesOf(askedAt: number | undefined, file: OriginalFile | undefined): OriginalDifference[] {
    if (file?.exists === false) {
        return askedAt === undefined ? [] : [{ kind: 'vanished' }];
    }
    const isAnother = file?.modifiedAt !== undefined && file.modifiedAt !== askedAt;
    const time: OriginalDifference[] = isAnother ? [{ kind: askedAt === undefined ? 'created' : 'changed' }] : [];
    return file?.fault ? [...time, file.fault] : time;
}
