// SPDX-License-Identifier: Apache-2.0

import { ChangesView } from '../../../e2e/lib/support/changes-view';
import { Cli } from '../../../e2e/lib/support/cli';
import { QWEN_CODE } from '../../../e2e/lib/support/cli-words';
import { delay, eventually } from '../../../e2e/lib/support/eventually';
import { Workbench } from '../../../e2e/lib/support/workbench';
import { Album, hideExplorer, resizeTerminals, startQwen } from './album';
import { commitAll } from './changes';
import { Film } from './film';

const SCREEN = { viewport: { width: 1000, height: 600 }, deviceScaleFactor: 1.5 };
const LIMIT_BYTES = 1_500_000;
const STILL_MS = 300;
/** Qwen Code (0.24) loses keys that come as soon as its prompt is there. */
const SETTLING_MS = 3_000;
const TERMINALS_PX = 240;
const FILE = 'src/greeting.js';
/** The comment on the same file has a row, too. */
const CHANGED_ROW = '#companion-changes [data-kind="modified"]';
const COMMENT = 'Ask for the name, please.';

/** Four things without words: a proposal is accepted, a line gets a comment, a change that nobody was asked about is undone, and then a whole turn. */
export async function demo(album: Album): Promise<void> {
    const workbench = await album.open({ model: true, screen: SCREEN, prepare: commitAll });
    try {
        const { page } = workbench;
        await page.openFile(FILE);
        await hideExplorer(page);
        await resizeTerminals(page, TERMINALS_PX);
        const asking = await startQwen(workbench);
        const film = new Film(page.page);
        const diffFrame = await reviewBefore(workbench, asking, film);
        await comment(workbench, asking, film);
        await reviewAfter(workbench, film);
        // Still views show the first frame only.
        await album.write('demo', [{ ...diffFrame, delay: STILL_MS }, ...film.frames], LIMIT_BYTES);
    } finally {
        await workbench.dispose();
    }
}

async function askInFilm(cli: Cli, film: Film, workbench: Workbench, prompt: string): Promise<void> {
    await cli.terminal.focus();
    await delay(SETTLING_MS);
    await film.type(prompt);
    await cli.terminal.waitForScreen(prompt);
    await film.hold(700);
    await workbench.page.page.keyboard.press('Enter');
    await film.hold(700);
}

/** @returns the frame with the diff */
async function reviewBefore(workbench: Workbench, cli: Cli, film: Film): Promise<Film['frames'][number]> {
    const { page, ide } = workbench;
    await film.putMouse(640, 500);
    await film.hold(1200);
    await askInFilm(cli, film, workbench, 'improve the greeting');
    const diff = await page.waitForDiff(ide.file(FILE));
    await eventually('the diff to be in front', () => diff.isCurrent());
    await page.page.locator('.editor.modified .line-insert').first().waitFor();
    await diff.waitForColors('function');
    await cli.waitForQuestion();
    await diff.look();
    await film.hold(2500);
    const frame = film.frames[film.frames.length - 1];
    // In every language.
    await film.moveTo(page.page.locator('.companion-review-answers button:visible').first());
    await film.hold(500);
    await film.click();
    await page.waitUntilNoDiff();
    await cli.terminal.waitFor('Done:');
    await cli.waitForPrompt();
    await film.hold(2500);
    return frame;
}

/** An agent in a second terminal edits without asking. */
async function reviewAfter(workbench: Workbench, film: Film): Promise<void> {
    const { page, ide } = workbench;
    const cli = await Cli.start(QWEN_CODE, workbench, { command: 'qwen --approval-mode yolo', status: QWEN_CODE.name });
    const view = new ChangesView(page, ide.workspace);
    const written = await ide.read(FILE);
    await film.putMouse(640, 500);
    await film.hold(1000);
    await askInFilm(cli, film, workbench, 'improve it again');
    await view.open();
    await page.page.locator(CHANGED_ROW).waitFor();
    await cli.terminal.waitFor('Done:');
    await page.clearMessages();
    await film.hold(2000);
    await film.moveTo(page.page.locator(CHANGED_ROW));
    await film.hold(300);
    await film.click();
    const change = page.page.locator('.gutterItem').first();
    await change.waitFor();
    await film.hold(2500);
    await change.hover();
    // The first button at the change; its name is in the language of the page.
    await film.moveTo(change.locator('.action-label.codicon-discard'));
    await film.hold(700);
    await film.click();
    await eventually('the change to be undone', async () => (await ide.read(FILE)) === written);
    await page.clearMessages();
    await film.hold(2500);
    await askInFilm(cli, film, workbench, 'improve it again');
    await backToBefore(workbench, written, film);
}

/** Takes back what the agent does next, as a whole. @param before the file's text, which comes back */
async function backToBefore({ page, ide }: Workbench, before: string, film: Film): Promise<void> {
    await page.page.locator(CHANGED_ROW).waitFor();
    await film.hold(1500);
    const turn = page.page.locator('#companion-changes [aria-level="1"]').first();
    await turn.hover();
    await film.moveTo(turn.locator('.codicon-discard'));
    await film.hold(700);
    await film.click();
    await page.page.locator('.dialogBlock').waitFor();
    await film.hold(2500);
    await film.moveTo(page.page.locator('.dialogControl .main'));
    await film.hold(500);
    await film.click();
    await eventually('the turn to be undone', async () => (await ide.read(FILE)) === before);
    await turn.locator('.codicon-discard').waitFor({ state: 'detached' });
    await page.clearMessages();
    await film.hold(4000);
}

/** On a line of the file. It goes into the prompt, and the user sends it. */
async function comment({ page }: Workbench, cli: Cli, film: Film): Promise<void> {
    await page.openFile(FILE);
    await page.press('Control+Home', 'ArrowDown', 'ArrowDown', 'Control+k', 'Control+Alt+c');
    const zone = page.page.locator('.companion-comment');
    await zone.waitFor();
    await film.hold(700);
    await film.type(COMMENT);
    await film.hold(700);
    await film.moveTo(zone.locator('button.main'));
    await film.hold(500);
    await film.click();
    await cli.terminal.waitForScreen(COMMENT);
    await page.clearMessages();
    await film.hold(3000);
}
