// SPDX-License-Identifier: Apache-2.0

import { Page } from '@playwright/test';
import { IdeFixture } from '../../../e2e/lib/support/ide-fixture';
import { quiet, installPageMeter } from '../../../e2e/lib/support/page-meter';
import { ProtocolClient } from '../../../e2e/lib/support/protocol-client';
import { TcpProxy } from '../../../e2e/lib/support/tcp-proxy';
import { Workbench, WorkbenchOptions } from '../../../e2e/lib/support/workbench';
import { installBenchPage } from './bench-page';
import { sampleText } from '../../../e2e/lib/support/sample-text';

/** What the pages of the bench need, before Theia runs. */
export const PAGE_SCRIPTS = [`window.sampleText = ${sampleText}`, `(${installPageMeter})()`, `(${installBenchPage})()`];

/** How far the clock of the page may be from ours, in milliseconds, before that is no way to measure. */
const CLOCK_LIMIT = 0.5;

/** One window of the IDE with its clients. */
export class BenchWindow {
    /** What has to be added to a moment of the page's to have one of ours: both clocks are set once, when a process or a page starts. */
    private clock = 0;

    private constructor(
        private readonly workbench: Workbench,
        readonly clients: ProtocolClient[]
    ) {}

    static async open(options: WorkbenchOptions): Promise<BenchWindow> {
        const bench = new BenchWindow(await Workbench.start({ ...options, pageScripts: PAGE_SCRIPTS }), []);
        bench.clock = await bench.measureClock();
        return bench;
    }

    get page(): Page {
        return this.workbench.page.page;
    }

    get ide(): IdeFixture {
        return this.workbench.ide;
    }

    /** Started with `proxy`. */
    get proxy(): TcpProxy {
        return this.workbench.proxy;
    }

    /** Path of a file of the workspace. */
    file(name: string): string {
        return this.workbench.ide.file(name);
    }

    /** Connects as many clients as are missing. */
    async connect(count: number): Promise<ProtocolClient[]> {
        while (this.clients.length < count) {
            const client = await ProtocolClient.connect(this.workbench.ide);
            await client.waitForContext('a context, for which the stream has to be open', () => true);
            this.clients.push(client);
        }
        return this.clients;
    }

    /** Our own clock, in milliseconds since the epoch. */
    static now(): number {
        return performance.timeOrigin + performance.now();
    }

    /** A moment of the page's by our clock. */
    moment(ofPage: number): number {
        return ofPage + this.clock;
    }

    /** Opens the diff of a proposal; the times until it is answered, and until it is on the screen. */
    async openDiff(client: ProtocolClient, file: string, text: string, word: string): Promise<{ answered: number; painted: number }> {
        await this.page.evaluate(expected => window.bench.expectDiff(expected), word);
        const called = BenchWindow.now();
        const answer = await client.openDiff(file, text);
        const answered = BenchWindow.now() - called;
        if (answer.isError) {
            throw new Error(`openDiff has failed: ${JSON.stringify(answer.content)}`);
        }
        const painted = await this.page.evaluate(() => window.bench.painted());
        return { answered, painted: this.moment(painted) - called };
    }

    async waitUntilNoDiff(): Promise<void> {
        await this.page.evaluate(() => window.bench.diffsClosed());
    }

    /** Waits until nothing of the last action is on its way. */
    async settle(): Promise<void> {
        await quiet(this.page, 120);
    }

    async dispose(): Promise<void> {
        try {
            const drift = (await this.measureClock()) - this.clock;
            if (Math.abs(drift) > CLOCK_LIMIT) {
                throw new Error(`The clocks of page and bench moved by ${drift} ms against each other`);
            }
            const [failed] = this.clients.flatMap(({ errors }) => errors);
            if (failed) {
                throw failed;
            }
        } finally {
            await Promise.all(this.clients.map(client => client.disconnect()));
            await this.workbench.dispose();
        }
    }

    /** As NTP does: the quickest of many round trips says most. */
    private async measureClock(): Promise<number> {
        let best = { time: Infinity, offset: 0 };
        for (let trip = 0; trip < 50; trip++) {
            const before = BenchWindow.now();
            const there = await this.page.evaluate(() => window.bench.now());
            const after = BenchWindow.now();
            if (after - before < best.time) {
                best = { time: after - before, offset: (before + after) / 2 - there };
            }
        }
        return best.offset;
    }
}
