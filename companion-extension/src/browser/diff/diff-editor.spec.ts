// SPDX-License-Identifier: Apache-2.0

import '../test/dom';
import { Widget } from '@theia/core/lib/browser';
import { Emitter } from '@theia/core/lib/common/event';
import { URI } from '@theia/core/lib/common/uri';
import { EditorWidget } from '@theia/editor/lib/browser/editor-widget';
import { MonacoDiffEditor } from '@theia/monaco/lib/browser/monaco-diff-editor';
import * as monaco from '@theia/monaco-editor-core';
import { setARIAContainer } from '@theia/monaco-editor-core/esm/vs/base/browser/ui/aria/aria';
import { DiffEditorWidget } from '@theia/monaco-editor-core/esm/vs/editor/browser/widget/diffEditor/diffEditorWidget';
import { Range } from '@theia/monaco-editor-core/esm/vs/editor/common/core/range';
import { LineRange } from '@theia/monaco-editor-core/esm/vs/editor/common/core/ranges/lineRange';
import { DetailedLineRangeMapping, RangeMapping } from '@theia/monaco-editor-core/esm/vs/editor/common/diff/rangeMapping';
import { expect } from 'chai';
import { editorWidget } from '../test/editor-widget';
import { Notice } from './diff-overlay';
import { BarContent } from './diff-bar';
import { DiffContribution } from './diff-contribution';
import { DiffEditor } from './diff-editor';

const CHANGED: Notice = { text: 'The file has changed on disk.' };
const OPEN: Notice = { text: 'The file is open with unsaved changes.' };

type DiffOptions = monaco.editor.IDiffEditorOptions;

const LONG_LINES = {
    getLineCount: () => 100,
    getLineContent: () => 'x'.repeat(120),
    getLineLength: () => 120,
    getLinesContent: () => [],
    getOptions: () => ({ tabSize: 4 })
};

