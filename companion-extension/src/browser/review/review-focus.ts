// SPDX-License-Identifier: Apache-2.0

import { animationFrame, ApplicationShell, Widget } from '@theia/core/lib/browser';
import { ContextKey, ContextKeyService } from '@theia/core/lib/browser/context-key-service';
import { FrontendApplicationStateService } from '@theia/core/lib/browser/frontend-application-state';
import { Disposable, DisposableCollection } from '@theia/core/lib/common/disposable';
import { Emitter } from '@theia/core/lib/common/event';
import { timeout } from '@theia/core/lib/common/promise-util';
import { URI } from '@theia/core/lib/common/uri';
import { MessageLoop } from '@theia/core/shared/@lumino/messaging';
import { inject, injectable, postConstruct } from '@theia/core/shared/inversify';
import { PROPOSAL, ReviewInfo } from '../../common/companion-protocol';
import { withTimeLimit } from '../../common/time-limit';
import { CompanionConnection } from '../window/companion-connection';
import { AnswerGuard } from './answer-guard';
import { PageReviews } from './page-reviews';
import { ProposalTexts } from './proposal-texts';
import { ReviewEditor, ReviewEditors, TEXT_INPUTS } from './review-editors';

/** In milliseconds. */
const FRAME_LIMIT = 200;
const SHOW_LIMIT = 5_000;

/** True while a review's editor, either side, has the keyboard. */
export const REVIEW_ACTIVE_KEY = 'companionReviewActive';
/** True while a list of the waiting reviews is open. */
export const REVIEWS_LISTED_KEY = 'companionReviewsListed';
/** True while the key that is pressed comes with AltGr, which types: it is not Ctrl+Alt. */
export const ALT_GRAPH_KEY = 'companionAltGraph';

/** A list of the waiting reviews, open in front of the page. */
export interface ReviewList {
    /** The review that is highlighted: the keys act on it. */
    readonly activeReview: ReviewInfo | undefined;
    hide(): void;
}

/**
 * What the person looks at: which reviews are on the screen, since when, and in which text they were; which one has the keyboard or is
 * highlighted. Knows where the keyboard was before a review got it, and gives it back.
 */
@injectable()
export class ReviewFocus implements Disposable {
    @inject(ApplicationShell)
    protected readonly shell: ApplicationShell;
    @inject(FrontendApplicationStateService)
    protected readonly appState: FrontendApplicationStateService;
    @inject(ContextKeyService)
    protected readonly contextKeys: ContextKeyService;
    @inject(CompanionConnection)
    protected readonly connection: CompanionConnection;
    @inject(PageReviews)
    protected readonly reviews: PageReviews;
    @inject(ProposalTexts)
    protected readonly texts: ProposalTexts;
    @inject(ReviewEditors)
    protected readonly editors: ReviewEditors;
    @inject(AnswerGuard)
    protected readonly guard: AnswerGuard;

    /** Since when the reviews are on the screen, by their ids; as `performance.now()` counts. */
    protected readonly since = new Map<string, number>();
    /** The text of each waiting review that was on the screen last. */
    protected readonly seen = new Map<string, string>();
    protected readonly onDidSeeEmitter = new Emitter<string>();
    /** Fires with the review's id when it comes onto the screen. */
    readonly onDidSee = this.onDidSeeEmitter.event;
    protected readonly toDispose = new DisposableCollection(this.onDidSeeEmitter);
    protected reviewActive: ContextKey<boolean>;
    protected reviewsListed: ContextKey<boolean>;
    protected list: ReviewList | undefined;
    protected lastOther: Widget | undefined;
    /** The widget that had the keyboard last. */
    protected lastActive: Widget | undefined;

    @postConstruct()
    protected init(): void {
        this.reviewActive = this.contextKeys.createKey(REVIEW_ACTIVE_KEY, false);
        this.reviewsListed = this.contextKeys.createKey(REVIEWS_LISTED_KEY, false);
        // A dialog that opens or closes takes the keyboard from a widget, or gives it back.
        const look = (): void => void animationFrame().then(() => this.look());
        // Until then, the page that Theia shows while it loads covers the diffs that the layout restores.
        void this.appState.reachedState('ready').then(look);
        this.toDispose.pushAll([
            this.texts.onDidReplaceText(id => this.replaced(id)),
            this.editors.onDidChangeOriginal(id => this.replaced(id)),
            this.editors.onDidOpenEditor(look),
            this.editors.onDidCloseEditor(() => {
                this.guard.restart();
                look();
            }),
            this.editors.onDidChangeVisibility(look),
            this.shell.onDidChangeActiveWidget(() => {
                this.update();
                look();
            }),
            this.shell.onDidChangeCurrentWidget(look),
            this.shell.onDidToggleMaximized(look),
            this.connection.onDidChangeState(look)
        ]);
        this.update();
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
        return since !== undefined && this.guard.takesAnswer(pressed, since);
    }

    /** Whether both its sides have been on the screen as they are now, in this load of the page. Without an editor nobody follows its file. */
    hasSeen(review: ReviewInfo): boolean {
        this.look();
        return this.editors.editorsOf(review.id).length > 0 && this.seen.get(review.id) === this.textOf(review);
    }

