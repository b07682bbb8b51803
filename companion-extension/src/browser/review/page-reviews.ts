// SPDX-License-Identifier: Apache-2.0

import { Emitter } from '@theia/core/lib/common/event';
import { generateUuid } from '@theia/core/lib/common/uuid';
import { Calls } from '../../common/calls';
import { Clock } from '../../common/clock';
import { UNREAD_TIME_MS } from '../../common/companion-limits';
import { FileState, ReviewAbout, ReviewAnswer, ReviewContent, ReviewInfo, ReviewSave } from '../../common/companion-protocol';
import { ReviewBackend } from '../../common/review-protocol';
import { isSameRevision, Revision } from '../../common/revision';
import { isSameFile, OriginalFile, seenFileOf } from '../diff/original-file';
import { AnswerKind, isOf, OwnReview, PageReview, ReviewView, SeenSides } from './page-review';
import { ReviewText, SealedText, TypedText } from './review-text';
import { ReviewViews } from './review-views';
import { UnsentTexts } from './unsent-texts';

interface PageReviewsOptions {
    /** `loadId` of this page. */
    readonly page: string;
    readonly clock: Clock;
    readonly calls: Pick<Calls, 'call' | 'hasLeft' | 'drop'>;
    readonly backend: Pick<ReviewBackend, 'readReview' | 'saveReview' | 'acceptReview' | 'rejectReview' | 'closeReview'>;
    readonly views: () => ReviewViews;
    readonly store: Pick<UnsentTexts, 'write'>;
    /** `companion.review.onTabClose`. */
    onTabClose(): 'reject' | 'keep';
    /** True if reviews open by themselves now. */
    opensByItself(): boolean;
}

/**
 * The reviews of this page: receives states, opens, closes, answers, and knows what the user has before the eyes. Only this class writes to a
 * {@link PageReview}, and it calls nobody who observes it.
 */
export class PageReviews {
    protected readonly reviews = new Map<string, OwnReview>();
    /** Ids of those whose typed texts the browser does not store. */
    protected unstored: ReadonlySet<string> = new Set();
    protected n = 0;
    protected readonly onDidChangeEmitter = new Emitter<PageReview>();
    readonly onDidChange = this.onDidChangeEmitter.event;
    protected readonly onDidSeeEmitter = new Emitter<PageReview>();
    /** Fires when a review comes onto the screen. */
    readonly onDidSee = this.onDidSeeEmitter.event;
    protected readonly onDidNotCountEmitter = new Emitter<{ readonly review: PageReview; readonly file: FileState }>();
    /** Fires when an accept did not count, because the file is not what the user saw. The review goes on waiting. */
    readonly onDidNotCount = this.onDidNotCountEmitter.event;

    constructor(protected readonly options: PageReviewsOptions) {}

    get(id: string | undefined): PageReview | undefined {
        return this.own(id);
    }

    get all(): readonly PageReview[] {
        return this.owned;
    }

    /** Reviews that wait for the user, the oldest first. */
    get waiting(): ReviewInfo[] {
        const infos = this.all.flatMap(({ isWaiting, info }) => (isWaiting && info ? info : []));
        return infos.sort((one, other) => one.openedAt - other.openedAt);
    }

    /** Waiting reviews of this window: it opens them, or its user has opened them. */
    get here(): ReviewInfo[] {
        return this.waiting.filter(({ id, opens }) => opens || this.get(id)?.view === 'open');
    }

    /** True if it has an editor of the review, or makes one. */
    shows(id: string): boolean {
        const view = this.get(id)?.view;
        return view === 'open' || view === 'opening';
    }

    /** True if a typed text is neither with the backend nor in the tab: it would be lost with the page. */
    isAtRisk({ id, text }: PageReview): boolean {
        return text.isUnsent && this.unstored.has(id);
    }

    // --- the backend

    /** All that wait, as the backend says. */
    receive(infos: readonly ReviewInfo[]): void {
        const listed = new Set(infos.map(({ id }) => id));
        infos.forEach(info => this.take(info));
        this.owned.forEach(review => (review.isListed = listed.has(review.id)));
        this.owned.forEach(review => this.update(review));
    }

    /** The backend asks this page to show one. @param proposal if it is short, and nobody has edited it */
    receiveReview(info: ReviewInfo, proposal?: string): PageReview {
        const review = this.take(info);
        review.isListed = true;
        if (proposal !== undefined) {
            review.text.load({ review: info, proposal });
        }
        this.update(review);
        return review;
    }

