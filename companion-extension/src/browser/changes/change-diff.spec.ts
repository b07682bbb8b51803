// SPDX-License-Identifier: Apache-2.0

import '../test/dom';
import { Widget } from '@theia/core/lib/browser';
import { Disposable } from '@theia/core/lib/common/disposable';
import { Emitter, Event } from '@theia/core/lib/common/event';
import { Resource } from '@theia/core/lib/common/resource';
import { URI } from '@theia/core/lib/common/uri';
import { EditorWidget } from '@theia/editor/lib/browser/editor-widget';
import { LineRange } from '@theia/monaco-editor-core/esm/vs/editor/common/core/ranges/lineRange';
import { expect } from 'chai';
import { FileChange } from '../../common/changes/changes-protocol';
import { BarContent } from '../diff/diff-bar';
import { TextChanges } from '../diff/text-changes';
import { editorWidget } from '../test/editor-widget';
import { AnswerGuard } from '../window/answer-guard';
import { KeyboardHold } from '../window/keyboard-hold';
import { ChangeDiff, ChangeDiffs, ShownDiff } from './change-diff';
import { ChangeUris } from './change-uris';

const FILE = new URI('file:///ws/a b.ts');
const NAME = 'a b.ts';

describe('The left side of the diff of a change', () => {
    let version: number | undefined;
    const onDidChange = new Emitter<void>();

    function resource(diff: URI, side = 0): Resource {
        const changes = {
            onDidChange: onDidChange.event,
            find: (uri: string) => (uri === FILE.toString() && version !== undefined ? { version } : undefined),
            readBaseline: async () => (version === undefined ? undefined : { version, shown: `before ${version}` })
        };
        const contents = { read: async (file: URI) => ({ text: file.isEqual(FILE) ? 'the file' : 'another' }) };
        const [left, right] = JSON.parse(diff.query) as string[];
        return Object.assign(new ChangeDiffs(), { changes, contents }).resolve(new URI([left, right][side]));
    }

    it('is the baseline, read again with each version, and the file when nothing is listed any more', async () => {
        const diff = ChangeUris.diff(FILE, 'a b.ts (changed outside the editor)', false);
        expect(ChangeUris.changedFile(diff)?.toString()).to.equal(FILE.toString());
        version = 1;
        const left = resource(diff);
        let changed = 0;
        left.onDidChangeContents?.(() => changed++);
        expect(await left.readContents()).to.equal('before 1');
        onDidChange.fire();
        expect(changed).to.equal(0);
        version = 2;
        onDidChange.fire();
        expect(changed).to.equal(1);
        expect(await left.readContents()).to.equal('before 2');
        version = undefined;
        onDidChange.fire();
        expect(changed).to.equal(2);
        expect(await left.readContents()).to.equal('the file');
        left.dispose();
        version = 3;
        onDidChange.fire();
        expect(changed).to.equal(2);
    });

    it('of a deleted file has nothing on the right', async () => {
        const diff = ChangeUris.diff(FILE, 'a b.ts (deleted)', true);
        expect(ChangeUris.hasNoFile(diff)).to.equal(true);
        expect(await resource(diff, 1).readContents()).to.equal('');
        expect(ChangeUris.hasNoFile(ChangeUris.diff(FILE, '', false))).to.equal(false);
        expect(ChangeUris.changedFile(FILE)).to.equal(undefined);
    });

    it('has the bar of a proposal, with Keep and Undo, and which file of how many it is; says of a file that it has no single changes', () => {
        const happened: unknown[] = [];
        const editor = {
            widget: { isVisible: true, editor: { uri: ChangeUris.diff(FILE, 'a b.ts', false) } },
            setRevertible: (revertible: boolean) => happened.push(revertible),
            describe: (left: string, right: string, notices: ReadonlyArray<{ text: string }>, { answers, ...bar }: BarContent) => {
                happened.push([left, right, ...notices.map(({ text }) => text)]);
                happened.push([bar.label, bar.place, ...answers.map(({ command, word, refusal }) => [command, word, refusal].join(' '))]);
            }
        };
        const change = { uri: FILE.toString(), kind: 'modified', authors: ['Claude Code'] };
        let more: object = {};
        const changes = {
            onDidChange: onDidChange.event,
            find: () => ({ ...change, ...more }),
            toReview: [{ uri: 'file:///ws/first.ts' }, { uri: FILE.toString() }]
        };
        const diffs = Object.assign(new ChangeDiffs(), {
            changes,
            shown: new Map([[editor.widget, editor]]),
            editors: { onCreated: () => Disposable.NULL, all: [] },
            shell: { onDidChangeActiveWidget: () => Disposable.NULL },
            paths: { display: (path: string) => path.replace('/ws/', '') }
        });
        diffs.onStart();
        onDidChange.fire();
        const sides = [`Before: ${NAME}`, `Changed, editable: ${NAME}`];
        const bar = [`Changes of Claude Code to ${NAME}`, 'file 2 of 2'];
        expect(happened).to.deep.equal([true, sides, [...bar, 'companion.changes.keep Keep ', 'companion.changes.undo Undo ']]);
        happened.length = 0;
        more = { isWhole: true, canUndo: false };
        onDidChange.fire();
        diffs.onStop();
        expect(happened).to.deep.equal([
            false,
            [...sides, 'This file has more than 1 MB, or more than 20,000 lines. Keep or undo it as a whole.'],
            [...bar, 'companion.changes.keep Keep ', 'companion.changes.undo Undo This file cannot be put back.']
        ]);
    });
});

