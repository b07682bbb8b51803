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

    it('Close All rejects each review once, asks nothing, names the files, and offers what was edited', async () => {
        const before = await keptEdits();
        const reviews = [await open(), await open(), await open()];
        await reviews[1].diff.typeAtEnd('edited\n');
        await page.execute('core.close.all.main.tabs');
        await page.waitForMessage(`rejected the proposals for ${path.basename(reviews[0].file)}, ${path.basename(reviews[2].file)}`);
        for (const { file } of reviews) {
            await expectOutcome(file, REJECTED);
        }
        expect(await page.diffs()).to.have.length(0);
        // The file is not there: the edits become a new one.
        await page.answerMessage(`The proposal for ${path.basename(reviews[1].file)} was rejected`, 'Show My Edits');
        const uri = await eventually('the edits', async () => (await page.editors()).find(editor => editor.startsWith('untitled:')));
        expect(uri).to.include(path.basename(reviews[1].file));
        expect(await page.textOf(uri)).to.equal('proposed\nedited\n');
        await page.openFile('notes.txt');
        await (await StatusPick.open(page.page)).choose(path.basename(reviews[1].file));
        await page.page
            .locator('#theia-main-content-panel .lm-TabBar-tab.lm-mod-current', { hasText: path.basename(reviews[1].file) })
            .waitFor();
        expect((await page.editors()).filter(editor => editor.startsWith('untitled:'))).to.deep.equal([uri]);
        // The command waits for the answer.
        const closing = page.execute('core.close.all.main.tabs');
        await page.page.locator('.dialogOverlay button', { hasText: "Don't Save" }).click();
        await closing;
        // The new file was not saved: the list has the edits until they are discarded.
        expect(await keptEdits()).to.equal(before + 1);
        const pick = await StatusPick.open(page.page);
        await pick.pressButton(path.basename(reviews[1].file), 'trash');
        await eventually('the edits to be forgotten', async () => (await keptEdits()) === before);
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

    it('a file that is renamed or deleted under its review does not close it; a notice says so', async () => {
        await fs.writeFile(workbench.ide.file('moving.txt'), 'one\n');
        const { file, diff } = await open('moving.txt');
        await page.moveFile(file, workbench.ide.file('moved.txt'));
        await diff.waitForNotice('no longer on disk');
        expect(await settledOutcomes(file)).to.deep.equal([]);
        await diff.accept();
        await expectOutcome(file, ACCEPTED, 'proposed\n');

        const second = await open('moved.txt');
        await page.deleteFile(second.file);
        await second.diff.waitForNotice('no longer on disk');
        await second.diff.reject();
        await expectOutcome(second.file, REJECTED);
    });

    it('a preview tab is replaced beside a review, never the review', async () => {
        const { file, diff } = await open();
        await page.openFile('other.txt', true);
        await page.openFile('third.txt', true);
        expect(await diff.isOpen()).to.equal(true);
        expect(await settledOutcomes(file)).to.deep.equal([]);
        await diff.closeTab();
        await expectOutcome(file, REJECTED);
    });

    /** How many edits the status bar offers. */
    async function keptEdits(): Promise<number> {
        return Number(/not written: (\d+)/.exec(await page.statusDetails())?.[1] ?? 0);
    }

    async function open(name = `tab-${++number}.txt`): Promise<{ file: string; diff: ReviewDiff }> {
        const file = workbench.ide.file(name);
        expect(await client.openDiff(file, 'proposed\n')).to.deep.include({ content: [] });
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
