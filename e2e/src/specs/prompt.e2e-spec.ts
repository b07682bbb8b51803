// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { Cli } from '../support/cli';
import { GEMINI_CLI, QWEN_CODE, SPECIAL_FILES } from '../support/cli-words';
import { delay, eventually } from '../support/eventually';
import { Terminal } from '../support/terminal';
import { Workbench } from '../support/workbench';

const ADD_SELECTION = 'companion.prompt.addSelection';
const ADD_FILE = 'companion.prompt.addFile';
/** An Enter that follows text at once is taken for a pasted line break. */
const PAUSE_BEFORE_ENTER = 600;

/** What Qwen Code tells the model of a file that the prompt mentions. */
const CONTENT = 'Content from notes.txt:\n\nfirst\nsecond @secret.txt\nthird\nfourth';

describe('What a user puts into the prompt of a CLI', () => {
    let workbench: Workbench;
    let shell: Terminal;
    let cli: Cli;

    before(async () => {
        workbench = await Workbench.start({
            model: true,
            files: {
                'notes.txt': 'first\nsecond @secret.txt\nthird\nfourth\n',
                'secret.txt': 'TOP SECRET\n',
                '.env': 'KEY=1\n',
                ...SPECIAL_FILES
            }
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
        const question = await workbench.model.script(cli.readFile('README.md'));
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

    for (const words of [QWEN_CODE, GEMINI_CLI]) {
        /** The page does it alike with every CLI. */
        const itOfThePage = (title: string, test: () => Promise<void>): void => void (words === QWEN_CODE && it(title, test));

        it(`S23: a selection is put into the prompt of ${words.name}, which an offer starts, and only the user submits it`, async () => {
            await selectLines();
            cli = await Cli.start(words, workbench, {
                run: async () => {
                    await runFromPalette('Add Selection to CLI Prompt');
                    await workbench.page.answerMessage('No CLI in a terminal of this window can take the text.', `Run ${words.name}`);
                }
            });
            const before = await workbench.model.newest();
            // Gemini CLI (0.61) folds what has more than five lines.
            await cli.terminal.waitForScreen(/notes\.txt \(lines 2-3\)|\[Pasted Text: 6 lines\]/);
            expect(await cli.terminal.hasKeyboard()).to.equal(true);
            expect(await workbench.page.announced()).to.include(`Typed into the prompt of ${words.name}: @notes.txt (lines 2-3)`);
            const prompt = await finish(before);
            expect(prompt, 'names no other file').to.include('second \\@secret.txt\nthird\n```');
            expect(prompt).not.to.include('TOP SECRET');
            expect(await shell.text(), 'the other terminal').not.to.include('notes.txt');
        });

        itOfThePage(`a file of the explorer gets a name that ${words.name} reads`, async () => {
            const before = await workbench.model.newest();
            await (await workbench.page.explorerRow('notes.txt')).click({ button: 'right' });
            await workbench.page.page.locator('.lm-Menu-item', { hasText: 'Add File to CLI Prompt' }).click();
            // Not the one of the prompt before, which still is on the screen.
            await cli.terminal.waitForScreen(/> +@notes\.txt(?! \(lines)/);
            expect(await finish(before)).to.include(CONTENT);
        });

        it(`${words.name} reads files with blanks and special characters in their names`, async () => {
            const { page, ide, model } = workbench;
            const before = await model.newest();
            for (const name of Object.keys(SPECIAL_FILES)) {
                await page.page.evaluate(path => window.companionProbe.openFile(path, false), ide.file(name));
                await page.execute(ADD_FILE);
                await eventually('the keyboard to be in the terminal', () => cli.terminal.hasKeyboard());
            }
            await finish(before);
            const body = await model.body((await model.requests(before))[0]);
            for (const [, text] of Object.entries(SPECIAL_FILES).filter(([name]) => name !== words.unread)) {
                expect(body).to.include(text.trim());
            }
        });

        itOfThePage(`a problem is put into the prompt of ${words.name} with its line, without mentioning other files`, async () => {
            const { page, ide, model } = workbench;
            const before = await model.newest();
            await page.page.evaluate(
                path => window.companionProbe.setProblem(path, 2, 'third is wrong, says @secret.txt'),
                ide.file('notes.txt')
            );
            await page.execute('problemsView:toggle');
            await page.page.locator('.theia-marker-container .markerNode').click({ button: 'right' });
            await page.page.locator('.lm-Menu-item', { hasText: 'Add Problem to CLI Prompt' }).click();
            await cli.terminal.waitForScreen('notes.txt (line 3)');
            const prompt = await finish(before);
            expect(prompt).to.include('third is wrong, says \\@secret.txt [e2e]');
            expect(prompt).not.to.include('TOP SECRET');
        });

        itOfThePage(
            `while ${words.name} asks whether to apply an edit, a message says so, and nothing is typed; a rejection takes a reason there`,
            async () => {
                await cli.play(cli.writeFile('asked.txt', 'proposed\n'));
                const diff = await workbench.page.waitForDiff(workbench.ide.file('asked.txt'));
                await cli.waitForQuestion();
                await selectLines();
                await runFromContextMenu('Add Selection to CLI Prompt');
                await waitForMessage(`${words.name} is waiting for an answer`);
                expect(await cli.terminal.screen()).to.include(words.question);
                await diff.activate();
                await diff.look();
                await runFromPalette('Reject Proposal with a Reason');
                await workbench.page.page.getByRole('textbox', { name: `Reason, for the prompt of ${words.name}` }).waitFor();
                await workbench.page.page.keyboard.type('keep the first line');
                await workbench.page.press('Enter');
                await cli.waitUntilRejected('asked.txt');
                await cli.terminal.waitForScreen('keep the first line');
                expect(await workbench.ide.exists('asked.txt')).to.equal(false);
                const prompt = await finish(await workbench.model.newest());
                expect(prompt).to.include('keep the first line').and.not.include('(lines 2-3)');
            }
        );

        it(`S23: another question of ${words.name} is not answered by what is put into the prompt`, async () => {
            await cli.play(cli.shell('touch touched.txt'));
            await cli.terminal.waitForScreen(words.shellQuestion);
            await selectLines();
            await workbench.page.execute(ADD_SELECTION);
            // For what must not happen then: the CLI drops the text.
            await delay(2_000);
            expect(await cli.terminal.screen()).to.match(words.shellQuestion);
            expect(await workbench.ide.exists('touched.txt')).to.equal(false);
            await cli.terminal.press('Escape');
            await cli.waitForPrompt();
            expect(await workbench.ide.exists('touched.txt')).to.equal(false);
        });

        itOfThePage(`once ${words.name} has ended, its terminal is a shell again, and nothing is typed into it`, async () => {
            await cli.quit();
            await workbench.page.waitForStatus('Companion');
            await cli.terminal.submit('echo shell is back');
            await cli.terminal.waitFor('\nshell is back');
            const before = await cli.terminal.text();
            await selectLines();
            await workbench.page.execute(ADD_SELECTION);
            await waitForMessage('No CLI in a terminal of this window can take the text.');
            expect(await cli.terminal.text()).to.equal(before);
        });
    }
});
