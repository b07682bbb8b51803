// SPDX-License-Identifier: Apache-2.0

import * as fs from 'fs';
import { FileUri } from '@theia/core/lib/common/file-uri';
import { expect } from 'chai';
import { ChangesHost } from './test/changes-host';

describe('A rename or a delete of the IDE that fails', () => {
    let ide: ChangesHost;
    const at = (name: string): ReturnType<typeof FileUri.create> => FileUri.create(ide.file(name));
    const fails = async (task: Promise<void>): Promise<void> => {
        const error = await task.then(
            () => undefined,
            (reason: unknown) => reason
        );
        expect(error).to.be.an.instanceOf(Error);
    };

    beforeEach(async () => {
        ide = new ChangesHost().makeRepository('a.txt', 'b.txt', 'dir/c.txt', 'dir/d.txt');
        fs.writeFileSync(ide.file('.gitignore'), '/build\n/.qwen\n/.gemini\n/.claude\n/.copilot\n');
        ide.commit();
        await ide.start();
        await ide.startAgent();
    });

    afterEach(async () => {
        await ide.stop();
        ide.host.remove();
    });

    it('makes no file of the user new by an agent: Undo would remove it', async () => {
        await fails(ide.provider.delete(at('dir'), { recursive: false, useTrash: false }));
        await fails(ide.provider.rename(at('a.txt'), at('b.txt'), { overwrite: false }));
        expect(await ide.list(true)).to.deep.equal([]);
        ide.write('a.txt', 'by an agent\n');
        await ide.lists('modified a.txt +1 -10');
    });

    it('takes what is gone of a folder for the user’s, and leaves what is still there', async () => {
        ide.write('dir/d.txt', 'by an agent\n');
        await ide.lists('modified dir/d.txt +1 -10');
        Object.assign(ide.provider, {
            rimraf: async () => {
                fs.rmSync(ide.file('dir/c.txt'));
                throw new Error('somebody else’s');
            }
        });
        await fails(ide.provider.delete(at('dir'), { recursive: true, useTrash: false }));
        expect(await ide.list(true)).to.deep.equal(['modified dir/d.txt +1 -10']);
        expect(await ide.undo('dir/d.txt')).to.equal(true);
        expect(ide.read('dir/d.txt')).to.equal(ide.read('a.txt'));
    });
});
