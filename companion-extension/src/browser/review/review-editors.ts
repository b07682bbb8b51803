// SPDX-License-Identifier: Apache-2.0

import { ApplicationShell, DiffUris, MAXIMIZED_CLASS, SaveableWidget, Widget } from '@theia/core/lib/browser';
import { Emitter } from '@theia/core/lib/common/event';
import { ILogger } from '@theia/core/lib/common/logger';
import { nls } from '@theia/core/lib/common/nls';
import { inject, injectable, named, postConstruct } from '@theia/core/shared/inversify';
import { EditorManager } from '@theia/editor/lib/browser/editor-manager';
import { EditorWidget } from '@theia/editor/lib/browser/editor-widget';
import { CompanionPreferences } from '../../common/companion-preferences';
import { ReviewInfo } from '../../common/companion-protocol';
import { withTimeLimit } from '../../common/time-limit';
import { visibleText } from '../../common/visible-text';
import { CompanionConnection } from '../window/companion-connection';
import { PageReview } from './page-review';
import { PageReviews } from './page-reviews';
import { ReviewViews } from './review-views';
import { DiffEditor } from '../diff/diff-editor';
import { DiffEditors } from '../diff/diff-editors';
import { ProposalModel } from './proposal-model';
import { ReviewFocus, TEXT_INPUTS } from './review-focus';
import { ReviewUris } from './review-uris';

/** The backend waits for other reviews meanwhile. */
const PAINT_LIMIT_MS = 500;
/** How long a tab waits for others that open at the same time. */
const MAKE_LIMIT_MS = 500;
/** How long others wait for the review that comes to the front. Then they open behind. */
const FRONT_LIMIT_MS = 5_000;

/** The diff editors of all reviews: those that we open, those that the layout restores, and those that the user splits. */
@injectable()
export class ReviewEditors implements ReviewViews {
    @inject(DiffEditors)
    protected readonly diffs: DiffEditors;
    @inject(EditorManager)
    protected readonly manager: EditorManager;
    @inject(ApplicationShell)
    protected readonly shell: ApplicationShell;
    @inject(PageReviews)
    protected readonly reviews: PageReviews;
    @inject(ReviewFocus)
    protected readonly focus: ReviewFocus;
    @inject(CompanionConnection)
    protected readonly connection: CompanionConnection;
    @inject(CompanionPreferences)
    protected readonly preferences: CompanionPreferences;
    @inject(ILogger)
    @named('companion:ReviewEditors')
    protected readonly logger: ILogger;

    /** Editors by the reviews' ids. */
    protected readonly editors = new Map<string, Map<EditorWidget, DiffEditor>>();
    /** The editors that are made now, by their reviews' ids: Theia would make a second one for the same review. */
    protected readonly making = new Map<string, Promise<EditorWidget>>();
    /** The review that comes to the front, until it is painted. @returns whether it is shown */
    protected front: Promise<boolean> | undefined;
    /** Leaving the page decides nothing: closing an editor is no rejection then. */
    protected isLeaving = false;
    /** The user's choice in this page; until then, that of the preferences. */
    protected sideBySide: boolean | undefined;
    protected readonly onDidOpenEmitter = new Emitter<PageReview>();
    /** Fires when we have opened a review, and not for one that the layout restores. */
    readonly onDidOpen = this.onDidOpenEmitter.event;
    protected readonly onDidOpenBehindEmitter = new Emitter<PageReview>();
    /** Fires when a review that nobody asked for has opened where the user does not see it. */
    readonly onDidOpenBehind = this.onDidOpenBehindEmitter.event;
    protected readonly onDidCompareEmitter = new Emitter<string>();
    /** Fires with the review's id when an editor has compared the texts. */
    readonly onDidCompare = this.onDidCompareEmitter.event;
    protected readonly onDidCloseEditorEmitter = new Emitter<void>();
    /** Fires for each editor. An editor that is moved to another place is not closed. */
    readonly onDidCloseEditor = this.onDidCloseEditorEmitter.event;
    protected readonly onDidChangeVisibilityEmitter = new Emitter<void>();
    /** Fires when an editor opens or closes, and when Theia shows or hides one. */
    readonly onDidChangeVisibility = this.onDidChangeVisibilityEmitter.event;

    @postConstruct()
    protected init(): void {
        this.manager.onCreated(widget => this.track(widget));
        this.manager.all.forEach(widget => this.track(widget));
    }

    // --- the port of PageReviews

    open(review: PageReview): void {
        void this.openArriving(review);
    }

    close(review: PageReview): void {
        void this.closeEditors(review);
    }

    paint(review: PageReview): void {
        const { id, text } = review;
        // The layout restores a tab with the name that it had, perhaps in another language.
        const label = this.titleOf(review);
        this.widgetsOf(id)
            .filter(({ title }) => title.label !== label)
            .forEach(({ title }) => (title.label = label));
        this.modelOf(id)?.paint(text.shown ?? '', text.isEdited);
    }

