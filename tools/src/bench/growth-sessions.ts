// SPDX-License-Identifier: Apache-2.0

import { BackendMeter } from '../../../e2e/lib/support/backend-meter';
import { contextArrival } from './arrival';
import { BenchWindow } from './bench-window';
import { Growth } from './growth-report';
import { sampleText } from '../../../e2e/lib/support/sample-text';

const SIZES = [1, 10, 50];

/** More and more CLIs at one window; all are in this process. */
export async function sessions(growth: Growth): Promise<void> {
    const ide = await BenchWindow.open({ inspectable: true, files: { 'a.txt': sampleText(16_000) } });
    let backend: BackendMeter | undefined;
    try {
        const meter = (backend = await BackendMeter.open(ide.ide));
        const file = ide.file('a.txt');
        await ide.page.evaluate(path => window.bench.openFile(path), file);
        let line = 1;
        for (const size of SIZES) {
            const clients = await ide.connect(size);
            await ide.settle();
            const { arrived, cpu, opened } = await Growth.rounds(async () => {
                const at = ++line;
                const cpuBefore = meter.cpu();
                const moment = contextArrival(clients, 'the cursor', files => files.some(({ cursor }) => cursor?.line === at));
                const called = await ide.page.evaluate(([path, to]) => window.bench.moveCursor(path, to), [file, at] as const);
                const arrived = (await moment) - ide.moment(called);
                const cpu = meter.cpu() - cpuBefore;
                const word = `word${at}`;
                const { answered } = await ide.openDiff(clients[0], ide.file('new.txt'), sampleText(1024, word), word);
                await clients[0].closeDiff(ide.file('new.txt'));
                await ide.waitUntilNoDiff();
                await ide.settle();
                clients.forEach(client => client.received.splice(0));
                return { arrived, cpu, opened: answered };
            });
            growth.note('sessions', size, 'cursor → ide/contextUpdate at the last', 'ms', arrived);
            growth.note('sessions', size, 'processor time of the backend for it', 'ms', cpu);
            growth.note('sessions', size, 'openDiff → answered', 'ms', opened);
            growth.note('sessions', size, 'heap of the backend', 'MB', [await meter.heap()]);
        }
    } finally {
        backend?.close();
        await ide.dispose();
    }
}
