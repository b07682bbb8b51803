// SPDX-License-Identifier: Apache-2.0

import { CDPSession, Page } from '@playwright/test';

const sessions = new WeakMap<Page, Promise<CDPSession>>();

/** Bytes of the page's heap, garbage left out. */
export async function pageHeap(page: Page): Promise<number> {
    const opening = sessions.get(page) ?? page.context().newCDPSession(page);
    sessions.set(page, opening);
    const browser = await opening;
    await browser.send('Performance.enable');
    // The second collection frees what the finalizers of the first one released.
    await browser.send('HeapProfiler.collectGarbage');
    await browser.send('HeapProfiler.collectGarbage');
    const { metrics } = await browser.send('Performance.getMetrics');
    return metrics.find(({ name }) => name === 'JSHeapUsedSize')?.value ?? NaN;
}
