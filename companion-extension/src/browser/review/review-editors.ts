// SPDX-License-Identifier: Apache-2.0

import { animationFrame, ApplicationShell, DiffUris, MAXIMIZED_CLASS, SaveableWidget, Widget } from '@theia/core/lib/browser';
import { Disposable, DisposableCollection } from '@theia/core/lib/common/disposable';
import { Emitter } from '@theia/core/lib/common/event';
import { nls } from '@theia/core/lib/common/nls';
import { inject, injectable, postConstruct } from '@theia/core/shared/inversify';
import { EditorManager } from '@theia/editor/lib/browser/editor-manager';
import { EditorWidget } from '@theia/editor/lib/browser/editor-widget';
import { MonacoDiffEditor } from '@theia/monaco/lib/browser/monaco-diff-editor';
import { MonacoEditor } from '@theia/monaco/lib/browser/monaco-editor';
import * as monaco from '@theia/monaco-editor-core';
import { DiffEditorWidget } from '@theia/monaco-editor-core/esm/vs/editor/browser/widget/diffEditor/diffEditorWidget';
import { ReviewInfo } from '../../common/companion-protocol';
import { spokenLabel } from '../../common/sentences';
import { withTimeLimit } from '../../common/time-limit';
import { visibleText } from '../../common/visible-text';
import { BarContent, DiffOverlay, Notice } from './diff-overlay';
import { ReviewUris } from './page-reviews';
import { ProposalTexts } from './proposal-texts';
import { OriginalContents, ProposalModel } from './review-resource-resolver';

/** In milliseconds: the backend waits for other reviews meanwhile. */
const PAINT_LIMIT = 500;
/** How long a tab waits for others that open at the same time, in milliseconds. */
const MAKE_LIMIT = 500;
/** Where we look whether something covers a diff, in parts of its width and height. A menu or a message covers a few of them at most. */
const LOOKED_AT = [
    [0.5, 0.5],
    [0.25, 0.25],
    [0.75, 0.25],
    [0.25, 0.75],
    [0.75, 0.75]
] as const;

/** A list or a menu that the person opened closes with the choice in it, and a message in the corner is about something else. */
const PASSED_OVER = '.quick-input-widget, .lm-Menu, .theia-notifications-overlay';

/** Elements that take keys as text. A frame is a page of its own that may have such an element. */
export const TEXT_INPUTS =
    'input, textarea, select, iframe, webview, [contenteditable]:not([contenteditable="false"]), .native-edit-context';

/** One diff editor that shows a review, or a kept draft. There are several if the user splits the editor. */
export class ReviewEditor implements Disposable {
    protected readonly toDispose = new DisposableCollection();
    protected readonly overlay: DiffOverlay;
    /**
     * Shows changes of indentation, whatever `diffEditor.ignoreTrimWhitespace` says: they may change the program. Leaves unusual line ends
     * alone: Monaco would ask in a dialog of the browser, which stops the page, and take them out of the text. Has no arrows until
     * {@link setRevertible}.
     */
    protected readonly options: monaco.editor.IStandaloneDiffEditorConstructionOptions = {
        ignoreTrimWhitespace: false,
        unusualLineTerminators: 'off',
        renderGutterMenu: false
    };

    /** The id of the review that the widget shows; `undefined` for every other widget. */
    static reviewIdOf(widget: unknown): string | undefined {
        return widget instanceof EditorWidget ? ReviewUris.reviewIdOf(widget.getResourceUri()) : undefined;
    }

    constructor(readonly widget: EditorWidget) {
        const diff = this.diffEditor;
        this.overlay = new DiffOverlay(widget);
        this.toDispose.push(this.overlay);
        if (diff) {
            // Theia 1.74 focuses a diff editor whenever it becomes visible (MonacoEditor.handleVisibilityChanged). That takes the keyboard
            // from the terminal even if the editor is only revealed. Activating an editor focuses it in another way.
            diff.focus = () => undefined;
            // Theia 1.74 sets the user's preferences again whenever the language or a preference changes.
            const update = diff.updateOptions.bind(diff);
            diff.updateOptions = options => update({ ...options, ...this.options });
            this.setOptions({});
        }
    }

