// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import * as fs from 'fs';
import { tmpdir } from 'os';
import * as path from 'path';
import { FileUri } from '@theia/core/lib/common/file-uri';
import { SilentFolders } from '../test/silent-folders';
import { FileAccess } from './file-access';
import { WorkspaceRoots } from './workspace-roots';

describe('WorkspaceRoots', () => {
    let folder: string;
    let link: string;
    let target: string;
    const fileAccess = new FileAccess(50);
    const look = (before = new WorkspaceRoots()): Promise<WorkspaceRoots> => before.follow([FileUri.create(link).toString()], fileAccess);

    beforeEach(() => {
        folder = fs.realpathSync(fs.mkdtempSync(path.join(tmpdir(), 'companion-roots-')));
        [link, target] = [path.join(folder, 'link'), path.join(folder, 'target')];
        fs.mkdirSync(target);
        fs.symlinkSync(target, link);
    });

    afterEach(() => fs.rmSync(folder, { recursive: true }));

    it('keeps what is known about a link while its file system does not answer', async () => {
        const found = await look();
        expect(found.real).to.deep.equal([target]);
        const silence = new SilentFolders([link]);
        try {
            expect((await look(found)).real).to.deep.equal([target]);
            expect((await look()).real, 'nothing is known').to.deep.equal([link]);
        } finally {
            silence.end();
        }
    });

    it('follows a link that leads elsewhere, and uses a missing root as it is', async () => {
        const found = await look();
        fs.unlinkSync(link);
        expect((await look(found)).real).to.deep.equal([link]);
        fs.symlinkSync(folder, link);
        expect((await look(found)).real).to.deep.equal([folder]);
    });

    it('names a file as the page does, and finds it again', async () => {
        const found = await look();
        const [real, named] = [path.join(target, 'a.txt'), path.join(link, 'a.txt')];
        const subject = { path: real, uri: FileUri.create(real).toString() };
        expect(found.named(subject)).to.deep.equal({ path: named, uri: FileUri.create(named).toString() });
        expect(found.resolve(named)).to.equal(real);
        for (const file of [`${target}-beside`, path.join(folder, 'a.txt')]) {
            expect(found.resolve(file)).to.equal(file);
            expect(found.nameOf(FileUri.create(file).toString())).to.equal(FileUri.create(file).toString());
        }
    });
});
