// SPDX-License-Identifier: Apache-2.0

import * as fs from 'fs';
import * as path from 'path';
import { isDeepStrictEqual } from 'util';
import { CompanionLimits } from '../../common/companion-limits';
import { TEMPORARY_FILE, writeAtomically } from './atomic-file';
import { markerIn, processExists, ProcessMarker, ProcessMarkers, TOUCH_PERIOD_MS, UNTOUCHED_MS } from './process-marker';
import { FolderUser, SecureFolder } from './secure-folder';
import { isPort } from './supported-cli';

/** More than a discovery file has: it names every root, and there may be many with long names. */
const MAX_FILE_BYTES = 4 * 1024 * 1024;

/** A discovery file as a CLI reads it. */
export interface FoundFile {
    readonly path: string;
    /** 0 if its server listens on a socket. */
    readonly port: number;
    /** For Copilot CLI. */
    readonly socketPath?: string;
    /** For a socket, the value of the header. */
    readonly token: string;
    /** The folders that the file names, as text: all IDEs write real paths. They may lie where nothing answers. */
    readonly roots: readonly string[];
    /** The IDE's name for people. */
    readonly ideName: string;
}

interface FileContent {
    readonly stat: fs.Stats;
    readonly text: string;
}

/** One discovery file of the user: published by us, found as a CLI finds it, or left by a backend that has ended. */
export class FileOnDisk {
    protected readonly temporaryFiles = new Set<string>();
    protected withdrawn = false;

    constructor(
        readonly path: string,
        protected readonly user: FolderUser
    ) {}

    /** Writes the file if it is missing or changed. Rejects with a `FaultError`. */
    async ensure(folder: SecureFolder, text: string): Promise<void> {
        if (this.withdrawn) {
            return;
        }
        await folder.make();
        const found = await this.read();
        const isPrivate = this.user.uid === undefined || (found && (found.stat.mode & 0o077) === 0);
        if (found?.text === text && isPrivate) {
            if (Date.now() - found.stat.mtimeMs > TOUCH_PERIOD_MS) {
                await fs.promises.utimes(this.path, new Date(), new Date()).catch(() => undefined);
            }
            return;
        }
        try {
            const mayReplace = (): boolean => !this.withdrawn;
            await writeAtomically(this.path, text, { mayReplace, temporaryFiles: this.temporaryFiles });
        } catch (error) {
            throw folder.notWritable(error);
        }
    }

    /** Nothing is written from now on, not even by an {@link ensure} that is under way. */
    withdraw(): void {
        this.withdrawn = true;
    }

    /** Takes the file away for good. Leaves what somebody else has put in its place. */
    async remove(marker: ProcessMarker): Promise<void> {
        this.withdraw();
        const found = await this.read();
        if (found && isWrittenBy(marker, found.text)) {
            await fs.promises.unlink(this.path).catch(() => undefined);
        }
    }

    /** Does as {@link remove}, for the end of the process, and even in the middle of {@link ensure}. */
    removeSync(marker: ProcessMarker): void {
        this.withdraw();
        for (const file of this.temporaryFiles) {
            fs.rmSync(file, { force: true });
        }
        try {
            if (this.isOwn(fs.lstatSync(this.path)) && isWrittenBy(marker, fs.readFileSync(this.path, 'utf8'))) {
                fs.unlinkSync(this.path);
            }
        } catch {
            // It is gone already, or its folder is not ours any more.
        }
    }

    /** Reads it as a CLI does. @returns `undefined` if a CLI would not take it, or its process has ended */
    async find(): Promise<FoundFile | undefined> {
        const found = await this.read();
        const content = found && contentOf(found.text);
        if (!content) {
            return undefined;
        }
        const name = path.basename(this.path);
        const { authToken, ideName, workspacePath = '', workspaceFolders, socketPath } = content;
        const isSocket = typeof socketPath === 'string';
        const secret = isSocket ? (content['headers'] as Record<string, unknown> | undefined)?.['Authorization'] : authToken;
        const port = isSocket ? 0 : Number(content['port'] ?? parseInt(name, 10));
        // Those of Qwen Code and Claude Code name it inside, others in their names.
        const pid = content['ppid'] ?? content['pid'] ?? /-(\d+)-\d+\.json$/.exec(name)?.[1];
        if ((!isPort(port) && !isSocket) || (pid !== undefined && !processExists(Number(pid)))) {
            return undefined;
        }
        const most = CompanionLimits.roots;
        const roots = Array.isArray(workspaceFolders)
            ? workspaceFolders.slice(0, most).map(String)
            : String(workspacePath).split(path.delimiter, most);
        return {
            path: this.path,
            port,
            ...(isSocket && { socketPath }),
            token: typeof secret === 'string' ? secret : '',
            roots: roots.filter(root => path.isAbsolute(root)),
            ideName: typeof ideName === 'string' ? ideName : ''
        };
    }

    /** Removes it if a backend that has ended left it. Trusts nothing but our own marker. @returns whether it did */
    async sweep(markers: ProcessMarkers): Promise<boolean> {
        const found = await this.read();
        if (!found || !this.isLeft(found, markers)) {
            return false;
        }
        try {
            // Another backend may have put its own file there meanwhile: it got the port of the dead one.
            const isSame = (await fs.promises.lstat(this.path)).ino === found.stat.ino;
            if (isSame) {
                await fs.promises.unlink(this.path);
            }
            return isSame;
        } catch {
            return false;
        }
    }

    protected isLeft({ stat, text }: FileContent, markers: ProcessMarkers): boolean {
        if (TEMPORARY_FILE.test(path.basename(this.path))) {
            // Writing a discovery file takes milliseconds: an old half was left by a process that has ended.
            return Date.now() - stat.mtimeMs > UNTOUCHED_MS;
        }
        const marker = markerIn(contentOf(text));
        return marker !== undefined && markers.isGone(marker, stat.mtimeMs);
    }

    /** @returns `undefined` if it is no small file of the user, or cannot be read */
    protected async read(): Promise<FileContent | undefined> {
        try {
            const stat = await fs.promises.lstat(this.path);
            return this.isOwn(stat) ? { stat, text: await fs.promises.readFile(this.path, 'utf8') } : undefined;
        } catch {
            return undefined;
        }
    }

    protected isOwn(stat: fs.Stats): boolean {
        const { uid } = this.user;
        return stat.isFile() && stat.size <= MAX_FILE_BYTES && (uid === undefined || stat.uid === uid);
    }
}

/** Parses the file's text. @returns `undefined` if it is no JSON object */
function contentOf(text: string): Record<string, unknown> | undefined {
    try {
        const content: unknown = JSON.parse(text);
        return typeof content === 'object' && content !== null ? (content as Record<string, unknown>) : undefined;
    } catch {
        return undefined;
    }
}

/** Tells whether we wrote it. An unreadable file with our name belongs to nobody. */
function isWrittenBy(marker: ProcessMarker, text: string): boolean {
    const content = contentOf(text);
    return content === undefined || isDeepStrictEqual(markerIn(content), marker);
}
