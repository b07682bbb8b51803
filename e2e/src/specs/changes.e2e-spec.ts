// SPDX-License-Identifier: Apache-2.0

import { execFileSync } from 'child_process';
import { expect } from 'chai';
import { Agents } from '../support/agents';
import { ChangesView } from '../support/changes-view';
import { eventually } from '../support/eventually';
import { IdeFixture } from '../support/ide-fixture';
import { Terminal } from '../support/terminal';
import { Workbench } from '../support/workbench';

const LINES = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n';

/** Does what it is told, as a program that says that it works. */
const AGENT = `
printf '\\033]7501;state=working:app=demo\\033\\\\'
while IFS= read -r line; do eval "$line"; echo "did it"; done
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
        const files = { 'agent.sh': AGENT, 'a.txt': LINES, 'b.txt': LINES, 'c.txt': LINES, 'lines.txt': LINES.replaceAll('\n', '\r\n') };
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

    it('is listed with the number of its lines, and nothing opens by itself', async () => {
        const { page } = workbench;
        await tell("sed -i 's/two/TWO/; s/nine/NINE/' a.txt; printf 'new\\n' > new.txt; rm b.txt");
        await view.waitForRows('added new.txt +1', 'deleted b.txt', 'modified a.txt +2 −2');
        await page.waitForStatus('3 changed');
        expect(await agent.hasKeyboard()).to.equal(true);
        expect((await view.groups()).join()).to.contain('Outside the editor');
    });

    it('is the same after a reload, and one change of a file is undone and one is kept', async () => {
        const { page, ide } = workbench;
        await page.reload();
        [agent] = await page.terminals();
        await view.open();
        await view.waitForRows('added new.txt +1', 'deleted b.txt', 'modified a.txt +2 −2');
        await view.show('a.txt');
        await eventually('the first change to be shown', () => page.page.locator('.codicon-discard').first().isVisible());
        await page.execute('companion.changes.undo');
        await view.waitForRows('added new.txt +1', 'deleted b.txt', 'modified a.txt +1 −1');
        expect(await ide.read('a.txt')).to.equal(LINES.replace('nine', 'NINE'));
        await page.execute('companion.changes.next');
        await page.execute('companion.changes.keep');
        await view.waitForRows('added new.txt +1', 'deleted b.txt');
    });

    it('is undone for whole files: a new one goes, a deleted one is there again', async () => {
        const { ide } = workbench;
        await view.press('b.txt', 'discard');
        await view.press('new.txt', 'discard');
        await eventually('both to be as before', async () => (await ide.exists('b.txt')) && !(await ide.exists('new.txt')));
        expect(await ide.read('b.txt')).to.equal(LINES);
        await view.waitForRows();
    });

    it('has no line that the user typed, and Ctrl+Z brings back what an undo took', async () => {
        const { page, ide } = workbench;
        await tell("sed -i 's/two/by the agent/' c.txt");
        await eventually('the row', async () => (await view.rows()).includes('modified c.txt +1 −1'));
        const editor = await page.openFile('c.txt');
        await editor.placeCursorInLineContainingText('eight');
        await page.press('Home');
        await page.page.keyboard.type('mine ');
        await editor.save();
        await eventually('the same row', async () => (await view.rows()).includes('modified c.txt +1 −1'));
        await view.press('c.txt', 'discard');
        await eventually('the undo on disk', async () => (await ide.read('c.txt')) === LINES.replace('eight', 'mine eight'));
        await editor.focus();
        await page.press('Control+z');
        await editor.save();
        await eventually('the row again', async () => (await view.rows()).includes('modified c.txt +1 −1'));
        await view.press('c.txt', 'check');
    });
});
