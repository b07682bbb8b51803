// SPDX-License-Identifier: Apache-2.0

import { trafficOf } from '../../../e2e/lib/support/page-meter';
import { contextArrival } from './arrival';
import { BenchWindow } from './bench-window';
import { Growth } from './growth-report';
import { pageHeap } from './page-heap';

const SIZES = [1, 100, 1000];

/** More and more files that are open in one window. */
export async function files(growth: Growth): Promise<void> {
    const names = Array.from({ length: SIZES.at(-1) ?? 0 }, (_, number) => `file-${number}.txt`);
    const ide = await BenchWindow.open({ files: Object.fromEntries(names.map(name => [name, 'one\ntwo\n'])) });
    try {
        const { page } = ide;
        const clients = await ide.connect(1);
        let opened = 0;
        for (const size of SIZES) {
            await page.evaluate(
                paths => window.bench.makeEditors(paths),
                names.slice(opened, size).map(name => ide.file(name))
            );
            opened = size;
            const file = ide.file(names[size - 1]);
            await page.evaluate(path => window.bench.openFile(path), file);
            await ide.settle();
            const values = await Growth.rounds(async number => {
                const line = 1 + ((number + 1) % 2);
                const arrived = contextArrival(clients, 'the cursor', all =>
                    all.some(({ cursor, path }) => path === file && cursor?.line === line)
                );
                const called = await page.evaluate(([path, at]) => window.bench.moveCursor(path, at), [file, line] as const);
                const update = (await arrived) - ide.moment(called);
                let focused = 0;
                const traffic = await trafficOf(page, async () => {
                    focused = await page.evaluate(() => window.bench.focus());
                });
                return { update, focus: traffic.last - focused, messages: traffic.messages, bytes: traffic.bytes };
            });
            growth.note('open files', size, 'cursor → ide/contextUpdate', 'ms', values.update);
            growth.note('open files', size, 'focus → last message', 'ms', values.focus);
            growth.note('open files', size, 'focus', 'messages', values.messages);
            growth.note(
                'open files',
                size,
                'focus',
                'KB',
                values.bytes.map(bytes => bytes / 1024)
            );
            growth.note('open files', size, 'heap of the page', 'MB', [(await pageHeap(page)) / 1024 ** 2]);
        }
    } finally {
        await ide.dispose();
    }
}
