// SPDX-License-Identifier: Apache-2.0

import { Cli } from '../../../e2e/lib/support/cli';
import { GEMINI_CLI, QWEN_CODE } from '../../../e2e/lib/support/cli-words';
import { restMouse } from '../../../e2e/lib/support/rest-mouse';
import { StatusPick } from '../../../e2e/lib/support/status-pick';
import { Album, hideExplorer } from './album';

/** Two CLIs behind the tab of a shell, one of which waits, and the list that says so. */
export async function agents(album: Album): Promise<void> {
    const workbench = await album.open({ model: true });
    try {
        const { page } = workbench;
        const gemini = await Cli.start(GEMINI_CLI, workbench);
        const qwen = await Cli.start(QWEN_CODE, workbench, { status: QWEN_CODE.name });
        await hideExplorer(page);
        await gemini.play(gemini.readFile('src/greeting.js'));
        await qwen.play(qwen.shell('npm test'));
        const shell = await page.openTerminal();
        await shell.focus();
        await page.waitForStatus('Qwen Code waits for you');
        const pick = await StatusPick.open(page.page);
        // Before its tooltip comes.
        await restMouse(page.page);
        await pick.waitForItem(QWEN_CODE.name);
        await pick.waitForItem(GEMINI_CLI.name);
        await album.take('agents', page);
    } finally {
        await workbench.dispose();
    }
}
