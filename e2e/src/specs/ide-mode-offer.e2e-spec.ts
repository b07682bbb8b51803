// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { promises as fs } from 'fs';
import * as path from 'path';
import { Locator } from '@playwright/test';
import { Cli } from '../support/cli';
import { GEMINI_CLI } from '../support/cli-words';
import { eventually } from '../support/eventually';
import { StatusPick } from '../support/status-pick';
import { Workbench } from '../support/workbench';

const ROW = 'Turn on IDE mode of Gemini CLI';

/** The cases follow one another. */
describe("The offer to switch Gemini CLI's IDE mode on", () => {
    let workbench: Workbench;

    before(async () => {
        workbench = await Workbench.start({
            model: true,
            prepare: async started => {
                const { ide: _ide, ...rest } = await settings(started);
                await fs.writeFile(settingsFile(started), JSON.stringify(rest));
            }
        });
    });
    after(() => workbench?.dispose());

    it('is made, and "Not now" writes nothing', async () => {
        await answer('Not now');
        expect(await settings()).not.to.have.property('ide');
        await workbench.page.reload();
        await expectOnlyTheRow();
    });

    it('is made again by the next backend', async () => {
        await restart();
        await offer().waitFor();
    });

    it('is never made again after "Don\'t ask again", and stays in the list', async () => {
        await answer("Don't ask again");
        await restart();
        await expectOnlyTheRow();
    });

    it('can be taken from the list: then Gemini CLI connects by itself', async () => {
        const pick = await StatusPick.open(workbench.page.page);
        await pick.choose(ROW);
        await workbench.page.page.locator('.dialogControl').getByRole('button', { name: 'Turn on' }).click();
        await eventually('the settings to be written', async () => (await settings()).ide?.enabled === true);
        const cli = await Cli.start(GEMINI_CLI, workbench);
        await cli.quit();
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
