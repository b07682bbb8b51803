// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { promises as fs } from 'fs';
import { eventually } from '../support/eventually';
import { ProtocolClient } from '../support/protocol-client';
import { RpcWindow } from '../support/rpc-window';
import { Workbench } from '../support/workbench';

describe('From start to stop', () => {
    let workbench: Workbench;
    const windows: RpcWindow[] = [];

    before(async () => {
        workbench = await Workbench.start();
    });
    after(async () => {
        windows.forEach(window => window.close());
        await workbench?.dispose();
    });

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
        await openWindow();
        const ports = await eventually('the ports of two servers', async () => {
            const found = new Set((await workbench.discovery.all()).map(({ port }) => port));
            return found.size === 2 ? found : undefined;
        });
        expect(ports).not.to.include(Number(new URL(workbench.ide.url).port));
        const added = (await workbench.discovery.all()).filter(({ port }) => port !== first[0].port);
        const tokens = first.map(({ content }) => content.authToken);
        expect(added.some(({ content }) => tokens.includes(content.authToken))).to.equal(false);
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

    /** No page can connect to a backend that was started again (Theia 1.74). The first end was one with a page. */
    async function startAgain(): Promise<void> {
        await workbench.page.close();
        windows.forEach(window => window.close());
        await workbench.ide.restart();
        await openWindow();
    }

    async function openWindow(): Promise<void> {
        const window = await RpcWindow.connect(workbench.ide);
        windows.push(window);
        await window.hello();
    }
});
