// SPDX-License-Identifier: Apache-2.0

import { BackendMeter } from '../../../e2e/lib/support/backend-meter';
import { IdeFixture } from '../../../e2e/lib/support/ide-fixture';
import { ProtocolClient } from '../../../e2e/lib/support/protocol-client';
import { RpcWindow } from '../../../e2e/lib/support/rpc-window';
import { eventually } from '../../../e2e/lib/support/eventually';
import { Growth } from './growth-report';

const SIZES = [1, 10, 50];

/** More and more windows of one folder at one backend, each with an IDE server. Without browsers: two cores carry only two or three. */
export async function windows(growth: Growth): Promise<void> {
    const ide = await IdeFixture.start({ inspectable: true });
    let backend: BackendMeter | undefined;
    const open: RpcWindow[] = [];
    let client: ProtocolClient | undefined;
    try {
        backend = await BackendMeter.open(ide);
        for (const size of SIZES) {
            const started: number[] = [];
            while (open.length < size) {
                const window = await RpcWindow.connect(ide);
                open.push(window);
                const called = performance.now();
                await window.hello();
                started.push(performance.now() - called);
            }
            client ??= await ProtocolClient.connect(ide);
            await measure(growth, ide, backend, open, client);
            growth.note('windows', size, 'first hello → answered', 'ms', started);
        }
    } finally {
        await client?.disconnect();
        open.forEach(window => window.close());
        backend?.close();
        await ide.dispose();
    }
}

async function measure(growth: Growth, ide: IdeFixture, backend: BackendMeter, open: RpcWindow[], client: ProtocolClient): Promise<void> {
    const size = open.length;
    const file = ide.file('new.txt');
    const all = (waiting: number): Promise<true> =>
        eventually('every window to know', () => open.every(window => window.waiting === waiting), { interval: 5 });
    const values = await Growth.rounds(async () => {
        let called = performance.now();
        await open[0].hello();
        const hello = performance.now() - called;
        const cpuBefore = backend.cpu();
        const bytesBefore = open.reduce((sum, { received }) => sum + received, 0);
        called = performance.now();
        const { isError } = await client.openDiff(file, 'text\n');
        const answered = performance.now() - called;
        if (isError) {
            throw new Error('openDiff has failed');
        }
        await all(1);
        await client.closeDiff(file);
        await all(0);
        const cpu = backend.cpu() - cpuBefore;
        const bytes = open.reduce((sum, { received }) => sum + received, 0) - bytesBefore;
        return { hello, answered, cpu, bytes };
    });
    growth.note('windows', size, 'hello → answered', 'ms', values.hello);
    growth.note('windows', size, 'openDiff → answered', 'ms', values.answered);
    growth.note('windows', size, 'processor time of the backend for openDiff and closeDiff', 'ms', values.cpu);
    growth.note(
        'windows',
        size,
        'openDiff and closeDiff, to all windows',
        'KB',
        values.bytes.map(bytes => bytes / 1024)
    );
    growth.note('windows', size, 'heap of the backend', 'MB', [await backend.heap()]);
}
