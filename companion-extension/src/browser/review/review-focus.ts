// SPDX-License-Identifier: Apache-2.0

import { animationFrame, ApplicationShell, Widget } from '@theia/core/lib/browser';
import { ContextKey, ContextKeyService } from '@theia/core/lib/browser/context-key-service';
import { Disposable } from '@theia/core/lib/common/disposable';
import { inject, injectable } from '@theia/core/shared/inversify';
import { ReviewView } from './review-view';

/** True while a review's editor, either side, has the keyboard. */
export const REVIEW_ACTIVE_KEY = 'companionReviewActive';

/** What keys go into as text. A frame is a page of its own that may have such an element. */
const TEXT_INPUTS = 'input, textarea, select, iframe, webview, [contenteditable]:not([contenteditable="false"]), .native-edit-context';

/** Knows where the keyboard was before a review got it, and gives it back. */
@injectable()
export class ReviewFocus {
    @inject(ApplicationShell)
    protected readonly shell: ApplicationShell;
    @inject(ContextKeyService)
    protected readonly contextKeys: ContextKeyService;

    protected reviewActive: ContextKey<boolean>;
    protected lastOther: Widget | undefined;
    /** The widget that had the keyboard last. */
    protected lastActive: Widget | undefined;

    start(): void {
        this.reviewActive = this.contextKeys.createKey(REVIEW_ACTIVE_KEY, false);
        this.shell.onDidChangeActiveWidget(() => this.update());
        this.update();
    }

    /** The widget of the review that has the keyboard, or had it when the menu was opened that has it now. */
    get activeWidget(): Widget | undefined {
        const inMenu = document.activeElement?.closest('.lm-Menu, .lm-MenuBar') !== null;
        const widget = this.shell.activeWidget ?? (inMenu ? this.lastActive : undefined);
        return ReviewView.reviewIdOf(widget) === undefined ? undefined : widget;
    }

    /** The id of that review. */
    get active(): string | undefined {
        return ReviewView.reviewIdOf(this.activeWidget);
    }

    /** The review that a command from elsewhere means: the one that is visible in front. `undefined` where none is, or two are. */
    get inFront(): string | undefined {
        const visible = this.shell.widgets.filter(widget => widget.isVisible && ReviewView.reviewIdOf(widget) !== undefined);
        const ids = new Set(visible.map(widget => ReviewView.reviewIdOf(widget)));
        return this.active ?? (ids.size === 1 ? [...ids][0] : undefined);
    }

    /** Whether an editor or an input of the page has the keyboard. A terminal counts as none: its CLI is what proposes. */
    get isTyping(): boolean {
        const { activeElement } = document;
        return activeElement !== null && activeElement.matches(TEXT_INPUTS) && activeElement.closest('.xterm') === null;
    }

    /**
     * Runs `close`, which closes views of a review. Where the user decided, the keyboard ends where it was before the review had it, and
     * stays where it is if the review does not have it. Where the CLI decided while the user types in the review, nothing gets the
     * keyboard: the next keys would go into a shell.
     * @param decidedHere the user decided in this window
     */
    async keep(reviewId: string, decidedHere: boolean, close: () => Promise<void>): Promise<void> {
        const active = this.shell.activeWidget;
        // A button or a menu has taken the keyboard from the widget.
        const focused = active ?? this.shell.currentWidget;
        const inReview = ReviewView.reviewIdOf(focused) === reviewId;
        const target = !decidedHere ? undefined : inReview ? this.lastOther : focused;
        if (target && target !== active && !target.isDisposed && target.isAttached) {
            await this.shell.activateWidget(target.id);
        }
        const { ownerDocument } = (this.shell.activeWidget ?? focused ?? this.shell).node;
        const release = this.hold(ownerDocument, inReview && !decidedHere ? undefined : ownerDocument.activeElement);
        try {
            await close();
            await animationFrame();
        } finally {
            release.dispose();
        }
    }

    /**
     * Theia 1.74 focuses every editor that becomes visible, also the one under a tab that is closed (MonacoEditor.handleVisibilityChanged):
     * what the user types into the terminal at that moment would land in a source file. Focus moves at once, so taking it back at once
     * loses no key.
     * @param element `undefined` for none: nothing gets the keyboard
     */
    protected hold(ownerDocument: Document, element: Element | null | undefined): Disposable {
        if (element === null || element === ownerDocument.body) {
            return Disposable.NULL;
        }
        const takeBack = ({ target }: FocusEvent): void => {
            if (element === undefined) {
                (target as HTMLElement).blur();
            } else if (target !== element && element.isConnected) {
                (element as HTMLElement).focus({ preventScroll: true });
            }
        };
        // A secondary window has a document of its own; what is closed there may have Theia focus something in the main one.
        const documents = new Set([ownerDocument, document]);
        documents.forEach(one => one.addEventListener('focusin', takeBack));
        return Disposable.create(() => documents.forEach(one => one.removeEventListener('focusin', takeBack)));
    }

    protected update(): void {
        const { activeWidget } = this.shell;
        this.lastActive = activeWidget ?? this.lastActive;
        const isReview = ReviewView.reviewIdOf(activeWidget) !== undefined;
        this.reviewActive.set(isReview);
        if (activeWidget && !isReview) {
            this.lastOther = activeWidget;
        }
    }
}
