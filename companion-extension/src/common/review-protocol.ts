// SPDX-License-Identifier: Apache-2.0

import { AcceptedTexts, ReviewAnswer, ReviewContent, ReviewSave, SeenFile, ShownText } from './companion-protocol';

export const reviewPath = '/services/companion/review';

export const ReviewBackend = Symbol('ReviewBackend');
/** What a page calls about reviews and kept edits. Refused before the window has said hello. */
export interface ReviewBackend {
    /** The texts of a review that this window or another one with the same roots shows; `undefined` if it is no longer waiting. */
    readReview(reviewId: string): Promise<ReviewContent | undefined>;
    /** A review is on the screen. Only the first time counts, of all pages. */
    markShown(reviewId: string): Promise<void>;
    /**
     * Accepts a review of this window, or of another one with the same roots: exactly the text that the user saw.
     *
     * @param file that the user saw beside it; if it is another one now, nothing is accepted. If it is left out, nobody looks
     */
    acceptReview(reviewId: string, shown: ShownText, file?: SeenFile): Promise<ReviewAnswer>;
    /** Takes effect at once. What the user typed travels by itself, see {@link saveReview}. */
    rejectReview(reviewId: string): Promise<ReviewAnswer>;
    /** The user has closed the review's last editor in this page. That rejects, unless another page shows it. */
    closeReview(reviewId: string): Promise<ReviewAnswer>;
    /** Saves a text that the user typed into a proposal, whatever became of its review. Answers when it is on disk, and fails if it cannot be stored. */
    saveReview(save: ReviewSave): Promise<void>;
    /** The text of a kept edit; `undefined` if it is no longer kept. */
    readEdit(id: string): Promise<string | undefined>;
    /** The user does not want the text. Answers when that is on disk. */
    discardEdit(id: string): Promise<void>;
    /** What an undo of an accepted proposal needs; `undefined` if it is not kept. */
    readAccepted(reviewId: string): Promise<AcceptedTexts | undefined>;
    /** It is undone. */
    forgetAccepted(reviewId: string): Promise<void>;
}
