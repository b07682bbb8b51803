// SPDX-License-Identifier: Apache-2.0

import { BenchWindow } from './bench-window';
import { pageHeap } from './page-heap';
import { FEW_SAMPLES, Report } from './report';
import { sampleText } from '../../../e2e/lib/support/sample-text';

const SECTION = 'heap';
const BYTES = 51 * 1024;
/** One cycle alone says little: a table that doubles in it counts too much. */
const CYCLES = 2;

/** What stays in the page after a proposal was opened and closed, garbage left out. */
export async function heap(report: Report): Promise<void> {
    const ide = await BenchWindow.open({ files: { 'text.txt': sampleText(BYTES), 'other.txt': 'other\n' } });
    try {
        const { page } = ide;
        const [client] = await ide.connect(1);
        const file = ide.file('text.txt');
        await page.evaluate(path => window.bench.openFile(path), ide.file('other.txt'));
        const theia = report.line(SECTION, "floor: page heap per open and close of Theia's own diff, 51 KB", undefined, 'KB');
        const ours = report.line(SECTION, 'page heap per openDiff and closeDiff, 51 KB', theia, 'KB');
        let words = 0;
        let before = await pageHeap(page);
        await report.rounds(
            'Heap',
            async () => {
                for (let cycle = 0; cycle < CYCLES; cycle++) {
                    const word = `word${++words}`;
                    await page.evaluate(([size, expected]) => window.bench.openTheiaDiff(size, expected), [BYTES, word] as const);
                    await page.evaluate(() => window.bench.closeTheiaDiff());
                    await ide.waitUntilNoDiff();
                }
                const between = await pageHeap(page);
                for (let cycle = 0; cycle < CYCLES; cycle++) {
                    const word = `word${++words}`;
                    await ide.openDiff(client, file, sampleText(BYTES, word), word);
                    await client.closeDiff(file);
                    await ide.waitUntilNoDiff();
                }
                await ide.settle();
                const after = await pageHeap(page);
                theia.add((between - before) / CYCLES / 1024);
                ours.add((after - between) / CYCLES / 1024);
                before = after;
            },
            { samples: FEW_SAMPLES }
        );
    } finally {
        await ide.dispose();
    }
}
