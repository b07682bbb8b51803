// SPDX-License-Identifier: Apache-2.0

import { FrontendApplicationContribution } from '@theia/core/lib/browser';
import { FrontendApplicationStateService } from '@theia/core/lib/browser/frontend-application-state';
import { Disposable, DisposableCollection } from '@theia/core/lib/common';
import { ILogger } from '@theia/core/lib/common/logger';
import { inject, injectable, named } from '@theia/core/shared/inversify';
import { status } from '@theia/monaco-editor-core/esm/vs/base/browser/ui/aria/aria';
import { CompanionPreferences } from '../../common/companion-preferences';
import { CompanionBackend, ReviewAnswer, ReviewInfo, ShownText, ShowReviewResult } from '../../common/companion-protocol';
import { withTimeLimit } from '../../common/time-limit';
import { CompanionConnection } from '../window/companion-connection';
import { TabMemory } from '../window/tab-memory';
import { ExpectedWrite } from './after-accept';
import { AnswerGuard } from './answer-guard';
import { answerKey, PageReviews } from './page-reviews';
import { ProposalTexts } from './proposal-texts';
import { ReviewEditors } from './review-editors';
import { ReviewFocus } from './review-focus';
import { ReviewMessages } from './review-messages';
import { ReviewNotices } from './review-notices';
import { ReviewOutbox } from './review-outbox';
import { OriginalContents, ReviewResourceResolver } from './review-resource-resolver';
import { WrittenFiles } from './written-files';

/** Told to the CLI. */
const ANSWERED = 'This proposal was already answered.';
/** How long others wait for the review that comes to the front, in milliseconds. Then they open behind. */
const FRONT_LIMIT = 5_000;
/** Belongs to the tab: the reviews that its user closed without an answer. */
const CLOSED_KEY = 'companion.keptReviews';

/** How the user answered; `close`: by closing the last editor, which rejects. */
export type Answering = 'accept' | 'reject' | 'close';

/** The reviews of this page: opens their diffs, sends the user's answers, and keeps both in step with the backend. */
@injectable()
export class ReviewService implements FrontendApplicationContribution {
    @inject(CompanionBackend)
    protected readonly backend: CompanionBackend;
    @inject(CompanionConnection)
    protected readonly connection: CompanionConnection;
    @inject(PageReviews)
    protected readonly reviews: PageReviews;
    @inject(ReviewOutbox)
    protected readonly outbox: ReviewOutbox;
    @inject(ReviewEditors)
    protected readonly editors: ReviewEditors;
    @inject(ProposalTexts)
    protected readonly texts: ProposalTexts;
    @inject(ReviewResourceResolver)
    protected readonly resources: ReviewResourceResolver;
    @inject(ReviewFocus)
    protected readonly focus: ReviewFocus;
    @inject(AnswerGuard)
    protected readonly guard: AnswerGuard;
    @inject(ReviewNotices)
    protected readonly notices: ReviewNotices;
    @inject(ReviewMessages)
    protected readonly messages: ReviewMessages;
    @inject(OriginalContents)
    protected readonly originals: OriginalContents;
    @inject(WrittenFiles)
    protected readonly written: WrittenFiles;
    @inject(CompanionPreferences)
    protected readonly preferences: CompanionPreferences;
    @inject(FrontendApplicationStateService)
    protected readonly appState: FrontendApplicationStateService;
    @inject(ILogger)
    @named('companion:ReviewService')
    protected readonly logger: ILogger;

    protected readonly opening = new Map<string, Promise<ShowReviewResult>>();
    protected readonly closing = new Map<string, Promise<void>>();
    /** The review that comes to the front, until it is painted. @returns whether it is shown */
    protected front: Promise<boolean> | undefined;
    protected readonly toDispose = new DisposableCollection();
    /** Reviews whose file is looked at before their accept is sent. */
    protected readonly accepting = new Set<string>();
    /** The number of the last state that was received. */
    protected received = -1;
    protected layoutReady = false;
    protected unloading = false;

