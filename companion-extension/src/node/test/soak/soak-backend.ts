// SPDX-License-Identifier: Apache-2.0
// The backend of a soak: started by soak.ts as a process of its own, so that its memory can be measured.

import { EncodingService } from '@theia/core/lib/common/encoding-service';
import { FileSystemWatcherServer } from '@theia/filesystem/lib/common/filesystem-watcher-protocol';
import { DiskFileSystemProvider } from '@theia/filesystem/lib/node/disk-file-system-provider';
import { Windows } from '../../server/windows';
import { TestBackend, TestConnection } from '../test-backend';
import { BackendMessage } from './soak-messages';
import { SoakPage } from './soak-page';
import { SoakRepository } from './soak-repository';

/** In milliseconds. */
const CONTEXT_PERIOD = 50;
const RELOAD_PERIOD = 30_000;
const MEMORY_PERIOD = 5_000;
const WRITE_PERIOD = 500;
const SAVE_PERIOD = 3_000;
const CHECK_PERIOD = 10_000;

/** Theia's part that tells of changes on disk. Here the soak does. */
const SILENT_WATCHER: Partial<FileSystemWatcherServer> = { setClient: () => undefined, dispose: () => undefined };

const backend = new TestBackend();
backend.container.bind(EncodingService).toSelf();
backend.container.bind(FileSystemWatcherServer).toConstantValue(SILENT_WATCHER as FileSystemWatcherServer);
backend.container.bind(DiskFileSystemProvider).toSelf();
let page: SoakPage | undefined;
let connection: TestConnection | undefined;
let contexts = 0;
const repository = new SoakRepository(backend, () => connection?.service);

function tell(message: BackendMessage): void {
    if (process.connected) {
        // The soak may just have ended: then it is told nothing more.
        process.send?.(message, undefined, {}, () => undefined);
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
    const context = { workspaceState: { isTrusted: true, openFiles: [{ ...file, cursor, selectedText: 'x'.repeat(contexts % 2_000) }] } };
    await connection?.service.updateContext({ sequence: contexts++, context });
}

function measure(): void {
    globalThis.gc?.();
    const { heapUsed, rss } = process.memoryUsage();
    tell({ kind: 'memory', heap: heapUsed, resident: rss, disk: repository.disk });
    tell({ kind: 'changes', ...repository.counts, faults: repository.takeFaults() });
}

async function main(): Promise<void> {
    repository.create();
    await load();
    // With the trust come the locks that stay.
    await changeContext();
    const { port = 0, tokens = [] } = backend.container.get(Windows).get('window-1')?.server ?? {};
    tell({ kind: 'ready', home: backend.host.homeFolder, port, tokens: Object.fromEntries(tokens) });
    const timers = [
        setInterval(() => void changeContext().catch(() => undefined), CONTEXT_PERIOD),
        setInterval(() => void load(), RELOAD_PERIOD),
        setInterval(measure, MEMORY_PERIOD),
        setInterval(() => repository.write(), WRITE_PERIOD),
        setInterval(() => void repository.save(), SAVE_PERIOD),
        setInterval(() => void repository.check().catch(() => undefined), CHECK_PERIOD)
    ];
    process.on('disconnect', () => {
        timers.forEach(clearInterval);
        void backend.stop().then(() => process.exit(0));
    });
}

void main();
