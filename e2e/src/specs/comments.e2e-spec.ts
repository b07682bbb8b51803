// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { promises as fs } from 'fs';
import * as path from 'path';
import { Agents } from '../support/agents';
import { ChangesView } from '../support/changes-view';
import { Cli } from '../support/cli';
import { CLAUDE_CODE, CliWords, COPILOT_CLI, GEMINI_CLI, QWEN_CODE } from '../support/cli-words';
import { delay, eventually } from '../support/eventually';
import { IdePage } from '../support/ide-page';
import { ProtocolClient } from '../support/protocol-client';
import { StatusPick } from '../support/status-pick';
import { Workbench } from '../support/workbench';

const NUMBERS = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight'].join('\n') + '\n';
const FIRST = 'is this "right"?';
const SECOND = "第二行: it's wrong";
const MOVED = 'this one has moved';
const DELETED = 'why was this here';
/** An Enter that follows text at once is taken for a pasted line break. */
const PAUSE_BEFORE_ENTER = 600;
const QUIET_MS = 1_500;

/** The cases follow one another. */
describe('Comments on lines', () => {
    let workbench: Workbench;

    before(async function () {
        const missing = await Agents.provide();
        workbench = await Workbench.start({
            model: true,
            files: { 'notes.txt': NUMBERS, 'other.txt': NUMBERS },
            prepare: async ide => {
                if (!missing) {
                    await Agents.link(ide, 'claude');
                    await Agents.link(ide, 'copilot');
                }
            }
        });
    });
    after(() => workbench?.dispose());

    function zones(page = workbench.page): ReturnType<IdePage['page']['locator']> {
        return page.page.locator('.companion-comment:visible');
    }

    async function comment(line: number, ...texts: string[]): Promise<void> {
        const { page } = workbench;
        const before = await zones().count();
        await page.press('Control+k', 'Control+Alt+c');
        await eventually('the comment to open', async () => (await zones().count()) === before + 1, {
            state: async () => `line ${line}; messages ${(await page.messages()).join()}`
        });
        for (const [index, text] of texts.entries()) {
            if (index > 0) {
                await page.press('Enter');
            }
            await page.page.keyboard.insertText(text);
        }
    }

    /** With keys: what is between the lines does not count. */
    async function goTo(file: string, line: number): Promise<void> {
        await workbench.page.openFile(file);
        await workbench.page.press('Control+Home', ...Array.from({ length: line - 1 }, () => 'ArrowDown'));
    }

    async function commentIn(file: string, line: number, ...texts: string[]): Promise<void> {
        await goTo(file, line);
        await comment(line, ...texts);
        await workbench.page.press('Escape');
    }

    async function texts(page = workbench.page): Promise<string[]> {
        return zones(page)
            .locator('textarea')
            .evaluateAll(areas => areas.map(area => (area as HTMLTextAreaElement).value));
    }

    async function labels(): Promise<Array<string | null>> {
        return zones()
            .locator('textarea')
            .evaluateAll(areas => areas.map(area => area.getAttribute('aria-label')));
    }

    async function waitForTexts(...expected: string[]): Promise<void> {
        await eventually(
            `the comments ${expected.join(' | ')}`,
            async () => (await texts()).sort().join() === [...expected].sort().join(),
            {
                state: async () => (await texts()).join(' | ')
            }
        );
    }

    it('are typed by keyboard alone, with names for a screen reader, and counted in the status', async () => {
        await commentIn('notes.txt', 3, FIRST, SECOND);
        await commentIn('notes.txt', 6, DELETED);
        await commentIn('other.txt', 5, MOVED);
        await workbench.page.waitForStatus('3 comments');
        await workbench.page.openFile('notes.txt');
        await waitForTexts(`${FIRST}\n${SECOND}`, DELETED);
        expect(await labels()).to.deep.equal(['Comment on notes.txt: Line 3', 'Comment on notes.txt: Line 6']);
    });

    it('are still there, each at its line, after a reload while one is typed and after the backend was killed', async () => {
        const { ide } = workbench;
        await goTo('notes.txt', 8);
        await comment(8, 'typed a moment ago');
        await workbench.page.reload();
        await workbench.page.openFile('notes.txt');
        await waitForTexts(`${FIRST}\n${SECOND}`, DELETED, 'typed a moment ago');
        await zones().filter({ hasText: 'Line 8' }).getByRole('button', { name: 'Discard' }).click();
        await waitForTexts(`${FIRST}\n${SECOND}`, DELETED);
        // Only what is on disk is gone for good.
        const files = path.join(ide.home, '.theia', 'theia-cli-companion', 'comments');
        await eventually('the comment to be gone from the disk', async () => (await fs.readdir(files)).length === 3);
        await ide.end('SIGKILL');
        await ide.restart(true);
        await workbench.page.reload();
        await workbench.page.waitForStatus('3 comments');
        await workbench.page.openFile('notes.txt');
        await waitForTexts(`${FIRST}\n${SECOND}`, DELETED);
        const elsewhere = await workbench.openElsewhere();
        await elsewhere.openFile('notes.txt');
        await eventually('the comments on another device', async () => (await texts(elsewhere)).length === 2);
        await elsewhere.close();
    });

    it('follow their lines, and say so where a line is gone', async () => {
        const { page, ide } = workbench;
        await goTo('other.txt', 1);
        await page.press('Enter', 'Enter');
        await eventually('the comment to follow', async () => (await labels())[0] === 'Comment on other.txt: Line 7', {
            state: async () => (await labels()).join()
        });
        await page.press('Control+s');
        await eventually('it to be saved', async () => (await ide.read('other.txt')).startsWith('\n\none'));
        await page.openFile('notes.txt');
        await waitForTexts(`${FIRST}\n${SECOND}`, DELETED);
        // As a program writes it.
        await ide.write('notes.txt', NUMBERS.replace('six\n', ''));
        await eventually('the line to be missed', async () => (await labels()).includes('Comment on notes.txt: Line not found: six'), {
            state: async () => (await labels()).join()
        });
    });

    it('are gone through by key, in all files', async () => {
        const { page } = workbench;
        const seen: string[] = [];
        for (let n = 0; n < 3; n++) {
            await page.press('Alt+F9');
            seen.push(
                await eventually('another comment to have the keyboard', async () => {
                    const text = await page.page.evaluate(() => (document.activeElement as HTMLTextAreaElement | null)?.value ?? '');
                    return text !== '' && !seen.includes(text) && text;
                })
            );
        }
        expect(seen).to.have.members([`${FIRST}\n${SECOND}`, DELETED, MOVED]);
        await page.press('Escape');
    });

    function itSends(words: CliWords): void {
        it(`are in the model's request of ${words.name} once the user sends the prompt off`, async () => {
            const { page, model } = workbench;
            const cli = await Cli.start(words, workbench, { run: () => page.execute(`companion.run.${words.id}`) });
            // Copilot CLI (1.0.102) empties its prompt when it has connected to the IDE.
            await eventually('it to write nothing more', async () => {
                const screen = await cli.terminal.screen();
                await delay(QUIET_MS);
                return (await cli.terminal.screen()) === screen;
            });
            const before = await model.newest();
            await page.execute('companion.comments.send');
            await eventually('the keyboard to be in the terminal', () => cli.terminal.hasKeyboard(), {
                state: async () => (await page.messages()).join()
            });
            const question = await model.script(cli.readFile('README.md'));
            // Copilot CLI (1.0.102) folds what is long, and drops keys that follow it at once.
            await delay(PAUSE_BEFORE_ENTER);
            await page.page.keyboard.type(question);
            await cli.terminal.waitForScreen(':END');
            expect(await model.newest(), 'nothing is sent off').to.equal(before);
            await delay(PAUSE_BEFORE_ENTER);
            await page.press('Enter');
            const { prompt } = await model.waitForRequest('the comments', before, request => request.prompt.includes(question));
            expect(prompt).to.match(/notes\.txt"? \(line 3\):\n```\nthree\n```/);
            expect(prompt).to.include(`${FIRST}\n${SECOND}`);
            expect(prompt).to.match(/notes\.txt"? \(was at line 6, which this file does not have now\):\n```\nsix\n```/);
            expect(prompt).to.include(DELETED);
            expect(prompt).to.match(/other\.txt"? \(line 7\):\n```\nfive\n```/);
            expect(prompt).to.include(MOVED);
            await cli.waitUntilPlayed(before);
            await cli.quit();
        });
    }

    itSends(QWEN_CODE);

    it('that were sent are shown in the list only, and can be sent again', async () => {
        const { page } = workbench;
        await page.openFile('notes.txt');
        await waitForTexts();
        const pick = await StatusPick.open(page.page);
        await pick.waitForItem(MOVED);
        expect((await pick.labels()).filter(label => label.includes('sent'))).to.have.length(3);
        await pick.close();
    });

    itSends(CLAUDE_CODE);
    itSends(COPILOT_CLI);
    itSends(GEMINI_CLI);

    it('go when the next ones are sent, and stay if no CLI takes text', async () => {
        const { page } = workbench;
        await commentIn('other.txt', 1, 'a new one');
        await page.waitForStatus('1 comment');
        await page.execute('companion.comments.send');
        await page.waitForMessage('takes text now.');
        await page.waitForStatus('1 comment');
    });

    it('can be made with the button beside a line', async () => {
        const { page } = workbench;
        await page.openFile('notes.txt');
        await page.page.locator('.theia-editor:visible .view-line', { hasText: 'two' }).hover();
        await page.page.locator('.theia-editor:visible .companion-comment-add').click();
        await page.page.keyboard.insertText('by the mouse');
        await waitForTexts('by the mouse');
        expect(await labels()).to.deep.equal(['Comment on notes.txt: Line 2']);
        await page.press('Escape');
    });

    it('are sent to the CLI of a proposal that is rejected with them', async () => {
        const { page, ide, model } = workbench;
        const cli = await Cli.start(QWEN_CODE, workbench);
        await cli.play(cli.writeFile('asked.txt', 'one\ntwo\n'));
        const diff = await page.waitForDiff(ide.file('asked.txt'));
        await cli.waitForQuestion();
        await page.page.locator('.editor.modified .view-line:visible', { hasText: 'two' }).click();
        await comment(2, 'two is wrong');
        await page.press('Escape');
        await diff.look();
        const changes = new ChangesView(page, ide.workspace);
        await changes.open();
        await eventually('the group of comments', async () => (await changes.groups()).join().includes('Your comments on lines'), {
            state: async () => (await changes.groups()).join()
        });
        await diff.look();
        await diff.answer('companion.comments.reject').click();
        // Of a long prompt the screen has the end.
        await cli.terminal.waitForScreen(/two is wrong|by the mouse|Pasted Content/);
        const asked = await model.newest();
        expect(await ide.exists('asked.txt')).to.equal(false);
        expect(await model.newest(), 'nothing is sent off').to.equal(asked);
        const pick = await StatusPick.open(page.page);
        await pick.waitForItem('sent');
        await pick.close();
    });

    it('on a proposal follow what is typed into it, and stay comments of the file when it is rejected', async () => {
        const { page, ide } = workbench;
        const client = await ProtocolClient.connect(ide, 'qwen-lock');
        await client.openDiff(ide.file('new.txt'), 'proposed\nand more\n');
        const diff = await page.waitForDiff(ide.file('new.txt'));
        await diff.activate();
        await page.page.locator('.editor.modified .view-line:visible', { hasText: 'and more' }).click();
        await comment(2, 'not this');
        await diff.look();
        // By habit. It accepts nothing: the comment has the keyboard.
        await page.press('Control+s');
        await page.press('Escape', 'Control+Home', 'Enter');
        await eventually('the comment to follow', async () => (await labels()).join() === 'Comment on new.txt: Line 3', {
            state: async () => (await labels()).join()
        });
        await diff.reject();
        await page.waitUntilNoDiff();
        const pick = await StatusPick.open(page.page);
        await pick.waitForItem('not this');
        await pick.close();
        await client.disconnect();
    });
});
