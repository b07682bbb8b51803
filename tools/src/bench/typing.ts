// SPDX-License-Identifier: Apache-2.0

import { BenchWindow } from './bench-window';
import { FEW_SAMPLES, Report } from './report';
import { sampleText } from '../../../e2e/lib/support/sample-text';

const SECTION = 'typing';
const MEGABYTE = 1024 * 1024;
const KEYS = 'typed by hand';
/** Between two keys, in milliseconds: quick enough that the text is sent in the middle of the word. */
const PAUSE = 80;
/** The text has been sent by then, in milliseconds. */
const SENT = 1_500;

/** The longest frame while a user types into a proposal of 1 MB, and until the text has been sent. */
export async function typing(report: Report): Promise<void> {
    const ide = await BenchWindow.open({ files: { 'typed.txt': sampleText(MEGABYTE), 'other.txt': 'other\n' } });
    try {
        const [client] = await ide.connect(1);
        const { page } = ide;
        await page.evaluate(path => window.bench.openFile(path), ide.file('other.txt'));
        const theia = report.line(SECTION, "floor: longest frame in Theia's own diff, 1 MB");
        const own = report.line(SECTION, 'longest frame in a proposal, 1 MB', theia);
        let words = 0;
        const type = async (): Promise<number> => {
            await page.evaluate(() => window.bench.watchFrames());
            await page.keyboard.type(KEYS, { delay: PAUSE });
            await page.waitForTimeout(SENT);
            return page.evaluate(() => window.bench.longestFrame());
        };
        await report.rounds(
            'Typing, 1 MB',
            async () => {
                const word = `word${++words}`;
                const file = ide.file('typed.txt');
                await ide.openDiff(client, file, sampleText(MEGABYTE, word), word);
                await page.evaluate(() => window.bench.activateDiff());
                own.add(await type());
                await client.closeDiff(file);
                await ide.waitUntilNoDiff();

                const other = `word${++words}`;
                await page.evaluate(([size, expected]) => window.bench.openTheiaDiff(size, expected), [MEGABYTE, other] as const);
                await page.evaluate(() => window.bench.activateDiff());
                theia.add(await type());
                await page.evaluate(() => window.bench.closeTheiaDiff());
                await ide.waitUntilNoDiff();
                await ide.settle();
            },
            { samples: FEW_SAMPLES }
        );
    } finally {
        await ide.dispose();
    }
}
