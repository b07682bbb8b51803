// SPDX-License-Identifier: Apache-2.0

import { CompanionBackend, ReviewAnswer, ReviewContent, ReviewSave } from '../../common/companion-protocol';
import { Calls } from '../../common/calls';
import { Acceptance } from './page-review';
import { ReviewCalls } from './page-reviews';

/** The calls of a page's reviews to the backend. */
export class BackendReviewCalls implements ReviewCalls {
    constructor(
        protected readonly calls: Calls,
        protected readonly backend: Pick<CompanionBackend, 'readReview' | 'saveReview' | 'acceptReview' | 'rejectReview'>
    ) {}

    read(reviewId: string, reply: (content: ReviewContent | undefined) => void): void {
        const make = (): Promise<ReviewContent | undefined> => this.backend.readReview(reviewId);
        // JSON makes null of what is not there.
        this.calls.call(`read ${reviewId}`, { make, reply: content => reply(content ?? undefined) });
    }

    save(save: ReviewSave, reply: () => void): void {
        const key = `save ${save.about.reviewId}`;
        this.calls.call(key, { make: () => this.backend.saveReview(save), reply, length: save.text?.length });
    }

    accept(reviewId: string, { shown, file }: Acceptance, reply: (answer: ReviewAnswer) => void, delayed: () => void): void {
        const make = (): Promise<ReviewAnswer> => this.backend.acceptReview(reviewId, shown, file);
        this.calls.call(`answer ${reviewId}`, { make, reply, failed: delayed, length: shown.text?.length });
    }

    reject(reviewId: string, reply: (answer: ReviewAnswer) => void, delayed: () => void): void {
        this.calls.call(`answer ${reviewId}`, { make: () => this.backend.rejectReview(reviewId), reply, failed: delayed });
    }

    hasLeft(reviewId: string): boolean {
        return this.calls.hasLeft(`answer ${reviewId}`);
    }

    dropAnswer(reviewId: string): void {
        this.calls.drop(`answer ${reviewId}`);
    }
}
