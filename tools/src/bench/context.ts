// SPDX-License-Identifier: Apache-2.0

import { ContextFile } from '../../../e2e/lib/support/protocol-client';
import { delay } from '../../../e2e/lib/support/eventually';
import { BenchWindow } from './bench-window';
import { contextArrival } from './arrival';
import { BareServer } from './floors';
import { Report } from './report';
import { sampleText } from '../../../e2e/lib/support/sample-text';

const SECTION = 'context';
const CLIENTS = [1, 10, 50];
/** About what a context has. */
const CONTEXT_BYTES = 1000;
/** How a keyboard repeats a held key. */
const REPEATS = 20;
const REPEAT_PAUSE = 33;

/** From what the user does in an editor to its `ide/contextUpdate` at the last of the clients; 50 ms of it are the debounce. */
export async function context(report: Report): Promise<void> {
    const text = sampleText(16_000);
    const ide = await BenchWindow.open({ files: { 'a.txt': text, 'b.txt': text, 'c.txt': text } });
    try {
        const [a, b] = ['a.txt', 'b.txt'].map(name => ide.file(name));
        await ide.page.evaluate(path => window.bench.openFile(path), b);
        await ide.page.evaluate(path => window.bench.openFile(path), a);
        await ide.settle();
        for (const count of CLIENTS) {
            await actions(report, ide, count);
            if (count === 1) {
                await heldKey(report, ide);
            }
        }
    } finally {
        await ide.dispose();
    }
}

async function actions(report: Report, ide: BenchWindow, count: number): Promise<void> {
    const suffix = count === 1 ? '1 client' : `${count} clients`;
    const bare = await BareServer.start(count);
    const { page } = ide;
    try {
        const clients = await ide.connect(count);
        const floor = report.line(SECTION, `floor: notification of a bare server, ${suffix}`);
        const trip = count === 1 ? report.line(SECTION, "floor: round trip of Theia's RPC") : undefined;
        const opened = report.line(SECTION, `floor: file open → painted by Theia, ${suffix}`);
        const cursor = report.line(SECTION, `cursor → ide/contextUpdate, ${suffix}`, floor);
        const selection = report.line(SECTION, `selection → ide/contextUpdate, ${suffix}`, floor);
        const open = report.line(SECTION, `file open → ide/contextUpdate, ${suffix}`, opened);
        const tab = report.line(SECTION, `tab switch → ide/contextUpdate, ${suffix}`, floor);
        const [a, b, c] = ['a.txt', 'b.txt', 'c.txt'].map(name => ide.file(name));
        const round = async (number: number): Promise<void> => {
            const line = 2 * number + 2;
            let arrived = contextArrival(clients, 'the cursor', files => activeOf(files)?.cursor?.line === line);
            let called = await page.evaluate(([file, at]) => window.bench.moveCursor(file, at), [a, line] as const);
            cursor.add((await arrived) - ide.moment(called));

            arrived = contextArrival(clients, 'the selection', files => Boolean(activeOf(files)?.selectedText));
            called = await page.evaluate(([file, at]) => window.bench.selectLine(file, at), [a, line] as const);
            selection.add((await arrived) - ide.moment(called));

            arrived = contextArrival(clients, 'the other tab', files => activeOf(files)?.path === b);
            called = await page.evaluate(file => window.bench.activate(file), b);
            tab.add((await arrived) - ide.moment(called));

            arrived = contextArrival(clients, 'the opened file', files => activeOf(files)?.path === c);
            const shown = await page.evaluate(file => window.bench.openFile(file), c);
            open.add((await arrived) - ide.moment(shown.called));
            opened.add(shown.painted - shown.called);

            arrived = contextArrival(clients, 'the closed file', files => !files.some(({ path }) => path === c));
            await page.evaluate(file => window.bench.closeFile(file), c);
            await arrived;
            await page.evaluate(file => window.bench.activate(file), a);
            await clients[0].waitForContext('the first file in front', files => activeOf(files)?.path === a);
            await ide.settle();
            floor.add(await bare.notify(CONTEXT_BYTES));
            trip?.add(await page.evaluate(() => window.bench.roundTrip()));
            clients.forEach(client => client.received.splice(0, client.received.length - 1));
        };
        await report.rounds(`Context, ${suffix}`, round, count === CLIENTS[0] ? {} : { warmUp: 1 });
    } finally {
        await bare.dispose();
    }
}

/** Keys come from Playwright, as a keyboard sends them while one is held. */
async function heldKey(report: Report, ide: BenchWindow): Promise<void> {
    const { page } = ide;
    const clients = await ide.connect(1);
    const last = report.line(SECTION, `held key (${REPEATS} repeats): last key → ide/contextUpdate`);
    const count = report.line(SECTION, `held key (${REPEATS} repeats): updates`, undefined, 'messages');
    const start = 100;
    await report.rounds('Held key', async () => {
        const arrivedAtStart = contextArrival(clients, 'the first line', files => activeOf(files)?.cursor?.line === start);
        await page.evaluate(([file, line]) => window.bench.focusLine(file, line), [ide.file('a.txt'), start] as const);
        await arrivedAtStart;
        await ide.settle();
        const before = clients[0].contexts.length;
        const arrived = contextArrival(clients, 'the last line', files => activeOf(files)?.cursor?.line === start + REPEATS);
        for (let repeat = 0; repeat < REPEATS; repeat++) {
            await page.keyboard.down('ArrowDown');
            // The pause of the keyboard.
            await delay(REPEAT_PAUSE);
        }
        await page.keyboard.up('ArrowDown');
        const pressed = await page.evaluate(() => window.bench.lastKey());
        last.add((await arrived) - ide.moment(pressed));
        count.add(clients[0].contexts.length - before);
    });
}

function activeOf(files: ContextFile[]): ContextFile | undefined {
    return files.find(({ isActive }) => isActive);
}
