// SPDX-License-Identifier: Apache-2.0

import { AsyncLocalStorage } from 'async_hooks';
import { promises as fs } from 'fs';
import * as path from 'path';
import { Emitter } from '@theia/core/lib/common/event';
import { FileUri } from '@theia/core/lib/common/file-uri';
import { URI } from '@theia/core/lib/common/uri';
import { Deferred } from '@theia/core/lib/common/promise-util';
import { injectable } from '@theia/core/shared/inversify';
import { FileOpenOptions, FileSystemProviderCapabilities } from '@theia/filesystem/lib/common/files';
import { DiskFileSystemProvider } from '@theia/filesystem/lib/node/disk-file-system-provider';
import { NodeFileUploadService } from '@theia/filesystem/lib/node/upload/node-file-upload-service';
import { withTimeLimit } from '../../common/time-limit';
import { isPatternForTrash } from '../../common/trash-patterns';

/** A write of a file waits no longer for the one before it. */
const WRITE_LIMIT_MS = 2_000;

/**
 * Runs after a write of the IDE, also after one that failed. Only the next write of the file waits for it.
 *
 * @param content what was written, if that is known: by now somebody else may have written the file
 * @param hasFailed it was refused, or was not done to its end
 */
export type FinishWrite = (content?: Uint8Array, hasFailed?: boolean) => void | Promise<void>;

/** A write of the IDE. */
interface Written {
    content?: Uint8Array;
}

/** Who wants to know what the IDE writes. Each file is an absolute path; of a move, and of what is made, its folder's real one. */
export interface IdeWritesListener {
    /** The write waits for it. */
    beforeWrite(file: string): Promise<FinishWrite | undefined>;
    /** Of a file or a folder, itself and not what a link leads to. @param to `null` to delete it */
    beforeMove(file: string, to: string | null): FinishWrite | undefined;
    /** A file or a folder is made: by a copy, or an upload. The write waits for it. */
    beforeMake(file: string): Promise<FinishWrite | undefined>;
}

/** What is protected in Theia (1.74): an upload moves the file into its place, past the provider. */
type Uploads = { handleFileUpload(request: { body?: { uri?: unknown } }, response: unknown): Promise<void> };

/**
 * Knows each write of the IDE: saves of all pages, of plugins, and undo go through Theia's file system provider in this process. Each page has
 * an instance of it.
 */
@injectable()
export class IdeWrites {
    protected listener: IdeWritesListener | undefined;
    /** Of a provider, which has a trash. */
    protected delete: DiskFileSystemProvider['delete'] | undefined;
    /** By their paths: of all pages, so that each knows what stood there before it. */
    protected readonly writing = new Map<string, Promise<void>>();
    /** `updateFile` calls `writeFile`, which calls `open` (Theia 1.74), and all are one write. */
    protected readonly inWrite = new AsyncLocalStorage<Written>();
    protected readonly onDidWriteEmitter = new Emitter<string>();
    /** Fires with the absolute path of a file that the IDE has written, also if that failed. */
    readonly onDidWrite = this.onDidWriteEmitter.event;

    protected readonly onDidChangeEmitter = new Emitter<string>();
    /** Fires with the absolute path of a file that has changed on disk, whoever wrote it; for each page that watches it. */
    readonly onDidChange = this.onDidChangeEmitter.event;

    setListener(listener: IdeWritesListener): void {
        this.listener = listener;
    }

    follow(provider: DiskFileSystemProvider): DiskFileSystemProvider {
        const [writeFile, updateFile] = [provider.writeFile.bind(provider), provider.updateFile.bind(provider)];
        const [remove, rename, copy] = [provider.delete.bind(provider), provider.rename.bind(provider), provider.copy.bind(provider)];
        if (provider.capabilities & FileSystemProviderCapabilities.Trash) {
            this.delete = remove;
        }
        provider.writeFile = (file, content, options) =>
            this.announce(this.beginWrite(file), async written => {
                await writeFile(file, content, options);
                written.content = content;
            });
        provider.updateFile = (file, ...rest) => this.announce(this.beginWrite(file), () => updateFile(file, ...rest));
        provider.delete = (file, ...rest) => this.announce(this.beginMove(file, null), () => remove(file, ...rest));
        provider.rename = (from, to, ...rest) => this.announce(this.beginMove(from, to), () => rename(from, to, ...rest));
        provider.copy = (from, to, ...rest) => this.announce(this.beginMake(pathOf(to)), () => copy(from, to, ...rest));
        this.followHandles(provider);
        // Theia watches the folders of each page: a watcher of our own would cost as much again.
        provider.onDidChangeFile(changes => changes.forEach(({ resource }) => this.onDidChangeEmitter.fire(pathOf(resource))));
        return provider;
    }

