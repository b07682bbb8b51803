// SPDX-License-Identifier: Apache-2.0

import { execFile } from 'child_process';
import { promises as fs } from 'fs';
import * as os from 'os';
import * as path from 'path';
import { promisify } from 'util';
import { expect } from 'chai';
import { FileAccess } from './file-access';
import { FileInspector } from './file-inspector';

describe('What the backend sees of a file', () => {
    let folder: string;
    let file: string;
    let inspector: FileInspector;

    beforeEach(async () => {
        folder = await fs.mkdtemp(path.join(os.tmpdir(), 'file-inspector-'));
        file = path.join(folder, 'a.txt');
        inspector = new FileInspector(new FileAccess(5_000));
    });
    afterEach(() => fs.rm(folder, { recursive: true }));

    async function seen(): Promise<{ modifiedAt: number; size: number }> {
        const { mtime, size } = await fs.stat(file);
        return { modifiedAt: mtime.getTime(), size };
    }

    it('is the same as long as nobody writes it', async () => {
        expect(await inspector.inspect(file, {}), 'there is none').to.deep.equal({ state: 'same' });
        await fs.writeFile(file, 'one');
        expect(await inspector.inspect(file, await seen())).to.deep.equal({ state: 'same' });
        expect(await inspector.inspect(file), 'any file').to.deep.equal({ state: 'same' });
    });

    it('has changed when it is written, made, removed or replaced', async () => {
        await fs.writeFile(file, 'one');
        expect((await inspector.inspect(file, {})).state, 'made').to.equal('changed');
        const { modifiedAt, size } = await seen();
        expect((await inspector.inspect(file, { modifiedAt: modifiedAt - 1, size })).state).to.equal('changed');
        expect((await inspector.inspect(file, { modifiedAt, size: size + 1 })).state).to.equal('changed');
        await fs.rm(file);
        expect((await inspector.inspect(file, { modifiedAt, size })).state, 'removed').to.equal('changed');
        await fs.mkdir(file);
        expect((await inspector.inspect(file, { modifiedAt, size })).state, 'a folder').to.equal('changed');
    });

    it('is silent if the file system does not answer within a second', async () => {
        const fileAccess = new FileAccess(60_000);
        void fileAccess.run(folder, () => new Promise(() => undefined), 2_000).catch(() => undefined);
        expect(await new FileInspector(fileAccess).inspect(file, {})).to.deep.equal({ state: 'silent' });
    });

    it('is a link, or executable', async () => {
        await fs.writeFile(file, '');
        const link = path.join(folder, 'link');
        await fs.symlink('a.txt', link);
        expect(await inspector.inspect(link)).to.deep.equal({ state: 'same', isLink: true });
        await fs.chmod(file, 0o755);
        expect(await inspector.inspect(link)).to.deep.equal({ state: 'same', isLink: true, isExecutable: true });
    });

    it('has a name beside it that differs only in its Unicode form or in case', async () => {
        await fs.writeFile(path.join(folder, 'cafe\u0301.txt'), '');
        await fs.writeFile(file, '');
        expect(await inspector.inspect(path.join(folder, 'caf\u00e9.txt'))).to.deep.equal({ state: 'same', similarName: 'cafe\u0301.txt' });
        expect(await inspector.inspect(path.join(folder, 'A.TXT'))).to.deep.equal({ state: 'same', similarName: 'a.txt' });
        expect(await inspector.inspect(path.join(folder, 'b.txt'))).to.deep.equal({ state: 'same' });
        expect(await inspector.inspect(file), 'it is there').to.deep.equal({ state: 'same' });
    });

    it('cannot be written on a full disk', async () => {
        // A stand-in: no real disk is filled.
        const full = { ...(await fs.statfs(folder)), bavail: 0 };
        const statfs = (async () => full) as unknown as typeof fs.statfs;
        const onFullDisk = new FileInspector(new FileAccess(5_000), { ...fs, statfs });
        await fs.writeFile(file, '');
        expect((await onFullDisk.inspect(file)).obstacle).to.contain('ENOSPC');
        expect((await onFullDisk.inspect(path.join(folder, 'new', 'b.txt'))).obstacle).to.contain('ENOSPC');
    });

    it('cannot be written where its mode or that of its folder forbids it, or a file is in the way', async function () {
        await fs.writeFile(file, '', { mode: 0o444 });
        await fs.chmod(folder, 0o555);
        const files = [file, path.join(folder, 'new.txt'), path.join(folder, 'new', 'b.txt')];
        const all = await (process.getuid?.() === 0 ? inspectAsNobody(files) : Promise.all(files.map(one => inspector.inspect(one))));
        if (all.length === 0) {
            this.skip();
        }
        expect(all.map(({ obstacle = '' }) => obstacle.slice(0, 6))).to.deep.equal(['EACCES', 'EACCES', 'EACCES']);
        await fs.chmod(folder, 0o755);
        expect((await inspector.inspect(path.join(file, 'below.txt'))).obstacle).to.match(/^(EACCES|ENOTDIR)/);
    });

    /** Modes mean nothing to root. @returns nothing where no other user can be had */
    async function inspectAsNobody(files: readonly string[]): Promise<Array<{ obstacle?: string }>> {
        const modules = [path.join(__dirname, 'file-inspector.js'), path.join(__dirname, '..', 'host', 'file-access.js')];
        const program = `
            const [{ FileInspector }, { FileAccess }] = ${JSON.stringify(modules)}.map(require);
            const inspector = new FileInspector(new FileAccess(5000));
            Promise.all(${JSON.stringify(files)}.map(file => inspector.inspect(file))).then(all => console.log(JSON.stringify(all)));`;
        const asNobody = ['--reuid=65534', '--clear-groups', process.execPath, '-e', program];
        const { stdout } = await promisify(execFile)('setpriv', asNobody).catch(() => ({ stdout: '[]' }));
        return JSON.parse(stdout) as Array<{ obstacle?: string }>;
    }
});
