// SPDX-License-Identifier: Apache-2.0

import { animationFrame, ApplicationShell, NavigatableWidget, TreeWidget, Widget } from '@theia/core/lib/browser';
import { ContextKey, ContextKeyService } from '@theia/core/lib/browser/context-key-service';
import { Disposable, DisposableCollection } from '@theia/core/lib/common/disposable';
import { timeout } from '@theia/core/lib/common/promise-util';
import { URI } from '@theia/core/lib/common/uri';
import { MessageLoop } from '@theia/core/shared/@lumino/messaging';
import { inject, injectable, postConstruct } from '@theia/core/shared/inversify';
import { TerminalWidget } from '@theia/terminal/lib/browser/base/terminal-widget';
import { withTimeLimit } from '../../common/time-limit';
import { AnswerGuard } from '../window/answer-guard';
import { ReviewUris } from './review-uris';

const FRAME_LIMIT_MS = 200;
const SHOW_LIMIT_MS = 5_000;

/** Elements that take keys as text. A frame is a page of its own that may have such an element. */
export const TEXT_INPUTS =
    'input, textarea, select, iframe, webview, [contenteditable]:not([contenteditable="false"]), .native-edit-context';

/** True while a review's editor, either side, has the keyboard. */
export const REVIEW_ACTIVE_KEY = 'companionReviewActive';

/** Which review has the keyboard. Knows where the keyboard was before a review got it, and gives it back. */
@injectable()
export class ReviewFocus implements Disposable {
    @inject(ApplicationShell)
    protected readonly shell: ApplicationShell;
    @inject(ContextKeyService)
    protected readonly contextKeys: ContextKeyService;
    @inject(AnswerGuard)
    protected readonly guard: AnswerGuard;

    protected readonly toDispose = new DisposableCollection();
    protected reviewActive: ContextKey<boolean>;
    /** What keeps the keyboard where it is, while an editor closes or opens. */
    protected readonly held = new DisposableCollection();
    protected lastOther: Widget | undefined;
    /** The widget that had the keyboard last. */
    protected lastActive: Widget | undefined;

    @postConstruct()
    protected init(): void {
        this.reviewActive = this.contextKeys.createKey(REVIEW_ACTIVE_KEY, false);
        this.toDispose.push(this.shell.onDidChangeActiveWidget(() => this.update()));
        this.update();
    }

    dispose(): void {
        this.toDispose.dispose();
    }

    /** The widget of the review that has the keyboard, or had it until a menu took it. */
    get activeWidget(): Widget | undefined {
        const inMenu = document.activeElement?.closest('.lm-Menu, .lm-MenuBar') instanceof Element;
        const widget = this.shell.activeWidget ?? (inMenu ? this.lastActive : undefined);
        return widget?.isAttached && ReviewUris.shownIn(widget) !== undefined ? widget : undefined;
    }

    /** The id of that review. */
    get active(): string | undefined {
        return ReviewUris.shownIn(this.activeWidget);
    }

    /** True if the user types in an editor or an input of the page. A terminal does not count: its CLI is what proposes. */
    get isTyping(): boolean {
        const { activeElement } = document;
        return activeElement !== null && activeElement.matches(TEXT_INPUTS) && activeElement.closest('.xterm') === null;
    }

    /** Gives it the keyboard, for the user who asked for that, also while another editor closes. */
    async activate(widget: Widget): Promise<void> {
        this.held.dispose();
        await this.shell.activateWidget(widget.id);
    }

    /**
     * Runs `close`, which closes the editors of a review. If the user decided, the keyboard goes to {@link nextAfter}, and stays where it is
     * if the review does not have it. If the CLI decided while the user types in the review, nothing gets the
     * keyboard: the next keys would go into a shell.
     * @param decidedHere the user decided in this window
     */
    async keep(reviewId: string, decidedHere: boolean, close: () => Promise<void>): Promise<void> {
        const active = this.shell.activeWidget;
        // A button or a menu has taken the keyboard from the widget.
        const focused = active ?? this.shell.currentWidget;
        const inReview = ReviewUris.shownIn(focused) === reviewId;
        const target = !decidedHere ? undefined : inReview ? this.nextAfter(reviewId, focused) : focused;
        if (target && target !== active && !target.isDisposed && target.isAttached) {
            // Not awaited: for a widget that takes no focus, Theia 1.74 waits 2.25 s.
            void this.shell.activateWidget(target.id);
            MessageLoop.flush();
        }
        const { ownerDocument } = (this.shell.activeWidget ?? focused ?? this.shell).node;
        const held = this.hold(ownerDocument, inReview && !decidedHere ? undefined : ownerDocument.activeElement);
        try {
            await close();
            // A window that is hidden has none.
            await withTimeLimit(animationFrame(), FRAME_LIMIT_MS).catch(() => undefined);
        } finally {
            held.dispose();
            this.guard.restart();
        }
    }

    /** Runs what closes diffs that do not have the keyboard: it stays where it is. */
    async stay(run: () => Promise<void>): Promise<void> {
        const { activeElement } = document;
        const held = this.hold(document, activeElement === document.body ? undefined : activeElement);
        try {
            await run();
            await withTimeLimit(animationFrame(), FRAME_LIMIT_MS).catch(() => undefined);
        } finally {
            held.dispose();
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
        try {
            await Promise.race([run(), timeout(SHOW_LIMIT_MS)]);
            await withTimeLimit(animationFrame(), FRAME_LIMIT_MS).catch(() => undefined);
        } finally {
            held.dispose();
        }
    }

    /**
     * Theia 1.74 focuses every editor that becomes visible (MonacoEditor.handleVisibilityChanged), also the one under a tab that is closed.
     * What the user types into the terminal at that moment would land in a source file. This takes the focus back in the same event, so
     * that no key is lost. It ends when the user clicks somewhere.
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
        const release = (): void =>
            documents.forEach(page => {
                page.removeEventListener('focusin', takeBack);
                page.removeEventListener('pointerdown', release, true);
            });
        documents.forEach(page => {
            page.addEventListener('focusin', takeBack);
            page.addEventListener('pointerdown', release, true);
        });
        const held = Disposable.create(release);
        this.held.push(held);
        return held;
    }

    /** The terminal that had the keyboard before; else the next review, else what had it before, else the file. */
    protected nextAfter(reviewId: string, review: Widget | undefined): Widget | undefined {
        const { lastOther } = this;
        // Theia (1.74) would open a side bar again that is collapsed. In a tree a key does something to a file.
        const before = lastOther?.isVisible && !(lastOther instanceof TreeWidget) ? lastOther : undefined;
        const proposal = NavigatableWidget.is(review) ? review.getResourceUri() : undefined;
        const { widgets } = this.shell;
        return (
            (before instanceof TerminalWidget ? before : undefined) ??
            widgets.find(widget => ![undefined, reviewId].includes(ReviewUris.shownIn(widget))) ??
            before ??
            widgets.find(
                widget => proposal && NavigatableWidget.is(widget) && widget.getResourceUri()?.isEqual(ReviewUris.fileOf(proposal))
            )
        );
    }

    protected update(): void {
        const { activeWidget } = this.shell;
        this.lastActive = activeWidget ?? this.lastActive;
        const isReview = ReviewUris.shownIn(activeWidget) !== undefined;
        this.reviewActive.set(isReview);
        if (activeWidget && !isReview) {
            this.lastOther = activeWidget;
        }
    }
}
