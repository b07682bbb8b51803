// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { promises as fs } from 'fs';
import * as path from 'path';
import { pathToFileURL } from 'url';
import { eventually } from '../support/eventually';
import { ProtocolClient } from '../support/protocol-client';
import { Workbench } from '../support/workbench';

describe('From start to stop', () => {
    let workbench: Workbench;

    before(async () => {
        workbench = await Workbench.start();
    });
    after(() => workbench?.dispose());

    it('D3: makes the folders of the discovery files, for the user alone', async () => {
        await workbench.discovery.published();
        for (const folder of [workbench.discovery.folders.gemini, workbench.discovery.folders['qwen-specified']]) {
            expect((await fs.stat(folder)).mode & 0o777).to.equal(0o700);
        }
        for (const { file } of await workbench.discovery.all()) {
            expect((await fs.stat(file)).mode & 0o777).to.equal(0o600);
        }
    });

    it('T4, A1: each window has a port and tokens of its own', async () => {
        const first = await workbench.discovery.published();
        const other = await workbench.openPage();
        const ports = await eventually('the ports of two servers', async () => {
            const found = new Set((await workbench.discovery.all()).map(({ port }) => port));
            return found.size === 2 ? found : undefined;
        });
        expect(ports).not.to.include(Number(new URL(workbench.ide.url).port));
        const added = (await workbench.discovery.all()).filter(({ port }) => port !== first[0].port);
        const tokens = first.map(({ content }) => content.authToken);
        expect(added.some(({ content }) => tokens.includes(content.authToken))).to.equal(false);
        await other.close();
    });

    it('D10: the files follow a change of the roots', async () => {
        const [one, two] = [workbench.ide.workspace, path.join(workbench.ide.root, 'second root')];
        await fs.mkdir(two);
        const others = (await workbench.discovery.published()).map(file => file.port);
        const workspaceFile = path.join(workbench.ide.root, 'roots.theia-workspace');
        await writeRoots(workspaceFile, one);
        const page = await workbench.openPage(workspaceFile);
        const { port } = await filesWithRoots(one, others);
        await writeRoots(workspaceFile, one, two);
        expect(await filesWithRoots([one, two].join(path.delimiter))).to.include({ port, kinds: 3 });
        await writeRoots(workspaceFile, two);
        expect(await filesWithRoots(two)).to.include({ port, kinds: 3 });
        await page.close();
    });

    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
        it(`L2, L3: after ${signal} no discovery file is left and nobody listens`, async () => {
            const [{ port }] = await workbench.discovery.published();
            const client = await ProtocolClient.connect(workbench.ide);
            await workbench.ide.end(signal);
            expect(await workbench.discovery.names()).to.deep.equal([]);
            await client.disconnect();
            const answer = await fetch(`http://127.0.0.1:${port}/mcp`).catch((error: Error) => error);
            expect(answer).to.be.instanceOf(Error);
            await startAgain();
        });
    }

    it('sweeps the files of a killed backend at the next start', async () => {
        const left = (await workbench.discovery.published()).map(({ file }) => file);
        await workbench.ide.end('SIGKILL');
        expect((await workbench.discovery.all()).map(({ file }) => file)).to.have.members(left);
        await startAgain();
        const there = (await workbench.discovery.published()).map(({ file }) => file);
        expect(there.filter(file => left.includes(file))).to.deep.equal([]);
    });

    /** A page cannot connect to a backend that was started again (Theia 1.74), so it is opened anew. */
    async function startAgain(): Promise<void> {
        await workbench.page.close();
        await workbench.ide.restart();
        workbench.page = await workbench.openPage();
    }

    async function writeRoots(file: string, ...roots: string[]): Promise<void> {
        await fs.writeFile(file, JSON.stringify({ folders: roots.map(root => ({ path: pathToFileURL(root).toString() })) }));
    }

    /** Waits for files of all kinds that name these roots, those of some servers left out, and answers the port that they name. */
    async function filesWithRoots(workspacePath: string, without: number[] = []): Promise<{ port: number; kinds: number }> {
        return eventually(
            `discovery files for ${workspacePath}`,
            async () => {
                const files = await workbench.discovery.all();
                const found = files.filter(({ content, port }) => content.workspacePath === workspacePath && !without.includes(port));
                const kinds = new Set(found.map(({ kind }) => kind)).size;
                return kinds === 3 ? { port: found[0].port, kinds } : undefined;
            },
            { state: async () => JSON.stringify(await workbench.discovery.all()) }
        );
    }
});