describe('The way through the diffs of changes', () => {
    let listed: string[];
    let happened: string[];
    /** Lines of the changes that each diff still has. */
    let lines: Record<string, number[]>;
    let active: string | undefined;
    let diffs: TestDiffs;
    const change = (name: string): FileChange => ({
        ...{ uri: `file:///ws/${name}`, kind: 'modified', version: 1, authors: [], changedAt: 0, canUndo: true }
    });
    const nameOf = ({ uri }: Pick<FileChange, 'uri'>): string => uri.replace('file:///ws/', '');

    class TestDiffs extends ChangeDiffs {
        override async show(one: FileChange, { isStill, from }: { isStill?: boolean; from?: string } = {}): Promise<void> {
            happened.push(`${isStill ? 'still ' : ''}${from} of ${nameOf(one)}`);
        }

        override async showFile(one: Pick<FileChange, 'uri'>): Promise<void> {
            happened.push(`file ${nameOf(one)}`);
        }

        override close(one: Pick<FileChange, 'uri'>): void {
            happened.push(`closed ${nameOf(one)}`);
        }

        override find(): ChangeDiff | undefined {
            return active === undefined ? undefined : diffOf(active);
        }
    }

    function diffOf(name: string): ChangeDiff {
        const goToChangeFrom = (line: number): boolean => {
            const to = (lines[name] ?? []).find(start => start >= line);
            happened.push(`line ${to}`);
            return to !== undefined;
        };
        const editor = {
            goToChangeFrom,
            goToChange: () => false,
            goToLastChange: () => void happened.push('last'),
            shows: (_: unknown, { startLineNumber }: LineRange) => lines[name]?.includes(startLineNumber),
            onDidCompare: () => Disposable.NULL
        };
        return { widget: widgets[name], editor, change: change(name) } as unknown as ChangeDiff;
    }

    const widgets = Object.fromEntries(['a.ts', 'b.ts', 'c.ts'].map(name => [name, { isVisible: true }]));
    const at = (line: number): { original: LineRange; modified: LineRange } => ({
        original: new LineRange(line, line + 1),
        modified: new LineRange(line, line + 1)
    });

    beforeEach(() => {
        [listed, happened, active] = [['a.ts', 'b.ts', 'c.ts'], [], 'b.ts'];
        lines = { 'b.ts': [2, 9] };
        const find = (uri: string): FileChange | undefined =>
            listed.map(name => ({ ...change(name), version: 2 })).find(one => one.uri === uri);
        diffs = Object.assign(new TestDiffs(), {
            changes: {
                onDidChange: () => Disposable.NULL,
                find,
                get toReview() {
                    return listed.map(change);
                }
            },
            guard: new AnswerGuard(),
            hold: new KeyboardHold(),
            shell: { activeWidget: widgets['b.ts'], getCurrentWidget: () => undefined }
        });
    });

    const answer = async (line: number): Promise<void> => {
        const following = diffs.filesAfter(change('b.ts'));
        lines['b.ts'] = lines['b.ts'].filter(each => each !== line);
        listed = listed.filter(name => name !== 'b.ts' || lines['b.ts'].length > 0);
        await diffs.goOn(diffOf('b.ts'), following, at(line));
    };

    it('after an answer it is the next change, then the next file; the diff that has none left closes', async () => {
        await answer(2);
        expect(happened).to.deep.equal(['line 9']);
        await answer(9);
        expect(happened.slice(1)).to.deep.equal(['first of c.ts', 'closed b.ts']);
    });

    it('the file that has changes further up is left for the next one, and stays open', async () => {
        await answer(9);
        expect(happened).to.deep.equal(['line undefined', 'first of c.ts']);
        [happened, listed] = [[], ['b.ts']];
        lines['b.ts'] = [2, 9];
        await answer(9);
        expect(happened, 'the only one').to.deep.equal(['line undefined', 'line 2']);
    });

    it('the last diff closes; files go round; the keyboard stays in a terminal', async () => {
        Object.assign(diffs, { shell: { activeWidget: {}, getCurrentWidget: () => undefined } });
        listed = ['a.ts', 'b.ts'];
        lines['b.ts'] = [2];
        await answer(2);
        expect(happened).to.deep.equal(['still first of a.ts', 'closed b.ts']);
        [happened, listed, lines] = [[], ['b.ts'], { 'b.ts': [2] }];
        await answer(2);
        expect(happened).to.deep.equal(['closed b.ts']);
        [happened, listed, lines] = [[], ['b.ts'], { 'b.ts': [2] }];
        Object.assign(diffs, { shell: { activeWidget: widgets['b.ts'], getCurrentWidget: () => undefined } });
        await answer(2);
        expect(happened, 'in the diff: it goes to the file').to.deep.equal(['file b.ts', 'closed b.ts']);
    });

    it('the keyboard stays in the terminal that the user goes to before the answer shows', async () => {
        const shell: { activeWidget: object; getCurrentWidget(): void } = {
            activeWidget: widgets['b.ts'],
            getCurrentWidget: () => undefined
        };
        Object.assign(diffs, { shell });
        lines['b.ts'] = [2];
        const answering = answer(2);
        shell.activeWidget = {};
        await answering;
        expect(happened).to.deep.equal(['still first of c.ts', 'closed b.ts']);
    });

    it('nothing moves on from a diff that the user has left before its undo came', async () => {
        Object.assign(diffs, { shell: { activeWidget: widgets['a.ts'], getCurrentWidget: () => undefined } });
        lines['b.ts'] = [2];
        widgets['b.ts'].isVisible = false;
        await answer(2);
        widgets['b.ts'].isVisible = true;
        expect(happened).to.deep.equal(['closed b.ts']);
    });

    it('next and previous go over the end of a file', async () => {
        await diffs.goToChange('next');
        await diffs.goToChange('previous');
        active = 'c.ts';
        await diffs.goToChange('next');
        expect(happened).to.deep.equal(['first of c.ts', 'last of a.ts', 'still first of a.ts']);
        [happened, listed] = [[], ['c.ts']];
        await diffs.goToChange('next');
        await diffs.goToChange('previous');
        expect(happened, 'the only file').to.deep.equal(['line undefined', 'last']);
    });

    it('where all files are below each other, it is there that the next file comes', async () => {
        const goToFile = (target: string): void => void happened.push(`${target} file`);
        diffs.find = () => ({ ...diffOf('b.ts'), goToFile });
        await diffs.goToChange('previous');
        await diffs.goToFile('next');
        expect(happened).to.deep.equal(['previous file', 'next file']);
        happened = [];
        lines['b.ts'] = [9];
        await diffs.goOn({ ...diffOf('b.ts'), goToFile }, [change('c.ts')], at(2));
        listed = ['a.ts', 'c.ts'];
        lines['b.ts'] = [];
        await diffs.goOn({ ...diffOf('b.ts'), goToFile }, [change('c.ts')], at(9));
        expect(happened).to.deep.equal(['line 9', 'next file']);
    });

    it('files that are done close, and the one in which the user did that is left for the next', async () => {
        await diffs.leave([change('a.ts'), change('c.ts')], []);
        const following = diffs.filesAfter(change('b.ts'));
        listed = ['a.ts', 'c.ts'];
        await diffs.leave([change('b.ts')], following, diffOf('b.ts'));
        expect(happened).to.deep.equal(['closed a.ts', 'closed c.ts', 'first of c.ts', 'closed b.ts']);
    });
});