    /** The CLI wants the text now. @returns what the backend may not have yet */
    flushReview(id: string): ReviewSave | undefined {
        const review = this.own(id);
        if (review?.text.isUnsealed) {
            this.flush(review);
        }
        return review?.text.sealed && review.text.outgoing;
    }

    /** Takes the texts that an earlier load of the page could not send. */
    restore(saves: readonly SealedText[]): void {
        for (const save of saves) {
            const known = this.make(save.about);
            // Where somebody has typed here already, it becomes a kept edit: that of a review which nobody knows.
            const review = known.text.isUnsent ? this.make({ ...save.about, reviewId: generateUuid() }) : known;
            review.text.restore(save);
            this.flush(review);
        }
    }

    // --- the editors

    /** The texts for an editor; none: close it. Also for one that the layout restores before the first state. */
    resolve(about: ReviewAbout, reply: (review?: PageReview) => void): void {
        const review = this.make(about);
        review.view = 'opening';
        if (
            review.isListed &&
            review.text.proposal !== undefined &&
            review.info &&
            isSameRevision(review.info.revision, review.text.revision)
        ) {
            reply(review);
        } else {
            this.read(review, isThere => reply(isThere ? review : undefined));
        }
    }

    /** @param revision that the editor shows: meanwhile there may be a newer one */
    markOpened(id: string, revision: Revision): void {
        const review = this.own(id);
        if (review) {
            review.painted = revision;
            review.problem = undefined;
            this.show(review, 'open');
        }
    }

    /** @param problem absent: no text came in time, which is tried again as long as the review waits */
    markFailed(id: string, problem?: string): void {
        const review = this.own(id);
        if (review) {
            review.problem = problem;
            this.show(review, problem === undefined ? 'new' : 'closed');
        }
    }

    /** The last editor is gone. @param byPerson who wants to see it no more, or rejects it */
    markClosed(id: string, byPerson: boolean): void {
        const review = this.own(id);
        if (review) {
            // The model goes with its editor.
            this.flushReview(id);
            const wasOpen = review.view === 'open';
            this.show(review, wasOpen ? 'closed' : 'new');
            if (wasOpen && byPerson && this.options.onTabClose() === 'reject') {
                this.send(review, 'close');
            }
        }
    }

    /** The left side has the text of this file now. */
    showLeft(id: string, file: OriginalFile): void {
        const review = this.own(id);
        if (review) {
            review.left = file;
            // By that a text is found again in the file.
            review.text.encoding = file.encoding;
            this.change(review);
        }
    }

    /** The editor with this left side is gone. */
    hideLeft(id: string, file: OriginalFile | undefined): void {
        const review = this.own(id);
        if (review && review.left === file) {
            review.left = undefined;
        }
    }

    /** @param takesBack see {@link ReviewText.type} */
    type(id: string, typed: TypedText, takesBack = false): void {
        const review = this.own(id);
        if (review) {
            const { seen } = review;
            review.text.type(typed, takesBack);
            review.painted = review.text.revision;
            if (seen?.since !== undefined) {
                // Whoever types has seen it. To look takes a layout of the page, which is too long for each key.
                review.seen = { ...seen, revision: review.text.revision };
            }
            this.onDidChangeEmitter.fire(review);
        }
    }

    // --- the user

    /** Something on the screen may have changed. */
    lookAtAll(): void {
        this.owned.forEach(review => this.look(review));
    }

    /** Since when the user has both sides before the eyes as they are now, as the clock counts; `undefined` if that is not so. */
    seenSince({ id }: PageReview): number | undefined {
        const review = this.own(id);
        if (review) {
            this.look(review);
        }
        return review?.seen?.since;
    }

    /** What an accept is about: both sides as they are on the screen now. `undefined` if the user has not seen them. */
    takeSeen(review: PageReview): SeenSides | undefined {
        if (!review.isSeen) {
            return undefined;
        }
        if (review.text.isUnsealed) {
            this.flush(review);
        }
        return { shown: review.text.seen, file: review.left && seenFileOf(review.left) };
    }

