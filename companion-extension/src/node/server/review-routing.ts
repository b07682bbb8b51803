// SPDX-License-Identifier: Apache-2.0

import { FileUri } from '@theia/core/lib/common/file-uri';
import { CompanionLimits } from '../../common/companion-limits';
import {
    DroppedEdit,
    DropReason,
    ReviewAnswer,
    ReviewContent,
    ReviewEdit,
    ReviewEditAnswer,
    ReviewInfo,
    ReviewTraits,
    ShownText,
    ShowReviewResult
} from '../../common/companion-protocol';
import { visibleText } from '../../common/visible-text';
import { DroppedEdits, EditPlace } from '../review/dropped-edits';
import { EndedReview, TextDigest } from '../review/ended-review';
import { Review } from '../review/review';
import { ReviewEnd } from '../review/review-store';
import { CompanionWindow, isAbsent, sameRoots } from './companion-window';
import type { ConnectedPage } from './companion-backend-service';
import { IdeServer, ReviewPresenter } from './ide-server';
import { WindowRegistry } from './window-registry';
import { CliNames, reviewInfos } from './window-state';

/** How many ended reviews are remembered, for answers and texts that come late. */
const MAX_ENDED = 200;

/** Which window shows a review, which page may read, edit and answer it, and what is kept of it for the user. */
export class ReviewRouting implements ReviewPresenter {
    protected readonly ended = new Map<string, EndedReview>();
    protected readonly edits = new DroppedEdits();
    /** The window that was asked to show a review instead of the serving one, by the review's id. */
    protected readonly asked = new Map<string, string>();
    /** Texts that pages sent while they were asked for their last text, by the review's id: it may be the same text. */
    protected readonly held = new Map<string, Map<ConnectedPage, string>>();

    constructor(
        protected readonly windows: WindowRegistry,
        protected readonly names: CliNames,
        protected readonly options: {
            /** A review moved to another window. Pages must know it at once. */
            moved(): void;
            /** What is kept for the user changed. */
            changed(): void;
            traitsOf(cliId: string): ReviewTraits;
        }
    ) {}

    read(page: ConnectedPage, reviewId: string): ReviewContent | undefined {
        const review = this.answerableBy(page, reviewId)?.reviews.get(reviewId);
        return review && { review: this.infosOf([review])[0], text: review.text, edited: review.edited };
    }

    accept(page: ConnectedPage, reviewId: string, shown: ShownText): ReviewAnswer {
        const hasView = [shown.unedited, shown.text, shown.version].some(seen => seen !== undefined);
        // Only the window that shows the review knows the user's edits; the text of another window would undo them.
        const server = hasView ? this.shownTo(page, reviewId) : this.answerableBy(page, reviewId);
        const review = server?.reviews.get(reviewId);
        if (!server || !review) {
            return this.late(page, reviewId, 'accepted', shown);
        }
        const answer = this.answered(page, reviewId, server.reviews.accept(reviewId, shown));
        if (answer.result === 'done' && shown.fileChanged && this.options.traitsOf(review.owner.cliId).refusesChangedFile) {
            this.drop(review, shown.version ? review.text : (shown.text ?? review.proposal), 'refused');
        }
        return answer;
    }

    reject(page: ConnectedPage, reviewId: string, shown: ShownText): ReviewAnswer {
        const server = this.answerableBy(page, reviewId);
        if (!server) {
            return this.late(page, reviewId, 'rejected', shown);
        }
        const seen = this.shownTo(page, reviewId) ? shown : {};
        const answer = this.answered(page, reviewId, server.reviews.reject(reviewId, seen));
        return answer.result === 'done' && this.edits.has(reviewId) ? { ...answer, editsKept: true } : answer;
    }

    edit(page: ConnectedPage, reviewId: string, edit: ReviewEdit): ReviewEditAnswer {
        const server = this.shownTo(page, reviewId);
        if (!server) {
            this.keepLate(page, reviewId, edit.text);
            return { result: 'late' };
        }
        return server.reviews.edit(reviewId, page.loadId, edit);
    }

