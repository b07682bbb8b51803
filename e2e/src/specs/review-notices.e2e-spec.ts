// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { promises as fs } from 'fs';
import * as path from 'path';
import { eventually } from '../support/eventually';
import { IdePage } from '../support/ide-page';
import { ProtocolClient } from '../support/protocol-client';
import { ReviewDiff } from '../support/review-diff';
import { ReviewFixture } from '../support/review-fixture';
import { Workbench } from '../support/workbench';

describe('Notices above reviews', () => {
    let workbench: Workbench;
    let page: IdePage;
    let client: ProtocolClient;
    let number = 0;

    before(async () => {
        ({ workbench, client } = await ReviewFixture.get());
        ({ page } = workbench);
    });

    it('the name of the file, the answers and the words that change are in sight in a narrow window', async () => {
        // The layout that a user has chosen in one diff counts in all, until the page is loaded again.
        await page.reload();
        const line = 'a line that is longer than the window is wide, so that its end would be somewhere on the right of it: ';
        const { file, diff } = await open(`${line}one\n`, 'folder with a long name/that goes on/narrow.txt', `${line}two\n`);
        await diff.activate();
        expect(await diff.isSideBySide()).to.equal(true);
        const size = page.page.viewportSize();
        for (const width of [900, 600, 400]) {
            await page.page.setViewportSize({ width, height: 900 });
            const name = page.page.locator(`[id="${diff.widgetId}"] .companion-review-name`);
            await eventually(`the name at ${width} pixels`, async () => {
                const [box, button] = [await name.boundingBox(), await diff.answer('companion.review.rejectWithReason').boundingBox()];
                return box && button && box.width > 0 && box.x + box.width <= width && button.x + button.width <= width;
            });
            await eventually(`one column at ${width} pixels`, async () => !(await diff.isSideBySide()));
            await eventually(`the words that change, at ${width} pixels`, () => diff.showsChange());
        }
        const wrap = diff.answer('companion.review.toggleWrap');
        expect(await wrap.getAttribute('aria-pressed')).to.equal('true');
        await wrap.click();
        expect(await wrap.getAttribute('aria-pressed')).to.equal('false');
        await diff.pressButton('companion.review.toggleLayout');
        await eventually('two columns, as chosen in this diff', () => diff.isSideBySide());
        await page.page.setViewportSize(size ?? { width: 1280, height: 720 });
        await client.closeDiff(file);
        const fresh = await open(undefined, 'fresh.txt');
        await fresh.diff.activate();
        expect(await fresh.diff.isSideBySide(), 'a new file').to.equal(false);
        expect(await fresh.diff.answer('companion.review.accept').isVisible()).to.equal(true);
        await client.closeDiff(fresh.file);
    });

    it('has ten lines also in a low window: the panel is lower until it is answered', async () => {
        await page.openTerminal();
        const size = page.page.viewportSize();
        await page.page.setViewportSize({ width: 1280, height: 450 });
        const panel = page.page.locator('#theia-bottom-content-panel');
        const heightOfPanel = async (): Promise<number> => (await panel.boundingBox())?.height ?? 0;
        await eventually('the layout for that size', async () => {
            const { y = 450, height = 0 } = (await panel.boundingBox()) ?? {};
            return y + height < 450;
        });
        const before = await heightOfPanel();
        const { file, diff } = await open('one\n', 'low.txt', 'two\n');
        await diff.activate();
        const editor = page.page.locator(`[id="${diff.widgetId}"] .editor.modified`);
        await eventually('room for ten lines', async () => ((await editor.boundingBox())?.height ?? 0) >= 10 * 18);
        expect(await heightOfPanel()).to.be.lessThan(before);
        await client.closeDiff(file);
        // Theia (1.74) leaves the main area a third of so low a window when it moves an edge by itself.
        await eventually('the panel as it was', async () => Math.abs((await heightOfPanel()) - before) <= 30, {
            state: async () => `${before} before, ${await heightOfPanel()} now`
        });
        await page.page.setViewportSize(size ?? { width: 1280, height: 720 });
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

    // The last one: the language stays.
    describe('in Chinese', () => {
        const setLanguage = async (id: string): Promise<void> => {
            await page.page.evaluate(locale => localStorage.setItem('localeId', locale), id);
            await page.reload();
        };
        before(() => setLanguage('zh-cn'));
        after(() => setLanguage('en'));

        it('notice, tab, status and buttons are found by their names, and the sample IDE offers the language', async () => {
            const { file, diff } = await open('one\n', 'chinese.txt');
            await diff.activate();
            expect(await diff.label()).to.equal('chinese.txt（Gemini CLI 的修改建议）');
            await fs.writeFile(file, 'written meanwhile\n');
            const changed = '自 Gemini CLI 提出此修改建议以来，磁盘上的文件已更改。接受会替换左侧的内容。';
            await page.page.getByRole('listitem').filter({ hasText: changed }).waitFor();
            await page.page.getByRole('button', { name: /^Gemini CLI 已连接，1 条修改建议待处理/ }).waitFor();
            await diff.typeAtEnd('edited\n');
            await diff.answerBy(() => page.page.getByRole('button', { name: '接受 chinese.txt' }).click());
            expect((await client.waitForOutcome(file)).params.content).to.equal('proposed\nedited\n');
            await page.waitUntilNoDiff(file);
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

    /** Opens a review of a file of its own, which is new unless there is something on disk. */
    async function open(
        disk?: string,
        name = `notice-${++number}.txt`,
        proposal = 'proposed\n'
    ): Promise<{ file: string; diff: ReviewDiff }> {
        const file = workbench.ide.file(name);
        if (disk !== undefined) {
            await fs.mkdir(path.dirname(file), { recursive: true });
            await fs.writeFile(file, disk);
        }
        expect(await client.openDiff(file, proposal)).to.deep.include({ content: [] });
        return { file, diff: await page.waitForDiff(file) };
    }
});
