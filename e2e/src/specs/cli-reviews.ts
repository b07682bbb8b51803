// SPDX-License-Identifier: Apache-2.0

import { TheiaTextEditor } from '@theia/playwright';
import { expect } from 'chai';
import { Cli } from '../support/cli';
import { CliWords } from '../support/cli-words';
import { delay, eventually } from '../support/eventually';
import { ReviewDiff } from '../support/review-diff';
import { StatusPick } from '../support/status-pick';
import { Workbench, WorkbenchOptions } from '../support/workbench';
import { ADD_SELECTION, CliPrompts, PROMPT_FILES } from './cli-prompts';
import { itIsDiagnosed } from './diagnosis';
import { expectTerminalTab, itGreets, itStartsFromTheFirstPage } from './first-minute';
import { itReviewsSpecialFiles } from './special-files';

const GREETING = 'src/greeting.js';
/** What a notice says where an accept does nothing. */
const REFUSED = 'will write nothing, even if you accept';
/** An Enter that follows text at once is taken for a pasted line break. */
const PAUSE_BEFORE_ENTER = 600;
const FLAW = "    return 'Hello ' + name;";

/**
 * The main job with one real CLI, started by typing its name in the web terminal. One page and one start of the CLI serve all cases.
 *
 * @param what `page` adds what the page does alike with every CLI
 * @param options of the user's machine
 */
