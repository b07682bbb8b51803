// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { Cli } from '../support/cli';
import { CliWords } from '../support/cli-words';
import { eventually } from '../support/eventually';
import { IdePage } from '../support/ide-page';
import { Workbench } from '../support/workbench';

/** What a newcomer does with the page that `npm start` opens, up to the prompt of a CLI: it serves the tests that come after it. */
export function itStartsFromTheFirstPage(words: CliWords, workbench: () => Workbench, started: (cli: Cli) => void): void {
    it('the first page says what to do and has the sample file open, without taking the keyboard', async () => {
        const { page } = workbench().page;
        const view = page.locator('#companion-sample-getting-started');
        await view.waitFor();
        await view.getByRole('heading', { level: 1 }).waitFor();
        expect(await page.evaluate(() => document.activeElement?.tagName)).to.equal('BODY');
        await eventually('the sample file to be open', async () =>
            (await workbench().page.editors()).some(uri => uri.endsWith('greeting.js'))
        );
        expect(await view.isVisible(), 'the file is behind the view').to.equal(true);
        expect(await page.locator('#explorer-view-container').isVisible(), 'the explorer is open').to.equal(true);
        expect(await view.locator('code').allInnerTexts()).to.deep.equal(['what do you see?', 'improve the greeting', 'add a test']);
        // Those that count, as the registry has them.
        expect(await view.getByRole('row', { name: 'Accept Proposal' }).locator('kbd').allInnerTexts()).to.include('Ctrl+Enter');
    });

    it('by keyboard: the view opens the file with syntax colours, and starts the CLI in a terminal with its name', async () => {
        const { page } = workbench();
        await page.execute('companion.sample.gettingStarted');
        await page.press('Tab', 'Enter');
        await page.page
            .locator('.theia-editor:visible .view-line', { hasText: 'return' })
            .locator('span:not(.mtk1)', { hasText: /^return$/ })
            .waitFor();
        const run = async (): Promise<void> => {
            await page.execute('companion.sample.gettingStarted');
            const button = page.page.getByRole('button', { name: `Run ${words.name}` });
            await button.focus();
            await page.press('Enter');
        };
        started(await Cli.start(words, workbench(), { run }));
        await expectTerminalTab(page, words);
    });
}

/** A name and an icon, whatever the CLI calls its terminal. */
export async function expectTerminalTab({ page }: IdePage, { name }: CliWords): Promise<void> {
    const tab = page.locator('#theia-bottom-content-panel .lm-TabBar-tab', { hasText: name });
    expect(await tab.locator('.lm-TabBar-tabLabel').innerText()).to.equal(name);
    expect(await tab.locator('.codicon-sparkle').count(), 'icons').to.equal(1);
}
