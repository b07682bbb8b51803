// SPDX-License-Identifier: Apache-2.0

import { FileUri } from '@theia/core/lib/common/file-uri';
import { CompanionLimits } from '../../common/companion-limits';
import {
    Draft,
    DraftRef,
    KeptDraft,
    ReviewAnswer,
    ReviewContent,
    ReviewInfo,
    ReviewTraits,
    ShownText,
    ShowReviewResult
} from '../../common/companion-protocol';
import { visibleText } from '../../common/visible-text';
import { isInside } from '../host/workspace-roots';
import { Review, ReviewPlace } from '../review/review';
import { isOutside } from '../review/review-path';
import { Reviews } from '../review/reviews';
import { CompanionWindow, WindowRegistry } from './companion-window';
import { ReviewPresenter } from './ide-server';

/** Which window shows a review, and which page may read and answer it and send what its user typed. */
export class ReviewWindows implements ReviewPresenter {
    constructor(
        protected readonly reviews: Reviews,
        protected readonly windows: WindowRegistry,
        protected readonly options: {
            /** A review moved to another window. Pages must know it at once. */
            moved(): void;
            traitsOf(cliId: string): ReviewTraits;
        }
    ) {}

    read(window: CompanionWindow, reviewId: string): ReviewContent | undefined {
        const review = this.reviewOf(window, reviewId);
        return review?.isWaiting ? { review: this.infoOf(window, review), text: review.text } : undefined;
    }

    accept(window: CompanionWindow, reviewId: string, shown: ShownText): ReviewAnswer {
        const review = this.reviewToAnswer(window, reviewId);
        return review ? this.reviews.accept(review, shown, window.loadId) : { result: 'late', how: 'unknown' };
    }

    reject(window: CompanionWindow, reviewId: string): ReviewAnswer {
        const review = this.reviewToAnswer(window, reviewId);
        return review ? this.reviews.reject(review, window.loadId) : { result: 'late', how: 'unknown' };
    }

    /** Takes it whatever became of the review. @returns when it is on disk, the drafts that the review has */
    async takeDraft(window: CompanionWindow, reviewId: string, draft: Draft): Promise<DraftRef[]> {
        const review = this.reviews.find(reviewId);
        if (review && !this.reviewOf(window, reviewId) && (review.isWaiting || !this.mayList(window, review))) {
            throw new Error('The proposal belongs to another workspace');
        }
        this.reviews.take(reviewId, draft, window.place);
        await this.reviews.stored;
        return this.reviews.find(reviewId)?.draftRefs ?? [];
    }

    keptDrafts(window: CompanionWindow): KeptDraft[] {
        const own = this.reviews.kept(review => this.lists(window, review)).map(draft => window.named(draft));
        const nobodys = this.reviews.kept(review => !this.lists(window, review) && this.mayList(window, review));
        this.reviews.noteListed([...own, ...nobodys]);
        return [...own, ...nobodys.map(draft => ({ ...draft, otherFolder: true as const }))];
    }

    readDraft(window: CompanionWindow, id: string): string | undefined {
        return this.reviews.read(id, review => this.mayList(window, review));
    }

    /** @returns when that is on disk */
    async discardDraft(window: CompanionWindow, draft: DraftRef): Promise<void> {
        this.reviews.discard(draft, review => this.mayList(window, review));
        await this.reviews.stored;
    }

    showHere(window: CompanionWindow, reviewId: string): boolean {
        const review = this.reviewOf(window, reviewId);
        if (!review?.isWaiting) {
            return false;
        }
        review.shownIn = window.id;
        this.options.moved();
        return true;
    }

    /** Shows the review in its window. If that window is silent, the next one shows it at once. @returns `undefined` if none answers */
    async show(review: Review): Promise<ShowReviewResult | undefined> {
        const tried = new Set<CompanionWindow>();
        let window = this.showing(review);
        while (window?.page && !tried.has(window) && review.isWaiting) {
            tried.add(window);
            const isShort = !review.newest && review.proposal.length <= CompanionLimits.shortText;
            const result = await window.page.show(this.infoOf(window, review), isShort ? review.proposal : undefined);
            if (this.showing(review) === window && (result || !window.silent)) {
                return result;
            }
            window = this.showing(review);
        }
        return undefined;
    }

