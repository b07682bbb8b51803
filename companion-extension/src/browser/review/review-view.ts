// SPDX-License-Identifier: Apache-2.0

import { Disposable, DisposableCollection } from '@theia/core/lib/common/disposable';
import { nls } from '@theia/core/lib/common/nls';
import { EditorWidget } from '@theia/editor/lib/browser/editor-widget';
import { MonacoDiffEditor } from '@theia/monaco/lib/browser/monaco-diff-editor';
import { MonacoEditor } from '@theia/monaco/lib/browser/monaco-editor';
import * as monaco from '@theia/monaco-editor-core';
import { status } from '@theia/monaco-editor-core/esm/vs/base/browser/ui/aria/aria';
import { DiffEditorWidget } from '@theia/monaco-editor-core/esm/vs/editor/browser/widget/diffEditor/diffEditorWidget';
import { ReviewInfo } from '../../common/companion-protocol';
import { FirstLineArrow } from './first-line-arrow';
import { ProposalModel } from './proposal-model';
import { ReviewNotice, ReviewNotices } from './review-notices';
import { PROPOSED_SCHEME, ReviewUris } from './review-uris';

/** One editor that shows a review. A review has several where the user splits the editor. */
export class ReviewView implements Disposable {
    protected readonly toDispose = new DisposableCollection();
    protected readonly notices: ReviewNotices;
    /** A change of nothing but indentation is a change of the program, whatever `diffEditor.ignoreTrimWhitespace` says of other diffs. */
    protected readonly options: monaco.editor.IStandaloneDiffEditorConstructionOptions = { ignoreTrimWhitespace: false };

    /** The id of the review that the widget shows; `undefined` for every other widget. */
    static reviewIdOf(widget: unknown): string | undefined {
        const uri = widget instanceof EditorWidget ? widget.getResourceUri() : undefined;
        return uri?.scheme === PROPOSED_SCHEME ? ReviewUris.reviewIdOf(uri) : undefined;
    }

    constructor(readonly widget: EditorWidget) {
        const diff = this.diffEditor;
        this.notices = new ReviewNotices({
            node: widget.node,
            reserve: height => this.setOptions({ padding: { top: height } }),
            announce: text => status(text)
        });
        this.toDispose.push(this.notices);
        widget.node.classList.add('companion-review');
        if (diff) {
            // Theia 1.74 focuses a diff editor whenever it becomes visible, which takes the keyboard from the terminal even where the
            // editor is only revealed (MonacoEditor.handleVisibilityChanged). An editor that is activated is focused by another way.
            diff.focus = () => undefined;
            // Theia (1.74) sets the user's preferences again whenever the language or a preference changes.
            const update = diff.updateOptions.bind(diff);
            diff.updateOptions = options => update({ ...options, ...this.options });
            this.setOptions({});
        }
        if (diff instanceof DiffEditorWidget) {
            this.toDispose.push(new FirstLineArrow(widget.node, diff));
        }
    }

    get model(): ProposalModel | undefined {
        const document = MonacoEditor.get(this.widget)?.document;
        return document instanceof ProposalModel ? document : undefined;
    }

    /** @param notices what the user has to know before deciding */
    describe(review: ReviewInfo, notices: readonly ReviewNotice[]): void {
        this.notices.set(notices);
        this.setOptions({
            originalAriaLabel: nls.localize('companion/review/originalLabel', 'File on disk: {0}', review.path),
            modifiedAriaLabel: [
                nls.localize('companion/review/proposedLabel', 'Proposed by {0}, editable: {1}', review.cliName, review.path),
                ...notices.map(({ text }) => text)
            ].join('. ')
        });
    }

    goToChange(target: 'next' | 'previous'): void {
        this.diffEditor?.goToDiff(target);
    }

    dispose(): void {
        this.toDispose.dispose();
    }

    /** Monaco forgets the labels of a diff editor's sides with every change of other options: all are set each time. */
    protected setOptions(options: monaco.editor.IStandaloneDiffEditorConstructionOptions): void {
        Object.assign(this.options, options);
        this.diffEditor?.updateOptions(this.options);
    }

    protected get diffEditor(): MonacoDiffEditor['diffEditor'] | undefined {
        return this.widget.editor instanceof MonacoDiffEditor ? this.widget.editor.diffEditor : undefined;
    }
}
