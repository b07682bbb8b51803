// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { Agents } from '../support/agents';
import { Terminal } from '../support/terminal';
import { Workbench } from '../support/workbench';

const GREETING = 'src/greeting.js';

describe('OpenCode in the web terminal', () => {
    let workbench: Workbench;
    let terminal: Terminal;

    before(async function () {
        const missing = await Agents.provide();
        if (missing) {
            process.stdout.write(`OpenCode is skipped: ${missing}\n`);
            this.skip();
        }
        workbench = await Workbench.start({ model: true, prepare: ide => Agents.link(ide, 'opencode') });
    });
    after(() => workbench?.dispose());

    it('A5, W3: connects by itself', async () => {
        const { page } = workbench;
        terminal = await page.terminalOpenedBy(() => page.execute('companion.run.opencode'));
        await page.waitForStatus('OpenCode connected');
    });

    it('C13, W11: the model gets the selection, and both lines that Shift+Enter is between', async () => {
        const { page, model } = workbench;
        const editor = await page.openFile(GREETING);
        await editor.placeCursorInLineContainingText('return');
        await page.press('End', 'Shift+Home');
        await terminal.waitForScreen('greeting.js');
        const before = await model.newest();
        await terminal.type('first line');
        await page.press('Shift+Enter');
        await terminal.submit('SAY:{"text":"heard"}:END');
        const request = await model.waitForRequest('with the prompt', before, ({ prompt }) => prompt.includes('SAY:'));
        expect(await model.body(request))
            .to.contain("return 'Hello ' + name;")
            .and.to.contain('first line\\nSAY:');
        await terminal.waitForScreen('heard');
    });

    it('W12: a mention puts the file into the prompt', async () => {
        const { page } = workbench;
        await (await page.openFile('README.md')).focus();
        await page.execute('companion.prompt.addFile');
        await terminal.waitForScreen('@README.md');
    });
});
