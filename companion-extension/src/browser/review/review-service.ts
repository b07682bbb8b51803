// SPDX-License-Identifier: Apache-2.0

import { FrontendApplicationContribution } from '@theia/core/lib/browser';
import { FrontendApplicationStateService } from '@theia/core/lib/browser/frontend-application-state';
import { DisposableCollection } from '@theia/core/lib/common';
import { ILogger } from '@theia/core/lib/common/logger';
import { nls } from '@theia/core/lib/common/nls';
import { inject, injectable, named } from '@theia/core/shared/inversify';
import { CompanionPreferences } from '../../common/companion-preferences';
import { CompanionBackend, ReviewAnswer, ReviewInfo, ShownText, ShowReviewResult } from '../../common/companion-protocol';
import { CompanionConnection } from '../window/companion-connection';
import { CompanionPageTarget, ReviewHost } from '../window/companion-page-target';
import { KeptReviews } from './kept-reviews';
import { ReviewFocus } from './review-focus';
import { ReviewLedger } from './review-ledger';
import { ReviewMessages } from './review-messages';
import { ReviewTexts } from './review-texts';
import { ReviewViews } from './review-views';

const ANSWER_LIMIT = 15_000;

/** The reviews of this page: opens their diffs, sends what the user decided, and keeps both in step with the backend. */
@injectable()
export class ReviewService implements FrontendApplicationContribution, ReviewHost {
    @inject(CompanionBackend)
    protected readonly backend: CompanionBackend;
    @inject(CompanionConnection)
    protected readonly connection: CompanionConnection;
    @inject(CompanionPageTarget)
    protected readonly page: CompanionPageTarget;
    @inject(ReviewViews)
    protected readonly views: ReviewViews;
    @inject(KeptReviews)
    protected readonly kept: KeptReviews;
    @inject(ReviewTexts)
    protected readonly texts: ReviewTexts;
    @inject(ReviewFocus)
    protected readonly focus: ReviewFocus;
    @inject(ReviewMessages)
    protected readonly messages: ReviewMessages;
    @inject(ReviewLedger)
    protected readonly ledger: ReviewLedger;
    @inject(CompanionPreferences)
    protected readonly preferences: CompanionPreferences;
    @inject(FrontendApplicationStateService)
    protected readonly appState: FrontendApplicationStateService;
    @inject(ILogger)
    @named('companion:ReviewService')
    protected readonly logger: ILogger;

    protected readonly opening = new Map<string, Promise<ShowReviewResult>>();
    protected readonly toDispose = new DisposableCollection();
    protected reconciled = -1;
    protected layoutReady = false;
    protected unloading = false;

    onStart(): void {
        this.toDispose.pushAll([
            this.views.onDidOpenView(id => {
                this.ledger.viewOpened(id);
                this.messages.describe(id);
            }),
            this.views.onDidCloseView(id => this.viewClosed(id)),
            this.connection.onDidChangeState(() => this.reconcile()),
            this.connection.onDidReconnect(() => this.ledger.openFailedAgain())
        ]);
        this.ledger.keep(this.kept.load());
        this.views.start();
        this.messages.start(id => void this.reject(id));
        this.focus.start();
        this.page.setReviewHost(this);
        this.layoutRestored.then(
            () => {
                this.layoutReady = true;
                this.reconcile();
            },
            () => undefined
        );
    }

    onStop(): void {
        // Leaving the page decides nothing: what closes from here on is no rejection.
        this.unloading = true;
        this.texts.flush();
        this.toDispose.dispose();
    }

    infoOf(reviewId: string): ReviewInfo | undefined {
        return this.ledger.infoOf(reviewId);
    }

    async showReview(review: ReviewInfo): Promise<ShowReviewResult> {
        await this.layoutRestored;
        const mode = this.preferences['companion.review.open'];
        return mode === 'never' ? { shown: true } : this.open(review, mode);
    }

    async closeReview(reviewId: string): Promise<ShownText> {
        const shown = this.texts.shown(reviewId);
        // Not awaited: closing waits for a frame, which a page in the background does not get, and the CLI waits for the text.
        this.finish(reviewId, false).catch(error => this.logger.error('A review could not be closed', error));
        return shown;
    }

    /** Sends the right side to the CLI, without a view what the backend has of it. What stands in the way is shown to the user. */
    async accept(reviewId: string): Promise<void> {
        if (!this.ledger.startAnswering(reviewId)) {
            return;
        }
        const shown = this.texts.shown(reviewId);
        const answer = await this.send(
            () => this.backend.acceptReview(reviewId, shown),
            () => this.ledger.acceptFailed(reviewId)
        );
        if (answer?.result === 'emptied') {
            this.ledger.answerFailed(reviewId);
            if (this.ledger.takeUnsent(reviewId)) {
                // The user closed the diff meanwhile.
                this.sendRejection(reviewId);
            } else {
                await this.explainEmptied(reviewId);
            }
        } else if (answer) {
            if (answer.result === 'done') {
                this.messages.accepted(reviewId);
            } else if (shown.text !== undefined) {
                this.messages.editsNotSent(reviewId);
            }
            await this.finish(reviewId, true);
        }
    }