describe('A diff editor of ours', () => {
    let widget: EditorWidget;
    let editor: DiffEditor;
    /** Monaco's options. As Monaco, each change of them forgets the label. */
    let options: DiffOptions & { modifiedAriaLabel?: string };
    let updates: number;
    /** What the left side was given by itself. */
    let left: object | undefined;
    let focused: number;
    let layouts: Array<monaco.editor.IDimension | undefined>;
    let changes: object[] | null;
    /** What is at each point of the screen. */
    let covered: (x: number, y: number) => Element[];
    let headHeight: number;
    const onDidUpdateDiff = new Emitter<void>();
    let reads = 0;
    const onDidChangeCursorPosition = new Emitter<monaco.editor.ICursorPositionChangedEvent>();
    let cursorLine: number;
    let contributions: DiffContribution[];
    let mappings: DetailedLineRangeMapping[];
    let visible: monaco.Range[];

    beforeEach(() => {
        document.body.replaceChildren();
        setARIAContainer(document.body);
        cursorLine = 1;
        left = undefined;
        [options, updates, focused, layouts, changes, headHeight] = [{ ignoreTrimWhitespace: true }, 0, 0, [], [], 0];
        const diff: Partial<MonacoDiffEditor['diffEditor']> = {
            focus: () => void focused++,
            updateOptions: changed => {
                updates++;
                Object.assign(options, changed);
            },
            layout: dimension => void layouts.push(dimension),
            onDidUpdateDiff: onDidUpdateDiff.event,
            getLineChanges: () => changes as monaco.editor.ILineChange[] | null,
            getModel: () => null,
            getOriginalEditor: () => ({ updateOptions: (changed: object) => void (left = changed) }) as monaco.editor.IStandaloneCodeEditor,
            getModifiedEditor: () =>
                ({
                    getRawOptions: () => ({ ariaLabel: options.modifiedAriaLabel, glyphMargin: true, lineNumbersMinChars: 5 }),
                    onDidChangeCursorPosition: onDidChangeCursorPosition.event,
                    getPosition: () => ({ lineNumber: cursorLine, column: 1 }),
                    setPosition: ({ lineNumber }: monaco.IPosition) => void (cursorLine = lineNumber),
                    revealRangeInCenterIfOutsideViewport: () => undefined,
                    getScrolledVisiblePosition: ({ column }: monaco.IPosition) => ({ left: column * 10 }),
                    getLayoutInfo: () => ({ width: 800, viewportColumn: 80 }),
                    getModel: () => LONG_LINES,
                    getVisibleRanges: () => visible
                }) as unknown as monaco.editor.IStandaloneCodeEditor
        };
        const result = { changes2: [] as object[] };
        Object.defineProperty(result, 'changes2', { get: () => mappings });
        Object.defineProperty(diff, 'getDiffComputationResult', { value: () => result });
        Object.setPrototypeOf(diff, DiffEditorWidget.prototype);
        // Theia's class, of which nothing is made but what we use.
        const diffEditor = Object.create(MonacoDiffEditor.prototype, {
            diffEditor: { value: diff },
            originalModel: { value: { sync: async () => void reads++ } },
            getResourceUri: { value: () => new URI('companion-proposed://review-1/ws/a.txt') },
            handleVisibilityChanged: { value: () => undefined },
            refresh: { value: () => undefined }
        }) as MonacoDiffEditor;
        widget = editorWidget(new URI('companion-proposed://review-1/ws/a.txt'));
        Object.defineProperty(widget, 'editor', { value: diffEditor });
        Widget.attach(widget, document.body);
        covered = () => [widget.node];
        Object.assign(document, { elementsFromPoint: (x: number, y: number) => covered(x, y) });
        Object.defineProperty(document, 'visibilityState', { value: 'visible', configurable: true });
        widget.node.getBoundingClientRect = () => ({ left: 0, top: 0, width: 100, height: 100 }) as DOMRect;
        [contributions, mappings, visible] = [[], [], []];
        editor = create();
        const head = widget.node.querySelector('.companion-review-head')!;
        Object.defineProperty(head, 'offsetHeight', { get: () => headHeight });
    });

    afterEach(() => {
        editor.dispose();
        Widget.detach(widget);
    });

    function create(): DiffEditor {
        return new DiffEditor(widget, { contributions, keysOf: () => [], run: () => undefined });
    }

    const bar = (isNewFile: boolean): BarContent => ({ label: '', path: 'a.txt', cliName: 'Qwen Code', isNewFile, answers: [] });
    const describeIt = (notices: readonly Notice[], content?: BarContent): void =>
        editor.describe('File on disk', 'Proposed text', notices, content);
    const shown = (): Array<string | null> =>
        [...widget.node.querySelectorAll('.companion-review-notice span')].map(({ textContent }) => textContent);
    const more = (): HTMLButtonElement => widget.node.querySelector<HTMLButtonElement>('.companion-review-more')!;
    const spoken = (): string => [...document.querySelectorAll('.monaco-status')].map(({ textContent }) => textContent).join('');

    it('a diff shows changes of indentation, whatever a preference of the diff editor says', () => {
        expect(options.ignoreTrimWhitespace).to.equal(false);
        (widget.editor as MonacoDiffEditor).diffEditor.updateOptions({ ignoreTrimWhitespace: true, renderSideBySide: false });
        expect(options).to.include({ ignoreTrimWhitespace: false, renderSideBySide: false });
    });

    it('Monaco takes no unusual line ends out of the text of a diff', () => {
        expect(options).to.include({ unusualLineTerminators: 'off' });
    });

    it('a diff has arrows only beside a left side that is exactly what is on disk', () => {
        expect(options.renderGutterMenu).to.equal(false);
        editor.setRevertible(true);
        expect(options.renderGutterMenu).to.equal(true);
        const before = updates;
        editor.setRevertible(true);
        expect(updates).to.equal(before);
    });

    it('a diff that becomes visible does not take the keyboard', () => {
        (widget.editor as MonacoDiffEditor).diffEditor.focus();
        expect(focused).to.equal(0);
    });

    it('screen readers are told what the right side is and what its notices say, and again if Monaco has forgotten that', () => {
        describeIt([CHANGED]);
        expect(options.modifiedAriaLabel).to.equal('Proposed text. The file has changed on disk');
        const before = updates;
        describeIt([CHANGED]);
        expect(updates, 'of the same description').to.equal(before);
        options.modifiedAriaLabel = 'Code editor';
        describeIt([CHANGED]);
        expect(options.modifiedAriaLabel).to.equal('Proposed text. The file has changed on disk');
    });

    it('a diff is on the screen if most of it can be seen, whatever a menu or a message covers', () => {
        const dialog = document.createElement('div');
        expect(editor.isOnScreen).to.equal(true);
        covered = (x, y) => (x === 25 && y === 25 ? [dialog, widget.node] : [widget.node]);
        expect(editor.isOnScreen, 'one corner is covered').to.equal(true);
        covered = () => [dialog, widget.node];
        expect(editor.isOnScreen, 'a dialog covers it').to.equal(false);
        dialog.className = 'lm-Menu';
        expect(editor.isOnScreen, 'a menu covers it').to.equal(true);
        dialog.className = 'theia-notifications-overlay';
        expect(editor.isOnScreen, 'a message covers it').to.equal(true);
        Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true });
        expect(editor.isOnScreen, 'the browser shows another tab').to.equal(false);
    });

    it('a diff says when its texts are compared, and that nothing differs', async () => {
        let compared = 0;
        editor.onDidCompare(() => compared++);
        changes = null;
        const painted = editor.waitUntilPainted();
        expect(editor.changesNothing, 'before they are compared').to.equal(false);
        changes = [];
        onDidUpdateDiff.fire();
        await painted;
        expect([compared, editor.changesNothing]).to.deep.equal([1, true]);
    });

    const mapping = (start: number, end: number): DetailedLineRangeMapping =>
        new DetailedLineRangeMapping(new LineRange(start, start + 1), new LineRange(start, end), undefined);

    it('next and previous stop at the changes, and where another feature has something; at the end they wrap or say so', () => {
        mappings = [mapping(2, 3), mapping(9, 10)];
        contributions.push({ stops: diff => (diff === widget ? [5] : []) });
        const lines: number[] = [];
        const go = (...target: Parameters<DiffEditor['goToChange']>): boolean => {
            const goes = editor.goToChange(...target);
            lines.push(cursorLine);
            return goes;
        };
        expect([go('next'), go('next'), go('next'), go('next', false), go('next'), go('previous', false), go('previous')]).to.deep.equal([
            ...[true, true, true, false, true, false, true]
        ]);
        expect(lines).to.deep.equal([2, 5, 9, 9, 2, 2, 9]);
        expect([editor.goToChangeFrom(3), cursorLine, editor.goToChangeFrom(10), cursorLine]).to.deep.equal([true, 9, false, 9]);
    });

    it('the change in view is the one at the cursor; away from all, it is the only one', () => {
        mappings = [mapping(2, 3), mapping(40, 42), mapping(50, 50)];
        expect(editor.changeInView, 'nothing is drawn yet').to.equal(undefined);
        visible = [new monaco.Range(1, 1, 20, 1)];
        expect(editor.changeInView).to.equal(mappings[0]);
        cursorLine = 40;
        expect(editor.changeInView, 'the cursor is out of sight').to.equal(mappings[0]);
        visible = [new monaco.Range(41, 1, 60, 1)];
        expect(editor.changeInView).to.equal(mappings[1]);
        cursorLine = 45;
        expect(editor.changeInView, 'two are in view').to.equal(undefined);
        cursorLine = 49;
        expect(editor.changeInView, 'where lines are gone').to.equal(mappings[2]);
    });

    it('a diff reads its left side again when it is asked to', () => {
        editor.readOriginal();
        expect(reads).to.equal(1);
    });

    it('a diff in a narrow place has its sides in one, unless the user wants two in this diff', () => {
        const { diffEditor } = widget.editor as MonacoDiffEditor;
        diffEditor.updateOptions({ useInlineViewWhenSpaceIsLimited: false });
        expect(options, 'whatever a preference says').to.include({ useInlineViewWhenSpaceIsLimited: true });
        diffEditor.layout({ width: 900, height: 200 });
        editor.setSideBySide(true, false);
        expect(options).to.include({ renderSideBySide: true, useInlineViewWhenSpaceIsLimited: true, compactMode: true });
        editor.setSideBySide(true, true);
        expect(options).to.include({ renderSideBySide: true, useInlineViewWhenSpaceIsLimited: false, compactMode: false });
    });

    it('a diff in a narrow place wraps, and has one narrow column of numbers; with room it is as the preferences want it', () => {
        const { diffEditor } = widget.editor as MonacoDiffEditor;
        const narrow = { compactMode: true, diffWordWrap: 'on', glyphMargin: false, lineNumbersMinChars: 2 };
        const roomy = { compactMode: false, diffWordWrap: 'inherit', glyphMargin: true, lineNumbersMinChars: 5 };
        expect(options).to.include(roomy);
        diffEditor.layout({ width: 900, height: 200 });
        expect(options).to.include(narrow);
        const before = updates;
        diffEditor.layout({ width: 400, height: 200 });
        diffEditor.layout({ width: 0, height: 0 });
        expect(updates, 'of the same room, and while the tab is hidden').to.equal(before);
        diffEditor.layout({ width: 901, height: 200 });
        expect(options).to.include(roomy);
    });

    it('the lines of a diff are wrapped or not, as the user wants, however much room there is', () => {
        const { diffEditor } = widget.editor as MonacoDiffEditor;
        describeIt([], bar(false));
        const wrap = widget.node.querySelector<HTMLElement>('.companion-review-wrap')!;
        expect([wrap.id, wrap.getAttribute('aria-pressed')]).to.deep.equal(['companion.review.toggleWrap', 'false']);
        wrap.click();
        expect([options.diffWordWrap, wrap.getAttribute('aria-pressed')]).to.deep.equal(['on', 'true']);
        wrap.click();
        diffEditor.layout({ width: 400, height: 200 });
        expect(options.diffWordWrap).to.equal('off');
    });

    it('a change right of the visible columns is wrapped, unless the user does not want that; until it is in view, it is not seen', () => {
        const { diffEditor } = widget.editor as MonacoDiffEditor;
        Object.assign(diffEditor, { getModel: () => ({ original: LONG_LINES, modified: LONG_LINES }) });
        const at = (column: number): DetailedLineRangeMapping => {
            const inner = new RangeMapping(new Range(2, column, 2, column + 1), new Range(2, column, 2, column + 1));
            return new DetailedLineRangeMapping(new LineRange(2, 3), new LineRange(2, 3), [inner]);
        };
        visible = [new monaco.Range(1, 1, 20, 1)];
        mappings = [at(70)];
        onDidUpdateDiff.fire();
        expect([options.diffWordWrap, editor.showsChange]).to.deep.equal(['inherit', true]);
        mappings = [at(90)];
        expect([editor.showsChange, editor.changeInView]).to.deep.equal([false, undefined]);
        onDidUpdateDiff.fire();
        expect(options.diffWordWrap).to.equal('on');
        editor.toggleWrap();
        onDidUpdateDiff.fire();
        expect(options.diffWordWrap).to.equal('off');
    });

    it('the left side is wrapped, too, where it was hidden before', () => {
        editor.setSideBySide(true, true);
        expect(left, 'while it is hidden').to.equal(undefined);
        const shownDiff = document.createElement('div');
        shownDiff.className = 'monaco-diff-editor side-by-side';
        widget.node.append(shownDiff);
        (widget.editor as MonacoDiffEditor).diffEditor.layout({ width: 400, height: 200 });
        expect(left).to.deep.equal({ wordWrapOverride2: 'inherit' });
    });

    it('a new file is one side, unless the user wants two', () => {
        describeIt([], bar(true));
        expect(options).to.deep.include({ compactMode: true, experimental: { useTrueInlineView: true } });
        editor.setSideBySide(true, false);
        expect(options).to.include({ compactMode: false, renderSideBySide: true });
    });

    it('notices are shown as text, in their order, and one that stays is left alone', () => {
        describeIt([{ text: '<b>bold</b>' }, OPEN]);
        const [, stays] = widget.node.querySelectorAll('.companion-review-notice');
        expect(shown()).to.deep.equal(['<b>bold</b>', OPEN.text]);
        describeIt([OPEN, CHANGED]);
        expect(shown()).to.deep.equal([OPEN.text, CHANGED.text]);
        expect(widget.node.querySelector('.companion-review-notice')).to.equal(stays);
    });

    it('a click on the action of a notice runs it', () => {
        let runs = 0;
        describeIt([{ ...CHANGED, actions: [{ label: 'Compare', run: () => runs++ }] }]);
        widget.node.querySelector<HTMLButtonElement>('.companion-review-notice-action')!.click();
        expect(runs).to.equal(1);
    });

    it('"More" shows the other notices, and is not there for a single one', () => {
        describeIt([CHANGED]);
        expect(more().hidden).to.equal(true);
        describeIt([CHANGED, OPEN]);
        expect([more().hidden, more().getAttribute('aria-expanded')]).to.deep.equal([false, 'false']);
        more().click();
        expect(more().getAttribute('aria-expanded')).to.equal('true');
        expect(widget.node.querySelector('.companion-review-all')).not.to.equal(null);
        more().click();
        expect(widget.node.querySelector('.companion-review-all')).to.equal(null);
    });

    it('screen readers are told of the notices with which a diff opens, and later of those that are not in sight', async () => {
        describeIt([CHANGED]);
        expect(spoken()).to.equal(CHANGED.text);
        await new Promise(resolve => setTimeout(resolve));
        describeIt([CHANGED, OPEN]);
        expect(spoken()).to.include(OPEN.text);
    });

    it('what is above a diff has the room that it needs, and Monaco the rest', () => {
        const { diffEditor } = widget.editor as MonacoDiffEditor;
        headHeight = 24;
        diffEditor.layout({ width: 300, height: 200 });
        expect(layouts, 'drawn once').to.deep.equal([{ width: 300, height: 176 }]);
        headHeight = 40;
        describeIt([CHANGED]);
        expect(layouts.at(-1)).to.deep.equal({ width: 300, height: 160 });
        headHeight = 0;
        describeIt([]);
        expect(layouts.at(-1), 'while the tab is hidden').to.deep.equal({ width: 300, height: 160 });
    });
});
