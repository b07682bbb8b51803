// SPDX-License-Identifier: Apache-2.0

import '../test/dom';
import { CompositeTreeNode, SelectableTreeNode, TreeNode } from '@theia/core/lib/browser';
import { expect } from 'chai';
import { restore, stub } from 'sinon';
import { FileChange } from '../../common/changes/changes-protocol';
import { AnswerGuard } from '../window/answer-guard';
import { ChangeGroupContribution } from './change-group-contribution';
import { ChangesView } from './changes-view';

/** Without what draws the tree. */
class TestView extends ChangesView {
    static make(services: object): TestView {
        const state = { order: [], names: new Map(), movedAt: -Infinity, accepted: { all: [] }, badges: { showBadge: () => undefined } };
        return Object.assign(Object.create(TestView.prototype) as TestView, state, services);
    }

    override refresh(): void {
        super.refresh();
    }

    override namesOf(row: FileChange): { path: string; display: string; name: string; folder: string } {
        return super.namesOf(row);
    }

    override showChange(node: TreeNode): void {
        super.showChange(node);
    }

    override answerSelected(icon: 'check' | 'discard'): void {
        super.answerSelected(icon);
    }
}

function change(name: string, more: Partial<FileChange> = {}): FileChange {
    return { uri: `file:///ws/${name}`, kind: 'modified', version: 1, authors: [], changedAt: 0, canUndo: true, ...more };
}

describe('The rows of the changes', () => {
    let files: FileChange[];
    let contributions: ChangeGroupContribution[];
    let selected: TreeNode | undefined;
    let executed: unknown[][];
    let root: CompositeTreeNode | undefined;
    let view: TestView;
    let guard: AnswerGuard;
    let said: string[];
    let now: number;

    beforeEach(() => {
        [files, contributions, selected, executed, said, root, now] = [[], [], undefined, [], [], undefined, 10_000];
        stub(performance, 'now').callsFake(() => now);
        guard = new AnswerGuard();
        view = TestView.make({
            changes: {
                get list() {
                    return { files, undone: [], turns: [], more: 0, tracking: true, version: 1 };
                },
                count: 0
            },
            guard,
            messages: { info: async (text: string) => void said.push(text) },
            paths: { display: (path: string) => path.replace('/ws/', '') },
            contributions: { getContributions: () => contributions },
            commands: { executeCommand: async (...command: unknown[]) => void executed.push(command) },
            model: {
                get root() {
                    return root;
                },
                set root(to) {
                    root = to;
                },
                getNode: (id: string) => rows().find(node => node.id === id),
                get selectedNodes() {
                    return selected ? [selected] : [];
                },
                selectNode: (node: SelectableTreeNode) => void (selected = node)
            }
        });
    });
    afterEach(() => restore());

    const rows = (): TreeNode[] => (root?.children ?? []).flatMap(group => [group, ...(group as CompositeTreeNode).children]);
    const row = (id: string): TreeNode => rows().find(node => node.id === id)!;

    it('another feature has groups behind those of the changes, with buttons and commands of its own', () => {
        files = [change('a.ts')];
        contributions = [
            {
                onDidChange: () => ({ dispose: () => undefined }),
                groups: () => [
                    {
                        id: 'comments',
                        label: 'Comments (1)',
                        rows: [
                            {
                                ...{ id: '1', uri: 'file:///ws/b.ts', command: 'comments.show', args: [1] },
                                buttons: [{ icon: 'discard', tooltip: 'Discard', command: 'comments.discard', args: [1] }]
                            }
                        ]
                    }
                ]
            }
        ];
        view.refresh();
        now += 1_000;
        expect(rows().map(({ id }) => id)).to.deep.equal(['changed 0 ', 'file:///ws/a.ts', 'comments', 'comments 1']);
        selected = row('comments 1');
        view.showChange(selected);
        view.answerSelected('discard');
        view.answerSelected('check');
        expect(executed).to.deep.equal([
            ['comments.show', 1],
            ['comments.discard', 1]
        ]);
    });

    it('a key keeps or undoes the selected file, and then the next row is selected; it is safe from the same key for a moment', () => {
        files = ['a.ts', 'b.ts', 'c.ts'].map(name => change(name));
        view.refresh();
        now += 1_000;
        selected = row('file:///ws/b.ts');
        view.answerSelected('discard');
        files = [files[0], files[2]];
        view.refresh();
        expect(selected.id).to.equal('file:///ws/c.ts');
        expect(said).to.deep.equal([]);
        view.answerSelected('discard');
        expect(said).to.deep.equal(['Not answered: look at it, then press again.']);
        now += 1_000;
        view.answerSelected('check');
        files = [files[0]];
        view.refresh();
        expect(selected.id, 'the last one').to.equal('file:///ws/a.ts');
        const [b, c] = [change('b.ts'), change('c.ts')];
        expect(executed).to.deep.equal([
            ['companion.changes.undoFile', b],
            ['companion.changes.keepFile', c]
        ]);
    });

    it('a key that is held down answers once', () => {
        files = ['a.ts', 'b.ts'].map(name => change(name));
        view.refresh();
        now += 1_000;
        selected = row('file:///ws/a.ts');
        expect(guard.pressKey('Delete', false)).to.equal(true);
        view.answerSelected('discard');
        files = [files[1]];
        view.refresh();
        now += 1_000;
        expect(guard.pressKey('Delete', true), 'which reaches nothing').to.equal(false);
        view.answerSelected('discard');
        expect(executed).to.have.length(1);
    });

    it('a new folder has its name, and the folder that it lies in', () => {
        const of = ({ name, folder }: { name: string; folder: string }): string[] => [name, folder];
        expect(of(view.namesOf(change('src/new/', { kind: 'folder' })))).to.deep.equal(['new', 'src']);
        expect(of(view.namesOf(change('new/', { kind: 'folder' })))).to.deep.equal(['new', '']);
        expect(of(view.namesOf(change('src/a.ts')))).to.deep.equal(['a.ts', 'src']);
    });

    it('a file whose text before is not known is kept as any other, and not undone', () => {
        files = [change('a.ts', { kind: 'unknown', canUndo: false })];
        view.refresh();
        now += 1_000;
        selected = row('file:///ws/a.ts');
        view.answerSelected('discard');
        view.answerSelected('check');
        expect(executed).to.deep.equal([['companion.changes.keepFile', files[0]]]);
    });
});