    onStart(): void {
        // What is sent now has longer to leave than what `onStop` sends while the browser takes the page down.
        const leaving = (event: Event): void => {
            if (!this.outbox.leave()) {
                // The browser asks whether to leave.
                event.preventDefault();
            }
        };
        window.addEventListener('beforeunload', leaving);
        this.toDispose.pushAll([
            this.editors.onDidOpenEditor(id => {
                this.reviews.opened(id);
                this.notices.update(id);
            }),
            this.editors.onDidCloseEditor(id => this.editorClosed(id)),
            this.focus.onDidSee(id => this.messages.seen(id)),
            this.focus,
            this.connection.onDidChangeState(() => this.receive()),
            this.connection.onDidHello(() => this.outbox.greeted(unsent => this.texts.send(unsent))),
            this.connection.onDidRecover(() => this.outbox.reconnected()),
            this.outbox,
            Disposable.create(() => window.removeEventListener('beforeunload', leaving))
        ]);
        this.reviews.keepClosed(TabMemory.readIds(CLOSED_KEY));
        this.layoutRestored.then(
            () => {
                this.layoutReady = true;
                this.receive();
            },
            () => undefined
        );
    }

    onStop(): void {
        // Leaving the page decides nothing: from here on, closing an editor is no rejection.
        this.unloading = true;
        this.toDispose.dispose();
    }

    async showReview(review: ReviewInfo, text?: string): Promise<ShowReviewResult> {
        const { state } = this.connection;
        await this.layoutRestored;
        // If a state came meanwhile, it lists the review or says that it has ended.
        if (!this.layoutReady || this.connection.state === state) {
            this.reviews.asked(review);
        }
        if (this.preferences['companion.review.open'] === 'never') {
            return { shown: true };
        }
        const expected = typeof text === 'string' ? this.resources.expect({ review, text }) : Disposable.NULL;
        try {
            return await this.openArriving(review);
        } finally {
            expected.dispose();
        }
    }

    async closeReview(reviewId: string): Promise<ShownText> {
        const review = this.reviews.infoOf(reviewId);
        const shown = review ? this.texts.seen(review) : {};
        // The CLI waits for the text: it is sent before the editors are closed, which takes a while.
        setTimeout(() => this.finish(reviewId, false));
        return shown;
    }

    /** A button of the diff was clicked. If something has just moved, the click was meant for what was there before. */
    takesClick(review: ReviewInfo): boolean {
        const takes = this.focus.takesKeys(review.id);
        if (!takes && !this.isAnswered(review.id)) {
            this.messages.tooSoon(review);
        }
        return takes;
    }

    /**
     * Sends the answer, again until the backend has confirmed it. Until then, the user cannot answer again. An accept is about what the user
     * sees; without an editor about what the list says.
     */
    answer(review: ReviewInfo, how: Answering): void {
        if (this.isAnswered(review.id)) {
            return;
        }
        const refusal = how === 'accept' ? this.notices.refusalOf(review) : undefined;
        if (refusal !== undefined) {
            void this.explain(review, refusal);
            return;
        }
        this.guard.recordAnswer();
        const shown = this.texts.seen(review);
        const written = how === 'accept' ? this.written.expect(review) : undefined;
        this.outbox.flush();
        if (written) {
            void this.acceptSeen(review, shown, written);
        } else {
            this.send(review, how, shown);
        }
    }

    /** Accepts, unless the file is not what the left side shows: then that is read again, and the user has to look at it. */
    protected async acceptSeen(review: ReviewInfo, shown: ShownText, written: ExpectedWrite): Promise<void> {
        this.accepting.add(review.id);
        const [editor] = this.editors.editorsOf(review.id);
        const isSeen = !editor || (await this.originals.isUpToDate(review, editor.originalText));
        this.accepting.delete(review.id);
        if (isSeen) {
            this.send(review, 'accept', shown, written);
        } else {
            written.dispose();
            this.messages.tooSoon(review);
        }
    }

