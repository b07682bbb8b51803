// SPDX-License-Identifier: Apache-2.0

import { PageReview } from './page-review';

/**
 * The port to Theia. It reports with `PageReviews.markOpened`, `markClosed`, `markFailed`, `type` and `showLeft`, asks for texts with
 * `resolve`, and calls `lookAtAll` when something on the screen may have changed.
 */
export interface ReviewViews {
    open(review: PageReview): void;
    close(review: PageReview): void;
    /** Shows another text. This is no typing. */
    paint(review: PageReview): void;
    /** Reads the left side again: file systems do not report every change. */
    readLeft(review: PageReview): void;
    /** True if a user can see the review's diff now. */
    isOnScreen(reviewId: string): boolean;
}
