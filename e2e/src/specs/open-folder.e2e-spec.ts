// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { promises as fs } from 'fs';
import * as path from 'path';
import { spoilPage } from '../support/before-theia';
import { Cli } from '../support/cli';
import { QWEN_CODE } from '../support/cli-words';
import { ProtocolClient } from '../support/protocol-client';
import { Workbench } from '../support/workbench';

describe('Another folder that is opened in the same tab', () => {
    let workbench: Workbench;

    before(async () => {
        workbench = await Workbench.start({ model: true, files: { 'old-secret.txt': 'what was selected before\n' } });
    });
    after(() => workbench?.dispose());

    it('a CLI of the new folder tells its model neither the old path nor the old selection, and one of the old folder forgets them', async () => {
        const old = workbench.ide.file('old-secret.txt');
        const client = await ProtocolClient.connect(workbench.ide);
        await workbench.page.openFile('old-secret.txt');
        await workbench.page.press('Control+Home', 'Shift+End');
        await client.waitForContext('the selection', ([first]) => first?.path === old && first.selectedText !== undefined);

        const folder = path.join(workbench.ide.root, 'new folder');
        await fs.mkdir(folder);
        // Nothing that the new page tells arrives: only what the backend itself has dropped is gone.
        await workbench.page.page.addInitScript(spoilPage, { lose: { service: 'CompanionBackend', method: 'updateContext' } });
        workbench.page = await workbench.page.openFolder(folder);
        const published = await workbench.discovery.serverWith('the new folder', ({ content }) => content.workspacePath === folder);
        expect(published.port, 'the same window').to.equal(client.port);

        const cli = await Cli.start(QWEN_CODE, workbench, { status: 'Gemini CLI, Qwen Code connected' });
        const before = await cli.ask('hello from the new folder');
        const request = await workbench.model.waitForRequest('', before, ({ prompt }) => prompt.includes('hello from the new folder'));
        const said = JSON.stringify(request);
        expect(said).to.include(folder);
        expect(said).not.to.include(old);
        expect(said).not.to.include('what was selected before');
        await client.waitForContext('that nothing is shared any more', files => files.length === 0);
        expect(client.errors).to.deep.equal([]);
        await client.disconnect();
    });
});
