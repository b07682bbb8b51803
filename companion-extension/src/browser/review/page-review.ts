// SPDX-License-Identifier: Apache-2.0

import { ReviewAnswer, ReviewInfo, SeenFile, ShownText } from '../../common/companion-protocol';
import { isSameRevision, Revision } from '../../common/revision';
import { differencesOf, looksSame, OriginalDifference, OriginalFile } from '../diff/original-file';
import { ReviewText } from './review-text';

/** How the user answered; `close`: by closing the last editor, which rejects if no other page has one. */
export type AnswerKind = 'accept' | 'reject' | 'close';

/**
 * - `new`: nobody has tried to open it yet
 * - `closed`: by the user, or it could not be opened
 */
export type ReviewView = 'new' | 'opening' | 'open' | 'closing' | 'closed';

/** Both sides, as an accept names them. */
export interface SeenSides {
    readonly shown: ShownText;
    /** The left side; absent if it was not read, or if nobody is to look. */
    readonly file?: SeenFile;
}

/** What the user has before the eyes, and since when; `since` is absent while something covers it. */
interface Seen {
    readonly revision: Revision;
    readonly left: OriginalFile;
    readonly since: number | undefined;
}

interface UserAnswer extends SeenSides {
    kind: AnswerKind;
    /** The file could not be read, and the user did the same again: nobody looks at it. */
    isUnread?: boolean;
    isDelayed?: boolean;
    /** The backend has answered it once, and asked for the text. */
    hasLeft?: boolean;
    result?: ReviewAnswer;
}

/** A review as `PageReviews` has it. Nobody else writes to it. */
export type OwnReview = { -readonly [K in keyof PageReview]: PageReview[K] } & { answer: UserAnswer | undefined };

/** All that this page knows of one review. */
export class PageReview {
    readonly view: ReviewView = 'new';
    /** The backend's newest description; `undefined` before the first one. */
    readonly info: ReviewInfo | undefined;
    /** It waits in the backend. */
    readonly isListed: boolean = false;
    /** The revision that the right side shows. */
    readonly painted: Revision | undefined;
    /** The file that the left side shows; `undefined` if no editor does. */
    readonly left: OriginalFile | undefined;
    /** What the user has seen last. */
    readonly seen: Seen | undefined;
    /** The user's answer. */
    readonly answer: Readonly<UserAnswer> | undefined;
    /** When an accept did not count because the file could not be read; as the clock counts. */
    readonly silentSince: number | undefined;
    /** Why it could not be opened. */
    readonly problem: string | undefined;
    /** Who waits for the text that is read now. */
    readonly readers: ((isThere: boolean) => void)[] = [];

    constructor(readonly text: ReviewText) {}

    /** The file was not there when the CLI asked. */
    get isNewFile(): boolean {
        return this.info?.modifiedAt === undefined;
    }

    /** The CLI writes its own text, whatever the user makes of it. */
    get isReadOnly(): boolean {
        return this.info?.traits.writesOwnText === true;
    }

    /** How the left side differs from the file as it was when the CLI asked. */
    get differences(): OriginalDifference[] {
        return differencesOf(this.info?.modifiedAt, this.left);
    }

    /** The user has seen both sides as they are now. */
    get isSeen(): boolean {
        const { view, seen, left, text } = this;
        return view === 'open' && isOf(seen, text.revision, left);
    }

    get isReading(): boolean {
        return this.readers.length > 0;
    }

    get id(): string {
        return this.text.about.reviewId;
    }

    /** It waits for the user's answer. */
    get isWaiting(): boolean {
        // What says that it waits may have been sent before an answer that has its result.
        return this.isListed && this.answer === undefined;
    }

    /** The answer is under way. */
    get isAnswering(): boolean {
        return this.answer !== undefined && this.answer.result === undefined;
    }

    /** The user has typed since the answer. What was typed before may still be on its way to the disk. */
    get hasGoneOn(): boolean {
        return this.answer !== undefined && this.answer.shown.text !== this.text.text;
    }
}

/** Whether the user saw these sides. */
export function isOf(seen: Seen | undefined, revision: Revision, left: OriginalFile | undefined): boolean {
    return seen !== undefined && left !== undefined && isSameRevision(seen.revision, revision) && looksSame(seen.left, left);
}
