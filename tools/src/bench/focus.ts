// SPDX-License-Identifier: Apache-2.0

import { trafficOf } from '../../../e2e/lib/support/page-meter';
import { BenchWindow } from './bench-window';
import { Report } from './report';

const SECTION = 'focus';
const EDITORS = 60;

/** A window with many editors gets the focus, which a person's windows do all day. */
export async function focus(report: Report): Promise<void> {
    const names = Array.from({ length: EDITORS }, (_, number) => `file-${number}.txt`);
    const ide = await BenchWindow.open({ files: Object.fromEntries(names.map(name => [name, `${name}\n`])) });
    try {
        await ide.connect(1);
        for (const name of names) {
            await ide.page.evaluate(path => window.bench.openFile(path), ide.file(name));
        }
        const trip = report.line(SECTION, "floor: round trip of Theia's RPC");
        const time = report.line(SECTION, `focus with ${EDITORS} editors → last message`, trip);
        const messages = report.line(SECTION, `focus with ${EDITORS} editors`, undefined, 'messages');
        const bytes = report.line(SECTION, `focus with ${EDITORS} editors`, undefined, 'KB');
        await report.rounds('Focus', async () => {
            let focused = 0;
            const traffic = await trafficOf(ide.page, async () => {
                focused = await ide.page.evaluate(() => window.bench.focus());
            });
            if (traffic.messages === 0) {
                throw new Error('The page said nothing when it got the focus');
            }
            time.add(traffic.last - focused);
            messages.add(traffic.messages);
            bytes.add(traffic.bytes / 1024);
            trip.add(await ide.page.evaluate(() => window.bench.roundTrip()));
        });
    } finally {
        await ide.dispose();
    }
}
