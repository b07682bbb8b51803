// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { Agents } from '../support/agents';
import { Cli } from '../support/cli';
import { COPILOT_CLI } from '../support/cli-words';
import { eventually } from '../support/eventually';
import { ReviewDiff } from '../support/review-diff';
import { ToolCall } from '../support/scripted-model';
import { Workbench } from '../support/workbench';

const GREETING = 'src/greeting.js';

describe('Copilot CLI in the web terminal', () => {
    let workbench: Workbench;
    let cli: Cli;

    before(async function () {
        const missing = await Agents.provide();
        if (missing) {
            process.stdout.write(`Copilot CLI is skipped: ${missing}\n`);
            this.skip();
        }
        workbench = await Workbench.start({
            model: true,
            files: { '.env': 'TOKEN=hunter2\n' },
            prepare: ide => Agents.link(ide, 'copilot')
        });
    });
    after(() => workbench?.dispose());

    it('A5: connects by itself when the command starts it, without a question for trust', async () => {
        const { page } = workbench;
        cli = await Cli.start(COPILOT_CLI, workbench, { run: () => page.execute('companion.run.copilot') });
        expect(await page.statusDetails()).not.to.include('without asking');
    });

    it('C13, P10: the model gets the selected lines, also as an answer to its question', async () => {
        const { page, model, ide } = workbench;
        const editor = await page.openFile(GREETING);
        await editor.placeCursorInLineContainingText('return');
        await page.press('End', 'Shift+Home');
        await cli.terminal.waitForScreen('greeting.js:3');
        const before = await cli.play({ name: 'ide-get_selection', args: {} });
        await cli.waitUntilPlayed(before);
        const [first, second] = await model.requests(before);
        expect(first.prompt).to.contain('File: src/greeting.js (line 3)').and.to.contain("return 'Hello ' + name;");
        expect(second.calls[0].result).to.contain(ide.file(GREETING));
    });

    it('S16, P10, P12: while .env is active and selected, the model gets neither its path nor its text, whatever it asks', async () => {
        const { page, model, ide } = workbench;
        await (await page.openFile('.env')).focus();
        await page.press('Control+a');
        const before = await cli.play({ name: 'ide-get_selection', args: {} }, { name: 'ide-get_diagnostics', args: {} });
        await cli.waitUntilPlayed(before);
        const bodies = await Promise.all((await model.requests(before)).map(request => model.body(request)));
        expect(bodies.join('\n')).not.to.contain(ide.file('.env'));
        expect(bodies.join('\n')).not.to.contain('hunter2');
        await page.execute('core.close.main.tab');
    });

    it('N1, P7: the diff is read-only and says so; an accept writes it, and nothing before', async () => {
        const { ide, page } = workbench;
        const { before, diff } = await propose('accepted.txt', 'from the model\n');
        await diff.waitForNotice('Read-only: Copilot CLI always writes its own text');
        await diff.typeInVain('x');
        expect(await diff.right()).to.equal('from the model\n');
        expect(await ide.exists('accepted.txt')).to.equal(false);
        await diff.accept();
        await cli.waitUntilPlayed(before);
        expect(await ide.read('accepted.txt')).to.equal('from the model\n');
        await page.waitUntilNoDiff();
    });

    it('N1: writes a piece of a file that is accepted', async () => {
        const { ide, page } = workbench;
        const original = await ide.read(GREETING);
        const before = await cli.play(cli.edit(GREETING, "'Hello ' + name", '`Hello, ${name}!`'));
        const diff = await page.waitForDiff(ide.file(GREETING));
        expect(await diff.left()).to.equal(original);
        await diff.accept();
        await cli.waitUntilPlayed(before);
        expect(await ide.read(GREETING)).to.equal(original.replace("'Hello ' + name", '`Hello, ${name}!`'));
    });

    it('N4, N5, P7: writes nothing of what is rejected, with a reason in its prompt, or by closing the tab', async () => {
        const { page } = workbench.page;
        const { diff } = await propose('rejected.txt', 'unwanted\n');
        await diff.activate();
        await diff.answerBy(() => diff.answer('companion.review.rejectWithReason').click());
        await page.getByRole('textbox', { name: 'Reason, for the prompt of Copilot CLI' }).waitFor();
        await page.keyboard.type('use a constant');
        await page.keyboard.press('Enter');
        await cli.terminal.waitForScreen('use a constant');
        await workbench.page.press('Control+u');
        await cli.waitForPrompt();
        await workbench.page.waitUntilNoDiff();
        expect(await workbench.ide.exists('rejected.txt')).to.equal(false);
        const closed = await propose('closed.txt', 'unwanted\n');
        await closed.diff.closeTab();
        await cli.waitForPrompt();
        await workbench.page.waitUntilNoDiff();
        expect(await workbench.ide.exists('closed.txt')).to.equal(false);
    });

    it('P8: an answer in the terminal closes the diff', async () => {
        const { page, ide } = workbench;
        const { before } = await propose('terminal.txt', 'from the model\n');
        await cli.acceptInTerminal();
        await page.waitUntilNoDiff();
        await cli.waitUntilPlayed(before);
        expect(await ide.read('terminal.txt')).to.equal('from the model\n');
        await propose('not-in-terminal.txt', 'unwanted\n');
        await cli.rejectInTerminal();
        await page.waitUntilNoDiff();
        expect(await ide.exists('not-in-terminal.txt')).to.equal(false);
        await cli.waitForPrompt();
    });

    it('is quiet when it has worked and asks something: nothing else tells', async () => {
        const { page } = workbench;
        const bash = (command: string): ToolCall => ({
            name: 'bash',
            args: { command, description: 'As asked.', mode: 'sync', initial_wait: 30 }
        });
        const before = await cli.play(bash('sleep 6'), bash('touch asked.txt'));
        await cli.waitForQuestion();
        await cli.acceptInTerminal();
        await cli.terminal.waitForScreen('touch asked.txt');
        await cli.waitForQuestion();
        expect(await page.statusDetails()).not.to.include('is quiet');
        await eventually('the CLI to be quiet', async () => (await page.statusDetails()).includes('Copilot CLI is quiet'), {
            timeout: 40_000
        });
        await page.page.locator(`[id="shell-tab-${cli.terminal.widgetId}"].companion-agent-quiet`).waitFor();
        expect(await page.page.title()).not.to.match(/^\(\d/);
        await cli.acceptInTerminal();
        await cli.waitUntilPlayed(before);
        expect(await page.statusDetails()).not.to.include('is quiet');
    });

    it('P11: a mention puts the file and the lines into the prompt', async () => {
        const { page } = workbench;
        const editor = await page.openFile(GREETING);
        await editor.placeCursorInLineContainingText('return');
        await page.press('End', 'Shift+Home');
        await page.execute('companion.prompt.addSelection');
        await cli.terminal.waitForScreen(`@${GREETING}:3`);
        for (let key = 0; key < 30; key++) {
            await cli.terminal.press('Backspace');
        }
        await cli.waitForPrompt();
    });

    it('P13: has the waiting diff again after a reload of the page', async () => {
        const { page, ide } = workbench;
        const { before } = await propose('reloaded.txt', 'before the reload\n');
        await page.reload();
        const restored = await page.waitForDiff(ide.file('reloaded.txt'));
        await restored.typeInVain('x');
        expect(await restored.right()).to.equal('before the reload\n');
        await cli.findTerminal();
        await restored.accept();
        await cli.waitUntilPlayed(before);
        expect(await ide.read('reloaded.txt')).to.equal('before the reload\n');
    });

    it('P13: one that is killed leaves no diff behind', async () => {
        await propose('killed.txt', 'unwanted\n');
        cli.kill();
        await workbench.page.waitUntilNoDiff();
        expect(await workbench.ide.exists('killed.txt')).to.equal(false);
        await eventually('the connection to go', async () => !(await workbench.page.statusDetails()).includes('Copilot CLI: in'));
    });

    it('P6: of two windows on one folder, each terminal has its CLI in its own window', async () => {
        const second = await workbench.openPage();
        for (const [page, name] of [
            [second, 'Copilot CLI'],
            [workbench.page, 'Copilot CLI 2']
        ] as const) {
            await (await page.openTerminal()).run('copilot');
            await page.waitForStatus(`${name} connected`);
        }
        // The first one is still there, and alone.
        await second.waitForStatus('Copilot CLI connected');
    });

    /** Has the model propose a new file, and waits until both the diff and the CLI's own question are there. */
    async function propose(file: string, content: string): Promise<{ before: number; diff: ReviewDiff }> {
        const before = await cli.play(cli.writeFile(file, content));
        const diff = await workbench.page.waitForDiff(workbench.ide.file(file));
        await cli.waitForQuestion();
        return { before, diff };
    }
});
