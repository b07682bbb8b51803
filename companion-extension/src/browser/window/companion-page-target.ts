// SPDX-License-Identifier: Apache-2.0

import { Emitter } from '@theia/core/lib/common/event';
import { inject, injectable } from '@theia/core/shared/inversify';
import { CompanionPage, ReviewInfo, ShownText, ShowReviewResult, WindowState } from '../../common/companion-protocol';
import { WindowIdentity } from './window-identity';

export interface ReviewHost {
    showReview(review: ReviewInfo): Promise<ShowReviewResult>;
    closeReview(reviewId: string): Promise<ShownText>;
}

/** What the backend calls. It must not need the backend itself: the proxy to the backend is made with it. */
@injectable()
export class CompanionPageTarget implements CompanionPage {
    @inject(WindowIdentity)
    protected readonly identity: WindowIdentity;

    protected readonly onDidReceiveStateEmitter = new Emitter<WindowState>();
    readonly onDidReceiveState = this.onDidReceiveStateEmitter.event;
    protected host: ReviewHost | undefined;

    setReviewHost(host: ReviewHost): void {
        this.host = host;
    }

    async ping(): Promise<string> {
        return this.identity.loadId;
    }

    async showReview(review: ReviewInfo): Promise<ShowReviewResult> {
        return this.host ? this.host.showReview(review) : { shown: false, reason: 'The page is not ready.' };
    }

    async closeReview(reviewId: string): Promise<ShownText> {
        return this.host ? this.host.closeReview(reviewId) : {};
    }

    notifyState(state: WindowState): void {
        this.onDidReceiveStateEmitter.fire(state);
    }
}
