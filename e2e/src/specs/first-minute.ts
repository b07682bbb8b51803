// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { Cli } from '../support/cli';
import { CliWords } from '../support/cli-words';
import { eventually } from '../support/eventually';
import { IdePage } from '../support/ide-page';
import { Workbench } from '../support/workbench';

/** On a busy machine Theia's tokenizer (1.74) gives up within a file, which has one colour from there on until it is opened again. */
const COLOUR_TIME_MS = 10_000;

/** What a newcomer does with the page that `npm start` opens, up to its file. */
export function itGreets(workbench: () => Workbench): void {
    it('the first page says what to do; by keyboard, it opens the file, with colours', async () => {
        const { page } = workbench();
        const view = page.page.locator('#companion-sample-getting-started');
        await view.waitFor();
        await view.getByRole('heading', { level: 1 }).waitFor();
        expect(await page.page.evaluate(() => document.activeElement?.tagName)).to.equal('BODY');
        expect(await page.page.locator('#explorer-view-container').isVisible(), 'the explorer is open').to.equal(true);
        expect(await view.locator('code').allInnerTexts()).to.deep.equal(['what do you see?', 'improve the greeting', 'add a test']);
        // Those that count, as the registry has them.
        expect(await view.getByRole('row', { name: 'Accept Proposal' }).locator('kbd').allInnerTexts()).to.include('Ctrl+Enter');
        const open = async (): Promise<void> => {
            await page.execute('companion.sample.gettingStarted');
            await page.press('Tab', 'Enter');
            await eventually('the file to have the keyboard', () =>
                page.page.evaluate(() => document.activeElement?.closest('.theia-editor') !== null)
            );
        };
        const keyword = page.page
            .locator('.theia-editor:visible .view-line', { hasText: 'return' })
            .locator('span:not(.mtk1)', { hasText: /^return$/ });
        await eventually('syntax colours', async () => {
            await open();
            const isColoured = await keyword.waitFor({ timeout: COLOUR_TIME_MS }).then(
                () => true,
                () => false
            );
            if (!isColoured) {
                await page.execute('core.close.main.tab');
            }
            return isColoured;
        });
        expect(await view.isVisible(), 'the file is beside the view').to.equal(true);
        await view.getByRole('listitem').filter({ hasText: 'Open the file' }).getByRole('img', { name: 'Done' }).waitFor();
        expect(await view.getByRole('img', { name: 'Done' }).count(), 'steps that are done').to.equal(1);
    });
}

/** Up to the prompt of a CLI: it serves the tests that come after it. */
export function itStartsFromTheFirstPage(words: CliWords, workbench: () => Workbench, started: (cli: Cli) => void): void {
    it(`by keyboard, the first page starts ${words.name} in a terminal with its name, and types into its prompt`, async () => {
        const { page } = workbench();
        const view = page.page.locator('#companion-sample-getting-started');
        const run = async (): Promise<void> => {
            await page.execute('companion.sample.gettingStarted');
            const button = page.page.getByRole('button', { name: `Run ${words.name}` });
            await button.focus();
            await page.press('Enter');
        };
        const cli = await Cli.start(words, workbench(), { run });
        started(cli);
        await expectTerminalTab(page, words);
        await view.getByRole('listitem').filter({ hasText: 'Start a CLI' }).getByRole('img', { name: 'Done' }).waitFor();
        await cli.waitForPrompt();
        const end = await view.evaluate(element => element.getBoundingClientRect().bottom);
        const last = await view.getByRole('button', { name: 'add a test' }).boundingBox();
        expect(last!.y + last!.height, 'the step that follows is in view').to.be.below(end);
        await view.getByRole('button', { name: 'what do you see?' }).click();
        await cli.terminal.waitForScreen('what do you see?');
        expect(await cli.terminal.hasKeyboard()).to.equal(true);
        // Nothing stays for the cases that follow.
        await page.press(...Array<string>('what do you see?'.length).fill('Backspace'));
        await cli.waitForPrompt();
        // The cases that follow want the whole width.
        await page.execute('companion.sample.gettingStarted');
        await page.execute('core.close.main.tab');
    });
}

/** A name and an icon, whatever the CLI calls its terminal. */
export async function expectTerminalTab({ page }: IdePage, { name }: CliWords): Promise<void> {
    const tab = page.locator('#theia-bottom-content-panel .lm-TabBar-tab', { hasText: name });
    expect(await tab.locator('.lm-TabBar-tabLabel').innerText()).to.equal(name);
    expect(await tab.locator('.codicon-sparkle').count(), 'icons').to.equal(1);
}