    /** The answer is on its way. */
    protected isAnswered(reviewId: string): boolean {
        return this.accepting.has(reviewId) || this.outbox.has(answerKey(reviewId));
    }

    protected send(review: ReviewInfo, how: Answering, shown: ShownText, written?: ExpectedWrite): void {
        let attempts = 0;
        const call = (): Promise<ReviewAnswer> => {
            if (how !== 'accept') {
                return this.backend.rejectReview(review.id);
            }
            // The draft itself was sent before. Only if the backend does not have it, the text goes with the answer.
            return this.backend.acceptReview(review.id, attempts++ === 0 ? { draft: shown.draft } : shown);
        };
        this.outbox.put(answerKey(review.id), {
            revision: 1,
            length: shown.text?.length ?? 0,
            send: async () => this.answered(review, how, shown, await call(), written),
            failed: () => this.messages.answerDelayed(review)
        });
    }

    /** Brings a waiting review to the front for the user who asked for it. @returns whether it is shown */
    async reveal(review: ReviewInfo): Promise<boolean> {
        const result = await this.open(review, () => true);
        if (!result.shown) {
            this.messages.notShown(result.reason);
        } else if (!this.editors.isOnScreen(review.id)) {
            // It was being opened behind another one, or under a maximized area.
            await this.editors.open(review, () => true);
        }
        return result.shown;
    }

    /** As {@link reveal}, and gives it the keyboard. */
    async activate(review: ReviewInfo): Promise<void> {
        if (await this.reveal(review)) {
            await this.editors.activate(review);
        }
    }

    protected get layoutRestored(): Promise<void> {
        // Not before: the layout restores the diffs that were open, and they must not open twice.
        return this.appState.reachedState('initialized_layout');
    }

    /** Takes the backend's newest state. */
    protected receive(): void {
        const { state } = this.connection;
        if (this.layoutReady && state && state.sequence !== this.received) {
            this.received = state.sequence;
            this.reviews.receive(state.reviews).forEach(id => this.finish(id, false));
            this.texts.compare();
            this.openFresh();
            this.saveClosed();
            this.notices.updateAll();
        }
    }

    protected openFresh(): void {
        if (this.preferences['companion.review.open'] !== 'never' && !this.unloading) {
            this.reviews.fresh.forEach(review => void this.openWaiting(review));
        }
    }

    /** Opens a review from the backend's list. If that fails, a message says so once, and the user may try again. */
    protected async openWaiting(review: ReviewInfo): Promise<void> {
        const result = await this.openArriving(review);
        if (!result.shown && this.reviews.isWaiting(review.id)) {
            this.messages.notShown(result.reason);
        }
    }

    /**
     * Shows a review that the user did not ask for. It never covers what the user types in, and says so if something covers it. Of several, the
     * first comes to the front, as soon as if it were alone, and the others open behind it.
     */
    protected async openArriving(review: ReviewInfo): Promise<ShowReviewResult> {
        // Also while it waits for another one: each new state of the backend would open it once more.
        this.reviews.opens(review.id);
        if (this.front && this.mayComeToFront) {
            return (await withTimeLimit(this.front, FRONT_LIMIT, '').catch(() => true))
                ? this.open(review, () => false)
                : this.openArriving(review);
        }
        let inFront = this.mayComeToFront;
        const opening = this.open(review, () => (inFront = this.mayComeToFront));
        if (inFront) {
            this.front = this.painted(review.id, opening);
        }
        const result = await opening;
        if (result.shown && !inFront && !this.editors.isOnScreen(review.id)) {
            this.messages.openedBehind(review, () => void this.activate(review));
        }
        return result;
    }

    protected get mayComeToFront(): boolean {
        return this.preferences['companion.review.open'] !== 'background' && !this.focus.isTyping && !this.editors.isCovered;
    }