    /** The widget of the review that has the keyboard, or had it until a menu took it. */
    get activeWidget(): Widget | undefined {
        const inMenu = document.activeElement?.closest('.lm-Menu, .lm-MenuBar') instanceof Element;
        const widget = this.shell.activeWidget ?? (inMenu ? this.lastActive : undefined);
        return widget?.isAttached && ReviewEditor.reviewIdOf(widget) !== undefined ? widget : undefined;
    }

    /** The id of that review. */
    get active(): string | undefined {
        return ReviewEditor.reviewIdOf(this.activeWidget);
    }

    /** The widget of the review that the keyboard is in, or of the only one on the screen. */
    get widgetInFront(): Widget | undefined {
        const [only, ...others] = this.editors.onScreen;
        return this.activeWidget ?? (others.length === 0 ? this.editors.widgetsOf(only)[0] : undefined);
    }

    /** The list of the waiting reviews, while it is open. */
    get openList(): ReviewList | undefined {
        return this.list;
    }

    /** @param list the list that is open now, if any */
    setList(list: ReviewList | undefined): void {
        this.list = list;
        this.reviewsListed.set(list !== undefined);
    }

    /** Whether the user types in an editor or an input of the page. A terminal does not count: its CLI is what proposes. */
    get isTyping(): boolean {
        const { activeElement } = document;
        return activeElement !== null && activeElement.matches(TEXT_INPUTS) && activeElement.closest('.xterm') === null;
    }

    /**
     * Runs `close`, which closes the editors of a review. If the user decided, the keyboard goes back to where it was before the review had
     * it, and stays where it is if the review does not have it. If the CLI decided while the user types in the review, nothing gets the
     * keyboard: the next keys would go into a shell.
     * @param decidedHere the user decided in this window
     */
    async keep(reviewId: string, decidedHere: boolean, close: () => Promise<void>): Promise<void> {
        const active = this.shell.activeWidget;
        // A button or a menu has taken the keyboard from the widget.
        const focused = active ?? this.shell.currentWidget;
        const inReview = ReviewEditor.reviewIdOf(focused) === reviewId;
        const target = !decidedHere ? undefined : inReview ? this.lastOther : focused;
        if (target && target !== active && !target.isDisposed && target.isAttached) {
            // Not awaited: for a widget that takes no focus, Theia 1.74 waits 2.25 s.
            void this.shell.activateWidget(target.id);
            MessageLoop.flush();
        }
        const { ownerDocument } = (this.shell.activeWidget ?? focused ?? this.shell).node;
        const release = this.hold(ownerDocument, inReview && !decidedHere ? undefined : ownerDocument.activeElement);
        try {
            await close();
            // A window that is hidden has none.
            await withTimeLimit(animationFrame(), FRAME_LIMIT, '').catch(() => undefined);
        } finally {
            release.dispose();
            this.guard.restart();
        }
    }

    /**
     * Runs what shows a file in an editor, which does not get the keyboard from that. It may never settle: Theia (1.74) waits for an editor
     * that another one covers until it is seen.
     */
    async still(file: URI, run: () => Promise<void>): Promise<void> {
        const { activeElement } = document;
        const isOfFile = (target: Element): boolean => {
            const uri = target.closest('.monaco-editor')?.getAttribute('data-uri');
            return typeof uri === 'string' && new URI(uri).isEqual(file);
        };
        const held = this.hold(document, activeElement === document.body ? undefined : activeElement, isOfFile);
        const release = (): void => held.dispose();
        // The user goes there.
        document.addEventListener('pointerdown', release, true);
        try {
            await Promise.race([run(), timeout(SHOW_LIMIT)]);
            await withTimeLimit(animationFrame(), FRAME_LIMIT, '').catch(() => undefined);
        } finally {
            release();
            document.removeEventListener('pointerdown', release, true);
        }
    }

    /**
     * Theia 1.74 focuses every editor that becomes visible (MonacoEditor.handleVisibilityChanged), also the one under a tab that is closed.
     * What the user types into the terminal at that moment would land in a source file. This takes the focus back in the same event, so
     * that no key is lost.
     * @param element `undefined`: nothing gets the keyboard
     * @param from what does not get it
     */
    protected hold(ownerDocument: Document, element: Element | null | undefined, from = (_: Element): boolean => true): Disposable {
        if (element === null || element === ownerDocument.body) {
            return Disposable.NULL;
        }
        const takeBack = ({ target }: FocusEvent): void => {
            // A secondary window has its own classes: `instanceof` does not work.
            if (!from(target as Element)) {
                return;
            }
            if (element === undefined) {
                (target as HTMLElement).blur();
            } else if (target !== element && element.isConnected) {
                (element as HTMLElement).focus({ preventScroll: true });
            }
        };
        // A secondary window has a document of its own. When a tab closes there, Theia may focus something in the main one.
        const documents = new Set([ownerDocument, document]);
        documents.forEach(one => one.addEventListener('focusin', takeBack));
        return Disposable.create(() => documents.forEach(one => one.removeEventListener('focusin', takeBack)));
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

    protected update(): void {
        const { activeWidget } = this.shell;
        this.lastActive = activeWidget ?? this.lastActive;
        const isReview = ReviewEditor.reviewIdOf(activeWidget) !== undefined;
        this.reviewActive.set(isReview);
        if (activeWidget && !isReview) {
            this.lastOther = activeWidget;
        }
    }
}
