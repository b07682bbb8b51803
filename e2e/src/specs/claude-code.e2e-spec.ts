// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { promises as fs } from 'fs';
import * as path from 'path';
import { Agents } from '../support/agents';
import { Cli } from '../support/cli';
import { CLAUDE_CODE, SPECIAL_FILES } from '../support/cli-words';
import { eventually } from '../support/eventually';
import { ReviewDiff } from '../support/review-diff';
import { Workbench } from '../support/workbench';
import { itWorksWithOpenCode } from './opencode';

const GREETING = 'src/greeting.js';

describe('Claude Code in the web terminal', () => {
    let workbench: Workbench;
    let cli: Cli;

    before(async function () {
        const missing = await Agents.provide();
        if (missing) {
            process.stdout.write(`Claude Code is skipped: ${missing}\n`);
            this.skip();
        }
        workbench = await Workbench.start({
            model: true,
            files: { '.env': 'TOKEN=hunter2\n', ...SPECIAL_FILES },
            prepare: async ide => {
                await Agents.link(ide, 'claude');
                await Agents.link(ide, 'opencode');
                await Agents.link(ide, 'kilo');
            }
        });
    });
    after(() => workbench?.dispose());

    it('A5: connects by itself when the command starts it, in a mode that asks, and /ide shows it', async () => {
        const { page } = workbench;
        cli = await Cli.start(CLAUDE_CODE, workbench, { run: () => page.execute('companion.run.claude-code') });
        expect(await page.statusDetails()).not.to.include('without asking');
        await cli.terminal.submit('/ide');
        await cli.terminal.waitForScreen('✔ Theia CLI Companion');
        await cli.terminal.press('Escape');
        await cli.terminal.waitForScreen('Kept IDE selection');
        await cli.waitForPrompt();
    });

    it('C13, W11: the model gets the open file and the selected lines', async () => {
        const editor = await workbench.page.openFile(GREETING);
        await editor.placeCursorInLineContainingText('return');
        await workbench.page.press('End', 'Shift+Home');
        await cli.terminal.waitForScreen('1 line selected');
        const before = await cli.play(cli.readFile('README.md'));
        const [{ prompt }] = await workbench.model.requests(before);
        expect(prompt).to.contain(`The user selected the lines 3 to 3 from ${workbench.ide.file(GREETING)}:\nreturn 'Hello ' + name;`);
        await cli.waitUntilPlayed(before);
    });

    it('S16: while .env is active and selected, the model gets neither its path nor its text', async () => {
        const { page, model, ide } = workbench;
        await (await page.openFile('.env')).focus();
        await page.press('Control+a');
        const before = await cli.play(cli.readFile('README.md'));
        const body = await model.body((await model.requests(before))[0]);
        expect(body).not.to.contain(ide.file('.env'));
        expect(body).not.to.contain('hunter2');
        await cli.waitUntilPlayed(before);
        await page.execute('core.close.main.tab');
    });

    it('O6, N3, W6: writes what the user made of the proposal, and nothing before', async () => {
        const { before, diff } = await propose('edited.txt', 'from the model\n');
        expect(await workbench.ide.exists('edited.txt')).to.equal(false);
        await diff.typeAtEnd('from the user\n');
        await diff.accept();
        await cli.waitUntilPlayed(before);
        expect(await workbench.ide.read('edited.txt')).to.equal('from the model\nfrom the user\n');
        await workbench.page.waitUntilNoDiff();
    });

    it('N1: writes a piece of a file that is accepted', async () => {
        const { ide, page } = workbench;
        const original = await ide.read(GREETING);
        const before = await cli.play(cli.readFile(GREETING), cli.edit(GREETING, "'Hello ' + name", '`Hello, ${name}!`'));
        const diff = await page.waitForDiff(ide.file(GREETING));
        expect(await diff.left()).to.equal(original);
        await cli.waitForQuestion();
        await diff.accept();
        await cli.waitUntilPlayed(before);
        expect(await ide.read(GREETING)).to.equal(original.replace("'Hello ' + name", '`Hello, ${name}!`'));
    });

    it('N4: writes nothing of what is rejected', async () => {
        const { diff } = await propose('rejected.txt', 'unwanted\n');
        await diff.reject();
        await cli.waitForPrompt();
        await workbench.page.waitUntilNoDiff();
        expect(await workbench.ide.exists('rejected.txt')).to.equal(false);
    });

    it('X6, W7: an answer in the terminal closes the diff; an edit in it is kept and offered', async () => {
        const { page, ide } = workbench;
        const { before, diff } = await propose('terminal.txt', 'from the model\n');
        await diff.typeAtEnd('from the user\n');
        await diff.waitForNotice('If you answer in the terminal');
        await cli.acceptInTerminal();
        await page.waitUntilNoDiff();
        await cli.waitUntilPlayed(before);
        expect(await ide.read('terminal.txt')).to.equal('from the model\n');
        await page.answerMessage('so your edits to', 'Discard');
        await propose('not-in-terminal.txt', 'unwanted\n');
        await cli.rejectInTerminal();
        await page.waitUntilNoDiff();
        expect(await ide.exists('not-in-terminal.txt')).to.equal(false);
        await cli.waitForPrompt();
    });

    it('W12: a mention puts the file and the lines into the prompt', async () => {
        const { page } = workbench;
        const editor = await page.openFile(GREETING);
        await editor.placeCursorInLineContainingText('return');
        await page.press('End', 'Shift+Home');
        await page.execute('companion.prompt.addSelection');
        await cli.terminal.waitForScreen(`@${GREETING}#L3`);
        for (let key = 0; key < 40; key++) {
            await cli.terminal.press('Backspace');
        }
    });

    it('reads files that are added to its prompt, with blanks and special characters in their names', async () => {
        const { page, ide, model } = workbench;
        for (const name of Object.keys(SPECIAL_FILES)) {
            await page.page.evaluate(path => window.companionProbe.openFile(path, false), ide.file(name));
            await page.execute('companion.prompt.addFile');
            await eventually('the keyboard to be in the terminal', () => cli.terminal.hasKeyboard());
        }
        // It would read the file `a` for `a#b.txt`.
        await page.waitForMessage('Claude Code does not read a file that is added');
        const before = await cli.play(cli.readFile('README.md'));
        const body = await model.body((await model.requests(before))[0]);
        for (const [, text] of Object.entries(SPECIAL_FILES).filter(([name]) => name !== CLAUDE_CODE.unread)) {
            expect(body).to.contain(text.trim());
        }
        await cli.waitUntilPlayed(before);
    });

    let attempt = 0;
    it('W13: a problem that an edit has brought reaches the model, and one that was there before does not', async function () {
        // Claude Code waits for half a second, in which a page on a busy machine may not answer: then all problems are new to it.
        this.retries(2);
        // Another file each time: the problems of one that it has edited before are news to it at once.
        const name = `broken-${++attempt}.js`;
        const [old, brought] = [`One is there before ${attempt}`, `Two is not defined ${attempt}`];
        const { page, ide, model } = workbench;
        const file = ide.file(name);
        const setProblem = (message: string): Promise<void> =>
            page.page.evaluate(([path, text]) => window.companionProbe.setProblem(path, 0, text), [file, message] as const);
        await ide.write(name, 'one\n');
        await setProblem(old);
        const before = await cli.play(cli.readFile(name), cli.edit(name, 'one', 'two'), cli.shell('touch touched'));
        const diff = await page.waitForDiff(file);
        await cli.waitForQuestion();
        await diff.accept();
        // The edit is written now.
        await cli.terminal.waitForScreen(CLAUDE_CODE.shellQuestion);
        await setProblem(brought);
        await cli.acceptInTerminal();
        await cli.waitUntilPlayed(before);
        const bodies = await Promise.all((await model.requests(before)).map(request => model.body(request)));
        expect(bodies.join('\n')).to.contain(`[Line 1:1] ${brought} (e2e)`).and.not.to.contain(old);
    });

    it('what the diff says of a file that has changed is what an accept does: the change goes in where it still fits', async () => {
        const { page, ide } = workbench;
        for (const [now, typed, then] of [
            ['one\nand more\n', 'typed\n', 'two\ntyped\nand more\n'],
            ['three\n', '', 'three\n']
        ]) {
            await ide.write('changed.txt', 'one\n');
            const before = await cli.play(cli.readFile('changed.txt'), cli.edit('changed.txt', 'one', 'two'));
            const diff = await page.waitForDiff(ide.file('changed.txt'));
            await cli.waitForQuestion();
            await ide.write('changed.txt', now);
            await diff.waitForNotice('writes its change only if it still fits into the file');
            if (typed) {
                await diff.typeAtEnd(typed);
            }
            await diff.accept();
            await cli.waitUntilPlayed(before);
            expect(await ide.read('changed.txt')).to.equal(then);
        }
    });

    it('plays the sample session, as the other CLIs do', async () => {
        const { page, ide } = workbench;
        await cli.ask('add a test');
        const diff = await page.waitForDiff(ide.file('test/greeting.test.js'));
        await cli.waitForQuestion();
        await diff.accept();
        await cli.terminal.waitFor('Done: test/greeting.test.js is written');
        await cli.waitForPrompt();
    });

    it('O5, W9: asks in the terminal alone where a file outside the workspace is refused', async () => {
        const { page, ide } = workbench;
        await page.setPreference('companion.review.outsideWorkspace', 'refuse');
        const outside = path.join(ide.root, 'outside.txt');
        const before = await cli.play({ name: 'write_file', args: { file_path: outside, content: 'written\n' } });
        await cli.waitForQuestion();
        await cli.acceptInTerminal();
        await cli.waitUntilPlayed(before);
        expect((await page.diffs()).map(diff => diff.path)).to.deep.equal([]);
        expect(await fs.readFile(outside, 'utf8')).to.equal('written\n');
        await page.setPreference('companion.review.outsideWorkspace', 'notice');
    });

    it('W14: has the waiting diff again after a reload of the page', async () => {
        const { before, diff } = await propose('reloaded.txt', 'before the reload\n');
        await diff.typeAtEnd('edited\n');
        await workbench.page.reload();
        const restored = await workbench.page.waitForDiff(workbench.ide.file('reloaded.txt'));
        expect(await restored.right()).to.equal('before the reload\nedited\n');
        await cli.findTerminal();
        await restored.accept();
        await cli.waitUntilPlayed(before);
        expect(await workbench.ide.read('reloaded.txt')).to.equal('before the reload\nedited\n');
    });

    it('W14: one that is killed leaves no diff behind', async () => {
        await propose('killed.txt', 'unwanted\n');
        cli.kill();
        await workbench.page.waitUntilNoDiff();
        expect(await workbench.ide.exists('killed.txt')).to.equal(false);
        await eventually('the connection to go', async () => !(await workbench.page.statusDetails()).includes('Claude Code: in'));
    });

    it('W5: of two windows on one folder, each terminal has its CLI in its own window, also in a subfolder', async () => {
        const second = await workbench.openPage();
        for (const [page, name] of [
            [second, 'Claude Code'],
            [workbench.page, 'Claude Code 2']
        ] as const) {
            const terminal = await page.openTerminal();
            await terminal.run('cd src && claude --permission-mode manual');
            await page.waitForStatus(`${name} connected`);
        }
        // The first one is still there, and alone.
        await second.waitForStatus('Claude Code connected');
    });

    itWorksWithOpenCode(() => workbench);

    /** Has the model propose a new file, and waits until both the diff and the CLI's own question are there. */
    async function propose(file: string, content: string): Promise<{ before: number; diff: ReviewDiff }> {
        const before = await cli.play(cli.writeFile(file, content));
        const diff = await workbench.page.waitForDiff(workbench.ide.file(file));
        await cli.waitForQuestion();
        return { before, diff };
    }
});
