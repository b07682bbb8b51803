// SPDX-License-Identifier: Apache-2.0

import { Emitter } from '@theia/core/lib/common/event';
import { CompanionPage, ReviewInfo, ShownText, ShowReviewResult, WindowState } from '../../common/companion-protocol';
import { answerWithin } from '../host/one-at-a-time';
import { PagePayloads } from './page-payloads';

/** In milliseconds. */
export const PageTimeouts = { ping: 1_000, show: 2_000, close: 1_000 } as const;

/** One connection of a page, which may die at any time: every call has an end. */
export class ConnectedPage {
    /** The connection is gone. */
    closed = false;

    protected isSilent = false;
    protected readonly onDidChangeSilenceEmitter = new Emitter<void>();
    readonly onDidChangeSilence = this.onDidChangeSilenceEmitter.event;
    protected lastSent: string | undefined;

    constructor(
        readonly loadId: string,
        protected readonly page: CompanionPage
    ) {}

    /**
     * It has left a call unanswered, and nothing has come from it since. The connection of a tab that died stays open as long as
     * Theia's `frontendConnectionTimeout` says, which may be for ever.
     */
    get silent(): boolean {
        return this.isSilent;
    }

    /** Something came from it. */
    heard(): void {
        this.setSilent(false);
    }

    /** @returns whether this page is there */
    async isAlive(): Promise<boolean> {
        return (await this.ask(PageTimeouts.ping, this.page.ping())) === this.loadId;
    }

    /** @returns `undefined` if no answer came, or one that makes no sense */
    async show(review: ReviewInfo): Promise<ShowReviewResult | undefined> {
        const answer = await this.ask(PageTimeouts.show, this.page.showReview(review));
        return PagePayloads.showResult.safeParse(answer).data;
    }

    /** @returns `undefined` if no answer came, or one that makes no sense */
    async close(reviewId: string): Promise<ShownText | undefined> {
        const answer = await this.ask(PageTimeouts.close, this.page.closeReview(reviewId));
        return PagePayloads.shownText.safeParse(answer).data;
    }

    /** Sends the state if it differs from what was sent last. */
    tell(state: WindowState): void {
        const { sequence, ...content } = state;
        const key = JSON.stringify(content);
        if (key !== this.lastSent) {
            this.lastSent = key;
            // Theia's proxy answers with a promise all the same. It rejects if the socket is down and its buffer is full.
            Promise.resolve<unknown>(this.page.notifyState(state)).catch(() => undefined);
        }
    }

    protected ask<T>(limit: number, call: Promise<T>): Promise<T | undefined> {
        // Also if it comes late: the page was only busy.
        call.then(
            () => this.heard(),
            () => undefined
        );
        return answerWithin(limit, call, () => this.setSilent(true));
    }

    protected setSilent(silent: boolean): void {
        if (this.isSilent !== silent) {
            this.isSilent = silent;
            this.onDidChangeSilenceEmitter.fire();
        }
    }
}
