// SPDX-License-Identifier: Apache-2.0

import { Dialog } from '@playwright/test';
import { expect } from 'chai';
import { promises as fs } from 'fs';
import { eventually } from '../support/eventually';
import { ProtocolClient } from '../support/protocol-client';
import { ReviewDiff } from '../support/review-diff';
import { ReviewFixture } from '../support/review-fixture';
import { Workbench } from '../support/workbench';

const ACCEPTED = 'ide/diffAccepted';

interface TextCase {
    readonly name: string;
    /** What is on disk. */
    readonly disk: string;
    readonly proposal: string;
    /** The lines that are to be marked. */
    readonly removed: string[];
    readonly added: string[];
}

const LONG_LINE = 'abc '.repeat(262_144);
const LINES = Array.from({ length: 200_000 }, (_, index) => `line ${index} ${'0123456789'.repeat(4)}`);

const SMALL: TextCase[] = [
    {
        name: 'LF against CRLF marks real changes only',
        disk: 'one\r\ntwo\r\nthree\r\n',
        proposal: 'one\nTWO\nthree\n',
        removed: ['two'],
        added: ['TWO']
    },
    { name: 'a byte order mark in the proposal', disk: 'one\ntwo\n', proposal: '\uFEFFone\nTWO\n', removed: ['two'], added: ['TWO'] },
    { name: 'mixed line ends', disk: 'one\r\ntwo\nthree\r\n', proposal: 'one\ntwo\r\nTHREE\n', removed: ['three'], added: ['THREE'] },
    { name: 'lone CR', disk: 'one\rtwo\r', proposal: 'one\rTWO\rthree', removed: ['two', ''], added: ['TWO', 'three'] },
    { name: 'NUL and indentation', disk: '    one\n', proposal: '\tone\n\0two\0\n', removed: ['    one'], added: ['\tone', '\0two\0'] }
];

const LARGE: TextCase[] = [
    { name: 'a line of 1 MB', disk: LONG_LINE, proposal: `${LONG_LINE}!`, removed: [LONG_LINE], added: [`${LONG_LINE}!`] },
    {
        name: '200 000 lines of 10 MB',
        disk: LINES.join('\n'),
        proposal: LINES.map((line, index) => (index === 100_000 ? 'changed' : line)).join('\n'),
        removed: [LINES[100_000]],
        added: ['changed']
    }
];

