// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { promises as fs } from 'fs';
import * as path from 'path';
import { Diagnosis } from '../support/diagnosis';
import { DiscoveryFile } from '../support/discovery-files';
import { eventually } from '../support/eventually';
import { ProtocolClient } from '../support/protocol-client';
import { RpcWindow } from '../support/rpc-window';
import { Terminal } from '../support/terminal';
import { Workbench } from '../support/workbench';

/** The groups follow one another, and so do their cases. */
describe('From start to stop', () => {
    let workbench: Workbench;
    const windows: RpcWindow[] = [];

    before(async () => {
        workbench = await Workbench.start({ proxy: true });
    });
    after(async () => {
        closeWindows();
        await workbench?.dispose();
    });

    describe('a backend that was started', () => {
        it('D3: creates the folders of the discovery files, closed to other users', async () => {
            await workbench.discovery.published();
            for (const folder of [workbench.discovery.folders.gemini, workbench.discovery.folders['qwen-specified']]) {
                expect((await fs.stat(folder)).mode & 0o777).to.equal(0o700);
            }
            for (const { file } of await workbench.discovery.all()) {
                expect((await fs.stat(file)).mode & 0o777).to.equal(0o600);
            }
        });

        it('T4, A1: gives each window its own port and tokens', async () => {
            const first = await workbench.discovery.published();
            await openWindow();
            const ports = await eventually('the ports of two servers', async () => {
                const found = await workbench.discovery.ports();
                return found.size === 2 ? found : undefined;
            });
            expect([...ports]).not.to.include(Number(new URL(workbench.ide.url).port));
            const added = (await workbench.discovery.all()).filter(({ port }) => port !== first[0].port);
            const tokens = first.map(({ content }) => content.authToken);
            expect(added.some(({ content }) => tokens.includes(content.authToken))).to.equal(false);
        });
    });

    describe('a backend that was killed and started again', () => {
        let wasReloaded: () => Promise<boolean>;
        /** A process that outlives the backend's shells. */
        let outlived: number;
        let oldPorts: Set<number>;
        let left: string[];

        before(async () => {
            await workbench.prepare('a restart', async () => {
                const terminal = await workbench.page.openTerminal();
                // What a CLI in tmux is to the system: with the old terminal's environment, and no child of it.
                const pid = await written(terminal, file => `setsid -f bash -c 'echo $$ > "${file}"; exec -a qwen sleep 300'`);
                outlived = Number(pid);
                const port = await written(terminal, file => `echo $GEMINI_CLI_IDE_SERVER_PORT > '${file}'`);
                const server = (await workbench.discovery.published()).find(candidate => candidate.port === Number(port));
                await typeIntoProposal(server!);
                wasReloaded = await workbench.page.mark();
                await workbench.page.page.evaluate(() => window.companionProbe.setReloadOnReconnect(true));
                left = (await workbench.discovery.all()).map(({ file }) => file);
                oldPorts = await workbench.discovery.ports();
                await workbench.ide.end('SIGKILL');
                closeWindows();
                expect((await workbench.discovery.all()).map(({ file }) => file)).to.have.members(left);
                await workbench.ide.restart();
                workbench.proxy.restore(workbench.ide.url);
            });
        });
        async function typeIntoProposal(server: DiscoveryFile): Promise<void> {
            const { page, ide } = workbench;
            const file = ide.file('typed.txt');
            await ide.write('typed.txt', 'before\n');
            const client = await ProtocolClient.connectTo(server);
            await client.openDiff(file, 'proposed\n');
            await (await page.waitForDiff(file)).typeAtEnd('typed\n');
            await eventually('the edit to be on disk', async () => (await storedEdits()).length === 1);
        }

        async function storedEdits(): Promise<string[]> {
            const folder = path.join(workbench.ide.home, '.theia', 'theia-cli-companion', 'edits');
            const names = await fs.readdir(folder, { recursive: true }).catch(() => []);
            return names.filter(name => name.endsWith('.json'));
        }

        after(() => {
            if (outlived > 1) {
                process.kill(outlived, 'SIGKILL');
            }
        });

        it('is reported in the status, and the page is not reloaded by itself', async () => {
            await workbench.page.waitForStatus('Reload needed');
            await workbench.page.waitForMessage('then reload this page');
            expect(await workbench.page.statusDetails())
                .to.include('restarted')
                .and.include('reload this page');
            expect((await Diagnosis.run(workbench.page)).text).to.include('then reload this page');
            expect(await wasReloaded()).to.equal(false);
        });

        it('serves the page and its terminals at once after the reload that the status offers', async () => {
            const { page } = workbench.page;
            await page.locator('#status-bar-companion-status').click();
            await page.getByRole('option', { name: 'Reload This Page' }).click();
            await eventually('the page to be loaded again', wasReloaded);
            await workbench.page.app.waitForShellAndInitialized();
            const terminal = await workbench.page.openTerminal();
            const printed = await written(terminal, file => `echo $GEMINI_CLI_IDE_SERVER_PORT $QWEN_CODE_IDE_SERVER_PORT > '${file}'`);
            const [{ port }] = (await workbench.discovery.published()).filter(({ file }) => !left.includes(file));
            expect(printed).to.equal(`${port} ${port}`);
            expect([...oldPorts]).not.to.include(port);
        });

        it('offers what was typed into a proposal that waited', async () => {
            const { page, ide } = workbench;
            await page.answerMessage('was stopped before you answered the proposal for typed.txt', 'Show My Edits');
            expect((await page.waitForKeptEdit(ide.file('typed.txt'))).right).to.equal('proposed\ntyped\n');
            await page.page.locator('.companion-review-notice-action', { hasText: 'Discard' }).click();
            await eventually('the edit to be gone', async () => (await storedEdits()).length === 0);
        });

        it('removes the files that the killed one left', async () => {
            expect((await workbench.discovery.published()).filter(({ file }) => left.includes(file))).to.deep.equal([]);
        });

        it('shows what to type in a CLI that outlived it, while that CLI runs', async () => {
            const type = 'types /ide enable';
            await eventually('the hint', async () => (await workbench.page.statusDetails()).includes(type), {
                state: () => workbench.page.statusDetails()
            });
            expect(await workbench.page.statusDetails()).to.include('Qwen Code runs here, not connected');
            const diagnosis = await Diagnosis.run(workbench.page);
            expect(diagnosis.of('Qwen Code')).to.include(`Qwen Code is running in ${workbench.ide.workspace}`).and.include('/ide enable');
            process.kill(outlived, 'SIGKILL');
            outlived = 0;
            await workbench.page.reload();
            await workbench.page.waitForStatus('Companion');
            await eventually('the hint to go', async () => !(await workbench.page.statusDetails()).includes(type));
        });
    });

    describe('a backend that ends', () => {
        /** By other signals: `backend-process.integration-spec.ts`. */
        it('L2, L3: leaves no discovery file, nobody listens, and the page says so', async () => {
            const [{ port }] = await workbench.discovery.published();
            const client = await ProtocolClient.connect(workbench.ide);
            await workbench.ide.end('SIGTERM');
            expect(await workbench.discovery.names()).to.deep.equal([]);
            await workbench.page.waitForStatus('IDE stopped or unreachable');
            expect(await workbench.page.statusDetails()).to.include('Copy unsaved work');
            await client.disconnect();
            const answer = await fetch(`http://127.0.0.1:${port}/mcp`).catch((error: Error) => error);
            expect(answer).to.be.instanceOf(Error);
        });
    });

    async function openWindow(): Promise<void> {
        const window = await RpcWindow.connect(workbench.ide);
        windows.push(window);
        await window.hello();
    }

    function closeWindows(): void {
        windows.splice(0).forEach(window => window.close());
    }

    /** Runs a command that writes a file, and answers what is in it. */
    async function written(terminal: Terminal, command: (file: string) => string): Promise<string> {
        const file = path.join(workbench.ide.root, `written-${Math.random()}`);
        await terminal.submit(command(file));
        const text = await eventually('what the command writes', async () => (await fs.readFile(file, 'utf8')) || undefined, {
            state: () => terminal.text()
        });
        return text.trim();
    }
});
