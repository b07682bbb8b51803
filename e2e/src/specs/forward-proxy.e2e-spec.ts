// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { Agents } from '../support/agents';
import { Cli } from '../support/cli';
import { CLAUDE_CODE, CliWords, QWEN_CODE } from '../support/cli-words';
import { eventually } from '../support/eventually';
import { ForwardProxy } from '../support/forward-proxy';
import { Workbench } from '../support/workbench';

const VARIABLES = ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'];

describe('In terminals with an HTTP proxy and no NO_PROXY', () => {
    let proxy: ForwardProxy;
    let workbench: Workbench;
    let missing: string | undefined;

    before(async () => {
        missing = await Agents.provide();
        proxy = await ForwardProxy.start();
        workbench = await Workbench.start({
            model: true,
            files: { 'note.txt': 'the text before\n' },
            environment: Object.fromEntries(VARIABLES.map(name => [name, proxy.url])),
            prepare: async ide => (missing ? undefined : Agents.link(ide, 'claude'))
        });
    });
    after(async () => {
        await workbench?.dispose();
        proxy?.dispose();
    });

    /** One edit is accepted in the diff, the other one in the terminal. The model is behind the proxy, so it sees what the model is told. */
    async function editTwice(words: CliWords, command: string): Promise<void> {
        const { page, ide, model, discovery } = workbench;
        const cli = await Cli.start(words, workbench, { run: () => page.execute(command) });
        const inDiff = await cli.play(cli.readFile('note.txt'), cli.edit('note.txt', 'before', 'between'));
        await (await page.waitForDiff(ide.file('note.txt'))).accept();
        await cli.waitUntilPlayed(inDiff);
        const inTerminal = await cli.play(cli.edit('note.txt', 'between', 'after'));
        await cli.waitForQuestion();
        await cli.acceptInTerminal();
        await cli.waitUntilPlayed(inTerminal);
        await eventually('the edit', async () => (await ide.read('note.txt')) === 'the text after\n');
        const onThisMachine = [...proxy.asked].filter(target => /^(127\.|localhost|\[::1\])/.test(target));
        expect(onThisMachine).to.deep.equal([`127.0.0.1:${model.port}`]);
        for (const { content } of await discovery.all()) {
            expect(proxy.has(content.authToken)).to.equal(false);
        }
        cli.kill();
        await ide.write('note.txt', 'the text before\n');
    }

    it('S1, S12: nothing that Qwen Code tells the IDE goes to the proxy', async () => {
        await editTwice(QWEN_CODE, 'companion.run.qwen-code');
    });

    it('S1, S12: nothing that Claude Code tells the IDE goes to the proxy', async function () {
        if (missing) {
            process.stdout.write(`Claude Code is skipped: ${missing}\n`);
            this.skip();
        }
        await editTwice(CLAUDE_CODE, 'companion.run.claude-code');
    });
});
