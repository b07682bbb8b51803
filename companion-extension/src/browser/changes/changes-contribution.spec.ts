// SPDX-License-Identifier: Apache-2.0

import '../test/dom';
import { ApplicationShell, StatusBar, StatusBarEntry, WidgetManager } from '@theia/core/lib/browser';
import { ContextKeyService } from '@theia/core/lib/browser/context-key-service';
import { Emitter } from '@theia/core/lib/common/event';
import { MessageService } from '@theia/core/lib/common/message-service';
import { CommandRegistry } from '@theia/core/lib/common/command';
import { expect } from 'chai';
import { FileChange, UndoneChange, UndoResult } from '../../common/changes/changes-protocol';
import { AcceptedProposal } from '../../common/companion-protocol';
import { WaitingReviews } from '../review/waiting-reviews';
import { TestDialog } from '../test/dialog';
import { FakeServices } from '../test/fake-services';
import { FakeRegistries } from '../test/registries';
import { AnswerGuard } from '../window/answer-guard';
import { CompanionConnection } from '../window/companion-connection';
import { WorkspacePaths } from '../window/workspace-paths';
import { ChangeDiffs } from './change-diff';
import { ChangeOffer } from './change-offer';
import { ChangeOutcomes } from './change-outcomes';
import { ChangeOutcome, ChangeUndo } from './change-undo';
import { ChangesContribution } from './changes-contribution';
import { PageChanges } from './page-changes';
import { PastDiffs } from './past-diffs';
import { UndoMoment, UndoTime } from './undo-time';

function change(name: string, more: Partial<FileChange> = {}): FileChange {
    return { uri: `file:///ws/${name}`, kind: 'modified', version: 1, authors: [], changedAt: 0, canUndo: true, ...more };
}

class TestGuard extends AnswerGuard {
    declare movedAt: number;
}

