// SPDX-License-Identifier: Apache-2.0

import { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { BackendMeter } from '../../../e2e/lib/support/backend-meter';
import { trafficOf } from '../../../e2e/lib/support/page-meter';
import { arrival } from './arrival';
import { BenchWindow } from './bench-window';
import { Growth } from './growth-report';
import { pageHeap } from './page-heap';
import { sampleText } from '../../../e2e/lib/support/sample-text';

/** A server lets a hundred wait. */
const SIZES = [1, 10, 100];
const CLIENTS = 10;
const BYTES = 1024;

/** More and more waiting reviews in one window. The figures are for one more that opens and closes. */
export async function reviews(growth: Growth): Promise<void> {
    const ide = await BenchWindow.open({ inspectable: true, files: { 'other.txt': 'other\n' } });
    let backend: BackendMeter | undefined;
    try {
        backend = await BackendMeter.open(ide.ide);
        const clients = await ide.connect(CLIENTS);
        await ide.page.evaluate(path => window.bench.openFile(path), ide.file('other.txt'));
        let waiting = 0;
        for (const size of SIZES) {
            for (; waiting < size - 1; waiting++) {
                check(await clients[waiting % CLIENTS].openDiff(ide.file(`new-${waiting}.txt`), sampleText(BYTES, 'waiting')));
            }
            await tabs(ide, waiting);
            await ide.settle();
            await measure(growth, ide, backend, size);
        }
    } finally {
        backend?.close();
        await ide.dispose();
    }
}

async function measure(growth: Growth, ide: BenchWindow, backend: BackendMeter, size: number): Promise<void> {
    const { page, clients } = ide;
    const file = ide.file('one-more.txt');
    const values = await Growth.rounds(async number => {
        const word = `round${size}x${number}`;
        const cpuBefore = backend.cpu();
        const { answered, painted } = await ide.openDiff(clients[0], file, sampleText(BYTES, word), word);
        const listed = await page.evaluate(() => window.bench.openStatus());
        await page.evaluate(() => window.bench.closeStatus());
        await page.evaluate(() => window.bench.activateDiff());
        const arrived = arrival([clients[0]], 'ide/diffAccepted', ({ method }) => method === 'ide/diffAccepted');
        const pressed = await page.evaluate(() => window.bench.execute('companion.review.accept'));
        const accepted = (await arrived) - ide.moment(pressed);
        await tabs(ide, size - 1);
        await ide.settle();
        const cpu = backend.cpu() - cpuBefore;
        const shown = await page.evaluate(([bytes, expected]) => window.bench.openTheiaDiff(bytes, expected), [BYTES, `${word}t`] as const);
        await page.evaluate(() => window.bench.closeTheiaDiff());
        return { answered, painted, listed, accepted, cpu, theia: shown.painted - shown.called };
    });
    const traffic = await trafficOf(page, async () => {
        check(await clients[0].openDiff(file, sampleText(BYTES, 'traffic')));
        check(await clients[0].closeDiff(file));
    });
    growth.note('waiting reviews', size, 'openDiff → answered', 'ms', values.answered);
    growth.note('waiting reviews', size, 'openDiff → painted', 'ms', values.painted);
    growth.note('waiting reviews', size, "floor: Theia's own diff → painted", 'ms', values.theia);
    growth.note('waiting reviews', size, 'accept → ide/diffAccepted', 'ms', values.accepted);
    growth.note('waiting reviews', size, 'status list → painted', 'ms', values.listed);
    growth.note('waiting reviews', size, 'processor time of the backend for all that', 'ms', values.cpu);
    growth.note('waiting reviews', size, 'openDiff and closeDiff on the channel', 'KB', [traffic.bytes / 1024]);
    growth.note('waiting reviews', size, 'heap of the backend', 'MB', [await backend.heap()]);
    growth.note('waiting reviews', size, 'heap of the page', 'MB', [(await pageHeap(page)) / 1024 ** 2]);
}

async function tabs(ide: BenchWindow, count: number): Promise<void> {
    await ide.page.waitForFunction(
        wanted => document.querySelectorAll('.lm-TabBar-tab[id*="companion-proposed"]').length === wanted,
        count
    );
}

function check(result: CallToolResult): void {
    if (result.isError) {
        throw new Error(`A tool has failed: ${JSON.stringify(result.content)}`);
    }
}