    /** A review of this window's server has ended. */
    end(window: CompanionWindow, { review, state, text, dropped }: ReviewEnd): void {
        const { path } = review.file;
        this.ended.set(review.id, {
            edit: {
                id: review.id,
                path: visibleText(path),
                uri: FileUri.create(path).toString(),
                cliName: this.names.nameOf(review.owner)
            },
            place: placeOf(window),
            state,
            writer: review.version.writer,
            asMirrored: text === review.text,
            digest: new TextDigest(text),
            edited: text !== review.proposal
        });
        if (this.ended.size > MAX_ENDED) {
            this.ended.delete([...this.ended.keys()][0]);
        }
        if (dropped) {
            this.drop(review, text, dropped);
        }
    }

    /**
     * The CLI closes the diff, and its review has ended: asks the page for a text that may be newer. {@link closed} follows. A word from
     * the page with the first key would save the question, but a CLI can be quicker than that word: then it would be told the older text.
     */
    async close(review: Review): Promise<ShownText | undefined> {
        this.held.set(review.id, new Map());
        const { windowId } = this.ended.get(review.id)?.place ?? {};
        const owner = windowId === undefined ? undefined : this.windows.get(windowId);
        return this.showing(review, owner?.server)?.page?.close(review.id);
    }

    /** The CLI has closed the diff, and was given this text. */
    closed(review: Review, text: string, answered: boolean): void {
        const ended = this.ended.get(review.id);
        if (ended && text !== review.text) {
            this.ended.set(review.id, { ...ended, asMirrored: false, digest: new TextDigest(text) });
        }
        if (!answered || this.options.traitsOf(review.owner.cliId).dropsEditsInTerminal) {
            this.drop(review, text, answered ? 'terminal' : 'ended');
        }
        const held = this.held.get(review.id);
        this.held.delete(review.id);
        held?.forEach((late, page) => this.keepLate(page, review.id, late));
    }

    /** A CLI has ended before it got this text, which the user had accepted. */
    undelivered(text: string): void {
        const ended = [...this.ended.values()].find(review => review.state === 'accepted' && review.edited && review.digest.is(text));
        if (ended) {
            this.keep(ended.edit, text, 'ended', ended.place);
        }
    }

    droppedEdits(window: CompanionWindow): DroppedEdit[] {
        return this.edits.list(place => belongsTo(place, window));
    }

    readDroppedEdit(page: ConnectedPage, id: string): string | undefined {
        const window = this.windowOf(page);
        return this.edits.read(id, place => belongsTo(place, window));
    }

    discardDroppedEdit(page: ConnectedPage, id: string): void {
        const window = this.windowOf(page);
        if (this.edits.discard(id, place => belongsTo(place, window))) {
            this.options.changed();
        }
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
        if (asked && !asked.silent && !isAbsent(asked, Date.now())) {
            return asked;
        }
        return (server && this.windows.serving(server)) ?? (asked?.silent ? asked : undefined);
    }

    /** Shows the review in its window. If that window is silent, the next one shows it at once. @returns `undefined` if none answers */
    async show(review: Review): Promise<ShowReviewResult | undefined> {
        const tried = new Set<CompanionWindow>();
        let window = this.showing(review);
        while (window?.page && !tried.has(window) && review.state === 'pending') {
            tried.add(window);
            const isShort = !review.edited && review.text.length <= CompanionLimits.shortText;
            const result = await window.page.show(this.infosOf([review])[0], isShort ? review.text : undefined);
            if (result || !window.silent) {
                return result;
            }
            window = this.showing(review);
        }
        return undefined;
    }

    shownBy(window: CompanionWindow): ReviewInfo[] {
        return this.infosOf(
            this.windows.servers().flatMap(server => server.reviews.waiting().filter(review => this.showing(review, server) === window))
        );
    }

    /** The reviews that this window does not show, of windows with the same roots. */
    elsewhere(window: CompanionWindow): ReviewInfo[] {
        return this.infosOf(
            this.windows
                .all()
                .filter(other => other.server?.reviews.size && (other === window || sameRoots(other.roots, window.roots)))
                .flatMap(({ server }) => server?.reviews.waiting().filter(review => this.showing(review, server) !== window) ?? [])
        );
    }

    waiting(): Review[] {
        return this.windows.servers().flatMap(({ reviews }) => reviews.waiting());
    }

    protected infosOf(reviews: readonly Review[]): ReviewInfo[] {
        return reviewInfos(reviews, this.waiting(), this.names, this.options.traitsOf);
    }

    /** Forgets which windows show reviews that have ended. */
    forgetEnded(): void {
        const ids = new Set<string>(this.waiting().map(({ id }) => id));
        [...this.asked.keys()].filter(id => !ids.has(id)).forEach(id => this.asked.delete(id));
    }

