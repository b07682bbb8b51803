// SPDX-License-Identifier: Apache-2.0

import { eventually } from '../../../e2e/lib/support/eventually';
import { Album, hideExplorer, resizeTerminals, SHARPNESS, startQwen } from './album';

const SCREEN = { viewport: { width: 1000, height: 700 }, deviceScaleFactor: SHARPNESS };
/** Of the terminals below the first page, in CSS pixels. */
const BELOW = 190;

/** What a newcomer sees: the first page with a CLI that knows the selection, and the diff that comes next. */
export async function firstMinute(album: Album): Promise<void> {
    const workbench = await album.open({ model: true, gettingStarted: true, screen: SCREEN });
    try {
        const { page, ide } = workbench;
        const editor = await page.openFile('src/greeting.js');
        await editor.selectLineContainingText('return');
        const cli = await startQwen(workbench);
        await hideExplorer(page);
        await resizeTerminals(page, BELOW);
        await cli.ask('what do you see?');
        await cli.terminal.waitForScreen('I see that you have');
        await cli.waitForPrompt();
        await page.execute('companion.sample.gettingStarted');
        await page.giveKeyboardToNothing();
        // All of the page is to be seen: it is longer in some languages.
        const view = page.page.locator('#companion-sample-getting-started');
        const hidden = await view.evaluate(element => element.scrollHeight - element.clientHeight);
        await page.page.setViewportSize({ ...SCREEN.viewport, height: SCREEN.viewport.height + hidden });
        await resizeTerminals(page, BELOW);
        await eventually('all of the page to be seen', () => view.evaluate(element => element.scrollHeight <= element.clientHeight));
        await album.take('first-minute', page);
        await page.page.setViewportSize({ ...SCREEN.viewport, height: 640 });
        await resizeTerminals(page, 290);
        await cli.ask('improve the greeting');
        const diff = await page.waitForDiff(ide.file('src/greeting.js'));
        await cli.waitForQuestion();
        await diff.waitUntilCompared();
        await diff.waitForColors('function');
        await album.take('diff-review', page);
        await diff.look();
        await page.execute('companion.review.reject');
        await cli.waitForPrompt();
    } finally {
        await workbench.dispose();
    }
}
