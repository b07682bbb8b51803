// SPDX-License-Identifier: Apache-2.0

import { eventually } from '../../../e2e/lib/support/eventually';
import { Album } from './album';

/** Two comments in a file. The line of the second one has gone since. */
export async function comments(album: Album): Promise<void> {
    const lines = ['export function greet(name) {', "    const word = 'Hello';", '    // greets', '    return word + name;', '}', ''];
    const workbench = await album.open({ files: { 'src/greet.js': lines.join('\n') } });
    try {
        const { page, ide } = workbench;
        const zones = page.page.locator('.companion-comment');
        for (const [line, text] of [
            [2, 'Take the word from the settings, please.'],
            [3, 'What is still to do here?']
        ] as const) {
            await page.openFile('src/greet.js');
            await page.press('Control+Home', ...Array.from({ length: line - 1 }, () => 'ArrowDown'), 'Control+k', 'Control+Alt+c');
            await eventually('the comment', async () => (await zones.count()) === line - 1);
            await page.page.keyboard.insertText(text);
            await page.press('Escape');
        }
        await page.waitForStatus('2 comments');
        await ide.write('src/greet.js', lines.filter(text => !text.includes('greets')).join('\n'));
        await page.page.getByText('Line not found').waitFor();
        await album.take('comments', page);
    } finally {
        await workbench.dispose();
    }
}
