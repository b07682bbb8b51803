// SPDX-License-Identifier: Apache-2.0

import * as fs from 'fs';
import * as path from 'path';
import { URI } from '@theia/core/lib/common/uri';
import { FileDeleteOptions, FileSystemProviderCapabilities } from '@theia/filesystem/lib/common/files';
import { DiskFileSystemProvider } from '@theia/filesystem/lib/node/disk-file-system-provider';
import { expect } from 'chai';
import { numberOf } from './described-row';
import { FolderUndo, UndoneResult } from './folder-undo';
import { IdeWrites } from './ide-writes';
import { IndexWork } from './test/index-work';

const TEXT = 'an agent’s own line, as long as it has to be\n'.repeat(20);

describe('Undo and Put Back of whole files', () => {
    before(() => IndexWork.begin());

    after(() => IndexWork.end());

    afterEach(() => IndexWork.closeAll());

    /** In the place of the trash of the system: `trash` in the folder beside the root. */
    function writesOf(work: IndexWork, capabilities = FileSystemProviderCapabilities.Trash): IdeWrites {
        const trash = path.join(work.folder, 'trash');
        fs.mkdirSync(trash);
        const use = async (): Promise<void> => undefined;
        const provider = {
            ...{ capabilities, writeFile: use, updateFile: use, rename: use, copy: use, open: use, close: use, onDidChangeFile: use },
            delete: async (file: URI, { useTrash }: FileDeleteOptions) => {
                expect(useTrash).to.equal(true);
                fs.renameSync(file.path.fsPath(), path.join(trash, file.path.base));
            }
        };
        const writes = new IdeWrites();
        writes.setListener({
            beforeWrite: async () => undefined,
            beforeMove: () => expect.fail('it is no write of the user'),
            beforeMake: async () => undefined
        });
        writes.follow(provider as unknown as DiskFileSystemProvider);
        return writes;
    }

    async function started(): Promise<IndexWork> {
        const work = new IndexWork().put('a.txt', 'a\n').commit();
        await work.start({ limits: { storeBytes: 10 } });
        work.put('a.txt', TEXT).put('made/new.txt', TEXT).put('made/[id].txt', TEXT);
        await work.look();
        const notes = work.listed.map(({ path: file, version }) => [file, { version, agents: ['Qwen Code'], changedAt: 0 }] as const);
        await work.index.setNotes(new Map(notes));
        return work;
    }

    async function withNewFolder(): Promise<IndexWork> {
        const work = new IndexWork().put('a.txt', 'a\n').commit();
        await work.start({ limits: { storeBytes: 20_000, folderFiles: 3 } });
        ['0', '1', '2', '3'].forEach(name => work.put(`new/${name}`, 'x\n'));
        expect(await work.look()).to.equal('new/:new folder, 4 files');
        return work;
    }

    const undo = (folder: FolderUndo, work: IndexWork, mayLose: boolean): Promise<UndoneResult[]> =>
        folder.undoFiles(
            work.listed.map(({ path: file, version }) => ({ file, version: numberOf(version) })),
            'set',
            mayLose
        );

    it('has a new file that Put Back has no room for go to the trash, and names the others', async () => {
        const work = await started();
        const writes = writesOf(work);
        const folder = new FolderUndo(work.root, work.index, file => writes.moveToTrash(file));
        expect((await folder.undoable()).lost).to.equal(1);
        expect(await undo(folder, work, false)).to.deep.equal([
            // Theia would take it for a pattern.
            { file: 'made/[id].txt', reason: 'no-room' },
            { file: 'made/new.txt' },
            { file: 'a.txt', reason: 'no-room' }
        ]);
        expect(fs.readFileSync(path.join(work.folder, 'trash/new.txt'), 'utf8')).to.equal(TEXT);
        expect([work.read('made/new.txt'), work.read('made/[id].txt'), work.read('a.txt')]).to.deep.equal([undefined, TEXT, TEXT]);
        expect(await undo(folder, work, true), 'the user agreed to lose').to.deep.equal([
            { file: 'made/[id].txt', reason: 'no-room' },
            { file: 'a.txt' }
        ]);
        expect([work.read('a.txt'), work.read('made/[id].txt')]).to.deep.equal(['a\n', TEXT]);
    });

    it('is not done with a new file where there is no room and no trash, nor with one of one that is other than it was shown', async () => {
        const work = await started();
        const without = writesOf(work, FileSystemProviderCapabilities.FileReadWrite);
        expect(await undo(new FolderUndo(work.root, work.index, file => without.moveToTrash(file)), work, true)).to.deep.equal([
            { file: 'made/[id].txt', reason: 'no-room' },
            { file: 'made/new.txt', reason: 'no-room' },
            { file: 'a.txt' }
        ]);
        work.put('made/new.txt', `${TEXT}more\n`);
        const moved: string[] = [];
        const folder = new FolderUndo(work.root, work.index, async file => void moved.push(file));
        expect(await undo(folder, work, true)).to.deep.equal([
            { file: 'made/[id].txt', reason: 'no-room' },
            { file: 'made/new.txt', reason: 'changed' }
        ]);
        expect(moved).to.deep.equal([path.join(work.root, 'made/[id].txt')]);
        expect(work.read('made/new.txt')).to.equal(`${TEXT}more\n`);
    });

    it('is done with all files of one undo at once, and names what cannot go back', async () => {
        const work = new IndexWork().put('a.txt', 'a\n').put('b.txt', 'b\n').commit();
        await work.start();
        work.put('a.txt', 'agent\n').put('b.txt', 'agent\n').put('folder.txt', 'agent\n').put('new.txt', 'agent\n');
        await work.look();
        const folder = new FolderUndo(work.root, work.index, () => expect.fail('there is room'));
        await undo(folder, work, false);
        work.put('a.txt', 'mine\n');
        fs.mkdirSync(path.join(work.root, 'folder.txt'));
        expect(await folder.putBack('set')).to.deep.equal([
            { file: 'b.txt' },
            { file: 'a.txt', reason: 'changed' },
            { file: 'new.txt' },
            { file: 'folder.txt', reason: 'failed', cause: 'EISDIR' }
        ]);
        expect(['a.txt', 'b.txt', 'new.txt'].map(name => work.read(name))).to.deep.equal(['mine\n', 'agent\n', 'agent\n']);
        expect(work.index.undone.map(({ path: file }) => file)).to.deep.equal(['folder.txt', 'a.txt']);
    });

    it('is done at once where a folder stands in the place of a file, and a file in that of a folder', async () => {
        const work = new IndexWork().put('file', 'f\n').put('folder/in', 'i\n').commit();
        await work.start();
        work.sh('rm file; mkdir file; echo new > file/new; rm -r folder; echo file > folder');
        await work.look();
        const folder = new FolderUndo(work.root, work.index, () => expect.fail('there is room'));
        const reasons = (results: readonly UndoneResult[]): unknown[] => results.filter(({ reason }) => reason);
        expect(reasons(await undo(folder, work, false))).to.deep.equal([]);
        expect(work.isClean()).to.equal(true);
        expect(reasons(await folder.putBack('set'))).to.deep.equal([]);
        expect([work.read('file/new'), work.read('folder'), work.index.undone]).to.deep.equal(['new\n', 'file\n', []]);
    });

    it('of a new folder says that it is done, and leaves one that has got more files since it was shown', async () => {
        const work = await withNewFolder();
        const { version } = work.row('new/');
        const folder = new FolderUndo(work.root, work.index, () => expect.fail('there is room'));
        const undoFolder = (seen: string): Promise<UndoneResult[]> =>
            folder.undoFiles([{ file: 'new', version: numberOf(seen) }], 'set', false);
        work.put('new/later', 'later\n');
        await work.look();
        expect(await undoFolder(version)).to.deep.equal([{ file: 'new', reason: 'changed' }]);
        expect(work.read('new/later')).to.equal('later\n');
        expect(await undoFolder(work.row('new/').version)).to.deep.equal([{ file: 'new' }]);
        expect([fs.existsSync(path.join(work.root, 'new')), work.list()]).to.deep.equal([false, '']);
    });

    it('of a new folder that Put Back has no room for moves all its files to the trash', async () => {
        const work = await withNewFolder();
        const writes = writesOf(work);
        const folder = new FolderUndo(work.root, work.index, file => writes.moveToTrash(file));
        const { version } = work.row('new/');
        work.put('new/0', Buffer.alloc(30_000, 'x'));
        expect(await folder.undoFiles([{ file: 'new', version: numberOf(version) }], 'set', false)).to.deep.equal([{ file: 'new' }]);
        expect(fs.readdirSync(path.join(work.folder, 'trash'))).to.deep.equal(['0', '1', '2', '3']);
        expect(work.index.undone).to.deep.equal([]);
    });
});