describe('Texts of reviews', () => {
    let workbench: Workbench;
    let client: ProtocolClient;

    before(async () => {
        ({ workbench, client } = await ReviewFixture.get());
    });
    beforeEach(() => workbench.page.giveKeyboardToNothing());

    // Before the large ones: after 10 MB, Theia (1.74) was seen to restore no cursor.
    it('the cursor is where it was after a reload, and the key that the bar names works', async () => {
        const { file, diff } = await open('cursor.txt', undefined, 'one\ntwo\nthree\nfour\n');
        await diff.press('Control+Home');
        await workbench.page.press('ArrowDown', 'ArrowDown', 'ArrowRight', 'ArrowRight');
        expect(await diff.cursor()).to.include({ lineNumber: 3, column: 3 });
        await workbench.page.reload();
        const restored = await workbench.page.waitForDiff(file);
        await eventually('the cursor', async () => {
            const { lineNumber, column } = (await restored.cursor()) ?? {};
            return lineNumber === 3 && column === 3;
        });
        await workbench.page.giveKeyboardToNothing();
        await restored.answerBy(() => workbench.page.press('Control+Shift+F9'));
        expect((await client.waitForOutcome(file)).method).to.equal(ACCEPTED);
        await workbench.page.waitUntilNoDiff(file);
    });

    for (const [size, cases] of Object.entries({ small: SMALL, large: LARGE })) {
        it(`what differs is marked, and an unedited proposal is accepted byte for byte: ${size} ones`, async () => {
            for (const text of cases) {
                await expectMarked(text);
            }
        });
    }

    it('an arrow between the sides undoes a single change, with the line end of the proposal, and leaves those of the other lines', async () => {
        const { file, diff } = await open(
            'merged-mixed.txt',
            'one\r\ntwo\r\nthree\r\nfour\r\nfive\r\n',
            'ONE\ntwo\nthree\nfour\r\nFIVE\r\n'
        );
        await diff.takeBack(0);
        await diff.accept();
        expect((await client.waitForOutcome(file)).params.content).to.equal('one\ntwo\nthree\nfour\r\nFIVE\r\n');
    });

    it('a change far behind in a long line is drawn, and in sight', async () => {
        const line = (word: string): string => `${'x'.repeat(25_000)} ${word} ${'y'.repeat(5_000)}\n`;
        const { file, diff } = await open('long.txt', line('before'), line('after'));
        await workbench.page.page.locator(`[id="${diff.widgetId}"] .modified .char-insert`).first().waitFor();
        await client.closeDiff(file);
        await workbench.page.waitUntilNoDiff();
    });

    it('unusual line ends stop the page with no dialog, and stay in the text, also in the file that is shown then', async () => {
        const { page } = workbench;
        const dialogs: string[] = [];
        const answer = (dialog: Dialog): void => {
            dialogs.push(dialog.message());
            void dialog.accept();
        };
        page.page.on('dialog', answer);
        await page.setPreference('companion.review.afterAccept', 'show');
        const text = '{"a": "one\u2028two\u2029three"}\n';
        const { file, diff } = await open('unusual.json', undefined, text);
        await diff.waitUntilCompared();
        await diff.accept();
        expect((await client.waitForOutcome(file)).params.content).to.equal(text);
        await page.written('unusual.json').waitFor();
        await eventually('the file to be shown', async () => (await page.textOf(`file://${file}`)) === text);
        await (await page.openFile('unusual.json')).focus();
        await page.press('Control+End');
        expect(await page.textOf(`file://${file}`)).to.equal(text);
        expect(dialogs).to.deep.equal([]);
        page.page.off('dialog', answer);
        await page.setPreference('companion.review.afterAccept', 'stay');
        await page.execute('core.close.all.main.tabs');
    });

    it('keys go from change to change, also in the accessible viewer, where they answer, too', async () => {
        const lines = Array.from({ length: 60 }, (_, index) => `line ${index + 1}`);
        const proposed = lines.map((line, index) => (index === 19 || index === 49 ? `${line} changed` : line));
        const { file, diff } = await open('steps.txt', lines.join('\n'), proposed.join('\n'));
        await diff.changes();
        await diff.press('Control+Home');
        await workbench.page.press('Alt+F5');
        expect((await diff.cursor())?.lineNumber).to.equal(20);
        await workbench.page.press('Alt+F5');
        expect((await diff.cursor())?.lineNumber).to.equal(50);
        await workbench.page.press('Shift+Alt+F5');
        expect((await diff.cursor())?.lineNumber).to.equal(20);
        await workbench.page.press('F7');
        const shown = (place: string): Promise<void> =>
            workbench.page.page.locator(`[id="${diff.widgetId}"] .diff-review-row:focus[aria-label^="Difference ${place}:"]`).waitFor();
        await shown('1 of 2');
        await workbench.page.press('Alt+F5');
        await shown('2 of 2');
        await workbench.page.press('Shift+Alt+F5');
        await shown('1 of 2');
        expect(await diff.button('Accept').isVisible()).to.equal(true);
        await diff.answerBy(() => workbench.page.press('Control+Enter'));
        expect((await client.waitForOutcome(file)).method).to.equal(ACCEPTED);
        await workbench.page.waitUntilNoDiff(file);
    });

    async function expectMarked({ name, disk, proposal, removed, added }: TextCase): Promise<void> {
        const { file, diff } = await open(`${name}.txt`, disk, proposal);
        const changes = await diff.changes();
        // Not by deep equality of huge strings, whose difference would be written out.
        expect(changes.removed.length, `removed lines of ${name}`).to.equal(removed.length);
        expect(changes.added.length, `added lines of ${name}`).to.equal(added.length);
        expect(
            changes.removed.every((line, index) => line === removed[index]),
            changes.removed.join('\n').slice(0, 500)
        ).to.equal(true);
        expect(
            changes.added.every((line, index) => line === added[index]),
            changes.added.join('\n').slice(0, 500)
        ).to.equal(true);
        expect(await diff.notices(), name).to.deep.equal([]);
        await diff.accept();
        const { method, params } = await client.waitForOutcome(file);
        expect(method).to.equal(ACCEPTED);
        expect(params.content === proposal, `${name}, byte for byte`).to.equal(true);
        await workbench.page.waitUntilNoDiff();
    }

    async function open(name: string, disk: string | undefined, proposal: string): Promise<{ file: string; diff: ReviewDiff }> {
        const file = workbench.ide.file(name);
        if (disk !== undefined) {
            await fs.writeFile(file, disk);
        }
        expect(await client.openDiff(file, proposal)).to.deep.include({ content: [] });
        return { file, diff: await workbench.page.waitForDiff(file) };
    }
});
