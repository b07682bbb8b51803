// SPDX-License-Identifier: Apache-2.0

import { BenchWindow } from './bench-window';
import { arrival } from './arrival';
import { BareServer } from './floors';
import { FEW_SAMPLES, Report, Rounds } from './report';
import { sampleText } from '../../../e2e/lib/support/sample-text';

const SECTION = 'diffs';
const KB = 1024;
const SIZES: ReadonlyArray<{ name: string; bytes: number; rounds?: Rounds }> = [
    { name: '1 KB', bytes: KB },
    { name: '100 KB', bytes: 100 * KB, rounds: { warmUp: 1 } },
    { name: '1 MB', bytes: KB * KB, rounds: { warmUp: 1 } },
    { name: '10 MB', bytes: 10 * KB * KB, rounds: { warmUp: 1, samples: FEW_SAMPLES } }
];

/**
 * One proposal at a time: opened, on the screen, closed by the CLI or accepted by the user.
 *
 * @param only names of the sizes that count; all without it
 */
export async function diffs(report: Report, _log: unknown, only?: readonly string[]): Promise<void> {
    const unknown = only?.filter(name => SIZES.every(size => size.name !== name)) ?? [];
    if (unknown.length > 0) {
        throw new Error(`There is no size ${unknown.join(', ')}: ${SIZES.map(({ name }) => name).join(', ')}`);
    }
    const files = Object.fromEntries(SIZES.map(({ name, bytes }) => [`${name}.txt`, sampleText(bytes)]));
    const ide = await BenchWindow.open({ files: { ...files, 'other.txt': 'other\n' } });
    try {
        await ide.connect(1);
        // Theia does more when the last tab of the main area closes.
        await ide.page.evaluate(path => window.bench.openFile(path), ide.file('other.txt'));
        const bare = await BareServer.start(1);
        try {
            const sizes = SIZES.filter(({ name }) => only?.includes(name) ?? true);
            for (const size of sizes) {
                await proposals(report, ide, bare, size);
            }
        } finally {
            await bare.dispose();
        }
    } finally {
        await ide.dispose();
    }
}

async function proposals(
    report: Report,
    ide: BenchWindow,
    bare: BareServer,
    { name, bytes, rounds }: (typeof SIZES)[number]
): Promise<void> {
    const { page } = ide;
    const [client] = ide.clients;
    const file = ide.file(`${name}.txt`);
    const bareOpen = report.line(SECTION, `floor: openDiff of a bare server, ${name}`);
    const bareClose = report.line(SECTION, `floor: closeDiff of a bare server, ${name}`);
    const bareNotice = report.line(SECTION, `floor: notification of a bare server, ${name}`);
    const theia = report.line(SECTION, `floor: Theia's own diff → painted, ${name}`);
    const answered = report.line(SECTION, `openDiff → answered, ${name}`, bareOpen);
    const painted = report.line(SECTION, `openDiff → painted, ${name}`, theia);
    const closed = report.line(SECTION, `closeDiff → answered, ${name}`, bareClose);
    const accepted = report.line(SECTION, `accept → ide/diffAccepted, ${name}`, bareNotice);
    let words = 0;
    const open = async (): Promise<void> => {
        const word = `word${++words}`;
        const times = await ide.openDiff(client, file, sampleText(bytes, word), word);
        answered.add(times.answered);
        painted.add(times.painted);
    };
    const round = async (): Promise<void> => {
        await open();
        let called = BenchWindow.now();
        const result = await client.closeDiff(file);
        closed.add(BenchWindow.now() - called);
        if (result.isError) {
            throw new Error(`closeDiff has failed: ${JSON.stringify(result.content)}`);
        }
        await ide.waitUntilNoDiff();

        const word = `word${++words}`;
        const shown = await page.evaluate(([size, expected]) => window.bench.openTheiaDiff(size, expected), [bytes, word] as const);
        theia.add(shown.painted - shown.called);
        await page.evaluate(() => window.bench.closeTheiaDiff());
        await ide.waitUntilNoDiff();

        await open();
        await page.evaluate(() => window.bench.activateDiff());
        const arrived = arrival([client], 'ide/diffAccepted', ({ method }) => method === 'ide/diffAccepted');
        const pressed = await page.evaluate(() => window.bench.execute('companion.review.accept'));
        accepted.add((await arrived) - ide.moment(pressed));
        await ide.waitUntilNoDiff();
        await ide.settle();
        client.received.length = 0;

        const text = sampleText(bytes, word);
        called = BenchWindow.now();
        await bare.clients[0].openDiff(file, text);
        bareOpen.add(BenchWindow.now() - called);
        called = BenchWindow.now();
        await bare.clients[0].closeDiff(file);
        bareClose.add(BenchWindow.now() - called);
        bareNotice.add(await bare.notify(bytes));
        bare.clients[0].received.length = 0;
    };
    await report.rounds(`Diffs, ${name}`, round, rounds);
}
