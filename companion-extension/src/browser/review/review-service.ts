// SPDX-License-Identifier: Apache-2.0

import { FrontendApplicationContribution } from '@theia/core/lib/browser';
import { FrontendApplicationStateService } from '@theia/core/lib/browser/frontend-application-state';
import { Disposable, DisposableCollection } from '@theia/core/lib/common';
import { ILogger } from '@theia/core/lib/common/logger';
import { inject, injectable, named } from '@theia/core/shared/inversify';
import { CompanionPreferences } from '../../common/companion-preferences';
import { CompanionBackend, ReviewAnswer, ReviewInfo, ShownText, ShowReviewResult, WindowState } from '../../common/companion-protocol';
import { CompanionConnection } from '../window/companion-connection';
import { ArrivingReviews } from './arriving-reviews';
import { ProposalTexts } from './proposal-texts';
import { ReviewEditors } from './review-editors';
import { ReviewFocus } from './review-focus';
import { ReviewMessages } from './review-messages';
import { ReviewNotices } from './review-notices';
import { OriginalContents, ReviewResourceResolver } from './review-resource-resolver';
import { ReviewScreen } from './review-screen';
import { ReviewStates } from './review-states';

/** Told to the CLI. */
const ANSWERED = 'This proposal was already answered.';

/** The reviews of this page: opens their diffs, sends the user's decisions, and keeps both in step with the backend. */
@injectable()
export class ReviewService implements FrontendApplicationContribution {
    @inject(CompanionBackend)
    protected readonly backend: CompanionBackend;
    @inject(CompanionConnection)
    protected readonly connection: CompanionConnection;
    @inject(ReviewStates)
    protected readonly states: ReviewStates;
    @inject(ReviewEditors)
    protected readonly editors: ReviewEditors;
    @inject(ProposalTexts)
    protected readonly texts: ProposalTexts;
    @inject(OriginalContents)
    protected readonly originals: OriginalContents;
    @inject(ReviewResourceResolver)
    protected readonly resources: ReviewResourceResolver;
    @inject(ReviewFocus)
    protected readonly focus: ReviewFocus;
    @inject(ReviewScreen)
    protected readonly screen: ReviewScreen;
    @inject(ReviewNotices)
    protected readonly notices: ReviewNotices;
    @inject(ReviewMessages)
    protected readonly messages: ReviewMessages;
    @inject(CompanionPreferences)
    protected readonly preferences: CompanionPreferences;
    @inject(FrontendApplicationStateService)
    protected readonly appState: FrontendApplicationStateService;
    @inject(ILogger)
    @named('companion:ReviewService')
    protected readonly logger: ILogger;

    protected readonly opening = new Map<string, Promise<ShowReviewResult>>();
    protected readonly arriving = new ArrivingReviews();
    protected readonly toDispose = new DisposableCollection();
    protected reconciled = -1;
    protected layoutReady = false;
    protected unloading = false;

    onStart(): void {
        // What is sent now has longer to leave than what `onStop` sends while the browser takes the page down.
        const leaving = (event: Event): void => {
            if (!this.texts.leave()) {
                // The browser asks whether to leave.
                event.preventDefault();
            }
        };
        window.addEventListener('beforeunload', leaving);
        this.toDispose.pushAll([
            this.editors.onDidOpenEditor(id => {
                this.states.editorOpened(id);
                this.notices.update(id);
            }),
            this.editors.onDidCloseEditor(id => this.editorClosed(id)),
            this.screen.onDidSee(id => this.messages.seen(id)),
            this.screen,
            this.connection.onDidChangeState(() => this.reconcile()),
            this.connection.onDidReconnect(() => this.states.openFailedAgain()),
            this.connection.onDidHello(() => this.sendEarlier()),
            // What was under way may be lost.
            this.connection.onDidRecover(() => this.texts.flush()),
            Disposable.create(() => window.removeEventListener('beforeunload', leaving))
        ]);
        this.states.loadKept();
        this.editors.start();
        this.notices.start(id => void this.reject(id));
        this.focus.start();
        this.screen.start();
        this.layoutRestored.then(
            () => {
                this.layoutReady = true;
                this.reconcile();
            },
            () => undefined
        );
    }