    get model(): ProposalModel | undefined {
        const document = MonacoEditor.get(this.widget)?.document;
        return document instanceof ProposalModel ? document : undefined;
    }

    /**
     * @param path as the user is to read it
     * @param right what the right side is
     * @param notices what the user has to know before deciding
     * @param bar absent above a kept draft
     */
    describe(path: string, right: string, notices: readonly Notice[], bar?: BarContent): void {
        if (bar) {
            this.overlay.setBar(bar);
        }
        this.overlay.set(notices);
        const modifiedAriaLabel = spokenLabel([right, ...notices.map(({ text }) => text)]);
        const label = this.diffEditor?.getModifiedEditor().getRawOptions().ariaLabel;
        // Each state of the backend describes every review, and Monaco takes a millisecond for its options. It may have forgotten the labels.
        if (modifiedAriaLabel !== this.options.modifiedAriaLabel || !label?.startsWith(modifiedAriaLabel)) {
            this.setOptions({
                originalAriaLabel: nls.localize('theia/cli-companion/review/originalLabel', 'File on disk: {0}', path),
                modifiedAriaLabel
            });
        }
    }

    /** The left side. */
    get originalText(): string {
        return this.widget.editor instanceof MonacoDiffEditor ? this.widget.editor.originalModel.textEditorModel.getValue() : '';
    }

    /** The texts are compared, and no line differs. */
    get changesNothing(): boolean {
        return this.diffEditor?.getLineChanges()?.length === 0;
    }

    /** @param listener called each time the texts have been compared */
    onDidCompare(listener: () => void): void {
        const { diffEditor } = this;
        if (diffEditor) {
            this.toDispose.push(diffEditor.onDidUpdateDiff(listener));
        }
    }

    /** @param listener called each time the file on the left side has become another text */
    onDidChangeOriginal(listener: () => void): void {
        if (this.widget.editor instanceof MonacoDiffEditor) {
            this.toDispose.push(this.widget.editor.originalModel.textEditorModel.onDidChangeContent(listener));
        }
    }

    /** Resolves when the changes are marked on the screen. It may never settle: wait with a limit. */
    async painted(): Promise<void> {
        const diff = this.diffEditor;
        if (diff && !diff.getLineChanges()) {
            await new Promise<void>(resolve => {
                const listening = diff.onDidUpdateDiff(() => {
                    listening.dispose();
                    resolve();
                });
                this.toDispose.push(listening);
            });
        }
        // Monaco marks the changes in the second frame, and the browser paints it before the third.
        await animationFrame(3);
    }

    /** Whether a person can see it. Theia (1.74) calls a widget visible even under a maximized area or a dialog. */
    get isOnScreen(): boolean {
        const { node, isVisible } = this.widget;
        const { left, top, width, height } = node.getBoundingClientRect();
        const shownAt = (x: number, y: number): Element | undefined =>
            node.ownerDocument.elementsFromPoint(x, y).find(element => !element.closest(PASSED_OVER));
        const isSeen = ([x, y]: readonly [number, number]): boolean => node.contains(shownAt(left + x * width, top + y * height) ?? null);
        return isVisible && node.ownerDocument.visibilityState === 'visible' && LOOKED_AT.filter(isSeen).length > LOOKED_AT.length / 2;
    }

    goToChange(target: 'next' | 'previous'): void {
        this.diffEditor?.goToDiff(target);
    }

    /** @param revertible whether single changes can be taken back: the left side has exactly what is on disk */
    setRevertible(revertible: boolean): void {
        if (this.options.renderGutterMenu !== revertible) {
            this.setOptions({ renderGutterMenu: revertible });
        }
    }

    /** Takes back the change at the cursor, as its arrow does. */
    revertChange(): void {
        const diff = this.diffEditor;
        if (diff instanceof DiffEditorWidget && this.options.renderGutterMenu) {
            const line = diff.getModifiedEditor().getPosition()?.lineNumber ?? 0;
            const change = diff
                .getDiffComputationResult()
                ?.changes2.find(({ modified }) =>
                    modified.isEmpty ? line === modified.startLineNumber || line === modified.startLineNumber - 1 : modified.contains(line)
                );
            diff.revertRangeMappings(change?.withInnerChangesFromLineRanges().innerChanges ?? []);
        }
    }

