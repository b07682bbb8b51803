// SPDX-License-Identifier: Apache-2.0

import '../test/dom';
import { Emitter, Event } from '@theia/core/lib/common/event';
import { URI } from '@theia/core/lib/common/uri';
import { MonacoEditorModel } from '@theia/monaco/lib/browser/monaco-editor-model';
import * as monaco from '@theia/monaco-editor-core';
import { expect } from 'chai';
import { Comment, CommentDraft } from '../../common/comments-protocol';
import { monacoModel } from '../test/monaco-model';
import { ReadOnlyResource } from '../window/read-only-resource';
import { EditorComments } from './editor-comments';
import { PageComments } from './page-comments';

const FILE = new URI('file:///ws/a.txt');

describe('The comments of a file in its editors', () => {
    let all: Comment[];
    let toDispose: Array<{ dispose(): void }>;
    const onDidChange = new Emitter<void>();
    const comments = {
        onDidChange: onDidChange.event,
        get all() {
            return all;
        },
        write: (draft: CommentDraft) => {
            all = [...all.filter(({ id }) => id !== draft.id), { ...draft, isSent: false, daysLeft: 14 }];
            onDidChange.fire();
        }
    };

    beforeEach(() => ([all, toDispose] = [[], []]));

    afterEach(() => toDispose.forEach(one => one.dispose()));

    /** As much of Monaco's editor as comments need, over a real text. */
    async function open(text: string, scheme = 'file'): Promise<{ comments: EditorComments; text: monaco.editor.ITextModel }> {
        const uri = FILE.withScheme(scheme);
        const model = await monacoModel(MonacoEditorModel, new ReadOnlyResource(uri, async () => text, Event.None));
        const { textEditorModel } = model;
        const control = {
            ...{ onMouseMove: Event.None, onMouseLeave: Event.None, onMouseDown: Event.None, onDidLayoutChange: Event.None },
            onDidChangeModel: Event.None,
            onDidChangeModelContent: (listener: (event: monaco.editor.IModelContentChangedEvent) => void) =>
                textEditorModel.onDidChangeContent(listener),
            getModel: () => textEditorModel,
            createDecorationsCollection: () => {
                let ids: string[] = [];
                return {
                    set: (made: monaco.editor.IModelDeltaDecoration[]) => (ids = textEditorModel.deltaDecorations(ids, made)),
                    clear: () => (ids = textEditorModel.deltaDecorations(ids, [])),
                    getRanges: () => ids.flatMap(id => textEditorModel.getDecorationRange(id) ?? [])
                };
            },
            getSelection: () => null,
            getPosition: () => null,
            revealLine: () => undefined,
            revealLineInCenter: () => undefined,
            getScrollTop: () => 0,
            setScrollTop: () => undefined,
            getLayoutInfo: () => ({ width: 100, height: 1_000, contentLeft: 60, verticalScrollbarWidth: 0, minimap: { minimapWidth: 0 } }),
            getOption: () => 20,
            changeViewZones: (change: (accessor: monaco.editor.IViewZoneChangeAccessor) => void) =>
                change({ addZone: () => 'zone', removeZone: () => undefined, layoutZone: () => undefined }),
            addOverlayWidget: () => undefined,
            removeOverlayWidget: () => undefined
        };
        const shown = new EditorComments(
            control as unknown as monaco.editor.ICodeEditor,
            FILE,
            comments as unknown as PageComments,
            () => undefined
        );
        toDispose.push(shown, model);
        return { comments: shown, text: textEditorModel };
    }

    function comment(line: number, quote: string): void {
        comments.write({ id: 'a', uri: FILE.toString(), first: line, last: line, quote, text: 'why' });
    }

    function type(text: monaco.editor.ITextModel, line: number, typed: string): void {
        text.pushEditOperations([], [{ range: new monaco.Range(line, 1, line, 1), text: typed }], () => null);
    }

    it('follow their lines, and what is typed into them', async () => {
        const file = await open('one\ntwo\nthree\n');
        comment(2, 'two');
        type(file.text, 1, 'new\n');
        expect(all.map(({ first, quote }) => [first, quote])).to.deep.equal([[3, 'two']]);
        type(file.text, 3, 'not ');
        expect(all.map(({ first, quote }) => [first, quote])).to.deep.equal([[3, 'not two']]);
    });

    it('stay at their lines of a proposal, whatever is typed into the file that has others like them', async () => {
        const block = 'a {\n}\n';
        const file = await open(block.repeat(2));
        const proposal = await open(block.repeat(5), 'companion-proposed');
        comment(10, '}');
        expect([file, proposal].map(({ comments: shown }) => shown.find('a')?.first)).to.deep.equal([4, 10]);
        type(file.text, 1, 'new\n');
        expect([file, proposal].map(({ comments: shown }) => shown.find('a')?.first)).to.deep.equal([5, 10]);
        expect(all.map(({ first }) => first)).to.deep.equal([10]);
    });

    it('are at their lines of the file once a CLI has written the proposal', async () => {
        const block = 'a {\n}\n';
        const file = await open(block.repeat(2));
        comment(10, '}');
        type(file.text, 5, block.repeat(3));
        expect(file.comments.find('a')?.first).to.equal(10);
        type(file.text, 1, 'new\n');
        expect([file.comments.find('a')?.first, all[0].first]).to.deep.equal([11, 11]);
    });
});
