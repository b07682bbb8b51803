// SPDX-License-Identifier: Apache-2.0

import { interfaces } from '@theia/core/shared/inversify';
import { CompanionPage, FileDiagnostics, ReviewInfo, ReviewSave, ShowReviewResult, WindowState } from '../common/companion-protocol';
import { ContributionGuard } from '../common/contribution-guard';
import { ChangeUndo } from './changes/change-undo';
import { SharedDiagnostics } from './context/shared-diagnostics';
import { ContextTracker } from './context/context-tracker';
import { PageReviews } from './review/page-reviews';
import { ReviewsContribution } from './review/reviews-contribution';
import { CompanionConnection } from './window/companion-connection';
import { WindowIdentity } from './window/window-identity';

/** Receives what the backend calls. Each service is looked up with the call, because it needs the proxy that is made with this. */
export class PageEndpoint implements CompanionPage {
    constructor(
        protected readonly container: interfaces.Container,
        protected readonly guard: ContributionGuard
    ) {}

    async ping(): Promise<string> {
        return this.container.get(WindowIdentity).loadId;
    }

    async showReview(review: ReviewInfo, text?: string): Promise<ShowReviewResult> {
        let reviews: ReviewsContribution;
        try {
            reviews = this.get(ReviewsContribution);
        } catch {
            // The CLI asks in its terminal.
            return { shown: false, reason: 'The page is not ready.' };
        }
        return reviews.showReview(review, text);
    }

    async closeReview(reviewId: string): Promise<ReviewSave | undefined> {
        return this.get(PageReviews).flushReview(reviewId);
    }

    async showsReview(reviewId: string): Promise<boolean> {
        return this.get(PageReviews).shows(reviewId);
    }

    async readDiagnostics(uri?: string | null): Promise<FileDiagnostics[]> {
        // JSON makes null of what is not there.
        return this.get(SharedDiagnostics).read(uri ?? undefined);
    }

    async readUnsaved(uris: string[]): Promise<string[]> {
        return this.get(ChangeUndo).unsavedOf(uris);
    }

    notifyState(state: WindowState): void {
        this.get(CompanionConnection).receiveState(state);
    }

    requestContext(): void {
        this.get(ContextTracker).sendAgain();
    }

    protected get<T>(service: interfaces.ServiceIdentifier<T>): T {
        return this.guard.get(this.container, service);
    }
}