    async reject(reviewId: string): Promise<void> {
        if (!this.ledger.startAnswering(reviewId)) {
            return;
        }
        const answer = await this.send(
            () => this.backend.rejectReview(reviewId),
            () => this.ledger.answerFailed(reviewId)
        );
        if (answer) {
            if (answer.result === 'done') {
                this.messages.rejected(reviewId);
            }
            await this.finish(reviewId, true);
        }
    }

    /** Shows a waiting review to the user who asked for it, with the keyboard. */
    async activate(review: ReviewInfo): Promise<void> {
        const result = await this.open(review, 'reveal');
        if (result.shown) {
            await this.views.activate(review);
        } else {
            this.messages.notShown(result.reason);
        }
    }

    protected get layoutRestored(): Promise<void> {
        // Not before: the layout brings back the diffs that were open, and they are not to be opened twice.
        return this.appState.reachedState('initialized_layout');
    }

    protected reconcile(): void {
        const { state } = this.connection;
        if (!this.layoutReady || !state || state.sequence === this.reconciled) {
            return;
        }
        this.reconciled = state.sequence;
        const { open, close, reject } = this.ledger.reconcile(state.reviews);
        this.texts.keepOnly(state.reviews);
        state.reviews.forEach(review => this.texts.compare(review));
        const mode = this.preferences['companion.review.open'];
        if (mode !== 'never') {
            open.forEach(review => this.openWaiting(review, mode));
        }
        close.forEach(id => {
            this.finish(id, false).catch(error => this.logger.error('A review could not be closed', error));
        });
        reject.forEach(id => this.sendRejection(id));
        this.kept.save(this.ledger.kept);
        this.messages.describeAll();
    }

    /** For a review that nobody waits to see opened: what stands in the way is said once, and the user may try again. */
    protected async openWaiting(review: ReviewInfo, mode: 'reveal' | 'background'): Promise<void> {
        const result = await this.open(review, mode);
        if (!result.shown && this.ledger.isWaiting(review.id)) {
            this.ledger.openingFailed(review.id);
            this.messages.notShown(result.reason);
        }
    }

    protected open(review: ReviewInfo, mode: 'reveal' | 'background'): Promise<ShowReviewResult> {
        let opening = this.opening.get(review.id);
        if (!opening) {
            opening = this.doOpen(review, mode).finally(() => this.opening.delete(review.id));
            this.opening.set(review.id, opening);
        }
        return opening;
    }

    protected async doOpen(review: ReviewInfo, mode: 'reveal' | 'background'): Promise<ShowReviewResult> {
        if (!this.ledger.startOpening(review)) {
            return { shown: false, reason: nls.localize('companion/review/decided', 'The review is already decided.') };
        }
        try {
            await this.views.open(review, mode);
        } catch (error) {
            return { shown: false, reason: error instanceof Error ? error.message : String(error) };
        } finally {
            this.ledger.endOpening(review.id);
        }
        if (!this.ledger.isWaiting(review.id)) {
            // Decided while it was being opened.
            await this.views.close(review.id);
            return { shown: false, reason: nls.localize('companion/review/decided', 'The review is already decided.') };
        }
        this.messages.opened(review);
        return { shown: true };
    }

    protected viewClosed(reviewId: string): void {
        if (this.unloading) {
            return;
        }
        const keep = this.preferences['companion.review.onTabClose'] === 'keep';
        if (this.ledger.viewClosed(reviewId, keep)) {
            this.texts.forget(reviewId);
            this.sendRejection(reviewId);
        } else if (keep) {
            this.texts.flush(reviewId);
            this.kept.save(this.ledger.kept);
        }
    }

    /** For a review that has no view any more. If it does not get through, it is sent again after the next hello. */
    protected sendRejection(reviewId: string): void {
        this.connection
            .ask(() => this.backend.rejectReview(reviewId), ANSWER_LIMIT, 'No answer.')
            .then(
                () => this.ledger.finished(reviewId),
                () => {
                    this.ledger.answerFailed(reviewId);
                    // The state that came with the reconnection said nothing of this review, because its answer was still under way.
                    this.connection.refresh();
                }
            );
    }

    protected async send(call: () => Promise<ReviewAnswer>, failed: () => void): Promise<ReviewAnswer | undefined> {
        try {
            const whatFailed = nls.localize('companion/review/noAnswer', 'The backend does not answer.');
            return await this.connection.ask(call, ANSWER_LIMIT, whatFailed);
        } catch (error) {
            failed();
            // Whether only the answer was lost, the next state tells: then it closes the diff.
            this.connection.refresh();
            this.messages.answerUnknown(error);
            return undefined;
        }
    }

    /**
     * The review is decided: closes its views, without an answer.
     * @param decidedHere the user decided in the diff
     */
    protected async finish(reviewId: string, decidedHere: boolean): Promise<void> {
        this.ledger.finished(reviewId);
        this.messages.forget(reviewId);
        this.texts.forget(reviewId);
        await this.focus.keep(reviewId, decidedHere, () => this.views.close(reviewId));
    }

    protected async explainEmptied(reviewId: string): Promise<void> {
        const review = this.infoOf(reviewId);
        if (review && this.views.viewsOf(reviewId).length === 0) {
            await this.activate(review);
        }
        this.messages.emptiedRefused(reviewId);
    }
}
