// SPDX-License-Identifier: Apache-2.0

import { ApplicationShell } from '@theia/core/lib/browser';
import { ContextKeyService } from '@theia/core/lib/browser/context-key-service';
import { FrontendApplicationStateService } from '@theia/core/lib/browser/frontend-application-state';
import { MessageService } from '@theia/core/lib/common';
import { nls } from '@theia/core/lib/common/nls';
import { inject, injectable, postConstruct } from '@theia/core/shared/inversify';
import { TerminalWidget } from '@theia/terminal/lib/browser/base/terminal-widget';
import { CompanionBackend, ReviewInfo } from '../../common/companion-protocol';
import { plainText } from '../../common/plain-text';
import { withTimeLimit } from '../../common/time-limit';
import { noAnswerText } from '../window/backend-calls';
import { CliTerminals, OpenCliTerminal } from '../window/cli-terminals';
import { CompanionConnection } from '../window/companion-connection';
import { WorkspacePaths } from '../window/workspace-paths';
import { PageReviews } from './page-reviews';
import { ReviewEditors } from './review-editors';
import { ReviewFocus } from './review-focus';
import { ReviewScreen } from './review-screen';
import { ReviewService } from './review-service';

const SHOW_LIMIT = 5_000;
const MESSAGE_TIME = 4_000;
/** In milliseconds: the person waits for what the key does. */
const TERMINAL_LIMIT = 1_000;

/** True while a review waits, here or in another window with the same roots. */
export const REVIEWS_WAITING_KEY = 'companionReviewsWaiting';

/** Every review that waits for the user: those that this window shows, and those that other windows with the same roots show. */
@injectable()
export class WaitingReviews {
    @inject(CompanionBackend)
    protected readonly backend: CompanionBackend;
    @inject(CompanionConnection)
    protected readonly connection: CompanionConnection;
    @inject(ReviewService)
    protected readonly reviews: ReviewService;
    @inject(PageReviews)
    protected readonly page: PageReviews;
    @inject(ReviewFocus)
    protected readonly focus: ReviewFocus;
    @inject(ReviewScreen)
    protected readonly screen: ReviewScreen;
    @inject(ReviewEditors)
    protected readonly editors: ReviewEditors;
    @inject(CliTerminals)
    protected readonly terminals: CliTerminals;
    @inject(ApplicationShell)
    protected readonly shell: ApplicationShell;
    @inject(WorkspacePaths)
    protected readonly paths: WorkspacePaths;
    @inject(MessageService)
    protected readonly messages: MessageService;
    @inject(ContextKeyService)
    protected readonly contextKeys: ContextKeyService;
    @inject(FrontendApplicationStateService)
    protected readonly appState: FrontendApplicationStateService;

    @postConstruct()
    protected init(): void {
        const waiting = this.contextKeys.createKey(REVIEWS_WAITING_KEY, this.any);
        this.connection.onDidChangeState(() => waiting.set(this.any));
        // The first states come before the layout, and so before the page takes them.
        void this.appState.reachedState('ready').then(() => waiting.set(this.any));
    }

    get any(): boolean {
        return this.here.length > 0 || this.elsewhere.length > 0;
    }

    /** The oldest first. */
    get here(): readonly ReviewInfo[] {
        return this.page.waiting;
    }

    get elsewhere(): readonly ReviewInfo[] {
        return [...(this.connection.state?.reviewsElsewhere ?? [])].sort((one, other) => one.openedAt - other.openedAt);
    }

    /** Gives the keyboard to the review after the one that has it. */
    async activateNext(): Promise<void> {
        const { here } = this;
        const current = here.findIndex(({ id }) => id === this.focus.active);
        const next = here[(current + 1) % here.length];
        if (next && next !== here[current]) {
            await this.reviews.activate(next);
        } else if (this.elsewhere.length > 0) {
            await this.showHere(this.elsewhere[0]);
        } else {
            this.messages.info(nls.localize('theia/cli-companion/review/noneWaiting', 'No other proposal is waiting.'), {
                timeout: MESSAGE_TIME
            });
        }
    }

    /**
     * The review that is meant by a key or a command that names none: the one that has the keyboard, else that of the CLI in the terminal
     * that has it, else any. It is `undefined` unless the person sees exactly one of these, and has had a moment to look at it. If the person
     * sees none of them, one comes to the front; if several, one gets the keyboard.
     */
    async meant(): Promise<ReviewInfo | undefined> {
        const pressed = performance.now();
        const candidates = await this.candidates();
        const visible = candidates.filter(id => this.editors.isOnScreen(id));
        if (visible.length === 1) {
            const [id] = visible;
            if (this.screen.takesKeys(id, pressed)) {
                return this.page.infoOf(id);
            }
            this.screen.lookAgain(id);
            return undefined;
        }
        const hidden = this.here.find(({ id }) => id === candidates[0]);
        if (visible.length === 0 && hidden) {
            await this.reviews.reveal(hidden);
        } else {
            await this.activateNext();
        }
        return undefined;
    }

    async open(review: ReviewInfo): Promise<void> {
        return this.here.some(({ id }) => id === review.id) ? this.reviews.activate(review) : this.showHere(review);
    }

    /** Accepts a text that the person has seen in this window; otherwise shows it. */
    async accept(review: ReviewInfo): Promise<void> {
        if (this.screen.hasSeen(review)) {
            this.reviews.answer(review, 'accept');
        } else {
            await this.open(review);
        }
    }

    async reject(review: ReviewInfo): Promise<void> {
        this.reviews.answer(review, 'reject');
    }

    /** The ids of the reviews that may be meant, the oldest first. */
    protected async candidates(): Promise<string[]> {
        const { active } = this.focus;
        if (active !== undefined) {
            return [active];
        }
        const clis = new Set((await this.activeTerminal()).map(({ displayName }) => displayName));
        const ofTerminal = this.here.filter(({ cliName }) => clis.has(cliName));
        return (ofTerminal.length > 0 ? ofTerminal : this.here).map(({ id }) => id);
    }

    /** The CLI in the terminal that has the keyboard; none if it has not, or if that cannot be found out in time. */
    protected async activeTerminal(): Promise<OpenCliTerminal[]> {
        const { activeWidget } = this.shell;
        const find = activeWidget instanceof TerminalWidget ? this.terminals.find([activeWidget]) : Promise.resolve([]);
        return withTimeLimit(find, TERMINAL_LIMIT, '').catch(() => []);
    }

    /** Moves the review to this window. The other window closes it without an answer. */
    protected async showHere(review: ReviewInfo): Promise<void> {
        try {
            if (await withTimeLimit(this.backend.showReviewHere(review.id), SHOW_LIMIT, noAnswerText())) {
                await this.reviews.activate(review);
            } else {
                const path = this.paths.display(review.path);
                this.messages.info(
                    plainText(nls.localize('theia/cli-companion/review/over', 'The proposal for {0} was already answered.', path))
                );
            }
        } catch (error) {
            this.messages.warn(plainText(error instanceof Error ? error.message : String(error)));
        }
    }
}
