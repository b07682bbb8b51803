// SPDX-License-Identifier: Apache-2.0
// The backend of a soak: started by soak.ts as a process of its own, so that its memory can be measured.

import { EncodingService } from '@theia/core/lib/common/encoding-service';
import { FileSystemWatcherServer } from '@theia/filesystem/lib/common/filesystem-watcher-protocol';
import { DiskFileSystemProvider } from '@theia/filesystem/lib/node/disk-file-system-provider';
import { Windows } from '../../server/windows';
import { TestBackend, TestConnection, TestService } from '../test-backend';
import { BackendMessage } from './soak-messages';
import { SoakPage } from './soak-page';
import { SoakRepository } from './soak-repository';
import { SoakUser } from './soak-user';

/** In milliseconds. */
const CONTEXT_PERIOD = 50;
/** One of the windows each time. */
const RELOAD_PERIOD = 15_000;
const MEMORY_PERIOD = 5_000;
const WRITE_PERIOD = 500;
const SAVE_PERIOD = 3_000;
const CHECK_PERIOD = 10_000;
const LOG_LINES = 20;

/** Theia's part that tells of changes on disk. Here the soak does. */
const SILENT_WATCHER: Partial<FileSystemWatcherServer> = { setClient: () => undefined, dispose: () => undefined };

const backend = new TestBackend();
backend.container.bind(EncodingService).toSelf();
backend.container.bind(FileSystemWatcherServer).toConstantValue(SILENT_WATCHER as FileSystemWatcherServer);
backend.container.bind(DiskFileSystemProvider).toSelf();

/** A window with its page, which reloads. Both have the same folder. */
class SoakWindow {
    service: TestService | undefined;
    private page: SoakPage | undefined;
    private connection: TestConnection | undefined;
    private contexts = 0;

    constructor(private readonly windowId: string) {}

    async load(): Promise<void> {
        this.service = undefined;
        this.page?.leave();
        this.connection?.disconnect();
        // The time that a browser takes to load a page.
        await new Promise(resolve => setTimeout(resolve, this.connection ? 500 : 0));
        this.contexts = 0;
        this.page = new SoakPage();
        this.connection = backend.connect(this.page);
        const { service } = this.connection;
        this.page.service = service;
        const state = await service.hello(backend.window(this.page, { windowId: this.windowId }));
        this.page.notifyState(state);
        this.service = service;
    }

    async changeContext(): Promise<void> {
        const sequence = this.contexts++;
        const file = { path: backend.host.home(`file-${sequence % 10}.ts`), timestamp: Date.now(), isActive: true };
        const cursor = { line: 1 + (sequence % 1000), character: 1 };
        const openFiles = [{ ...file, cursor, selectedText: 'x'.repeat(sequence % 2_000) }];
        await this.service?.updateContext({ sequence, context: { workspaceState: { isTrusted: true, openFiles } } });
    }
}

const windows = [new SoakWindow('window-1'), new SoakWindow('window-2')];
const repository = new SoakRepository(backend);
const user = new SoakUser(repository, () => windows.flatMap(({ service }) => service ?? []));

function tell(message: BackendMessage): void {
    if (process.connected) {
        // The soak may just have ended: then it is told nothing more.
        process.send?.(message, undefined, {}, () => undefined);
    }
}

function measure(): void {
    globalThis.gc?.();
    const { heapUsed, rss } = process.memoryUsage();
    tell({ kind: 'memory', heap: heapUsed, resident: rss, disk: repository.disk });
    const faults = [...repository.takeFaults(), ...user.takeFaults()];
    const log = backend.logger.lines.splice(0);
    if (faults.length > 0) {
        process.stderr.write(`The log before a fault:\n${log.slice(-LOG_LINES).join('\n')}\n`);
    }
    tell({ kind: 'changes', counts: { ...repository.counts, ...user.counts }, faults });
}

async function main(): Promise<void> {
    repository.create();
    const [first] = windows;
    for (const window of windows) {
        await window.load();
        // With the trust come the locks that stay.
        await window.changeContext();
    }
    const { port = 0, tokens = [] } = backend.container.get(Windows).get('window-1')?.server ?? {};
    tell({ kind: 'ready', home: backend.host.homeFolder, port, tokens: Object.fromEntries(tokens) });
    let loads = 0;
    const timers = [
        setInterval(() => windows.forEach(window => void window.changeContext().catch(() => undefined)), CONTEXT_PERIOD),
        setInterval(() => !user.isActing && void windows[++loads % windows.length].load(), RELOAD_PERIOD),
        setInterval(measure, MEMORY_PERIOD),
        setInterval(() => repository.write(), WRITE_PERIOD),
        setInterval(() => void repository.save(), SAVE_PERIOD),
        setInterval(() => void repository.check(first.service).catch(() => undefined), CHECK_PERIOD)
    ];
    void user.work();
    process.on('disconnect', () => {
        timers.forEach(clearInterval);
        user.leave();
        void backend.stop().then(() => process.exit(0));
    });
}

void main();
