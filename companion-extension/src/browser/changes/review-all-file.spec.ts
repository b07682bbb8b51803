// SPDX-License-Identifier: Apache-2.0

import '../test/dom';
import { Widget } from '@theia/core/lib/browser';
import { DisposableCollection } from '@theia/core/lib/common/disposable';
import { DiffEditorViewModel } from '@theia/monaco-editor-core/esm/vs/editor/browser/widget/diffEditor/diffEditorViewModel';
import { DiffEditorWidget } from '@theia/monaco-editor-core/esm/vs/editor/browser/widget/diffEditor/diffEditorWidget';
import { LineRange } from '@theia/monaco-editor-core/esm/vs/editor/common/core/ranges/lineRange';
import { DetailedLineRangeMapping } from '@theia/monaco-editor-core/esm/vs/editor/common/diff/rangeMapping';
import { expect } from 'chai';
import { ReviewAllFile, ReviewAllFileHost } from './review-all-file';

const LINE_HEIGHT = 20;

describe('A file of Review All', () => {
    let line: number;
    /** Where its editor begins in the view, which has 400 pixels. */
    let top: number;
    let isCompared: boolean;
    let happened: string[];
    let file: ReviewAllFile;

    const at = (start: number): DetailedLineRangeMapping =>
        new DetailedLineRangeMapping(new LineRange(start, start + 1), new LineRange(start, start + 1), undefined);

    function make(hasTexts = true): ReviewAllFile {
        const widget = new Widget();
        widget.node.getBoundingClientRect = () => ({ top: 0, bottom: 400 }) as DOMRect;
        const text = {
            getPosition: () => ({ lineNumber: line, column: 1 }),
            setPosition: ({ lineNumber }: { lineNumber: number }) => (line = lineNumber),
            getDomNode: () => ({ getBoundingClientRect: () => ({ top, height: 2_000 }) }),
            getVisibleRanges: () => [{ startLineNumber: 1, endLineNumber: 100 }],
            getScrollTop: () => 0,
            getTopForLineNumber: (of: number) => (of - 1) * LINE_HEIGHT,
            getBottomForLineNumber: (of: number) => of * LINE_HEIGHT,
            revealRangeInCenterIfOutsideViewport: () => undefined
        };
        const diffEditor = Object.assign(Object.create(DiffEditorWidget.prototype) as object, {
            getModifiedEditor: () => text,
            getDiffComputationResult: () => ({ changes2: [at(2), at(50)] })
        });
        const side = { uri: 'a.txt', onDidChangeContent: () => ({ dispose: () => undefined }), getValue: () => 'text' };
        const item = { original: side, modified: side };
        const view = {
            documentDiffItem: item,
            collapsed: { set: () => happened.push('opened') },
            diffEditorViewModel: Object.assign(Object.create(DiffEditorViewModel.prototype) as object, {
                isDiffUpToDate: { get: () => isCompared }
            })
        };
        const host = {
            widget,
            multi: { tryGetCodeEditor: () => ({ diffEditor }), reveal: () => happened.push('scrolled to it') },
            viewModel: { items: { get: () => [view] } },
            say: (said: string) => happened.push(said)
        };
        return new ReviewAllFile(host as unknown as ReviewAllFileHost, item as never, new DisposableCollection(), hasTexts, false);
    }

    beforeEach(() => {
        [line, top, isCompared, happened] = [2, 100, true, []];
        file = make();
    });

    const lineInView = (): number | undefined => file.changeInView?.modified.startLineNumber;

    it('has the change at the cursor in view, below its header, and no other one', () => {
        const found: Array<number | undefined> = [];
        for (top of [1, 0, 379, 380]) {
            found.push(lineInView());
        }
        expect(found).to.deep.equal([2, undefined, 2, undefined]);
        [top, line] = [100, 1];
        expect(lineInView()).to.equal(undefined);
        [line, isCompared] = [2, false];
        expect(lineInView(), 'of a text that has just changed').to.equal(undefined);
    });

    it('goes to a change, and is scrolled to if that is not in view', () => {
        expect(file.goToChange('previous', false)).to.equal(false);
        line = 1;
        expect(file.goToChange('next', false)).to.equal(true);
        expect([line, ...happened]).to.deep.equal([2]);
        expect(file.goToChange('next', false)).to.equal(true);
        expect([line, ...happened]).to.deep.equal([50, 'opened', 'scrolled to it']);
        expect(file.goToChange('next', false)).to.equal(false);
        isCompared = false;
        expect(file.goToChange('next', false), 'its changes are not known').to.equal(true);
        expect(line).to.equal(50);
    });

    it('has the texts that are shown; without any it is answered as a whole', () => {
        expect([file.texts, file.changesNothing]).to.deep.equal([{ base: 'text', text: 'text' }, false]);
        file = make(false);
        expect([file.texts, file.changesNothing]).to.deep.equal([undefined, true]);
    });
});
