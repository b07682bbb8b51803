// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { eventually } from '../support/eventually';
import { Terminal } from '../support/terminal';
import { Workbench } from '../support/workbench';

const GREETING = 'src/greeting.js';

/** In a page with other CLIs: OpenCode and its fork Kilo CLI must be in its PATH. */
export function itWorksWithOpenCode(workbench: () => Workbench): void {
    let terminal: Terminal;
    let kilo: Terminal;

    it('A5, W3: OpenCode connects by itself', async () => {
        const { page } = workbench();
        terminal = await page.terminalOpenedBy(() => page.execute('companion.run.opencode'));
        await page.waitForStatus('OpenCode connected');
        // Its first start takes a quarter of a minute, most of which it waits.
        kilo = await page.terminalOpenedBy(() => page.execute('companion.run.kilo'));
    });

    it('C13, W11: the model of OpenCode gets the selection, and both lines that Shift+Enter is between', async () => {
        const { page, model, ide } = workbench();
        const [selected] = /return .*/.exec(await ide.read(GREETING)) ?? [];
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
            .to.contain(selected)
            .and.to.contain('first line\\nSAY:');
        await terminal.waitForScreen('heard');
    });

    it('W12: a mention puts the file into the prompt of OpenCode', async () => {
        const { page } = workbench();
        await (await page.openFile('README.md')).focus();
        await page.execute('companion.prompt.addFile');
        await terminal.waitForScreen('@README.md');
    });

    it('A5: Kilo CLI connects by itself, under its own name', async () => {
        const { page } = workbench();
        await eventually('Kilo CLI in the status', async () => (await page.statusDetails()).includes('Kilo CLI: in '));
        await page.openFile(GREETING);
        await kilo.waitForScreen('greeting.js');
    });
}
