// SPDX-License-Identifier: Apache-2.0

import { ApplicationShell, ConfirmDialog, Widget } from '@theia/core/lib/browser';
import { ContextKeyService } from '@theia/core/lib/browser/context-key-service';
import { MessageService } from '@theia/core/lib/common/message-service';
import { nls } from '@theia/core/lib/common/nls';
import { inject, injectable, postConstruct } from '@theia/core/shared/inversify';
import { TerminalWidget } from '@theia/terminal/lib/browser/base/terminal-widget';
import { status } from '@theia/monaco-editor-core/esm/vs/base/browser/ui/aria/aria';
import { FileState, ReviewInfo, ShownText } from '../../common/companion-protocol';
import { REPLACEMENT_CHARACTER } from '../../common/file-decoder';
import { withTimeLimit } from '../../common/time-limit';
import { CliTerminals, OpenCliTerminal } from '../window/cli-terminals';
import { AnswerGuard } from '../window/answer-guard';
import { FileLooks } from '../diff/file-looks';
import { PageReview } from './page-review';
import { PageReviews } from './page-reviews';
import { ReviewBars } from './review-bars';
import { ReviewEditors } from './review-editors';
import { ReviewFocus } from './review-focus';
import { ReviewMessages } from './review-messages';
import { ReviewUris } from './review-uris';

const MESSAGE_TIME_MS = 4_000;
const QUIET_MS = 2_000;
/** In milliseconds: the user waits for what the key does. */
const TERMINAL_LIMIT_MS = 1_000;

/** True while a review waits, of this window or of another one with the same roots. */
export const REVIEWS_WAITING_KEY = 'companionReviewsWaiting';

/** The reviews that wait: opens and answers them, and finds the one that a key means. */
@injectable()
export class WaitingReviews {
    @inject(PageReviews)
    protected readonly reviews: PageReviews;
    @inject(AnswerGuard)
    protected readonly guard: AnswerGuard;
    @inject(ReviewFocus)
    protected readonly focus: ReviewFocus;
    @inject(ReviewEditors)
    protected readonly editors: ReviewEditors;
    @inject(ReviewBars)
    protected readonly bars: ReviewBars;
    @inject(FileLooks)
    protected readonly looks: FileLooks;
    @inject(ReviewMessages)
    protected readonly reviewMessages: ReviewMessages;
    @inject(CliTerminals)
    protected readonly terminals: CliTerminals;
    @inject(ApplicationShell)
    protected readonly shell: ApplicationShell;
    @inject(MessageService)
    protected readonly messages: MessageService;
    @inject(ContextKeyService)
    protected readonly contextKeys: ContextKeyService;

    /** The ids of those that waited last. */
    protected listed: readonly string[] = [];
    /** When one of them ended, as `performance.now()` counts. */
    protected endedAt = -Infinity;

    @postConstruct()
    protected init(): void {
        const waiting = this.contextKeys.createKey(REVIEWS_WAITING_KEY, this.any);
        this.reviews.onDidChange(() => {
            waiting.set(this.any);
            const ids = this.all.map(({ id }) => id);
            if (this.listed.some(id => !ids.includes(id))) {
                this.endedAt = performance.now();
            }
            this.listed = ids;
        });
        this.reviews.onDidNotCount(({ review, file }) => this.tellNotCounted(review, file));
    }

    get any(): boolean {
        return this.all.length > 0;
    }

    /** None waits, and none has just ended: a key that answers proposals can be meant for something else. */
    get isQuiet(): boolean {
        return !this.any && performance.now() - this.endedAt >= QUIET_MS;
    }

    /** The oldest first. */
    get all(): readonly ReviewInfo[] {
        return this.reviews.waiting;
    }

    /** Gives the keyboard to the review after the one that has it: first those that this window opens. */
    async activateNext(): Promise<void> {
        const { here } = this.reviews;
        const others = this.all.filter(({ id }) => !here.some(one => one.id === id));
        const all = [...here, ...others];
        const current = all.findIndex(({ id }) => id === this.focus.active);
        const next = all[(current + 1) % all.length];
        if (next && next !== all[current]) {
            await this.open(next);
        } else {
            this.messages.info(nls.localize('theia/cli-companion/review/noneWaiting', 'No other proposal is waiting.'), {
                timeout: MESSAGE_TIME_MS
            });
        }
    }

    /**
     * The review that is meant by a key or a command that names none: the one that has the keyboard, else that of the CLI in the terminal
     * that has it, else any. It is `undefined` unless the user sees exactly one of these, and has had a moment to look at it. If the user
     * sees none of them, one comes to the front; if several, one gets the keyboard.
     *
     * @param widget the one with the button that was clicked, which names its review
     */
    async meant(widget?: unknown): Promise<ReviewInfo | undefined> {
        const named = ReviewUris.shownIn(widget);
        if (named !== undefined) {
            const clicked = this.reviews.get(named);
            return clicked && this.takesClick(clicked) ? clicked.info : undefined;
        }
        const pressed = performance.now();
        const candidates = await this.candidates();
        const visible = candidates.filter(({ id }) => this.editors.isOnScreen(id));
        if (visible.length === 1) {
            const review = this.reviews.get(visible[0].id);
            if (review && this.showsChange(review) && this.takesClick(review, pressed)) {
                return review.info;
            }
            this.guard.restart();
            return undefined;
        }
        const hidden = this.reviews.get(candidates[0]?.id);
        if (visible.length === 0 && hidden) {
            await this.editors.reveal(hidden);
        } else {
            await this.activateNext();
        }
        this.guard.restart();
        return undefined;
    }

