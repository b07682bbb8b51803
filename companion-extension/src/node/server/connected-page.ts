// SPDX-License-Identifier: Apache-2.0

import { CompanionPage, ReviewInfo, ShownText, ShowReviewResult, WindowState } from '../../common/companion-protocol';
import { answerWithin } from './answer-within';
import { PagePayloads } from './page-payloads';

/** In milliseconds. */
export const PageTimeouts = { ping: 1_000, show: 2_000, close: 1_000 } as const;

/** One connection of a page, which may die at any time: every call has an end. */
export class ConnectedPage {
    /** The connection is gone. */
    closed = false;

    private lastSent: string | undefined;

    constructor(
        readonly loadId: string,
        private readonly page: CompanionPage
    ) {}

    /** @returns whether this page is there */
    async isAlive(): Promise<boolean> {
        return (await answerWithin(PageTimeouts.ping, this.page.ping())) === this.loadId;
    }

    /** @returns `undefined` where no answer came, or one that makes no sense */
    async show(review: ReviewInfo): Promise<ShowReviewResult | undefined> {
        const answer = await answerWithin(PageTimeouts.show, this.page.showReview(review));
        return PagePayloads.showResult.safeParse(answer).data;
    }

    /** @returns `undefined` where no answer came, or one that makes no sense */
    async close(reviewId: string): Promise<ShownText | undefined> {
        const answer = await answerWithin(PageTimeouts.close, this.page.closeReview(reviewId));
        return PagePayloads.shownText.safeParse(answer).data;
    }

    /** Sends the state where it differs from what was sent last. */
    tell(state: WindowState): void {
        const { sequence, ...content } = state;
        const key = JSON.stringify(content);
        if (key !== this.lastSent) {
            this.lastSent = key;
            this.page.notifyState(state);
        }
    }
}
