// SPDX-License-Identifier: Apache-2.0

import { Cli } from '../../../e2e/lib/support/cli';
import { GEMINI_CLI, QWEN_CODE } from '../../../e2e/lib/support/cli-words';
import { Diagnosis } from '../../../e2e/lib/support/diagnosis';
import { eventually } from '../../../e2e/lib/support/eventually';
import { StatusPick } from '../../../e2e/lib/support/status-pick';
import { Album, hideExplorer, placeOf, SHARPNESS } from './album';

/** Tall enough for a list that does not scroll. */
const SCREEN = { viewport: { width: 1000, height: 1200 }, deviceScaleFactor: SHARPNESS };

/** What the status bar leads to: the list with what waits, and the diagnosis of a connection. */
export async function details(album: Album): Promise<void> {
    const workbench = await album.open({ model: true, files: { '.env': 'SECRET=1\n' }, screen: SCREEN });
    try {
        const { page, ide } = workbench;
        const main = page.page.locator('#theia-main-content-panel');
        const qwen = await Cli.start(QWEN_CODE, workbench);
        await page.openFile('.env');
        const editor = await page.openFile('src/greeting.js');
        await editor.selectLineContainingText('return');
        await hideExplorer(page);
        const place = await placeOf(main);

        await qwen.terminal.submit('/ide disable');
        await eventually('Qwen Code to be disconnected', async () => !(await page.statusDetails()).includes('Qwen Code connected'));
        await page.execute('core.toggle.bottom.panel');
        await Diagnosis.run(page);
        // The two CLIs with their problems; the rest is as long.
        await album.take('doctor', page, { ...place, height: 560 });

        await page.execute('core.toggle.bottom.panel');
        await qwen.terminal.submit('/ide enable');
        await page.waitForStatus('Qwen Code connected');
        const other = await Cli.start(GEMINI_CLI, workbench, { status: GEMINI_CLI.name });
        await qwen.ask('improve the greeting');
        await page.waitForDiff(ide.file('src/greeting.js'));
        await other.ask('add a test');
        await page.waitForDiff(ide.file('test/greeting.test.js'));
        const pick = await StatusPick.open(page.page);
        await pick.waitForItem('greeting.test.js');
        await album.take('status-list', page, await placeOf(page.page.locator('.quick-input-widget')));
    } finally {
        await workbench.dispose();
    }
}
