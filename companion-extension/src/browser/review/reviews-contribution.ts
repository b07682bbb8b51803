// SPDX-License-Identifier: Apache-2.0

import { animationFrame, ApplicationShell, FrontendApplicationContribution } from '@theia/core/lib/browser';
import { FrontendApplicationStateService } from '@theia/core/lib/browser/frontend-application-state';
import { Disposable, DisposableCollection } from '@theia/core/lib/common/disposable';
import { inject, injectable } from '@theia/core/shared/inversify';
import { CompanionPreferences } from '../../common/companion-preferences';
import { ReviewInfo, ShowReviewResult } from '../../common/companion-protocol';
import { ReviewBackend } from '../../common/review-protocol';
import { CompanionConnection } from '../window/companion-connection';
import { AnswerGuard } from '../window/answer-guard';
import { PageReload } from '../window/page-reload';
import { PageReview } from './page-review';
import { PageReviews } from './page-reviews';
import { ReviewEditors } from './review-editors';
import { UnsentTexts } from './unsent-texts';

/** Told to the CLI. */
const ANSWERED = 'This proposal was already answered.';

/** Connects the reviews of the page with what is around: the backend's states and calls, the layout, and the end of the page. */
@injectable()
export class ReviewsContribution implements FrontendApplicationContribution {
    @inject(CompanionConnection)
    protected readonly connection: CompanionConnection;
    @inject(ReviewBackend)
    protected readonly backend: Pick<ReviewBackend, 'markShown'>;
    @inject(PageReviews)
    protected readonly reviews: PageReviews;
    @inject(PageReload)
    protected readonly reload: Pick<PageReload, 'isChosen'>;
    @inject(UnsentTexts)
    protected readonly unsent: UnsentTexts;
    @inject(ReviewEditors)
    protected readonly editors: ReviewEditors;
    @inject(AnswerGuard)
    protected readonly guard: AnswerGuard;
    @inject(ApplicationShell)
    protected readonly shell: ApplicationShell;
    @inject(CompanionPreferences)
    protected readonly preferences: CompanionPreferences;
    @inject(FrontendApplicationStateService)
    protected readonly appState: FrontendApplicationStateService;

    protected readonly toDispose = new DisposableCollection();
    /** The number of the last state that was received. */
    protected received = -1;
    protected isLayoutReady = false;

    onStart(): void {
        const leaving = (event: Event): void => {
            const isSent = this.reviews.leave() && !this.unsent.hasOthers;
            if (!isSent && !(this.reload.isChosen && this.reviews.survivesReload)) {
                // The browser asks whether to leave.
                event.preventDefault();
            }
        };
        // A tab that the system ends in the background gets no other event.
        const hidden = (): unknown => document.visibilityState === 'hidden' && this.reviews.leave();
        window.addEventListener('beforeunload', leaving);
        document.addEventListener('visibilitychange', hidden);
        // A dialog that opens or closes takes the keyboard from a widget, or gives it back.
        const look = (): void => void animationFrame().then(() => this.reviews.lookAtAll());
        // Until then, the page that Theia shows while it loads covers the diffs that the layout restores.
        void this.appState.reachedState('ready').then(look);
        this.toDispose.pushAll([
            this.editors.onDidCloseEditor(() => this.guard.restart()),
            this.editors.onDidChangeVisibility(look),
            this.shell.onDidChangeActiveWidget(look),
            this.shell.onDidChangeCurrentWidget(look),
            this.shell.onDidToggleMaximized(look),
            this.reviews.onDidSee(({ id }) => {
                const make = (): Promise<void> => this.backend.markShown(id);
                this.connection.calls.call(`shown ${id}`, { make, reply: () => undefined });
            }),
            this.connection.onDidChangeState(() => {
                // Before anything is stored for this backend.
                this.reviews.restore(this.unsent.takeEarlier());
                this.receive();
            }),
            Disposable.create(() => window.removeEventListener('beforeunload', leaving)),
            Disposable.create(() => document.removeEventListener('visibilitychange', hidden))
        ]);
        this.layoutRestored.then(
            () => {
                this.isLayoutReady = true;
                this.receive();
            },
            () => undefined
        );
    }

    onStop(): void {
        this.editors.leave();
        this.reviews.leave();
        this.toDispose.dispose();
    }

    /** The backend asks this page to show a review. @param proposal if it is short */
    async showReview(info: ReviewInfo, proposal?: string): Promise<ShowReviewResult> {
        const { state } = this.connection;
        await this.layoutRestored;
        // If a state came meanwhile, it lists the review or says that it has ended.
        const isNews = !this.isLayoutReady || this.connection.state === state;
        const review = isNews ? this.reviews.receiveReview(info, proposal ?? undefined) : this.reviews.get(info.id);
        if (this.preferences['companion.review.open'] === 'never') {
            return { shown: true };
        }
        return review ? this.whenShown(review) : { shown: false, reason: ANSWERED };
    }

    protected whenShown(review: PageReview): Promise<ShowReviewResult> {
        const resultOf = ({ view, problem, isListed }: PageReview): ShowReviewResult | undefined => {
            if (view === 'open') {
                return { shown: true };
            }
            return problem !== undefined || !isListed ? { shown: false, reason: problem ?? ANSWERED } : undefined;
        };
        return new Promise(resolve => {
            const listening = new DisposableCollection();
            const look = (): void => {
                const result = resultOf(review);
                if (result) {
                    listening.dispose();
                    resolve(result);
                }
            };
            listening.push(this.reviews.onDidChange(changed => changed === review && look()));
            look();
        });
    }

    protected get layoutRestored(): Promise<void> {
        // Not before: the layout restores the diffs that were open, and they must not open twice.
        return this.appState.reachedState('initialized_layout');
    }

    /** Takes the backend's newest state. */
    protected receive(): void {
        const { state } = this.connection;
        if (this.isLayoutReady && state && state.sequence !== this.received) {
            this.received = state.sequence;
            this.reviews.receive(state.reviews);
        }
    }
}
