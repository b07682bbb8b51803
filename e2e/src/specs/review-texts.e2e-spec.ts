// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { promises as fs } from 'fs';
import { ProtocolClient } from '../support/protocol-client';
import { ReviewDiff } from '../support/review-diff';
import { ReviewFixture } from '../support/review-fixture';
import { Workbench } from '../support/workbench';

const ACCEPTED = 'ide/diffAccepted';

interface TextCase {
    readonly name: string;
    /** What is on disk; `undefined` for a new file. */
    readonly disk: string | Buffer | undefined;
    readonly proposal: string;
    /** The lines that are to be marked. */
    readonly removed: string[];
    readonly added: string[];
    /** A part of the notice that is to be shown. */
    readonly notice?: string;
}

const LINES = Array.from({ length: 200_000 }, (_, index) => `line ${index}`);
const LONG_LINE = 'abc '.repeat(262_144);
const TEN_MEGABYTES = `${'0123456789abcdef'.repeat(64)}\n`.repeat(10_240);

const CASES: TextCase[] = [
    {
        name: 'LF against CRLF marks real changes only',
        disk: 'one\r\ntwo\r\nthree\r\n',
        proposal: 'one\nTWO\nthree\n',
        removed: ['two'],
        added: ['TWO']
    },
    { name: 'CRLF against LF', disk: 'one\ntwo\n', proposal: 'one\r\nTWO\r\n', removed: ['two'], added: ['TWO'] },
    { name: 'a byte order mark on disk', disk: '\uFEFFone\ntwo\n', proposal: 'one\nTWO\n', removed: ['two'], added: ['TWO'] },
    { name: 'a byte order mark in the proposal', disk: 'one\ntwo\n', proposal: '\uFEFFone\nTWO\n', removed: ['two'], added: ['TWO'] },
    { name: 'no line end at the end of the proposal', disk: 'one\ntwo\n', proposal: 'one\nTWO', removed: ['two', ''], added: ['TWO'] },
    { name: 'mixed line ends', disk: 'one\r\ntwo\nthree\r\n', proposal: 'one\ntwo\r\nTHREE\n', removed: ['three'], added: ['THREE'] },
    { name: 'lone CR', disk: 'one\rtwo\r', proposal: 'one\rTWO\rthree', removed: ['two', ''], added: ['TWO', 'three'] },
    { name: 'emoji and other scripts', disk: '😀 eins\n', proposal: '👨‍👩‍👧 zwei\nקובץ\n', removed: ['😀 eins'], added: ['👨‍👩‍👧 zwei', 'קובץ'] },
    {
        name: 'a change of nothing but indentation',
        disk: 'if x:\n    y()\n',
        proposal: 'if x:\n\ty()\n',
        removed: ['    y()'],
        added: ['\ty()']
    },
    { name: 'NUL', disk: 'one\n', proposal: 'one\n\0two\0\n', removed: [], added: ['\0two\0'] },
    { name: 'a line of 1 MB', disk: LONG_LINE, proposal: `${LONG_LINE}!`, removed: [LONG_LINE], added: [`${LONG_LINE}!`] },
    {
        name: '200 000 lines',
        disk: LINES.join('\n'),
        proposal: LINES.map((line, index) => (index === 100_000 ? 'changed' : line)).join('\n'),
        removed: ['line 100000'],
        added: ['changed']
    },
    { name: '10 MB', disk: TEN_MEGABYTES, proposal: `first\n${TEN_MEGABYTES}`, removed: [], added: ['first'] },
    {
        name: 'a file that is not UTF-8',
        disk: Buffer.from('caf\u00e9\nplain\n', 'latin1'),
        proposal: 'café\nplain\n',
        removed: ['caf\uFFFD'],
        added: ['café'],
        notice: 'The encoding of the file on disk is not known'
    },
    {
        name: 'a file that holds the character for what is not text',
        disk: 'one \uFFFD\n',
        proposal: 'two\n',
        removed: ['one \uFFFD'],
        added: ['two']
    },
    { name: 'a new file', disk: undefined, proposal: 'one\r\n', removed: [''], added: ['one', ''] }
];