    /**
     * @param seen what {@link takeSeen} said when the user accepted it
     * @returns whether it is sent: not twice, nothing that the user has not seen, and nothing that has changed since
     */
    accept({ id }: PageReview, seen: SeenSides | undefined): boolean {
        const review = this.own(id);
        const now = review && this.takeSeen(review);
        if (!seen || !now || !isSameRevision(seen.shown.revision, now.shown.revision) || !isSameFile(seen.file, now.file)) {
            return false;
        }
        const isUnread = this.options.clock.now - (review.silentSince ?? -Infinity) <= UNREAD_TIME_MS;
        return this.send(review, 'accept', isUnread ? { shown: seen.shown, isUnread } : seen);
    }

    /** @returns whether it is sent: not twice */
    reject({ id }: PageReview): boolean {
        const review = this.own(id);
        return review !== undefined && this.send(review, 'reject');
    }

    /** The answer is under way, and has not left the page: there is no connection. */
    canTakeBack({ id, isAnswering, answer }: PageReview): boolean {
        return isAnswering && !answer?.hasLeft && !this.options.calls.hasLeft(answerKey(id));
    }

    /** The review waits again, if nothing of its answer has left the page. */
    takeBack(id: string): void {
        const review = this.own(id);
        if (review && this.canTakeBack(review)) {
            this.options.calls.drop(answerKey(id));
            review.answer = undefined;
            this.update(review);
        }
    }

    /** The page may end. @returns `false`: something would be lost with the tab, ask */
    leave(): boolean {
        this.all.forEach(({ id }) => this.flushReview(id));
        return this.all.every(({ text, isAnswering }) => !text.isUnsent && !isAnswering);
    }

    /** True if a reload loses nothing that was typed or answered: the next load of the page sends what the tab keeps. */
    get survivesReload(): boolean {
        return this.all.every(review => !this.isAtRisk(review) && !review.isAnswering);
    }

    // --- within

    protected own(id: string | undefined): OwnReview | undefined {
        return this.reviews.get(id ?? '');
    }

    protected get owned(): OwnReview[] {
        return [...this.reviews.values()];
    }

    /** Something of it is another one now. */
    protected change(review: OwnReview): void {
        this.look(review);
        this.onDidChangeEmitter.fire(review);
    }

    /** Notes what the user has before the eyes: without that nothing is accepted. */
    protected look(review: OwnReview): void {
        const { id, view, isWaiting, seen, left, text } = review;
        const { revision } = text;
        if (view !== 'open' || !isWaiting || !left || !this.options.views().isOnScreen(id)) {
            review.seen = seen && { ...seen, since: undefined };
            return;
        }
        const since = isOf(seen, revision, left) ? seen?.since : undefined;
        review.seen = { revision, left, since: since ?? this.options.clock.now };
        if (seen?.since === undefined) {
            this.onDidSeeEmitter.fire(review);
        }
    }

    protected send(
        review: OwnReview,
        kind: AnswerKind,
        seen: SeenSides & { readonly isUnread?: boolean } = { shown: review.text.seen }
    ): boolean {
        if (!review.isWaiting) {
            return false;
        }
        if (review.text.isUnsealed) {
            // Before the answer, so that the backend has the text of which the answer names only the revision.
            this.flush(review);
        }
        review.answer = { kind, ...seen };
        this.change(review);
        const { text: _, ...known } = seen.shown;
        this.call(review, { ...seen, shown: known });
        return true;
    }

    protected call(review: OwnReview, seen: SeenSides): void {
        const { answer } = review;
        const reply = (result: ReviewAnswer): void => {
            if (!answer || answer !== review.answer) {
                return;
            }
            if (result.result === 'textNeeded') {
                answer.hasLeft = true;
                this.call(review, answer);
                return;
            }
            if (result.result === 'notSame' || result.result === 'shownElsewhere') {
                review.answer = undefined;
                this.update(review);
                if (result.result === 'notSame') {
                    this.markNotSame(review, result.file);
                }
                return;
            }
            answer.result = result;
            review.isListed = false;
            this.update(review);
        };
        const delayed = (): void => {
            if (answer) {
                answer.isDelayed = true;
                this.change(review);
            }
        };
        const { calls, backend } = this.options;
        const { shown, file } = seen;
        const reject = (): Promise<ReviewAnswer> =>
            answer?.kind === 'close' ? backend.closeReview(review.id) : backend.rejectReview(review.id);
        const make = (): Promise<ReviewAnswer> => (answer?.kind === 'accept' ? backend.acceptReview(review.id, shown, file) : reject());
        calls.call(answerKey(review.id), { make, reply, failed: delayed, length: shown.text?.length });
    }

