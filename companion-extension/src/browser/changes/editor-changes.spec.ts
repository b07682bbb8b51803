// SPDX-License-Identifier: Apache-2.0

import '../test/dom';
import { Emitter, Event } from '@theia/core/lib/common/event';
import { URI } from '@theia/core/lib/common/uri';
import { MonacoEditor } from '@theia/monaco/lib/browser/monaco-editor';
import { MonacoEditorModel } from '@theia/monaco/lib/browser/monaco-editor-model';
import * as monaco from '@theia/monaco-editor-core';
import { setARIAContainer } from '@theia/monaco-editor-core/esm/vs/base/browser/ui/aria/aria';
import { linesDiffComputers } from '@theia/monaco-editor-core/esm/vs/editor/common/diff/linesDiffComputers';
import { expect } from 'chai';
import { editorWidget } from '../test/editor-widget';
import { monacoModel } from '../test/monaco-model';
import { ReadOnlyResource } from '../window/read-only-resource';
import { EditorChanges, EditorChangesHost } from './editor-changes';

const FILE = new URI('file:///ws/a.txt');
const LINES = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', ''];
const OPTIONS = { ignoreTrimWhitespace: false, maxComputationTimeMs: 0, computeMoves: false };

/** What is typed is not saved until the test says so. */
class FileModel extends MonacoEditorModel {
    set isDirty(isDirty: boolean) {
        this.setDirty(isDirty);
    }
}

class TestChanges extends EditorChanges {
    get line(): number {
        return this.control.getPosition()?.lineNumber ?? 0;
    }

    /** At once. */
    protected override compareLater(): void {
        super.compareLater(0);
    }
}

