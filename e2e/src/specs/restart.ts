// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { promises as fs } from 'fs';
import * as path from 'path';
import { Diagnosis } from '../support/diagnosis';
import { DiscoveryFile } from '../support/discovery-files';
import { eventually } from '../support/eventually';
import { ProtocolClient } from '../support/protocol-client';
import { Terminal } from '../support/terminal';
import { Workbench } from '../support/workbench';

/** The cases follow one another. @param shared with a proxy */
export function describeRestart(shared: () => Workbench): void {
    describe('whose backend was killed and started again', () => {
        let workbench: Workbench;
        let wasReloaded: () => Promise<boolean>;
        let oldPorts: Set<number>;
        let left: string[];

        before(async () => {
            workbench = shared();
            await workbench.prepare('a restart', async () => {
                const terminal = await workbench.page.openTerminal();
                const port = await written(terminal, file => `echo $GEMINI_CLI_IDE_SERVER_PORT > '${file}'`);
                const server = (await workbench.discovery.published()).find(candidate => candidate.port === Number(port));
                await runAgent();
                await typeIntoProposal(server!);
                wasReloaded = await workbench.page.mark();
                await workbench.page.page.evaluate(() => window.companionProbe.setReloadOnReconnect(true));
                left = (await workbench.discovery.all()).map(({ file }) => file);
                oldPorts = await workbench.discovery.ports();
                await workbench.ide.end('SIGKILL');
                expect((await workbench.discovery.all()).map(({ file }) => file)).to.have.members(left);
                await workbench.ide.restart();
                workbench.proxy.restore(workbench.ide.url);
            });
        });
        /** In a terminal whose tab has its name then. */
        async function runAgent(): Promise<void> {
            const { page, ide } = workbench;
            await ide.write('aider', '#!/usr/bin/perl\n<STDIN>;\n');
            const terminal = await page.openTerminal();
            await terminal.run('chmod +x aider; PATH=$PWD:$PATH aider');
            await eventually('the tab to be named', async () => (await tabNames()).includes('Aider'), { state: tabNames });
        }

        async function tabNames(): Promise<string> {
            return (await workbench.page.page.locator('#theia-bottom-content-panel .lm-TabBar-tabLabel').allInnerTexts()).join();
        }

        async function typeIntoProposal(server: DiscoveryFile): Promise<void> {
            const { page, ide } = workbench;
            const file = ide.file('typed.txt');
            await ide.write('typed.txt', 'before\n');
            const client = await ProtocolClient.connectTo(server);
            await client.openDiff(file, 'proposed\n');
            await (await page.waitForDiff(file)).typeAtEnd('typed\n');
            await eventually('the edit to be on disk', async () => (await storedEdits()).length === 1);
        }

        /** Of this file alone: what was accepted a moment before may still be there. */
        async function storedEdits(): Promise<string[]> {
            const folder = path.join(workbench.ide.home, '.theia', 'theia-cli-companion', 'edits');
            const names = await fs.readdir(folder, { recursive: true }).catch(() => []);
            const files = names.filter(name => name.endsWith('.json')).map(name => path.join(folder, name));
            const texts = await Promise.all(files.map(file => fs.readFile(file, 'utf8').catch(() => '')));
            return texts.filter(text => text.includes('typed.txt'));
        }

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
            // What ran there has ended with the backend.
            await eventually('no tab to be named after what ran in it', async () => !(await tabNames()).includes('Aider'), {
                state: tabNames
            });
            expect(await workbench.page.statusDetails()).not.to.include('Aider');
            const terminal = await workbench.page.openTerminal();
            const printed = await written(terminal, file => `echo $GEMINI_CLI_IDE_SERVER_PORT $QWEN_CODE_IDE_SERVER_PORT > '${file}'`);
            const [{ port }] = (await workbench.discovery.published()).filter(({ file }) => !left.includes(file));
            expect(printed).to.equal(`${port} ${port}`);
            expect([...oldPorts]).not.to.include(port);
            expect((await workbench.discovery.published()).filter(({ file }) => left.includes(file))).to.deep.equal([]);
        });

        it('offers what was typed into a proposal that waited', async () => {
            const { page, ide } = workbench;
            await page.answerMessage('was stopped before you answered the proposal for typed.txt', 'Show My Edits');
            expect((await page.waitForKeptEdit(ide.file('typed.txt'))).right).to.equal('proposed\ntyped\n');
            await page.page.locator('.companion-review-notice-action', { hasText: 'Discard' }).click();
            await eventually('the edit to be gone', async () => (await storedEdits()).length === 0);
        });

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
}