export function describeReviewsWith(words: CliWords, what: 'cli' | 'page', options: () => WorkbenchOptions = () => ({})): void {
    const itOfThePage = (title: string, test: () => Promise<void>): void => void (what === 'page' && it(title, test));
    describe(`${words.name} in the web terminal`, () => {
        let workbench: Workbench;
        let cli: Cli;
        const prompts = new CliPrompts(
            words,
            () => workbench,
            () => cli
        );

        before(async () => {
            const files = { '.env': 'TOKEN=hunter2\n', ...PROMPT_FILES };
            workbench = await Workbench.start({ model: true, gettingStarted: true, files, ...options() });
        });
        after(() => workbench?.dispose());

        if (what === 'page') {
            itGreets(() => workbench);
        }
        itStartsFromTheFirstPage(
            words,
            () => workbench,
            started => (cli = started)
        );

        it('C13, K4: the model gets the open file and text selected backwards', async () => {
            const editor = await workbench.page.openFile(GREETING);
            // Backwards: the cursor is before the anchor.
            await editor.placeCursorInLineContainingText('return');
            await workbench.page.press('End', 'Shift+Home');
            const before = await cli.play(cli.readFile('README.md'));
            const [{ prompt }] = await workbench.model.requests(before);
            expect(prompt).to.contain(workbench.ide.file(GREETING));
            expect(prompt).to.contain(FLAW.trim());
            await cli.waitUntilPlayed(before);
        });

        it('S16: while .env is active and selected, the model gets neither its path nor its text, and the page says why', async () => {
            const { page, ide, model } = workbench;
            await (await page.openFile('.env')).focus();
            await page.press('Control+a');
            const before = await cli.play(cli.readFile('README.md'));
            const [request] = await model.requests(before);
            const body = await model.body(request);
            expect(body).to.contain(ide.file(GREETING));
            expect(body).not.to.contain(ide.file('.env'));
            expect(body).not.to.contain('hunter2');
            await cli.waitUntilPlayed(before);
            await page.execute('companion.context.show');
            expect(await page.toldToClis())
                .to.include(`## ${words.name}\n`)
                .and.include(`- ${ide.file('.env')} (companion.context.exclude: **/.env*)\n`);
            const shown = await page.toldAsJson();
            expect(shown.withheld).to.deep.equal([{ path: ide.file('.env'), by: 'companion.context.exclude: **/.env*' }]);
            expect(shown.clis).to.have.length(1);
            expect(shown.clis[0].name).to.equal(words.name);
            expect(shown.clis[0].told.workspaceState.openFiles.map(({ path }) => path)).to.deep.equal([ide.file(GREETING)]);
            await page.execute('core.close.main.tab');
        });

        it('O6, N1, N2: writes what is accepted', async () => {
            const original = await workbench.ide.read(GREETING);
            const proposal = original.replace(FLAW, '    return `Hello, ${name}!`;');
            const before = await cli.play(cli.readFile(GREETING), cli.edit(GREETING, FLAW, '    return `Hello, ${name}!`;'));
            const diff = await workbench.page.waitForDiff(workbench.ide.file(GREETING));
            await diff.waitForColors('return');
            expect(await diff.left()).to.equal(original);
            expect(await diff.right()).to.equal(proposal);
            expect(await workbench.ide.read(GREETING), 'nothing is written before the answer').to.equal(original);
            await diff.accept();
            await cli.waitUntilPlayed(before);
            expect(await workbench.ide.read(GREETING)).to.equal(proposal);
            await workbench.page.waitUntilNoDiff();
        });

        if (what === 'cli') {
            // Of the other one, "by keyboard alone" shows it.
            it('N3: writes what the user made of the proposal', async () => {
                const { before, diff } = await propose('edited.txt', 'from the model\n');
                expect(await diff.left()).to.equal('');
                await diff.typeAtEnd('from the user\n');
                await diff.accept();
                await cli.waitUntilPlayed(before);
                expect(await workbench.ide.read('edited.txt')).to.equal('from the model\nfrom the user\n');
                await workbench.page.waitUntilNoDiff();
            });
        }

        itOfThePage(
            'N3: by keyboard alone, with what a screen reader finds by names and roles: from the status to the written file',
            async () => {
                const { page } = workbench.page;
                const press = (key: string): Promise<void> => page.keyboard.press(key);
                await press('F1');
                await page.getByRole('option', { name: 'About' }).waitFor();
                await page.keyboard.type('Companion: Show Status');
                await page.getByRole('option', { name: 'About' }).waitFor({ state: 'hidden' });
                await press('Enter');
                await page.getByRole('option', { name: new RegExp(`^${words.name}\\b.*since`) }).waitFor();
                await page.keyboard.type('since');
                await press('Enter');
                await eventually("the CLI's terminal to have the keyboard", () => cli.terminal.hasKeyboard());
                const before = await workbench.model.newest();
                const question = await workbench.model.script(cli.writeFile('keyboard.txt', 'from the model\n'));
                await page.keyboard.type(question);
                await cli.terminal.waitForScreen(':END');
                await delay(PAUSE_BEFORE_ENTER);
                await press('Enter');
                await page.getByRole('button', { name: `${words.name} connected, 1 proposal waiting` }).waitFor();
                await press('Control+Shift+F8');
                const proposal = page.getByRole('textbox', {
                    name: `Proposed by ${words.name}, editable: keyboard.txt`
                });
                await eventually('the proposal to have the keyboard', () => proposal.evaluate(input => input === document.activeElement));
                await page.getByRole('button', { name: 'Accept keyboard.txt' }).waitFor();
                await press('Control+End');
                await page.keyboard.type('from the keyboard');
                const diff = await workbench.page.waitForDiff(workbench.ide.file('keyboard.txt'));
                await diff.answerBy(() => press('Control+Enter'));
                await cli.waitUntilPlayed(before);
                expect(await workbench.ide.read('keyboard.txt')).to.equal('from the model\nfrom the keyboard');
                await page.getByRole('button', { name: '1 proposal waiting' }).waitFor({ state: 'hidden' });
            }
        );

        it('N4: writes nothing of what is rejected', async () => {
            const { diff } = await propose('rejected.txt', 'unwanted\n');
            await diff.reject();
            await cli.waitUntilRejected('rejected.txt');
            expect(await workbench.ide.exists('rejected.txt')).to.equal(false);
            await workbench.page.waitUntilNoDiff();
        });

        it('X6, K1: closes the diff of what is accepted, or rejected, in the terminal', async () => {
            const { before } = await propose('terminal-accepted.txt', 'from the terminal\n');
            await cli.acceptInTerminal();
            await workbench.page.waitUntilNoDiff();
            await cli.waitUntilPlayed(before);
            expect(await workbench.ide.read('terminal-accepted.txt')).to.equal('from the terminal\n');
            await propose('terminal-rejected.txt', 'unwanted\n');
            await cli.rejectInTerminal();
            await workbench.page.waitUntilNoDiff();
            await cli.waitUntilRejected('terminal-rejected.txt');
            expect(await workbench.ide.exists('terminal-rejected.txt')).to.equal(false);
        });

        if (words.takesEditsFromClosedDiff) {
            it('X4, K2: keeps an edit made in the diff when the proposal is accepted in the terminal, and says nothing of it', async () => {
                const { before, diff } = await propose('both.txt', 'from the model\n');
                await diff.typeAtEnd('from the user\n');
                expect((await diff.notices()).join('\n')).not.to.include('in the terminal');
                await cli.acceptInTerminal();
                await workbench.page.waitUntilNoDiff();
                await cli.waitUntilPlayed(before);
                expect(await workbench.ide.read('both.txt')).to.equal('from the model\nfrom the user\n');
                expect((await workbench.page.messages()).join('\n')).not.to.match(/edits/);
                expect(await workbench.page.statusDetails()).not.to.include('edits that were not written');
            });
        } else {
            it('an edit that an answer in the terminal would drop has a notice; it is kept over a reload, and offered beside the file', async () => {
                const { page, ide } = workbench;
                await page.setPreference('files.autoSave', 'off');
                const { before, diff } = await propose('dropped.txt', 'from the model\n');
                expect((await diff.notices()).join('\n')).not.to.include('in the terminal');
                await diff.typeAtEnd('from the user\n');
                await diff.waitForNotice('Answer here to keep your edits. If you answer in the terminal');
                await cli.acceptInTerminal();
                await page.waitUntilNoDiff();
                await cli.waitUntilPlayed(before);
                expect(await ide.read('dropped.txt')).to.equal('from the model\n');
                await page.waitForMessage('so your edits to');
                await page.reload();
                await cli.findTerminal();
                await page.waitForStatus('1 edit kept');
                await (await StatusPick.open(page.page)).choose('dropped.txt');
                expect(await page.waitForKeptEdit(ide.file('dropped.txt'))).to.include({
                    left: 'from the model\n',
                    right: 'from the model\nfrom the user\n',
                    leftEditable: false,
                    rightEditable: false
                });
                await page.page.locator('.companion-review-notice-action', { hasText: 'Apply' }).click();
                const editor = new TheiaTextEditor('dropped.txt', page.app);
                await eventually('the editor to be dirty', () => editor.isDirty());
                expect(await ide.read('dropped.txt'), 'saving is the user’s act').to.equal('from the model\n');
                expect(await page.statusDetails(), 'the editor may be closed without saving').to.include('edits that were not written');
                await page.press('Control+s');
                await eventually('the file to be saved', async () => (await ide.read('dropped.txt')) === 'from the model\nfrom the user\n');
                await eventually(
                    'the edits to be taken',
                    async () => !(await page.statusDetails()).includes('edits that were not written')
                );
            });
        }

        if (words.refusesChangedFile) {
            itReviewsSpecialFiles(
                () => workbench,
                () => cli
            );
        }

        itOfThePage('three proposals, one after the other, are answered by keys alone, from the prompt on', async () => {
            const { page, ide } = workbench;
            const names = ['first.txt', 'second.txt', 'third.txt'];
            const before = await cli.play(...names.map(name => cli.writeFile(name, `${name}\nby keys\n`)));
            for (const name of names) {
                const diff = await page.waitForDiff(ide.file(name));
                await cli.waitForQuestion();
                await diff.look();
                expect(await diff.bar.ariaSnapshot()).to.match(
                    new RegExp(`group "Proposal of ${words.name} for ${name}":[^]*button "Accept ${name}"[^]*button "Reject ${name}"`)
                );
                await page.press('Control+Shift+F9');
                await eventually(`${name} to be written`, () => ide.exists(name));
                expect(await cli.terminal.hasKeyboard(), 'which stays where it was').to.equal(true);
            }
            await cli.waitUntilPlayed(before);
            await page.waitUntilNoDiff();
            expect(await Promise.all(names.map(name => ide.read(name)))).to.deep.equal(names.map(name => `${name}\nby keys\n`));
        });

        itOfThePage(
            'the keys of the terminal answer the review in front, bring the next one to the front, and never reach the CLI',
            async () => {
                const { page, ide } = workbench;
                const accepted = await propose('by-key.txt', 'by key\n');
                await cli.terminal.focus();
                await accepted.diff.answerBy(() => page.press('Control+Shift+F9'));
                await cli.waitUntilPlayed(accepted.before);
                expect(await ide.read('by-key.txt')).to.equal('by key\n');

                const rejected = await propose('not-by-key.txt', 'unwanted\n');
                await page.openFile(GREETING);
                await cli.terminal.focus();
                await page.press('Control+Shift+F9');
                await eventually('the review to come to the front', () => rejected.diff.isCurrent());
                expect(await cli.terminal.hasKeyboard(), 'the keyboard stays').to.equal(true);
                expect(await cli.terminal.screen()).to.include(words.question);
                expect(await ide.exists('not-by-key.txt'), 'nothing is answered').to.equal(false);
                await rejected.diff.answerBy(() => page.press('Control+Shift+F7'));
                await cli.waitUntilRejected('not-by-key.txt');
                expect(await ide.exists('not-by-key.txt')).to.equal(false);
            }
        );

        it('S23: without a waiting review, neither the keys for the terminal nor what is put into the prompt answers another question of the CLI', async () => {
            await cli.play(cli.shell('touch touched-by-key.txt'));
            await cli.terminal.waitForScreen(words.shellQuestion);
            await cli.terminal.focus();
            await workbench.page.press('Control+Shift+F7', 'Control+Shift+F8', 'Control+Shift+F9');
            await prompts.selectLines();
            await workbench.page.execute(ADD_SELECTION);
            // For what must not happen then: the CLI drops the text.
            await delay(2_000);
            expect(await cli.terminal.screen()).to.match(words.shellQuestion);
            expect(await workbench.ide.exists('touched-by-key.txt')).to.equal(false);
            await cli.terminal.press('Escape');
            await cli.waitForPrompt();
            expect(await workbench.ide.exists('touched-by-key.txt')).to.equal(false);
        });

        it('what the diff says of a file that has changed is what an accept does', async () => {
            const { ide } = workbench;
            await ide.write('changed.txt', 'one\n');
            const before = await cli.play(cli.readFile('changed.txt'), cli.edit('changed.txt', 'one', 'two'));
            const diff = await workbench.page.waitForDiff(ide.file('changed.txt'));
            await cli.waitForQuestion();
            await ide.write('changed.txt', 'one\nand more\n');
            await diff.waitForNotice(words.refusesChangedFile ? REFUSED : 'Accepting replaces what is on the left');
            if (words.refusesChangedFile) {
                await diff.typeAtEnd('edited\n');
                expect(await diff.button('Accept').getAttribute('aria-disabled')).to.equal('true');
                await diff.press('Control+Enter');
                await cli.waitForQuestion();
                await cli.acceptInTerminal();
            } else {
                await diff.accept();
            }
            await cli.waitUntilPlayed(before);
            expect(await ide.read('changed.txt')).to.equal(words.refusesChangedFile ? 'one\nand more\n' : 'two\n');
            if (words.refusesChangedFile) {
                await workbench.page.answerMessage('your edits to changed.txt were not used', 'Discard');
            }
        });

        it('what the diff says of a new file that was made meanwhile is what an accept does', async () => {
            const { ide } = workbench;
            const { before, diff } = await propose('made.txt', 'proposed\n');
            await ide.write('made.txt', 'made by somebody else\n');
            await diff.waitForNotice(words.refusesChangedFile ? REFUSED : 'Accepting replaces it');
            if (words.refusesChangedFile) {
                await diff.answerBy(() => workbench.page.page.getByRole('button', { name: 'Ask Again' }).click());
                await cli.waitUntilRejected('made.txt');
                await cli.terminal.waitForScreen('Read @made.txt again and propose your change anew');
                expect(await cli.terminal.hasKeyboard()).to.equal(true);
                await cli.terminal.press('Control+u');
                await cli.waitForPrompt();
            } else {
                await diff.accept();
                await cli.waitUntilPlayed(before);
            }
            expect(await ide.read('made.txt')).to.equal(words.refusesChangedFile ? 'made by somebody else\n' : 'proposed\n');
        });

        it('what the diff says of a file that has vanished is what an accept does', async () => {
            const { ide } = workbench;
            await ide.write('vanished.txt', 'one\n');
            const before = await cli.play(cli.readFile('vanished.txt'), cli.edit('vanished.txt', 'one', 'two'));
            const diff = await workbench.page.waitForDiff(ide.file('vanished.txt'));
            await cli.waitForQuestion();
            await ide.remove('vanished.txt');
            await diff.waitForNotice(words.refusesChangedFile ? 'may write nothing' : 'Accepting creates it again');
            await diff.accept();
            await cli.waitUntilPlayed(before);
            expect(await ide.exists('vanished.txt')).to.equal(!words.refusesChangedFile);
        });

        itOfThePage(
            'what is written is shown at its first change, marked, with the keyboard in the terminal; undo is saved, and one step',
            async () => {
                const { page, ide } = workbench;
                await page.setPreference('files.autoSave', 'off');
                const text = Array.from({ length: 200 }, (_, index) => `line ${index}\n`).join('');
                const written = text.replace('line 150', 'line one hundred and fifty');
                await ide.write('shown.txt', text);
                const before = await cli.play(cli.readFile('shown.txt'), cli.edit('shown.txt', 'line 150', 'line one hundred and fifty'));
                const diff = await page.waitForDiff(ide.file('shown.txt'));
                await cli.waitForQuestion();
                await cli.terminal.focus();
                await diff.answerBy(() => page.press('Control+Shift+F9'));
                await page.page.locator('.companion-written').first().waitFor();
                await page.page.locator('.view-line', { hasText: 'line one hundred and fifty' }).first().waitFor();
                expect(await cli.terminal.hasKeyboard(), 'the keyboard stays').to.equal(true);
                await cli.waitUntilPlayed(before);
                await page.written('shown.txt').click();
                const uri = `file://${ide.file('shown.txt')}`;
                await eventually('the text before', async () => (await page.textOf(uri)) === text);
                await eventually('it on disk', async () => (await ide.read('shown.txt')) === text);
                const editor = new TheiaTextEditor('shown.txt', page.app);
                await eventually('the editor to have saved it', async () => !(await editor.isDirty()));
                await page.press('Control+z');
                await eventually('undo to be one step', async () => (await page.textOf(uri)) === written);
                await eventually('the editor to differ from the file', () => editor.isDirty());
                await editor.saveAndClose();
            }
        );

        itOfThePage('has the waiting diff and the connection again after a reload of the page', async () => {
            const { before, diff } = await propose('reloaded.txt', 'before the reload\n');
            await diff.typeAtEnd('edited\n');
            await workbench.page.reload();
            const restored = await workbench.page.waitForDiff(workbench.ide.file('reloaded.txt'));
            expect(await restored.right()).to.equal('before the reload\nedited\n');
            await cli.findTerminal();
            await expectTerminalTab(workbench.page, words);
            await restored.accept();
            await cli.waitUntilPlayed(before);
            expect(await workbench.ide.read('reloaded.txt')).to.equal('before the reload\nedited\n');

            const next = await propose('after-reload.txt', 'after the reload\n');
            await next.diff.accept();
            await cli.waitUntilPlayed(next.before);
            expect(await workbench.ide.read('after-reload.txt')).to.equal('after the reload\n');
        });

        prompts.itTakesSpecialFiles();
        if (what === 'cli') {
            prompts.itTakesSelection();
        } else {
            prompts.itTakesWhatThePageOffers();
            itIsDiagnosed(
                () => workbench,
                () => cli
            );
            prompts.itIsOfferedOnceItHasEnded();
        }

        /** Has the model propose a new file, and waits until both the diff and the CLI's own question are there. */
        async function propose(file: string, content: string): Promise<{ before: number; diff: ReviewDiff }> {
            const before = await cli.play(cli.writeFile(file, content));
            const diff = await workbench.page.waitForDiff(workbench.ide.file(file));
            await cli.waitForQuestion();
            return { before, diff };
        }
    });
}
