// SPDX-License-Identifier: Apache-2.0

import { createHash } from 'crypto';
import { DroppedEdit, LateReason } from '../../common/companion-protocol';
import { EditPlace } from './dropped-edits';

/** In milliseconds: a client has read ten megabytes by then. */
const DELAY = 1_000;

/** A review that has ended. */
export interface EndedReview {
    readonly edit: Omit<DroppedEdit, 'reason' | 'droppedAt'>;
    readonly place: EditPlace;
    readonly state: Exclude<LateReason, 'moved' | 'unknown'>;
    /** The load of the page that had edited the text last. */
    readonly writer: string;
    /** It ended with the text that had been mirrored last. */
    readonly asMirrored: boolean;
    /** The text that the CLI got. */
    readonly digest: TextDigest;
    /** Whether that text is the user's. */
    readonly edited: boolean;
    /** The load of the page that answered. */
    answeredBy?: string;
}

/**
 * What a text is compared by when it is gone. Worked out a moment later: ten megabytes take 13 ms, and a CLI waits for its answer now.
 */
export class TextDigest {
    protected digest: string | undefined;

    constructor(protected text: string | undefined) {
        setTimeout(() => this.value, DELAY).unref();
    }

    is(text: string): boolean {
        return this.value === digestOf(text);
    }

    protected get value(): string {
        this.digest ??= digestOf(this.text ?? '');
        this.text = undefined;
        return this.digest;
    }
}

function digestOf(text: string): string {
    return createHash('sha256').update(text).digest('base64');
}
