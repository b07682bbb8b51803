// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { promises as fs } from 'fs';
import * as path from 'path';
import { Locator } from '@playwright/test';
import { Agents } from '../support/agents';
import { ChangesView } from '../support/changes-view';
import { Cli } from '../support/cli';
import { CLAUDE_CODE, CliWords, GEMINI_CLI, QWEN_CODE } from '../support/cli-words';
import { delay, eventually } from '../support/eventually';
import { IdePage } from '../support/ide-page';
import { StatusPick } from '../support/status-pick';
import { Terminal } from '../support/terminal';
import { Workbench } from '../support/workbench';

/** Longer than a session without a stream lives. */
const STOPPED_MS = 65_000;
/** Until Gemini CLI has found what was typed, Enter takes the first of its suggestions (0.61). It has more to do on a busy machine. */
const SUGGESTIONS_MS = 3_000;
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

/** The cases follow one another: Gemini CLI runs unconnected for a while before the page says so. */
describe('What the programs in terminals do, and a Gemini CLI whose IDE mode is off, and which is stopped with Ctrl+Z', () => {
    let workbench: Workbench;
    let gemini: Cli;
    let unconnected: Terminal;

    before(async () => {
        workbench = await Workbench.start({
            model: true,
            files: {
                'program.sh': PROGRAM,
                'my file.txt': 'text of the workspace',
                // More than is ever told of a selection; in JSON twice as long.
                'quotes.txt': `${'"'.repeat(99)}\n`.repeat(200)
            },
            prepare: async started => {
                await Agents.link(started, 'claude');
                const { ide: _ide, ...rest } = await settings(started);
                await fs.writeFile(settingsFile(started), JSON.stringify(rest));
            }
        });
        // After a reload, Theia opens it with its folders closed.
        await (await workbench.page.explorerRow('my file.txt')).waitFor();
    });
    after(() => workbench?.dispose());

    it('Run Gemini CLI asks first, and nothing does before; closing the question starts and writes nothing', async () => {
        await workbench.page.waitForStatus('Companion');
        expect(await workbench.page.statusDetails()).not.to.include('IDE mode');
        expect(await workbench.page.messages()).to.deep.equal([]);
        const before = (await workbench.page.terminals()).length;
        await run();
        await question().waitFor();
        await workbench.page.page.keyboard.press('Escape');
        await question().waitFor({ state: 'hidden' });
        expect(await workbench.page.terminals()).to.have.length(before);
        expect(await settings()).not.to.have.property('ide');
    });

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
            const label = page.page.locator(`[id="shell-tab-${terminal.widgetId}"] .lm-TabBar-tabLabel`);
            await eventually('the words of the mark', async () =>
                (await label.evaluate(element => getComputedStyle(element, '::before').content)).includes('asks you something:')
            );
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

    it('is listed of Claude Code that edits in a pipe, and of agents that say nothing, and Shift+Enter is Enter in an editor', async function () {
        if (await Agents.provide()) {
            this.skip();
        }
        const { page, ide, model } = workbench;
        const view = new ChangesView(page, ide.workspace);
        await view.open();
        const isRunning = (name: string): Promise<unknown> =>
            eventually(`${name} to run`, async () => (await page.statusDetails()).includes(`${name} is running`), {
                state: () => page.statusDetails()
            });
        // A model takes seconds before it writes. A scripted one would be done before anybody looks.
        const wait = { name: 'Bash', args: { command: 'sleep 6', description: 'Think' } };
        const write = { name: 'Write', args: { file_path: ide.file('piped.txt'), content: 'by Claude\n' } };
        await ide.write('P.md', await model.script(wait, write));
        const terminal = await page.openTerminal();
        await terminal.run('cat P.md | claude -p --permission-mode acceptEdits --allowedTools Bash');
        await isRunning('Claude Code');
        await view.row('piped.txt').waitFor();
        expect((await view.groups()).join()).to.include('Claude Code');
        for (const [name, text] of Object.entries({
            aider: '#!/usr/bin/perl\n$| = 1; print "asks\\n"; <STDIN>; open(F, ">", "aided.txt"); print F "by Aider\\n"; close F; system("vim");\n',
            vim: '#!/usr/bin/perl\n$| = 1; print "edits\\n"; $line = <STDIN>; print "got ", unpack("H*", $line), "\\n"; sleep 3;\n'
        })) {
            await ide.write(name, text);
        }
        await terminal.run('chmod +x aider vim; PATH=$PWD:$PATH aider');
        await isRunning('Aider');
        await terminal.focus();
        await page.press('Enter');
        await terminal.waitForScreen('edits');
        await view.row('aided.txt').waitFor();
        await page.press('Shift+Enter');
        await terminal.waitForScreen('got 0a');
        await terminal.press('Control+C');
    });

    it('Gemini CLI that is run without connecting asks nothing itself', async () => {
        unconnected = await workbench.page.terminalOpenedBy(async () => {
            await run();
            await question().waitFor();
            await workbench.page.page.keyboard.press('ArrowDown');
            await workbench.page.page.keyboard.press('Enter');
        });
        await unconnected.waitForScreen(/Type your message/, 'the prompt of Gemini CLI', { timeout: 120_000 });
        expect(await unconnected.screen()).not.to.include('Do you want to connect');
        expect((await settings()).ide).to.deep.equal({ hasSeenNudge: true });
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

    async function showsEachState(words: CliWords, waits: string, started?: Cli): Promise<Cli> {
        const { page } = workbench;
        const cli = started ?? (await Cli.start(words, workbench));
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
        return cli;
    }

    it('is seen of Claude Code, which says what it waits for', async function () {
        if (await Agents.provide()) {
            this.skip();
        }
        (await showsEachState(CLAUDE_CODE, 'Claude Code waits: ')).kill();
    });

    it('is seen of Qwen Code', async () => (await showsEachState(QWEN_CODE, 'Qwen Code waits for you')).kill());

    it('Gemini CLI that runs unconnected connects when the status types what connects it', async () => {
        const { page } = workbench;
        await eventually('the status', async () => (await page.statusDetails()).includes('Gemini CLI runs here, not connected'), {
            state: () => page.statusDetails()
        });
        await (await StatusPick.open(page.page)).choose('Gemini CLI runs here');
        await unconnected.waitForScreen('/ide enable');
        await delay(SUGGESTIONS_MS);
        await unconnected.sendOff();
        await eventually('Gemini CLI to connect', async () => (await page.statusDetails()).includes('Gemini CLI: in'));
        await unconnected.press('Control+c');
        await unconnected.press('Control+c');
        await eventually('Gemini CLI to end', async () => !(await page.statusDetails()).includes('Gemini CLI: in'));
    });

    it('Gemini CLI with IDE mode off in its settings is asked about again by the next page: then it connects by itself', async () => {
        await fs.writeFile(settingsFile(), JSON.stringify({ ...(await settings()), ide: { enabled: false } }));
        await workbench.page.reload();
        gemini = await Cli.start(GEMINI_CLI, workbench, {
            // It may be the second one that is known.
            status: 'connected',
            run: async () => {
                await run();
                await question().waitFor();
                await workbench.page.page.keyboard.press('Enter');
            }
        });
        expect((await settings()).ide?.enabled).to.equal(true);
    });

    it('is seen of Gemini CLI', async () => void (await showsEachState(GEMINI_CLI, 'Gemini CLI waits for you', gemini)));

    if (process.env.SOAK) {
        // Its socket has to be filled, which takes half a minute. `mcp-sessions.integration-spec.ts` has the same with a stopped client.
        /** Qwen Code 0.24 takes Ctrl+Z for itself; Gemini CLI 0.61 stops when it is pressed twice. */
        it('when it is stopped, Accept says that it does not respond; after fg it takes the answer, and asks again', async () => {
            const { page, ide } = workbench;
            const file = ide.file('stopped.txt');
            await gemini.play(gemini.writeFile('stopped.txt', 'asked before\n'));
            await page.waitForDiff(file);
            await gemini.waitForQuestion();
            await gemini.terminal.press('Control+z');
            await gemini.terminal.press('Control+z');
            await gemini.terminal.waitForScreen(/Stopped/, 'the shell to say that it stopped');

            const editor = await page.openFile('quotes.txt');
            await editor.activate();
            await page.page.keyboard.press('Control+a');
            const end = Date.now() + 120_000;
            // Its connection takes some megabytes before the backend can know.
            for (let presses = 0; /Gemini CLI( 2)? connected/.test(await page.statusDetails()); presses++) {
                expect(Date.now(), `${presses} selections were told`).to.be.below(end);
                await page.page.keyboard.press(presses % 40 < 20 ? 'Shift+ArrowLeft' : 'Shift+ArrowRight');
                // One update each.
                await delay(80);
            }
            await delay(STOPPED_MS);
            const diff = await page.waitForDiff(file);
            await diff.activate();
            await diff.waitForNotice('has stopped responding');
            expect(await diff.button('Accept').getAttribute('title')).to.include('"fg" in its terminal');
            await diff.button('Accept').click({ force: true });
            expect(await diff.isOpen()).to.equal(true);

            await gemini.terminal.run('fg');
            await eventually('Accept', async () => (await diff.button('Accept').getAttribute('aria-disabled')) === 'false');
            await diff.accept();
            await eventually('the file to be written', async () => (await ide.read('stopped.txt')) === 'asked before\n');
            await page.waitForStatus('connected');
            await gemini.waitForPrompt();
            await gemini.play(gemini.writeFile('again.txt', 'asked after\n'));
            await (await page.waitForDiff(ide.file('again.txt'))).accept();
            await eventually('the second file to be written', async () => (await ide.read('again.txt')) === 'asked after\n');
        });
    }

    function settingsFile({ home } = workbench.ide): string {
        return path.join(home, '.gemini', 'settings.json');
    }

    async function settings(ide = workbench.ide): Promise<{ ide?: { enabled?: boolean } }> {
        return JSON.parse(await fs.readFile(settingsFile(ide), 'utf8')) as { ide?: { enabled?: boolean } };
    }

    /** The command ends once the question is answered. */
    async function run(): Promise<void> {
        await eventually('the command', async () => (await workbench.page.runCommands()).includes('companion.run.gemini-cli'));
        void workbench.page.execute('companion.run.gemini-cli').catch(() => undefined);
    }

    function question(): Locator {
        return workbench.page.page.locator('.quick-input-widget', { hasText: 'Connect Gemini CLI to this IDE?' });
    }
});
