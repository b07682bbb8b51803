// SPDX-License-Identifier: Apache-2.0

import { ReviewAnswer, ReviewContent, ReviewEdit, ReviewEditAnswer, ReviewInfo, ShownText } from '../../common/companion-protocol';
import { Review } from '../review/review';
import { CliNames } from './cli-names';
import { CompanionWindow } from './companion-window';
import { ConnectedPage } from './connected-page';
import { IdeServer } from './ide-server';
import { isAbsent, sameRoots } from './serving-window';
import { WindowRegistry } from './window-registry';
import { reviewInfo } from './window-state';

/** Which window shows a review, and which page may read, edit and answer it. */
export class ReviewRouting {
    /** Reviews that another window than the serving one was asked to show, by the review's id. */
    private readonly asked = new Map<string, string>();

    constructor(
        private readonly windows: WindowRegistry,
        private readonly names: CliNames,
        private readonly options: {
            /** A review moved to another window. */
            moved(): void;
        }
    ) {}

    read(page: ConnectedPage, reviewId: string): ReviewContent | undefined {
        const review = this.answerableBy(page, reviewId)?.reviews.get(reviewId);
        return review && { review: this.infoOf(review), text: review.text, edited: review.edited };
    }

    accept(page: ConnectedPage, reviewId: string, shown: ShownText): ReviewAnswer {
        const hasView = shown.unedited !== undefined || shown.text !== undefined;
        // Only the window that shows it knows what its user made of the proposal: another one's text would undo that.
        const server = hasView ? this.shownTo(page, reviewId) : this.answerableBy(page, reviewId);
        return server?.reviews.accept(reviewId, shown) ?? { result: 'late' };
    }

    reject(page: ConnectedPage, reviewId: string): ReviewAnswer {
        return this.answerableBy(page, reviewId)?.reviews.reject(reviewId) ?? { result: 'late' };
    }

    edit(page: ConnectedPage, reviewId: string, edit: ReviewEdit): ReviewEditAnswer {
        return this.shownTo(page, reviewId)?.reviews.edit(reviewId, page.loadId, edit) ?? { result: 'late' };
    }

    showHere(page: ConnectedPage, reviewId: string): boolean {
        if (!this.answerableBy(page, reviewId)) {
            return false;
        }
        this.asked.set(reviewId, this.windowOf(page).id);
        this.options.moved();
        return true;
    }

    /** The window that shows a review: the one that was asked to, or the one that serves its server. */
    showing(review: Review, server = this.serverOf(review.id)): CompanionWindow | undefined {
        const asked = this.windows.get(this.asked.get(review.id) ?? '');
        return asked && !isAbsent(asked, Date.now()) ? asked : server && this.windows.serving(server);
    }

    shownBy(window: CompanionWindow): ReviewInfo[] {
        return this.waiting()
            .filter(review => this.showing(review) === window)
            .map(review => this.infoOf(review));
    }

    /** Those of windows with the same roots that this one does not show. */
    elsewhere(window: CompanionWindow): ReviewInfo[] {
        return this.windows
            .all()
            .filter(other => other === window || sameRoots(other.roots, window.roots))
            .flatMap(({ server }) => server?.reviews.waiting() ?? [])
            .filter(review => this.showing(review) !== window)
            .map(review => this.infoOf(review));
    }

    waiting(): Review[] {
        return this.windows.servers().flatMap(({ reviews }) => reviews.waiting());
    }

    infoOf(review: Review): ReviewInfo {
        return reviewInfo(review, this.waiting(), this.names);
    }

    /** Forgets what was asked of reviews that have ended. */
    forgetEnded(): void {
        const ids = new Set<string>(this.waiting().map(({ id }) => id));
        [...this.asked.keys()].filter(id => !ids.has(id)).forEach(id => this.asked.delete(id));
    }

    private serverOf(reviewId: string): IdeServer | undefined {
        return this.windows.servers().find(({ reviews }) => reviews.get(reviewId));
    }

    /** The server of a review that this page shows. */
    private shownTo(page: ConnectedPage, reviewId: string): IdeServer | undefined {
        const window = this.windowOf(page);
        const server = this.serverOf(reviewId);
        const review = server?.reviews.get(reviewId);
        return review && this.showing(review) === window ? server : undefined;
    }

    /** The server of a review that this page may answer: it shows it, or lists it as one of another window with the same roots. */
    private answerableBy(page: ConnectedPage, reviewId: string): IdeServer | undefined {
        const window = this.windowOf(page);
        const server = this.serverOf(reviewId);
        const owner = server && this.windows.ownerOf(server);
        return owner && (sameRoots(window.roots, owner.roots) || this.shownTo(page, reviewId)) ? server : undefined;
    }

    /** Fails for a page whose hello is not answered yet: told that it is late, it would take the review for decided. */
    private windowOf(page: ConnectedPage): CompanionWindow {
        const window = this.windows.of(page);
        if (!window) {
            throw new Error('The window is not known yet; try again');
        }
        return window;
    }
}