    onStop(): void {
        // Leaving the page decides nothing: from here on, closing an editor is no rejection.
        this.unloading = true;
        this.texts.flush();
        this.toDispose.dispose();
    }

    infoOf(reviewId: string): ReviewInfo | undefined {
        return this.states.infoOf(reviewId);
    }

    async showReview(review: ReviewInfo, text?: string): Promise<ShowReviewResult> {
        await this.layoutRestored;
        this.states.asked(review.id);
        return this.preferences['companion.review.open'] === 'never' ? { shown: true } : this.openArriving(review, text);
    }

    async closeReview(reviewId: string): Promise<ShownText> {
        const review = this.infoOf(reviewId);
        const shown = review ? this.texts.seen(review) : {};
        this.states.ended(reviewId);
        // The CLI waits for the text: it is sent before the editors are closed, which takes a while.
        setTimeout(() => this.close(reviewId));
        return shown;
    }

    /** Sends the text on the right side to the CLI; without an editor the text that the backend has. Tells the user if that fails. */
    async accept(reviewId: string): Promise<void> {
        if (!this.states.startAnswering(reviewId, 'accepting')) {
            return;
        }
        const answer = await this.send(reviewId, review => this.texts.accept(review));
        if (answer?.result === 'emptied') {
            if (this.states.acceptRefused(reviewId)) {
                this.sendRejection(reviewId);
            } else {
                await this.explainEmptied(reviewId);
            }
        } else if (answer) {
            if (answer.result === 'late') {
                this.messages.late(reviewId, answer.how);
            } else {
                this.messages.accepted(reviewId);
            }
            await this.finish(reviewId, true);
        }
    }

    async reject(reviewId: string): Promise<void> {
        if (!this.states.startAnswering(reviewId, 'rejecting')) {
            return;
        }
        const answer = await this.send(reviewId, () => this.texts.reject(reviewId));
        if (answer) {
            if (answer.result === 'late') {
                this.messages.late(reviewId, answer.how);
            } else {
                this.messages.rejected(reviewId);
            }
            await this.finish(reviewId, true);
        }
    }

    /** Brings a waiting review to the front for the user who asked for it. @returns whether it is shown */
    async reveal(review: ReviewInfo): Promise<boolean> {
        const result = await this.open(review, 'reveal');
        if (!result.shown) {
            this.messages.notShown(result.reason);
        } else if (!this.editors.isOnScreen(review.id)) {
            // It was being opened behind another one, or under a maximized area.
            await this.editors.open(review, 'reveal');
        }
        return result.shown;
    }

    /** As {@link reveal}, and gives it the keyboard. */
    async activate(review: ReviewInfo): Promise<void> {
        if (await this.reveal(review)) {
            await this.editors.activate(review);
        }
    }

    protected sendEarlier(): void {
        this.texts.sendEarlier().catch(error => this.logger.warn('What was typed before the reload has not arrived yet', error));
    }

    protected get layoutRestored(): Promise<void> {
        // Not before: the layout restores the diffs that were open, and they must not open twice.
        return this.appState.reachedState('initialized_layout');
    }

    protected reconcile(): void {
        const { state } = this.connection;
        if (this.layoutReady && state && state.sequence !== this.reconciled) {
            this.reconciled = state.sequence;
            this.reconcileWith(state);
        }
    }

    protected reconcileWith({ reviews, sequence }: WindowState): void {
        const { open, close, reject } = this.states.reconcile(reviews, sequence);
        this.texts.compare(reviews);
        if (this.preferences['companion.review.open'] !== 'never') {
            open.forEach(review => this.openWaiting(review));
        }
        close.forEach(id => this.close(id));
        reject.forEach(id => this.sendRejection(id));
        this.states.saveKept();
        this.notices.updateAll();
    }

    /** Opens a review from the backend's list. If that fails, a message says so once, and the user may try again. */
    protected async openWaiting(review: ReviewInfo): Promise<void> {
        const result = await this.openArriving(review);
        if (!result.shown && this.states.isWaiting(review.id)) {
            this.messages.notShown(result.reason);
        }
    }

