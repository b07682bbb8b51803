// SPDX-License-Identifier: Apache-2.0

import { ChildProcess } from 'child_process';
import { createHash, randomBytes } from 'crypto';
import { promises as fs } from 'fs';
import * as path from 'path';
import { promisify } from 'util';
import { deflate } from 'zlib';
import { PrivateGit } from './private-git';

const LINE_END = 10;
/** How long the process that reads is kept after the last object. */
const IDLE_MS = 10_000;
/** How long one object may take. */
const READ_LIMIT_MS = 10_000;

interface GitObject {
    readonly type: string;
    readonly bytes: Buffer;
}

interface WaitingRead {
    readonly resolve: (object: GitObject | undefined) => void;
    readonly reject: (error: Error) => void;
}

/** The objects of a private git directory and, to read, of the user's repository. */
export class ObjectStore {
    protected reader: ChildProcess | undefined;
    protected readonly waiting: WaitingRead[] = [];
    protected received: Buffer[] = [];
    protected receivedBytes = 0;
    /** So many bytes must have come before the next object is whole. */
    protected neededBytes = 0;
    protected timer: NodeJS.Timeout | undefined;
    /** In bytes: what was put since somebody asked. */
    writtenBytes = 0;

    constructor(protected readonly git: PrivateGit) {}

    /** @returns a blob's id */
    idOf(bytes: Uint8Array): string {
        return createHash(this.git.objectFormat).update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
    }

    /** Stores a blob without a process. @returns its id */
    async put(bytes: Uint8Array): Promise<string> {
        const id = this.idOf(bytes);
        const file = path.join(this.git.folder, 'objects', id.slice(0, 2), id.slice(2));
        if (!(await fs.stat(file).catch(() => undefined))) {
            await fs.mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
            const temporary = `${file}.${randomBytes(8).toString('hex')}.tmp`;
            try {
                const packed = await promisify(deflate)(Buffer.concat([Buffer.from(`blob ${bytes.length}\0`), bytes]), { level: 1 });
                await fs.writeFile(temporary, packed, { mode: 0o600, flag: 'wx' });
                await fs.rename(temporary, file);
            } catch (error) {
                await fs.rm(temporary, { force: true }).catch(() => undefined);
                throw error;
            }
            this.writtenBytes += bytes.length;
        }
        return id;
    }

    /** @param name of any kind that git knows. @returns `undefined` if there is none. Rejects if git does not answer. */
    read(name: string): Promise<GitObject | undefined> {
        const reader = (this.reader ??= this.start());
        this.endLater(READ_LIMIT_MS);
        return new Promise((resolve, reject) => {
            this.waiting.push({ resolve, reject });
            reader.stdin?.write(`${name}\n`, 'latin1');
        });
    }

    /** @returns the bytes of a blob; `undefined` if they are not there */
    async bytesOf(id: string): Promise<Buffer | undefined> {
        const object = await this.read(id);
        return object?.type === 'blob' ? object.bytes : undefined;
    }

    /** The next read starts a new process. What waits is rejected. */
    end(): void {
        clearTimeout(this.timer);
        this.reader?.kill();
        this.reader = undefined;
        this.received = [];
        this.receivedBytes = this.neededBytes = 0;
        this.waiting.splice(0).forEach(({ reject }) => reject(new Error('git has not read an object in time')));
    }

    protected start(): ChildProcess {
        const reader = this.git.startObjectReader();
        const end = (): void => {
            if (this.reader === reader) {
                this.end();
            }
        };
        reader.stdin?.on('error', () => undefined);
        reader.stdout?.on('data', (data: Buffer) => this.reader === reader && this.take(data));
        reader.on('error', end);
        reader.on('close', end);
        return reader;
    }

    protected endLater(ms: number): void {
        clearTimeout(this.timer);
        this.timer = setTimeout(() => this.end(), ms).unref();
    }

    protected take(data: Buffer): void {
        this.received.push(data);
        this.receivedBytes += data.length;
        while (this.receivedBytes > 0 && this.receivedBytes >= this.neededBytes) {
            const all = Buffer.concat(this.received);
            this.received = [all];
            const end = all.indexOf(LINE_END);
            if (end < 0) {
                break;
            }
            // `ID TYPE SIZE`, or `NAME missing`.
            const [, type, size] = all.toString('latin1', 0, end).split(' ');
            const isMissing = !/^\d+$/.test(size ?? '');
            const length = isMissing ? end + 1 : end + 2 + Number(size);
            if (all.length < length) {
                this.neededBytes = length;
                break;
            }
            this.neededBytes = 0;
            this.received = [all.subarray(length)];
            this.receivedBytes = all.length - length;
            // A copy: a part would keep all that came with it.
            this.waiting.shift()?.resolve(isMissing ? undefined : { type, bytes: Buffer.from(all.subarray(end + 1, length - 1)) });
        }
        this.endLater(this.waiting.length > 0 ? READ_LIMIT_MS : IDLE_MS);
    }
}
