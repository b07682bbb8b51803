// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { promises as fs } from 'fs';
import * as path from 'path';
import { delay, eventually } from '../support/eventually';
import { IdePage } from '../support/ide-page';
import { ProtocolClient, ReceivedNotification } from '../support/protocol-client';
import { ReviewDiff } from '../support/review-diff';
import { ReviewFixture } from '../support/review-fixture';
import { settledOutcomes as settled } from '../support/settled-outcomes';
import { Terminal } from '../support/terminal';
import { Workbench } from '../support/workbench';

const ACCEPTED = 'ide/diffAccepted';
/** As keyboards repeat a key that is held. */
const REPEAT_PAUSE_MS = 33;

interface OpenReview {
    readonly file: string;
    readonly diff: ReviewDiff;
}

describe('Reviews, the keyboard and the mouse', () => {
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

    it('a review does not take the keyboard from a terminal, gives it back after an answer, and gives it to nothing when the CLI ends it', async () => {
        await terminal.focus();
        const { file, diff } = await open();
        await page.page.keyboard.type('echo still here');
        await terminal.waitFor('echo still here');
        await diff.typeAtEnd('x');
        await diff.answerBy(() => page.press('Control+Enter'));
        await client.waitForOutcome(file);
        await page.waitUntilNoDiff(file);
        await page.page.keyboard.type(', and again');
        await terminal.waitFor('echo still here, and again');
        await page.press('Enter');
        const ended = await open();
        await ended.diff.typeAtEnd('x');
        await client.closeDiff(ended.file);
        await page.waitUntilNoDiff(ended.file);
        await page.page.keyboard.type('echo not-for-a-shell');
        await page.press('Enter');
        await terminal.focus();
        await page.page.keyboard.type('echo the terminal is there');
        await terminal.waitFor('echo the terminal is there');
        await page.press('Enter');
        expect(await terminal.text()).to.not.contain('not-for-a-shell');
        expect((await page.page.locator('.monaco-editor .view-lines').allInnerTexts()).join('\n')).to.not.contain('not-for-a-shell');
    });

    it('no key answers a proposal under a maximized terminal: the first one brings it to the front, and leaves the keyboard', async () => {
        await terminal.focus();
        await page.execute('core.toggleMaximized');
        const { file, diff } = await open();
        await page.waitForMessage(`proposes changes to ${path.basename(file)}`);
        expect(await isMaximized(), 'the terminal stays').to.equal(true);
        await terminal.focus();
        await page.press('Control+Shift+F9');
        await diff.look();
        expect(await isMaximized()).to.equal(false);
        expect(await terminal.hasKeyboard()).to.equal(true);
        expect(await settledOutcomes(file)).to.deep.equal([]);
        await eventually('the message to go, because the diff is seen', async () => !(await page.messages()).join().includes('proposes'));
        await diff.answerBy(() => page.press('Control+Shift+F9'));
        await client.waitForOutcome(file);
        await page.waitUntilNoDiff(file);
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

    it('Enter on Accept reaches no terminal, held or pressed twice; what is typed next does', async () => {
        for (const how of ['held', 'twice']) {
            await startLine();
            const { file, diff } = await open();
            await diff.look();
            await diff.button('Accept').focus();
            if (how === 'twice') {
                await stopClock();
            }
            const { keyboard } = page.page;
            await keyboard.down('Enter');
            for (let repetition = 0; how === 'held' && repetition < 20; repetition++) {
                await delay(REPEAT_PAUSE_MS);
                await keyboard.down('Enter');
            }
            await keyboard.up('Enter');
            await client.waitForOutcome(file);
            await page.waitUntilNoDiff(file);
            await eventually('the terminal to have the keyboard', () => terminal.hasKeyboard());
            if (how === 'twice') {
                await keyboard.press('Enter');
            }
            await expectNothingTyped();
            await goOn();
        }
    });

    it('a double click on Accept accepts one', async () => {
        const [left, right] = await openSideBySide();
        const { x, y, width, height } = (await right.diff.button('Accept').boundingBox())!;
        const { mouse } = page.page;
        await mouse.move(x + width / 2, y + height / 2);
        await stopClock();
        await click(1);
        await client.waitForOutcome(right.file);
        await page.waitUntilNoDiff(right.file);
        // It has moved to where the other one was.
        const now = (await left.diff.button('Accept').boundingBox())!;
        await mouse.move(now.x + now.width / 2, now.y + now.height / 2);
        const said = count(await page.announced(), 'Not answered');
        await click(2);
        expect(await settledOutcomes(left.file)).to.deep.equal([]);
        await eventually('the reason to be said', async () => count(await page.announced(), 'Not answered') > said);
        await goOn();
        await client.closeDiff(left.file);
        await page.waitUntilNoDiff();
        await page.clearMessages();
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

    async function isMaximized(): Promise<boolean> {
        return (await page.page.locator('.theia-maximized').count()) > 0;
    }

    function count(text: string, part: string): number {
        return text.split(part).length - 1;
    }

    async function click(clickCount: number): Promise<void> {
        await page.page.mouse.down({ clickCount });
        await page.page.mouse.up({ clickCount });
    }

    async function runFromPalette(label: string): Promise<void> {
        await page.press('F1');
        await page.page.locator('.quick-input-widget').waitFor();
        await page.page.keyboard.type(label);
        await page.page.locator('.quick-input-list .monaco-list-row.focused', { hasText: label }).waitFor();
        await page.press('Enter');
    }

    /** Gives the terminal the keyboard, at the start of a line of `cat`. */
    async function startLine(): Promise<void> {
        const line = `start${++number}`;
        await terminal.type(line);
        await page.press('Enter');
        await terminal.waitFor(`${line}\n${line}`);
    }

    /** Since {@link startLine}, nothing but what this types has reached the terminal. */
    async function expectNothingTyped(): Promise<void> {
        await page.page.keyboard.type('next');
        await terminal.waitFor(/next$/);
        expect(await terminal.text()).to.match(/start\d+\nstart\d+\nnext$/);
        await page.press('Enter');
        await terminal.waitFor(/next\nnext$/);
    }

    /** Stops the page's clock for what it measures itself. */
    async function stopClock(): Promise<void> {
        await page.page.evaluate(() => {
            const now = performance.now();
            performance.now = () => now;
        });
    }

    async function goOn(): Promise<void> {
        await page.page.evaluate(() => void Reflect.deleteProperty(performance, 'now'));
    }

    function settledOutcomes(file: string): Promise<ReceivedNotification[]> {
        return settled(client, page, workbench.ide, file);
    }

    /** Two proposals, each in half of the main area. Both have been on the screen for long. */
    async function openSideBySide(): Promise<[OpenReview, OpenReview]> {
        await terminal.focus();
        const left = await open();
        await left.diff.look();
        const right = await open();
        await page.moveTo(right.diff.widgetId, 'beside');
        await left.diff.activate();
        for (const { diff } of [left, right]) {
            await diff.look();
        }
        return [left, right];
    }

    /** Opens a review of a file of its own, which is new unless there is something on disk. */
    async function open(disk?: string, name = `key-${++number}.txt`, proposal = 'proposed\n'): Promise<OpenReview> {
        const file = workbench.ide.file(name);
        if (disk !== undefined) {
            await fs.writeFile(file, disk);
        }
        expect(await client.openDiff(file, proposal)).to.deep.include({ content: [] });
        return { file, diff: await page.waitForDiff(file) };
    }
});