    /** If no changed character is in view, one comes there, and the key answers nothing. */
    protected showsChange(review: PageReview): boolean {
        const editors = this.editors.editorsOf(review.id).filter(({ isOnScreen }) => isOnScreen);
        const shows = editors.length === 0 || editors.some(editor => editor.showsChange);
        if (!shows) {
            editors[0].revealChange();
            this.reviewMessages.tooSoon(review);
        }
        return shows;
    }

    /** Brings it to the front, and gives it the keyboard. */
    async open({ id }: ReviewInfo): Promise<void> {
        const review = this.reviews.get(id);
        if (review) {
            await this.editors.activate(review);
        }
    }

    /** The widget of the review that the keyboard is in, or of the only one on the screen. */
    get widgetInFront(): Widget | undefined {
        const [only, ...others] = this.editors.onScreen;
        return this.focus.activeWidget ?? (others.length === 0 ? this.editors.widgetsOf(only)[0] : undefined);
    }

    /** A button of the diff or a key was pressed. If something has just moved, that was meant for what was there before. */
    takesClick(review: PageReview, pressed?: number): boolean {
        const takes = this.takesKeys(review.id, pressed);
        if (!takes && !review.isAnswering) {
            this.reviewMessages.tooSoon(review);
        }
        return takes;
    }

    /**
     * Whether the review had been on the screen for so long that a key or a click was meant for it.
     *
     * @param pressed when that was, as `performance.now()` counts
     */
    takesKeys(reviewId: string, pressed?: number): boolean {
        const review = this.reviews.get(reviewId);
        const since = review && this.reviews.seenSince(review);
        return since !== undefined && this.guard.takesAnswer(pressed, since);
    }

    /** Accepts what the user has seen. A review that was not seen is shown instead. */
    async accept(info: ReviewInfo): Promise<void> {
        const review = this.reviews.get(info.id);
        this.reviews.lookAtAll();
        if (review?.isSeen) {
            this.answer(info, 'accept');
        } else {
            await this.open(info);
        }
    }

    /** If accepting would do nothing, it says why, as the notice above the diff does. */
    answer({ id }: ReviewInfo, kind: 'accept' | 'reject'): void {
        const review = this.reviews.get(id);
        const refusal = review && kind === 'accept' ? this.bars.refusalOf(review) : undefined;
        if (review && refusal !== undefined) {
            void this.explain(review, refusal);
        } else if (review && kind === 'reject') {
            this.guard.recordAnswer();
            this.reviews.reject(review);
        } else if (review?.info) {
            this.guard.recordAnswer();
            void this.acceptSeen(review);
        }
    }

    /** The backend looks at the file first. */
    protected async acceptSeen(review: PageReview): Promise<void> {
        const seen = this.reviews.takeSeen(review);
        if (!(await this.confirmDamage(review, seen?.shown))) {
            return;
        }
        if (this.reviews.accept(review, seen)) {
            if (review.answer?.isUnread) {
                this.looks.tellUnread(review.text.about.uri);
            }
        } else if (review.isWaiting) {
            // It has changed under the dialog.
            this.guard.restart();
            this.reviewMessages.tooSoon(review);
        }
    }

    /** The file is not what the left side shows. */
    protected tellNotCounted(review: PageReview, file: FileState): void {
        this.guard.restart();
        if (file === 'silent') {
            this.looks.tellSilent(review.text.about.uri);
        } else {
            this.reviewMessages.tooSoon(review);
        }
    }

    /** Asks if the user's text has characters that were damaged somewhere, as in a file whose encoding was not known. @returns whether to go on */
    protected async confirmDamage({ text: { proposal = '' } }: PageReview, shown: ShownText | undefined): Promise<boolean> {
        const text = shown?.text ?? '';
        if (text.split(REPLACEMENT_CHARACTER).length <= proposal.split(REPLACEMENT_CHARACTER).length) {
            return true;
        }
        const dialog = new ConfirmDialog({
            title: nls.localize('theia/cli-companion/review/damagedTitle', 'Accept damaged text?'),
            msg: nls.localize(
                'theia/cli-companion/review/damaged',
                'Your text has characters that stand for others which could not be read: {0}. They would be written into the file.',
                REPLACEMENT_CHARACTER
            ),
            ok: nls.localize('theia/cli-companion/review/accept', 'Accept')
        });
        return (await dialog.open()) === true;
    }

    protected async explain(review: PageReview, refusal: string): Promise<void> {
        if (!this.editors.isOnScreen(review.id)) {
            await this.editors.activate(review);
        }
        status(refusal);
    }

    /** The reviews that may be meant, the oldest first. */
    protected async candidates(): Promise<readonly ReviewInfo[]> {
        const { here } = this.reviews;
        const active = this.reviews.get(this.focus.active)?.info;
        if (active) {
            return [active];
        }
        const clis = new Set((await this.activeTerminal()).map(({ displayName }) => displayName));
        const ofTerminal = here.filter(({ cliName }) => clis.has(cliName));
        return ofTerminal.length > 0 ? ofTerminal : here;
    }

    /** The CLI in the terminal that has the keyboard; none if it has not, or if that cannot be found out in time. */
    protected async activeTerminal(): Promise<OpenCliTerminal[]> {
        const { activeWidget } = this.shell;
        const find = activeWidget instanceof TerminalWidget ? this.terminals.find([activeWidget]) : Promise.resolve([]);
        return withTimeLimit(find, TERMINAL_LIMIT_MS).catch(() => []);
    }
}
