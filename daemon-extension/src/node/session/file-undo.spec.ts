// SPDX-License-Identifier: Apache-2.0

import { promises as fs } from 'fs';
import * as os from 'os';
import * as path from 'path';
import { expect } from 'chai';
import { FileState, UndoneFile } from '../../common/turn-undo';
import { FileUndo, removeOlder, UndoCopy } from './turn-undo';
import { DoneEdit } from './tool-calls';

describe('Undo of a file', () => {
    let folder: string;
    let workspace: string;
    let copy: UndoCopy;

    beforeEach(async () => {
        folder = await fs.realpath(await fs.mkdtemp(path.join(os.tmpdir(), 'file-undo-')));
        workspace = path.join(folder, 'workspace');
        await fs.mkdir(workspace);
        copy = new UndoCopy(async () => path.join(folder, 'copies'));
    });
    afterEach(() => fs.rm(folder, { recursive: true, force: true }));

    const at = (name: string): string => path.join(workspace, name);
    const edit = (name: string, oldText: string, newText: string): DoneEdit => ({ path: at(name), texts: { oldText, newText } });
    const bytes = async (name: string): Promise<string> => fs.readFile(at(name), 'latin1').catch(() => 'gone');
    const copied = async (name: string): Promise<string> => fs.readFile(path.join(copy.folder ?? '', name), 'latin1');
    const state = async (...edits: DoneEdit[]): Promise<FileState> => (await (await FileUndo.of(edits, workspace))[0].plan()).state;
    /** As the user wants who was shown the plan. */
    const undo = async (...edits: DoneEdit[]): Promise<UndoneFile['result']> => {
        const [file] = await FileUndo.of(edits, workspace);
        return (await file.undo((await file.plan()) as never, copy)).result;
    };

    it('brings the text before the turns back, where it still is as Qwen wrote it, and copies what it overwrites', async () => {
        await fs.writeFile(at('a.txt'), 'three');
        await fs.chmod(at('a.txt'), 0o755);
        expect(await undo(edit('a.txt', 'one', 'two'), edit('a.txt', 'two', 'three'))).to.equal('restored');
        expect(await bytes('a.txt')).to.equal('one');
        expect((await fs.stat(at('a.txt'))).mode & 0o777).to.equal(0o755);
        expect(await copied('a.txt')).to.equal('three');
        expect((await fs.stat(copy.folder!)).mode & 0o777).to.equal(0o700);
        expect(await fs.readdir(workspace), 'nothing else is left behind').to.deep.equal(['a.txt']);
    });

    it('deletes a file that Qwen made, and copies it', async () => {
        await fs.mkdir(at('src'));
        await fs.writeFile(at('src/new.txt'), 'new');
        expect(await undo(edit('src/new.txt', '', 'new'))).to.equal('deleted');
        expect(await bytes('src/new.txt')).to.equal('gone');
        expect(await copied('src/new.txt')).to.equal('new');
    });

    it('is not done unless the file is in the state that the user was shown', async () => {
        await fs.writeFile(at('a.txt'), 'mine');
        const [file] = await FileUndo.of([edit('a.txt', 'one', 'two')], workspace);
        for (const wanted of [
            undefined,
            { path: at('a.txt'), state: 'as-written' as const },
            { path: at('a.txt'), state: 'missing' as const }
        ]) {
            expect((await file.undo(wanted, copy)).result).to.equal('changed');
        }
        expect(await bytes('a.txt')).to.equal('mine');
        expect(copy.folder).to.equal(undefined);
        expect((await file.undo({ path: at('a.txt'), state: 'changed' }, copy)).result).to.equal('restored');
        expect(await copied('a.txt')).to.equal('mine');
    });

    it('makes a file again that was deleted, with its folder, and leaves what is as before', async () => {
        expect(await undo(edit('src/a.txt', 'one', 'two'))).to.equal('restored');
        expect(await bytes('src/a.txt')).to.equal('one');
        expect(await undo(edit('src/a.txt', 'one', 'two'))).to.equal('as-before');
        expect(await undo(edit('new.txt', '', 'new'))).to.equal('as-before');
        expect(copy.folder).to.equal(undefined);
    });

    it('knows what an earlier turn wrote, if the later edit was taken back', async () => {
        await fs.writeFile(at('a.txt'), 'two');
        expect(await undo(edit('a.txt', 'one', 'two'), edit('a.txt', 'two', 'three'))).to.equal('restored');
        expect(await fs.readFile(at('a.txt'), 'utf8')).to.equal('one');
    });

    it('asks where somebody else changed the file between two edits', async () => {
        await fs.writeFile(at('a.txt'), 'mine three');
        expect(await state(edit('a.txt', 'one', 'two'), edit('a.txt', 'mine two', 'mine three'))).to.equal('changed');
    });

    it('keeps line endings and the byte order mark, which the tools do not report', async () => {
        await fs.writeFile(at('crlf.txt'), '\uFEFFa\r\nB\r\n');
        expect(await undo(edit('crlf.txt', 'a\nb\n', 'a\nB\n'))).to.equal('restored');
        expect(await fs.readFile(at('crlf.txt'), 'utf8')).to.equal('\uFEFFa\r\nb\r\n');
        // This tool reports the earlier text as it was.
        await fs.writeFile(at('mixed.txt'), 'a\r\nB\r\n');
        expect(await undo(edit('mixed.txt', 'a\r\nb\n', 'a\nB\n'))).to.equal('restored');
        expect(await bytes('mixed.txt')).to.equal('a\r\nb\n');
    });

    it('is not done where the earlier content is not known for sure', async () => {
        await fs.writeFile(at('a.txt'), 'two');
        expect(await undo({ path: at('a.txt') })).to.equal('no-text');
        expect(await undo(edit('a.txt', 'one', 'two'), { path: at('a.txt') })).to.equal('no-text');
        expect(await undo(edit('a.txt', 'on\uFFFD', 'two'))).to.equal('no-text');
        await fs.writeFile(at('latin.txt'), Buffer.from('caf\u00e9 two', 'latin1'));
        expect(await undo(edit('latin.txt', 'caf\u00e9 one', 'caf\u00e9 two'))).to.equal('unreadable');
        await fs.writeFile(at('binary'), Buffer.from([1, 0, 2]));
        expect(await undo(edit('binary', 'one', 'two'))).to.equal('unreadable');
        await fs.mkdir(at('dir'));
        expect(await undo(edit('dir', '', 'two'))).to.equal('unreadable');
    });

    it('never leaves the workspace, not by a name and not by a link', async () => {
        await fs.writeFile(path.join(folder, 'outside.txt'), 'two');
        await fs.symlink('../outside.txt', at('link.txt'));
        await fs.symlink('..', at('up'));
        for (const name of ['../outside.txt', 'link.txt', 'up/outside.txt']) {
            expect(await undo(edit(name, 'one', 'two')), name).to.equal('outside');
        }
        expect(await undo({ path: 'outside.txt', texts: { oldText: 'one', newText: 'two' } })).to.equal('outside');
        expect(await fs.readFile(path.join(folder, 'outside.txt'), 'utf8')).to.equal('two');
    });

    it('follows a link in the workspace, as Qwen does, and knows the file by all its names', async () => {
        await fs.writeFile(at('target.txt'), 'three');
        await fs.symlink('target.txt', at('link.txt'));
        const files = await FileUndo.of([edit('link.txt', 'one', 'two'), edit('x/../target.txt', 'two', 'three')], workspace);
        expect(files).to.have.length(1);
        expect((await files[0].undo({ path: files[0].path, state: 'as-written' }, copy)).result).to.equal('restored');
        expect(await bytes('target.txt')).to.equal('one');
        expect((await fs.lstat(at('link.txt'))).isSymbolicLink()).to.equal(true);
    });

    it('overwrites nothing that cannot be copied, and says why', async () => {
        await fs.writeFile(at('a.txt'), 'two');
        await fs.writeFile(path.join(folder, 'file'), '');
        const broken = new UndoCopy(async () => path.join(folder, 'file', 'copies'));
        const [file] = await FileUndo.of([edit('a.txt', 'one', 'two')], workspace);
        expect(await file.undo({ path: at('a.txt'), state: 'as-written' }, broken)).to.deep.equal({
            path: at('a.txt'),
            result: 'failed',
            cause: 'ENOTDIR'
        });
        expect(await bytes('a.txt')).to.equal('two');
    });
});

describe('The copies of what undo overwrote', () => {
    it('are removed after 14 days', async () => {
        const root = await fs.mkdtemp(path.join(os.tmpdir(), 'undo-copies-'));
        try {
            const [older, newer] = [new UndoCopy(async () => root), new UndoCopy(async () => root)];
            for (const [copy, days] of [
                [older, 15],
                [newer, 13]
            ] as const) {
                await copy.keep('src/a.txt', Buffer.from('a'));
                const then = new Date(Date.now() - days * 24 * 3_600_000);
                await fs.utimes(copy.folder!, then, then);
            }
            await removeOlder(root, 14 * 24 * 3_600_000);
            expect(await fs.readdir(root)).to.deep.equal([path.basename(newer.folder!)]);
        } finally {
            await fs.rm(root, { recursive: true, force: true });
        }
    });

    it('need no folder before the first', async () => {
        await removeOlder(path.join(os.tmpdir(), 'there-is-no-such-folder'), 0);
    });
});
