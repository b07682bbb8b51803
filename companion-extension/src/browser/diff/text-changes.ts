// SPDX-License-Identifier: Apache-2.0

import { Widget } from '@theia/core/lib/browser';
import { Disposable } from '@theia/core/lib/common/disposable';
import { nls } from '@theia/core/lib/common/nls';
import * as monaco from '@theia/monaco-editor-core';
import { LineRange } from '@theia/monaco-editor-core/esm/vs/editor/common/core/ranges/lineRange';
import { DetailedLineRangeMapping, RangeMapping } from '@theia/monaco-editor-core/esm/vs/editor/common/diff/rangeMapping';

/** Where we look whether something covers a text, in parts of its width and height. A menu or a message covers a few of them at most. */
const LOOKED_AT = [
    [0.5, 0.5],
    [0.25, 0.25],
    [0.75, 0.25],
    [0.25, 0.75],
    [0.75, 0.75]
] as const;

/** A list or a menu that the user opened closes with the choice in it, and a message in the corner is about something else. */
const PASSED_OVER = '.quick-input-widget, .lm-Menu, .theia-notifications-overlay';

type ComparedModel = Pick<monaco.editor.ITextModel, 'getLineCount' | 'getLineLength' | 'getLinesContent'>;

/** Both sides, as Monaco has them. */
export interface ComparedModels {
    readonly original: ComparedModel;
    readonly modified: ComparedModel;
}

/** A text in an editor, with changes in it: which one the user has before the eyes, and the way from one to the next. */
export abstract class TextChanges implements Disposable {
    /** When the user was shown another text, as `performance.now()` counts. */
    shownSince = performance.now();

    constructor(readonly widget: Widget) {}

    /** @param listener called each time the texts have been compared */
    abstract onDidCompare(listener: () => void): Disposable;

    /** Shows it at the text for a moment. */
    abstract say(text: string): void;

    abstract dispose(): void;

    /** What the user sees on both sides; `undefined` until it is known, and without a text. */
    abstract get texts(): { base: string; text: string } | undefined;

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

    /** @param wraps goes on at the other end. @returns false if nothing comes any more */
    goToChange(target: 'next' | 'previous', wraps = true): boolean {
        const { stops } = this;
        const line = this.textEditor?.getPosition()?.lineNumber ?? 0;
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

    get changeAtCursor(): DetailedLineRangeMapping | undefined {
        return this.mappings.find(change => this.isAtCursor(change));
    }

    /** The texts are compared, and no line differs: line ends do, or there is no line. */
    get changesNothing(): boolean {
        return false;
    }

    /** In words: which change the cursor is at, how many there are, and their lines. Empty until the texts are compared, and without any. */
    get changesText(): string {
        const changes = this.mappings;
        const { original, modified } = this.models ?? {};
        const line = this.textEditor?.getPosition()?.lineNumber ?? 0;
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
        const inView = this.mappings.filter(change => this.isInView(change));
        return inView.find(change => this.isAtCursor(change)) ?? (inView.length === 1 ? inView[0] : undefined);
    }

    /** In their order. */
    protected abstract get mappings(): readonly DetailedLineRangeMapping[];

    protected abstract get models(): ComparedModels | undefined;

    /** The one in which the changed text is. */
    protected abstract get textEditor(): monaco.editor.ICodeEditor | undefined;

    /** The lines at which "next" and "previous" stop. */
    protected get stops(): number[] {
        return this.mappings.map(({ modified }) => modified.startLineNumber);
    }

    protected isAtCursor({ modified }: DetailedLineRangeMapping): boolean {
        const line = this.textEditor?.getPosition()?.lineNumber ?? 0;
        return modified.isEmpty ? line === modified.startLineNumber || line === modified.startLineNumber - 1 : modified.contains(line);
    }

    protected goToLine(lineNumber: number): boolean {
        const editor = this.textEditor;
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
        const editor = this.textEditor;
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
}

/** The empty string after the last line break is no line. */
function countLines({ length, endLineNumberExclusive }: LineRange, model: ComparedModel): number {
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
