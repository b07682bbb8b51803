// SPDX-License-Identifier: Apache-2.0

import { Album, resizeTerminals, SHARPNESS, startQwen } from './album';

/** Tall enough for all of the first page. */
const SCREEN = { viewport: { width: 1000, height: 735 }, deviceScaleFactor: SHARPNESS };

/** What a newcomer sees: the first page with a CLI that knows the selection, and the diff that comes next. */
export async function firstMinute(album: Album): Promise<void> {
    const workbench = await album.open({ model: true, gettingStarted: true, screen: SCREEN });
    try {
        const { page, ide } = workbench;
        const editor = await page.openFile('src/greeting.js');
        await editor.selectLineContainingText('return');
        const cli = await startQwen(workbench);
        await page.execute('core.toggle.left.panel');
        await resizeTerminals(page, 190);
        await cli.ask('what do you see?');
        await cli.terminal.waitForScreen('I see that you have');
        await cli.waitForPrompt();
        await page.execute('companion.sample.gettingStarted');
        await page.giveKeyboardToNothing();
        await album.take('first-minute', page);
        await page.page.setViewportSize({ ...SCREEN.viewport, height: 640 });
        await resizeTerminals(page, 290);
        await cli.ask('improve the greeting');
        const diff = await page.waitForDiff(ide.file('src/greeting.js'));
        await cli.waitForQuestion();
        await diff.waitUntilCompared();
        await diff.waitForColors('function');
        await album.take('diff-review', page);
        await diff.reject();
        await cli.waitForPrompt();
    } finally {
        await workbench.dispose();
    }
}
