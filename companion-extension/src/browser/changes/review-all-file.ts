// SPDX-License-Identifier: Apache-2.0

import { Widget } from '@theia/core/lib/browser';
import { Disposable, DisposableCollection } from '@theia/core/lib/common/disposable';
import * as monaco from '@theia/monaco-editor-core';
import { URI as MonacoUri } from '@theia/monaco-editor-core/esm/vs/base/common/uri';
import { DiffEditorViewModel } from '@theia/monaco-editor-core/esm/vs/editor/browser/widget/diffEditor/diffEditorViewModel';
import { DiffEditorWidget } from '@theia/monaco-editor-core/esm/vs/editor/browser/widget/diffEditor/diffEditorWidget';
import { RefCounted } from '@theia/monaco-editor-core/esm/vs/editor/browser/widget/diffEditor/utils';
import { IDocumentDiffItem } from '@theia/monaco-editor-core/esm/vs/editor/browser/widget/multiDiffEditor/model';
import {
    DocumentDiffItemViewModel,
    MultiDiffEditorViewModel
} from '@theia/monaco-editor-core/esm/vs/editor/browser/widget/multiDiffEditor/multiDiffEditorViewModel';
import { MultiDiffEditorWidget } from '@theia/monaco-editor-core/esm/vs/editor/browser/widget/multiDiffEditor/multiDiffEditorWidget';
import { DetailedLineRangeMapping } from '@theia/monaco-editor-core/esm/vs/editor/common/diff/rangeMapping';
import { EndOfLinePreference, ITextModel } from '@theia/monaco-editor-core/esm/vs/editor/common/model';
import { ComparedModels, TextChanges } from '../diff/text-changes';
import { ShownFile } from './review-all-files';

/** In pixels, as Monaco (1.108) draws it. It stays at the top while its file is scrolled. */
export const HEADER_HEIGHT = 40;

/** What shows all files. */
export interface ReviewAllFileHost {
    readonly widget: Widget;
    readonly multi: Pick<MultiDiffEditorWidget, 'reveal' | 'tryGetCodeEditor'>;
    readonly viewModel: Pick<MultiDiffEditorViewModel, 'items'>;
    say(text: string): void;
}

/** A file in `ReviewAllWidget`, with the change that the cursor is at. While it is scrolled to, Monaco has an editor for it. */
export class ReviewAllFile extends TextChanges implements ShownFile {
    /** By which Monaco counts what shows it. */
    readonly document: RefCounted<IDocumentDiffItem>;

    constructor(
        protected readonly host: ReviewAllFileHost,
        readonly item: IDocumentDiffItem,
        toDispose: DisposableCollection,
        readonly hasTexts: boolean,
        /** Only its header is shown until the user opens it. */
        readonly startsClosed: boolean
    ) {
        super(host.widget);
        this.document = RefCounted.createOfNonDisposable(item, toDispose);
        for (const side of [item.original, item.modified]) {
            toDispose.push(side?.onDidChangeContent(() => this.markShown()) ?? Disposable.NULL);
        }
    }

    dispose(): void {
        this.document.dispose();
    }

    /** The user sees something else now, or sees it somewhere else. */
    markShown(): void {
        this.shownSince = performance.now();
    }

    /** By which Monaco names it. */
    get uri(): MonacoUri | undefined {
        return (this.item.modified ?? this.item.original)?.uri;
    }

    get view(): DocumentDiffItemViewModel | undefined {
        return this.host.viewModel.items.get().find(({ documentDiffItem }) => documentDiffItem === this.item);
    }

    /** @returns `undefined` if it is not scrolled to */
    get editor(): DiffEditorWidget | undefined {
        const editor = this.uri && this.host.multi.tryGetCodeEditor(this.uri)?.diffEditor;
        return editor instanceof DiffEditorWidget ? editor : undefined;
    }

