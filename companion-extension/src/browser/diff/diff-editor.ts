// SPDX-License-Identifier: Apache-2.0

import { animationFrame } from '@theia/core/lib/browser';
import { Disposable, DisposableCollection } from '@theia/core/lib/common/disposable';
import { nls } from '@theia/core/lib/common/nls';
import { EditorWidget } from '@theia/editor/lib/browser/editor-widget';
import { MonacoDiffEditor } from '@theia/monaco/lib/browser/monaco-diff-editor';
import * as monaco from '@theia/monaco-editor-core';
import { DiffEditorWidget } from '@theia/monaco-editor-core/esm/vs/editor/browser/widget/diffEditor/diffEditorWidget';
import { CursorColumns } from '@theia/monaco-editor-core/esm/vs/editor/common/core/cursorColumns';
import { LineRange } from '@theia/monaco-editor-core/esm/vs/editor/common/core/ranges/lineRange';
import { DetailedLineRangeMapping, RangeMapping } from '@theia/monaco-editor-core/esm/vs/editor/common/diff/rangeMapping';
import { spokenLabel } from '../../common/sentences';
import { DiffOverlay, Notice } from './diff-overlay';
import { BarContent } from './diff-bar';
import { DiffHost } from './diff-contribution';

/** Where we look whether something covers a diff, in parts of its width and height. A menu or a message covers a few of them at most. */
const LOOKED_AT = [
    [0.5, 0.5],
    [0.25, 0.25],
    [0.75, 0.25],
    [0.25, 0.75],
    [0.75, 0.75]
] as const;

/** Monaco (1.108) draws so many of a line. */
const DRAWN_CHARACTERS = 10_000;

/** The own width up to which both sides are in one, unless the user wants them beside each other in this diff. */
const NARROW_PX = 900;

/** A list or a menu that the user opened closes with the choice in it, and a message in the corner is about something else. */
const PASSED_OVER = '.quick-input-widget, .lm-Menu, .theia-notifications-overlay';

/** One diff editor that shows a review, a kept edit or a change. There are several if the user splits the editor. */
export class DiffEditor implements Disposable {
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
    /** When the user was shown another text, as `performance.now()` counts. */
    shownSince = performance.now();
    /** The choice of the user, or what the text needs. */
    protected wraps: boolean | undefined;