    protected answered(page: ConnectedPage, reviewId: string, answer: ReviewAnswer): ReviewAnswer {
        const ended = this.ended.get(reviewId);
        if (answer.result === 'done' && ended) {
            ended.answeredBy = page.loadId;
        }
        return answer;
    }

    /** If a page asks again because it lost the first answer, it is not late. */
    protected late(page: ConnectedPage, reviewId: string, wanted: 'accepted' | 'rejected', shown: ShownText): ReviewAnswer {
        const ended = this.ended.get(reviewId);
        if (ended?.answeredBy === page.loadId && ended.state === wanted) {
            return { result: 'done' };
        }
        const review = this.serverOf(reviewId)?.reviews.get(reviewId);
        const isKnown = review ? shown.version && review.isAt(shown.version) : ended?.asMirrored && ended.writer === page.loadId;
        if (shown.version && !isKnown) {
            // What this page shows is not what the review has, or ended with: it is kept.
            return { result: 'textNeeded' };
        }
        this.keepLate(page, reviewId, shown.text);
        if (this.answerableBy(page, reviewId)) {
            return { result: 'late', how: 'moved' };
        }
        return { result: 'late', how: ended && belongsTo(ended.place, this.windowOf(page)) ? ended.state : 'unknown' };
    }

    /** Keeps what the user typed, if the review ended without it or another window shows the review without it. */
    protected keepLate(page: ConnectedPage, reviewId: string, text: string | undefined): void {
        const ended = this.ended.get(reviewId);
        const review = this.serverOf(reviewId)?.reviews.get(reviewId);
        if (!text) {
            return;
        }
        const held = this.held.get(reviewId);
        if (held) {
            held.set(page, text);
            return;
        }
        // The text of one page does not replace that of another.
        const id = (ended?.writer ?? '') === page.loadId ? reviewId : `${reviewId}-${page.loadId}`;
        if (review && review.text !== text && this.answerableBy(page, reviewId)) {
            const { path, uri, cliName } = this.infosOf([review])[0];
            this.keep({ id, path, uri, cliName }, text, 'late', placeOf(this.windowOf(page)));
        } else if (ended && !ended.digest.is(text) && belongsTo(ended.place, this.windowOf(page))) {
            this.keep({ ...ended.edit, id }, text, 'late', ended.place);
        }
    }

    protected drop(review: Review, text: string, reason: DropReason): void {
        const ended = this.ended.get(review.id);
        if (ended && text !== review.proposal && text !== '') {
            this.keep(ended.edit, text, reason, ended.place);
        }
    }

    protected keep(edit: EndedReview['edit'], text: string, reason: DropReason, place: EditPlace): void {
        this.edits.add({ ...edit, reason, droppedAt: Date.now() }, text, place);
        this.options.changed();
    }

    protected serverOf(reviewId: string): IdeServer | undefined {
        return this.windows.servers().find(({ reviews }) => reviews.get(reviewId));
    }

    /** The server of a review that this page shows. */
    protected shownTo(page: ConnectedPage, reviewId: string): IdeServer | undefined {
        const window = this.windowOf(page);
        const server = this.serverOf(reviewId);
        const review = server?.reviews.get(reviewId);
        return review && this.showing(review) === window ? server : undefined;
    }

    /** The server of a review that this page may answer, because it shows the review or lists it for a window with the same roots. */
    protected answerableBy(page: ConnectedPage, reviewId: string): IdeServer | undefined {
        const window = this.windowOf(page);
        const server = this.serverOf(reviewId);
        const owner = server && this.windows.ownerOf(server);
        return owner && (sameRoots(window.roots, owner.roots) || this.shownTo(page, reviewId)) ? server : undefined;
    }

    /** Throws if the page's hello is not answered yet. If the answer were "late", the page would think that the review is decided. */
    protected windowOf(page: ConnectedPage): CompanionWindow {
        const window = this.windows.of(page);
        if (!window) {
            throw new Error('The window is not known yet; try again');
        }
        return window;
    }
}

function placeOf({ id, roots }: CompanionWindow): EditPlace {
    return { windowId: id, roots };
}

function belongsTo(place: EditPlace, window: CompanionWindow): boolean {
    return place.windowId === window.id || sameRoots(place.roots, window.roots);
}
