// SPDX-License-Identifier: Apache-2.0

import { execFileSync } from 'child_process';
import * as fs from 'fs';
import * as path from 'path';
import { Locator } from '@playwright/test';
import { expect } from 'chai';
import { Agents } from '../support/agents';
import { ChangesView } from '../support/changes-view';
import { Cli, CliStart } from '../support/cli';
import { CLAUDE_CODE, CliWords, QWEN_CODE } from '../support/cli-words';
import { eventually } from '../support/eventually';
import { IdeFixture } from '../support/ide-fixture';
import { Workbench } from '../support/workbench';

const LINES = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n';
const FILES = ['a.txt', 'b.txt', 'c.txt', 'gone.txt', 'old.txt'];

function git(ide: IdeFixture, ...args: string[]): string {
    return execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.org', ...args], { cwd: ide.workspace, encoding: 'utf8' });
}

async function prepare(ide: IdeFixture): Promise<void> {
    await Agents.link(ide, 'claude');
    git(ide, 'init', '-q');
    git(ide, 'add', '-A');
    git(ide, 'commit', '-q', '-m', 'first');
}

describe('Turns of real CLIs', () => {
    let workbench: Workbench;
    let view: ChangesView;

    beforeEach(async () => {
        const files = Object.fromEntries(FILES.map(name => [name, LINES]));
        workbench = await Workbench.start({ model: true, files, prepare });
        view = new ChangesView(workbench.page, workbench.ide.workspace);
        await view.open();
    });
    afterEach(() => workbench?.dispose());

    const state = (): Record<string, string> => {
        const { workspace } = workbench.ide;
        const names = fs.readdirSync(workspace).filter(name => name.endsWith('.txt'));
        return Object.fromEntries(names.sort().map(name => [name, fs.readFileSync(path.join(workspace, name), 'utf8')]));
    };

    const waitForState = (expected: Record<string, string>): Promise<unknown> =>
        eventually('the files', () => JSON.stringify(state()) === JSON.stringify(expected), { state: () => JSON.stringify(state()) });

    const group = (at: number): Locator => workbench.page.page.locator('#companion-changes [aria-level="1"]', { hasText: ' file' }).nth(at);

    /** @returns what the question says */
    async function undo(at: number, label: string): Promise<string> {
        const { page } = workbench.page;
        // A click that is aimed at what stood there before is ignored for half a second.
        await page.waitForTimeout(600);
        const dialog = page.locator('.dialogBlock');
        // The buttons are where the mouse is, and the rows move once more when git's commit is seen.
        await eventually('the question', async () => {
            try {
                await group(at).hover({ timeout: 2_000 });
                await group(at).locator(`[aria-label="${label}"]`).click({ timeout: 1_000 });
                await dialog.waitFor({ timeout: 5_000 });
                return true;
            } catch {
                return dialog.isVisible();
            }
        });
        const text = await dialog.innerText();
        await dialog.getByRole('button', { name: label }).click();
        await dialog.waitFor({ state: 'detached' });
        return text;
    }

    async function type(file: string, text: string): Promise<void> {
        const editor = await workbench.page.openFile(file);
        await editor.activate();
        await workbench.page.press('Control+Home');
        await workbench.page.page.keyboard.type(text);
        await workbench.page.press('Control+s');
        await eventually(`what was typed in ${file}`, async () => (await workbench.ide.read(file)).includes(text.trim()));
    }

    const CLIS: ReadonlyArray<[CliWords, CliStart]> = [
        [QWEN_CODE, { command: 'qwen --approval-mode yolo', status: 'Qwen Code' }],
        [
            { ...CLAUDE_CODE, prompt: /accept edits on/ },
            { command: 'claude --permission-mode acceptEdits --allowed-tools Bash', status: 'Claude Code' }
        ]
    ];
    for (const [words, start] of CLIS) {
        it(`${words.name}: a turn is taken back, then the one before it; the user's lines stand, and Put Back brings all of it`, async function () {
            const missing = words.id === CLAUDE_CODE.id ? await Agents.provide() : undefined;
            if (missing) {
                process.stdout.write(`Claude Code is skipped: ${missing}\n`);
                this.skip();
            }
            const { page, ide } = workbench;
            const cli = await Cli.start(words, workbench, start);
            const first = await cli.play(cli.readFile('a.txt'), cli.edit('a.txt', 'two', 'TWO'));
            await cli.waitUntilPlayed(first);
            await view.waitForRows('modified a.txt +1 −1');
            await type('a.txt', 'typed 1\n');
            await cli.terminal.focus();
            const second = await cli.play(
                cli.readFile('a.txt'),
                cli.edit('a.txt', 'nine', 'NINE'),
                cli.writeFile('new.txt', 'new\n'),
                cli.shell("sed -i 's/five/FIVE/' b.txt c.txt && rm gone.txt && mv old.txt renamed.txt")
            );
            await cli.waitUntilPlayed(second);
            await view.waitForRows(
                'added new.txt +1',
                'added renamed.txt +10',
                'deleted gone.txt',
                'deleted old.txt',
                'modified a.txt +2 −2',
                'modified b.txt +1 −1',
                'modified c.txt +1 −1'
            );
            const groups = (): Promise<string[]> => view.groups();
            await eventually('both turns', async () => (await groups()).filter(text => text.includes(' file')).length === 2, {
                state: async () => (await groups()).join('\n')
            });
            expect((await groups())[0]).to.match(new RegExp(`^${words.name} · .* · 7 files`));
            await type('a.txt', 'typed 2\n');
            await type('b.txt', 'typed 3\n');
            git(ide, 'commit', '-q', '-m', 'of the user', 'b.txt');
            if (process.env['TURN_PICTURES']) {
                await pictures(words.id);
            }

            const done = state();
            const question = await undo(0, 'Undo This Turn');
            for (const name of ['a.txt', 'b.txt', 'c.txt', 'gone.txt', 'new.txt', 'old.txt', 'renamed.txt']) {
                expect(question).to.contain(name);
            }
            await view.waitForRows('modified a.txt +1 −1');
            const before = {
                'a.txt': `typed 2\ntyped 1\n${LINES.replace('two', 'TWO')}`,
                'b.txt': `typed 3\n${LINES}`,
                'c.txt': LINES,
                'gone.txt': LINES,
                'old.txt': LINES
            };
            await waitForState(before);
            await page.page
                .locator('#status-bar-companion-written', { hasText: '7 files undone' })
                .getByText(`Tell ${words.name}`)
                .waitFor();

            await undo(0, 'Undo This Turn');
            await waitForState({ ...before, 'a.txt': `typed 2\ntyped 1\n${LINES}` });

            await eventually('it in the list', async () => (await groups()).join().includes('Undone (1)'));
            await page.execute('companion.changes.putBack');
            await waitForState(before);
            await eventually('it out of the list', async () => !(await groups()).join().includes('Undone (1)'));
            await page.execute('companion.changes.putBack');
            await waitForState(done);
            await eventually('both turns again', async () => (await groups()).filter(text => text.includes(' file')).length === 2);

            await undo(1, 'Undo to Before This Turn');
            await waitForState({ ...before, 'a.txt': `typed 2\ntyped 1\n${LINES}` });
            await eventually('both in the list', async () => (await groups()).join().includes('Undone'));
            await page.execute('companion.changes.clearUndone');
            await view.waitForRows();
            cli.kill();
        });
    }

    async function pictures(name: string): Promise<void> {
        const { page } = workbench;
        for (const theme of ['dark', 'light']) {
            await workbench.ide.changeSettings({ 'workbench.colorTheme': theme });
            await page.page.waitForTimeout(1_500);
            for (const width of [1400, 900]) {
                await page.page.setViewportSize({ width, height: 900 });
                await page.page.waitForTimeout(500);
                await group(0).hover();
                await page.page.screenshot({ path: path.join(process.env['TURN_PICTURES'] ?? '', `${name}-${theme}-${width}.png`) });
            }
        }
        await group(1).click({ button: 'right' });
        await page.page.waitForTimeout(500);
        await page.page.screenshot({ path: path.join(process.env['TURN_PICTURES'] ?? '', `${name}-menu.png`) });
        await page.page.locator('.lm-Menu').getByText('Undo to Before This Turn').click();
        await page.page.locator('.dialogBlock').waitFor();
        await page.page.screenshot({ path: path.join(process.env['TURN_PICTURES'] ?? '', `${name}-question.png`) });
        await page.page.locator('.dialogBlock').getByRole('button', { name: 'Cancel' }).click();
    }
});
