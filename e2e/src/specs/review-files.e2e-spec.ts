// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { promises as fs } from 'fs';
import { Dialog } from '@playwright/test';
import { eventually } from '../support/eventually';
import { IdePage } from '../support/ide-page';
import { ProtocolClient, ReceivedNotification } from '../support/protocol-client';
import { ReviewDiff } from '../support/review-diff';
import { ReviewFixture } from '../support/review-fixture';
import { settledOutcomes as settled } from '../support/settled-outcomes';
import { Workbench } from '../support/workbench';

/** `# 测试` in GBK, between lines of ASCII. */
const GBK = Buffer.concat([Buffer.from('# top\n# '), Buffer.from([0xb2, 0xe2, 0xca, 0xd4]), Buffer.from('\nimport os\n\nx = 1\n')]);

describe('Files as reviews find them', () => {
    let workbench: Workbench;
    let page: IdePage;
    let client: ProtocolClient;

    before(async () => {
        ({ workbench, client } = await ReviewFixture.get());
        ({ page } = workbench);
    });
    beforeEach(() => page.giveKeyboardToNothing());

    it('no change can be taken back to a left side that is not decoded exactly', async () => {
        await fs.writeFile(workbench.ide.file('gbk.py'), GBK);
        const { diff } = await open('gbk.py', '# top\n# 测试\nimport os\n\nx = 2\n');
        await diff.waitForNotice('Single changes cannot be taken back.');
        await diff.waitUntilCompared();
        expect(await page.page.locator(`[id="${diff.widgetId}"] .gutterItem`).count()).to.equal(0);
        await diff.press('Control+Home');
        await page.press('ArrowDown');
        await page.execute('companion.review.revertChange');
        expect(await diff.right()).to.equal('# top\n# 测试\nimport os\n\nx = 2\n');
        await client.closeDiff(diff.path);
        await page.waitUntilNoDiff();
        // As soon as it can be read, the arrows are there.
        await fs.writeFile(workbench.ide.file('gbk.py'), '# top\n# Test\nx = 1\n');
        const again = await open('gbk.py', '# top\n# Test\nx = 2\n');
        await again.diff.takeBack(0);
        expect(await again.diff.right()).to.equal('# top\n# Test\nx = 1\n');
        await client.closeDiff(diff.path);
        await page.waitUntilNoDiff();
    });

    it('unusual line ends stop the page with no dialog, and stay in the text, also in the file that is shown then', async () => {
        const dialogs: string[] = [];
        const answer = (dialog: Dialog): void => {
            dialogs.push(dialog.message());
            void dialog.accept();
        };
        page.page.on('dialog', answer);
        await page.setPreference('companion.review.afterAccept', 'show');
        const text = '{"a": "one\u2028two\u2029three"}\n';
        const { file, diff } = await open('unusual.json', text);
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
        await page.waitForMessage('Look at the proposal for gen/a.txt, then press again.');
        await diff.waitForNotice('The file on disk has changed');
        expect(await diff.left()).to.equal('one\nof a colleague\n');
        expect(await settledOutcomes(file)).to.deep.equal([]);
        await page.clearMessages();
        await diff.accept();
        expect((await client.waitForOutcome(file)).params.content).to.equal('one\nTWO\n');
        await page.waitUntilNoDiff();
        await page.setPreference('files.watcherExclude', undefined);
    });

    it('a change far behind in a long line is drawn, and in sight', async () => {
        const line = (word: string): string => `${'x'.repeat(25_000)} ${word} ${'y'.repeat(5_000)}\n`;
        await fs.writeFile(workbench.ide.file('long.txt'), line('before'));
        const { file, diff } = await open('long.txt', line('after'));
        await page.page.locator(`[id="${diff.widgetId}"] .modified .char-insert`).first().waitFor();
        await client.closeDiff(file);
        await page.waitUntilNoDiff();
    });

    it('a message over the diff does not make it unseen', async () => {
        const { file, diff } = await open('covered.txt', 'proposed\n');
        await diff.activate();
        await diff.look();
        await page.page.evaluate(() => {
            // As where the page is small: it lies over most of the diff.
            const cover = document.createElement('div');
            cover.className = 'theia-notifications-overlay cover-of-test';
            cover.style.cssText = 'position: fixed; inset: 0; height: 100%; z-index: 10000';
            cover.append(document.createElement('div'));
            cover.firstElementChild?.setAttribute('style', 'height: 100%; pointer-events: auto');
            document.body.append(cover);
        });
        await page.press('Control+Shift+F9');
        expect((await client.waitForOutcome(file)).method).to.equal('ide/diffAccepted');
        await page.page.evaluate(() => document.querySelector('.cover-of-test')?.remove());
        await page.waitUntilNoDiff();
    });

    function settledOutcomes(file: string): Promise<ReceivedNotification[]> {
        return settled(client, page, workbench.ide, file);
    }

    async function open(name: string, proposal: string): Promise<{ file: string; diff: ReviewDiff }> {
        const file = workbench.ide.file(name);
        expect(await client.openDiff(file, proposal)).to.deep.include({ content: [] });
        return { file, diff: await page.waitForDiff(file) };
    }
});
