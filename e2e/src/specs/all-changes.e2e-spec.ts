// SPDX-License-Identifier: Apache-2.0

import { execFileSync } from 'child_process';
import { expect } from 'chai';
import { Locator } from '@playwright/test';
import { ChangesView } from '../support/changes-view';
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

async function prepare(ide: IdeFixture): Promise<void> {
    const git = (...args: string[]): string => execFileSync('git', args, { cwd: ide.workspace, encoding: 'utf8' });
    git('init', '-q');
    git('add', '-A');
    git('-c', 'user.name=T', '-c', 'user.email=t@example.org', 'commit', '-q', '-m', 'first');
}

describe('What agents changed, all files below each other', () => {
    let workbench: Workbench;
    let agent: Terminal;
    let view: ChangesView;

    before(async () => {
        const names = ['a.txt', 'b.txt', 'c.txt', 'd.txt', 'e.txt'];
        const files = { 'agent.sh': AGENT, ...Object.fromEntries(names.map(name => [name, LINES])) };
        workbench = await Workbench.start({ files, prepare });
        agent = await workbench.page.openTerminal();
        await agent.run('bash agent.sh');
        await workbench.page.page.locator(`[id="shell-tab-${agent.widgetId}"].companion-agent-working`).waitFor();
        view = new ChangesView(workbench.page, workbench.ide.workspace);
        await view.open();
        // Nothing is listed.
        await workbench.page.page.locator('.item:not(.enabled) > [id="companion.changes.reviewAll"]').waitFor();
    });
    after(() => workbench?.dispose());

    const said = (text: string | RegExp): Locator =>
        workbench.page.page.locator('.theia-notification-list-item:visible', { hasText: text });

    /** Answers, until just these are listed. A busy page shows a file late, and then says that the answer came too soon, or for another text. */
    async function answer(act: () => Promise<void>, ...rows: string[]): Promise<void> {
        let isTaken = false;
        while (!isTaken) {
            const refusal = said(/Not answered|changed since this was shown/);
            await refusal.waitFor({ state: 'detached' });
            await delay(700);
            await act();
            await eventually(`the answer to be taken, or to have come too soon`, async () => {
                isTaken = await view.hasRows(...rows);
                return isTaken || (await refusal.count()) > 0;
            });
        }
    }

    it('is read, opened at a line, kept and undone, and the keyboard stays in the terminal', async () => {
        const { page, ide } = workbench;
        const tell = async (command: string): Promise<void> => {
            await agent.focus();
            await agent.submit(command);
        };
        const before = await ide.read('a.txt');
        const changed = ['a', 'c', 'd', 'e'].map(name => `${name}.txt`);
        await tell(`sed -i 's/eight/EIGHT/' ${changed.join(' ')}; rm b.txt; printf '\\000' > data.bin`);
        await view.waitForRows('binary data.bin', 'deleted b.txt', ...changed.map(name => `modified ${name} +1 −1`));
        await page.execute('companion.changes.reviewAll');
        const all = page.page.locator('.companion-review-all');
        const button = (name: string): Locator => all.getByRole('button', { name, exact: true });
        const focused = (): Promise<string | null | undefined> =>
            page.page.evaluate(() => document.activeElement?.closest('.companion-review-all') && document.activeElement.ariaLabel);
        const waitForFocus = (name: string): Promise<unknown> =>
            eventually(`the focus in ${name}`, async () => (await focused())?.startsWith(name), {
                state: async () => String(await focused())
            });
        await waitForFocus('a.txt');
        const models = (): Promise<string[]> => page.page.evaluate(() => window.companionProbe.models());
        expect((await models()).join()).not.to.include('e.txt', 'which is not scrolled to');
        await page.press('x', 'Backspace');
        expect(await ide.read('a.txt'), 'only read').to.equal(before.replace('eight', 'EIGHT'));
        // From file to file, to the last one and over its end.
        for (const name of ['a.txt', 'b.txt', 'c.txt', 'd.txt', 'data.bin', 'e.txt', 'a.txt']) {
            await page.press('Control+Shift+F6');
            await waitForFocus(name);
            await all.getByRole('button', { name: `${name}, ` }).waitFor();
        }
        expect(await button('Undo All Changes of the File: a.txt').isEnabled()).to.equal(true);
        await page.press('ArrowDown', 'ArrowDown', 'Enter');
        await page.page.locator('.companion-review-bar:visible', { hasText: 'file 1 of 6' }).waitFor();
        const statusBar = (): Promise<string> => page.page.locator('#theia-statusBar').innerText();
        await eventually('line 10', async () => (await statusBar()).includes('Ln 10,'), { state: statusBar });
        await page.execute('companion.changes.reviewAll');
        const entry = all.locator('.multiDiffEntry', { has: page.page.locator('.companion-review-all-file', { hasText: 'a.txt' }) });
        await entry.locator('.modified .view-line', { hasText: 'EIGHT' }).click();
        await eventually('line 8', async () => (await statusBar()).includes('Ln 8,'), { state: statusBar });
        await page.execute('companion.changes.reviewAll');
        await waitForFocus('a.txt');
        const others = ['c', 'd', 'e'].map(name => `modified ${name}.txt +1 −1`);
        const keepA = async (): Promise<void> => {
            await button('Keep All Changes of the File: a.txt').focus();
            await page.press('Enter');
        };
        await answer(keepA, 'binary data.bin', 'deleted b.txt', ...others);
        await button('Keep All Changes of the File: a.txt').waitFor({ state: 'detached' });
        await answer(() => button('Undo All Changes of the File: b.txt').click(), 'binary data.bin', ...others);
        await eventually('b.txt to be back', () => ide.exists('b.txt'));
        await agent.focus();
        await tell("sed -i 's/EIGHT/8/' a.txt; sed -i 's/EIGHT/eight/' c.txt d.txt e.txt; rm data.bin");
        await view.waitForRows('modified a.txt +1 −1');
        await eventually(
            'only a.txt',
            async () => (await all.locator('.companion-review-all-file:visible').allInnerTexts()).join() === 'a.txt'
        );
        expect(await agent.hasKeyboard()).to.equal(true);
        await view.press('a.txt', 'discard');
        await view.waitForRows();
        await eventually('the empty list', async () => (await all.innerText()).includes('Nothing was changed outside the editor'));
        await page.execute('core.close.all.main.tabs');
        await eventually('no text to be left', async () => !(await models()).join().includes('companion-'));
    });

    it('keeps and undoes the change at the cursor, by the keys of a diff, also from the terminal, and goes on to the next one', async () => {
        const { page, ide } = workbench;
        await agent.focus();
        const z = 'added z.txt +200';
        const before = await ide.read('a.txt');
        await agent.submit("seq -f 'new %g' 200 > z.txt");
        await view.waitForRows(z);
        await agent.submit("sed -i 's/two/TWO/;s/nine/NINE/' a.txt c.txt");
        await view.waitForRows('modified a.txt +2 −2', 'modified c.txt +2 −2', z);
        await page.execute('companion.changes.reviewAll');
        const all = page.page.locator('.companion-review-all');
        const header = (name: string): Locator => page.page.locator('.companion-review-all-file', { hasText: name });
        const active = (name: string): Promise<unknown> => all.locator('.multiDiffEntry.active:visible', { has: header(name) }).waitFor();
        const nine = all.locator('.multiDiffEntry:visible', { has: header('a.txt') }).locator('.modified .view-line', { hasText: 'NINE' });
        await active('a.txt');
        await all.locator('.multiDiffEntry.active:visible .line-insert').first().waitFor();
        await page.press('Control+Shift+F6');
        await answer(() => page.press('Control+Enter'), 'modified a.txt +1 −1', 'modified c.txt +2 −2', z);
        expect(await ide.read('a.txt')).to.equal(before.replace('two', 'TWO').replace('nine', 'NINE'));
        // What is scrolled away is not answered.
        await agent.focus();
        await all.hover();
        await eventually('a.txt to be out of view', async () => !(await nine.isVisible()) || page.page.mouse.wheel(0, 400));
        await delay(700);
        await page.press('Control+Shift+F9');
        await said('Not answered').waitFor();
        await nine.waitFor();
        expect(await view.rows()).to.include('modified a.txt +1 −1');
        await answer(() => page.press('Control+Shift+F7'), 'modified c.txt +2 −2', z);
        expect(await ide.read('a.txt')).to.equal(before.replace('two', 'TWO'));
        await active('c.txt');
        await page.press('Control+Shift+F6');
        await answer(() => page.press('Control+Shift+F9'), 'modified c.txt +1 −1', z);
        await active('z.txt');
        await page.press('Control+Shift+F5');
        await active('c.txt');
        expect(await agent.hasKeyboard()).to.equal(true);
        // The button of another file than the active one: the keyboard goes on from there.
        const undoZ = async (): Promise<void> => {
            await all.getByRole('button', { name: 'Undo All Changes of the File: z.txt', exact: true }).focus();
            await active('z.txt');
            await page.press('Enter');
        };
        await answer(undoZ, 'modified c.txt +1 −1');
        await active('c.txt');
        await answer(() => page.press('Control+Alt+Backspace'));
        expect(await ide.read('c.txt')).to.equal(LINES.replace('nine', 'NINE'));
        await page.execute('core.close.all.main.tabs');
    });

    it('keeps a new file into which the user has typed', async () => {
        const { page, ide } = workbench;
        await agent.focus();
        await agent.submit('echo agent > typed.txt');
        await view.waitForRows('added typed.txt +1');
        await (await page.openFile('typed.txt')).activate();
        await page.press('Control+End');
        await page.page.keyboard.type('mine');
        await page.press('Control+s');
        await eventually('the save', async () => (await ide.read('typed.txt')) === 'agent\nmine');
        await view.waitForRows('added typed.txt +1');
        await page.execute('companion.changes.reviewAll');
        const all = page.page.locator('.companion-review-all');
        await answer(() => all.getByRole('button', { name: 'Keep All Changes of the File: typed.txt' }).click());
    });

    it('gets the keyboard, has no long file open, wraps its lines, and stays at its line while files go', async () => {
        const { page, ide } = workbench;
        const long = (name: string, count: number): string => `seq ${count} | sed 's/^/${name}-/;s/$/;/' > ${name}.txt`;
        await agent.focus();
        await agent.submit(`printf '\\000' | tee 0.bin > 1.bin; ${long('huge', 5_000)}; ${long('p', 100)}; ${long('q', 100)}`);
        // What is typed while the agent is still at work stands between its output, and is not found.
        await view.waitForRows('binary 0.bin', 'binary 1.bin', 'added huge.txt +5000', 'added p.txt +100', 'added q.txt +100');
        await agent.submit("printf '%0300d-end\\n' 0 >> q.txt");
        await view.waitForRows('binary 0.bin', 'binary 1.bin', 'added huge.txt +5000', 'added p.txt +100', 'added q.txt +101');
        await agent.focus();
        await page.execute('companion.changes.reviewAll');
        const all = page.page.locator('.companion-review-all');
        const line = (text: string): Locator => all.locator('.modified .view-line', { hasText: text });
        const isInView = async (text: string): Promise<boolean> => {
            const place = await all.boundingBox();
            const boxes = await line(text).evaluateAll(elements =>
                elements.map(element => element.getBoundingClientRect().toJSON() as DOMRect)
            );
            return place !== null && boxes.some(({ top, bottom }) => top > place.y && bottom < place.y + place.height);
        };
        const scrollTo = (text: string): Promise<unknown> =>
            eventually(text, async () => (await isInView(text)) || page.page.mouse.wheel(0, 100), { interval: 30 });
        await eventually('the keyboard', () => page.page.evaluate(() => document.activeElement?.closest('.companion-review-all') !== null));
        await all.getByRole('button', { name: 'huge.txt, new' }).waitFor();
        const first = all.getByRole('button', { name: /^0\.bin,/ });
        const beginning = await first.boundingBox();
        await ide.write('0.bin', '\0\0');
        await ide.write('p.txt', `${await ide.read('p.txt')}last\n`);
        await view.waitForRows('binary 0.bin', 'binary 1.bin', 'added huge.txt +5000', 'added p.txt +101', 'added q.txt +101');
        expect(await first.boundingBox()).to.deep.equal(beginning);
        await all.hover();
        await scrollTo('p-50;');
        expect(await line('huge-2;').count()).to.equal(0);
        const keepP = (): Promise<void> => all.getByRole('button', { name: 'Keep All Changes of the File: p.txt', exact: true }).click();
        await answer(keepP, 'binary 0.bin', 'binary 1.bin', 'added huge.txt +5000', 'added q.txt +101');
        await eventually('the beginning of q.txt', () => isInView('q-1;'));
        await scrollTo('q-50;');
        // Monaco scrolls smoothly.
        await delay(700);
        const before = await line('q-50;').boundingBox();
        await ide.remove('huge.txt');
        await view.waitForRows('binary 0.bin', 'binary 1.bin', 'added q.txt +101');
        await all.getByRole('button', { name: 'huge.txt, new' }).waitFor({ state: 'detached' });
        expect(await line('q-50;').boundingBox()).to.deep.equal(before);
        await scrollTo('0-end');
        expect((await line('0-end').innerText()).length, 'a part of its line').to.be.below(200);
    });
});