    get isSideBySide(): boolean {
        return this.widget.node.querySelector('.monaco-diff-editor.side-by-side') !== null;
    }

    /** Puts the sides beside each other, however narrow the editor is, or into one. */
    setSideBySide(sideBySide: boolean): void {
        this.setOptions({ renderSideBySide: sideBySide, useInlineViewWhenSpaceIsLimited: false });
    }

    dispose(): void {
        this.toDispose.dispose();
    }

    /** Sets all options each time: Monaco forgets the labels of the sides with every change of other options. */
    protected setOptions(options: monaco.editor.IStandaloneDiffEditorConstructionOptions): void {
        Object.assign(this.options, options);
        this.diffEditor?.updateOptions(this.options);
    }

    protected get diffEditor(): MonacoDiffEditor['diffEditor'] | undefined {
        return this.widget.editor instanceof MonacoDiffEditor ? this.widget.editor.diffEditor : undefined;
    }
}

interface ShownReview {
    editors: Map<EditorWidget, ReviewEditor>;
    toDispose: DisposableCollection;
}

/** The diff editors of all reviews: those that we open, those that the layout restores, and those that the user splits. */
@injectable()
export class ReviewEditors {
    @inject(EditorManager)
    protected readonly manager: EditorManager;
    @inject(ApplicationShell)
    protected readonly shell: ApplicationShell;
    @inject(ProposalTexts)
    protected readonly texts: ProposalTexts;
    @inject(OriginalContents)
    protected readonly originals: OriginalContents;

    protected readonly shown = new Map<string, ShownReview>();
    /** The editors that are made now. */
    protected readonly making = new Set<Promise<EditorWidget>>();
    /** What the user chose in this page; until then, what the preferences say. */
    protected sideBySide: boolean | undefined;
    protected readonly onDidOpenEditorEmitter = new Emitter<string>();
    /** Fires with the review's id for each editor. */
    readonly onDidOpenEditor = this.onDidOpenEditorEmitter.event;
    protected readonly onDidCloseEditorEmitter = new Emitter<string>();
    /** Fires with the review's id for each editor. An editor that is moved to another place is not closed. */
    readonly onDidCloseEditor = this.onDidCloseEditorEmitter.event;
    protected readonly onDidCompareEmitter = new Emitter<string>();
    /** Fires with the review's id when an editor has compared the texts. */
    readonly onDidCompare = this.onDidCompareEmitter.event;
    protected readonly onDidChangeOriginalEmitter = new Emitter<string>();
    /** Fires with the review's id when the file on the left side has become another text. */
    readonly onDidChangeOriginal = this.onDidChangeOriginalEmitter.event;
    protected readonly onDidChangeVisibilityEmitter = new Emitter<void>();
    /** Fires when Theia shows or hides an editor. */
    readonly onDidChangeVisibility = this.onDidChangeVisibilityEmitter.event;

    @postConstruct()
    protected init(): void {
        this.originals.onDidChangeShown(id => this.editorsOf(id).forEach(editor => editor.setRevertible(this.originals.isExact(id))));
        this.manager.onCreated(widget => this.track(widget));
        this.manager.all.forEach(widget => this.track(widget));
    }

    /**
     * Shows the review and leaves the keyboard where it is. Rejects with what went wrong.
     * @param inFront whether the user may see it now. A new editor asks when it is made, which may take long; if not, it opens as a tab
     *     behind the current one
     */
    async open(review: ReviewInfo, inFront: () => boolean): Promise<void> {
        const widget = this.widgetsOf(review.id)[0] ?? (await this.make(review, inFront));
        if (inFront()) {
            await this.shell.revealWidget(widget.id);
            this.uncover(widget);
        }
    }

    /** Shows the review and gives it the keyboard. */
    async activate(review: ReviewInfo): Promise<void> {
        await this.open(review, () => true);
        const widget = this.widgetsOf(review.id)[0];
        if (widget) {
            await this.shell.activateWidget(widget.id);
        }
    }

    /** Closes every editor of the review. Record first who decided it: this looks as if the user had closed the tab. */
    async close(reviewId: string): Promise<void> {
        await Promise.all(
            this.widgetsOf(reviewId).map(async widget => {
                if (SaveableWidget.is(widget)) {
                    await widget.closeWithoutSaving(false);
                } else {
                    widget.close();
                }
            })
        );
    }