    /** Shows a review that the user did not ask for. It never covers what the user types in, and says so if something covers it. */
    protected async openArriving(review: ReviewInfo, text?: string): Promise<ShowReviewResult> {
        if (this.preferences['companion.review.open'] !== 'background' && !this.focus.isTyping && !this.editors.isCovered) {
            return this.arriving.arrive(
                place => this.open(review, place === 'front' ? 'reveal' : 'background', text),
                () => this.editors.painted(review.id)
            );
        }
        const result = await this.open(review, 'background', text);
        if (result.shown && !this.editors.isOnScreen(review.id)) {
            this.messages.openedBehind(review, () => void this.activate(review));
        }
        return result;
    }

    protected open(review: ReviewInfo, mode: 'reveal' | 'background', text?: string): Promise<ShowReviewResult> {
        let opening = this.opening.get(review.id);
        if (!opening) {
            opening = this.doOpen(review, mode, text).finally(() => this.opening.delete(review.id));
            this.opening.set(review.id, opening);
        }
        return opening;
    }

    protected async doOpen(review: ReviewInfo, mode: 'reveal' | 'background', text?: string): Promise<ShowReviewResult> {
        if (!this.states.startOpening(review)) {
            return { shown: false, reason: ANSWERED };
        }
        const expected = typeof text !== 'string' ? Disposable.NULL : this.resources.expect({ review, text, edited: false });
        try {
            await this.editors.open(review, mode);
        } catch (error) {
            this.states.openingFailed(review.id);
            return { shown: false, reason: error instanceof Error ? error.message : String(error) };
        } finally {
            expected.dispose();
        }
        if (!this.states.isWaiting(review.id)) {
            // It was decided while it was being opened.
            await this.editors.close(review.id);
            return { shown: false, reason: ANSWERED };
        }
        this.notices.update(review.id);
        this.messages.opened(review);
        return { shown: true };
    }

    protected editorClosed(reviewId: string): void {
        if (this.unloading) {
            return;
        }
        const keep = this.preferences['companion.review.onTabClose'] === 'keep';
        if (this.states.editorClosed(reviewId, keep)) {
            this.sendRejection(reviewId);
        } else if (keep) {
            this.states.saveKept();
        }
    }

    /** Rejects a review that has no editor any more. If the answer does not arrive, it is sent again after the next hello. */
    protected sendRejection(reviewId: string): void {
        this.texts.reject(reviewId).then(
            answer => {
                if (answer.result === 'late') {
                    this.messages.late(reviewId, answer.how);
                } else if (answer.result === 'done' && !answer.editsKept) {
                    // If the edits are kept, the message that offers them says it.
                    this.messages.closed(reviewId);
                }
                this.states.ended(reviewId);
            },
            () => {
                this.states.answerFailed(reviewId);
                // The state that came with the reconnection skipped this review, because its answer was still under way.
                this.connection.refresh();
            }
        );
    }

    protected async send(reviewId: string, call: (review: ReviewInfo) => Promise<ReviewAnswer>): Promise<ReviewAnswer | undefined> {
        try {
            const review = this.infoOf(reviewId);
            return review ? await call(review) : { result: 'late', how: 'unknown' };
        } catch (error) {
            this.states.answerFailed(reviewId);
            // If only the answer was lost, the next state closes the diff.
            this.connection.refresh();
            this.messages.answerUnknown(error);
            return undefined;
        }
    }

    /** The review has ended without an answer from here. */
    protected close(reviewId: string): void {
        this.finish(reviewId, false).catch(error => this.logger.error('A review could not be closed', error));
    }

    /**
     * The review has ended: closes its editors, without an answer.
     * @param decidedHere the user decided in the diff
     */
    protected async finish(reviewId: string, decidedHere: boolean): Promise<void> {
        this.states.ended(reviewId);
        this.notices.forget(reviewId);
        this.messages.seen(reviewId);
        await this.focus.keep(reviewId, decidedHere, () => this.editors.close(reviewId));
        if (this.connection.state && this.layoutReady && !this.unloading) {
            // Meanwhile the backend may have given the review back to this window.
            this.reconcileWith(this.connection.state);
        }
    }

    protected async explainEmptied(reviewId: string): Promise<void> {
        const review = this.infoOf(reviewId);
        if (!review) {
            this.messages.acceptRefused();
            return;
        }
        if (this.editors.editorsOf(reviewId).length === 0) {
            await this.activate(review);
        }
        this.notices.acceptRefused(review);
    }
}