    get texts(): { base: string; text: string } | undefined {
        const textOf = (side?: ITextModel): string => side?.getValue(EndOfLinePreference.LF) ?? '';
        return this.hasTexts ? { base: textOf(this.item.original), text: textOf(this.item.modified) } : undefined;
    }

    onDidCompare(listener: () => void): Disposable {
        return this.editor?.onDidUpdateDiff(listener) ?? Disposable.NULL;
    }

    say(text: string): void {
        this.host.say(text);
    }

    /** Its header or its editor does. */
    contains(element: Element): boolean {
        return this.entry?.contains(element) === true;
    }

    override get isOnScreen(): boolean {
        const { top = 0, bottom = 0 } = this.entry?.getBoundingClientRect() ?? {};
        const view = this.widget.node.getBoundingClientRect();
        return top < view.bottom && view.top < bottom && super.isOnScreen;
    }

    override get changesNothing(): boolean {
        return !this.hasTexts || this.editor?.getDiffComputationResult()?.changes2.length === 0;
    }

    /** Only the one at the cursor: there may be others in view, of other files, too. */
    override get changeInView(): DetailedLineRangeMapping | undefined {
        const { changeAtCursor } = this;
        return changeAtCursor && this.isCompared && this.isInView(changeAtCursor) ? changeAtCursor : undefined;
    }

    /** Until the texts are compared, nobody knows whether there is one. */
    override goToChange(target: 'next' | 'previous', wraps?: boolean): boolean {
        return !this.isCompared || super.goToChange(target, wraps);
    }

    override revealChange(): void {
        if (!this.isOnScreen) {
            this.reveal();
        }
        super.revealChange();
    }

    /** Opens it, and scrolls to its first or last change. */
    show(from: 'first' | 'last'): void {
        this.reveal();
        if (from === 'last') {
            this.goToLastChange();
        } else {
            this.goToChangeFrom(1);
        }
    }

    protected get isCompared(): boolean {
        const model = this.view?.diffEditorViewModel;
        return model instanceof DiffEditorViewModel && model.isDiffUpToDate.get();
    }

    protected get entry(): Element | null | undefined {
        return this.editor?.getContainerDomNode().closest('.multiDiffEntry');
    }

    protected get mappings(): readonly DetailedLineRangeMapping[] {
        return this.editor?.getDiffComputationResult()?.changes2 ?? [];
    }

    protected get models(): ComparedModels | undefined {
        return this.editor?.getModel() ?? undefined;
    }

    protected get textEditor(): monaco.editor.ICodeEditor | undefined {
        // The same, by its public name.
        return this.editor?.getModifiedEditor() as unknown as monaco.editor.ICodeEditor | undefined;
    }

    protected reveal(): void {
        const { view } = this;
        if (view) {
            view.collapsed.set(false, undefined);
            this.host.multi.reveal({ original: view.originalUri, modified: view.modifiedUri });
        }
    }

    /** Monaco's editor for the file is as high as its text, and does not scroll itself into view. */
    protected override goToLine(lineNumber: number): boolean {
        if (super.goToLine(lineNumber) && this.changeInView) {
            return true;
        }
        this.reveal();
        return super.goToLine(lineNumber);
    }

    protected override isInView(change: DetailedLineRangeMapping): boolean {
        const editor = this.textEditor;
        const box = editor?.getDomNode()?.getBoundingClientRect();
        if (!editor || !box?.height || !super.isInView(change)) {
            return false;
        }
        const { startLineNumber: start, endLineNumberExclusive: end, isEmpty } = change.modified;
        const scrolled = box.top - editor.getScrollTop();
        // Lines that were taken out are drawn between two lines.
        const first = isEmpty ? start - 1 : start;
        const top = first > 0 ? editor.getTopForLineNumber(first) : 0;
        const bottom = editor.getBottomForLineNumber(isEmpty ? start : end - 1);
        const view = this.widget.node.getBoundingClientRect();
        return scrolled + top < view.bottom && scrolled + bottom > view.top + HEADER_HEIGHT;
    }
}
