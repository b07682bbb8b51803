// SPDX-License-Identifier: Apache-2.0

import { promises as fs } from 'fs';
import * as path from 'path';
import { GEMINI_CLI } from '../../../e2e/lib/support/cli-words';
import { IdeFixture } from '../../../e2e/lib/support/ide-fixture';
import { Album, hideExplorer, placeOf, resizeTerminals } from './album';

/** Gemini CLI's own question. */
export async function connect(album: Album): Promise<void> {
    const workbench = await album.open({ model: true, prepare: ide => withoutIdeMode(ide) });
    try {
        const { page } = workbench;
        await page.openFile('src/greeting.js');
        await hideExplorer(page);
        const terminal = await page.openTerminal();
        await resizeTerminals(page, 330);
        await terminal.run(GEMINI_CLI.command);
        await terminal.waitForScreen('Do you want to connect', 'the question', { timeout: 120_000 });
        await album.take('gemini-question', page, await placeOf(page.page.locator('#theia-bottom-content-panel')));
    } finally {
        await workbench.dispose();
    }
}

/** Then Gemini CLI asks by itself whether to connect. */
async function withoutIdeMode({ home }: IdeFixture): Promise<void> {
    const file = path.join(home, '.gemini', 'settings.json');
    const { ide: _ide, ...rest } = JSON.parse(await fs.readFile(file, 'utf8')) as Record<string, unknown>;
    await fs.writeFile(file, JSON.stringify(rest));
}
