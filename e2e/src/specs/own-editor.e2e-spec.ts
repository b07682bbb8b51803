// SPDX-License-Identifier: Apache-2.0

import { execFileSync } from 'child_process';
import { expect } from 'chai';
import { Locator } from '@playwright/test';
import { Agents } from '../support/agents';
import { ChangesView } from '../support/changes-view';
import { Cli } from '../support/cli';
import { CLAUDE_CODE } from '../support/cli-words';
import { delay, eventually } from '../support/eventually';
import { IdeFixture } from '../support/ide-fixture';
import { Workbench } from '../support/workbench';

const MANY = Array.from({ length: 1_100 }, (_, line) => `line ${line}`);
const LINES = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve'].join('\n') + '\n';
/** A press before that would not be taken. */
const LOOKING_MS = 700;

async function prepare(ide: IdeFixture): Promise<void> {
    await Agents.link(ide, 'claude');
    const git = (...args: string[]): string => execFileSync('git', args, { cwd: ide.workspace, encoding: 'utf8' });
    git('init', '-q');
    git('add', '-A');
    git('-c', 'user.name=T', '-c', 'user.email=t@example.org', 'commit', '-q', '-m', 'first');
}

describe('What agents changed, in the file’s own editor', () => {
    let workbench: Workbench;
    let view: ChangesView;
    let cli: Cli;

    before(async function () {
        const missing = await Agents.provide();
        if (missing) {
            process.stdout.write(`Claude Code is skipped: ${missing}\n`);
            this.skip();
        }
        workbench = await Workbench.start({ model: true, files: { 'a.txt': LINES, 'b.txt': MANY.join('\n') }, prepare });
        view = new ChangesView(workbench.page, workbench.ide.workspace);
        await view.open();
        cli = await Cli.start(CLAUDE_CODE, workbench, { run: () => workbench.page.execute('companion.run.claude-code') });
        await cli.terminal.press('Shift+Tab');
        await cli.terminal.waitForScreen('accept edits on');
    });
    after(() => workbench?.dispose());

    const bars = (): Locator => workbench.page.page.locator('.monaco-editor .companion-change:visible');
    const zone = (): Locator => workbench.page.page.locator('.companion-change-zone:visible');

    async function waitForBars(...expected: string[]): Promise<void> {
        const kinds = async (): Promise<string[]> =>
            bars().evaluateAll(elements =>
                elements
                    .sort((one, other) => one.getBoundingClientRect().top - other.getBoundingClientRect().top)
                    .map(element => /companion-change-(\w+)/.exec(element.className)?.[1] ?? '')
            );
        await eventually(`the bars ${expected.join()}`, async () => (await kinds()).join() === expected.join(), {
            state: async () => (await kinds()).join()
        });
    }

    async function press(...keys: string[]): Promise<void> {
        await delay(LOOKING_MS);
        await workbench.page.press(...keys);
    }

    async function edit(...edits: Array<[string, string]>): Promise<void> {
        await cli.terminal.focus();
        await cli.terminal.submit(
            await workbench.model.script(cli.readFile('a.txt'), ...edits.map(([from, to]) => cli.edit('a.txt', from, to)))
        );
    }

    it('has a bar beside each change; what the user types between has none, and stays', async () => {
        const { page, ide } = workbench;
        await page.openFile('a.txt');
        await edit(['two\n', 'TWO\n'], ['six\n', ''], ['ten\n', 'ten\nTEN AND A HALF\n']);
        await view.waitForRows('modified a.txt +2 −2');
        await waitForBars('modified', 'removed', 'added');
        await page.openFile('a.txt');
        await page.press('Control+Home', ...Array.from({ length: 3 }, () => 'ArrowDown'), 'End');
        // Not even for a moment.
        await page.page.evaluate(() => {
            const counts = new Set<number>();
            const look = (): unknown => counts.add(document.querySelectorAll('.monaco-editor .companion-change').length);
            Object.assign(window, { seenCounts: counts, looking: setInterval(look, 20) });
        });
        await page.page.keyboard.insertText(' typed by me');
        await delay(1_000);
        await page.press('Control+s');
        await eventually('what was typed on disk', async () => (await ide.read('a.txt')).includes('four typed by me\n'));
        await delay(3_000);
        const seen = await page.page.evaluate(() => [...(window as unknown as { seenCounts: Set<number> }).seenCounts]);
        expect(seen).to.deep.equal([3]);
    });

    it('shows the removed lines where one clicks on its bar, and where a key asks for them', async () => {
        const { page } = workbench;
        await bars().first().click();
        await eventually('the removed line', async () => (await zone().innerText()).startsWith('two'), { state: () => zone().innerText() });
        expect(await zone().innerText())
            .to.contain('change 1 of 3')
            .and.contain('Claude Code');
        await press('Control+Shift+F6');
        await eventually('the next ones', async () => (await zone().innerText()).startsWith('six'), { state: () => zone().innerText() });
        await bars().nth(1).click();
        await eventually('it to close', async () => (await zone().count()) === 0);
        await page.clearMessages();
        await page.openFile('a.txt');
        await page.press('Control+Shift+F11');
        await eventually('the keyboard in it', async () => (await zone().locator('button:focus').innerText()).includes('Keep'));
        await page.press('Escape');
        await eventually('it to close by key', async () => (await zone().count()) === 0);
    });

    it('is kept and undone by keys, and goes on', async () => {
        const { page, ide } = workbench;
        await page.press('Control+Home');
        await press('Control+Shift+F6');
        await eventually('its lines before', async () => (await zone().innerText()).startsWith('two'), { state: () => zone().innerText() });
        await press('Control+Shift+F9');
        await waitForBars('removed', 'added');
        await view.waitForRows('modified a.txt +1 −1');
        await press('Control+Shift+F7');
        await waitForBars('added');
        const left = LINES.replace('two', 'TWO').replace('four', 'four typed by me').replace('ten\n', 'ten\nTEN AND A HALF\n');
        // The editor has it before the disk.
        await eventually('it on disk', async () => (await ide.read('a.txt')) === left, { state: () => ide.read('a.txt') });
        await cli.terminal.focus();
        await press('Control+Shift+F7');
        await view.waitForRows();
        await waitForBars();
        expect(await cli.terminal.hasKeyboard(), 'which stays where it was').to.equal(true);
        expect(await ide.read('a.txt')).to.equal(LINES.replace('two', 'TWO').replace('four', 'four typed by me'));
    });

    it('is undone by its button while other edits are not saved, which then stay unsaved, and commented on', async () => {
        const { page, ide } = workbench;
        await page.setPreference('files.autoSave', 'off');
        await edit(['three\n', 'THREE\n'], ['nine\n', 'NINE\n']);
        await waitForBars('modified', 'modified');
        await page.openFile('a.txt');
        await page.press('Control+Home');
        await page.page.keyboard.insertText('not saved ');
        await bars().first().click();
        await press();
        await zone().getByRole('button', { name: 'Comment' }).click();
        const comment = page.page.locator('.companion-comment:visible');
        expect(await comment.locator('textarea').getAttribute('aria-label')).to.equal('Comment on a.txt: Line 3');
        await page.press('Escape');
        await press();
        await zone().getByRole('button', { name: 'Undo' }).click();
        await waitForBars('modified');
        const before = LINES.replace('two', 'TWO').replace('four', 'four typed by me').replace('nine', 'NINE');
        expect(await ide.read('a.txt'), 'it is not saved').to.equal(before.replace('three', 'THREE'));
        await page.press('Control+s');
        await eventually('both on disk', async () => (await ide.read('a.txt')) === `not saved ${before}`, {
            state: () => ide.read('a.txt')
        });
        await view.waitForRows('modified a.txt +1 −1');
        await waitForBars('modified');
        await page.setPreference('files.autoSave', 'afterDelay');
    });

    it('is not shown with the setting off, nor where there is too much, and that is said', async () => {
        const { page, ide } = workbench;
        await page.setPreference('companion.changes.inEditor', false);
        await waitForBars();
        await page.setPreference('companion.changes.inEditor', true);
        await waitForBars('modified');
        await ide.write('b.txt', MANY.map((line, index) => (index % 2 ? line : `another ${index}`)).join('\n'));
        await eventually('the row', async () => (await view.rows()).includes('modified b.txt +550 −550'), {
            state: async () => (await view.rows()).join('\n')
        });
        await page.openFile('b.txt');
        await eventually('it to be said', async () => (await zone().innerText()).includes('500 changes'));
        await zone().getByRole('button', { name: 'Open Changes' }).click();
        await page.page.locator('.companion-review-bar:visible', { hasText: 'b.txt' }).waitFor();
    });
});
