// SPDX-License-Identifier: Apache-2.0

import { Emitter } from '@theia/core/lib/common/event';
import { Clock } from '../../common/clock';
import { isSameRevision } from '../../common/revision';
import { AnswerGuard } from '../window/answer-guard';
import { PageReview } from './page-review';
import { PageReviews } from './page-reviews';

interface SeenGuardOptions {
    readonly reviews: PageReviews;
    /** In the time of {@link AnswerGuard}. */
    readonly clock: Clock;
    readonly guard: Pick<AnswerGuard, 'takesAnswer'>;
    /** `loadId` of this page. */
    readonly page: string;
    /** True if a user can see the review's diff now. */
    isOnScreen(reviewId: string): boolean;
}

/** Writes into each review which text the user has before the eyes, and since when: without that nothing is accepted. */
export class SeenGuard {
    protected readonly onDidSeeEmitter = new Emitter<PageReview>();
    /** Fires when a review comes onto the screen. */
    readonly onDidSee = this.onDidSeeEmitter.event;

    constructor(protected readonly options: SeenGuardOptions) {
        options.reviews.onDidChange(review => this.follow(review));
    }

    /** Something on the screen may have changed. */
    lookAtAll(): void {
        this.options.reviews.all.forEach(review => this.look(review));
    }

    /** One of its sides is another text now: the user has to have it before the eyes for a moment. */
    forget(review: PageReview): void {
        review.seen = undefined;
        this.look(review);
    }

    /**
     * Whether the review had been on the screen for so long that a key or a click was meant for it.
     *
     * @param pressed when that was, as the clock counts
     */
    takesKeys(reviewId: string, pressed = this.options.clock.now): boolean {
        const review = this.options.reviews.get(reviewId);
        if (review) {
            this.look(review);
        }
        const since = review?.seen?.since;
        return since !== undefined && this.options.guard.takesAnswer(pressed, since);
    }

    /** True if both its sides have been on the screen as they are now, in this load of the page. */
    hasSeen(review: PageReview): boolean {
        this.look(review);
        // Without an editor nobody follows its file.
        return review.view === 'open' && review.seen !== undefined && isSameRevision(review.seen.revision, review.text.revision);
    }

    /** To look takes a layout of the page, which is too long for each key. */
    protected follow(review: PageReview): void {
        const { seen, text, view } = review;
        if (view === 'open' && text.isUnsent && text.revision.page === this.options.page && seen?.since !== undefined) {
            review.seen = { revision: text.revision, since: seen.since };
        } else {
            this.look(review);
        }
    }

    protected look(review: PageReview): void {
        const { id, view, isWaiting, seen } = review;
        const { revision } = review.text;
        if (view !== 'open' || !isWaiting || !this.options.isOnScreen(id)) {
            review.seen = seen && { ...seen, since: undefined };
            return;
        }
        if (seen?.since !== undefined && isSameRevision(seen.revision, revision)) {
            return;
        }
        // Whoever types has seen it.
        const isTyped = revision.page === this.options.page;
        review.seen = { revision, since: (isTyped ? seen?.since : undefined) ?? this.options.clock.now };
        if (seen?.since === undefined) {
            this.onDidSeeEmitter.fire(review);
        }
    }
}