describe('What a user does with changes', () => {
    const registries = new FakeRegistries();
    let contribution: ChangesContribution;
    let services: FakeServices;
    let files: FileChange[];
    let undone: UndoneChange[];
    let accepted: AcceptedProposal[];
    /** The diff in front, and the proposal. */
    let diff: { change: FileChange; editor: object; widget: object } | undefined;
    let review: object | undefined;
    /** Of files whose outcome is another one than `done`, by their names. */
    let outcomes: Record<string, ChangeOutcome>;
    let happened: string[];
    /** Of how many files what an undo takes away cannot be kept. */
    let lost: number;
    /** Of the list. */
    let version: number;
    let offered: StatusBarEntry | undefined;
    let connected: string[];
    let active: object | undefined;
    /** The changed file that an ordinary editor shows. */
    let inFront: FileChange | undefined;
    let isQuiet: boolean;
    let guard: TestGuard;
    /** When an undo may happen. */
    let moment: UndoMoment | undefined;
    const onDidChange = new Emitter<void>();

    before(() => TestDialog.enable());

    beforeEach(() => {
        [files, undone, accepted, outcomes, happened] = [[], [], [], {}, []];
        [lost, version, active, isQuiet, inFront] = [0, 1, undefined, true, undefined];
        [diff, review, offered, connected] = [undefined, undefined, undefined, []];
        moment = 'now';
        const did = async (what: string, { uri }: { uri: string }, ...more: unknown[]): Promise<ChangeOutcome> => {
            const name = uri.slice(uri.lastIndexOf('/') + 1);
            happened.push([what, name, ...more.map(one => JSON.stringify(one))].join(' '));
            return outcomes[name] ?? 'done';
        };
        const resultOf = async (all: ReadonlyArray<{ uri: string }>, what: string): Promise<UndoResult> => {
            const result: UndoResult = { done: [], left: [] };
            for (const one of all) {
                const outcome = await did(what, one);
                if (outcome === 'changed' || outcome === 'edited' || outcome === 'failed' || outcome === 'no-room') {
                    result.left.push({ uri: one.uri, reason: outcome, ...(outcome === 'failed' && { cause: 'EACCES' }) });
                } else {
                    result.done.push(one.uri);
                }
            }
            return result;
        };
        const isUndoable = ({ canUndo, group }: FileChange): boolean => canUndo && group === undefined;
        const keys = new Map<string, unknown>();
        services = new FakeServices();
        services.bind(WidgetManager, {});
        services.bind(CommandRegistry, {});
        services.bind(ApplicationShell, {
            get activeWidget() {
                return active;
            },
            activateWidget: async (id: string) => void happened.push(`activated ${id}`)
        });
        services.bind(ContextKeyService, {
            createKey: (name: string, value: unknown) => ({
                set: (now: unknown) => keys.set(name, now),
                get: () => keys.get(name) ?? value
            })
        });
        services.bind(MessageService, {
            info: (text: string) => void happened.push(text),
            error: (text: string) => void happened.push(`error: ${text}`)
        });
        services.bind(StatusBar, {
            setElement: async (_: string, entry: StatusBarEntry) => void (offered = entry),
            removeElement: async () => void (offered = undefined)
        });
        services.bindReal(ChangeOffer);
        services.bind(WorkspacePaths, { display: (path: string) => path.replace('/ws/', '') });
        services.bind(CompanionConnection, {
            get state() {
                return { status: { connections: connected.map(displayName => ({ displayName })) } };
            }
        });
        services.bind(WaitingReviews, {
            get widgetInFront() {
                return review;
            },
            get isQuiet() {
                return isQuiet;
            }
        });
        services.bind(PageChanges, {
            onDidChange: onDidChange.event,
            look: async () => void happened.push('looked'),
            find: (uri: string) => files.find(one => one.uri === uri),
            get accepted() {
                return accepted;
            },
            get undoable() {
                return accepted.find(({ noUndo }) => noUndo === undefined);
            },
            get files() {
                return files;
            },
            get toReview() {
                return files.filter(({ group }) => group === undefined);
            },
            get list() {
                return { files, undone, turns: [], more: 0, tracking: true, version };
            }
        });
        services.bind(ChangeDiffs, {
            isShown: (widget: unknown) => widget !== undefined && widget === diff?.widget,
            find: (widget?: unknown) => (widget === undefined || widget === diff?.widget ? diff : undefined),
            findBy: (uri: unknown) => (uri === 'companion-baseline:/ws/a.ts' ? diff : undefined),
            shownIn: (_: unknown, mapping?: unknown) => ({ base: 'before', ...(mapping !== undefined && { lines: mapping }) }),
            show: (one: FileChange) => did('showed', one),
            showFile: (one: AcceptedProposal) => did('showed the file', one),
            goToChange: async (target: string) => void happened.push(`to the ${target} change`),
            goToFile: async (target: string) => void happened.push(`to the ${target} file`),
            showNextFile: async (one?: FileChange) => {
                happened.push(`to the file after ${one?.uri ?? 'none'}`);
                return files.length > 0;
            },
            filesAfter: () => [],
            get ofFileInFront() {
                return inFront;
            },
            goOn: (one: { change: FileChange }) => did('went on from', one.change),
            leave: async (done: readonly FileChange[], _: unknown, from?: unknown) => {
                const names = done.map(({ uri }) => uri.replace('file:///ws/', ''));
                happened.push(...(names.length > 0 ? [`left ${names.join(', ')}${from ? ' for the next' : ''}`] : []));
            }
        });
        services.bind(PastDiffs, { show: (one: { uri: string }) => did('showed as it was', one) });
        services.bind(UndoTime, { comes: async () => moment });
        services.bind(ChangeUndo, {
            keep: (one: FileChange, ...shown: unknown[]) => did('kept', one, ...shown.filter(Boolean)),
            undo: (one: FileChange, ...shown: unknown[]) => did('undid', one, ...shown.filter(Boolean)),
            undoAccepted: async (one: AcceptedProposal) => {
                const outcome = await did('undid accepted', one);
                accepted = accepted.filter(({ id }) => outcome !== 'done' || id !== one.id);
                return outcome;
            },
            isAsShown: async () => true,
            undoFiles: (all: readonly FileChange[]) => resultOf(all, 'undid'),
            countUndoAll: async () => ({ files: files.filter(isUndoable).length, lost }),
            undoAll: async (version: number) => (version === 1 ? resultOf(files.filter(isUndoable), 'undid') : undefined),
            keepAll: async (version: number) => {
                happened.push('kept all');
                return version === 1;
            },
            clearUndone: async (version: number) => {
                happened.push('cleared what was undone');
                return version === 1;
            },
            putBack: (id: string, uri?: string) =>
                resultOf(
                    undone.filter(one => one.id === id && (uri ?? one.uri) === one.uri),
                    'put back'
                )
        });
        services.bindReal(ChangeOutcomes);
        guard = services.create(AnswerGuard, TestGuard) as TestGuard;
        contribution = services.create(
            ChangesContribution,
            class extends ChangesContribution {
                override async openView(): Promise<never> {
                    happened.push('opened the view');
                    return { isVisible: true } as never;
                }
            }
        );
        contribution.registerCommands(registries.commands);
    });

    afterEach(() => services.get(ChangeOffer).hide());

    const run = (id: string, ...parameters: unknown[]): Promise<void> => registries.execute(`companion.changes.${id}`, ...parameters);
    const isEnabled = (id: string): boolean | undefined => registries.isEnabled(`companion.changes.${id}`);

    it('the view gets its place in the side bar with the first change', () => {
        contribution.onStart();
        onDidChange.fire();
        files = [change('a.ts', { group: 'committed' })];
        onDidChange.fire();
        expect(happened).to.deep.equal([]);
        files = [change('a.ts')];
        onDidChange.fire();
        onDidChange.fire();
        expect(happened).to.deep.equal(['opened the view']);
        contribution.onStop();
    });

    it('keys go through the changes and their files; proposals come first', async () => {
        expect(isEnabled('next')).to.equal(false);
        files = [change('a.ts')];
        await run('next');
        await run('previous');
        await run('nextFile');
        await run('review');
        expect(happened).to.deep.equal(['to the next change', 'to the previous change', 'to the next file', 'to the file after none']);
        review = {};
        expect(isEnabled('next')).to.equal(false);
        expect(isEnabled('nextFile')).to.equal(true);
    });

    it('"Review" opens the list only if no file can be shown', async () => {
        await run('review');
        expect(happened).to.deep.equal(['to the file after none', 'opened the view', 'looked']);
    });

    describe('Keep and Undo', () => {
        let atChange: string | undefined;
        let inDiff: object;

        beforeEach(() => {
            atChange = 'in view';
            inDiff = {
                shownSince: -Infinity,
                isOnScreen: true,
                get changeInView() {
                    return atChange;
                },
                revealChange: () => void happened.push('went to a change'),
                say: (text: string) => void happened.push(text)
            };
            diff = { change: change('a.ts'), editor: inDiff, widget: { id: 'diff' } };
        });

        const TOO_SOON = 'Not answered: look at it, then press again.';
        const KEPT = ['kept a.ts {"base":"before","lines":"in view"}', 'went on from a.ts'];
        const later = (): number => (guard.movedAt = -Infinity);

        it('are for the change in view, and go on from it; the keyboard stays where it is', async () => {
            await run('keep');
            later();
            await run('undo', diff?.widget);
            expect(happened).to.deep.equal([...KEPT, 'undid a.ts {"base":"before","lines":"in view"}', 'went on from a.ts']);
        });

        it('of the toolbar at a change are for that one, and give the keyboard to its text', async () => {
            await run('keep', { mapping: 'clicked', originalUri: 'companion-baseline:/ws/a.ts' });
            later();
            await run('undo', { mapping: 'clicked', originalUri: 'companion-baseline:/ws/other.ts' });
            expect(happened).to.deep.equal(['activated diff', 'kept a.ts {"base":"before","lines":"clicked"}', 'went on from a.ts']);
        });

        it('wait half a second after an answer, after the text has changed, and for what is in view', async () => {
            await run('keep');
            await run('keep');
            expect(happened).to.deep.equal([...KEPT, TOO_SOON]);
            happened = [];
            later();
            Object.assign(inDiff, { shownSince: performance.now() });
            await run('undo');
            Object.assign(inDiff, { shownSince: -Infinity });
            later();
            atChange = undefined;
            await run('undo');
            expect(happened).to.deep.equal([TOO_SOON, 'went to a change', TOO_SOON]);
        });

        it('by a key answer nothing while a proposal waits, or has just ended; in the diff itself they do', async () => {
            isQuiet = false;
            await run('keep');
            expect(happened).to.deep.equal([TOO_SOON]);
            later();
            active = diff?.widget;
            await run('keep');
            expect(happened.slice(1)).to.deep.equal(KEPT);
        });

        it('are for the whole file if it has no single changes', async () => {
            atChange = undefined;
            diff = { change: change('a.ts', { isWhole: true }), editor: inDiff, widget: { id: 'diff' } };
            await run('keep');
            expect(happened).to.deep.equal(['kept a.ts {"base":"before"}', 'left a.ts for the next']);
        });
    });

    it('undo what a working agent has changed when the time has come: a file as it is then, a change as it was seen', async () => {
        moment = undefined;
        files = [change('a.ts', { version: 2 })];
        diff = { change: change('a.ts'), editor: { shownSince: -Infinity, isOnScreen: true, changeInView: 'in view' }, widget: {} };
        await run('undoFile', change('a.ts'));
        await run('undoAll');
        await run('undo');
        expect(happened).to.deep.equal([]);
        [moment, guard.movedAt] = ['later', -Infinity];
        await run('undo');
        await run('undoFile', change('a.ts'));
        await run('undoFile', change('gone.ts'));
        const asSeen = ['undid a.ts {"base":"before","lines":"in view"}', 'went on from a.ts'];
        expect(happened).to.deep.equal([...asSeen, 'undid a.ts', 'left a.ts']);
    });

    it('a file is kept or undone from its row, or from its diff with what that shows', async () => {
        await run('undoFile', change('a.ts'));
        await run('keepFile', change('b.ts'));
        diff = { change: change('c.ts'), editor: {}, widget: {} };
        await run('keepFile', diff.widget);
        expect(happened).to.deep.equal([
            'undid a.ts',
            'left a.ts',
            'kept b.ts',
            'left b.ts',
            'kept c.ts {"base":"before"}',
            'left c.ts for the next'
        ]);
    });

    it('a file is kept and undone from the palette, too, with itself in front', async () => {
        expect([isEnabled('keepFile'), isEnabled('undoFile')]).to.deep.equal([false, false]);
        inFront = change('a.bin', { kind: 'unknown', canUndo: false });
        expect([isEnabled('keepFile'), isEnabled('undoFile')]).to.deep.equal([true, false]);
        await run('keepFile');
        expect(happened).to.deep.equal(['kept a.bin', 'left a.bin']);
    });

    it('what was not done is said, and its diff stays', async () => {
        outcomes = { 'a.ts': 'changed' };
        files = [change('a.ts')];
        await run('keepFile', files[0]);
        expect(happened).to.deep.equal(['kept a.ts', 'a.ts has changed since this was shown. Look at it, then try again.']);
    });

    it('all are undone: many after a question, and if some cannot be put back; not what counts in no number', async () => {
        files = [change('a.ts'), change('b.bin', { canUndo: false }), change('c.ts', { group: 'outside' })];
        await run('undoAll');
        expect(happened, 'and its diff closes').to.deep.equal(['undid a.ts', 'left a.ts']);
        files = Array.from({ length: 51 }, (_, index) => change(`${index}.ts`));
        let undoing = run('undoAll');
        expect(await TestDialog.answer('Cancel')).to.contain('Undo the changes of all 51 files?');
        await undoing;
        files = [change('a.ts'), change('d.ts')];
        lost = 1;
        undoing = run('undoAll');
        expect(await TestDialog.answer('Cancel')).to.contain('1 of them cannot be put back: there is no room.');
        await undoing;
        expect(happened.length).to.equal(2);
        [lost, version] = [0, 2];
        await run('undoAll');
        expect(happened.slice(2)).to.deep.equal(['The list has changed. Look at it, then press again.']);
    });

    it('all are kept after a question: that cannot be taken back', async () => {
        files = [change('a.ts'), change('b.ts', { group: 'outside' })];
        let keeping = run('keepAll');
        expect(await TestDialog.answer('Cancel')).to.contain('Keep the changes of all 2 files?');
        await keeping;
        expect(happened).to.deep.equal([]);
        keeping = run('keepAll', [files[1], files[0]]);
        await TestDialog.answer('Keep All Changes');
        await keeping;
        expect(happened.filter(text => text.startsWith('kept'))).to.deep.equal(['kept b.ts', 'kept a.ts']);
        keeping = run('keepAll');
        await TestDialog.answer('Keep All Changes');
        await keeping;
        expect(happened.at(-1)).to.equal('kept all');
    });

    it('the last one that was undone is put back, or the one of a row', async () => {
        expect(isEnabled('putBack')).to.equal(false);
        undone = ['last.ts', 'first.ts'].map(name => ({ id: name, uri: `file:///ws/${name}`, at: 0 }));
        await run('putBack');
        await run('putBack', undone[1]);
        expect(happened).to.deep.equal(['put back last.ts', 'put back first.ts']);
    });

    it('what was undone is cleared', async () => {
        expect(isEnabled('clearUndone')).to.equal(false);
        undone = [{ id: 'a', uri: 'file:///ws/a.ts', at: 0 }];
        await run('clearUndone');
        version = 2;
        await run('clearUndone');
        const cleared = 'cleared what was undone';
        expect(happened).to.deep.equal([cleared, cleared, 'The list has changed. Look at it, then press again.']);
    });

    it('all that was undone at once is put back at once: what cannot go back is named, and stops nothing', async () => {
        undone = [
            ...['a.ts', 'b.ts', 'c.ts'].map(name => ({ id: 'newer', uri: `file:///ws/${name}`, at: 2 })),
            { id: 'older', uri: 'file:///ws/d.ts', at: 1 }
        ];
        outcomes = { 'a.ts': 'changed', 'b.ts': 'failed' };
        await run('putBack');
        const left = [
            'a.ts has changed since this was shown. Look at it, then try again.',
            'Could not be written, and stays listed: b.ts: EACCES'
        ];
        expect(happened).to.deep.equal(['put back a.ts', 'put back b.ts', 'put back c.ts', ...left]);
        [happened, undone] = [[], undone.filter(({ uri }) => !uri.endsWith('c.ts'))];
        await run('putBack', undone.slice(0, 2));
        expect(happened, 'of the row of these').to.deep.equal(['put back a.ts', 'put back b.ts', ...left]);
        happened = [];
        await run('putBack');
        expect(happened, 'an older one').to.deep.equal(['put back a.ts', 'put back b.ts', 'put back d.ts', ...left]);
    });

    it('the proposal that was accepted last is undone, or that of a row; its file is shown', async () => {
        const undoAccepted = (row?: AcceptedProposal): Promise<void> => registries.execute('companion.review.undoAccepted', row);
        expect(registries.isEnabled('companion.review.undoAccepted')).to.equal(false);
        accepted = ['never-shared.ts', 'last.ts', 'new.ts', 'changed.ts'].map(name => ({
            ...{ id: name, path: `/ws/${name}`, uri: `file:///ws/${name}` },
            ...{ cliName: 'Qwen Code', verdict: 'written', judged: 1, acceptedAt: 0 },
            ...(name === 'new.ts' && { isNew: true as const }),
            ...(name === 'never-shared.ts' && { noUndo: 'private' as const })
        }));
        outcomes = { 'changed.ts': 'changed' };
        await run('show', accepted[1]);
        await undoAccepted();
        await undoAccepted(accepted[2]);
        await undoAccepted();
        expect(happened).to.deep.equal([
            'showed as it was last.ts',
            'undid accepted last.ts',
            'showed the file last.ts',
            'undid accepted changed.ts',
            'changed.ts has changed since this was shown. Look at it, then try again.',
            'undid accepted new.ts'
        ]);
        expect(accepted.map(({ id }) => id)).to.deep.equal(['never-shared.ts', 'changed.ts']);
    });

    it('the CLI that wrote what was undone can be told, if it is connected, and is the only one', async () => {
        const [a, b] = ['a.ts', 'src/b.ts'].map(name => change(name, { authors: ['Qwen Code'] }));
        await run('undoFile', a);
        expect(offered, 'it has ended').to.equal(undefined);
        connected = ['Qwen Code', 'Claude Code'];
        await run('undoFile', b);
        expect(offered).to.include({ text: 'src/b.ts undone $(comment) Tell Qwen Code', command: 'companion.prompt.tellUndone' });
        expect(offered?.arguments).to.deep.equal([['/ws/src/b.ts'], 'Qwen Code']);
        files = [a, change('c.ts', { authors: ['Claude Code'] })];
        await run('undoAll');
        expect(offered, 'two wrote them').to.equal(undefined);
        files = [a, change('c.ts', { authors: ['Qwen Code'] })];
        await run('undoAll');
        expect(offered?.text).to.equal('2 files undone $(comment) Tell Qwen Code');
        await run('undoFile', change('of-nobody.ts'));
        expect(offered, 'an offer about an older undo is gone').to.equal(undefined);
    });

    it('the view looks at the files each time it is asked for', async () => {
        await run('show');
        await run('show', change('a.ts'));
        expect(happened).to.deep.equal(['opened the view', 'looked', 'showed a.ts']);
    });
});
