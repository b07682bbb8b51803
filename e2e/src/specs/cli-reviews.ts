// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { Cli } from '../support/cli';
import { CliWords } from '../support/cli-words';
import { ReviewDiff } from '../support/review-diff';
import { Workbench } from '../support/workbench';

const GREETING = 'src/greeting.js';
const FLAW = "    return 'Hello ' + name;";

/** The main job with one real CLI, started by typing its name in the web terminal. One start of the CLI serves all cases. */
export function describeReviewsWith(words: CliWords): void {
    describe(`${words.name} in the web terminal`, () => {
        let workbench: Workbench;
        let cli: Cli;

        before(async () => {
            workbench = await Workbench.start({ model: true });
            await workbench.prepare(`start of ${words.name}`, async () => {
                const editor = await workbench.page.openFile(GREETING);
                await editor.selectLineContainingText('return');
                cli = await Cli.start(words, workbench);
            });
        });
        after(() => workbench?.dispose());

        it('C13, K4: tells the model the open file and the selected text', async () => {
            const before = await cli.play(cli.readFile('README.md'));
            const [{ prompt }] = (await workbench.model.requests()).filter(({ number }) => number > before);
            expect(prompt).to.contain(workbench.ide.file(GREETING));
            expect(prompt).to.contain(FLAW.trim());
            await cli.waitUntilPlayed(before);
        });

        it('O6, N1, N2: writes what is accepted', async () => {
            const original = await workbench.ide.read(GREETING);
            const proposal = original.replace(FLAW, '    return `Hello, ${name}!`;');
            const before = await cli.play(cli.readFile(GREETING), cli.edit(GREETING, FLAW, '    return `Hello, ${name}!`;'));
            const diff = await workbench.page.waitForDiff(workbench.ide.file(GREETING));
            expect(await diff.left()).to.equal(original);
            expect(await diff.right()).to.equal(proposal);
            expect(await workbench.ide.read(GREETING), 'nothing is written before the answer').to.equal(original);
            await diff.accept();
            await cli.waitUntilPlayed(before);
            expect(await workbench.ide.read(GREETING)).to.equal(proposal);
            await workbench.page.waitUntilNoDiff();
        });

        it('N3: writes what the user made of the proposal', async () => {
            const { before, diff } = await propose('edited.txt', 'from the model\n');
            expect(await diff.left()).to.equal('');
            await diff.typeAtEnd('from the user\n');
            await diff.accept();
            await cli.waitUntilPlayed(before);
            expect(await workbench.ide.read('edited.txt')).to.equal('from the model\nfrom the user\n');
            await workbench.page.waitUntilNoDiff();
        });

        it('N1: accepts with Ctrl+S in the diff', async () => {
            const { before, diff } = await propose('saved.txt', 'by key\n');
            await diff.press('Control+s');
            await cli.waitUntilPlayed(before);
            expect(await workbench.ide.read('saved.txt')).to.equal('by key\n');
            await workbench.page.waitUntilNoDiff();
        });

        it('N4: writes nothing of what is rejected', async () => {
            const { diff } = await propose('rejected.txt', 'unwanted\n');
            await diff.reject();
            await cli.waitUntilRejected('rejected.txt');
            expect(await workbench.ide.exists('rejected.txt')).to.equal(false);
            await workbench.page.waitUntilNoDiff();
        });

        it('N5: takes a closed tab for a rejection', async () => {
            const { diff } = await propose('closed.txt', 'unwanted\n');
            await diff.closeTab();
            await cli.waitUntilRejected('closed.txt');
            expect(await workbench.ide.exists('closed.txt')).to.equal(false);
            await workbench.page.waitUntilNoDiff();
        });

        it('X6, K1: closes the diff of what is accepted in the terminal', async () => {
            const { before } = await propose('terminal-accepted.txt', 'from the terminal\n');
            await cli.acceptInTerminal();
            await workbench.page.waitUntilNoDiff();
            await cli.waitUntilPlayed(before);
            expect(await workbench.ide.read('terminal-accepted.txt')).to.equal('from the terminal\n');
        });

        it('X6: closes the diff of what is rejected in the terminal', async () => {
            await propose('terminal-rejected.txt', 'unwanted\n');
            await cli.rejectInTerminal();
            await workbench.page.waitUntilNoDiff();
            await cli.waitUntilRejected('terminal-rejected.txt');
            expect(await workbench.ide.exists('terminal-rejected.txt')).to.equal(false);
        });

        if (words.takesEditsFromClosedDiff) {
            it('X4, K2: keeps an edit made in the diff when the proposal is accepted in the terminal', async () => {
                const { before, diff } = await propose('both.txt', 'from the model\n');
                await diff.typeAtEnd('from the user\n');
                await cli.acceptInTerminal();
                await workbench.page.waitUntilNoDiff();
                await cli.waitUntilPlayed(before);
                expect(await workbench.ide.read('both.txt')).to.equal('from the model\nfrom the user\n');
            });
        }

        it('has the waiting diff and the connection again after a reload of the page', async () => {
            const { before, diff } = await propose('reloaded.txt', 'before the reload\n');
            await diff.typeAtEnd('edited\n');
            await workbench.page.reload();
            const restored = await workbench.page.waitForDiff(workbench.ide.file('reloaded.txt'));
            expect(await restored.right()).to.equal('before the reload\nedited\n');
            await cli.findTerminal();
            await restored.accept();
            await cli.waitUntilPlayed(before);
            expect(await workbench.ide.read('reloaded.txt')).to.equal('before the reload\nedited\n');

            const next = await propose('after-reload.txt', 'after the reload\n');
            await next.diff.accept();
            await cli.waitUntilPlayed(next.before);
            expect(await workbench.ide.read('after-reload.txt')).to.equal('after the reload\n');
        });

        /** Has the model propose a new file, and waits until both the diff and the CLI's own question are there. */
        async function propose(file: string, content: string): Promise<{ before: number; diff: ReviewDiff }> {
            const before = await cli.play(cli.writeFile(file, content));
            const diff = await workbench.page.waitForDiff(workbench.ide.file(file));
            await cli.waitForQuestion();
            return { before, diff };
        }
    });
}
