// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { SinonFakeTimers, useFakeTimers } from 'sinon';
import { Disposable } from '@theia/core/lib/common/disposable';
import { WRITE_TIME_MS } from '../../common/companion-limits';
import { ReviewInfo } from '../../common/companion-protocol';
import { Accepted, AfterAcceptPage, ExpectedWrite, FileSnapshot, Written } from './expected-write';

const NO_FILE: FileSnapshot = { exists: false, text: '' };

describe('ExpectedWrite', () => {
    let clock: SinonFakeTimers;
    let disk: FileSnapshot;
    let watching: Set<() => void>;
    /** An editor saves the file. */
    let save: (text: string) => void;
    let said: string[];
    let mayShow: boolean;
    let inFront: string;
    let page: AfterAcceptPage;

    beforeEach(() => {
        clock = useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] });
        disk = { exists: true, text: 'before\n' };
        watching = new Set();
        said = [];
        mayShow = true;
        inFront = 'the tab beside the diff';
        page = {
            watch: (_, changed, saved) => {
                watching.add(changed);
                save = saved;
                return Disposable.create(() => watching.delete(changed));
            },
            read: async () => disk,
            get inFront() {
                return inFront;
            },
            mayShow: () => mayShow,
            show: async ({ text }) => void said.push(`shown: ${text}`),
            tellWritten: ({ review, before, differs, lost }: Written) =>
                said.push(`written${differs ? ' otherwise' : ''}${lost ? `, lost: ${lost}` : ''}: ${review.path}, before: ${before.text}`),
            tellNotWritten: ({ path }, obstacle) => said.push(`not written: ${path}${obstacle ? `, ${obstacle}` : ''}`)
        };
    });
    afterEach(() => clock.restore());

    it('a written file is announced and shown', async () => {
        accept({ text: 'after\n' }).handleConfirmed();
        await write('after\n');
        expect(said).to.deep.equal(['written: /ws/a.txt, before: before\n', 'shown: after\n']);
        await clock.tickAsync(2_000);
        expect(watching.size, 'nothing is watched any more').to.equal(0);
        await clock.tickAsync(WRITE_TIME_MS);
        expect(said).to.have.length(2);
    });

    it('a new file, too, and one that was written before the answer was confirmed', async () => {
        disk = NO_FILE;
        const expected = accept({ text: 'new\n', before: Promise.resolve(NO_FILE) });
        await write('new\n');
        expect(said).to.deep.equal([]);
        expected.handleConfirmed();
        await settled();
        expect(said).to.deep.equal(['written: /ws/a.txt, before: ', 'shown: new\n']);
    });

    it('only the status bar says so if the user has opened something else since the diff closed', async () => {
        accept({ text: 'after\n' }).handleConfirmed();
        inFront = 'another file';
        await write('after\n');
        expect(said).to.deep.equal(['written: /ws/a.txt, before: before\n']);
    });

    it('only the status bar says so if the file would cover what the user needs', async () => {
        mayShow = false;
        accept({ text: 'after\n' }).handleConfirmed();
        await write('after\n');
        expect(said).to.deep.equal(['written: /ws/a.txt, before: before\n']);
    });

    it('line endings and the byte order mark may differ; an intermediate text is not what was accepted', async () => {
        accept({ text: 'one\ntwo\n' }).handleConfirmed();
        await write('one\n');
        expect(said).to.deep.equal([]);
        await write('\uFEFFone\r\ntwo\r\n');
        expect(said[0]).to.match(/^written:/);
    });

    it('the first change is the write, also where it is not what was accepted: that is said', async () => {
        accept({ text: '    one\n', edited: true }).handleConfirmed();
        await write('\tone\n');
        await clock.tickAsync(1_999);
        expect(said, 'the CLI may still write').to.deep.equal([]);
        await clock.tickAsync(1);
        expect(said).to.deep.equal(['written otherwise: /ws/a.txt, before: before\n', 'shown: \tone\n']);
        await clock.tickAsync(WRITE_TIME_MS);
        expect(said).to.have.length(2);
    });

    it('what a formatter makes of it at once is part of the write, and what comes later is not', async () => {
        accept({ text: '    one\n' }).handleConfirmed();
        await write('    one\n');
        await write('\tone\n');
        await clock.tickAsync(2_000);
        expect(said).to.deep.equal([
            'written: /ws/a.txt, before: before\n',
            'shown:     one\n',
            'written otherwise: /ws/a.txt, before: before\n',
            'shown: \tone\n'
        ]);
        await write('of the user\n');
        await clock.tickAsync(WRITE_TIME_MS);
        expect(said).to.have.length(4);
    });

    it('what an editor saves is not the write, and is the text before it', async () => {
        accept({ text: 'after\n' }).handleConfirmed();
        save('of the user\n');
        await write('of the user\n');
        await clock.tickAsync(2_000);
        expect(said).to.deep.equal([]);
        await write('after\n');
        expect(said).to.deep.equal(['written: /ws/a.txt, before: of the user\n', 'shown: after\n']);
    });

    it('a file that is no text is announced when its time has changed', async () => {
        disk = { exists: true, text: undefined, modifiedAt: 1 };
        accept({ text: 'after\n' }).handleConfirmed();
        disk = { exists: true, text: undefined, modifiedAt: 2 };
        await clock.tickAsync(4_000);
        expect(said).to.deep.equal(['written otherwise: /ws/a.txt, before: undefined', 'shown: undefined']);
    });

    it('a file that nobody tells of is looked at nevertheless: the watcher may come too late', async () => {
        accept({ text: 'after\n' }).handleConfirmed();
        disk = { exists: true, text: 'after\n' };
        await clock.tickAsync(WRITE_TIME_MS / 2);
        expect(said).to.deep.equal(['written: /ws/a.txt, before: before\n', 'shown: after\n']);
    });

    it('without an editor, any new text counts as what was accepted', async () => {
        accept({ text: undefined }).handleConfirmed();
        await write('before\n');
        expect(said).to.deep.equal([]);
        await write('something\n');
        expect(said[0]).to.match(/^written/);
    });

    it('a file that is not written in time is reported once', async () => {
        accept({ text: 'after\n' }).handleConfirmed();
        await clock.tickAsync(WRITE_TIME_MS - 1);
        expect(said).to.deep.equal([]);
        await clock.tickAsync(2 * WRITE_TIME_MS);
        expect(said).to.deep.equal(['not written: /ws/a.txt']);
        expect(watching.size).to.equal(0);
    });

    it('no report if something else says that it is not written, or if nothing had to be written', async () => {
        accept({ text: 'after\n', edited: true }, '/ws/edited').handleConfirmed();
        accept({ text: 'before\r\n' }, '/ws/same').handleConfirmed();
        await clock.tickAsync(WRITE_TIME_MS);
        expect(said, 'edited, same').to.deep.equal([]);
    });

    it('a file that cannot be read is reported like one that was not written', async () => {
        accept({ text: 'after\n' }).handleConfirmed();
        disk = { exists: true, text: undefined };
        await clock.tickAsync(WRITE_TIME_MS);
        expect(said).to.deep.equal(['not written: /ws/a.txt']);
    });

    it('what keeps the file from being written is said', async () => {
        accept({ text: 'after\n' }).handleConfirmed();
        disk = { ...disk, facts: { state: 'same', obstacle: 'EACCES' } };
        await clock.tickAsync(WRITE_TIME_MS);
        expect(said).to.deep.equal(['not written: /ws/a.txt, EACCES']);
    });

    it('a link that has become a file, and a file that is not executable any more, are said', async () => {
        for (const facts of [{ isLink: true as const }, { isExecutable: true as const }]) {
            disk = { exists: true, text: 'before\n', facts: { state: 'same', ...facts } };
            accept({ text: 'after\n' }).handleConfirmed();
            disk = { exists: true, text: 'after\n', facts: { state: 'same' } };
            await clock.tickAsync(4_000);
        }
        expect(said.filter(text => text.startsWith('written'))).to.deep.equal([
            'written, lost: link: /ws/a.txt, before: before\n',
            'written, lost: executable: /ws/a.txt, before: before\n'
        ]);
    });

    it('no report for an answer that came late, or was never confirmed', async () => {
        accept({ text: 'after\n' }).dispose();
        await write('after\n');
        await clock.tickAsync(WRITE_TIME_MS);
        expect(said).to.deep.equal([]);
        disk = { exists: true, text: 'before\n' };
        accept({ text: 'after\n' });
        await clock.tickAsync(WRITE_TIME_MS);
        expect(said).to.deep.equal([]);
    });

    it('answered elsewhere, only its own text is the write: it is announced and not shown, and nothing is missed', async () => {
        const elsewhere = { text: 'after\n', isAnsweredHere: false };
        accept(elsewhere).handleConfirmed();
        await write('another\n');
        await clock.tickAsync(WRITE_TIME_MS);
        expect(said, 'it was rejected, or edited there').to.deep.equal([]);
        disk = { exists: true, text: 'before\n' };
        accept(elsewhere).handleConfirmed();
        await write('after\n');
        await clock.tickAsync(WRITE_TIME_MS);
        expect(said).to.deep.equal(['written: /ws/a.txt, before: before\n']);
        expect(watching.size).to.equal(0);
    });

    function accept(accepted: Partial<Accepted>, path = '/ws/a.txt'): ExpectedWrite {
        const review = { path, uri: `file://${path}` } as ReviewInfo;
        const known = { review, edited: false, text: undefined, before: Promise.resolve(disk), isAnsweredHere: true };
        return new ExpectedWrite(page, { ...known, ...accepted }, () => undefined);
    }

    async function write(text: string): Promise<void> {
        disk = { exists: true, text };
        watching.forEach(changed => changed());
        await settled();
    }

    async function settled(): Promise<void> {
        for (let turn = 0; turn < 20; turn++) {
            await Promise.resolve();
        }
    }
});
