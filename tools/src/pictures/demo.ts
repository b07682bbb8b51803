// SPDX-License-Identifier: Apache-2.0

import { delay, eventually } from '../../../e2e/lib/support/eventually';
import { Album, hideExplorer, resizeTerminals, startQwen } from './album';
import { Film } from './film';

const SCREEN = { viewport: { width: 1000, height: 600 }, deviceScaleFactor: 1.5 };
/** In bytes. */
const LIMIT = 2_000_000;
/** In milliseconds. */
const STILL = 300;
const SETTLING = 3_000;
const FILE = 'src/greeting.js';
const PROPOSED = "'world'";
const EDITED = "'you'";

/** The main job without words: a prompt, its diff, an edit in the diff, a reload, the same edit, the answer, the file. */
export async function demo(album: Album): Promise<void> {
    const workbench = await album.open({ model: true, screen: SCREEN });
    try {
        const { page, ide } = workbench;
        const tab = page.page;
        await page.openFile(FILE);
        await hideExplorer(page);
        await resizeTerminals(page, 260);
        const cli = await startQwen(workbench);
        await cli.terminal.focus();
        // Qwen Code (0.24) loses keys that come as soon as its prompt is there.
        await delay(SETTLING);

        const film = new Film(tab);
        await film.putMouse(640, 500);
        await film.hold(1500);
        await film.type('improve the greeting');
        await cli.terminal.waitForScreen('improve the greeting');
        await film.hold(700);
        await tab.keyboard.press('Enter');
        await film.hold(700);
        let diff = await page.waitForDiff(ide.file(FILE));
        await eventually('the diff to be in front', () => diff.isCurrent());
        await tab.locator('.editor.modified .line-insert').first().waitFor();
        await diff.waitForColors('function');
        await cli.waitForQuestion();
        await diff.look();
        await film.hold(3000);
        const diffFrame = film.frames[film.frames.length - 1];

        const word = tab.locator('.editor.modified .view-line span > span', { hasText: PROPOSED });
        await film.moveTo(word);
        await film.click(2);
        await film.hold(300);
        // Out of the way of what is typed.
        await film.moveTo(tab.locator('.editor.modified .view-lines'), { x: 0.75, y: 0.6 });
        await film.type('you');
        await eventually('the edit to be in the diff', async () => (await diff.right()).includes(EDITED));
        await film.hold(2000);

        await film.showKey('F5');
        await tab.reload({ waitUntil: 'domcontentloaded' });
        await film.hold(500);
        await page.waitUntilReady();
        diff = await page.waitForDiff(ide.file(FILE));
        await eventually('the edit to be there again', async () => (await diff.right()).includes(EDITED));
        await tab.locator('.editor.modified .line-insert').first().waitFor();
        await diff.waitForColors('function');
        await cli.findTerminal();
        await cli.waitForQuestion();
        await film.putMouse();
        await film.hold(2800);
        await diff.look();

        // In every language.
        await film.moveTo(tab.locator('.companion-review-answers button:visible').first());
        await film.hold(500);
        await film.click();
        await page.waitUntilNoDiff();
        await eventually('the file to be written', async () => (await ide.read(FILE)).includes(EDITED));
        await film.hold(500);
        await cli.terminal.waitFor('Done:');
        await cli.waitForPrompt();
        await tab.locator('.theia-editor:visible .view-line', { hasText: EDITED }).waitFor();
        await film.hold(4500);
        // Still views show the first frame only.
        await album.write('demo', [{ ...diffFrame, delay: STILL }, ...film.frames], LIMIT);
    } finally {
        await workbench.dispose();
    }
}