    readLeft({ id }: PageReview): void {
        this.editorsOf(id)[0]?.readOriginal();
    }

    /** From now on, closing an editor decides nothing. */
    leave(): void {
        this.isLeaving = true;
    }

    // --- what others ask

    /** Brings it to the front, for the user who asked for it. @returns whether it is shown */
    async reveal(review: PageReview): Promise<boolean> {
        const isShown = await this.show(review, () => true);
        if (isShown && !this.isOnScreen(review.id)) {
            // It was being opened behind another one, or under a maximized area.
            return this.show(review, () => true);
        }
        return isShown;
    }

    /** Gives the review the keyboard, once it is shown. */
    async activate(review: PageReview): Promise<void> {
        if (await this.reveal(review)) {
            const [widget] = this.widgetsOf(review.id);
            await this.focus.activate(widget);
        }
    }

    /** Switches every review between inline and side by side; one in a narrow place by itself. @param editor the one that the user looks at */
    toggleSideBySide(editor: DiffEditor): void {
        const sideBySide = !editor.isSideBySide;
        if (editor.isNarrow) {
            editor.setSideBySide(sideBySide, true);
            return;
        }
        this.sideBySide = sideBySide;
        this.editors.forEach(editors => editors.forEach(each => each.setSideBySide(sideBySide, false)));
    }

    isOnScreen(reviewId: string): boolean {
        return this.editorsOf(reviewId).some(editor => editor.isOnScreen);
    }

    /** The ids of the reviews that a user can see. */
    get onScreen(): string[] {
        return [...this.editors.keys()].filter(id => this.isOnScreen(id));
    }

    /** Another area is maximized: a diff would open under it. */
    get isCovered(): boolean {
        return this.shell.bottomPanel.hasClass(MAXIMIZED_CLASS);
    }

    editorOf(widget: Widget | undefined): DiffEditor | undefined {
        const reviewId = ReviewUris.shownIn(widget);
        return reviewId === undefined ? undefined : this.editorsOf(reviewId).find(editor => editor.widget === widget);
    }

    modelOf(reviewId: string): ProposalModel | undefined {
        const [editor] = this.editorsOf(reviewId);
        return editor && ProposalModel.shownIn(editor.widget);
    }

    editorsOf(reviewId: string): DiffEditor[] {
        return Array.from(this.editors.get(reviewId)?.values() ?? []);
    }

    widgetsOf(reviewId: string): EditorWidget[] {
        return Array.from(this.editors.get(reviewId)?.keys() ?? []);
    }

    /** The main area, but not a tab over the terminal or the chat that the user is typing in. */
    place(): ApplicationShell.WidgetOptions {
        const active = this.shell.activeWidget;
        const isTyped = document.activeElement?.matches(TEXT_INPUTS) === true;
        if (!active || !isTyped || active instanceof EditorWidget || this.shell.getAreaFor(active) !== 'main') {
            return { area: 'main' };
        }
        const elsewhere = this.shell.mainAreaTabBars.find(bar => !bar.titles.some(title => title.owner === active));
        const ref: Widget | undefined = elsewhere?.currentTitle?.owner;
        return ref ? { area: 'main', mode: 'tab-after', ref } : { area: 'main', mode: 'split-left', ref: active };
    }

    // --- within

    /** Never covers what the user types in. Of several, the first comes to the front, as soon as if it were alone, and the others open behind it. */
    protected async openArriving(review: PageReview): Promise<void> {
        if (this.front && this.mayComeToFront) {
            const isShown = await withTimeLimit(this.front, FRONT_LIMIT_MS).catch(() => true);
            return isShown ? void (await this.show(review, () => false)) : this.openArriving(review);
        }
        let inFront = this.mayComeToFront;
        const opening = this.show(review, () => (inFront = this.mayComeToFront));
        if (inFront) {
            this.front = this.paintFront(review.id, opening);
        }
        if ((await opening) && !inFront && !this.isOnScreen(review.id)) {
            this.onDidOpenBehindEmitter.fire(review);
        }
    }

    protected get mayComeToFront(): boolean {
        return this.preferences['companion.review.open'] !== 'background' && !this.focus.isTyping && !this.isCovered;
    }

    protected async paintFront(reviewId: string, opening: Promise<boolean>): Promise<boolean> {
        try {
            const isShown = await opening;
            if (isShown) {
                const visible = this.editorsOf(reviewId).filter(({ widget }) => widget.isVisible);
                await withTimeLimit(Promise.all(visible.map(editor => editor.waitUntilPainted())), PAINT_LIMIT_MS).catch(() => undefined);
            }
            return isShown;
        } finally {
            this.front = undefined;
        }
    }

