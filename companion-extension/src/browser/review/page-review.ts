// SPDX-License-Identifier: Apache-2.0

import { ReviewAnswer, ReviewInfo, SeenFile, ShownText } from '../../common/companion-protocol';
import { Revision } from '../../common/revision';
import { ReviewText } from './review-text';

/** How the user answered; `close`: by closing the last editor, which rejects if no other page has one. */
export type AnswerKind = 'accept' | 'reject' | 'close';

/**
 * - `new`: nobody has tried to open it yet
 * - `closed`: by the user, or it could not be opened
 */
export type ReviewView = 'new' | 'opening' | 'open' | 'closing' | 'closed';

/** What the user saw. */
export interface Acceptance {
    readonly shown: ShownText;
    /** The left side; absent if it is not known, or if nobody is to look. */
    readonly file?: SeenFile;
}

/** All that this page knows of one review. */
export class PageReview {
    view: ReviewView = 'new';
    /** The backend's newest description; `undefined` before the first one. */
    info: ReviewInfo | undefined;
    /** It waits in the backend. */
    isListed = false;
    /** The revision that the editor shows. */
    painted: Revision | undefined;
    /** The text that the user has seen last, and since when the editor shows it; `since` is absent while it does not. */
    seen: { readonly revision: Revision; since: number | undefined } | undefined;
    /** The user's answer. */
    answer: (Acceptance & { readonly kind: AnswerKind; isDelayed?: boolean; result?: ReviewAnswer }) | undefined;
    /** Why it could not be opened. */
    problem: string | undefined;
    /** Who waits for the text that is read now. */
    readonly readers: ((isThere: boolean) => void)[] = [];

    constructor(readonly text: ReviewText) {}

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
