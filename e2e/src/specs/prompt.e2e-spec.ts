// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { Cli } from '../support/cli';
import { QWEN_CODE } from '../support/cli-words';
import { delay } from '../support/eventually';
import { ScriptedModel } from '../support/scripted-model';
import { Terminal } from '../support/terminal';
import { Workbench } from '../support/workbench';

const ADD_SELECTION = 'companion.prompt.addSelection';
const ADD_FILE = 'companion.prompt.addFile';
/** An Enter that follows text at once is taken for a pasted line break. */
const PAUSE_BEFORE_ENTER = 600;

describe('What a user puts into the prompt of Qwen Code', () => {
    let workbench: Workbench;
    let shell: Terminal;
    let cli: Cli;

    before(async () => {
        workbench = await Workbench.start({
            model: true,
            files: { 'notes.txt': 'first\nsecond @secret.txt\nthird\nfourth\n', 'secret.txt': 'TOP SECRET\n', '.env': 'KEY=1\n' }
        });
        shell = await workbench.page.openTerminal();
    });
    after(() => workbench?.dispose());

    async function selectLines(): Promise<void> {
        const editor = await workbench.page.openFile('notes.txt');
        await editor.placeCursorInLineWithLineNumber(2);
        await workbench.page.press('Home', 'Shift+ArrowDown', 'Shift+ArrowDown');
    }

    async function waitForMessage(text: string): Promise<void> {
        const message = workbench.page.page.locator('.theia-notification-message', { hasText: text });
        await message.first().waitFor();
        await workbench.page.execute('notifications.commands.clearAll');
        await message.first().waitFor({ state: 'hidden' });
    }

    /** By the command palette, as without a mouse. */
    async function runFromPalette(label: string): Promise<void> {
        await workbench.page.press('F1');
        await workbench.page.page.locator('.quick-input-widget').waitFor();
        await workbench.page.page.keyboard.type(label);
        await workbench.page.page.locator('.quick-input-list .monaco-list-row.focused', { hasText: label }).waitFor();
        await workbench.page.press('Enter');
    }

    async function runFromContextMenu(label: string): Promise<void> {
        await workbench.page.page.locator('.theia-editor:visible .view-line', { hasText: 'third' }).click({ button: 'right' });
        await workbench.page.page.locator('.lm-Menu-item', { hasText: label }).click();
    }

    /** Finishes the prompt and sends it off: the CLI has the focus. @returns what the model was told */
    async function finish(before: number): Promise<string> {
        const question = ScriptedModel.script(cli.readFile('README.md'));
        await workbench.page.page.keyboard.type(question);
        await cli.terminal.waitForScreen(':END');
        expect(await workbench.model.newest(), 'nothing is sent off').to.equal(before);
        await delay(PAUSE_BEFORE_ENTER);
        await workbench.page.press('Enter');
        const { prompt } = await workbench.model.waitForRequest('what was put together', before, request =>
            request.prompt.includes(question)
        );
        await cli.waitUntilPlayed(before);
        return prompt;
    }

    it('where no CLI runs, nothing is typed into a shell, and a message says what to start', async () => {
        const before = await shell.text();
        await selectLines();
        await runFromContextMenu('Add Selection to CLI Prompt');
        await waitForMessage('Start qwen or gemini in one');
        expect(await shell.text()).to.equal(before);
    });

    it('S23: a selection is told with its lines, names no other file, and is sent off by the user alone', async () => {
        cli = await Cli.start(QWEN_CODE, workbench);
        await selectLines();
        const before = await workbench.model.newest();
        await runFromPalette('Add Selection to CLI Prompt');
        await cli.terminal.waitForScreen('notes.txt (lines 2-3)');
        const prompt = await finish(before);
        expect(prompt).to.include('second \\@secret.txt\nthird\n```');
        expect(prompt).not.to.include('TOP SECRET');
        expect(await shell.text(), 'the other terminal').not.to.include('notes.txt');
    });

    it('a file is told so that the CLI reads it', async () => {
        await workbench.page.openFile('notes.txt');
        const before = await workbench.model.newest();
        await runFromPalette('Add File to CLI Prompt');
        // Not the one of the prompt before, which still is on the screen.
        await cli.terminal.waitForScreen(/> +@notes\.txt(?! \(lines)/);
        expect(await finish(before)).to.include('Content from notes.txt:\n\nfirst\nsecond @secret.txt\nthird\nfourth');
    });

    it('S16: an excluded file is not told of by this way either', async () => {
        await cli.waitForPrompt();
        await workbench.page.openFile('.env');
        await workbench.page.execute(ADD_FILE);
        await waitForMessage('is excluded');
        expect(await cli.terminal.screen()).not.to.include('@.env');
    });

    it('once the CLI has ended, its terminal is a shell again, and nothing is typed into it', async () => {
        await cli.quit();
        await workbench.page.waitForStatus('Companion');
        await cli.terminal.submit('echo shell is back');
        await cli.terminal.waitFor('\nshell is back');
        const before = await cli.terminal.text();
        await selectLines();
        await workbench.page.execute(ADD_SELECTION);
        await waitForMessage('Start qwen or gemini in one');
        expect(await cli.terminal.text()).to.equal(before);
    });
});