    constructor(
        readonly widget: EditorWidget,
        protected readonly host: DiffHost
    ) {
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

    /** The texts are compared, and no line differs. */
    get changesNothing(): boolean {
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

    /** True if a user can see it. Theia (1.74) calls a widget visible even under a maximized area or a dialog. */
    get isOnScreen(): boolean {
        const { node, isVisible } = this.widget;
        if (!isVisible || node.ownerDocument.visibilityState !== 'visible') {
            return false;
        }
        const { left, top, width, height } = node.getBoundingClientRect();
        const shownAt = (x: number, y: number): Element | undefined =>
            node.ownerDocument.elementsFromPoint(x, y).find(element => !element.closest(PASSED_OVER));
        const isSeen = ([x, y]: readonly [number, number]): boolean => node.contains(shownAt(left + x * width, top + y * height) ?? null);
        return LOOKED_AT.filter(isSeen).length > LOOKED_AT.length / 2;
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
    goToChange(target: 'next' | 'previous', wraps = true): boolean {
        if (this.widget.node.querySelector('.diff-review-content') !== null) {
            if (target === 'next') {
                this.diffEditor?.accessibleDiffViewerNext();
            } else {
                this.diffEditor?.accessibleDiffViewerPrev();
            }
            return true;
        }
        const { stops } = this;
        const line = this.diffEditor?.getModifiedEditor().getPosition()?.lineNumber ?? 0;
        const [next, first] =
            target === 'next' ? [stops.find(stop => stop > line), stops[0]] : [stops.findLast(stop => stop < line), stops.at(-1)];
        const to = next ?? (wraps ? first : undefined);
        return to !== undefined && this.goToLine(to);
    }

    /** Goes to the first change that begins at the line or behind it. @returns false if there is none */
    goToChangeFrom(line: number): boolean {
        const change = this.mappings.find(({ modified }) => modified.startLineNumber >= line);
        return change !== undefined && this.goToLine(change.modified.startLineNumber);
    }

    /** Back to the change at the cursor, else to the next one. */
    revealChange(): void {
        const { changeAtCursor } = this;
        if (changeAtCursor) {
            this.goToLine(changeAtCursor.modified.startLineNumber);
        } else {
            this.goToChange('next');
        }
    }

    goToLastChange(): void {
        const line = this.mappings.at(-1)?.modified.startLineNumber;
        if (line !== undefined) {
            this.goToLine(line);
        }
    }

    /** Shows the changed lines as a list, for screen readers. Escape closes it. */
    openAccessibleViewer(): void {
        this.diffEditor?.accessibleDiffViewerNext();
    }

    /** Shows above the diff what the user has to know, and nothing else. */
    setNotices(notices: readonly Notice[]): void {
        this.overlay.set(notices);
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

    get changeAtCursor(): DetailedLineRangeMapping | undefined {
        const line = this.diffEditor?.getModifiedEditor().getPosition()?.lineNumber ?? 0;
        return this.mappings.find(({ modified }) =>
            modified.isEmpty ? line === modified.startLineNumber || line === modified.startLineNumber - 1 : modified.contains(line)
        );
    }

    /** In words: which change the cursor is at, how many there are, and their lines. Empty until the texts are compared, and without any. */
    get changesText(): string {
        const diff = this.diffEditor;
        const changes = this.mappings;
        const { original, modified } = diff?.getModel() ?? {};
        const line = diff?.getModifiedEditor().getPosition()?.lineNumber ?? 0;
        const at = changes.filter(change => change.modified.startLineNumber <= line).length;
        return original && modified && changes.length > 0
            ? describeChanges(at, changes.length, {
                  added: changes.reduce((sum, change) => sum + countLines(change.modified, modified), 0),
                  removed: changes.reduce((sum, change) => sum + countLines(change.original, original), 0)
              })
            : '';
    }

    /** Whether that is still one of the changes. */
    shows(original: LineRange, modified: LineRange): boolean {
        return this.mappings.some(change => change.original.equals(original) && change.modified.equals(modified));
    }

    /** The change at the cursor, if it is in view; else the only one in view. */
    get changeInView(): DetailedLineRangeMapping | undefined {
        const { changeAtCursor } = this;
        const inView = this.mappings.filter(change => this.isInView(change));
        return inView.find(change => change === changeAtCursor) ?? (inView.length === 1 ? inView[0] : undefined);
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

    /** The lines at which "next" and "previous" stop. */
    protected get stops(): number[] {
        const others = this.host.contributions.flatMap(contribution => contribution.stops?.(this.widget) ?? []);
        return [...this.mappings.map(({ modified }) => modified.startLineNumber), ...others].sort((one, other) => one - other);
    }

    protected goToLine(lineNumber: number): boolean {
        const editor = this.diffEditor?.getModifiedEditor();
        editor?.setPosition({ lineNumber, column: 1 });
        const { innerChanges } = this.mappings.find(({ modified }) => modified.startLineNumber === lineNumber) ?? {};
        const range = innerChanges?.[0].modifiedRange ?? {
            startLineNumber: lineNumber,
            startColumn: 1,
            endLineNumber: lineNumber,
            endColumn: 1
        };
        editor?.revealRangeInCenterIfOutsideViewport(range);
        return editor !== undefined;
    }

    /** A changed line is, with a changed character of it. */
    protected isInView({ modified, innerChanges }: DetailedLineRangeMapping): boolean {
        const editor = this.diffEditor?.getModifiedEditor();
        const { startLineNumber, endLineNumberExclusive } = modified;
        const ranges = editor?.getVisibleRanges() ?? [];
        // Lines that were taken out are drawn between two lines.
        const [first, last] = modified.isEmpty ? [startLineNumber - 1, startLineNumber] : [startLineNumber, endLineNumberExclusive - 1];
        const isWithin = (left: number, width: number): boolean => left >= 0 && left < width;
        const isDrawn = ({ modifiedRange }: RangeMapping): boolean => {
            const at = editor?.getScrolledVisiblePosition(modifiedRange.getStartPosition());
            return !editor || !at || isWithin(at.left, editor.getLayoutInfo().width);
        };
        return ranges.some(range => range.startLineNumber <= last && first <= range.endLineNumber) && (innerChanges?.some(isDrawn) ?? true);
    }

    protected showBar(): void {
        if (this.bar) {
            const others = this.host.contributions.flatMap(contribution => contribution.buttons?.(this.widget) ?? []);
            this.overlay.setBar({ ...this.bar, answers: [...this.bar.answers, ...others] });
        }
    }

    protected get diffEditor(): MonacoDiffEditor['diffEditor'] | undefined {
        return this.widget.editor instanceof MonacoDiffEditor ? this.widget.editor.diffEditor : undefined;
    }
}

/** A gesture came before the user could look. */
export function tooSoonText(): string {
    return nls.localize('theia/cli-companion/review/tooSoonHere', 'Not answered: look at it, then press again.');
}

/** The empty string after the last line break is no line. */
function countLines({ length, endLineNumberExclusive }: LineRange, model: monaco.editor.ITextModel): number {
    const last = model.getLineCount();
    return length > 0 && endLineNumberExclusive > last && model.getLineLength(last) === 0 ? length - 1 : length;
}

/** @param at counts from 1; 0 in front of the first one */
function describeChanges(at: number, of: number, { added, removed }: { added: number; removed: number }): string {
    const place =
        at > 0
            ? nls.localize('theia/cli-companion/review/changeAt', 'change {0} of {1}', at, of)
            : nls.localize('theia/cli-companion/review/changeCount', 'changes: {0}', of);
    return `${place} · +${added} −${removed}`;
}
