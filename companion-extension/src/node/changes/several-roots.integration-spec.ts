// SPDX-License-Identifier: Apache-2.0

import * as fs from 'fs';
import * as path from 'path';
import { FileUri } from '@theia/core/lib/common/file-uri';
import { expect } from 'chai';
import { eventually } from '../test/test-cli';
import { Changes } from './changes';
import { ChangesHost, TEN_LINES } from './test/changes-host';

const CHANGED = TEN_LINES.replace('d\n', 'D\n');

describe('What was changed outside the editor, in several folders', () => {
    let ide: ChangesHost;

    beforeEach(async () => {
        ide = new ChangesHost().makeRepository('a.txt', 'inner/c.txt');
        fs.writeFileSync(ide.file('.gitignore'), '/.qwen\n/.gemini\n/.claude\n/.copilot\n');
        ide.commit();
        await ide.start();
    });

    afterEach(async () => {
        await ide.stop();
        ide.host.remove();
    });

    /** The workspace has these folders, too. */
    async function addRoot(folder: string): Promise<void> {
        const roots = [ide.host.homeFolder, folder].map(root => FileUri.create(root).toString());
        await ide.service.hello(ide.backend.window(ide.page, { roots }));
        await ide.startAgent();
        await ide.service.readChanges(true);
    }

    it('may be kept, whatever an agent has changed in a folder of another window since', async () => {
        const other = path.join(ide.host.folder, 'other');
        fs.mkdirSync(other);
        await addRoot(other);
        ide.write('a.txt', CHANGED);
        await ide.lists('modified a.txt +1 -1');
        const changes = ide.backend.container.get(Changes);
        const roots = [fs.realpathSync(ide.host.homeFolder)];
        const { version } = await changes.list(roots, true);
        fs.writeFileSync(path.join(other, 'new.txt'), 'new\n');
        await eventually('the other row', async () => (await ide.list(true)).length === 2);
        expect(await changes.keepAll(roots, version)).to.have.length(1);
    });

    it('is counted and undone once where one folder lies in another, and no more after Keep', async () => {
        await addRoot(ide.file('inner'));
        ide.write('a.txt', CHANGED);
        ide.write('inner/c.txt', CHANGED);
        await ide.lists('modified a.txt +1 -1', 'modified inner/c.txt +1 -1');
        await ide.service.readChanges(true);
        await eventually('the number', () => ide.page.state?.changes.count === 2);
        const { uri, version } = await ide.row('inner/c.txt');
        expect(await ide.service.keepChange(uri, version)).to.equal(true);
        await eventually('a smaller number', () => ide.page.state?.changes.count === 1);
        expect(await ide.service.countUndoAll()).to.deep.equal({ files: 1, lost: 0 });
        const result = await ide.service.undoAll((await ide.service.readChanges(true)).version);
        expect(result).to.deep.equal({ done: [ide.uri('a.txt')], left: [] });
    });
});