    /** Moves a file into the trash of the system. It is no write of the user: no listener hears of it. Rejects if that cannot be done. */
    async moveToTrash(file: string): Promise<void> {
        if (!this.delete || isPatternForTrash(file)) {
            throw new Error(`There is no trash for '${file}'`);
        }
        await this.delete(FileUri.create(file), { useTrash: true, recursive: false });
    }

    followUploads(service: NodeFileUploadService): NodeFileUploadService {
        const uploads = service as unknown as Uploads;
        const handle = uploads.handleFileUpload?.bind(service);
        if (handle) {
            uploads.handleFileUpload = (request, response) => {
                const uri = request.body?.uri;
                const file = typeof uri === 'string' && uri.startsWith('file:') ? FileUri.fsPath(uri) : undefined;
                return this.announce(file === undefined ? undefined : this.beginMake(file), () => handle(request, response));
            };
        }
        return service;
    }

    /** A file that is written in parts, from `open` to `close`. */
    protected followHandles(provider: DiskFileSystemProvider): void {
        const [open, close] = [provider.open.bind(provider), provider.close.bind(provider)];
        const writing = new Map<number, FinishWrite>();
        provider.open = async (file: URI, options: FileOpenOptions) => {
            const finish = options.create ? await this.beginWrite(file) : undefined;
            try {
                const handle = await open(file, options);
                if (finish) {
                    writing.set(handle, finish);
                }
                return handle;
            } catch (error) {
                void finish?.();
                throw error;
            }
        };
        provider.close = async (handle: number) => {
            const finish = writing.get(handle);
            writing.delete(handle);
            try {
                await close(handle);
            } finally {
                void finish?.();
            }
        };
    }

    protected async announce<T>(
        begun: FinishWrite | undefined | Promise<FinishWrite | undefined>,
        write: (written: Written) => Promise<T>
    ): Promise<T> {
        const finish = await begun;
        const written = this.inWrite.getStore() ?? {};
        let hasFailed = true;
        try {
            const result = await this.inWrite.run(written, write, written);
            hasFailed = false;
            return result;
        } finally {
            void finish?.(written.content, hasFailed);
        }
    }

    protected async beginMove(file: URI, to: URI | null): Promise<FinishWrite | undefined> {
        const [from, target] = [await realPathOf(pathOf(file)), to && (await realPathOf(pathOf(to)))];
        return this.listener?.beforeMove(from, target);
    }

    protected async beginMake(file: string): Promise<FinishWrite | undefined> {
        return this.listener?.beforeMake(await realPathOf(file));
    }

    /** @returns `undefined` if it is part of a write that has begun */
    protected async beginWrite(file: URI): Promise<FinishWrite | undefined> {
        if (this.inWrite.getStore()) {
            return undefined;
        }
        const name = pathOf(file);
        const [before, over] = [this.writing.get(name), new Deferred<void>()];
        this.writing.set(name, over.promise);
        await (before && withTimeLimit(before, WRITE_LIMIT_MS).catch(() => undefined));
        const finish = await this.listener?.beforeWrite(name).catch(() => undefined);
        return async content => {
            this.onDidWriteEmitter.fire(name);
            try {
                await finish?.(content);
            } finally {
                over.resolve();
                if (this.writing.get(name) === over.promise) {
                    this.writing.delete(name);
                }
            }
        };
    }
}

function pathOf(file: URI): string {
    return file.path.fsPath();
}

/** A workspace may be opened through a link. What has the name may be one itself. */
async function realPathOf(file: string): Promise<string> {
    const folder = path.dirname(file);
    return path.join(await fs.realpath(folder).catch(() => (folder === file ? folder : realPathOf(folder))), path.basename(file));
}
