// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { PageFault, spoilPage } from '../support/before-theia';
import { eventually } from '../support/eventually';
import { IdePage } from '../support/ide-page';
import { ReviewFixture } from '../support/review-fixture';
import { Workbench } from '../support/workbench';

describe('A part of the companion that does not work', () => {
    let workbench: Workbench;

    before(async () => {
        ({ workbench } = await ReviewFixture.get());
    });

    /** Runs in a tab of its own, so that a fault does not outlive its case. */
    async function withFault(fault: PageFault, check: (page: IdePage) => Promise<void>): Promise<void> {
        const page = await workbench.openPage(undefined, tab => tab.addInitScript(spoilPage, fault));
        try {
            await check(page);
        } finally {
            await page.close();
        }
    }

    /** The application is there: its menus, its commands, its keys and its terminals. */
    async function expectHostToLive(ide: IdePage): Promise<void> {
        const { page } = ide;
        expect(await page.evaluate(() => window.companionContributions ?? 0), 'the page was spoiled').to.be.greaterThan(0);
        expect(await page.locator('#theia\\:menubar .lm-MenuBar-itemLabel').allInnerTexts()).to.include.members([
            'File',
            'Edit',
            'Terminal'
        ]);
        await page.keyboard.press('F1');
        const palette = page.locator('.quick-input-widget');
        await palette.locator('input').fill('>About');
        await palette.getByRole('option', { name: 'About' }).first().waitFor();
        await page.keyboard.press('Escape');
        await ide.openTerminal();
    }

    it('is a problem in the status, with its cause, and costs the page nothing but itself', async () => {
        await withFault({ breakMade: 'registerMenus' }, async page => {
            await eventually('the cause', async () => (await page.statusDetails()).includes('Broken on purpose'));
            await expectHostToLive(page);
        });
    });

    if (process.env.SOAK) {
        // One page for each: `npm run soak` does that.
        it('costs the page nothing but itself, whichever of our contributions cannot be made', async function () {
            let total = 1;
            for (let first = 0; first < total; first++) {
                await withFault({ breakMade: { first, every: 1_000 } }, async page => {
                    total = await page.page.evaluate(() => window.companionContributions ?? 0);
                    this.timeout(total * 60_000);
                    await expectHostToLive(page);
                });
            }
        });
    }

    it('costs the page nothing but itself when everything that Theia calls of ours fails', async () => {
        await withFault({ breakCalls: true }, expectHostToLive);
    });
});
