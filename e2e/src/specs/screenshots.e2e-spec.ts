// SPDX-License-Identifier: Apache-2.0

import { promises as fs } from 'fs';
import * as path from 'path';
import { Locator } from '@playwright/test';
import { Cli } from '../support/cli';
import { QWEN_CODE } from '../support/cli-words';
import { DOC_IMAGES } from '../support/project-paths';
import { ENABLED, QwenChat, setPreferences, SHORT_NOTIFICATIONS } from '../support/qwen-chat';
import { Workbench } from '../support/workbench';

// Pictures differ from machine to machine, so they are taken only when somebody wants them renewed.
if (process.env.UPDATE_SCREENSHOTS === '1') {
    describe('Pictures for the documentation', () => {
        let workbench: Workbench;

        before(async () => {
            workbench = await Workbench.start({ model: true, gettingStarted: true });
        });
        after(() => workbench?.dispose());

        it('takes pictures of the first page and of a diff review', async () => {
            const { page, ide } = workbench;
            await fs.mkdir(DOC_IMAGES, { recursive: true });
            const editor = await page.openFile('src/greeting.js');
            await editor.selectLineContainingText('return');
            const cli = await Cli.start(QWEN_CODE, workbench, { run: () => page.execute('companion.run.qwen-code') });
            await cli.ask('what do you see?');
            await cli.terminal.waitForScreen('I see that you have');
            await page.execute('companion.sample.gettingStarted');
            await page.screenshot(path.join(DOC_IMAGES, 'first-minute.png'));
            await cli.ask('improve the greeting');
            const diff = await page.waitForDiff(ide.file('src/greeting.js'));
            await cli.waitForQuestion();
            await diff.waitUntilCompared();
            await page.screenshot(path.join(DOC_IMAGES, 'diff-review.png'));
            await diff.reject();
            await cli.waitForPrompt();
        });

        it('takes a picture of the chat', async () => {
            const { page, ide } = workbench;
            await setPreferences(ide, { ...SHORT_NOTIFICATIONS, [ENABLED]: true });
            const chat = new QwenChat(page);
            await chat.show();
            await chat.view.locator('.qwen-daemon-welcome').waitFor();
            await page.execute('core.toggle.bottom.panel');
            await widen(chat.view);
            await chat.ask('improve the greeting');
            await chat.waitForQuestion();
            await page.screenshot(path.join(DOC_IMAGES, 'qwen-chat.png'));
        });
    });

    /** Drags the edge between the editors and the chat. */
    async function widen(view: Locator): Promise<void> {
        const { x = 0, y = 0 } = (await view.boundingBox()) ?? {};
        const { mouse } = view.page();
        await mouse.move(x - 1, y + 300);
        await mouse.down();
        await mouse.move(x - 250, y + 300, { steps: 5 });
        await mouse.up();
    }
}