function widgetOf(uri: URI, isVisible = true): EditorWidget {
    const widget = editorWidget(uri);
    Object.defineProperty(widget, 'isVisible', { value: isVisible });
    return widget;
}

describe('The diff of a deleted file', () => {
    afterEach(() => document.body.replaceChildren());

    it('closes when the file is not listed any more, and the keyboard stays in the terminal', () => {
        const [terminal, below] = [1, 2].map(() => document.body.appendChild(document.createElement('textarea')));
        const diff = widgetOf(ChangeUris.diff(FILE, NAME, true));
        let isClosed = false;
        diff.close = () => {
            isClosed = true;
            // As Theia (1.74) does with the editor under it.
            below.focus();
        };
        terminal.focus();
        const onDidChange = new Emitter<void>();
        const diffs = Object.assign(new ChangeDiffs(), {
            changes: { onDidChange: onDidChange.event, find: () => undefined },
            shown: new Map([[diff, {}]]),
            editors: { onCreated: () => Disposable.NULL, all: [] },
            shell: { onDidChangeActiveWidget: () => Disposable.NULL },
            hold: new KeyboardHold(),
            describe: () => undefined
        });
        diffs.onStart();
        onDidChange.fire();
        diffs.onStop();
        expect([isClosed, document.activeElement === terminal]).to.deep.equal([true, true]);
    });
});

