// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { Agents } from '../support/agents';
import { Cli } from '../support/cli';
import { CLAUDE_CODE, CliWords, GEMINI_CLI, QWEN_CODE } from '../support/cli-words';
import { eventually } from '../support/eventually';
import { IdePage } from '../support/ide-page';
import { StatusPick } from '../support/status-pick';
import { Terminal } from '../support/terminal';
import { Workbench } from '../support/workbench';

/** The smallest picture. */
const PICTURE = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** Asks whether its reports are read, says what it was answered, and waits. */
const PROGRAM = `
report() { printf '\\033]7501;state=%s:app=demo:msg=%s\\033\\\\' "$1" "$(printf %s "$2" | base64)"; }
printf '\\033]7501;?\\033\\\\'
IFS= read -rsd '\\' answer
printf 'answer %q\\n' "$answer"
report blocked:kind=question 'Which one?'
read -r line
printf 'got [%q]\\n' "$line"
report done Built
`;

async function marksOf(page: IdePage, { widgetId }: Terminal): Promise<string> {
    const tab = page.page.locator(`[id="shell-tab-${widgetId}"]`);
    const names = ((await tab.getAttribute('class')) ?? '').split(' ');
    return names
        .filter(name => name.startsWith('companion-agent-'))
        .map(name => name.replace('companion-agent-', ''))
        .join();
}

async function waitForMark(page: IdePage, terminal: Terminal, mark: string): Promise<void> {
    await eventually(`the mark "${mark}" on the tab`, async () => (await marksOf(page, terminal)) === mark, {
        state: () => marksOf(page, terminal)
    });
}

