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
import { Workbench } from '../support/workbench';

const ACCEPTED = 'ide/diffAccepted';
const REJECTED = 'ide/diffRejected';

/** Whatever the user does with tabs and files: one outcome for each review, no lost one, no second one, no question about saving. */
describe('Tabs of reviews', () => {
    let workbench: Workbench;
    let page: IdePage;
    let client: ProtocolClient;
    let number = 0;

    before(async () => {
        ({ workbench, client } = await ReviewFixture.get());
        ({ page } = workbench);
        await page.openFile('notes.txt');
    });
    afterEach(async () => {
        expect(await page.page.locator('.dialogOverlay').count(), 'dialogs').to.equal(0);
    });

    it('a split editor shows the same text; the last tab decides', async () => {
        const { file, diff } = await open();
        await diff.activate();
        await page.execute('workbench.action.splitEditor');
        const second = await other(file, diff);
        await second.typeAtEnd('in both\n');
        await diff.activate();
        expect(await diff.right()).to.equal('proposed\nin both\n');
        await second.closeTab();
        await eventually('one tab to be left', async () => (await page.diffs()).length === 1);
        expect(await settledOutcomes(file)).to.deep.equal([]);
        await diff.closeTab();
        await expectOutcome(file, REJECTED);
    });

    it('a tab that is moved to other areas is not closed, and is accepted there', async () => {
        const { file, diff } = await open();
        await diff.typeAtEnd('edited\n');
        for (const area of ['bottom', 'right', 'main', 'bottom'] as const) {
            await page.moveTo(diff.widgetId, area);
        }
        expect(await settledOutcomes(file)).to.deep.equal([]);
        await diff.press('Control+Enter');
        await page.waitUntilNoDiff();
        await expectOutcome(file, ACCEPTED, 'proposed\nedited\n');
    });

    it('the layout brings each review back once, in its place, with its edits, and the first click answers', async () => {
        const first = await open();
        const second = await open();
        await first.diff.typeAtEnd('edited\n');
        await page.moveTo(second.diff.widgetId, 'bottom');
        await page.reload();
        const restored = await page.waitForDiff(first.file);
        const moved = await page.waitForDiff(second.file);
        expect(await page.diffs()).to.have.length(2);
        expect(await settledOutcomes(first.file)).to.deep.equal([]);
        expect(await settledOutcomes(second.file)).to.deep.equal([]);
        await restored.activate();
        expect(await restored.right()).to.equal('proposed\nedited\n');
        // As a person's first click: `accept()` would ask the page whether it takes one.
        await page.page.waitForTimeout(2_000);
        await restored.button('Accept').click();
        await expectOutcome(first.file, ACCEPTED, 'proposed\nedited\n');
        await moved.press('Control+Alt+Backspace');
        await expectOutcome(second.file, REJECTED);
    });

    it('a file that is renamed or deleted under its review does not close it, nor does a preview beside it; a notice says so', async () => {
        await fs.writeFile(workbench.ide.file('moving.txt'), 'one\n');
        const { file, diff } = await open('moving.txt');
        await page.moveFile(file, workbench.ide.file('moved.txt'));
        await diff.waitForNotice('no longer on disk');
        expect(await settledOutcomes(file)).to.deep.equal([]);
        await diff.accept();
        await expectOutcome(file, ACCEPTED, 'proposed\n');

        const second = await open('moved.txt');
        await page.openFile('other.txt', true);
        await page.openFile('third.txt', true);
        expect(await second.diff.isOpen()).to.equal(true);
        await page.deleteFile(second.file);
        await second.diff.waitForNotice('no longer on disk');
        await second.diff.reject();
        await expectOutcome(second.file, REJECTED);
    });

    it('a change on disk that nobody has reported keeps an accept from counting: the diff shows it first', async () => {
        await page.setPreference('files.watcherExclude', { '**/gen/**': true });
        await fs.mkdir(workbench.ide.file('gen'), { recursive: true });
        const name = 'gen/a.txt';
        await fs.writeFile(workbench.ide.file(name), 'one\n');
        const { file, diff } = await open(name, 'one\nTWO\n');
        await diff.activate();
        await diff.look();
        await fs.appendFile(file, 'of a colleague\n');
        await diff.accept();
        await eventually('the reason to be said', async () => (await page.announced()).includes('Not answered: look at it'));
        await diff.waitForNotice('The file on disk has changed');
        expect(await diff.left()).to.equal('one\nof a colleague\n');
        expect(await settledOutcomes(file)).to.deep.equal([]);
        await page.clearMessages();
        await diff.accept();
        expect((await client.waitForOutcome(file)).params.content).to.equal('one\nTWO\n');
        await page.waitUntilNoDiff();
        await page.setPreference('files.watcherExclude', undefined);
    });

    it('lists reviews of another window with the same workspace, and shows them here, too, before they are answered', async () => {
        const second = await workbench.openPage();
        const kept = await open();
        const both = await open();
        await kept.diff.typeAtEnd('edited\n');
        await second.page.bringToFront();
        await second.waitForStatus('2 proposals waiting');
        expect(await second.diffs(), 'diffs that open there by themselves').to.have.length(0);
        await (await StatusPick.open(second.page)).choose(path.basename(both.file));
        // One text, in both windows.
        await (await second.waitForDiff(both.file)).typeAtEnd('typed there\n');
        await page.page.bringToFront();
        await eventually('what was typed there', async () => (await both.diff.right()) === 'proposed\ntyped there\n', {
            state: () => both.diff.right()
        });
        expect(await settledOutcomes(both.file)).to.deep.equal([]);
        await both.diff.accept();
        expect((await client.waitForOutcome(both.file)).params.content).to.equal('proposed\ntyped there\n');
        await second.page.bringToFront();
        await second.waitUntilNoDiff(both.file);
        // Nobody has seen it in that window.
        await (await StatusPick.open(second.page)).pressButton(path.basename(kept.file), 'check');
        const keptHere = await second.waitForDiff(kept.file);
        expect(await settledOutcomes(kept.file)).to.deep.equal([]);
        // The edit is mirrored a moment after the last key.
        await eventually('the edit to be mirrored', async () => (await keptHere.right()).includes('edited'));
        await keptHere.accept();
        expect((await client.waitForOutcome(kept.file)).params.content).to.equal('proposed\nedited\n');
        await page.waitUntilNoDiff(kept.file);
        expect(await settledOutcomes(kept.file)).to.have.length(1);
        await second.close();
        await page.page.bringToFront();
    });

    it('an undo of what was typed in another window keeps that text, and a close rejects only in the last window that shows the review', async () => {
        await workbench.ide.write('copied.txt', 'one\n');
        const second = await workbench.openPage();
        const { file, diff } = await open('copied.txt');
        await second.page.bringToFront();
        await second.waitForStatus('1 proposal waiting');
        await (await StatusPick.open(second.page)).choose(path.basename(file));
        const copy = await second.waitForDiff(file);
        await copy.typeAtEnd('typed there\n');
        await page.page.bringToFront();
        await eventually('what was typed there', async () => (await diff.right()) === 'proposed\ntyped there\n');
        await diff.activate();
        await page.press('Control+z');
        await page.answerMessage('on one of your pages', 'Show My Edits');
        expect((await page.waitForKeptEdit(file)).right).to.equal('proposed\ntyped there\n');
        await page.page.locator('.companion-review-notice-action', { hasText: 'Discard' }).click();
        expect(await diff.right()).to.equal('proposed\n');
        await second.page.bringToFront();
        await eventually('the undo', async () => (await copy.right()) === 'proposed\n');
        await copy.closeTab();
        await second.waitUntilNoDiff(file);
        expect(await settledOutcomes(file)).to.deep.equal([]);
        await page.page.bringToFront();
        await diff.activate();
        await diff.closeTab();
        await expectOutcome(file, REJECTED);
        await second.close();
        await page.page.bringToFront();
    });

    async function open(name = `tab-${++number}.txt`, proposal = 'proposed\n'): Promise<{ file: string; diff: ReviewDiff }> {
        const file = workbench.ide.file(name);
        expect(await client.openDiff(file, proposal)).to.deep.include({ content: [] });
        return { file, diff: await page.waitForDiff(file) };
    }

    async function other(file: string, than: ReviewDiff): Promise<ReviewDiff> {
        return eventually('the second tab', async () =>
            (await page.diffs()).find(diff => diff.path === file && diff.widgetId !== than.widgetId)
        );
    }

    function settledOutcomes(file: string): Promise<ReceivedNotification[]> {
        return settled(client, page, workbench.ide, file);
    }

    async function expectOutcome(file: string, method: string, content?: string): Promise<void> {
        const outcome = await client.waitForOutcome(file);
        expect(outcome).to.deep.equal({ method, params: content === undefined ? { filePath: file } : { filePath: file, content } });
        expect(await settledOutcomes(file)).to.have.length(1);
    }
});
