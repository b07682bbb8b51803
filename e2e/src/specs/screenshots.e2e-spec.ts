// SPDX-License-Identifier: Apache-2.0

import { promises as fs } from 'fs';
import * as path from 'path';
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
            await cli.waitUntilRejected('greeting.js');
        });

        it('takes a picture of the chat', async () => {
            const { page, ide } = workbench;
            await setPreferences(ide, { ...SHORT_NOTIFICATIONS, [ENABLED]: true });
            const chat = new QwenChat(page);
            await chat.show();
            await chat.banner.or(chat.view.locator('.qwen-daemon-welcome')).first().waitFor();
            await chat.ask('improve the greeting');
            await chat.waitForQuestion();
            await page.screenshot(path.join(DOC_IMAGES, 'qwen-chat.png'));
        });
    });
}
