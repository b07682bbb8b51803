// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { Cli } from '../support/cli';
import { GEMINI_CLI } from '../support/cli-words';
import { delay, eventually } from '../support/eventually';
import { Workbench } from '../support/workbench';

/** In milliseconds. For `npm run soak` it is longer than a session without a stream lives. */
const STOPPED = process.env.SOAK ? 65_000 : 0;

/** Qwen Code 0.24 takes Ctrl+Z for itself; Gemini CLI 0.61 stops when it is pressed twice. */
describe('Gemini CLI, stopped with Ctrl+Z in its terminal', () => {
    let workbench: Workbench;
    let gemini: Cli;

    before(async () => {
        // More than is ever told of a selection; in JSON twice as long.
        workbench = await Workbench.start({ model: true, files: { 'quotes.txt': `${'"'.repeat(99)}\n`.repeat(200) } });
        await workbench.prepare('start of Gemini CLI', async () => {
            gemini = await Cli.start(GEMINI_CLI, workbench);
        });
    });
    after(() => workbench?.dispose());

    it('stops responding, and goes on after fg: it gets the answer given meanwhile, and asks again', async () => {
        const { page, ide } = workbench;
        const file = ide.file('stopped.txt');
        await gemini.play(gemini.writeFile('stopped.txt', 'asked before\n'));
        await page.waitForDiff(file);
        await gemini.waitForQuestion();
        await gemini.terminal.press('Control+z');
        await gemini.terminal.press('Control+z');
        await gemini.terminal.waitForScreen(/Stopped/, 'the shell to say that it stopped');

        const editor = await page.openFile('quotes.txt');
        await editor.activate();
        await page.page.keyboard.press('Control+a');
        const end = Date.now() + 120_000;
        // Its connection takes some megabytes before the backend can know.
        for (let presses = 0; (await page.statusDetails()).includes('Gemini CLI connected'); presses++) {
            expect(Date.now(), `${presses} selections were told`).to.be.below(end);
            await page.page.keyboard.press(presses % 40 < 20 ? 'Shift+ArrowLeft' : 'Shift+ArrowRight');
            // One update each.
            await delay(80);
        }
        await delay(STOPPED);
        await (await page.waitForDiff(file)).accept();
        await page.waitUntilNoDiff();

        await gemini.terminal.run('fg');
        await eventually('the file to be written', async () => (await ide.read('stopped.txt')) === 'asked before\n');
        await page.waitForStatus('Gemini CLI connected');
        await gemini.waitForPrompt();
        await gemini.play(gemini.writeFile('again.txt', 'asked after\n'));
        await (await page.waitForDiff(ide.file('again.txt'))).accept();
        await eventually('the second file to be written', async () => (await ide.read('again.txt')) === 'asked after\n');
    });
});
