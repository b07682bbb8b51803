// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { Cli } from '../support/cli';
import { CliWords, SPECIAL_FILES } from '../support/cli-words';
import { delay, eventually } from '../support/eventually';
import { Workbench } from '../support/workbench';

export const ADD_SELECTION = 'companion.prompt.addSelection';
const ADD_FILE = 'companion.prompt.addFile';
/** An Enter that follows text at once is taken for a pasted line break. */
const PAUSE_BEFORE_ENTER = 600;

/** For the workbench of these cases. */
export const PROMPT_FILES = {
    'notes.txt': 'first\nsecond @secret.txt\nthird\nfourth\n',
    'secret.txt': 'TOP SECRET\n',
    ...SPECIAL_FILES
};
/** What Qwen Code tells the model of a file that the prompt mentions. */
const CONTENT = 'Content from notes.txt:\n\nfirst\nsecond @secret.txt\nthird\nfourth';

/** What a user puts into the prompt of a real CLI that runs. */
export class CliPrompts {
    /** The one that was started once the first had ended. */
    private again: Cli | undefined;

    constructor(
        private readonly words: CliWords,
        private readonly workbenchOf: () => Workbench,
        private readonly cliOf: () => Cli
    ) {}

    private get workbench(): Workbench {
        return this.workbenchOf();
    }

    private get cli(): Cli {
        return this.again ?? this.cliOf();
    }

    /** Two lines of `notes.txt`. */
    async selectLines(): Promise<void> {
        const editor = await this.workbench.page.openFile('notes.txt');
        await editor.placeCursorInLineWithLineNumber(2);
        await this.workbench.page.press('Home', 'Shift+ArrowDown', 'Shift+ArrowDown');
    }

    itTakesSelection(): void {
        it(`S23: a selection is put into the prompt of ${this.words.name}, and only the user submits it`, async () => {
            const before = await this.workbench.model.newest();
            await this.selectLines();
            await this.runFromPalette('Add Selection to CLI Prompt');
            await this.expectSelection(before);
        });
    }

    itTakesSpecialFiles(): void {
        it(`${this.words.name} reads files with blanks and special characters in their names`, async () => {
            const { page, ide, model } = this.workbench;
            const before = await model.newest();
            for (const name of Object.keys(SPECIAL_FILES)) {
                await page.page.evaluate(path => window.companionProbe.openFile(path, false), ide.file(name));
                await page.execute(ADD_FILE);
                await eventually('the keyboard to be in the terminal', () => this.cli.terminal.hasKeyboard());
            }
            await this.finish(before);
            const body = await model.body((await model.requests(before))[0]);
            for (const [, text] of Object.entries(SPECIAL_FILES).filter(([name]) => name !== this.words.unread)) {
                expect(body).to.include(text.trim());
            }
        });
    }

