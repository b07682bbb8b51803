// SPDX-License-Identifier: Apache-2.0

import { promises as fs } from 'fs';
import * as path from 'path';
import { Agents } from '../../../e2e/lib/support/agents';
import { Cli } from '../../../e2e/lib/support/cli';
import { CLAUDE_CODE, GEMINI_CLI, QWEN_CODE } from '../../../e2e/lib/support/cli-words';
import { eventually } from '../../../e2e/lib/support/eventually';
import { IdeFixture } from '../../../e2e/lib/support/ide-fixture';
import { IdePage } from '../../../e2e/lib/support/ide-page';
import { Album, Clip, hideExplorer, placeOf, resizeTerminals, startQwen } from './album';

/** Of the status bar's right end, in CSS pixels. */
const STATUS_WIDTH = 600;
const FILE = 'src/greeting.js';

/** Before and after a CLI is connected: the item in the status bar, Gemini CLI's own question, and a diff of Claude Code. */
export async function connect(album: Album): Promise<void> {
    const workbench = await album.open({ model: true, prepare: ide => withoutIdeMode(ide) });
    try {
        const { page, ide } = workbench;
        await page.openFile(FILE);
        await hideExplorer(page);
        const statusBar = await placeOf(page.page.locator('#theia-statusBar'));
        const right: Clip = { ...statusBar, x: statusBar.x + statusBar.width - STATUS_WIDTH, width: STATUS_WIDTH };
        await page.waitForStatus('Companion');
        await album.take('status-before', page, right);

        const terminal = await page.openTerminal();
        await resizeTerminals(page, 330);
        await terminal.run(GEMINI_CLI.command);
        await terminal.waitForScreen('Do you want to connect', 'the question', { timeout: 120_000 });
        await album.take('gemini-question', page, await placeOf(page.page.locator('#theia-bottom-content-panel')));
        await closeTerminal(page);

        await startQwen(workbench);
        await album.take('status-connected', page, right);
        await closeTerminal(page);
        await eventually('Qwen Code to end', async () => !(await page.statusDetails()).includes(QWEN_CODE.name));

        const missing = await Agents.provide();
        if (missing) {
            throw new Error(missing);
        }
        await Agents.link(ide, 'claude');
        const run = (): Promise<void> => page.execute('companion.run.claude-code');
        const claude = await Cli.start(CLAUDE_CODE, workbench, { run });
        await resizeTerminals(page, 290);
        await claude.play(claude.readFile(FILE), claude.edit(FILE, "'Hello ' + name", '`Hello, ${name}!`'));
        const diff = await page.waitForDiff(ide.file(FILE));
        await claude.waitForQuestion();
        await diff.waitUntilCompared();
        await diff.waitForColors('function');
        await album.take('claude-diff', page);
    } finally {
        await workbench.dispose();
    }
}

async function closeTerminal({ page }: IdePage): Promise<void> {
    await page.locator('#theia-bottom-content-panel .lm-mod-current .lm-TabBar-tabCloseIcon').click();
}

/** Then Gemini CLI asks by itself whether to connect. */
async function withoutIdeMode({ home }: IdeFixture): Promise<void> {
    const file = path.join(home, '.gemini', 'settings.json');
    const { ide: _ide, ...rest } = JSON.parse(await fs.readFile(file, 'utf8')) as Record<string, unknown>;
    await fs.writeFile(file, JSON.stringify(rest));
}
