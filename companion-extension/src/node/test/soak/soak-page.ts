// SPDX-License-Identifier: Apache-2.0

import { randomUUID } from 'crypto';
import { TestService } from '../test-backend';
import { ReviewInfo, ShowReviewResult, WindowState } from '../../../common/companion-protocol';
import { PROPOSAL } from '../../../common/revision';
import { saveOf, TestPage } from '../test-page';
import { editedFor } from './soak-messages';

/** A page with a user who answers each review after a while, or leaves it to the CLI. */
export class SoakPage extends TestPage {
    service: TestService;
    private readonly seen = new Set<string>();
    private gone = false;

    override async showReview(review: ReviewInfo): Promise<ShowReviewResult> {
        this.consider(review);
        return { shown: true };
    }

    override notifyState(state: WindowState): void {
        void super.notifyState(state);
        state.reviews.forEach(review => this.consider(review));
    }

    /** What a reloaded page would not do any more. */
    leave(): void {
        this.gone = true;
    }

    private consider(review: ReviewInfo): void {
        if (this.seen.has(review.id)) {
            return;
        }
        this.seen.add(review.id);
        setTimeout(() => void this.answer(review).catch(() => undefined), Math.random() * 3_000).unref();
    }

    private async answer({ id, path, revision, traits }: ReviewInfo): Promise<void> {
        if (this.gone) {
            return;
        }
        const choice = Math.random();
        if (choice < 0.3) {
            await this.service.acceptReview(id, { revision: PROPOSAL });
        } else if (choice < 0.5 && !traits.writesOwnText) {
            const save = saveOf(id, editedFor(path), 1, randomUUID(), [revision]);
            await this.service.saveReview(save);
            await this.service.acceptReview(id, { revision: save.revision });
        } else if (choice < 0.8) {
            await this.service.rejectReview(id);
        }
    }
}
