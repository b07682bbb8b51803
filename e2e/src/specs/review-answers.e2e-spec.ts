// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { promises as fs } from 'fs';
import * as path from 'path';
import { eventually } from '../support/eventually';
import { IdePage } from '../support/ide-page';
import { ProtocolClient, ReceivedNotification } from '../support/protocol-client';
import { ReviewDiff } from '../support/review-diff';
import { ReviewFixture } from '../support/review-fixture';
import { settledOutcomes as settled } from '../support/settled-outcomes';
import { StatusPick } from '../support/status-pick';
import { Terminal } from '../support/terminal';
import { Workbench } from '../support/workbench';

describe('Answers to a proposal that was seen', () => {
    let workbench: Workbench;
    let page: IdePage;
    let client: ProtocolClient;
    let terminal: Terminal;
    let number = 0;

    before(async () => {
        ({ workbench, client } = await ReviewFixture.get());
        ({ page } = workbench);
        terminal = await page.openTerminal();
        await terminal.run('cat -v');
    });
    after(async () => {
        await terminal.focus();
        await page.press('Control+c', 'Control+d');
    });

    it('no key answers a proposal under a maximized terminal: the first one brings it to the front, and leaves the keyboard', async () => {
        await terminal.focus();
        await page.execute('core.toggleMaximized');
        for (const keys of ['Control+Shift+F9', 'Control+Shift+F7']) {
            await terminal.focus();
            if (!(await isMaximized())) {
                await page.execute('core.toggleMaximized');
            }
            const { file, diff } = await open();
            await page.waitForMessage(`proposes changes to ${path.basename(file)}`);
            expect(await isMaximized(), 'the terminal stays').to.equal(true);
            await terminal.focus();
            await page.press(keys);
            await diff.look();
            expect(await isMaximized()).to.equal(false);
            expect(await terminal.hasKeyboard()).to.equal(true);
            expect(await settledOutcomes(file)).to.deep.equal([]);
            await eventually(
                'the message to go, because the diff is seen',
                async () => !(await page.messages()).join().includes('proposes')
            );
            await diff.look();
            await page.press(keys);
            await client.waitForOutcome(file);
            await page.waitUntilNoDiff(file);
        }
    });

    it('a dialog over the proposal keeps keys from answering it', async () => {
        await terminal.focus();
        const { file, diff } = await open();
        await diff.look();
        await page.execute('core.about');
        const dialog = page.page.locator('.dialogOverlay');
        await dialog.waitFor();
        await page.press('Control+Shift+F9');
        expect(await settledOutcomes(file)).to.deep.equal([]);
        await eventually('the dialog to close', async () => {
            // Theia takes the first one for a message, if there is one, such as that a file is written.
            await page.press('Escape');
            return !(await dialog.isVisible());
        });
        await terminal.focus();
        await diff.look();
        await page.press('Control+Shift+F9');
        await client.waitForOutcome(file);
        await page.waitUntilNoDiff(file);
    });

    it('a held key answers one proposal, and then reaches no terminal', async () => {
        for (const { keys, modifiers } of [
            { keys: 'F9', modifiers: ['Control', 'Shift'] },
            { keys: 'Enter', modifiers: ['Control'] }
        ]) {
            await terminal.focus();
            const first = await open();
            // Until it is painted, others open behind it.
            await first.diff.look();
            const second = await open();
            await (keys === 'Enter' ? second.diff.press('Control+End') : terminal.focus());
            await second.diff.look();
            const text = await terminal.text();
            for (const modifier of modifiers) {
                await page.page.keyboard.down(modifier);
            }
            await page.page.keyboard.down(keys);
            await client.waitForOutcome(second.file);
            await page.waitUntilNoDiff(second.file);
            await first.diff.look();
            for (let repetition = 0; repetition < 3; repetition++) {
                await page.page.keyboard.down(keys);
            }
            expect(await settledOutcomes(first.file)).to.deep.equal([]);
            for (const key of [keys, ...modifiers]) {
                await page.page.keyboard.up(key);
            }
            await client.closeDiff(first.file);
            await page.waitUntilNoDiff();
            expect(await terminal.text()).to.equal(text);
        }
    });

    it('a key that is pressed again reaches neither the terminal nor the next proposal', async () => {
        await terminal.focus();
        const { file, diff } = await open();
        await diff.press('Control+End');
        await diff.look();
        const text = await terminal.text();
        const goOn = await stopClock();
        await page.press('Control+Enter');
        await client.waitForOutcome(file);
        await page.waitUntilNoDiff(file);
        await eventually('the terminal to have the keyboard', () => terminal.hasKeyboard());
        await page.press('Control+Enter');
        await goOn();
        expect(await terminal.text()).to.equal(text);
    });

    it('Escape in a terminal belongs to the program that runs in it, also while a message is shown', async () => {
        await (await page.openFile('notes.txt')).focus();
        const { file } = await open();
        const message = `proposes changes to ${path.basename(file)}`;
        await page.waitForMessage(message);
        const toasts = page.page.locator('.theia-notification-toasts.open');
        await toasts.waitFor();
        await terminal.focus();
        const before = count(await terminal.text(), '^[');
        await page.press('Escape', 'Enter');
        await eventually('the key to arrive', async () => count(await terminal.text(), '^[') > before);
        expect(await toasts.innerText()).to.include(message);
        await (await page.openFile('notes.txt')).focus();
        await page.press('Escape');
        await toasts.waitFor({ state: 'hidden' });
        await client.closeDiff(file);
        await page.waitUntilNoDiff();
    });

    it('undo after an accept is a change that is saved', async () => {
        await page.setPreference('files.autoSave', 'off');
        const file = workbench.ide.file('undo-after-accept.txt');
        await fs.writeFile(file, 'before\n');
        const editor = await page.openFile('undo-after-accept.txt');
        expect(await client.openDiff(file, 'behind\n')).to.deep.include({ content: [] });
        await (await page.waitForDiff(file)).accept();
        await client.waitForOutcome(file);
        // As the CLI does. But an editor that saw the file while it is empty would have one step more to undo (Theia 1.74).
        const written = await fs.open(file, 'r+');
        await written.write('behind\n');
        await written.close();
        const uri = `file://${file}`;
        await eventually('the editor to have the new text', async () => (await page.textOf(uri)) === 'behind\n');
        expect(await editor.isDirty()).to.equal(false);
        await editor.focus();
        await page.press('Control+z');
        await eventually('the old text', async () => (await page.textOf(uri)) === 'before\n');
        expect(await editor.isDirty(), 'it differs from the file').to.equal(true);
        await page.press('Control+Shift+z');
        await eventually('the new text', async () => (await page.textOf(uri)) === 'behind\n');
        expect(await editor.isDirty(), 'it equals the file').to.equal(false);
        await page.press('Control+z');
        await page.setPreference('files.autoSave', 'afterDelay');
        await eventually('the file to be written', async () => (await fs.readFile(file, 'utf8')) === 'before\n');
        await eventually('the editor to have saved it', async () => !(await editor.isDirty()));
    });

    it('Apply says how many lines of the file it removes, and asks', async () => {
        await page.setPreference('files.autoSave', 'off');
        const file = workbench.ide.file('applied.txt');
        await fs.writeFile(file, 'one\ntwo\n');
        const editor = await page.openFile('applied.txt');
        await editor.focus();
        expect(await client.openDiff(file, 'one\nTWO\n')).to.deep.include({ content: [] });
        const diff = await page.waitForDiff(file);
        await diff.typeAtEnd('kept\n');
        await (await page.openFile('applied.txt')).focus();
        await page.press('Control+End');
        await page.page.keyboard.insertText('written meanwhile\n');
        await diff.closeTab();
        await client.waitForOutcome(file);
        await page.answerMessage('Your edits to it are kept', 'Show My Edits');
        await page.waitForKeptEdit(file);
        const apply = page.page.locator('.companion-review-notice-action', { hasText: 'Apply' });
        const dialog = page.page.locator('.dialogOverlay');
        const uri = `file://${file}`;
        await apply.click();
        await dialog.waitFor();
        expect(await dialog.innerText()).to.include('This removes lines from the file as it is now: 2.');
        await dialog.getByRole('button', { name: 'Cancel' }).click();
        expect((await page.waitForKeptEdit(file)).right).to.equal('one\nTWO\nkept\n');
        await page.page.locator('.monaco-diff-editor:visible .editor.modified').click();
        await page.press('Control+Enter');
        await dialog.getByRole('button', { name: 'Apply' }).click();
        await eventually('the edits in the editor', async () => (await page.textOf(uri)) === 'one\nTWO\nkept\n');
        await page.press('Control+z');
        await eventually('undo to bring the lines back', async () => (await page.textOf(uri)) === 'one\ntwo\nwritten meanwhile\n');
        await page.press('Control+s');
        await (await StatusPick.open(page.page)).pressButton('applied.txt', 'trash');
    });

    async function isMaximized(): Promise<boolean> {
        return (await page.page.locator('.theia-maximized').count()) > 0;
    }

    /** Stops the page's clock for what it measures itself. @returns lets it go on */
    async function stopClock(): Promise<() => Promise<void>> {
        await page.page.evaluate(() => {
            const now = performance.now();
            performance.now = () => now;
        });
        return () => page.page.evaluate(() => void Reflect.deleteProperty(performance, 'now'));
    }

    function count(text: string, part: string): number {
        return text.split(part).length - 1;
    }

    function settledOutcomes(file: string): Promise<ReceivedNotification[]> {
        return settled(client, page, workbench.ide, file);
    }

    /** Opens a review of a new file. */
    async function open(name = `answer-${++number}.txt`): Promise<{ file: string; diff: ReviewDiff }> {
        const file = workbench.ide.file(name);
        expect(await client.openDiff(file, 'proposed\n')).to.deep.include({ content: [] });
        return { file, diff: await page.waitForDiff(file) };
    }
});