    /**
     * The CLI closes the diff: asks the page for a text that may be newer. A word from the page with the first key would save the question,
     * but a CLI can be quicker than that word: then it would be told the older text.
     */
    async close(review: Review): Promise<ShownText | undefined> {
        return this.showing(review)?.page?.close(review.id);
    }

    shownBy(window: CompanionWindow): ReviewInfo[] {
        const shown = this.reviews.waiting().filter(review => this.showing(review) === window);
        return shown.map(review => this.infoOf(window, review));
    }

    /** The reviews that this window does not show, of windows with the same roots. */
    elsewhere(window: CompanionWindow): ReviewInfo[] {
        const others = this.reviews.waiting().filter(review => this.showing(review) !== window);
        return others.filter(review => belongsTo(this.placeOf(review), window)).map(review => this.infoOf(window, review));
    }

    /** The window that shows a review: the one that was asked to, while it could serve its CLI; else the one that serves it. */
    protected showing(review: Review): CompanionWindow | undefined {
        const owner = this.windows.get(review.place.windowId);
        const asked = this.windows.get(review.shownIn ?? '');
        const canShow = asked && (asked === owner || (asked.enabled && asked.hasRoots(this.placeOf(review).roots)));
        if (canShow && !asked.silent && !asked.absent) {
            return asked;
        }
        return (owner?.server && this.windows.serving(owner)) ?? (canShow && asked.silent ? asked : undefined);
    }

    protected infoOf(window: CompanionWindow, review: Review): ReviewInfo {
        const { id, file, owner, openedAt, draftRefs: drafts } = review;
        return window.named({
            id,
            path: visibleText(file.path),
            uri: FileUri.create(file.path).toString(),
            cliName: this.reviews.nameOf(review),
            outsideWorkspace: isOutside(file.realPath, window.roots),
            cliGone: owner?.gone ?? true,
            traits: this.options.traitsOf(owner?.cliId ?? ''),
            openedAt,
            drafts,
            ...(file.modifiedAt === undefined ? {} : { modifiedAt: file.modifiedAt })
        });
    }

    /** A review that the window may know. */
    protected reviewOf(window: CompanionWindow, reviewId: string): Review | undefined {
        const review = this.reviews.find(reviewId);
        return review && (belongsTo(this.placeOf(review), window) || this.showing(review) === window) ? review : undefined;
    }

    /** @returns `undefined` if it has ended long ago. Throws if it waits for another window: the roots of this one may not be known again yet. */
    protected reviewToAnswer(window: CompanionWindow, reviewId: string): Review | undefined {
        const review = this.reviewOf(window, reviewId);
        if (!review && this.reviews.find(reviewId)?.isWaiting) {
            throw new Error('The proposal belongs to another workspace, or this window has only just come back');
        }
        return review;
    }

    /** Whether the drafts of an ended review are this window's. */
    protected lists(window: CompanionWindow, { place, file }: Review): boolean {
        return belongsTo(place, window) || window.roots.some(root => isInside(root, file.path));
    }

    /** They may belong to no window: then every window lists them. */
    protected mayList(window: CompanionWindow, review: Review): boolean {
        return this.lists(window, review) || !this.windows.all().some(other => other.live && this.lists(other, review));
    }

    /** A waiting review follows the roots of its window; an ended one keeps the roots that it had. */
    protected placeOf({ endedAt, place }: Review): ReviewPlace {
        return (endedAt === 0 ? this.windows.get(place.windowId)?.place : undefined) ?? place;
    }
}

function belongsTo(place: ReviewPlace, window: CompanionWindow): boolean {
    return place.windowId === window.id || window.hasRoots(place.roots);
}