    /**
     * Leaves the keyboard where it is.
     *
     * @param inFront whether the user may see it now. A new editor asks when it is made, which may take long; if not, it opens as a tab
     *     behind the current one
     * @returns whether it is shown
     */
    protected async show(review: PageReview, inFront: () => boolean): Promise<boolean> {
        try {
            const open = this.widgetsOf(review.id)[0];
            const isFirst = !open && !this.making.has(review.id);
            const widget = open ?? (await this.make(review, inFront));
            if (inFront()) {
                await this.shell.revealWidget(widget.id);
                this.uncover(widget);
            }
            const isShown = this.widgetsOf(review.id).length > 0;
            if (isShown && isFirst) {
                this.onDidOpenEmitter.fire(review);
            }
            return isShown;
        } catch (error) {
            // Without a connection, or a text in time, it is tried again.
            const isTimeOut = review.isReading || !this.connection.connected;
            const reason = error instanceof Error ? error.message : String(error);
            this.reviews.markFailed(review.id, isTimeOut ? undefined : reason);
            return false;
        }
    }

    protected titleOf({ id, text: { about } }: PageReview): string {
        const { path } = ReviewUris.uriOfProposal({ id, uri: about.uri });
        return nls.localize('theia/cli-companion/review/title', '{0} (proposed by {1})', visibleText(path.base), about.cliName);
    }

    protected async make(review: PageReview, inFront: () => boolean): Promise<EditorWidget> {
        const { about } = review.text;
        const shown: Pick<ReviewInfo, 'id' | 'uri'> = { id: review.id, uri: about.uri };
        const diff = DiffUris.encode(ReviewUris.original(shown), ReviewUris.uriOfProposal(shown), this.titleOf(review));
        const making = this.making.get(review.id) ?? this.manager.createByUri(diff);
        this.making.set(review.id, making);
        try {
            const widget = await making;
            if (!inFront()) {
                // Several are added at the same time: Theia then lays out and draws its tabs only once.
                await withTimeLimit(Promise.allSettled(this.making.values()), MAKE_LIMIT_MS).catch(() => undefined);
            }
            if (!widget.isDisposed && !widget.isAttached) {
                await this.shell.addWidget(widget, this.place());
            }
            return widget;
        } finally {
            this.making.delete(review.id);
        }
    }

    protected async closeEditors(review: PageReview): Promise<void> {
        const { answer } = review;
        const isDecidedHere = answer !== undefined && answer.kind !== 'close' && answer.result?.result === 'done';
        // Who has gone on typing meanwhile would type into what gets the keyboard.
        const { hasGoneOn } = review;
        const close = async (): Promise<void> => {
            await Promise.all(
                this.widgetsOf(review.id).map(async widget => {
                    if (SaveableWidget.is(widget)) {
                        await widget.closeWithoutSaving(false);
                    } else {
                        widget.close();
                    }
                })
            );
        };
        try {
            await this.focus.keep(review.id, isDecidedHere && !hasGoneOn, close);
        } catch (error) {
            this.logger.error('A review could not be closed', error);
        }
    }

    protected track(widget: EditorWidget): void {
        const id = ReviewUris.shownIn(widget);
        if (id === undefined) {
            return;
        }
        const editor = this.diffs.create(widget);
        if (this.sideBySide !== undefined) {
            editor.setSideBySide(this.sideBySide, false);
        }
        const editors = this.editors.get(id) ?? new Map<EditorWidget, DiffEditor>();
        const isFirst = editors.size === 0;
        editors.set(widget, editor);
        this.editors.set(id, editors);
        editor.onDidCompare(() => this.onDidCompareEmitter.fire(id));
        widget.onDidChangeVisibility(() => this.onDidChangeVisibilityEmitter.fire());
        widget.disposed.connect(() => {
            editor.dispose();
            editors.delete(widget);
            if (editors.size === 0) {
                this.editors.delete(id);
                if (!this.isLeaving) {
                    // The model lives a moment longer, so that its text can still be read.
                    this.reviews.markClosed(id, true);
                }
            }
            this.onDidCloseEditorEmitter.fire();
            this.onDidChangeVisibilityEmitter.fire();
        });
        const model = ProposalModel.shownIn(widget);
        if (isFirst && model) {
            model.onDidType(takesBack => this.reviews.type(id, model, takesBack));
            this.reviews.markOpened(id, model.revision);
        }
        this.onDidChangeVisibilityEmitter.fire();
    }

    /** Theia (1.74) reveals a widget under a maximized area and leaves it covered. The keyboard stays where it is. */
    protected uncover(widget: Widget): void {
        const { mainPanel, bottomPanel } = this.shell;
        const maximized = [mainPanel, bottomPanel].find(panel => panel.hasClass(MAXIMIZED_CLASS));
        if (maximized && widget.node.ownerDocument === maximized.node.ownerDocument && !maximized.contains(widget)) {
            const { activeElement } = document;
            this.shell.doToggleMaximized(maximized);
            if (activeElement instanceof HTMLElement) {
                // It was taken out of the page for a moment, and lost the keyboard.
                activeElement.focus({ preventScroll: true });
            }
        }
    }
}
