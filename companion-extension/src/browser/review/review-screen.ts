// SPDX-License-Identifier: Apache-2.0

import { animationFrame, ApplicationShell } from '@theia/core/lib/browser';
import { FrontendApplicationStateService } from '@theia/core/lib/browser/frontend-application-state';
import { Disposable, DisposableCollection } from '@theia/core/lib/common/disposable';
import { Emitter } from '@theia/core/lib/common/event';
import { inject, injectable } from '@theia/core/shared/inversify';
import { LOOK_TIME } from '../../common/companion-limits';
import { PROPOSAL, ReviewInfo } from '../../common/companion-protocol';
import { CompanionConnection } from '../window/companion-connection';
import { PageReviews } from './page-reviews';
import { ProposalTexts } from './proposal-texts';
import { ReviewEditors } from './review-editors';

/** Knows what the person has seen in this window: which proposals are on the screen, since when, and in which text they were. */
@injectable()
export class ReviewScreen implements Disposable {
    @inject(ApplicationShell)
    protected readonly shell: ApplicationShell;
    @inject(FrontendApplicationStateService)
    protected readonly appState: FrontendApplicationStateService;
    @inject(ReviewEditors)
    protected readonly editors: ReviewEditors;
    @inject(CompanionConnection)
    protected readonly connection: CompanionConnection;
    @inject(PageReviews)
    protected readonly reviews: PageReviews;
    @inject(ProposalTexts)
    protected readonly texts: ProposalTexts;

    /** Since when the reviews are on the screen, by their ids; as `performance.now()` counts. */
    protected readonly since = new Map<string, number>();
    /** The text of each waiting review that was on the screen last. */
    protected readonly seen = new Map<string, string>();
    protected readonly onDidSeeEmitter = new Emitter<string>();
    /** Fires with the review's id when it comes onto the screen. */
    readonly onDidSee = this.onDidSeeEmitter.event;
    protected readonly toDispose = new DisposableCollection(this.onDidSeeEmitter);

    start(): void {
        // A dialog that opens or closes takes the keyboard from a widget, or gives it back.
        const look = (): void => void animationFrame().then(() => this.look());
        // Until then, the page that Theia shows while it loads covers the diffs that the layout restores.
        void this.appState.reachedState('ready').then(look);
        this.toDispose.pushAll([
            this.texts.onDidReplaceText(id => this.replaced(id)),
            this.editors.onDidChangeOriginal(id => this.replaced(id)),
            this.editors.onDidOpenEditor(look),
            this.editors.onDidCloseEditor(look),
            this.editors.onDidChangeVisibility(look),
            this.shell.onDidChangeActiveWidget(look),
            this.shell.onDidChangeCurrentWidget(look),
            this.shell.onDidToggleMaximized(look),
            this.connection.onDidChangeState(look)
        ]);
    }

    dispose(): void {
        this.toDispose.dispose();
    }

    /**
     * Whether it had been on the screen for so long that a key or a click was meant for it.
     * @param pressed when that was, as `performance.now()` counts
     */
    takesKeys(reviewId: string, pressed = performance.now()): boolean {
        this.look();
        const since = this.since.get(reviewId);
        return since !== undefined && pressed - since >= LOOK_TIME;
    }

    /** A key came too soon: whoever goes on pressing it has not looked. */
    lookAgain(reviewId: string): void {
        this.since.set(reviewId, performance.now());
    }

    /** Whether both its sides have been on the screen as they are now, in this load of the page. Without an editor nobody follows its file. */
    hasSeen(review: ReviewInfo): boolean {
        this.look();
        return this.editors.editorsOf(review.id).length > 0 && this.seen.get(review.id) === this.textOf(review);
    }

    /** One of its sides is another text now: the person has to have it before the eyes for a moment. */
    protected replaced(reviewId: string): void {
        this.seen.delete(reviewId);
        this.since.delete(reviewId);
        this.look();
    }

    protected look(): void {
        const { onScreen } = this.editors;
        const waiting = new Map(this.reviews.waiting.map(review => [review.id, review]));
        [...this.since.keys()].filter(id => !onScreen.includes(id)).forEach(id => this.since.delete(id));
        [...this.seen.keys()].filter(id => !waiting.has(id)).forEach(id => this.seen.delete(id));
        for (const id of onScreen) {
            const review = waiting.get(id);
            if (review) {
                this.seen.set(id, this.textOf(review));
            }
            if (!this.since.has(id)) {
                this.since.set(id, performance.now());
                this.onDidSeeEmitter.fire(id);
            }
        }
    }

    /** Tells the texts apart that it shows. Whoever typed here has seen it. */
    protected textOf(review: ReviewInfo): string {
        const { draft = PROPOSAL } = this.texts.seen(review);
        return this.texts.isOwn(review.id, draft.id) ? draft.id : `${draft.id} ${draft.revision}`;
    }
}
