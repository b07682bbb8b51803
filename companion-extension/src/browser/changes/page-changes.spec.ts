// SPDX-License-Identifier: Apache-2.0

import '../test/dom';
import { Emitter } from '@theia/core/lib/common/event';
import { expect } from 'chai';
import { ChangeList, ChangesBackend, FileChange } from '../../common/changes/changes-protocol';
import { decodeRaw, editorText, encodeRaw, formOf, toWire } from '../../common/diff/raw-text';

import { FakeServices } from '../test/fake-services';
import { FileEncodings } from '../diff/file-encodings';
import { CompanionConnection } from '../window/companion-connection';
import { groupsOf } from './change-groups';
import { speakChange, titleOf } from './change-words';
import { PageChanges } from './page-changes';

function change(name: string, more: Partial<FileChange> = {}): FileChange {
    return { uri: `file:///ws/${name}`, kind: 'modified', version: 1, authors: [], changedAt: 0, canUndo: true, ...more };
}

function list(version: number, files: FileChange[] = [], more: Partial<ChangeList> = {}): ChangeList {
    return { version, tracking: true, files, more: 0, undone: [], turns: [], ...more };
}

describe('The list of what was changed outside the editor', () => {
    let changes: PageChanges;
    let connection: { state: { changes: { version: number; count: number } } | undefined };
    let answers: Array<Promise<ChangeList> | ChangeList>;
    let looks: boolean[];
    let fired: number;
    let baseline: { version: number; text?: string } | undefined;
    const [onDidChangeState, onDidRecover] = [new Emitter<void>(), new Emitter<void>()];

    beforeEach(() => {
        connection = { state: undefined };
        [answers, looks, fired, baseline] = [[], [], 0, undefined];
        const services = new FakeServices();
        services.bind(
            CompanionConnection,
            Object.assign(connection, {
                onDidChangeState: onDidChangeState.event,
                onDidRecover: onDidRecover.event,
                ask: (call: () => Promise<unknown>) => call()
            })
        );
        services.bind(ChangesBackend, {
            readChanges: async (look: boolean) => {
                looks.push(look);
                return answers.shift() ?? list(0);
            },
            // Theia's RPC makes null of undefined.
            readBaseline: async () => baseline ?? null
        });
        services.bind(FileEncodings, {
            textOf: async (_: unknown, raw: string) => (formOf(raw) === 'bytes' ? `${[...encodeRaw(raw)]}\n` : editorText(raw))
        });
        changes = services.create(PageChanges);
        changes.onDidChange(() => fired++);
        changes.onStart();
    });

    afterEach(() => changes.onStop());

    async function tell(version: number): Promise<void> {
        connection.state = { changes: { version, count: version } };
        onDidChangeState.fire();
        await settled();
    }

    const settled = (): Promise<void> => new Promise(resolve => setTimeout(resolve));

    it('has no text before the hello: a diff is restored earlier, and the backend would refuse', async () => {
        let sayHello: () => void = () => undefined;
        Object.assign(connection, { ready: new Promise<void>(resolve => (sayHello = resolve)) });
        baseline = { version: 1, text: 'a' };
        let isRead = false;
        const reading = changes.readBaseline('file:///ws/a.ts').then(() => (isRead = true));
        await settled();
        expect(isRead).to.equal(false);
        sayHello();
        expect(await reading).to.equal(true);
    });

    it('is read once for each version, and again from another backend', async () => {
        answers = [list(1, [change('a b.ts')])];
        await tell(1);
        await tell(1);
        expect(looks).to.deep.equal([false]);
        expect(changes.find('file:///ws/a%20b.ts')?.version).to.equal(1);
        expect(changes.count).to.equal(1);
        onDidRecover.fire();
        await settled();
        expect(looks).to.deep.equal([false, false]);
        expect(changes.files).to.deep.equal([]);
        expect(fired).to.equal(2);
        expect(await changes.readBaseline('file:///ws/a.ts')).to.equal(undefined);
    });

    it('has baselines of which no byte is lost, and what an editor shows of them', async () => {
        const read = async (text?: string): Promise<unknown> => {
            baseline = { version: 1, ...(text !== undefined && { text }) };
            return changes.readBaseline('file:///ws/a.ts');
        };
        expect(await read()).to.deep.equal({ version: 1, text: null, shown: '' });
        expect(await read('\uFEFFa\r\n')).to.deep.equal({ version: 1, text: '\uFEFFa\r\n', shown: 'a\n' });
        const gbk = decodeRaw(Uint8Array.from([0xd6, 0xd0])) ?? '';
        expect(await read(toWire(gbk))).to.deep.equal({ version: 1, text: gbk, shown: '214,208\n' });
    });

    it('has no accepted proposal that this page has undone, though the backend still names it', () => {
        const accepted = ['b', 'a'].map(id => ({ id }));
        connection.state = { changes: { version: 0, count: 0 }, accepted } as unknown as typeof connection.state;
        onDidChangeState.fire();
        const before = fired;
        changes.removeAccepted('b');
        expect([changes.accepted.map(({ id }) => id), fired - before]).to.deep.equal([['a'], 1]);
    });

    it('is not read for each of many versions, and is the newest in the end', async () => {
        answers = [list(1), list(9, [change('a.ts')])];
        await Promise.all([1, 2, 3, 9].map(version => tell(version)));
        await settled();
        expect(looks).to.deep.equal([false, false]);
        expect(changes.list.version).to.equal(9);
    });

    it('is that of the later call, whichever answer comes first', async () => {
        let answer: (of: ChangeList) => void = () => undefined;
        answers = [new Promise<ChangeList>(resolve => (answer = resolve)), list(2, [change('new.ts')])];
        await tell(1);
        await changes.look();
        answer(list(1, [change('old.ts')]));
        await settled();
        expect(changes.files.map(({ uri }) => uri)).to.deep.equal(['file:///ws/new.ts']);
        expect(looks).to.deep.equal([false, true]);
    });

    it('is asked for again if it could not be read', async () => {
        answers = [Promise.reject(new Error('lost')), list(1, [change('a.ts')])];
        await tell(1);
        await tell(1);
        expect(changes.files.length).to.equal(1);
    });

    it('is grouped by who wrote and when; what is committed and undone comes last, closed', () => {
        const at = (minute: number): number => new Date(2026, 10, 27, 12, minute).getTime();
        const groups = groupsOf(
            list(
                1,
                [
                    change('a.ts', { authors: ['Qwen Code'], changedAt: at(9) }),
                    change('b.ts', { changedAt: at(8), group: 'outside' }),
                    change('g.ts', { changedAt: at(7), authors: ['Codex', 'Qwen Code'] }),
                    change('c.ts', { authors: ['Qwen Code'], changedAt: at(8) }),
                    change('d.ts', { authors: ['Qwen Code'], changedAt: at(3), group: 'committed' }),
                    change('e.ts', { authors: ['Qwen Code'], changedAt: at(2), isCommitted: true }),
                    change('h.ts', { changedAt: at(1) })
                ],
                {
                    undone: [
                        { id: 'x', uri: 'file:///ws/f.ts', at: at(6) },
                        ...['i.ts', 'j.ts'].map(name => ({ id: 'y', uri: `file:///ws/${name}`, at: at(5) }))
                    ]
                }
            )
        );
        const shown = groups.map(({ label, files, startsClosed }) => `${label}: ${files.map(({ uri }) => uri.slice(-4))} ${startsClosed}`);
        expect(shown.map(text => text.replace(/\s/g, ' '))).to.deep.equal([
            'Qwen Code · 12:09 PM: a.ts,c.ts false',
            'Codex, Qwen Code · 12:07 PM: g.ts false',
            'Committed while Qwen Code worked · 12:02 PM: e.ts false',
            'An agent · 12:01 PM: h.ts false',
            'While no agent worked (1): b.ts true',
            'As committed (1): d.ts true',
            'Undone at 12:05 PM (2):  true',
            'Undone (1):  true'
        ]);
        expect(groups[6].undone.map(({ uri }) => uri.slice(-4))).to.deep.equal(['i.ts', 'j.ts']);
        expect(new Set(groups.map(({ id }) => id)).size).to.equal(8);
    });

    it('is grouped by turns, also those of which all files were changed again later; what is committed is none of them', () => {
        const at = (minute: number): number => new Date(2026, 10, 27, 12, minute).getTime();
        const authors = ['Claude Code'];
        const groups = groupsOf(
            list(
                1,
                [
                    change('b.ts', { authors, turn: 'new', changedAt: at(9) }),
                    change('a.ts', { authors, turn: 'new', changedAt: at(8) }),
                    change('c.ts', { authors, turn: 'old', changedAt: at(3), isCommitted: true }),
                    change('d.ts', { authors: ['Codex'], changedAt: at(6) })
                ],
                {
                    turns: [
                        { id: 'new', startedAt: at(7), agents: ['Claude Code', 'Codex'], files: 2, prompt: 'Fix\u202e it' },
                        { id: 'old', startedAt: at(2), agents: authors, files: 1 }
                    ]
                }
            )
        );
        const shown = groups.map(({ label, files, turn }) => `${label}: ${files.map(({ uri }) => uri.slice(-4))} ${turn?.id}`);
        expect(shown.map(text => text.replace(/\s/g, ' '))).to.deep.equal([
            'Claude Code, Codex · 12:07 PM · 2 files · Fix[U+202E] it: a.ts,b.ts new',
            'Codex · 12:06 PM: d.ts undefined',
            'Committed while Claude Code worked · 12:03 PM: c.ts undefined',
            'Claude Code · 12:02 PM · 1 file:  old'
        ]);
        expect(new Set(groups.map(({ id }) => id)).size).to.equal(4);
    });

    it('says who wrote only if somebody said so', () => {
        const known = change('a.ts', { authors: ['Qwen Code'], added: 3, removed: 1 });
        expect(speakChange(known, 'a.ts', 'src')).to.equal('a.ts, changed, Qwen Code, lines added: 3, lines removed: 1, src');
        expect(speakChange(change('b.bin', { kind: 'unknown' }), 'b.bin', '')).to.equal('b.bin, text before not known');
        expect(titleOf(known, 'a.ts')).to.equal('a.ts (changed by Qwen Code)');
        expect(titleOf(change('a.ts'), 'a.ts')).to.equal('a.ts (changed outside the editor)');
    });
});