    /** Switches every review between inline and side by side. @param editor the one that the user looks at */
    toggleSideBySide(editor: ReviewEditor): void {
        const sideBySide = !editor.isSideBySide;
        this.sideBySide = sideBySide;
        this.shown.forEach(({ editors }) => editors.forEach(each => each.setSideBySide(sideBySide)));
    }

    isOnScreen(reviewId: string): boolean {
        return this.editorsOf(reviewId).some(editor => editor.isOnScreen);
    }

    /** The ids of the reviews that a person can see. */
    get onScreen(): string[] {
        return [...this.shown.keys()].filter(id => this.isOnScreen(id));
    }

    /** Another area is maximized: a diff would open under it. */
    get isCovered(): boolean {
        return this.shell.bottomPanel.hasClass(MAXIMIZED_CLASS);
    }

    /** Resolves when the changes are on the screen: soon, if they are not seen or take long. */
    async painted(reviewId: string): Promise<void> {
        const painted = this.editorsOf(reviewId)
            .filter(({ widget }) => widget.isVisible)
            .map(editor => editor.painted());
        await withTimeLimit(Promise.all(painted), PAINT_LIMIT, '').catch(() => undefined);
    }

    editorOf(widget: Widget | undefined): ReviewEditor | undefined {
        const reviewId = ReviewEditor.reviewIdOf(widget);
        return reviewId === undefined ? undefined : this.editorsOf(reviewId).find(editor => editor.widget === widget);
    }

    editorsOf(reviewId: string): ReviewEditor[] {
        return Array.from(this.shown.get(reviewId)?.editors.values() ?? []);
    }

    widgetsOf(reviewId: string): EditorWidget[] {
        return Array.from(this.shown.get(reviewId)?.editors.keys() ?? []);
    }

    protected track(widget: EditorWidget): void {
        const id = ReviewEditor.reviewIdOf(widget);
        if (id === undefined) {
            return;
        }
        const editor = new ReviewEditor(widget);
        editor.setRevertible(this.originals.isExact(id));
        if (this.sideBySide !== undefined) {
            editor.setSideBySide(this.sideBySide);
        }
        const review = this.shown.get(id) ?? this.startReview(id, editor.model);
        review.editors.set(widget, editor);
        editor.onDidCompare(() => this.onDidCompareEmitter.fire(id));
        editor.onDidChangeOriginal(() => this.onDidChangeOriginalEmitter.fire(id));
        widget.onDidChangeVisibility(() => this.onDidChangeVisibilityEmitter.fire());
        widget.disposed.connect(() => {
            editor.dispose();
            review.editors.delete(widget);
            if (review.editors.size === 0) {
                // The models live a moment longer, so that their text can still be read.
                review.toDispose.dispose();
                this.shown.delete(id);
            }
            this.onDidCloseEditorEmitter.fire(id);
        });
        this.onDidOpenEditorEmitter.fire(id);
    }

    protected startReview(id: string, model: ProposalModel | undefined): ShownReview {
        const review: ShownReview = { editors: new Map(), toDispose: new DisposableCollection() };
        if (model) {
            review.toDispose.push(this.texts.follow(id, model));
        }
        this.shown.set(id, review);
        return review;
    }

    protected async make(review: ReviewInfo, inFront: () => boolean): Promise<EditorWidget> {
        const proposed = ReviewUris.proposed(review);
        const label = nls.localize(
            'theia/cli-companion/review/title',
            '{0} (proposed by {1})',
            visibleText(proposed.path.base),
            review.cliName
        );
        const making = this.manager.createByUri(DiffUris.encode(ReviewUris.original(review), proposed, label));
        this.making.add(making);
        try {
            const widget = await making;
            if (!inFront()) {
                // Several are added at the same time: Theia then lays out and draws its tabs only once.
                await withTimeLimit(Promise.allSettled(this.making), MAKE_LIMIT, '').catch(() => undefined);
            }
            if (!widget.isDisposed && !widget.isAttached) {
                await this.shell.addWidget(widget, this.place());
            }
            return widget;
        } finally {
            this.making.delete(making);
        }
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
}
