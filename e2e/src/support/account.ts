// SPDX-License-Identifier: Apache-2.0

import { promises as fs } from 'fs';
import { CDPSession } from '@playwright/test';
import { BackendHeap, BackendInspector } from './backend-inspector';
import { Workbench } from './workbench';

/** What page and backend hold at one moment, garbage left out. */
export interface Account {
    /** Event listeners of the page's elements and of its window. */
    readonly listeners: number;
    /** Listeners of the events of Theia's services and of ours, in the page. */
    readonly serviceListeners: number;
    readonly nodes: number;
    /** Bytes. */
    readonly pageHeap: number;
    readonly models: string[];
    /** Files in the discovery folders. */
    readonly files: string[];
    /** Open files and sockets of the backend. */
    readonly descriptors: number;
    readonly backend: BackendHeap;
}

export async function takeAccount(workbench: Workbench, inspector: BackendInspector): Promise<Account> {
    const { page } = workbench.page;
    const browser = await page.context().newCDPSession(page);
    try {
        await browser.send('Performance.enable');
        // The second collection frees what the finalizers of the first one released.
        await browser.send('HeapProfiler.collectGarbage');
        await browser.send('HeapProfiler.collectGarbage');
        const metric = await readMetrics(browser);
        return {
            listeners: metric('JSEventListeners'),
            serviceListeners: await page.evaluate(countServiceListeners),
            nodes: metric('Nodes'),
            pageHeap: metric('JSHeapUsedSize'),
            models: (await page.evaluate(() => window.companionProbe.models())).sort(),
            files: (await workbench.discovery.names()).sort(),
            descriptors: (await fs.readdir(`/proc/${workbench.ide.pid}/fd`)).length,
            backend: await inspector.heap()
        };
    } finally {
        await browser.detach();
    }
}

async function readMetrics(browser: CDPSession): Promise<(name: string) => number> {
    const { metrics } = await browser.send('Performance.getMetrics');
    const values = new Map(metrics.map(({ name, value }) => [name, value]));
    return name => values.get(name) ?? NaN;
}

/** Runs in the page: it must not use anything from outside itself. */
function countServiceListeners(): number {
    interface Service {
        [field: string]: { _callbacks?: { _callbacks?: unknown[] } } | undefined;
    }
    interface Container {
        _bindingDictionary: { _map: Map<unknown, Array<{ cache?: unknown }>> };
    }
    const { container } = (window as unknown as { theia: { container: Container } }).theia;
    const caches = [...container._bindingDictionary._map.values()].flatMap(bindings => bindings.map(({ cache }) => cache));
    const services = new Set(caches.filter((cache): cache is Service => typeof cache === 'object' && cache !== null));
    const fields = [...services].flatMap(service => Object.values(Object.getOwnPropertyDescriptors(service)).map(({ value }) => value));
    return fields.reduce((sum: number, field?: Service[string]) => sum + (field?._callbacks?._callbacks?.length ?? 0), 0);
}
