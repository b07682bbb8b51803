// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { promises as fs } from 'fs';
import * as path from 'path';
import { Locator } from '@playwright/test';
import { Cli } from '../support/cli';
import { GEMINI_CLI } from '../support/cli-words';
import { delay, eventually } from '../support/eventually';
import { StatusPick } from '../support/status-pick';
import { Workbench } from '../support/workbench';

const ROW = 'Turn on IDE mode of Gemini CLI';
/** In milliseconds. For `npm run soak` it is longer than a session without a stream lives. */
const STOPPED = process.env.SOAK ? 65_000 : 0;

/** The cases follow one another. */
describe('Gemini CLI, whose IDE mode the user is offered to switch on, and which is stopped with Ctrl+Z', () => {
    let workbench: Workbench;
    let gemini: Cli;

    before(async () => {
        workbench = await Workbench.start({
            model: true,
            // More than is ever told of a selection; in JSON twice as long.
            files: { 'quotes.txt': `${'"'.repeat(99)}\n`.repeat(200) },
            prepare: async started => {
                const { ide: _ide, ...rest } = await settings(started);
                await fs.writeFile(settingsFile(started), JSON.stringify(rest));
            }
        });
    });
    after(() => workbench?.dispose());

    it('the offer is made, and "Not now" writes nothing', async () => {
        await answer('Not now');
        expect(await settings()).not.to.have.property('ide');
        await workbench.page.reload();
        await expectOnlyTheRow();
    });

    it('the offer is made again by the next backend', async () => {
        await restart();
        await offer().waitFor();
    });

    it('the offer is never made again after "Don\'t ask again", and stays in the list', async () => {
        await answer("Don't ask again");
        await restart();
        await expectOnlyTheRow();
    });

    it('the offer can be taken from the list: then the CLI connects by itself', async () => {
        const pick = await StatusPick.open(workbench.page.page);
        await pick.choose(ROW);
        await workbench.page.page.locator('.dialogControl').getByRole('button', { name: 'Turn on' }).click();
        await eventually('the settings to be written', async () => (await settings()).ide?.enabled === true);
        gemini = await Cli.start(GEMINI_CLI, workbench);
    });

    /** Qwen Code 0.24 takes Ctrl+Z for itself; Gemini CLI 0.61 stops when it is pressed twice. */
    it('stopped, it stops responding, and goes on after fg: it gets the answer given meanwhile, and asks again', async () => {
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

    function settingsFile({ home } = workbench.ide): string {
        return path.join(home, '.gemini', 'settings.json');
    }

    async function settings(ide = workbench.ide): Promise<{ ide?: { enabled?: boolean } }> {
        return JSON.parse(await fs.readFile(settingsFile(ide), 'utf8')) as { ide?: { enabled?: boolean } };
    }

    /** Theia has it in the list of notifications, too. */
    function offer(): Locator {
        return workbench.page.page.locator('.theia-notification-toasts .theia-notification-list-item', { hasText: 'IDE mode' });
    }

    async function answer(choice: string): Promise<void> {
        await offer().getByRole('button', { name: choice }).click();
        await offer().waitFor({ state: 'hidden' });
    }

    async function restart(): Promise<void> {
        await workbench.page.close();
        await workbench.ide.end('SIGTERM');
        await workbench.ide.restart();
        workbench.page = await workbench.openPage();
    }

    /** The list is filled by what the question would have come with. */
    async function expectOnlyTheRow(): Promise<void> {
        await eventually('the row in the list', async () => (await workbench.page.statusDetails()).includes("Gemini CLI's IDE mode"));
        const pick = await StatusPick.open(workbench.page.page);
        await pick.waitForItem(ROW);
        await pick.close();
        expect(await offer().count()).to.equal(0);
    }
});
