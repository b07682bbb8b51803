// SPDX-License-Identifier: Apache-2.0

import { ContextKeyService } from '@theia/core/lib/browser/context-key-service';
import { MessageService } from '@theia/core/lib/common';
import { nls } from '@theia/core/lib/common/nls';
import { inject, injectable, postConstruct } from '@theia/core/shared/inversify';
import { CompanionBackend, ReviewInfo } from '../../common/companion-protocol';
import { plainText } from '../../common/plain-text';
import { withTimeLimit } from '../../common/time-limit';
import { noAnswerText } from '../window/backend-calls';
import { CompanionConnection } from '../window/companion-connection';
import { WorkspacePaths } from '../window/workspace-paths';
import { ReviewFocus } from './review-focus';
import { ReviewService } from './review-service';
import { ReviewStates } from './review-states';

const SHOW_LIMIT = 5_000;
const MESSAGE_TIME = 4_000;

/** True while a review waits, here or in another window with the same roots. */
export const REVIEWS_WAITING_KEY = 'companionReviewsWaiting';

/** Every review that waits for the user: those that this window shows, and those that other windows with the same roots show. */
@injectable()
export class WaitingReviews {
    @inject(CompanionBackend)
    protected readonly backend: CompanionBackend;
    @inject(CompanionConnection)
    protected readonly connection: CompanionConnection;
    @inject(ReviewService)
    protected readonly reviews: ReviewService;
    @inject(ReviewStates)
    protected readonly states: ReviewStates;
    @inject(ReviewFocus)
    protected readonly focus: ReviewFocus;
    @inject(WorkspacePaths)
    protected readonly paths: WorkspacePaths;
    @inject(MessageService)
    protected readonly messages: MessageService;
    @inject(ContextKeyService)
    protected readonly contextKeys: ContextKeyService;

    @postConstruct()
    protected init(): void {
        const waiting = this.contextKeys.createKey(REVIEWS_WAITING_KEY, this.any);
        this.connection.onDidChangeState(() => waiting.set(this.any));
    }

    get any(): boolean {
        return this.here.length > 0 || this.elsewhere.length > 0;
    }

    /** The oldest first, without those that the user has just decided: the backend's newest state may still list them. */
    get here(): readonly ReviewInfo[] {
        const { reviews = [], sequence = 0 } = this.connection.state ?? {};
        return byAge(reviews.filter(({ id }) => !this.states.isDecided(id, sequence)));
    }

    get elsewhere(): readonly ReviewInfo[] {
        return byAge(this.connection.state?.reviewsElsewhere ?? []);
    }

    /** Gives the keyboard to the review after the one that has it. */
    async activateNext(): Promise<void> {
        const { here } = this;
        const current = here.findIndex(({ id }) => id === this.focus.active);
        const next = here[(current + 1) % here.length];
        if (next && next !== here[current]) {
            await this.reviews.activate(next);
        } else if (this.elsewhere.length > 0) {
            await this.showHere(this.elsewhere[0]);
        } else {
            this.messages.info(nls.localize('theia/cli-companion/review/noneWaiting', 'No other proposal is waiting.'), {
                timeout: MESSAGE_TIME
            });
        }
    }

    /** Brings a review to the front and leaves the keyboard where it is. If one is in front already, the next one gets the keyboard. */
    async bringNext(): Promise<void> {
        const [next] = this.here;
        if (next && !this.here.some(({ id }) => this.reviews.isVisible(id))) {
            await this.reviews.reveal(next);
        } else {
            await this.activateNext();
        }
    }

    async open(review: ReviewInfo): Promise<void> {
        return this.here.some(({ id }) => id === review.id) ? this.reviews.activate(review) : this.showHere(review);
    }

    async accept(review: ReviewInfo): Promise<void> {
        await this.reviews.accept(review.id);
    }

    async reject(review: ReviewInfo): Promise<void> {
        await this.reviews.reject(review.id);
    }

    /** Moves the review to this window. The other window closes it without an answer. */
    protected async showHere(review: ReviewInfo): Promise<void> {
        try {
            if (await withTimeLimit(this.backend.showReviewHere(review.id), SHOW_LIMIT, noAnswerText())) {
                await this.reviews.activate(review);
            } else {
                const path = this.paths.display(review.path);
                this.messages.info(
                    plainText(nls.localize('theia/cli-companion/review/over', 'The proposal for {0} was already answered.', path))
                );
            }
        } catch (error) {
            this.messages.warn(plainText(error instanceof Error ? error.message : String(error)));
        }
    }
}

function byAge(reviews: readonly ReviewInfo[]): ReviewInfo[] {
    return [...reviews].sort((one, other) => one.openedAt - other.openedAt);
}
