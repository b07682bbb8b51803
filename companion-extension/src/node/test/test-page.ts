// SPDX-License-Identifier: Apache-2.0

import { randomUUID } from 'crypto';
import { CompanionPage, ReviewInfo, ShownText, ShowReviewResult, WindowState } from '../../common/companion-protocol';
import { ConnectedPage } from '../server/connected-page';

/** A page as the backend sees it. */
export class TestPage implements CompanionPage {
    readonly loadId = randomUUID();
    readonly shown: ReviewInfo[] = [];
    state: WindowState | undefined;
    /** A page that is gone while its connection lingers does not answer. */
    answersPing = true;
    /** What it says of the diff that it is told to close. */
    closed: ShownText = {};

    connection(): ConnectedPage {
        return new ConnectedPage(this.loadId, this);
    }

    ping(): Promise<string> {
        return this.answersPing ? Promise.resolve(this.loadId) : new Promise(() => undefined);
    }

    async showReview(review: ReviewInfo): Promise<ShowReviewResult> {
        this.shown.push(review);
        return { shown: true };
    }

    async closeReview(): Promise<ShownText> {
        return this.closed;
    }

    notifyState(state: WindowState): void {
        this.state = state;
    }
}
