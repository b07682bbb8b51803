// SPDX-License-Identifier: Apache-2.0

import { animationFrame } from '@theia/core/lib/browser';
import { Disposable, DisposableCollection } from '@theia/core/lib/common/disposable';
import { nls } from '@theia/core/lib/common/nls';
import { EditorWidget } from '@theia/editor/lib/browser/editor-widget';
import { MonacoDiffEditor } from '@theia/monaco/lib/browser/monaco-diff-editor';
import * as monaco from '@theia/monaco-editor-core';
import { DiffEditorWidget } from '@theia/monaco-editor-core/esm/vs/editor/browser/widget/diffEditor/diffEditorWidget';
import { CursorColumns } from '@theia/monaco-editor-core/esm/vs/editor/common/core/cursorColumns';
import { DetailedLineRangeMapping } from '@theia/monaco-editor-core/esm/vs/editor/common/diff/rangeMapping';
import { spokenLabel } from '../../common/sentences';
import { DiffOverlay, Notice } from './diff-overlay';
import { BarContent } from './diff-bar';
import { DiffHost } from './diff-contribution';
import { textOf } from './file-editors';
import { ComparedModels, TextChanges } from './text-changes';

/** Monaco (1.108) draws so many of a line. */
const DRAWN_CHARACTERS = 10_000;

/** The own width up to which both sides are in one, unless the user wants them beside each other in this diff. */
const NARROW_PX = 900;