describe('What agents changed, in an editor of the file', () => {
    let disk: string;
    let before: string;
    let file: FileModel;
    let base: MonacoEditorModel;
    let changes: TestChanges;
    let happened: string[];
    let isHidden: boolean;
    let zones: Map<string, monaco.editor.IViewZone>;
    const onDiskChange = new Emitter<void>();
    const onBaseChange = new Emitter<void>();
    const onWillChangeModel = new Emitter<void>();
    const onDidChangeModel = new Emitter<void>();
    const onMouseDown = new Emitter<object>();

    beforeEach(() => {
        document.body.replaceChildren();
        setARIAContainer(document.body);
        [happened, isHidden, zones] = [[], false, new Map()];
    });

    afterEach(() => {
        changes.dispose();
        file.dispose();
    });

    /** As much of Monaco's editor as the bars need, over a real text. */
    function control(): object {
        let line = 1;
        const text = file.textEditorModel;
        return {
            ...{ onWillChangeModel: onWillChangeModel.event, onDidChangeModel: onDidChangeModel.event, onMouseDown: onMouseDown.event },
            ...{ onDidChangeCursorPosition: Event.None, onDidLayoutChange: Event.None },
            getModel: () => (isHidden ? null : text),
            createDecorationsCollection: () => {
                let ids: string[] = [];
                const rangeOf = (id: string): monaco.Range | null => (isHidden ? null : text.getDecorationRange(id));
                return {
                    set: (decorations: monaco.editor.IModelDeltaDecoration[]) => {
                        const options = { description: 'test' };
                        ids = text.deltaDecorations(
                            ids,
                            decorations.map(one => ({ ...one, options: { ...options, ...one.options } }))
                        );
                    },
                    clear: () => (ids = text.deltaDecorations(ids, [])),
                    getRange: (index: number) => rangeOf(ids[index]),
                    getRanges: () => ids.flatMap(id => rangeOf(id) ?? [])
                };
            },
            getPosition: () => ({ lineNumber: line, column: 1 }),
            setPosition: ({ lineNumber }: monaco.IPosition) => (line = lineNumber),
            setSelection: ({ startLineNumber, endLineNumber }: monaco.Selection) =>
                happened.push(`selected ${startLineNumber}-${endLineNumber}`),
            getVisibleRanges: () => [new monaco.Range(1, 1, text.getLineCount(), 1)],
            getScrolledVisiblePosition: () => null,
            revealRangeInCenterIfOutsideViewport: () => undefined,
            revealLine: () => undefined,
            focus: () => happened.push('focus'),
            getScrollTop: () => 0,
            setScrollTop: () => undefined,
            getLayoutInfo: () => ({ width: 100, height: 1_000, contentLeft: 60, verticalScrollbarWidth: 0, minimap: { minimapWidth: 0 } }),
            getOption: (option: number) => (option === monaco.editor.EditorOption.lineHeight ? 20 : { lineHeight: 20, fontSize: 14 }),
            changeViewZones: (change: (accessor: monaco.editor.IViewZoneChangeAccessor) => void) =>
                change({
                    addZone: zone => {
                        const id = String(zones.size + 1);
                        zones.set(id, zone);
                        return id;
                    },
                    removeZone: id => void zones.delete(id),
                    layoutZone: () => undefined
                }),
            addOverlayWidget: ({ getDomNode }: monaco.editor.IOverlayWidget) => document.body.append(getDomNode()),
            removeOverlayWidget: ({ getDomNode }: monaco.editor.IOverlayWidget) => getDomNode().remove()
        };
    }

    async function open(base0: string, disk0: string, more: Partial<EditorChangesHost> = {}): Promise<void> {
        [before, disk] = [base0, disk0];
        file = await monacoModel(FileModel, new ReadOnlyResource(FILE, async () => disk, onDiskChange.event));
        const uri = FILE.withScheme('companion-baseline');
        const host: EditorChangesHost = {
            bar: {
                ...{ label: 'Changes of A to a.txt', path: 'a.txt', isNewFile: false, cliName: 'A' },
                answers: [{ command: 'companion.changes.keep', word: 'Keep', explanation: '' }]
            },
            isWhole: false,
            openBase: async () => {
                base = await monacoModel(MonacoEditorModel, new ReadOnlyResource(uri, async () => before, onBaseChange.event));
                const dispose = (): void => {
                    base.dispose();
                    happened.push('closed the base');
                };
                return { object: base, dispose };
            },
            openDiff: () => void happened.push('opened the diff'),
            keysOf: () => ['Ctrl+1'],
            run: id => void happened.push(id),
            compare: async (original, modified) =>
                linesDiffComputers.getDefault().computeDiff(original.getLinesContent(), modified.getLinesContent(), OPTIONS).changes,
            ...more
        };
        const editor = { document: file, getControl: control } as unknown as MonacoEditor;
        const fakeControl = editor.getControl();
        Object.assign(editor, { getControl: () => fakeControl });
        changes = new TestChanges(editorWidget(FILE), editor, host);
        await compared();
    }

    /** In turns: where the process stands still for long, one wait of 20 ms ends before what a few timers do one after the other. */
    async function compared(): Promise<void> {
        for (let turn = 0; turn < 10; turn++) {
            await new Promise(resolve => setTimeout(resolve, 2));
        }
    }

    /** What is in the gutter, by lines. */
    function bars(): string[] {
        return file.textEditorModel
            .getAllDecorations()
            .filter(({ options }) => options.linesDecorationsClassName?.includes('companion-change'))
            .map(({ range, options }) => {
                const lines = range.startLineNumber === range.endLineNumber ? '' : `-${range.endLineNumber}`;
                return `${range.startLineNumber}${lines} ${options.linesDecorationsClassName?.split('-').at(-1)}`;
            });
    }

    const zone = (): string[] =>
        [...document.querySelectorAll('.companion-change-zone')].map(node => node.textContent?.replace(/Ctrl.1/g, '') ?? '');

    function click(line: number): void {
        const element = document.createElement('div');
        element.className = 'companion-change';
        onMouseDown.fire({ target: { element, position: { lineNumber: line, column: 1 } } });
    }

    function type(line: number, text: string): void {
        file.isDirty = true;
        file.textEditorModel.pushEditOperations([], [{ range: new monaco.Range(line, 1, line, 1), text }], () => null);
    }

    async function save(): Promise<void> {
        file.isDirty = false;
        disk = file.textEditorModel.getValue();
        await compared();
    }

    const changed = (): string => LINES.join('\n').replace('two', 'TWO').replace('six\n', '').replace('ten', 'ten\neleven');

    it('has a bar beside it; what the user types has none, before it is saved and when it is', async () => {
        await open(LINES.join('\n'), changed());
        expect(bars()).to.deep.equal(['2 modified', '5 removed', '10 added']);
        type(4, 'mine\n');
        await compared();
        expect(bars()).to.deep.equal(['2 modified', '6 removed', '11 added']);
        await save();
        expect(bars()).to.deep.equal(['2 modified', '6 removed', '11 added']);
        before = before.replace('four', 'mine\nfour');
        onBaseChange.fire();
        await compared();
        expect(bars()).to.deep.equal(['2 modified', '6 removed', '11 added']);
        disk = disk.replace('one', 'ONE');
        onDiskChange.fire();
        await compared();
        expect(bars()).to.deep.equal(['1-2 modified', '6 removed', '11 added']);
    });

    it('has none where an editor with unsaved edits has not taken what an agent wrote, and they stay while it is hidden', async () => {
        await open(LINES.join('\n'), changed());
        type(4, 'mine\n');
        onWillChangeModel.fire();
        isHidden = true;
        onDidChangeModel.fire();
        await compared();
        isHidden = false;
        onDidChangeModel.fire();
        await compared();
        expect(bars()).to.deep.equal(['2 modified', '6 removed', '11 added']);
    });

    it('a new file is one change', async () => {
        await open('', 'new\nfile\n');
        expect(bars()).to.deep.equal(['1-3 added']);
        click(1);
        expect(zone()).to.deep.equal(['a.txtAchange 1 of 1 · +2 −0KeepComment']);
    });

    it('is gone through with its removed lines, which open under a click, too, and close', async () => {
        await open(LINES.join('\n'), changed());
        click(2);
        expect(zone()).to.deep.equal(['twoa.txtAchange 1 of 3 · +2 −2KeepComment']);
        expect([...zones.values()].map(({ afterLineNumber }) => afterLineNumber)).to.deep.equal([1]);
        expect(document.querySelector('pre')?.getAttribute('aria-label')).to.equal('Lines before the change: 1');
        changes.goToChange('next');
        expect(zone()).to.deep.equal(['sixa.txtAchange 2 of 3 · +2 −2KeepComment']);
        click(5);
        expect(zone()).to.deep.equal([]);
        changes.goToChange('previous');
        expect(zone()).to.deep.equal(['twoa.txtAchange 1 of 3 · +2 −2KeepComment']);
        changes.toggleRemoved();
        expect(document.activeElement?.textContent).to.equal('KeepCtrl+1');
        document.activeElement?.dispatchEvent(new window.KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
        expect([zone(), happened]).to.deep.equal([[], ['focus']]);
    });

    it('is answered by its buttons, also where the lines have moved; then the next one is shown', async () => {
        await open(LINES.join('\n'), changed());
        click(2);
        type(1, 'mine\n');
        zones.forEach(one => one.afterLineNumber++);
        document.querySelector<HTMLElement>('[id="companion.changes.keep"]')?.click();
        expect([changes.line, happened]).to.deep.equal([3, ['companion.changes.keep']]);
        expect(changes.changeInView?.original.startLineNumber).to.equal(2);
        expect(changes.texts?.text).to.contain('mine\none\nTWO');
        before = before.replace('two', 'TWO');
        onBaseChange.fire();
        await compared();
        expect(bars()).to.deep.equal(['6 removed', '11 added']);
        expect(zone()).to.deep.equal(['sixa.txtAchanges: 2 · +1 −1KeepComment']);
        happened = [];
        document.querySelector<HTMLElement>('[id="companion.comments.add"]')?.click();
        expect(happened).to.deep.equal(['selected 7-7', 'focus', 'companion.comments.add']);
    });

    it('nobody knows whether it is still there until the texts are compared', async () => {
        await open(LINES.join('\n'), changed());
        const { original, modified } = changes.changeAtCursor ?? { original: undefined, modified: undefined };
        expect([original, modified]).to.deep.equal([undefined, undefined]);
        changes.goToChange('next');
        const change = changes.changeAtCursor;
        disk = disk.replace('TWO', 'two');
        onDiskChange.fire();
        await compared();
        expect(change && changes.shows(change.original, change.modified)).to.equal(false);
        type(1, 'x');
        expect(change && changes.shows(change.original, change.modified)).to.equal(true);
    });

    it('is not shown where there is too much of it, which is said once, with a way to the diff', async () => {
        await open('x\n', 'y\n', { compare: async () => Array.from({ length: 501 }, () => ({}) as never) });
        expect(bars()).to.deep.equal([]);
        type(1, 'z');
        await compared();
        expect(zone()).to.deep.equal(['What agents changed is not shown here: more than 1 MB, or more than 500 changes.Open Changes']);
        document.querySelector<HTMLElement>('.companion-change-none button')?.click();
        expect(happened).to.deep.equal(['opened the diff']);
        changes.dispose();
        expect([zone(), happened.at(-1)]).to.deep.equal([[], 'closed the base']);
    });

    it('a file of more than 1 MB is not compared', async () => {
        await open('x\n', `${'y'.repeat(1024 * 1024)}\n`, {
            compare: async () => {
                throw new Error('compared');
            }
        });
        expect(zone()).to.have.length(1);
        expect(happened).to.deep.equal([]);
    });
});