describe('Texts of reviews', () => {
    let workbench: Workbench;
    let client: ProtocolClient;

    before(async () => {
        ({ workbench, client } = await ReviewFixture.get());
    });

    for (const { name, disk, proposal, removed, added, notice } of CASES) {
        it(`${name}: what differs is marked, and an unedited proposal is accepted byte for byte`, async () => {
            const { file, diff } = await open(`${name}.txt`, disk, proposal);
            const changes = await diff.changes();
            // Not by deep equality of huge strings, whose difference would be written out.
            expect(changes.removed.length, 'removed lines').to.equal(removed.length);
            expect(changes.added.length, 'added lines').to.equal(added.length);
            expect(
                changes.removed.every((line, index) => line === removed[index]),
                changes.removed.join('\n').slice(0, 500)
            ).to.equal(true);
            expect(
                changes.added.every((line, index) => line === added[index]),
                changes.added.join('\n').slice(0, 500)
            ).to.equal(true);
            if (notice) {
                await diff.waitForNotice(notice);
            } else {
                expect(await diff.notices()).to.deep.equal([]);
            }
            await diff.accept();
            const { method, params } = await client.waitForOutcome(file);
            expect(method).to.equal(ACCEPTED);
            expect(params.content === proposal, 'the proposal byte for byte').to.equal(true);
            await workbench.page.waitUntilNoDiff();
        });
    }

    it('an edit that is undone gives the proposal back, byte for byte, also after the edit was mirrored and the page reloaded', async () => {
        const proposal = 'mixed\r\nline\nends\r';
        const { file, diff } = await open('undone.txt', 'mixed\n', proposal);
        await diff.typeAtEnd('edited');
        // Longer than the pause after which edits are mirrored.
        await workbench.page.page.waitForTimeout(600);
        await diff.press('Control+z');
        await workbench.page.page.waitForTimeout(600);
        await workbench.page.reload();
        const restored = await workbench.page.waitForDiff(file);
        await restored.accept();
        expect((await client.waitForOutcome(file)).params.content).to.equal(proposal);
    });

    it('what was typed last is accepted, however soon after', async () => {
        const { file, diff } = await open('quick.txt', undefined, 'proposed\n');
        await diff.press('Control+End');
        await workbench.page.page.keyboard.type('typed');
        await workbench.page.page.keyboard.press('Control+Enter');
        expect((await client.waitForOutcome(file)).params.content).to.equal('proposed\ntyped');
    });

    it('the arrows between the sides undo single changes; the merged text is accepted to the byte', async () => {
        const lines = Array.from({ length: 30 }, (_, index) => `line ${index + 1}`);
        const proposed = [...lines];
        proposed[24] = 'third change';
        proposed[14] = 'second change';
        proposed.splice(4, 0, 'first change');
        const { file, diff } = await open('merged.txt', `${lines.join('\n')}\n`, `${proposed.join('\n')}\n`);
        expect((await diff.changes()).added).to.deep.equal(['first change', 'second change', 'third change']);
        await diff.takeBack(1);
        await diff.accept();
        const merged = [...proposed];
        merged[15] = 'line 15';
        expect((await client.waitForOutcome(file)).params.content).to.equal(`${merged.join('\n')}\n`);
    });

    it('undoing a change against a CRLF file keeps the line endings of the proposal', async () => {
        const { file, diff } = await open('merged-crlf.txt', 'one\r\ntwo\r\nthree\r\nfour\r\nfive\r\n', 'ONE\ntwo\nthree\nfour\nFIVE\n');
        await diff.takeBack(0);
        await diff.accept();
        expect((await client.waitForOutcome(file)).params.content).to.equal('one\ntwo\nthree\nfour\nFIVE\n');
    });

    it('undoing a change in a proposal with mixed line endings leaves those of the other lines', async () => {
        const { file, diff } = await open('merged-mixed.txt', 'one\ntwo\nthree\nfour\nfive\n', 'ONE\ntwo\nthree\nfour\r\nFIVE\r\n');
        await diff.takeBack(0);
        await diff.accept();
        expect((await client.waitForOutcome(file)).params.content).to.equal('one\ntwo\nthree\nfour\r\nFIVE\r\n');
    });

    it("the button's hover says that single changes can be taken back", async () => {
        const { file, diff } = await open('hint.txt', undefined, 'proposed\n');
        await diff.activate();
        expect(await diff.button('Accept').getAttribute('title')).to.contain('undoes a single change');
        await client.closeDiff(file);
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
        await diff.look();
        await workbench.page.press('Control+Enter');
        expect((await client.waitForOutcome(file)).method).to.equal(ACCEPTED);
        await workbench.page.waitUntilNoDiff(file);
    });

    it('the cursor is where it was after a reload, and the key that the bar names works', async () => {
        const { file, diff } = await open('cursor.txt', undefined, 'one\ntwo\nthree\nfour\n');
        await diff.press('Control+Home');
        await workbench.page.press('ArrowDown', 'ArrowDown', 'ArrowRight', 'ArrowRight');
        expect(await diff.cursor()).to.include({ lineNumber: 3, column: 3 });
        await workbench.page.reload();
        const restored = await workbench.page.waitForDiff(file);
        expect(await restored.cursor()).to.include({ lineNumber: 3, column: 3 });
        await workbench.page.giveKeyboardToNothing();
        await restored.look();
        await workbench.page.press('Control+Shift+F9');
        expect((await client.waitForOutcome(file)).method).to.equal(ACCEPTED);
        await workbench.page.waitUntilNoDiff(file);
    });

    async function open(name: string, disk: string | Buffer | undefined, proposal: string): Promise<{ file: string; diff: ReviewDiff }> {
        const file = workbench.ide.file(name);
        if (disk !== undefined) {
            await fs.writeFile(file, disk);
        }
        expect(await client.openDiff(file, proposal)).to.deep.include({ content: [] });
        return { file, diff: await workbench.page.waitForDiff(file) };
    }
});
