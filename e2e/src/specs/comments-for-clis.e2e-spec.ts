// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { Agents } from '../support/agents';
import { ChangesView } from '../support/changes-view';
import { Cli } from '../support/cli';
import { CLAUDE_CODE, QWEN_CODE } from '../support/cli-words';
import { delay, eventually } from '../support/eventually';
import { Workbench } from '../support/workbench';

const LINES = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\n';

describe('Comments while two CLIs run', () => {
    let workbench: Workbench;
    let view: ChangesView;

    before(async function () {
        const missing = await Agents.provide();
        if (missing) {
            process.stdout.write(`Claude Code is skipped: ${missing}\n`);
            this.skip();
        }
        const files = { 'qwen.txt': LINES, 'claude.txt': LINES };
        workbench = await Workbench.start({ model: true, files, prepare: ide => Agents.link(ide, 'claude') });
        view = new ChangesView(workbench.page, workbench.ide.workspace);
    });
    after(() => workbench?.dispose());

    async function comment(text: string): Promise<void> {
        const { page } = workbench;
        await page.press('Control+k', 'Control+Alt+c');
        await page.page.locator('.companion-comment textarea:focus').waitFor();
        await page.page.keyboard.insertText(text);
        // A message that comes just then takes the Escape.
        await eventually('the keyboard to be in the text', async () => {
            await page.press('Escape');
            return (await page.page.locator('.companion-comment textarea:focus').count()) === 0;
        });
    }

    const lineNow = (): Promise<string> => workbench.page.page.locator('#theia-statusBar').innerText();

    async function goTo(key: string, line: number): Promise<void> {
        await workbench.page.press(key);
        await eventually(`line ${line}`, async () => (await lineNow()).includes(`Ln ${line},`), { state: lineNow });
    }

    /** Takes the first CLI of those that are offered. */
    async function send(): Promise<string[]> {
        const { page } = workbench;
        const rows = page.page.locator('.quick-input-widget:visible .monaco-list-row');
        const sending = page.execute('companion.comments.send');
        await eventually('the CLIs to choose from', async () => (await rows.count()) === 2, {
            state: async () => (await page.messages()).join()
        });
        const offered = await rows.allInnerTexts();
        await page.press('Enter');
        await sending;
        return offered;
    }

    it('each gets those on its own changes; next and previous stop at them', async () => {
        const { page, model } = workbench;
        const qwen = await Cli.start(QWEN_CODE, workbench, { command: 'qwen --approval-mode yolo', status: 'Qwen Code' });
        const ofQwen = await qwen.play(qwen.readFile('qwen.txt'), qwen.edit('qwen.txt', 'two', 'TWO'));
        await qwen.waitUntilPlayed(ofQwen);
        // Else a slow machine looks only when Claude Code works, too.
        await view.open();
        await view.waitForRows('modified qwen.txt +1 −1');
        const claude = await Cli.start(CLAUDE_CODE, workbench, {
            run: () => page.execute('companion.run.claude-code'),
            status: 'Qwen Code, Claude Code connected'
        });
        await claude.terminal.press('Shift+Tab');
        await claude.terminal.waitForScreen('accept edits on');
        // What Qwen Code has on its screen for 5 s counts as its work.
        await delay(6_000);
        await claude.terminal.submit(await model.script(claude.readFile('claude.txt'), claude.edit('claude.txt', 'two', 'TWO')));
        await view.waitForRows('modified claude.txt +1 −1', 'modified qwen.txt +1 −1');
        await page.page.locator(`[id="shell-tab-${claude.terminal.widgetId}"].companion-agent-working`).waitFor({ state: 'detached' });
        await view.show('qwen.txt');
        await comment('this is about the change');
        await goTo('Control+Home', 1);
        await page.press(...Array.from({ length: 6 }, () => 'ArrowDown'));
        await comment('this is beside it');
        await goTo('Control+Home', 1);
        await goTo('Control+Shift+F6', 2);
        await goTo('Control+Shift+F6', 7);
        await goTo('Control+Shift+F5', 2);
        // Claude Code was used last.
        await claude.terminal.focus();
        expect((await send())[0]).to.include('Qwen Code');
        await eventually('the keyboard to be in the terminal', () => qwen.terminal.hasKeyboard());
        // A long text is folded.
        await qwen.terminal.waitForScreen(/this is beside it|Pasted Content/);
        expect(await claude.terminal.screen()).not.to.match(/this is|Pasted/);
        await view.show('claude.txt');
        await comment('this is for the other one');
        expect((await send())[0]).to.include('Claude Code');
        await claude.terminal.waitForScreen(/this is for the other one|Pasted text/);
        expect(await qwen.terminal.screen()).not.to.include('for the other one');
    });
});
