// SPDX-License-Identifier: Apache-2.0
// The backend of a soak: started by soak.ts as a process of its own, so that its memory can be measured.

import { TestBackend, TestConnection } from '../test-backend';
import { BackendMessage } from './soak-messages';
import { SoakPage } from './soak-page';

/** In milliseconds. */
const CONTEXT_PERIOD = 50;
const RELOAD_PERIOD = 30_000;
const MEMORY_PERIOD = 5_000;

const backend = new TestBackend();
let page: SoakPage | undefined;
let connection: TestConnection | undefined;
let contexts = 0;

function tell(message: BackendMessage): void {
    if (process.connected) {
        process.send?.(message);
    }
}

async function load(): Promise<void> {
    page?.leave();
    connection?.disconnect();
    // The time that a browser takes to load a page.
    await new Promise(resolve => setTimeout(resolve, connection ? 500 : 0));
    contexts = 0;
    page = new SoakPage();
    connection = backend.connect(page);
    page.service = connection.service;
    const state = await connection.service.hello(backend.window(page));
    page.notifyState(state);
}

async function changeContext(): Promise<void> {
    const file = { path: backend.host.home(`file-${contexts % 10}.ts`), timestamp: Date.now(), isActive: true };
    const cursor = { line: 1 + (contexts % 1000), character: 1 };
    const context = { workspaceState: { openFiles: [{ ...file, cursor, selectedText: 'x'.repeat(contexts % 2_000) }] } };
    await connection?.service.updateContext({ sequence: contexts++, context });
}

function measure(): void {
    globalThis.gc?.();
    const { heapUsed, rss } = process.memoryUsage();
    const sessions = backend.servers.serverFor('window-1') ? (page?.state?.status.connections.length ?? 0) : -1;
    tell({ kind: 'memory', heap: heapUsed, resident: rss, sessions, waiting: page?.state?.reviews.length ?? 0 });
}

async function main(): Promise<void> {
    await load();
    tell({ kind: 'ready', ...backend.discovered() });
    setInterval(() => void changeContext().catch(() => undefined), CONTEXT_PERIOD);
    setInterval(() => void load(), RELOAD_PERIOD);
    setInterval(measure, MEMORY_PERIOD);
    process.on('disconnect', () => void backend.stop().then(() => process.exit(0)));
}

void main();
