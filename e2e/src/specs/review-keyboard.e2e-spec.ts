// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { promises as fs } from 'fs';
import * as path from 'path';
import { eventually } from '../support/eventually';
import { IdePage } from '../support/ide-page';
import { ProtocolClient } from '../support/protocol-client';
import { ReviewDiff } from '../support/review-diff';
import { ReviewFixture } from '../support/review-fixture';
import { Terminal } from '../support/terminal';
import { Workbench } from '../support/workbench';

const ACCEPTED = 'ide/diffAccepted';

describe('Reviews and the keyboard', () => {
    let workbench: Workbench;
    let page: IdePage;
    let client: ProtocolClient;
    let terminal: Terminal;
    let number = 0;

    before(async () => {
        ({ workbench, client } = await ReviewFixture.get());
        ({ page } = workbench);
        terminal = await page.openTerminal();
    });

    describe('keyboard', () => {
        it('a review does not take the keyboard from a terminal, and gives it back', async () => {
            await terminal.focus();
            const { file, diff } = await open();
            await page.page.keyboard.type('echo still here');
            await terminal.waitFor('echo still here');
            await diff.typeAtEnd('x');
            await diff.look();
            await page.press('Control+Enter');
            await client.waitForOutcome(file);
            await page.waitUntilNoDiff(file);
            await page.page.keyboard.type(', and again');
            await terminal.waitFor('echo still here, and again');
        });

        it('an accepted diff closes at once, however long Theia takes to move the focus', async () => {
            await terminal.focus();
            const { file, diff } = await open();
            await diff.typeAtEnd('x');
            await page.page.evaluate(() => {
                interface Shell {
                    activateWidget(id: string): Promise<unknown>;
                }
                const [shell] = window.companionProbe.servicesWith<Shell>('getAreaFor');
                const activate = shell.activateWidget.bind(shell);
                shell.activateWidget = id => {
                    shell.activateWidget = activate;
                    void activate(id);
                    return new Promise(() => undefined);
                };
            });
            await diff.look();
            await page.press('Control+Enter');
            expect((await client.waitForOutcome(file)).method).to.equal(ACCEPTED);
            await page.waitUntilNoDiff(file);
            await page.page.keyboard.type('echo at once');
            await terminal.waitFor('echo at once');
        });

        it('what is typed while the CLI ends the review reaches neither the terminal nor a file', async () => {
            await terminal.focus();
            const { file, diff } = await open();
            await diff.typeAtEnd('x');
            await client.closeDiff(file);
            await page.waitUntilNoDiff(file);
            await page.page.keyboard.type('echo not-for-a-shell');
            await page.press('Enter');
            await terminal.focus();
            await page.page.keyboard.type('echo the terminal is there');
            await terminal.waitFor('echo the terminal is there');
            expect(await terminal.text()).to.not.contain('not-for-a-shell');
            expect((await page.page.locator('.monaco-editor .view-lines').allInnerTexts()).join('\n')).to.not.contain('not-for-a-shell');
        });
    });

    describe('from elsewhere', () => {
        it('the commands are in the palette while the terminal has the keyboard, and mean the review in front', async () => {
            await terminal.focus();
            const { file, diff } = await open();
            await diff.look();
            await runFromPalette('Accept Proposal');
            expect((await client.waitForOutcome(file)).method).to.equal(ACCEPTED);
            await page.waitUntilNoDiff(file);
        });

        it('the palette goes to changes, undoes them and switches the layout, and the menu of the diff answers', async () => {
            const { file, diff } = await open('a\nb\nc\nd\ne\nf\ng\n', undefined, 'a\nB\nc\nd\ne\nF\ng\n');
            await diff.waitUntilCompared();
            expect(await diff.button('Accept').innerText(), 'in words, with its key').to.match(/^Accept\s*Ctrl\+Shift\+F9$/);
            const themes = { light: 'vs', 'hc-theia': 'hc-black', 'hc-theia-light': 'hc-light', dark: 'vs-dark' };
            for (const [theme, monacoTheme] of Object.entries(themes)) {
                await page.setPreference('workbench.colorTheme', theme);
                await eventually(`arrows that can be seen in the theme ${theme}`, () => diff.showsArrows(monacoTheme));
            }
            await terminal.focus();
            await runFromPalette('Go to Next Change in the Proposal');
            await eventually('the change after the one that it opened at', async () => (await diff.cursor())?.lineNumber === 6);
            expect(await diff.bar.innerText()).to.include('change 2 of 2 · +2 −2');
            await terminal.focus();
            await runFromPalette('Companion: Revert Block');
            await eventually('the change to be taken back', async () => (await diff.right()) === 'a\nB\nc\nd\ne\nf\ng\n');
            await diff.pressButton('companion.review.toggleLayout');
            await eventually('one column', async () => !(await diff.isSideBySide()));
            await diff.pressButton('companion.review.toggleLayout');
            await eventually('two columns', () => diff.isSideBySide());
            await diff.look();
            await diff.openMenu();
            await page.page.locator('.lm-Menu-item', { hasText: /Reject Proposal(?! with)/ }).waitFor();
            await page.page.locator('.lm-Menu-item', { hasText: 'Accept Proposal' }).click();
            const { method, params } = await client.waitForOutcome(file);
            expect([method, params.content]).to.deep.equal([ACCEPTED, 'a\nB\nc\nd\ne\nf\ng\n']);
            await page.waitUntilNoDiff(file);
        });

        it('a diff that comes while the user types opens behind, and no key is lost', async () => {
            await page.openFile('notes.txt');
            await page.press('F1');
            await page.page.locator('.quick-input-widget').waitFor();
            await page.page.keyboard.type('Go to');
            const first = await open();
            await page.page.keyboard.type(' Next Waiting');
            await page.page.locator('.quick-input-list .monaco-list-row.focused', { hasText: 'Go to Next Waiting Proposal' }).waitFor();
            expect(await first.diff.isCurrent()).to.equal(false);
            await page.press('Enter');
            await eventually('the review to have the keyboard', () => first.diff.hasKeyboard());
            const second = await open();
            expect(await second.diff.isCurrent(), 'a proposal is text that the user edits').to.equal(false);
            expect(await first.diff.hasKeyboard()).to.equal(true);
            await page.waitForMessage(`proposes changes to ${path.basename(second.file)}`);
            await page.waitForStatus('2 proposals waiting');
            await client.closeDiff(first.file);
            await client.closeDiff(second.file);
            await page.waitUntilNoDiff();
        });
    });

    async function runFromPalette(label: string): Promise<void> {
        await page.press('F1');
        await page.page.locator('.quick-input-widget').waitFor();
        await page.page.keyboard.type(label);
        await page.page.locator('.quick-input-list .monaco-list-row.focused', { hasText: label }).waitFor();
        await page.press('Enter');
    }

    /** Opens a review of a file of its own, which is new unless there is something on disk. */
    async function open(disk?: string, name = `key-${++number}.txt`, proposal = 'proposed\n'): Promise<{ file: string; diff: ReviewDiff }> {
        const file = workbench.ide.file(name);
        if (disk !== undefined) {
            await fs.writeFile(file, disk);
        }
        expect(await client.openDiff(file, proposal)).to.deep.include({ content: [] });
        return { file, diff: await page.waitForDiff(file) };
    }
});
