// SPDX-License-Identifier: Apache-2.0

import { randomUUID } from 'crypto';
import { TestService } from '../test-backend';
import { KeptEdit, ReviewInfo, ShowReviewResult, WindowState } from '../../../common/companion-protocol';
import { PROPOSAL } from '../../../common/revision';
import { saveOf, TestPage } from '../test-page';
import { editedFor } from './soak-messages';

/** A page with a user who answers each review after a while, or leaves it to the CLI. */
export class SoakPage extends TestPage {
    service: TestService;
    /** Ids of reviews and kept edits. */
    private readonly seen = new Set<string>();
    private gone = false;

    override async showReview(review: ReviewInfo): Promise<ShowReviewResult> {
        this.consider(review);
        return { shown: true };
    }

    override notifyState(state: WindowState): void {
        void super.notifyState(state);
        state.reviews.forEach(review => this.consider(review));
        state.keptEdits.forEach(edit => this.discard(edit));
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

    /** The CLIs of a soak write no file: each text that was accepted becomes a kept edit, which this user does not want. */
    private discard({ id }: KeptEdit): void {
        if (!this.seen.has(id)) {
            this.seen.add(id);
            void this.service.discardEdit(id).catch(() => undefined);
        }
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
