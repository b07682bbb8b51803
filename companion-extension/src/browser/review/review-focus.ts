// SPDX-License-Identifier: Apache-2.0

import { ApplicationShell, NavigatableWidget, TreeWidget, Widget } from '@theia/core/lib/browser';
import { ContextKey, ContextKeyService } from '@theia/core/lib/browser/context-key-service';
import { Disposable, DisposableCollection } from '@theia/core/lib/common/disposable';
import { MessageLoop } from '@theia/core/shared/@lumino/messaging';
import { inject, injectable, postConstruct } from '@theia/core/shared/inversify';
import { TerminalWidget } from '@theia/terminal/lib/browser/base/terminal-widget';
import { AnswerGuard } from '../window/answer-guard';
import { KeyboardHold } from '../window/keyboard-hold';
import { ReviewUris } from './review-uris';

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
    @inject(KeyboardHold)
    protected readonly hold: KeyboardHold;

    protected readonly toDispose = new DisposableCollection();
    protected reviewActive: ContextKey<boolean>;
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

    /** True if the keyboard is in a field within its editor, as in that of a comment, and not in the text. */
    get isInField(): boolean {
        const focused = this.activeWidget?.node.ownerDocument.activeElement;
        return focused?.matches('input, textarea:not(.inputarea, .ime-text-area)') === true;
    }

    /** True if the user types in an editor or an input of the page. A terminal does not count: its CLI is what proposes. */
    get isTyping(): boolean {
        const { activeElement } = document;
        return activeElement !== null && activeElement.matches(TEXT_INPUTS) && activeElement.closest('.xterm') === null;
    }

    /** Gives it the keyboard, for the user who asked for that, also while another editor closes. */
    async activate(widget: Widget): Promise<void> {
        this.hold.release();
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
        try {
            await this.hold.during(ownerDocument, inReview && !decidedHere ? undefined : ownerDocument.activeElement, close);
        } finally {
            this.guard.restart();
        }
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