describe('The change that a key is for', () => {
    it('is in the visible editor that had the keyboard last: a diff, or one of the file that shows changes', () => {
        const onDidChangeActiveWidget = new Emitter<void>();
        const diff = widgetOf(ChangeUris.diff(FILE, NAME, false));
        const own = widgetOf(FILE);
        const hidden = widgetOf(FILE, false);
        const shell: { activeWidget?: object; onDidChangeActiveWidget: Event<void> } = {
            onDidChangeActiveWidget: onDidChangeActiveWidget.event
        };
        const diffs = Object.assign(new ChangeDiffs(), {
            changes: { onDidChange: () => Disposable.NULL, find: (uri: string) => (uri === FILE.toString() ? { uri } : undefined) },
            shown: new Map([[diff, { in: 'the diff' }]]),
            editors: { onCreated: () => Disposable.NULL, all: [] },
            shell
        });
        diffs.onStart();
        const shownIn = (widget: Widget, where: string): (() => ShownDiff) => {
            const change = { uri: FILE.toString() } as FileChange;
            return () => ({ widget, editor: { in: where } as unknown as TextChanges, change });
        };
        const attached = diffs.attach(own, shownIn(own, 'its own editor'));
        diffs.attach(hidden, shownIn(hidden, 'a hidden editor'));
        const activate = (widget: object): void => {
            shell.activeWidget = widget;
            onDidChangeActiveWidget.fire();
        };
        const found = (widget?: unknown): unknown => (diffs.find(widget)?.editor as unknown as { in: string } | undefined)?.in;
        activate(own);
        activate(diff);
        activate({});
        expect([found(), found(own)]).to.deep.equal(['the diff', 'its own editor']);
        activate(own);
        activate({});
        expect(found()).to.equal('its own editor');
        attached.dispose();
        expect(found()).to.equal('the diff');
        diffs.attach(own, () => undefined);
        expect(found(), 'none is shown there').to.equal('the diff');
        const all = new Widget();
        Object.defineProperty(all, 'isVisible', { value: true });
        diffs.attach(all, shownIn(all, 'all files'));
        activate(all);
        activate({});
        expect(found(), 'what had the keyboard last').to.equal('all files');
        expect([all, diff, own].map(widget => diffs.isShown(widget))).to.deep.equal([true, true, false]);
        diffs.attach(all, () => ({ ...shownIn(all, 'all files')(), change: undefined }));
        expect(found(), 'nothing to decide there, and no other one is meant').to.equal(undefined);
        diffs.onStop();
    });
});
