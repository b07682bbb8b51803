// SPDX-License-Identifier: Apache-2.0

import { execFileSync } from 'child_process';
import { expect } from 'chai';
import { Locator } from '@playwright/test';
import { Agents } from '../support/agents';
import { ChangesView } from '../support/changes-view';
import { Cli } from '../support/cli';
import { CLAUDE_CODE, QWEN_CODE } from '../support/cli-words';
import { delay, eventually } from '../support/eventually';
import { IdeFixture } from '../support/ide-fixture';
import { Terminal } from '../support/terminal';
import { Workbench } from '../support/workbench';

const LINES = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n';

/** Does what it is told, as a program that says when it works. */
const AGENT = `
say() { printf "\\033]7501;state=$1:app=demo\\033\\\\"; }
say working
while IFS= read -r line; do say working; eval "$line"; echo "did it"; say idle; done
`;

function commit(ide: IdeFixture): void {
    const git = (...args: string[]): string => execFileSync('git', args, { cwd: ide.workspace, encoding: 'utf8' });
    git('init', '-q');
    git('add', '-A');
    git('-c', 'user.name=T', '-c', 'user.email=t@example.org', 'commit', '-q', '-m', 'first');
}

async function prepare(ide: IdeFixture): Promise<void> {
    await Agents.link(ide, 'claude');
    commit(ide);
}