    /** The file is not what the left side shows: the user has to look at it again. */
    protected markNotSame(review: OwnReview, file: Exclude<FileState, 'same'>): void {
        if (file === 'silent') {
            review.silentSince = this.options.clock.now;
        } else {
            this.options.views().readLeft(review);
        }
        this.onDidNotCountEmitter.fire({ review, file });
    }

    protected flush(review: OwnReview): void {
        const { text } = review;
        text.seal();
        this.store();
        if (text.isTooLong) {
            return;
        }
        const { revision } = text;
        // Of two saves of one review, the later one counts.
        this.options.calls.call(`save ${review.id}`, {
            make: () => this.options.backend.saveReview(text.outgoing),
            reply: () => this.confirm(review, revision),
            length: text.text?.length
        });
    }

    protected confirm(review: OwnReview, revision: Revision): void {
        review.text.confirm(revision);
        this.store();
        this.update(review);
    }

    protected store(): void {
        const before = this.unstored;
        this.unstored = this.options.store.write(this.owned.flatMap(({ text }) => text.sealed ?? []));
        this.owned.filter(({ id }) => before.has(id) !== this.unstored.has(id)).forEach(review => this.change(review));
    }

    protected show(review: OwnReview, view: ReviewView): void {
        review.view = view;
        this.update(review);
    }

    /** Compares what is with what should be, and takes the next step. Whatever happens ends here. */
    protected update(review: OwnReview): void {
        const { view, isListed, info, text } = review;
        this.change(review);
        if (view === 'opening' || view === 'closing') {
            return;
        }
        if (view === 'new' && review.isWaiting && info?.opens && this.options.opensByItself()) {
            review.view = 'opening';
            this.options.views().open(review);
        } else if (view === 'open' && isListed) {
            if (review.painted && !isSameRevision(review.painted, text.revision)) {
                review.painted = text.revision;
                this.options.views().paint(review);
            }
            const isOther = info && !isSameRevision(info.revision, text.revision);
            if (isOther && !text.isUnsent && !review.isAnswering && !review.isReading) {
                // Somebody typed on another page.
                this.read(review, () => undefined);
            }
        } else if (view === 'open') {
            review.view = 'closing';
            this.options.views().close(review);
        } else if (!isListed && !text.isUnsent && !review.isAnswering && !review.isReading) {
            text.dispose();
            this.reviews.delete(review.id);
        }
    }

    protected read(review: OwnReview, then: (isThere: boolean) => void): void {
        review.readers.push(then);
        if (review.readers.length === 1) {
            this.readNow(review);
        }
    }

    /** The answer may be older than a text that the backend has confirmed meanwhile: then it is read again. */
    protected readNow(review: OwnReview): void {
        const { revision, isUnsent } = review.text;
        const reply = (content?: ReviewContent): void => {
            if (content && !review.text.isUnsent && (isUnsent || !isSameRevision(revision, review.text.revision))) {
                this.readNow(review);
                return;
            }
            if (content) {
                review.info = content.review;
                review.text.load(content);
            }
            // JSON makes null of what is not there.
            const isThere = Boolean(content);
            review.isListed = isThere;
            review.readers.splice(0).forEach(then => then(isThere));
            this.update(review);
        };
        this.options.calls.call(`read ${review.id}`, { make: () => this.options.backend.readReview(review.id), reply });
    }

    protected newRevision(): Revision {
        return { page: this.options.page, n: ++this.n };
    }

    protected take(info: ReviewInfo): OwnReview {
        const review = this.make({ reviewId: info.id, uri: info.uri, cliName: info.cliName });
        review.info = info;
        return review;
    }

    protected make(about: ReviewAbout): OwnReview {
        let review = this.reviews.get(about.reviewId);
        if (!review) {
            const { clock } = this.options;
            const flush = (): void => void this.flushReview(about.reviewId);
            review = new PageReview(new ReviewText(about, { clock, newRevision: () => this.newRevision(), flush }));
            this.reviews.set(about.reviewId, review);
        }
        return review;
    }
}

function answerKey(reviewId: string): string {
    return `answer ${reviewId}`;
}
