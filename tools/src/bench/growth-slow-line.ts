// SPDX-License-Identifier: Apache-2.0

import { eventually } from '../../../e2e/lib/support/eventually';
import { arrival } from './arrival';
import { BenchWindow } from './bench-window';
import { Growth } from './growth-report';
import { sampleText } from '../../../e2e/lib/support/sample-text';

const MEGABYTE = 1024 ** 2;
const SIZES = [1, 2, 5];
const INPUT = 'MB pasted on a slow line';
const LATENCY = 80;
const UPLINK = { bitsPerSecond: 1_000_000, latency: LATENCY };
/** What a line with such an uplink has. */
const DOWNLINK = { bitsPerSecond: 16_000_000, latency: LATENCY };

/** A page behind a slow uplink, and the edits that it sends. */
export async function slowLine(growth: Growth): Promise<void> {
    const ide = await BenchWindow.open({ proxy: true, files: { 'other.txt': 'other\n' } });
    try {
        const { page, proxy } = ide;
        await ide.connect(1);
        await page.evaluate(path => window.bench.openFile(path), ide.file('other.txt'));
        await ide.settle();
        proxy.uplink.speed = UPLINK;
        proxy.downlink.speed = DOWNLINK;
        const { painted, accepted } = await Growth.rounds(async number => {
            const { painted } = await open(ide, `small${number}`);
            return { painted, accepted: await accept(ide) };
        });
        growth.note('slow line', 1, 'openDiff → painted, 1 KB', 'ms', painted);
        growth.note('slow line', 1, 'accept → ide/diffAccepted, 1 KB, not edited', 'ms', accepted);
        for (const size of SIZES) {
            const text = sampleText(size * MEGABYTE, `typed${size}`);
            await open(ide, `large${size}`);
            await page.evaluate(() => window.bench.activateDiff());
            const before = proxy.uplink.bytes;
            const pasted = await page.evaluate(wanted => window.bench.replaceText(wanted), text);
            await eventually('the text to be sent', () => proxy.uplink.bytes - before > text.length, { timeout: 300_000, interval: 50 });
            const left = BenchWindow.now();
            const last = await eventually('the answer', async () => {
                const traffic = await page.evaluate(() => window.companionMeter.traffic());
                return ide.moment(traffic.last) > left && traffic.last;
            });
            growth.note(INPUT, size, 'pasted → mirrored', 'ms', [last - pasted]);
            growth.note(INPUT, size, 'then accept → ide/diffAccepted', 'ms', [await accept(ide, text)]);
            await ide.settle();
            growth.note(INPUT, size, 'uplink, all of it', 'KB', [(proxy.uplink.bytes - before) / 1024]);
        }
    } finally {
        await ide.dispose();
    }
}

async function open(ide: BenchWindow, word: string): Promise<{ painted: number }> {
    return ide.openDiff(ide.clients[0], ide.file('new.txt'), sampleText(1024, word), word);
}

/** @returns milliseconds until the client has the outcome */
async function accept(ide: BenchWindow, expected?: string): Promise<number> {
    const { page, clients } = ide;
    await page.evaluate(() => window.bench.activateDiff());
    const arrived = arrival(clients, 'ide/diffAccepted', ({ method }) => method === 'ide/diffAccepted', 300_000);
    const pressed = await page.evaluate(() => window.bench.execute('companion.review.accept'));
    const time = (await arrived) - ide.moment(pressed);
    const content = clients[0].received.findLast(({ method }) => method === 'ide/diffAccepted')?.params.content;
    if (expected !== undefined && content !== expected) {
        throw new Error('The CLI has got another text');
    }
    await ide.waitUntilNoDiff();
    await ide.settle();
    return time;
}
