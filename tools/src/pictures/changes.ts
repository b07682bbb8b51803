// SPDX-License-Identifier: Apache-2.0

import { execFileSync } from 'child_process';
import { promises as fs } from 'fs';
import { ChangesView } from '../../../e2e/lib/support/changes-view';
import { Cli } from '../../../e2e/lib/support/cli';
import { QWEN_CODE } from '../../../e2e/lib/support/cli-words';
import { delay } from '../../../e2e/lib/support/eventually';
import { IdeFixture } from '../../../e2e/lib/support/ide-fixture';
import { Album } from './album';

/** Qwen Code has edited without asking; its first change is shown, in a diff and in the file's own editor. Then its turn is to be undone. */
export async function changes(album: Album): Promise<void> {
    const workbench = await album.open({ model: true, prepare: commitAll });
    try {
        const { page, ide } = workbench;
        const cli = await Cli.start(QWEN_CODE, workbench, { command: 'qwen --approval-mode yolo', status: QWEN_CODE.name });
        const view = new ChangesView(page, ide.workspace);
        await view.open();
        const edit = cli.edit('src/greeting.js', "'Hello ' + name", '`Hello, ${name}!`');
        const before = await cli.play(cli.readFile('src/greeting.js'), edit, cli.writeFile('src/farewell.js', 'export {};\n'));
        await cli.waitUntilPlayed(before);
        await fs.appendFile(ide.file('README.md'), '\nBye.\n');
        await view.row('README.md').waitFor();
        await page.waitForMessage('changes files without a question');
        await page.clearMessages();
        await view.show('src/greeting.js');
        await album.take('changes', page);
        await page.openFile('src/greeting.js');
        await page.page.locator('.monaco-editor .companion-change:visible').first().click();
        // The buttons are pale until a click counts.
        await delay(1_000);
        await album.take('own-editor', page);
        await page.page.locator('#companion-changes [aria-level="1"]').first().hover();
        await page.page.locator('#companion-changes [aria-label="Undo This Turn"]').first().click();
        await page.page.locator('.dialogBlock').waitFor();
        await album.take('undo-turn', page);
    } finally {
        await workbench.dispose();
    }
}

/** A repository, so that Git knows what files were before. */
export async function commitAll(ide: IdeFixture): Promise<void> {
    const git = (...args: string[]): string => execFileSync('git', args, { cwd: ide.workspace, encoding: 'utf8' });
    git('init', '-q');
    git('add', '-A');
    git('-c', 'user.name=T', '-c', 'user.email=t@example.org', 'commit', '-q', '-m', 'first');
}
