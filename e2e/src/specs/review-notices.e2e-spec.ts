// SPDX-License-Identifier: Apache-2.0

import { Locator } from '@playwright/test';
import { expect } from 'chai';
import { promises as fs } from 'fs';
import * as path from 'path';
import { eventually } from '../support/eventually';
import { IdePage } from '../support/ide-page';
import { ProtocolClient, ReceivedNotification } from '../support/protocol-client';
import { ReviewDiff } from '../support/review-diff';
import { ReviewFixture } from '../support/review-fixture';
import { settledOutcomes as settled } from '../support/settled-outcomes';
import { Workbench } from '../support/workbench';

const ACCEPTED = 'ide/diffAccepted';
const REJECTED = 'ide/diffRejected';

describe('Notices above reviews', () => {
    let workbench: Workbench;
    let page: IdePage;
    let client: ProtocolClient;
    let number = 0;

    before(async () => {
        ({ workbench, client } = await ReviewFixture.get());
        ({ page } = workbench);
    });

    it('an emptied proposal is not accepted: the diff says why, until there is text in it again', async () => {
        const { file, diff } = await open();
        await diff.replaceAll('');
        await diff.waitForNotice('cannot empty a file');
        await diff.press('Control+Enter');
        expect(await page.announced()).to.contain('cannot empty a file');
        await diff.button('Accept').click({ force: true });
        expect(await diff.button('Accept').getAttribute('aria-disabled')).to.equal('true');
        expect(await settledOutcomes(file)).to.deep.equal([]);
        await diff.typeAtEnd('some text');
        await eventually('the notice to go', async () => (await diff.notices()).length === 0);
        expect(await diff.button('Accept').getAttribute('aria-disabled')).to.equal('false');
        await diff.replaceAll('');
        await diff.reject();
        expect((await client.waitForOutcome(file)).method).to.equal(REJECTED);
    });

    it('nothing is left of a proposal: Accept says so and does nothing; a proposal that changes nothing can be accepted', async () => {
        const { file, diff } = await open('one\n');
        await diff.replaceAll('one\n');
        await diff.waitForNotice('Nothing is left of the proposal');
        expect(await diff.button('Accept').getAttribute('title')).to.include('Nothing is left of the proposal');
        await diff.press('Control+Enter');
        expect(await page.announced()).to.contain('Nothing is left of the proposal');
        expect(await settledOutcomes(file)).to.deep.equal([]);
        await diff.reject();
        await client.waitForOutcome(file);
        const same = await open('proposed\n');
        await same.diff.waitForNotice('No lines differ');
        await same.diff.accept();
        expect((await client.waitForOutcome(same.file)).params.content).to.equal('proposed\n');
    });

    it('the bar says which file, whether it is new, who proposes, and which of how many; both answers come before the text', async () => {
        const first = await open(undefined, 'folder with a long name/that goes on/new-file.txt');
        const bar = (diff: ReviewDiff): Locator =>
            page.page.locator(`[id="${diff.widgetId}"]`).getByRole('group', { name: /^Proposal of / });
        await first.diff.activate();
        expect((await bar(first.diff).innerText()).split(/\s*\n\s*/)).to.include.members(['new file', 'Gemini CLI']);
        const second = await open('one\n');
        await eventually('the places', async () => (await bar(second.diff).innerText()).includes('2 of 2'));
        expect(await bar(second.diff).innerText()).not.to.include('new file');
        await first.diff.activate();
        expect(await bar(first.diff).innerText()).to.include('1 of 2');
        const [accept, reject] = [first.diff.button('Accept'), first.diff.button('Reject')];
        expect(await accept.getAttribute('aria-label')).to.equal('Accept folder with a long name/that goes on/new-file.txt');
        await first.diff.look();
        await accept.focus();
        await page.press('Tab');
        expect(await reject.evaluate(button => button === document.activeElement), 'read, then tabbed through').to.equal(true);
        await page.press('Shift+Tab', 'Space');
        expect((await client.waitForOutcome(first.file)).method).to.equal(ACCEPTED);
        await page.waitUntilNoDiff(first.file);
        await eventually('no places', async () => !(await bar(second.diff).innerText()).includes(' of '));
        // A click on what has just come to the front may have been meant for the one before.
        await second.diff.look();
        await second.diff.pressButton('companion.review.reject');
        expect((await client.waitForOutcome(second.file)).method, 'the toolbar').to.equal(REJECTED);
    });

    it('the name of the file is in sight in a narrow window', async () => {
        const { file, diff } = await open(undefined, 'folder with a long name/that goes on/narrow.txt');
        await diff.activate();
        const size = page.page.viewportSize();
        for (const width of [900, 600, 400]) {
            await page.page.setViewportSize({ width, height: 600 });
            const name = page.page.locator(`[id="${diff.widgetId}"] .companion-review-name`);
            await eventually(`the name at ${width} pixels`, async () => {
                const [box, button] = [await name.boundingBox(), await diff.button('Reject').boundingBox()];
                return box && button && box.width > 0 && box.x + box.width <= width && button.x + button.width <= width;
            });
        }
        await page.page.setViewportSize(size ?? { width: 1280, height: 720 });
        await client.closeDiff(file);
    });

    it('the file has changed on disk since the proposal, and vanished, also after a reload; screen readers announce it', async () => {
        const { file, diff } = await open('one\n');
        await fs.writeFile(file, 'written meanwhile\n');
        await diff.waitForNotice('The file on disk has changed since Gemini CLI made this proposal');
        await eventually('the left side', async () => (await diff.left()) === 'written meanwhile\n');
        expect(await page.announced()).to.contain('The file on disk has changed');
        const [notices, text] = await Promise.all(
            ['.companion-review-notices', '.monaco-diff-editor'].map(part =>
                page.page.locator(`[id="${diff.widgetId}"] ${part}`).boundingBox()
            )
        );
        expect(notices?.height, 'a notice').to.be.greaterThan(0);
        expect(notices && notices.y + notices.height, 'covers no text').to.be.at.most(text?.y ?? 0);
        await page.reload();
        const restored = await page.waitForDiff(file);
        await restored.waitForNotice('The file on disk has changed');
        await fs.rm(file);
        await restored.waitForNotice('The file is no longer on disk');
        await client.closeDiff(file);
    });

    it('the file is open with unsaved changes, until they are saved', async () => {
        const editor = await page.openFile('notes.txt');
        await page.setPreference('files.autoSave', 'off');
        await editor.addTextToNewLineAfterLineByLineNumber(1, 'unsaved');
        const { file, diff } = await open(undefined, 'notes.txt');
        await diff.waitForNotice('open with unsaved changes');
        expect(await page.announced()).to.contain('open with unsaved changes');
        await editor.activate();
        await editor.save();
        await diff.activate();
        await eventually('the notice to go', async () => !(await diff.notices()).some(text => text.includes('unsaved')));
        await client.closeDiff(file);
    });

    it('only the most important notice is in sight, in one line; More shows the others', async () => {
        const file = path.join(workbench.ide.root, 'several.txt');
        await fs.writeFile(file, 'one\n');
        await client.openDiff(file, 'two\n');
        const diff = await page.waitForDiff(file);
        await diff.activate();
        await diff.waitForNotice('outside this workspace');
        const more = page.page.locator(`[id="${diff.widgetId}"]`).getByRole('button', { name: 'More', exact: true });
        expect(await more.isVisible(), 'there is nothing more').to.equal(false);
        await fs.writeFile(file, 'three\n');
        await diff.waitForNotice('The file on disk has changed');
        const inSight = (): Promise<string[]> =>
            page.page.locator(`[id="${diff.widgetId}"]`).getByRole('listitem').filter({ visible: true }).allInnerTexts();
        expect(await inSight())
            .to.have.length(1)
            .and.match(/outside this workspace/);
        await more.focus();
        await page.press('Enter');
        expect(await inSight()).to.have.length(2);
        expect(await more.getAttribute('aria-expanded')).to.equal('true');
        await client.closeDiff(file);
    });

    it('another CLI proposes changes to the same file; each is answered for itself', async () => {
        const other = await ProtocolClient.connect(workbench.ide, 'qwen-lock');
        const { file, diff } = await open();
        await other.openDiff(file, 'from the other\n');
        await diff.waitForNotice('Also proposing changes to this file: Qwen Code');
        await eventually('it to be said', async () => (await page.announced()).includes('Also proposing changes'));
        const theirs = await eventually('the second diff', async () =>
            (await page.diffs()).find(({ widgetId }) => widgetId !== diff.widgetId)
        );
        await theirs.waitForNotice('Also proposing changes to this file: Gemini CLI');
        await theirs.accept();
        expect((await other.waitForOutcome(file)).params.content).to.equal('from the other\n');
        await eventually('the notice to go', async () => !(await diff.notices()).some(text => text.includes('Also proposing')));
        expect(await settledOutcomes(file)).to.deep.equal([]);
        await diff.reject();
        expect((await client.waitForOutcome(file)).method).to.equal(REJECTED);
        expect(await other.settledOutcomes(file)).to.have.length(1);
        await other.disconnect();
    });

    it('the CLI is gone', async () => {
        const mortal = await ProtocolClient.connect(workbench.ide, 'qwen-lock');
        const file = workbench.ide.file('orphan.txt');
        await mortal.openDiff(file, 'text\n');
        const diff = await page.waitForDiff(file);
        await mortal.disconnect();
        await diff.waitForNotice('has stopped responding');
        expect(await page.announced()).to.contain('has stopped responding');
        await diff.activate();
        expect(await diff.button('Accept').getAttribute('aria-disabled')).to.equal('true');
        expect(await diff.button('Accept').getAttribute('title')).to.include('accepting would write nothing');
        await page.page.getByRole('listitem').getByRole('button', { name: 'Run Qwen Code' }).waitFor();
        await diff.press('Control+Enter');
        expect(await diff.isOpen()).to.equal(true);
        await diff.reject();
        await page.waitUntilNoDiff(file);
    });

    // The last one: the language stays.
    describe('in Chinese', () => {
        const setLanguage = async (id: string): Promise<void> => {
            await page.page.evaluate(locale => localStorage.setItem('localeId', locale), id);
            await page.reload();
        };
        before(() => setLanguage('zh-cn'));
        after(() => setLanguage('en'));

        it('notice, tab, status and buttons are found by their names', async () => {
            const { file, diff } = await open('one\n', 'chinese.txt');
            await diff.activate();
            expect(await diff.label()).to.equal('chinese.txt（Gemini CLI 的修改建议）');
            await fs.writeFile(file, 'written meanwhile\n');
            const changed = '自 Gemini CLI 提出此修改建议以来，磁盘上的文件已更改。接受会替换左侧的内容。';
            await page.page.getByRole('listitem').filter({ hasText: changed }).waitFor();
            await page.page.getByRole('button', { name: /^Gemini CLI 已连接，1 条修改建议待处理/ }).waitFor();
            await diff.typeAtEnd('edited\n');
            await diff.look();
            await page.page.getByRole('button', { name: '接受 chinese.txt' }).click();
            expect((await client.waitForOutcome(file)).params.content).to.equal('proposed\nedited\n');
            await page.waitUntilNoDiff(file);
        });

        it('is offered by the sample IDE when a newcomer chooses the language', async () => {
            const language = page.page.getByRole('option', { name: '中文(简体)' });
            await eventually('the languages', async () => {
                // A diff that has just been closed may still be giving the keyboard back, which closes the list.
                void page.execute('workbench.action.configureLanguage').catch(() => undefined);
                return language.waitFor({ timeout: 3_000 }).then(
                    () => true,
                    () => false
                );
            });
            await page.press('Escape');
            await language.waitFor({ state: 'hidden' });
        });
    });

    function settledOutcomes(file: string): Promise<ReceivedNotification[]> {
        return settled(client, page, workbench.ide, file);
    }

    /** Opens a review of a file of its own, which is new unless there is something on disk. */
    async function open(disk?: string, name = `notice-${++number}.txt`): Promise<{ file: string; diff: ReviewDiff }> {
        const file = workbench.ide.file(name);
        if (disk !== undefined) {
            await fs.writeFile(file, disk);
        }
        expect(await client.openDiff(file, 'proposed\n')).to.deep.include({ content: [] });
        return { file, diff: await page.waitForDiff(file) };
    }
});
