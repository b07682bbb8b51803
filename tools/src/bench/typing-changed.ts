// SPDX-License-Identifier: Apache-2.0

import { promises as fs } from 'fs';
import { eventually } from '../../../e2e/lib/support/eventually';
import { BenchWindow } from './bench-window';
import { FEW_SAMPLES, Report } from './report';

const SECTION = 'typing in a file that agents changed';
const PREFERENCE = 'companion.changes.inEditor';
const LINES = 15_700;
const CHANGES = 50;
/** With a pause behind each word, in which the texts are compared. */
const WORD = 'twenty letters typed';
const WORDS = 10;
/** In milliseconds. */
const BETWEEN_KEYS = 20;
/** The texts are compared 400 ms after the last key. */
const BETWEEN_WORDS = 550;
const SETTLED = 1_000;

/** Of 60 bytes each, so that the file has 0.9 MB. */
function textOf(word: string): string {
    const every = Math.floor(LINES / CHANGES);
    const lines = Array.from({ length: LINES }, (_, index) => {
        const isChanged = index % every === 5 && index / every < CHANGES;
        return `${isChanged ? word : 'line'} ${String(index).padStart(6, '0')} of a text`.padEnd(59, '.');
    });
    return `${lines.join('\n')}\n`;
}

/** The longest frame of 200 keys in a file of 0.9 MB with fifty changes, with and without their bars. */
export async function typingChanged(report: Report): Promise<void> {
    const name = 'typed.txt';
    const ide = await BenchWindow.open({ files: { [name]: textOf('line') } });
    try {
        await ide.connect(1);
        const { page } = ide;
        await page.evaluate(() => window.companionProbe.execute('companion.changes.show'));
        await page.locator('#companion-changes', { hasText: 'Nothing was changed' }).waitFor();
        await fs.writeFile(ide.file(name), textOf('word'));
        await page.locator('#status-bar-companion-status', { hasText: '1 changed' }).waitFor();
        await page.evaluate(path => window.bench.openFile(path), ide.file(name));
        const off = report.line(SECTION, 'longest frame, its changes are not shown in it');
        const on = report.line(SECTION, 'longest frame, they are', off);
        const bars = page.locator('.monaco-editor .companion-change');
        const type = async (isOn: boolean): Promise<number> => {
            await ide.ide.changeSettings({ [PREFERENCE]: isOn });
            await page.evaluate(path => window.bench.focusLine(path, 10), ide.file(name));
            await eventually(`bars: ${isOn}`, async () => (await bars.count()) > 0 === isOn);
            await page.waitForTimeout(SETTLED);
            await page.evaluate(() => window.bench.watchFrames());
            for (let word = 0; word < WORDS; word++) {
                await page.keyboard.type(WORD, { delay: BETWEEN_KEYS });
                await page.waitForTimeout(BETWEEN_WORDS);
            }
            return page.evaluate(() => window.bench.longestFrame());
        };
        await report.rounds(
            'Typing in a changed file',
            async () => {
                off.add(await type(false));
                on.add(await type(true));
            },
            { warmUp: 1, samples: FEW_SAMPLES }
        );
    } finally {
        await ide.dispose();
    }
}