    /** What the page does alike with every CLI. */
    itTakesWhatThePageOffers(): void {
        const { name } = this.words;

        it(`a file of the explorer gets a name that ${name} reads`, async () => {
            const { page, model } = this.workbench;
            const before = await model.newest();
            await (await page.explorerRow('notes.txt')).click({ button: 'right' });
            await page.page.locator('.lm-Menu-item', { hasText: 'Add File to CLI Prompt' }).click();
            await this.cli.terminal.waitForScreen(/> +@notes\.txt(?! \(lines)/);
            expect(await this.finish(before)).to.include(CONTENT);
        });

        it(`a problem is put into the prompt of ${name} with its line, without mentioning other files`, async () => {
            const { page, ide, model } = this.workbench;
            const before = await model.newest();
            await page.page.evaluate(
                path => window.companionProbe.setProblem(path, 2, 'third is wrong, says @secret.txt'),
                ide.file('notes.txt')
            );
            await page.execute('problemsView:toggle');
            await page.page.locator('.theia-marker-container .markerNode').click({ button: 'right' });
            await page.page.locator('.lm-Menu-item', { hasText: 'Add Problem to CLI Prompt' }).click();
            await this.cli.terminal.waitForScreen('notes.txt (line 3)');
            const prompt = await this.finish(before);
            expect(prompt).to.include('third is wrong, says \\@secret.txt [e2e]');
            expect(prompt).not.to.include('TOP SECRET');
        });

        it(`while ${name} asks whether to apply an edit, a message says so, and nothing is typed; a rejection takes a reason there`, async () => {
            const { page, ide, model } = this.workbench;
            await this.cli.play(this.cli.writeFile('asked.txt', 'proposed\n'));
            const diff = await page.waitForDiff(ide.file('asked.txt'));
            await this.cli.waitForQuestion();
            await this.selectLines();
            await page.page.locator('.theia-editor:visible .view-line', { hasText: 'third' }).click({ button: 'right' });
            await page.page.locator('.lm-Menu-item', { hasText: 'Add Selection to CLI Prompt' }).click();
            await page.waitForMessage(`${name} is waiting for an answer`);
            await page.clearMessages();
            expect(await this.cli.terminal.screen()).to.include(this.words.question);
            await diff.activate();
            await diff.look();
            await this.runFromPalette('Reject Proposal with a Reason');
            await page.page.getByRole('textbox', { name: `Reason, for the prompt of ${name}` }).waitFor();
            await page.page.keyboard.type('keep the first line');
            await page.press('Enter');
            await this.cli.waitUntilRejected('asked.txt');
            await this.cli.terminal.waitForScreen('keep the first line');
            expect(await ide.exists('asked.txt')).to.equal(false);
            const prompt = await this.finish(await model.newest());
            expect(prompt).to.include('keep the first line').and.not.include('(lines 2-3)');
        });
    }

    /** The last of all: the CLI that runs is ended. */
    itIsOfferedOnceItHasEnded(): void {
        const { name } = this.words;

        it(`S23: once ${name} has ended, nothing is typed into its shell; an offer starts it again, and only the user submits what it gets`, async () => {
            const { page, model } = this.workbench;
            const shell = await page.openTerminal();
            await this.cli.quit();
            await page.waitForStatus('Companion');
            await this.cli.terminal.submit('echo shell is back');
            await this.cli.terminal.waitFor('\nshell is back');
            const text = await this.cli.terminal.text();
            const before = await model.newest();
            await this.selectLines();
            await this.runFromPalette('Add Selection to CLI Prompt');
            const offer = 'No CLI in a terminal of this window can take the text.';
            await page.waitForMessage(offer);
            expect(await this.cli.terminal.text()).to.equal(text);
            // It would be used again where the page has opened it, and a reload forgets that.
            const count = (await page.terminals()).length;
            await this.cli.terminal.submit('exit');
            await eventually('its terminal to close', async () => (await page.terminals()).length < count);
            const run = async (): Promise<void> => {
                await page.answerMessage(offer, 'Run a CLI…');
                await page.page.locator('.quick-input-list .monaco-list-row', { hasText: name }).first().click();
            };
            this.again = await Cli.start(this.words, this.workbench, { run });
            await this.expectSelection(before);
            expect(await shell.text(), 'the other terminal').not.to.include('notes.txt');
        });
    }

    private async expectSelection(before: number): Promise<void> {
        const { page } = this.workbench;
        // Gemini CLI (0.61) folds what has more than five lines.
        await this.cli.terminal.waitForScreen(/notes\.txt \(lines 2-3\)|\[Pasted Text: 6 lines\]/);
        await eventually('the keyboard to be in the terminal', () => this.cli.terminal.hasKeyboard());
        expect(await page.announced()).to.include(`Typed into the prompt of ${this.words.name}: @notes.txt (lines 2-3)`);
        const prompt = await this.finish(before);
        expect(prompt, 'names no other file').to.include('second \\@secret.txt\nthird\n```');
        expect(prompt).not.to.include('TOP SECRET');
    }

    /** By the command palette, as without a mouse. */
    private async runFromPalette(label: string): Promise<void> {
        const { page } = this.workbench;
        await page.press('F1');
        await page.page.locator('.quick-input-widget').waitFor();
        await page.page.keyboard.type(label);
        await page.page.locator('.quick-input-list .monaco-list-row.focused', { hasText: label }).waitFor();
        await page.press('Enter');
    }

    /** Finishes the prompt and sends it off: the CLI has the focus. @returns what the model was told */
    private async finish(before: number): Promise<string> {
        const { page, model } = this.workbench;
        const question = await model.script(this.cli.readFile('README.md'));
        await page.page.keyboard.type(question);
        await this.cli.terminal.waitForScreen(':END');
        expect(await model.newest(), 'nothing is sent off').to.equal(before);
        await delay(PAUSE_BEFORE_ENTER);
        await page.press('Enter');
        const { prompt } = await model.waitForRequest('what was put together', before, request => request.prompt.includes(question));
        await this.cli.waitUntilPlayed(before);
        return prompt;
    }
}
