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

/** Longer than a session without a stream lives. */
const STOPPED_MS = 65_000;

/** The cases follow one another. */
describe('Gemini CLI, whose IDE mode is off, and which is stopped with Ctrl+Z', () => {
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

    it('Run Gemini CLI asks first, and nothing does before; closing the question starts and writes nothing', async () => {
        await workbench.page.waitForStatus('Companion');
        expect(await workbench.page.statusDetails()).not.to.include('IDE mode');
        expect(await workbench.page.messages()).to.deep.equal([]);
        const before = (await workbench.page.terminals()).length;
        await run();
        await question().waitFor();
        await workbench.page.page.keyboard.press('Escape');
        await question().waitFor({ state: 'hidden' });
        expect(await workbench.page.terminals()).to.have.length(before);
        expect(await settings()).not.to.have.property('ide');
    });

    it('run without connecting, it asks nothing itself, and connects when the status types what connects it', async () => {
        const terminal = await workbench.page.terminalOpenedBy(async () => {
            await run();
            await question().waitFor();
            await workbench.page.page.keyboard.press('ArrowDown');
            await workbench.page.page.keyboard.press('Enter');
        });
        await terminal.waitForScreen(/Type your message/, 'the prompt of Gemini CLI', { timeout: 120_000 });
        expect(await terminal.screen()).not.to.include('Do you want to connect');
        expect((await settings()).ide).to.deep.equal({ hasSeenNudge: true });
        await workbench.page.waitForStatus('Gemini CLI runs here, not connected');
        await (await StatusPick.open(workbench.page.page)).choose('Gemini CLI runs here');
        await terminal.waitForScreen('/ide enable');
        await terminal.sendOff();
        await workbench.page.waitForStatus('Gemini CLI connected');
        await terminal.press('Control+c');
        await terminal.press('Control+c');
        await eventually('Gemini CLI to end', async () => !(await workbench.page.statusDetails()).includes('Gemini CLI connected'));
    });

    it('with IDE mode off in its settings, the next page asks again: then it connects by itself', async () => {
        await fs.writeFile(settingsFile(), JSON.stringify({ ...(await settings()), ide: { enabled: false } }));
        await workbench.page.reload();
        gemini = await Cli.start(GEMINI_CLI, workbench, {
            // It may be the second one that is known.
            status: 'connected',
            run: async () => {
                await run();
                await question().waitFor();
                await workbench.page.page.keyboard.press('Enter');
            }
        });
        expect((await settings()).ide?.enabled).to.equal(true);
    });

    if (process.env.SOAK) {
        // Its socket has to be filled, which takes half a minute. `mcp-sessions.integration-spec.ts` has the same with a stopped client.
        /** Qwen Code 0.24 takes Ctrl+Z for itself; Gemini CLI 0.61 stops when it is pressed twice. */
        it('when it is stopped, Accept says that it does not respond; after fg it takes the answer, and asks again', async () => {
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
            for (let presses = 0; /Gemini CLI( 2)? connected/.test(await page.statusDetails()); presses++) {
                expect(Date.now(), `${presses} selections were told`).to.be.below(end);
                await page.page.keyboard.press(presses % 40 < 20 ? 'Shift+ArrowLeft' : 'Shift+ArrowRight');
                // One update each.
                await delay(80);
            }
            await delay(STOPPED_MS);
            const diff = await page.waitForDiff(file);
            await diff.activate();
            await diff.waitForNotice('has stopped responding');
            expect(await diff.button('Accept').getAttribute('title')).to.include('"fg" in its terminal');
            await diff.button('Accept').click({ force: true });
            expect(await diff.isOpen()).to.equal(true);

            await gemini.terminal.run('fg');
            await eventually('Accept', async () => (await diff.button('Accept').getAttribute('aria-disabled')) === 'false');
            await diff.accept();
            await eventually('the file to be written', async () => (await ide.read('stopped.txt')) === 'asked before\n');
            await page.waitForStatus('connected');
            await gemini.waitForPrompt();
            await gemini.play(gemini.writeFile('again.txt', 'asked after\n'));
            await (await page.waitForDiff(ide.file('again.txt'))).accept();
            await eventually('the second file to be written', async () => (await ide.read('again.txt')) === 'asked after\n');
        });
    }

    function settingsFile({ home } = workbench.ide): string {
        return path.join(home, '.gemini', 'settings.json');
    }

    async function settings(ide = workbench.ide): Promise<{ ide?: { enabled?: boolean } }> {
        return JSON.parse(await fs.readFile(settingsFile(ide), 'utf8')) as { ide?: { enabled?: boolean } };
    }

    /** The command ends once the question is answered. */
    async function run(): Promise<void> {
        void workbench.page.execute('companion.run.gemini-cli').catch(() => undefined);
    }

    function question(): Locator {
        return workbench.page.page.locator('.quick-input-widget', { hasText: 'Connect Gemini CLI to this IDE?' });
    }
});
