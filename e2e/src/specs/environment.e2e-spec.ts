// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { existsSync, promises as fs } from 'fs';
import * as path from 'path';
import { DiscoveryFile } from '../support/discovery-files';
import { eventually } from '../support/eventually';
import { IdePage } from '../support/ide-page';
import { ProtocolClient } from '../support/protocol-client';
import { Terminal } from '../support/terminal';
import { Workbench } from '../support/workbench';
import { describeProductDefaults, PRODUCT_FILES } from './product-defaults';

/** As if the backend had been started in a terminal of another IDE. */
const OF_ANOTHER_IDE = {
    QWEN_CODE_IDE_SERVER_PORT: '1',
    QWEN_CODE_IDE_WORKSPACE_PATH: '/elsewhere',
    GEMINI_CLI_IDE_SERVER_PORT: '1',
    GEMINI_CLI_IDE_WORKSPACE_PATH: '/elsewhere',
    GEMINI_CLI_IDE_AUTH_TOKEN: 'of another IDE',
    GEMINI_CLI_IDE_PID: '1'
};

describe('Windows, and the environment of their terminals', () => {
    let workbench: Workbench;
    let files: DiscoveryFile[];
    let client: ProtocolClient;
    /** That of a new terminal. */
    let environment: Record<string, string>;

    before(async () => {
        workbench = await Workbench.start({ environment: OF_ANOTHER_IDE, files: PRODUCT_FILES });
        files = await workbench.discovery.published();
        client = await ProtocolClient.connect(workbench.ide);
        environment = await environmentOf(await workbench.page.openTerminal());
    });
    after(async () => {
        await client?.disconnect();
        await workbench?.dispose();
    });

    it("A5: names the window's server and workspace in the terminal that opens with the page, and in a new one", async () => {
        const [first] = await workbench.page.terminals();
        expectOurs(await environmentOf(first));
        expectOurs(environment);
    });

    it("D5: discovery files name ancestors of the terminal's shell", () => {
        const { PARENT, GEMINI_CLI_IDE_PID } = environment;
        expect(Number(PARENT), "the shell's parent").to.equal(workbench.ide.pid);
        const named = files.flatMap(({ pid }) => pid ?? []);
        expect(named).to.include(workbench.ide.pid);
        // This process started the backend.
        expect([workbench.ide.pid, process.pid]).to.include.members(named);
        expect(named).to.include(Number(GEMINI_CLI_IDE_PID));
    });

    it('holds no token, neither ours nor one of another IDE', () => {
        const values = Object.values(environment).join('\n');
        for (const { content } of files) {
            expect(values).not.to.contain(content.authToken);
        }
        expect(values).not.to.contain(OF_ANOTHER_IDE.GEMINI_CLI_IDE_AUTH_TOKEN);
    });

    it('the CLIs are in the menu; for a missing one it says what to install', async function () {
        const { ide, page } = workbench;
        const folders = (ide.env.PATH ?? '').split(path.delimiter);
        await fs.rm(path.join(folders[0], 'opencode'), { force: true });
        if (folders.some(folder => existsSync(path.join(folder, 'opencode')))) {
            this.skip();
        }
        const before = await page.terminals();
        // Done when the message is answered.
        void page.execute('companion.run.opencode').catch(() => undefined);
        await page.waitForMessage('npm install -g opencode-ai');
        expect((await page.terminals()).length, 'terminals').to.equal(before.length);
        const install = await page.terminalOpenedBy(() => page.answerMessage('OpenCode was not found', 'Install in Terminal'));
        await install.waitForScreen('npm install -g opencode-ai');
        expect(await install.screen(), 'Enter is the user’s').to.match(/opencode-ai\s*$/);
        expect(await install.hasKeyboard()).to.equal(true);
        const run = async (): Promise<void> => {
            void page.execute('companion.run.opencode').catch(() => undefined);
            await page.answerMessage('OpenCode was not found', 'Run Anyway');
        };
        const first = await page.terminalOpenedBy(run);
        await first.waitFor(/opencode: .*not found/);
        const count = (await page.terminals()).length;
        await run();
        await first.waitFor(/opencode: .*not found[^]*opencode: .*not found/, 'the idle terminal to be used again');
        expect(await page.terminals()).to.have.length(count);
        const menu = await page.app.menuBar.openMenu('Terminal');
        expect(await menu.visibleMenuItems()).to.include.members(['Run Qwen Code', 'Run Gemini CLI']);
        await menu.close();
    });

    it('a duplicated tab is a separate window, which shows its own reviews and no others', async () => {
        const { page } = workbench.page;
        const [copy] = await Promise.all([
            page.waitForEvent('popup'),
            // Without `noopener` the new tab begins with a copy of the session storage, as a duplicated one does.
            page.evaluate(() => void window.open(location.href))
        ]);
        const duplicate = await IdePage.of(copy, workbench.ide.workspace);
        const theirs = await workbench.discovery.serverWith('the duplicate', ({ port }) => port !== files[0].port);
        const theirClient = await ProtocolClient.connectTo(theirs);
        const name = workbench.ide.file('apart.txt');
        await theirClient.openDiff(name, 'theirs\n');
        await client.openDiff(name, 'ours\n');
        expect(await (await workbench.page.waitForDiff(name)).right()).to.equal('ours\n');
        await client.closeDiff(name, true);
        await workbench.page.waitUntilNoDiff();
        await (await duplicate.waitForDiff(name)).accept();
        expect((await theirClient.waitForOutcome(name)).params.content).to.equal('theirs\n');
        expect(await client.settledOutcomes(name)).to.deep.equal([]);
        await theirClient.disconnect();
        expect(await idOf(duplicate)).not.to.equal(await idOf(workbench.page));
        await duplicate.reload();
        expect(await workbench.discovery.ports()).to.deep.equal(new Set([files[0].port, theirs.port]));
        await duplicate.close();
    });

    describeProductDefaults(() => workbench);

    function expectOurs(environment: Record<string, string>): void {
        const [{ port }] = files;
        expect(files.every(file => file.port === port && file.content.port === port)).to.equal(true);
        expect(environment).to.include({
            QWEN_CODE_IDE_SERVER_PORT: String(port),
            QWEN_CODE_IDE_WORKSPACE_PATH: workbench.ide.workspace,
            GEMINI_CLI_IDE_SERVER_PORT: String(port),
            GEMINI_CLI_IDE_WORKSPACE_PATH: workbench.ide.workspace
        });
    }

    /** What a program in the terminal sees, and the shell's parent as `PARENT`. */
    async function environmentOf(terminal: Terminal): Promise<Record<string, string>> {
        const file = path.join(workbench.ide.root, `environment-${Math.random()}`);
        await terminal.submit(`PARENT=$PPID env -0 > '${file}.part' && mv '${file}.part' '${file}'`);
        const text = await eventually('the environment', () => fs.readFile(file, 'utf8'), { state: () => terminal.text() });
        const entries = text.split('\0').filter(entry => entry !== '');
        return Object.fromEntries(entries.map(entry => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)]));
    }

    function idOf({ page }: IdePage): Promise<string | null> {
        return page.evaluate(() => sessionStorage.getItem('companion.windowId'));
    }
});
