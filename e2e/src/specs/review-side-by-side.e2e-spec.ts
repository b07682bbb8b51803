// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import * as path from 'path';
import { delay, eventually } from '../support/eventually';
import { IdePage } from '../support/ide-page';
import { ProtocolClient, ReceivedNotification } from '../support/protocol-client';
import { ReviewDiff } from '../support/review-diff';
import { ReviewFixture } from '../support/review-fixture';
import { settledOutcomes as settled } from '../support/settled-outcomes';
import { StatusPick } from '../support/status-pick';
import { Terminal } from '../support/terminal';
import { Workbench } from '../support/workbench';

const REJECTED = 'ide/diffRejected';
/** In milliseconds: as keyboards repeat a key that is held. */
const REPEAT_PAUSE = 33;

interface OpenReview {
    readonly file: string;
    readonly diff: ReviewDiff;
}

describe('One gesture answers one proposal', () => {
    let workbench: Workbench;
    let page: IdePage;
    let client: ProtocolClient;
    let terminal: Terminal;
    let number = 0;
    let opened: string[] = [];

    before(async () => {
        ({ workbench, client } = await ReviewFixture.get());
        ({ page } = workbench);
        terminal = await page.openTerminal();
        await terminal.run('cat -v');
    });
    afterEach(async () => {
        await goOn();
        for (const file of opened) {
            await client.closeDiff(file);
        }
        opened = [];
        await page.waitUntilNoDiff();
        await page.clearMessages();
    });
    after(async () => {
        await terminal.focus();
        await page.press('Control+c', 'Control+d');
    });

    describe('of two side by side', () => {
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
            await click(2);
            expect(await settledOutcomes(left.file)).to.deep.equal([]);
            await page.waitForMessage(`Look at the proposal for ${path.basename(left.file)}, then press again.`);
        });

        it('after the CLI has ended one, a click does not answer the other that took its place', async () => {
            const [left, right] = await openSideBySide();
            await stopClock();
            await client.closeDiff(right.file);
            await page.waitUntilNoDiff(right.file);
            await left.diff.button('Accept').click();
            expect(await settledOutcomes(left.file)).to.deep.equal([]);
            await page.waitForMessage(`Look at the proposal for ${path.basename(left.file)}, then press again.`);
        });
    });

    describe('the key that answers', () => {
        for (const key of ['Enter', 'Space']) {
            it(`${key} on Accept reaches no terminal, held or pressed twice; what is typed next does`, async () => {
                for (const how of ['held', 'twice']) {
                    await startLine();
                    const { file, diff } = await open();
                    await diff.look();
                    await diff.button('Accept').focus();
                    if (how === 'twice') {
                        await stopClock();
                    }
                    const { keyboard } = page.page;
                    await keyboard.down(key);
                    for (let repetition = 0; how === 'held' && repetition < 20; repetition++) {
                        await delay(REPEAT_PAUSE);
                        await keyboard.down(key);
                    }
                    await keyboard.up(key);
                    await client.waitForOutcome(file);
                    await page.waitUntilNoDiff(file);
                    await eventually('the terminal to have the keyboard', () => terminal.hasKeyboard());
                    if (how === 'twice') {
                        await keyboard.press(key);
                    }
                    await expectNothingTyped();
                    await goOn();
                }
            });
        }

        it('Enter in the palette reaches no terminal when it is pressed twice', async () => {
            await startLine();
            const { file, diff } = await open();
            await diff.look();
            await page.press('F1');
            await page.page.locator('.quick-input-widget').waitFor();
            await page.page.keyboard.type('Accept Proposal');
            await page.page.locator('.quick-input-list .monaco-list-row.focused', { hasText: 'Accept Proposal' }).waitFor();
            await stopClock();
            await page.press('Enter');
            await client.waitForOutcome(file);
            await page.waitUntilNoDiff(file);
            await eventually('the terminal to have the keyboard', () => terminal.hasKeyboard());
            await page.press('Enter');
            await expectNothingTyped();
        });

        it('a key that answered long ago types, after the keyboard has moved for another reason', async () => {
            await startLine();
            const { file, diff } = await open();
            await diff.press('Control+Enter');
            await client.waitForOutcome(file);
            await page.waitUntilNoDiff(file);
            const other = await open();
            await other.diff.look();
            await (await page.openFile('notes.txt')).focus();
            await terminal.focus();
            await page.press('Enter');
            await page.page.keyboard.type('next');
            await page.press('Enter');
            // The empty line that `cat` repeats may come between the letters.
            const since = async (): Promise<string> => (await terminal.text()).split(/start\d+\n/).at(-1) ?? '';
            await eventually('the letters', async () => (await since()).replace(/\n/g, '') === 'nextnext', { state: since });
            expect((await since()).match(/\n/g), 'both Enter, and the empty line').to.have.length(3);
        });

        it('AltGr with a key types and answers nothing, in the diff and in the list', async () => {
            const { file, diff } = await open();
            await diff.press('Control+End');
            await pressWithAltGraph('Backspace');
            expect(await settledOutcomes(file)).to.deep.equal([]);
            const pick = await StatusPick.open(page.page);
            await pick.waitForItem(path.basename(file));
            await pressWithAltGraph('Backspace');
            await pick.close();
            expect(await settledOutcomes(file)).to.deep.equal([]);
            await diff.press('Control+Alt+Backspace');
            expect((await client.waitForOutcome(file)).method).to.equal(REJECTED);
            await page.waitUntilNoDiff();
        });
    });

    describe('the list', () => {});

    async function click(clickCount: number): Promise<void> {
        await page.page.mouse.down({ clickCount });
        await page.page.mouse.up({ clickCount });
    }

    /** As Windows reports AltGr. */
    async function pressWithAltGraph(key: string): Promise<void> {
        await page.page.evaluate(name => {
            const init = { key: name, code: name, ctrlKey: true, altKey: true, modifierAltGraph: true, bubbles: true, cancelable: true };
            document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', init));
            document.activeElement?.dispatchEvent(new KeyboardEvent('keyup', init));
        }, key);
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

    /** Opens a review of a new file. */
    async function open(): Promise<OpenReview> {
        const file = workbench.ide.file(`gesture-${++number}.txt`);
        opened.push(file);
        expect(await client.openDiff(file, 'proposed\n')).to.deep.include({ content: [] });
        return { file, diff: await page.waitForDiff(file) };
    }
});
