// SPDX-License-Identifier: Apache-2.0

import { Emitter } from '@theia/core/lib/common/event';
import { URI } from '@theia/core/lib/common/uri';
import { injectable } from '@theia/core/shared/inversify';
import { FileOpenOptions } from '@theia/filesystem/lib/common/files';
import { DiskFileSystemProvider } from '@theia/filesystem/lib/node/disk-file-system-provider';

/** Who wants to know what the IDE writes. */
interface IdeWritesListener {
    /**
     * Runs before a write, which waits for it.
     * @param file its absolute path
     * @param isLink a link is written itself, and not what it leads to
     * @returns what runs after the write, also after one that failed, and keeps nobody waiting
     */
    beforeWrite(file: string, isLink: boolean): Promise<(() => void) | undefined>;
    /** A file has changed on disk, whoever wrote it. Comes from each page that watches it. */
    handleChange(file: string): void;
}

/** Files that are being written: `updateFile` calls `writeFile`, which calls `open` (Theia 1.74), and all are one write. */
type BusyFiles = Set<string>;

/**
 * Knows each write of the IDE: saves of all pages, of plugins, and undo go through Theia's file system provider in this process. Each page has
 * an instance of it.
 */
@injectable()
export class IdeWrites {
    protected listener: IdeWritesListener | undefined;
    protected readonly onDidWriteEmitter = new Emitter<string>();
    /** Fires with the path of a file, by any of its names, after the IDE has written it, or has failed to. No write waits for who listens. */
    readonly onDidWrite = this.onDidWriteEmitter.event;

    setListener(listener: IdeWritesListener): void {
        this.listener = listener;
    }

    follow(provider: DiskFileSystemProvider): DiskFileSystemProvider {
        const [writeFile, updateFile] = [provider.writeFile.bind(provider), provider.updateFile.bind(provider)];
        const [remove, rename, copy] = [provider.delete.bind(provider), provider.rename.bind(provider), provider.copy.bind(provider)];
        const busy: BusyFiles = new Set();
        provider.writeFile = (file, ...rest) => this.announce(busy, [file], () => writeFile(file, ...rest));
        provider.updateFile = (file, ...rest) => this.announce(busy, [file], () => updateFile(file, ...rest));
        provider.delete = (file, ...rest) => this.announce(busy, [file], () => remove(file, ...rest), true);
        provider.rename = (from, to, ...rest) => this.announce(busy, [from, to], () => rename(from, to, ...rest), true);
        provider.copy = (from, to, ...rest) => this.announce(busy, [to], () => copy(from, to, ...rest));
        this.followHandles(busy, provider);
        // Theia watches the folders of each page: a watcher of our own would cost as much again.
        provider.onDidChangeFile(changes => changes.forEach(({ resource }) => this.listener?.handleChange(resource.path.fsPath())));
        return provider;
    }

    /** A file that is written in parts, from `open` to `close`. */
    protected followHandles(busy: BusyFiles, provider: DiskFileSystemProvider): void {
        const [open, close] = [provider.open.bind(provider), provider.close.bind(provider)];
        const writing = new Map<number, () => void>();
        provider.open = async (file: URI, options: FileOpenOptions) => {
            const finish = options.create ? await this.begin(busy, [file]) : undefined;
            try {
                const handle = await open(file, options);
                if (finish) {
                    writing.set(handle, finish);
                }
                return handle;
            } catch (error) {
                finish?.();
                throw error;
            }
        };
        provider.close = async (handle: number) => {
            await close(handle);
            const finish = writing.get(handle);
            writing.delete(handle);
            finish?.();
        };
    }

    protected async announce<T>(busy: BusyFiles, files: readonly URI[], write: () => Promise<T>, isLink = false): Promise<T> {
        const finish = await this.begin(busy, files, isLink);
        try {
            return await write();
        } finally {
            finish();
        }
    }

    protected async begin(busy: BusyFiles, files: readonly URI[], isLink = false): Promise<() => void> {
        const after: Array<() => void> = [];
        for (const path of files.map(file => file.path.fsPath()).filter(file => !busy.has(file))) {
            busy.add(path);
            const finish = await this.listener?.beforeWrite(path, isLink);
            after.push(() => {
                busy.delete(path);
                this.onDidWriteEmitter.fire(path);
                finish?.();
            });
        }
        return () => after.forEach(finish => finish());
    }
}
