// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { promises as fs } from 'fs';
import * as path from 'path';
import { Cli } from '../support/cli';
import { GEMINI_CLI, QWEN_CODE } from '../support/cli-words';
import { CuttingProxy } from '../support/cutting-proxy';
import { DiscoveryFile } from '../support/discovery-files';
import { eventually } from '../support/eventually';
import { IdePage } from '../support/ide-page';
import { ReviewDiff } from '../support/review-diff';
import { StatusPick } from '../support/status-pick';
import { Workbench } from '../support/workbench';

/** Two processes of one real CLI and one of the other, started once for all cases, which follow one another. */
describe('Several CLIs at once', () => {
    let workbench: Workbench;
    let qwen: Cli;
    let secondQwen: Cli;
    /** Behind {@link proxy}. */
    let gemini: Cli;
    let proxy: CuttingProxy;

    before(async () => {
        workbench = await Workbench.start({ model: true });
        await workbench.prepare('start of several CLIs', async () => {
            // Written later, it would be listed as changed outside the editor.
            await workbench.ide.write('.env', 'SECRET=1\n');
            qwen = await Cli.start(QWEN_CODE, workbench);
            secondQwen = await Cli.start(QWEN_CODE, workbench, {
                command: 'cd src && qwen',
                status: 'Qwen Code, Qwen Code 2 connected'
            });
            const server = (await workbench.discovery.published()).find(({ kind }) => kind === 'gemini')!;
            proxy = await CuttingProxy.start(`http://127.0.0.1:${server.port}`);
            gemini = await Cli.start(GEMINI_CLI, workbench, {
                command: `TMPDIR='${await publishedThrough(server)}' GEMINI_CLI_IDE_SERVER_PORT=${proxy.port} gemini`,
                status: '3 CLIs connected'
            });
        });
    });
    after(async () => {
        await workbench?.dispose();
        proxy?.dispose();
    });

    it('are distinguished in the list of waiting proposals, and answered separately', async () => {
        const first = await propose(qwen, 'first.txt', 'from the first\n');
        const second = await propose(secondQwen, 'second.txt', 'from the second\n');
        await workbench.page.waitForStatus('3 CLIs connected, 2 proposals waiting');
        const pick = await StatusPick.open(workbench.page.page);
        await pick.waitForItem('second.txt');
        const labels = (await pick.labels()).join('\n');
        expect(labels).to.match(/first\.txt, proposed by Qwen Code,/);
        expect(labels).to.match(/second\.txt, proposed by Qwen Code 2,/);
        await pick.close();
        await second.reject();
        await secondQwen.waitUntilRejected('second.txt');
        await first.accept();
        await written('first.txt', 'from the first\n');
        await workbench.page.waitUntilNoDiff();
        expect(await workbench.ide.exists('second.txt')).to.equal(false);
    });

    it('if one loses its stream while it waits, it still gets the outcome, and shows its diffs again after /ide enable', async () => {
        const waiting = await propose(gemini, 'cut.txt', 'asked before the cut\n');
        proxy.cutStreamsAfter(0);
        await eventually('the stream to be cut', () => proxy.cuts > 0);
        proxy.cutStreamsAfter(undefined);
        await waiting.accept();
        await written('cut.txt', 'asked before the cut\n');
        await gemini.waitForPrompt();

        // Gemini CLI tries twice to get its stream back, and takes the command only once it has given up.
        proxy.refuseStreams(true);
        await workbench.page.waitForStatus('Qwen Code, Qwen Code 2 connected');
        proxy.refuseStreams(false);
        await gemini.terminal.submit('/ide enable');
        await workbench.page.waitForStatus('3 CLIs connected');
        const again = await propose(gemini, 'enabled.txt', 'asked after it\n');
        await again.accept();
        await written('enabled.txt', 'asked after it\n');
        await gemini.waitForPrompt();
    });

    it('if two are killed, their diffs say so and take no accept but a rejection, and the third continues', async () => {
        const living = await propose(qwen, 'living.txt', 'from the living\n');
        const killed = [await propose(secondQwen, 'killed.txt', 'lost\n'), await propose(gemini, 'killed-too.txt', 'lost\n')];
        secondQwen.kill();
        gemini.kill();
        await killed[0].waitForNotice('Qwen Code 2 has stopped responding');
        await killed[1].waitForNotice('Gemini CLI has stopped responding');
        await workbench.page.waitForStatus('Qwen Code connected, 3 proposals waiting');
        expect(await living.notices()).to.deep.equal([]);
        await killed[0].reject();
        await killed[1].button('Accept').click({ force: true });
        expect(await workbench.page.announced()).to.include('Gemini CLI has stopped responding');
        await killed[1].reject();
        await workbench.page.waitForStatus('Qwen Code connected, 1 proposal waiting');
        await living.accept();
        await written('living.txt', 'from the living\n');
        await workbench.page.waitUntilNoDiff();
    });

    /** Has the model propose a new file, and waits until both the diff and the CLI's own question are there. */
    async function propose(cli: Cli, file: string, content: string): Promise<ReviewDiff> {
        await cli.play(cli.writeFile(file, content));
        const diff = await diffWith(workbench.page, file, content);
        await cli.waitForQuestion();
        return diff;
    }

    /** A folder for temporary files in which Gemini CLI finds this server, but behind the proxy. */
    async function publishedThrough(server: DiscoveryFile): Promise<string> {
        const folder = path.join(workbench.ide.root, 'behind-a-proxy');
        const file = path.join(folder, 'gemini', 'ide', `gemini-ide-server-${process.pid}-${proxy.port}.json`);
        await fs.mkdir(path.dirname(file), { recursive: true });
        await fs.writeFile(file, JSON.stringify({ ...server.content, port: proxy.port }), { mode: 0o600 });
        return folder;
    }

    function diffWith(page: IdePage, file: string, content: string): Promise<ReviewDiff> {
        return eventually(`a diff of ${file} with the text of the proposal`, async () => {
            for (const diff of await page.diffs()) {
                if (diff.path === workbench.ide.file(file) && (await diff.right()) === content) {
                    return diff;
                }
            }
            return undefined;
        });
    }

    async function written(file: string, content: string): Promise<void> {
        await eventually(`${file} to be written`, async () => (await workbench.ide.read(file)) === content);
    }
});
