// SPDX-License-Identifier: Apache-2.0

import { FileFacts, ReviewInfo } from '../../common/companion-protocol';

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

/** The state of a file on disk. */
export interface OriginalState {
    readonly exists: boolean;
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

/** Empty if the left side shows the file as it was when the CLI asked. @param file absent if it is not known yet */
export function differencesOf({ modifiedAt }: Pick<ReviewInfo, 'modifiedAt'>, file: OriginalState | undefined): OriginalDifference[] {
    if (file?.exists === false) {
        return modifiedAt === undefined ? [] : [{ kind: 'vanished' }];
    }
    const isAnother = file?.modifiedAt !== undefined && file.modifiedAt !== modifiedAt;
    const time: OriginalDifference[] = isAnother ? [{ kind: modifiedAt === undefined ? 'created' : 'changed' }] : [];
    return file?.fault ? [...time, file.fault] : time;
}
