// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import * as fs from 'fs';
import { tmpdir } from 'os';
import * as path from 'path';
import { FileUri } from '@theia/core/lib/common/file-uri';
import { SilentFolders } from '../test/silent-folders';
import { FileAccessQueues } from './file-access-queues';
import { realRoots } from './real-roots';

describe('realRoots', () => {
    let folder: string;
    let link: string;
    let target: string;
    const tasks = new FileAccessQueues(50);
    const look = (before?: ReadonlyMap<string, string>): ReturnType<typeof realRoots> =>
        realRoots([FileUri.create(link).toString()], tasks, before);

    beforeEach(() => {
        folder = fs.realpathSync(fs.mkdtempSync(path.join(tmpdir(), 'companion-roots-')));
        [link, target] = [path.join(folder, 'link'), path.join(folder, 'target')];
        fs.mkdirSync(target);
        fs.symlinkSync(target, link);
    });

    afterEach(() => fs.rmSync(folder, { recursive: true }));

    it('keeps what is known of a link while its file system does not answer', async () => {
        const { roots, links } = await look();
        expect(roots).to.deep.equal([target]);
        const silence = new SilentFolders([link]);
        try {
            expect((await look(links)).roots).to.deep.equal([target]);
            expect((await look()).roots, 'nothing is known').to.deep.equal([link]);
        } finally {
            silence.end();
        }
    });

    it('follows a link that leads elsewhere, and takes one that is gone as it is', async () => {
        const { links } = await look();
        fs.unlinkSync(link);
        expect((await look(links)).roots).to.deep.equal([link]);
        fs.symlinkSync(folder, link);
        expect((await look(links)).roots).to.deep.equal([folder]);
    });
});
