// SPDX-License-Identifier: Apache-2.0

import { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { BenchWindow } from './bench-window';
import { BareServer } from './floors';
import { Report } from './report';
import { sampleText } from '../../../e2e/lib/support/sample-text';

const SECTION = 'burst';
const CLIENTS = 20;
const BYTES = 1024;

/** Twenty proposals at once, each from its own client. */
export async function burst(report: Report): Promise<void> {
    const ide = await BenchWindow.open({ files: { 'other.txt': 'other\n' } });
    try {
        await ide.connect(CLIENTS);
        await ide.page.evaluate(path => window.bench.openFile(path), ide.file('other.txt'));
        const bare = await BareServer.start(CLIENTS);
        try {
            await bursts(report, ide, bare);
        } finally {
            await bare.dispose();
        }
    } finally {
        await ide.dispose();
    }
}

async function bursts(report: Report, ide: BenchWindow, bare: BareServer): Promise<void> {
    const { clients } = ide;
    const floor = report.line(SECTION, 'floor: 20 openDiff at a bare server → all answered');
    const oneAnswered = report.line(SECTION, 'floor: one openDiff alone → answered');
    const onePainted = report.line(SECTION, 'floor: one openDiff alone → painted');
    const first = report.line(SECTION, '20 openDiff → first answered', oneAnswered);
    const painted = report.line(SECTION, '20 openDiff → first painted', onePainted);
    const all = report.line(SECTION, '20 openDiff → all answered', floor);
    const closed = report.line(SECTION, '20 closeDiff → all answered');
    await report.rounds('Burst', async number => {
        const alone = `alone${number}`;
        const times = await ide.openDiff(clients[0], ide.file('alone.txt'), sampleText(BYTES, alone), alone);
        oneAnswered.add(times.answered);
        onePainted.add(times.painted);
        await clients[0].closeDiff(ide.file('alone.txt'));
        await ide.waitUntilNoDiff();
        await ide.settle();

        const word = `round${number}`;
        const text = sampleText(BYTES, word);
        await ide.page.evaluate(expected => window.bench.expectDiff(expected), word);
        const answers: number[] = [];
        const called = BenchWindow.now();
        await Promise.all(
            clients.map(async (client, index) => {
                check(await client.openDiff(ide.file(`new-${index}.txt`), text));
                answers.push(BenchWindow.now() - called);
            })
        );
        first.add(answers[0]);
        all.add(answers[answers.length - 1]);
        painted.add(ide.moment(await ide.page.evaluate(() => window.bench.painted())) - called);
        // Those that opened behind have to be there before they are closed.
        await ide.page.waitForFunction(count => document.querySelectorAll('.lm-TabBar-tab[id*="new-"]').length === count, CLIENTS);
        const closing = BenchWindow.now();
        await Promise.all(clients.map(async (client, index) => check(await client.closeDiff(ide.file(`new-${index}.txt`)))));
        closed.add(BenchWindow.now() - closing);
        await ide.waitUntilNoDiff();
        await ide.settle();

        const since = BenchWindow.now();
        await Promise.all(bare.clients.map((client, index) => client.openDiff(ide.file(`new-${index}.txt`), text)));
        floor.add(BenchWindow.now() - since);
    });
}

function check(result: CallToolResult): void {
    if (result.isError) {
        throw new Error(`A tool has failed: ${JSON.stringify(result.content)}`);
    }
}