    protected async painted(reviewId: string, opening: Promise<ShowReviewResult>): Promise<boolean> {
        try {
            const { shown } = await opening;
            if (shown) {
                await this.editors.painted(reviewId);
            }
            return shown;
        } finally {
            this.front = undefined;
        }
    }

    protected open(review: ReviewInfo, inFront: () => boolean): Promise<ShowReviewResult> {
        const opening = this.opening.get(review.id) ?? this.doOpen(review, inFront).finally(() => this.opening.delete(review.id));
        this.opening.set(review.id, opening);
        return opening;
    }

    protected async doOpen(review: ReviewInfo, inFront: () => boolean): Promise<ShowReviewResult> {
        if (!this.reviews.opens(review.id)) {
            return { shown: false, reason: ANSWERED };
        }
        try {
            // It may have come back while its editors are being closed.
            await this.closing.get(review.id);
            await this.editors.open(review, inFront);
        } catch (error) {
            if (!this.connection.connected) {
                // That may have been the obstacle.
                this.reviews.opensAgain(review.id);
            }
            return { shown: false, reason: error instanceof Error ? error.message : String(error) };
        }
        if (!this.reviews.infoOf(review.id)) {
            // It ended while it was being opened.
            await this.editors.close(review.id);
            return { shown: false, reason: ANSWERED };
        }
        this.notices.update(review.id);
        this.messages.opened(review);
        return { shown: true };
    }

    protected editorClosed(reviewId: string): void {
        if (this.unloading || this.editors.editorsOf(reviewId).length > 0) {
            return;
        }
        const review = this.reviews.infoOf(reviewId);
        if (this.reviews.closed(reviewId) && review && this.preferences['companion.review.onTabClose'] !== 'keep') {
            this.answer(review, 'close');
        }
        this.saveClosed();
    }

    /** @param review as it was when the user answered. @param shown the text that the user saw */
    protected async answered(
        review: ReviewInfo,
        how: Answering,
        shown: ShownText,
        answer: ReviewAnswer,
        written?: ExpectedWrite
    ): Promise<void> {
        if (!this.outbox.has(answerKey(review.id))) {
            // The answer to a repetition.
            return;
        }
        this.outbox.drop(answerKey(review.id));
        if (answer.result === 'late') {
            written?.dispose();
            this.messages.late(review, answer.how);
        } else if (how !== 'close') {
            this.messages.answered(review, how);
        } else if (shown.text === undefined) {
            // If the edits are kept, the message that offers them says it.
            this.messages.closed(review);
        }
        // Who has gone on typing meanwhile would type into what gets the keyboard.
        const hasGoneOn = this.texts.seen(review).draft?.revision !== shown.draft?.revision;
        await this.finish(review.id, how !== 'close' && answer.result === 'done' && !hasGoneOn);
        written?.confirmed();
    }

    /**
     * The review has ended: closes its editors, without an answer.
     * @param decidedHere the user decided in the diff
     */
    protected async finish(reviewId: string, decidedHere: boolean): Promise<void> {
        this.reviews.ended(reviewId);
        this.messages.ended(reviewId);
        const closing = this.focus
            .keep(reviewId, decidedHere, () => this.editors.close(reviewId))
            .catch(error => this.logger.error('A review could not be closed', error));
        this.closing.set(reviewId, closing);
        await closing;
        this.closing.delete(reviewId);
        this.texts.compare();
        if (this.layoutReady) {
            // Meanwhile the backend may have given the review back to this window.
            this.openFresh();
        }
    }

    /** Accepting would do nothing: says why, as the notice above the diff does. */
    protected async explain(review: ReviewInfo, refusal: string): Promise<void> {
        if (!this.editors.isOnScreen(review.id)) {
            await this.activate(review);
        }
        status(refusal);
    }

    /** Remembers over a reload which reviews the user closed. If the browser forbids storage, a reload opens them again. */
    protected saveClosed(): void {
        TabMemory.write(CLOSED_KEY, JSON.stringify(this.reviews.closedIds));
    }
}