/** One diff editor that shows a review, a kept edit or a change. There are several if the user splits the editor. */
export class DiffEditor extends TextChanges {
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
        renderGutterMenu: false,
        useInlineViewWhenSpaceIsLimited: true,
        renderSideBySideInlineBreakpoint: NARROW_PX
    };

    /** What a diff with room has, as the preferences want it. */
    protected roomy: Pick<monaco.editor.IEditorOptions, 'glyphMargin' | 'lineNumbersMinChars' | 'wordWrapOverride1'> = {};
    isNarrow = false;
    protected isNewFile = false;
    protected bar: BarContent | undefined;
    /** The choice of the user, or what the text needs. */
    protected wraps: boolean | undefined;

    constructor(
        override readonly widget: EditorWidget,
        protected readonly host: DiffHost
    ) {
        super(widget);
        const diff = this.diffEditor;
        this.overlay = new DiffOverlay(widget, {
            toggleWrap: () => this.toggleWrap(),
            keysOf: id => host.keysOf(id),
            run: id => host.run(id, widget)
        });
        this.toDispose.push(this.overlay);
        host.contributions.forEach(({ onDidChange }) => onDidChange && this.toDispose.push(onDidChange(() => this.showBar())));
        const show = (): unknown => (this.shownSince = performance.now());
        this.toDispose.push(widget.onDidChangeVisibility(show));
        if (diff) {
            // Theia 1.74 focuses a diff editor whenever it becomes visible (MonacoEditor.handleVisibilityChanged). That takes the keyboard
            // from the terminal even if the editor is only revealed. Activating an editor focuses it in another way.
            diff.focus = () => undefined;
            // Theia 1.74 sets the user's preferences again whenever the language or a preference changes.
            const update = diff.updateOptions.bind(diff);
            diff.updateOptions = options => update({ ...options, ...this.options });
            const { glyphMargin = true, lineNumbersMinChars = 5, wordWrapOverride1 = 'inherit' } = diff.getModifiedEditor().getRawOptions();
            this.roomy = { glyphMargin, lineNumbersMinChars, wordWrapOverride1 };
            this.fit();
            const layout = diff.layout.bind(diff);
            diff.layout = size => {
                // A tab that is hidden has no width.
                if (size && size.width > 0 && size.width <= NARROW_PX !== this.isNarrow) {
                    this.isNarrow = !this.isNarrow;
                    this.fit();
                }
                layout(size);
                this.wrapBothSides();
                this.wrapWhatIsOutside();
            };
            const compared = diff.onDidUpdateDiff(() => {
                compared.dispose();
                this.wrapLongLines(diff);
            });
            this.toDispose.push(diff.onDidUpdateDiff(() => this.wrapWhatIsOutside()));
            const count = (): void => this.overlay.setChanges(this.changesText);
            this.toDispose.pushAll([compared, diff.onDidUpdateDiff(count), diff.getModifiedEditor().onDidChangeCursorPosition(count)]);
            this.toDispose.push(diff.onDidUpdateDiff(show));
        }
    }

    /**
     * @param left what the left side is
     * @param right what the right side is
     * @param notices what the user has to know before deciding
     * @param bar absent above a kept edit
     */
    describe(left: string, right: string, notices: readonly Notice[], bar?: BarContent): void {
        if (bar) {
            this.bar = bar;
            this.showBar();
            if (bar.isNewFile !== this.isNewFile) {
                this.isNewFile = bar.isNewFile;
                this.fit();
            }
        }
        this.overlay.set(notices);
        const modifiedAriaLabel = spokenLabel([right, ...notices.map(({ text }) => text)]);
        const label = this.diffEditor?.getModifiedEditor().getRawOptions().ariaLabel;
        // Each state of the backend describes every review, and Monaco takes a millisecond for its options. It may have forgotten the labels.
        if (modifiedAriaLabel !== this.options.modifiedAriaLabel || !label?.startsWith(modifiedAriaLabel)) {
            this.setOptions({
                originalAriaLabel: left,
                modifiedAriaLabel
            });
        }
    }

    /** The notices above it. */
    get notices(): string[] {
        return this.overlay.texts;
    }

    get texts(): { base: string; text: string } | undefined {
        const { editor } = this.widget;
        return editor instanceof MonacoDiffEditor ? { base: textOf(editor.originalModel), text: textOf(editor.modifiedModel) } : undefined;
    }

    override get changesNothing(): boolean {
        return this.diffEditor?.getLineChanges()?.length === 0;
    }

    /** @param listener called each time the texts have been compared */
    onDidCompare(listener: () => void): Disposable {
        return this.toDispose.push(this.diffEditor?.onDidUpdateDiff(listener) ?? Disposable.NULL);
    }

    /** Reads the left side again. */
    readOriginal(): void {
        if (this.widget.editor instanceof MonacoDiffEditor) {
            void this.widget.editor.originalModel.sync();
        }
    }

    /** Resolves when the changes are marked on the screen. It may never settle: wait with a limit. */
    async waitUntilPainted(): Promise<void> {
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

    /** In pixels, so that so many lines have room; 0 or less if they have. */
    heightMissingFor(lines: number): number {
        const editor = this.diffEditor?.getModifiedEditor();
        return editor ? lines * editor.getOption(monaco.editor.EditorOption.lineHeight) - editor.getLayoutInfo().height : 0;
    }

    /**
     * In the accessible viewer, while it is open.
     * @param wraps goes on at the other end. @returns false if nothing comes any more
     */
    override goToChange(target: 'next' | 'previous', wraps = true): boolean {
        if (this.widget.node.querySelector('.diff-review-content') !== null) {
            if (target === 'next') {
                this.diffEditor?.accessibleDiffViewerNext();
            } else {
                this.diffEditor?.accessibleDiffViewerPrev();
            }
            return true;
        }
        return super.goToChange(target, wraps);
    }

    /** Shows the changed lines as a list, for screen readers. Escape closes it. */
    openAccessibleViewer(): void {
        this.diffEditor?.accessibleDiffViewerNext();
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
            diff.revertRangeMappings(this.changeAtCursor?.withInnerChangesFromLineRanges().innerChanges ?? []);
        }
    }

    /** The user sees a part of what changes, or nothing does. */
    get showsChange(): boolean {
        const isListed = this.widget.node.querySelector('.diff-review-content') !== null;
        return isListed || this.mappings.length === 0 || this.mappings.some(change => this.isInView(change));
    }

    get isSideBySide(): boolean {
        return this.widget.node.querySelector('.monaco-diff-editor.side-by-side') !== null;
    }

    /** Puts the sides beside each other, or into one. @param isChosenHere then also where the editor is narrow */
    setSideBySide(sideBySide: boolean, isChosenHere: boolean): void {
        Object.assign(this.options, { renderSideBySide: sideBySide, useInlineViewWhenSpaceIsLimited: !isChosenHere });
        this.fit();
    }

    /** Shows it in the bar for a moment. */
    say(text: string): void {
        this.overlay.say(text);
    }

    toggleWrap(): void {
        this.wraps = this.options.diffWordWrap !== 'on';
        this.fit();
    }

    dispose(): void {
        this.toDispose.dispose();
    }

    /**
     * Gives the text the room that there is. Where both sides are in one, Monaco's compact mode leaves out the line numbers of the left one. It
     * has no lines for a new file, and with the true inline view no red one for what is not there.
     */
    protected fit(): void {
        const { isNarrow, isNewFile, wraps = isNarrow || undefined } = this;
        const { wordWrapOverride1, ...margins } = this.roomy;
        const { renderSideBySide, useInlineViewWhenSpaceIsLimited } = this.options;
        const isSplit = renderSideBySide === true && !(isNarrow && useInlineViewWhenSpaceIsLimited);
        this.overlay.setWrapped(wraps ?? wordWrapOverride1 === 'on');
        this.setOptions({
            ...(isNarrow ? { glyphMargin: false, lineNumbersMinChars: 2 } : margins),
            diffWordWrap: wraps === undefined ? wordWrapOverride1 : wraps ? 'on' : 'off',
            compactMode: (isNarrow || isNewFile) && !isSplit,
            experimental: { useTrueInlineView: isNewFile }
        });
        this.wrapBothSides();
    }

    /** Monaco (1.108) wraps no left side that it has hidden before. */
    protected wrapBothSides(): void {
        if (this.isSideBySide) {
            this.diffEditor?.getOriginalEditor().updateOptions({ wordWrapOverride2: 'inherit' });
        }
    }

    /** Sets all options each time: Monaco forgets the labels of the sides with every change of other options. */
    protected setOptions(options: monaco.editor.IStandaloneDiffEditorConstructionOptions): void {
        Object.assign(this.options, options);
        this.diffEditor?.updateOptions(this.options);
    }

    /** Wraps as soon as a change has no character within the visible columns: one would answer what one has not seen. */
    protected wrapWhatIsOutside(): void {
        const { original, modified } = this.diffEditor?.getModel() ?? {};
        if (this.wraps === undefined && !this.isNarrow && original && modified && this.mappings.some(change => this.isOutside(change))) {
            this.wraps = true;
            this.fit();
        }
    }

    /** All of its characters are right of the visible columns. */
    protected isOutside({ innerChanges }: DetailedLineRangeMapping): boolean {
        const diff = this.diffEditor;
        const starts = (innerChanges ?? []).map(({ modifiedRange, originalRange }) =>
            modifiedRange.isEmpty()
                ? { editor: diff?.getOriginalEditor(), start: originalRange.getStartPosition() }
                : { editor: diff?.getModifiedEditor(), start: modifiedRange.getStartPosition() }
        );
        return (
            starts.length > 0 &&
            starts.every(({ editor, start: { lineNumber, column } }) => {
                const model = editor?.getModel();
                const { viewportColumn = 0 } = editor?.getLayoutInfo() ?? {};
                // A side that is hidden has no width.
                const isShown = model && viewportColumn > 1 && lineNumber <= model.getLineCount();
                const text = isShown ? model.getLineContent(lineNumber) : '';
                return isShown && CursorColumns.visibleColumnFromColumn(text, column, model.getOptions().tabSize) >= viewportColumn;
            })
        );
    }

    /** Monaco draws only the beginning of a long line. What is behind it is drawn if the line is wrapped. */
    protected wrapLongLines(diff: MonacoDiffEditor['diffEditor']): void {
        const isLong = (model: monaco.editor.ITextModel | undefined): boolean =>
            model?.getLinesContent().some(({ length }) => length > DRAWN_CHARACTERS) === true;
        const { original, modified } = diff.getModel() ?? {};
        if (isLong(original) || isLong(modified)) {
            this.wraps = true;
            this.fit();
            const { charChanges, modifiedStartLineNumber: lineNumber = 1 } = diff.getLineChanges()?.[0] ?? {};
            const column = charChanges?.[0]?.modifiedStartColumn ?? 1;
            // Once it is wrapped.
            void animationFrame(3).then(() => diff.getModifiedEditor().revealPositionInCenter({ lineNumber, column }));
        }
    }

    /** In their order. */
    protected get mappings(): readonly DetailedLineRangeMapping[] {
        const diff = this.diffEditor;
        return (diff instanceof DiffEditorWidget && diff.getDiffComputationResult()?.changes2) || [];
    }

    protected override get stops(): number[] {
        const others = this.host.contributions.flatMap(contribution => contribution.stops?.(this.widget) ?? []);
        return [...super.stops, ...others].sort((one, other) => one - other);
    }

    protected showBar(): void {
        if (this.bar) {
            const others = this.host.contributions.flatMap(contribution => contribution.buttons?.(this.widget) ?? []);
            this.overlay.setBar({ ...this.bar, answers: [...this.bar.answers, ...others] });
        }
    }

    protected get models(): ComparedModels | undefined {
        return this.diffEditor?.getModel() ?? undefined;
    }

    protected get textEditor(): monaco.editor.ICodeEditor | undefined {
        return this.diffEditor?.getModifiedEditor();
    }

    protected get diffEditor(): MonacoDiffEditor['diffEditor'] | undefined {
        return this.widget.editor instanceof MonacoDiffEditor ? this.widget.editor.diffEditor : undefined;
    }
}

/** A gesture came before the user could look. */
export function tooSoonText(): string {
    return nls.localize('theia/cli-companion/review/tooSoonHere', 'Not answered: look at it, then press again.');
}