describe('What agents changed', () => {
    let workbench: Workbench;
    let agent: Terminal;
    let view: ChangesView;

    before(async () => {
        const names = ['a.txt', 'b.txt', 'c.txt', 'd.txt', 'e.txt'];
        const files = { 'agent.sh': AGENT, ...Object.fromEntries(names.map(name => [name, LINES])) };
        workbench = await Workbench.start({ model: true, files, prepare });
        agent = await workbench.page.openTerminal();
        await agent.run('bash agent.sh');
        await workbench.page.page.locator(`[id="shell-tab-${agent.widgetId}"].companion-agent-working`).waitFor();
        view = new ChangesView(workbench.page, workbench.ide.workspace);
        await view.open();
    });
    after(() => workbench?.dispose());

    async function tell(command: string): Promise<void> {
        await agent.focus();
        await agent.submit(command);
    }

    const bar = (): Locator => workbench.page.page.locator('.companion-review-bar:visible');

    async function waitForBar(...texts: string[]): Promise<void> {
        const said = async (): Promise<string> => (await bar().allInnerTexts()).join();
        await eventually(
            `the bar with ${texts.join()}`,
            async () => [await said()].some(text => texts.every(each => text.includes(each))),
            {
                state: said
            }
        );
    }

    /** What a diff shows answers no key for half a second. A busy page shows it late, and says that the key came too soon. */
    async function untilTaken(act: () => Promise<void>): Promise<void> {
        const tooSoon = workbench.page.page.locator('.companion-review-said');
        do {
            await tooSoon.waitFor({ state: 'detached' });
            await delay(700);
            await act();
        } while ((await tooSoon.count()) > 0);
    }

    const press = (key: string): Promise<void> => untilTaken(() => workbench.page.press(key));
    /** @param word of a button in the bar */
    const answer = (word: string): Promise<void> => untilTaken(() => bar().getByRole('button', { name: word }).click());

    it('is listed with the number of its lines, and nothing opens by itself', async () => {
        const { page } = workbench;
        await tell("sed -i 's/two/TWO/; s/nine/NINE/' a.txt; printf 'new\\n' > new.txt; rm b.txt");
        await view.waitForRows('added new.txt +1', 'deleted b.txt', 'modified a.txt +2 −2');
        await page.waitForStatus('3 changed');
        expect(await agent.hasKeyboard()).to.equal(true);
        expect((await view.groups()).join()).to.contain('demo ·');
    });

    it('is the same after a reload; single changes and whole files are undone and kept', async () => {
        const { page, ide } = workbench;
        await page.reload();
        [agent] = await page.terminals();
        await view.open();
        await view.waitForRows('added new.txt +1', 'deleted b.txt', 'modified a.txt +2 −2');
        await view.show('a.txt');
        await waitForBar('a.txt', 'change 1 of 2', 'file 1 of 3');
        await answer('Undo');
        await view.waitForRows('added new.txt +1', 'deleted b.txt', 'modified a.txt +1 −1');
        expect(await ide.read('a.txt')).to.equal(LINES.replace('nine', 'NINE'));
        await waitForBar('a.txt', 'change 1 of 1');
        await answer('Keep');
        await view.waitForRows('added new.txt +1', 'deleted b.txt');
        await waitForBar('b.txt', 'file 1 of 2');
        await eventually(
            'the diff without changes to close',
            async () => (await page.page.locator('.lm-TabBar-tab', { hasText: 'a.txt (' }).count()) === 0
        );
        await view.press('b.txt', 'discard');
        // The row moves: a click before that would not be taken.
        await view.waitForRows('added new.txt +1');
        await view.press('new.txt', 'discard');
        await view.waitForRows();
        expect(await ide.read('b.txt')).to.equal(LINES);
        expect(await ide.exists('new.txt')).to.equal(false);
    });

    it('is gone through, kept and undone by keys from the terminal, from the first change to the last', async () => {
        const { ide } = workbench;
        await tell("sed -i 's/two/TWO/; s/ten/TEN/' c.txt; sed -i 's/one/ONE/' d.txt; sed -i 's/six/SIX/' e.txt");
        await view.waitForRows('modified c.txt +2 −2', 'modified d.txt +1 −1', 'modified e.txt +1 −1');
        await agent.focus();
        await press('Control+Shift+F6');
        await waitForBar('c.txt', 'change 1 of 2', 'file 1 of 3');
        await agent.focus();
        await press('Control+Shift+F9');
        await waitForBar('c.txt', 'change 1 of 1');
        await press('Control+Shift+F7');
        await waitForBar('d.txt', 'change 1 of 1', 'file 1 of 2');
        expect(await agent.hasKeyboard()).to.equal(true);
        await press('Control+Shift+F6');
        await waitForBar('e.txt', 'file 2 of 2');
        expect(await agent.hasKeyboard()).to.equal(true);
        await press('Control+Shift+F7');
        await waitForBar('d.txt', 'change 1 of 1');
        await press('Control+Shift+F7');
        await view.waitForRows();
        await eventually('all diffs to close', async () => (await bar().count()) === 0);
        expect(await agent.hasKeyboard(), 'which stays where it was').to.equal(true);
        const texts = await Promise.all(['c.txt', 'd.txt', 'e.txt'].map(name => ide.read(name)));
        expect(texts).to.deep.equal([LINES.replace('two', 'TWO'), LINES, LINES]);
    });

    it('has its diffs after two reloads, with the bar; "Review All" can be pressed at once', async () => {
        const { page } = workbench;
        await tell("sed -i 's/five/FIVE/' a.txt; sed -i 's/five/FIVE/' c.txt");
        await view.waitForRows('modified a.txt +1 −1', 'modified c.txt +1 −1');
        await page.execute('companion.changes.review');
        await waitForBar('a.txt', 'file 1 of 2');
        for (const times of ['once', 'twice']) {
            await page.reload();
            await waitForBar('a.txt', 'file 1 of 2');
            expect(await bar().count(), times).to.equal(1);
        }
        [agent] = await page.terminals();
        await page.page.locator('.item.enabled > [id="companion.changes.reviewAll"]').waitFor();
        await page.page.locator('.theia-left-side-panel [id="__more__"]').click();
        const menu = page.page.locator('.lm-Menu-item[data-type="command"]:not(.lm-mod-disabled) > .lm-Menu-itemLabel');
        await eventually('the menu', async () => (await menu.allInnerTexts()).join() === 'Undo All Changes,Keep All Changes,Look Again', {
            state: async () => (await menu.allInnerTexts()).join()
        });
        await page.press('Escape');
        await answer('Keep');
        await waitForBar('c.txt');
        await answer('Undo');
        await view.waitForRows();
    });

    it('is answered by the keys of a proposal in its diff, and saved by the key that saves', async () => {
        const { page, ide } = workbench;
        await tell("sed -i 's/three/THREE/; s/nine/NINE/' e.txt");
        await view.waitForRows('modified e.txt +2 −2');
        await page.execute('companion.changes.review');
        await waitForBar('e.txt', 'change 1 of 2');
        const hover = page.page.locator('.theia-hover:visible');
        await page.page.locator('.lm-TabBar-tab.lm-mod-current', { hasText: 'e.txt (' }).hover();
        await hover.waitFor();
        const [hovers, bars] = [await hover.boundingBox(), await bar().boundingBox()];
        expect(hovers?.y, 'a hover over the bar').to.be.at.least((bars?.y ?? Infinity) + (bars?.height ?? 0));
        await page.page.mouse.move(0, 0);
        await hover.waitFor({ state: 'hidden' });
        await page.press('End', 'x', 'Control+s');
        await eventually('what was typed on disk', async () => (await ide.read('e.txt')).includes('THREEx'));
        await delay(2_000);
        await page.press('Control+Alt+Backspace');
        await eventually('the undo on disk', async () => (await ide.read('e.txt')).includes('\nthree\n'));
        await delay(2_000);
        await page.press('Control+Enter');
        await view.waitForRows();
    });

    it('has its buttons at each change, and keys that go through the changes from the terminal', async () => {
        const { page, ide } = workbench;
        await tell("sed -i 's/three/THREE/; s/ten/TEN/' c.txt");
        await eventually('the row', async () => (await view.rows()).includes('modified c.txt +2 −2'));
        await agent.focus();
        await page.press('Control+Shift+F10');
        const gutter = page.page.locator('.gutterItem');
        await eventually('both changes', async () => (await gutter.count()) === 2);
        const statusBar = (): Promise<string> => page.page.locator('#theia-statusBar').innerText();
        for (const [key, line] of [
            ['Control+Shift+F6', 10],
            ['Control+Shift+F5', 3]
        ] as const) {
            await agent.focus();
            await page.press(key);
            await eventually(`line ${line}`, async () => (await statusBar()).includes(`Ln ${line},`), { state: statusBar });
            expect(await agent.hasKeyboard()).to.equal(true);
        }
        const changed = await ide.read('c.txt');
        await gutter.first().hover();
        // The keys have moved: a click before that would not be taken.
        await delay(700);
        expect(await gutter.first().locator('.action-label:visible').count(), 'Undo and Keep, and nothing that does the same').to.equal(2);
        await gutter.first().locator('[aria-label^="Undo"]').click();
        await eventually('the undo on disk', async () => (await ide.read('c.txt')) === changed.replace('THREE', 'three'));
        await page.press('Control+z', 'Control+s');
        await eventually('it on disk again', async () => (await ide.read('c.txt')) === changed);
        await view.press('c.txt', 'check');
        await view.waitForRows();
    });

    it('is undone when its agent stops, if it works and the user wants that: asked once, shown while it waits, and not if cancelled', async () => {
        const { page, ide } = workbench;
        const before = await ide.read('a.txt');
        await tell("sed -i 's/four/FOUR/' a.txt; printf 'made\\n' > made.txt; read -r stop");
        await view.waitForRows('added made.txt +1', 'modified a.txt +1 −1');
        await page.execute('companion.changes.review');
        await waitForBar('a.txt', 'file 1 of 2');
        const question = page.page.locator('.quick-input-widget:visible');
        const choices = (): Promise<string[]> => question.locator('.monaco-list-row').allInnerTexts();
        const undo = async (): Promise<void> => {
            await press('Control+Shift+F7');
            await eventually('the question', async () => (await choices()).length > 0);
        };
        await undo();
        const LATER_AND_NOW = ['Undo When It Stops', 'Undo Now It does not notice, and may write the file again.'];
        expect((await choices()).map(text => text.trim().replace(/\s+/g, ' '))).to.deep.equal(LATER_AND_NOW);
        await page.press('Escape');
        await question.waitFor({ state: 'hidden' });
        await undo();
        await page.press('Enter');
        await page.answerMessage('Your undo waits until demo stops or asks.', 'Cancel');
        await eventually('the message to go', async () => !(await page.messages()).join().includes('waits until'));
        await undo();
        await page.press('Enter');
        await page.waitForMessage('Your undo waits until demo stops or asks.');
        await view.press('made.txt', 'discard');
        expect([await ide.read('a.txt'), await ide.read('made.txt')]).to.deep.equal([before.replace('four', 'FOUR'), 'made\n']);
        await tell('stop');
        await view.waitForRows();
        expect([await ide.read('a.txt'), await ide.exists('made.txt')]).to.deep.equal([before, false]);
        await eventually('all diffs to close', async () => (await bar().count()) === 0);
        expect((await page.messages()).join()).not.to.include('waits until');
    });

    it('has a row that says when it comes again after Keep', async () => {
        await tell("sed -i 's/four/FOUR/' e.txt");
        await view.waitForRows('modified e.txt +1 −1');
        await view.press('e.txt', 'check');
        await view.waitForRows();
        await tell("sed -i 's/FOUR/4/' e.txt");
        await view.waitForRows('modified e.txt +1 −1');
        expect(await view.row('e.txt').innerText()).to.include('again');
        await view.row('e.txt').getByTitle('e.txt, changed again').waitFor();
        await view.press('e.txt', 'check');
        await view.waitForRows();
    });

    it('is kept from the list by keys alone; screen readers hear what rows and buttons are, and which row has the focus then', async () => {
        const { page, ide } = workbench;
        await tell("sed -i 's/six/SIX/' b.txt c.txt; printf 'made\\n' > made.txt");
        await view.waitForRows('added made.txt +1', 'modified b.txt +1 −1', 'modified c.txt +1 −1');
        const tree = page.page.getByRole('tree', { name: 'Agent Changes' });
        expect(await tree.ariaSnapshot()).to.match(
            /treeitem "demo · [^]*treeitem "b\.txt, changed, demo, lines added: 1, lines removed: 1"[^]*treeitem "c\.txt, [^]*treeitem "made\.txt, new, /
        );
        const focused = (): Promise<string | null | undefined> =>
            page.page.evaluate(() => {
                const list = document.activeElement?.closest('[role="tree"]');
                return list && document.getElementById(list.getAttribute('aria-activedescendant') ?? '')?.getAttribute('aria-label');
            });
        const waitForRow = (name: string): Promise<unknown> =>
            eventually(`the row of ${name} to have the focus`, async () => (await focused())?.startsWith(`${name},`), {
                state: async () => String(await focused())
            });
        await view.row('b.txt').click();
        await waitForBar('b.txt', 'file 1 of 3');
        expect(await bar().ariaSnapshot()).to.match(
            /group "Changes of demo to b\.txt":[^]*button "[^"]*[Ww]rap[^"]*"[^]*button "Keep b\.txt"[^]*button "Undo b\.txt"/
        );
        await page.execute('companion.changes.show');
        await waitForRow('b.txt');
        // Enter only opens, and Backspace does nothing.
        await delay(700);
        await page.press('Backspace', 'Enter');
        await page.execute('companion.changes.show');
        await view.waitForRows('added made.txt +1', 'modified b.txt +1 −1', 'modified c.txt +1 −1');
        for (const [key, next] of [
            ['Control+Enter', 'c.txt'],
            ['Delete', 'made.txt']
        ]) {
            // The row has just come to its place.
            await delay(700);
            const keys = key.split('+');
            for (const each of keys) {
                await page.page.keyboard.down(each);
            }
            await waitForRow(next);
            // It is held: the row that has come to this place gets no answer.
            await delay(700);
            await page.page.keyboard.down(keys[keys.length - 1]);
            for (const each of keys) {
                await page.page.keyboard.up(each);
            }
        }
        await view.waitForRows('added made.txt +1');
        await delay(700);
        await page.press('Control+Enter');
        await view.waitForRows();
        expect(await ide.exists('made.txt')).to.equal(true);
    });

    it('is seen after an undo, with its time and its agent, and can be cleared', async () => {
        const { page, ide } = workbench;
        await tell("printf 'made\\n' > undone.txt");
        await view.waitForRows('added undone.txt +1');
        await view.show('undone.txt');
        await view.press('undone.txt', 'discard');
        await view.waitForRows();
        const tabs = page.page.locator('.lm-TabBar-tab', { hasText: 'undone.txt' });
        await eventually('its tab to close', async () => (await tabs.count()) === 0);
        const group = page.page.locator('#companion-changes [aria-level="1"]', { hasText: /^Undone \(/ });
        await group.click();
        const row = view.row('undone.txt').first();
        expect(await row.innerText()).to.match(/\d:\d\d.* · demo/);
        await row.click();
        const tab = page.page.locator('.lm-TabBar-tab.lm-mod-current', { hasText: 'undone.txt (undone,' });
        await tab.waitFor();
        await page.page.locator('.editor.modified .view-line:visible', { hasText: 'made' }).waitFor();
        expect(await ide.exists('undone.txt')).to.equal(false);
        await tab.locator('.lm-TabBar-tabCloseIcon').click();
        await page.execute('companion.changes.clearUndone');
        await group.waitFor({ state: 'detached' });
    });

    describe('by real CLIs, without asking', () => {
        before(async function () {
            const missing = await Agents.provide();
            if (missing) {
                process.stdout.write(`Claude Code is skipped: ${missing}\n`);
                this.skip();
            }
            // It would be named beside them.
            await agent.press('Control+c');
            await workbench.page.page.locator(`[id="shell-tab-${agent.widgetId}"].companion-agent-working`).waitFor({ state: 'detached' });
            // For 5 s it still counts: the first CLI may write before.
            await delay(6_000);
        });

        it('Qwen Code, in yolo: its changes are listed under its name, and a message says that it does not ask', async () => {
            const { page } = workbench;
            const cli = await Cli.start(QWEN_CODE, workbench, { command: 'qwen --approval-mode yolo', status: 'Qwen Code' });
            const before = await cli.play(cli.readFile('d.txt'), cli.edit('d.txt', 'two', 'TWO'), cli.writeFile('fresh/new.txt', 'new\n'));
            await cli.waitUntilPlayed(before);
            await view.waitForRows('added fresh/new.txt +1', 'modified d.txt +1 −1');
            expect((await view.groups()).join()).to.contain('Qwen Code ·');
            await page.waitForMessage('Qwen Code changes files without a question');
            expect(await page.statusDetails()).to.contain('yolo');
            cli.kill();
            await page.execute('companion.changes.undoAll');
            await view.waitForRows();
            expect(await workbench.ide.read('d.txt')).to.equal(LINES);
            expect(await workbench.ide.exists('fresh'), 'the folder came with the file').to.equal(false);
        });

        it('Claude Code: what it edits unasked is listed, and what is accepted is not; each accept is undone, the last one first; seven files are gone through by keys alone', async () => {
            const { page, ide } = workbench;
            const cli = await Cli.start(CLAUDE_CODE, workbench, { run: () => page.execute('companion.run.claude-code') });
            const inDiff = await cli.play(cli.readFile('d.txt'), cli.edit('d.txt', 'two', 'TWO'));
            await (await page.waitForDiff(ide.file('d.txt'))).accept();
            await cli.waitUntilPlayed(inDiff);
            const inTerminal = await cli.play(cli.edit('d.txt', 'nine', 'NINE'));
            await page.waitForDiff(ide.file('d.txt'));
            await cli.waitForQuestion();
            await cli.acceptInTerminal();
            await cli.waitUntilPlayed(inTerminal);
            await eventually('both accepts', async () => (await view.groups()).join().includes('Accepted (2)'));
            await page.page.locator('#companion-changes [aria-level="1"]', { hasText: 'Accepted (2)' }).click();
            // A row need not be the last one.
            const undo = view.row('d.txt').locator('[aria-label="Undo This Accepted Proposal"]');
            // They are drawn where the mouse is.
            await eventually('a button in both rows', async () => (await undo.count()) === 2);
            await page.page.locator('#companion-changes [aria-level="1"]', { hasText: 'Accepted (2)' }).click();
            await view.waitForRows();
            await page.execute('companion.review.undoAccepted');
            await eventually('the newer accept to be undone', async () => (await ide.read('d.txt')) === LINES.replace('two', 'TWO'));
            await view.waitForRows();
            await page.execute('companion.review.undoAccepted');
            await eventually('both accepts to be undone', async () => (await ide.read('d.txt')) === LINES);
            await page.page.locator('#status-bar-companion-written', { hasText: 'd.txt undone' }).getByText('Tell Claude Code').click();
            await cli.terminal.waitForScreen('I undid your changes to d.txt in the editor.');
            await page.press('Control+u');
            await page.clearMessages();
            await cli.terminal.press('Shift+Tab');
            await cli.terminal.waitForScreen('accept edits on');
            await cli.terminal.submit(await workbench.model.script(cli.readFile('e.txt'), cli.edit('e.txt', 'two', 'TWO')));
            await view.waitForRows('modified e.txt +1 −1');
            await page.waitForMessage('Claude Code changes files without a question');
            await page.clearMessages();
            const edits = ['a', 'b', 'c', 'd'].flatMap(name => [cli.readFile(`${name}.txt`), cli.edit(`${name}.txt`, 'seven', 'SEVEN')]);
            const writes = [cli.writeFile('f.txt', 'new\n'), cli.writeFile('g.txt', 'new\n')];
            await cli.terminal.focus();
            await cli.terminal.submit(await workbench.model.script(...edits, ...writes));
            const changed = ['a', 'b', 'c', 'd', 'e'].map(name => `modified ${name}.txt +1 −1`);
            await view.waitForRows('added f.txt +1', 'added g.txt +1', ...changed);
            // Undo would ask.
            await page.page.locator(`[id="shell-tab-${cli.terminal.widgetId}"].companion-agent-working`).waitFor({ state: 'detached' });
            // The changes of a file in front would come first.
            await page.openFile('agent.sh');
            await cli.terminal.focus();
            await page.press('Control+Shift+F6');
            // That of the turn before comes last.
            for (const [index, name] of ['a', 'b', 'c', 'd', 'f', 'g', 'e'].entries()) {
                await waitForBar(`${name}.txt`, ...(index < 6 ? [`file 1 of ${7 - index}`] : []));
                await press(index % 2 === 0 ? 'Control+Shift+F9' : 'Control+Shift+F7');
            }
            await view.waitForRows();
            await eventually('all diffs to close', async () => (await bar().count()) === 0);
            const texts = await Promise.all(['a', 'b', 'c', 'd'].map(name => ide.read(`${name}.txt`)));
            expect(texts.map(text => text.includes('SEVEN'))).to.deep.equal([true, false, true, false]);
            expect([await ide.read('f.txt'), await ide.exists('g.txt')]).to.deep.equal(['new\n', false]);
            cli.kill();
        });
    });
});
