// SPDX-License-Identifier: Apache-2.0

import { DraftRef, PROPOSAL, ReviewInfo } from '../../common/companion-protocol';

/**
 * What this page does with a review that waits. Without an entry, it is new.
 * - `opening`: its first editor is being opened
 * - `shown`: it has an editor
 * - `closed`: it has none, because the user closed the last one (`companion.review.onTabClose` = `keep`)
 * - `failed`: it has none, because it could not be opened
 */
export type ReviewView = 'opening' | 'shown' | 'closed' | 'failed';

export interface PageReviewsOptions {
    /** The user has answered it here, and the backend has not confirmed that. */
    isAnswered(id: string): boolean;
}

/**
 * The reviews of this page: the backend's last state, with what the backend said since, and how each is shown. It only keeps the books: it
 * opens no editor and sends no answer. The backend's messages come in order, so what it said last holds.
 */
export class PageReviews {
    protected readonly listed = new Map<string, ReviewInfo>();
    protected readonly views = new Map<string, ReviewView>();

    constructor(protected readonly options: PageReviewsOptions) {}

    /**
     * The backend says which reviews wait here.
     *
     * @returns the ids of those whose editors are to be closed without an answer: they are decided, or another window shows them
     */
    receive(reviews: readonly ReviewInfo[]): string[] {
        const ids = new Set(reviews.map(({ id }) => id));
        this.listed.clear();
        reviews.forEach(review => this.listed.set(review.id, review));
        const over = [...this.views.keys()].filter(id => !ids.has(id) && !this.options.isAnswered(id));
        const close = over.filter(id => ['opening', 'shown'].includes(this.views.get(id) ?? ''));
        over.forEach(id => this.views.delete(id));
        return close;
    }

    /** The backend asks the page to show it. */
    asked(review: ReviewInfo): void {
        this.listed.set(review.id, review);
    }

    /** The backend says that it has ended. */
    ended(id: string): void {
        this.listed.delete(id);
        this.views.delete(id);
    }

    /** @param drafts those that the backend has now, the newest last */
    drafted(id: string, drafts: readonly DraftRef[]): void {
        const review = this.listed.get(id);
        if (review) {
            this.listed.set(id, { ...review, draft: drafts.at(-1) ?? PROPOSAL, otherDrafts: drafts.slice(0, -1) });
        }
    }

    infoOf(id: string): ReviewInfo | undefined {
        return this.listed.get(id);
    }

    /** Those that wait for the user, the oldest first. */
    get waiting(): ReviewInfo[] {
        return [...this.listed.values()].filter(({ id }) => this.isWaiting(id)).sort((one, other) => one.openedAt - other.openedAt);
    }

    /** Those that the page has not tried to open yet. */
    get fresh(): ReviewInfo[] {
        return this.waiting.filter(({ id }) => !this.views.has(id));
    }

    isWaiting(id: string): boolean {
        return this.listed.has(id) && !this.options.isAnswered(id);
    }

    /** @returns `false` if it is decided */
    opens(id: string): boolean {
        if (this.isWaiting(id) && this.views.get(id) !== 'shown') {
            this.views.set(id, 'opening');
        }
        return this.isWaiting(id);
    }

    /** @param again the page tries it again by itself */
    notOpened(id: string, again: boolean): void {
        if (again) {
            this.views.delete(id);
        } else if (this.views.has(id)) {
            this.views.set(id, 'failed');
        }
    }

    /** An editor shows it: we opened it, or the layout restored it. */
    opened(id: string): void {
        this.views.set(id, 'shown');
    }

    /** The last editor was closed. @returns whether the user closed it while the review waited */
    closed(id: string): boolean {
        const wasShown = this.views.get(id) === 'shown' && this.isWaiting(id);
        if (this.views.get(id) === 'shown') {
            this.views.set(id, 'closed');
        }
        return wasShown;
    }

    /** Ids of the reviews whose last editor the user closed. */
    get closedIds(): string[] {
        return [...this.views].filter(([id, view]) => view === 'closed' && this.isWaiting(id)).map(([id]) => id);
    }

    /** The user closed these before the page was loaded. */
    keepClosed(ids: readonly string[]): void {
        ids.forEach(id => this.views.set(id, 'closed'));
    }
}

/** The drafts of a waiting review, the newest last. */
export function draftsOf({ draft, otherDrafts = [] }: ReviewInfo): DraftRef[] {
    return [...otherDrafts, ...(draft.id === PROPOSAL.id ? [] : [draft])];
}

/** The outbox's key of the answer to a review. */
export function answerKey(reviewId: string): string {
    return `answer ${reviewId}`;
}