describe('What the programs in terminals do, and Shift+Enter in them', () => {
    let workbench: Workbench;

    before(async () => {
        workbench = await Workbench.start({
            model: true,
            files: { 'program.sh': PROGRAM, 'my file.txt': 'text of the workspace' },
            prepare: ide => Agents.link(ide, 'claude')
        });
        // After a reload, Theia opens it with its folders closed.
        await (await workbench.page.explorerRow('my file.txt')).waitFor();
    });
    after(() => workbench?.dispose());

    it('is seen of a program that nobody has heard of, behind another tab, after a reload, and without its tab ever being opened', async () => {
        const { page } = workbench;
        const title = await page.page.title();
        const terminal = await page.openTerminal();
        await terminal.run('bash program.sh');
        await terminal.waitForScreen("answer $'\\E]7501;?\\E'");
        const other = await page.openTerminal();
        for (const reload of [false, true]) {
            if (reload) {
                await page.reload();
            }
            await page.waitForStatus('demo waits: Which one?');
            await waitForMark(page, terminal, 'blocked');
            expect(await terminal.hasKeyboard()).to.equal(false);
            expect(await page.page.title()).to.equal(`(1) ${title}`);
        }
        await page.press('Control+Shift+F8');
        await eventually('the terminal to have the keyboard', () => terminal.hasKeyboard());
        await waitForMark(page, terminal, 'blocked');
        await other.focus();
        const pick = await StatusPick.open(page.page);
        await pick.waitForItem('Which one?');
        await page.press('Enter');
        await eventually('the terminal to have the keyboard', () => terminal.hasKeyboard());
        await page.page.keyboard.press('Enter');
        // What is printed once more is answered no more: that would have been typed.
        await terminal.waitForScreen("got ['']");
        await waitForMark(page, terminal, '');
        expect(await page.page.title()).to.equal(title);
    });

    it('is news until somebody looks', async () => {
        const { page } = workbench;
        const [terminal, other] = await page.terminals();
        await terminal.type('sleep 2; bash program.sh < /dev/null');
        // A shell gets what it has always got.
        await page.press('Shift+Enter');
        await other.focus();
        await waitForMark(page, terminal, 'done');
        await terminal.focus();
        await waitForMark(page, terminal, '');
    });

    it('is seen in every state after a reload, of terminals that are never opened', async () => {
        const { page } = workbench;
        const [front] = await page.terminals();
        for (const state of ['working', 'done', 'error']) {
            const terminal = await page.openTerminal();
            // It reports when another terminal is in front.
            await terminal.run(`sleep 2; printf '\\e]7501;state=${state}\\a'; sleep 1000`);
            await front.focus();
        }
        // A tab may have another id after the reload.
        const marks = async (): Promise<string> =>
            (await Promise.all((await page.terminals()).map(each => marksOf(page, each)))).sort().join(' ').trim();
        for (const reload of [false, true]) {
            if (reload) {
                await page.reload();
            }
            await eventually('the marks', async () => (await marks()) === 'done error working', { state: marks });
        }
        for (const terminal of await page.terminals()) {
            await terminal.press('Control+C');
            await waitForMark(page, terminal, '');
        }
    });

    /** Drags a file from the explorer, drops two from the desktop, and pastes a picture. */
    async function giveFiles({ terminal }: Cli): Promise<void> {
        await terminal.dragHere(await workbench.page.explorerRow('my file.txt'));
        await terminal.waitForScreen(/my(\\)? file\.txt/);
        const text = Buffer.from('text of the desktop').toString('base64');
        await terminal.give('drop', { 'a (1).txt': text, '.env': text });
        await workbench.page.page.locator('.theia-notification-message', { hasText: '.env is not shared with CLIs' }).first().waitFor();
        await terminal.waitForScreen('1-a-1-.txt');
        await terminal.give('paste', { 'image.png': PICTURE });
        // Qwen Code (0.24) takes its own copy.
        await terminal.waitForScreen(/image\.png|\[clipboard-/);
        await eventually('the keyboard to be in the terminal', () => terminal.hasKeyboard());
        await workbench.page.execute('notifications.commands.clearAll');
    }

    async function showsEachState(words: CliWords, waits: string): Promise<void> {
        const { page } = workbench;
        const cli = await Cli.start(words, workbench);
        const [other] = await page.terminals();
        const tab = page.page.locator(`[id="shell-tab-${cli.terminal.widgetId}"]`);
        await eventually('the tab to be named', async () => (await tab.innerText()) === words.name);
        await tab.locator('.codicon-sparkle').waitFor();
        // Its keys follow each other as a quick person's do.
        await cli.terminal.type('first line');
        await page.press('Shift+Enter');
        await giveFiles(cli);
        const before = await workbench.model.newest();
        const listing = { name: 'list_directory', args: { path: workbench.ide.workspace } };
        const work = `until [ -e ${words.id}.txt ]; do sleep 0.2; done; touch asked.txt`;
        await cli.terminal.submit(await workbench.model.script(cli.shell(work), listing));
        if (words === GEMINI_CLI) {
            await eventually('the question about other folders to be answered', async () => {
                await cli.terminal.waitForScreen('Do you want to allow this read?');
                await cli.terminal.press('Enter');
                return cli.terminal.waitUntilGone('Do you want to allow this read?', { timeout: 5_000 }).then(
                    () => true,
                    () => false
                );
            });
        }
        const request = await workbench.model.waitForRequest('both lines', before, ({ prompt }) => prompt.includes('first line'));
        expect(request.prompt).to.match(/first line\n *\S/);
        const body = await workbench.model.body(request);
        // Qwen Code sends a picture only to models that it knows to see.
        expect(body).to.include('text of the workspace').and.to.include('text of the desktop');
        expect(body).to.include(words === QWEN_CODE ? 'Unsupported image file: \\"clipboard-' : PICTURE.slice(0, 40));
        await other.focus();
        await waitForMark(page, cli.terminal, 'blocked');
        await page.waitForStatus(waits);
        // A key that comes in the moment in which the question does may be lost (Claude Code 2.1.330).
        await eventually('the question to be answered', async () => {
            await cli.acceptInTerminal();
            return eventually('an end of the wait', async () => (await marksOf(page, cli.terminal)) !== 'blocked', {
                timeout: 5_000
            }).catch(() => false);
        });
        await other.focus();
        await workbench.ide.write(`${words.id}.txt`, 'go on');
        await waitForMark(page, cli.terminal, 'done');
        await cli.terminal.focus();
        await waitForMark(page, cli.terminal, '');
        await cli.waitForPrompt();
        cli.kill();
    }

    it('is seen of Claude Code, which says what it waits for', async function () {
        if (await Agents.provide()) {
            this.skip();
        }
        await showsEachState(CLAUDE_CODE, 'Claude Code waits: ');
    });

    it('is seen of Qwen Code', () => showsEachState(QWEN_CODE, 'Qwen Code waits for you'));

    it('is seen of Gemini CLI', () => showsEachState(GEMINI_CLI, 'Gemini CLI waits for you'));
});
