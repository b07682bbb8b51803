// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { ChangeKind, FileChange } from '../../common/changes/changes-protocol';
import { placeAt, ReviewAllFiles, ShownFile } from './review-all-files';

class TestFile implements ShownFile {
    isDisposed = false;
    readonly hasTexts: boolean;

    constructor(readonly change: FileChange) {
        this.hasTexts = change.kind === 'modified';
    }

    dispose(): void {
        this.isDisposed = true;
    }
}

function row(name: string, kind: ChangeKind = 'modified', version = 1): FileChange {
    return { uri: `file:///ws/${name}`, kind, version, authors: [], changedAt: 0, canUndo: true };
}

describe('ReviewAllFiles', () => {
    let listed: FileChange[];
    let made: TestFile[];
    let shown: string[];
    /** While a file is read. */
    let reading: Promise<void>;
    let files: ReviewAllFiles<TestFile>;

    beforeEach(() => {
        [listed, made, shown, reading] = [[], [], [], Promise.resolve()];
        files = new ReviewAllFiles<TestFile>({
            listed: () => listed,
            make: async change => {
                const file = new TestFile(change);
                made.push(file);
                await reading;
                return file;
            },
            show: all => {
                expect(made.filter(({ isDisposed }) => isDisposed).filter(file => all.includes(file))).to.deep.equal([]);
                shown.push(names(all));
            }
        });
    });

    const names = (all: readonly TestFile[]): string => all.map(({ change }) => change.uri.replace('file:///ws/', '')).join();
    const disposed = (): string => names(made.filter(({ isDisposed }) => isDisposed));

    async function list(...rows: FileChange[]): Promise<void> {
        listed = rows;
        await files.update();
    }

    /** The last one that is made is scrolled to. */
    async function scroll(): Promise<void> {
        files.reach(files.all[files.all.length - 1]);
        await files.update();
    }

    it('makes files as they are scrolled to', async () => {
        await list(...['a', 'b', 'c', 'd', 'e', 'f'].map(name => row(name)));
        expect(shown).to.deep.equal(['a,b']);
        files.reach(files.all[0]);
        await files.update();
        expect(names(files.all)).to.equal('a,b,c');
        await scroll();
        await scroll();
        expect(names(files.all)).to.equal('a,b,c,d,e,f');
        expect(names(made)).to.equal('a,b,c,d,e,f');
    });

    it('leaves each in its place; a new one comes to the end, and one that is gone is disposed', async () => {
        await list(row('b'), row('c'));
        await scroll();
        await list(row('a'), row('b'), row('c'));
        expect(names(files.all)).to.equal('b,c,a');
        await list(row('a'), row('c'));
        expect(names(files.all)).to.equal('c,a');
        expect(disposed()).to.equal('b');
        await list();
        expect([names(files.all), disposed()]).to.deep.equal(['', 'b,c,a']);
    });

    it('a text that changes is the same file with another row', async () => {
        await list(row('a'));
        await list(row('a', 'modified', 2));
        expect(names(made)).to.equal('a');
        expect(shown).to.deep.equal(['a']);
        expect(files.changeOf(files.all[0])?.version).to.equal(2);
    });

    it('one of another kind is made again, and so is each version without a text', async () => {
        await list(row('a', 'binary'));
        await list(row('a', 'binary', 2));
        await list(row('a', 'modified', 3));
        expect(made.map(({ change }) => change.version)).to.deep.equal([1, 2, 3]);
        expect(made.map(({ isDisposed }) => isDisposed)).to.deep.equal([true, true, false]);
    });

    it('a list that changes while files are read is looked at afterwards, once', async () => {
        let done: () => void = () => undefined;
        reading = new Promise(resolve => (done = resolve));
        const updating = list(row('a'));
        void list(row('b'));
        void list(row('a'), row('c'));
        expect(names(made)).to.equal('a');
        done();
        await updating;
        expect([names(made), ...shown]).to.deep.equal(['a,c', 'a', 'a,c']);
    });

    it('disposes all, also what is read only then', async () => {
        await list(row('a'));
        let done: () => void = () => undefined;
        reading = new Promise(resolve => (done = resolve));
        const updating = list(row('a'), row('b'));
        files.dispose();
        done();
        await updating;
        expect(disposed()).to.equal('a,b');
        expect(shown).to.deep.equal(['a']);
    });
});

describe('The place in a list of files', () => {
    const heights = new Map([
        ['a', 100],
        ['b', 50],
        ['c', 200]
    ]);
    const placeAfter = (top: number, ...gone: string[]): unknown => placeAt(heights, top, file => !gone.includes(file));

    it('is the line at the top, whatever goes above and below', () => {
        expect(placeAfter(0)).to.deep.equal({ file: 'a', hidden: 0 });
        expect(placeAfter(120)).to.deep.equal({ file: 'b', hidden: 20 });
        expect(placeAfter(120, 'a', 'c')).to.deep.equal({ file: 'b', hidden: 20 });
    });

    it('is the beginning of the next file where its own is gone', () => {
        expect(placeAfter(120, 'b')).to.deep.equal({ file: 'c', hidden: 0 });
        expect(placeAfter(30, 'a', 'b')).to.deep.equal({ file: 'c', hidden: 0 });
    });

    it('is none where no file is left below', () => {
        expect(placeAfter(160, 'c')).to.equal(undefined);
    });
});
