// SPDX-License-Identifier: Apache-2.0

import { delay } from '../../../e2e/lib/support/eventually';
import { IdeFixture } from '../../../e2e/lib/support/ide-fixture';
import { IdePage } from '../../../e2e/lib/support/ide-page';
import { descendantsOf } from '../../../e2e/lib/support/process-tree';
import { TestBrowser } from '../../../e2e/lib/support/test-browser';
import { PAGE_SCRIPTS } from './bench-window';
import { applicationWithoutCompanion } from './floors';
import { memoryOf } from './memory-of';
import { FEW_SAMPLES, Report, Series } from './report';

const SECTION = 'start';
/** The backend's line in its log begins with the time of day. */
const LISTENING = /^(\S+Z) .*Theia app listening/gm;
/** A product's backend compiles its scripts at each start. */
const UNCACHED = { NODE_DISABLE_COMPILE_CACHE: '1' };
/** In milliseconds, for what a page does after it is ready. */
const REST = 500;

interface Lines {
    readonly backend: Series;
    readonly page: Series;
    readonly memory: Series;
    readonly processes: Series;
}

/** The IDE with and without the companion, alternating: a new backend, and a page in a new private window. */
export async function start(report: Report, log: (line: string) => void): Promise<void> {
    const plain = await IdeFixture.start({ application: await applicationWithoutCompanion(log), environment: UNCACHED });
    try {
        const ide = await IdeFixture.start({ environment: UNCACHED });
        try {
            const without = lines(report, 'floor: ', 'without the companion');
            const withCompanion = lines(report, '', 'with the companion', without);
            await Promise.all([plain.end('SIGTERM'), ide.end('SIGTERM')]);
            await report.rounds(
                'Start',
                async () => {
                    await measure(plain, without);
                    await measure(ide, withCompanion);
                },
                // Each begins with a new process.
                { warmUp: 0, samples: FEW_SAMPLES }
            );
        } finally {
            await ide.dispose();
        }
    } finally {
        await plain.dispose();
    }
}

function lines(report: Report, prefix: string, name: string, floor?: Lines): Lines {
    return {
        backend: report.line(SECTION, `${prefix}backend ready, ${name}`, floor?.backend),
        page: report.line(SECTION, `${prefix}page ready, ${name}`, floor?.page),
        memory: report.line(SECTION, `${prefix}memory of the backend with one window, ${name}`, floor?.memory, 'MB'),
        processes: report.line(SECTION, `${prefix}processes of the backend with one window, ${name}`, floor?.processes, 'processes')
    };
}

async function measure(ide: IdeFixture, { backend, page, memory, processes }: Lines): Promise<void> {
    const started = Date.now();
    await ide.restart();
    const listening = [...ide.log.matchAll(LISTENING)].at(-1)?.[1];
    backend.add(Date.parse(String(listening)) - started);
    const context = await TestBrowser.newPrivateContext();
    try {
        for (const content of PAGE_SCRIPTS) {
            await context.addInitScript({ content });
        }
        const opened = await IdePage.open(context, ide.url, ide.workspace);
        page.add(await opened.page.evaluate(() => window.bench.ready));
        await delay(REST);
        const pids = [ide.pid, ...descendantsOf(ide.pid).map(({ pid }) => pid)];
        memory.add(pids.reduce((sum, pid) => sum + memoryOf(pid), 0));
        processes.add(pids.length);
    } finally {
        await Promise.all([context.close(), ide.end('SIGTERM')]);
    }
}
