// SPDX-License-Identifier: Apache-2.0

import * as fs from 'fs';

const ASYNCHRONOUS = ['access', 'lstat', 'mkdir', 'open', 'readdir', 'readFile', 'realpath', 'rename', 'rm', 'stat', 'unlink'] as const;
const SYNCHRONOUS = ['existsSync', 'lstatSync', 'readFileSync', 'realpathSync', 'renameSync', 'rmSync', 'statSync', 'unlinkSync'] as const;

type Call = (file: unknown, ...rest: unknown[]) => unknown;

/** Folders on a file system that does not answer, as of a server that went away. */
export class SilentFolders {
    /** Synchronous calls. Each would have stopped the whole process. */
    readonly blocking: string[] = [];
    private readonly unanswered: Array<() => void> = [];
    private readonly originals: Array<() => void> = [];

    constructor(private readonly folders: readonly string[]) {
        for (const name of ASYNCHRONOUS) {
            const original = fs.promises[name] as Call;
            this.replace(fs.promises, name, (file, ...rest) =>
                this.has(file)
                    ? new Promise(resolve => this.unanswered.push(() => resolve(original(file, ...rest))))
                    : original(file, ...rest)
            );
        }
        for (const name of SYNCHRONOUS) {
            const original = fs[name] as Call;
            this.replace(fs, name, (file, ...rest) => {
                if (this.has(file)) {
                    this.blocking.push(`${name} ${String(file)}`);
                }
                return original(file, ...rest);
            });
        }
    }

    /** Unanswered calls. Each holds one of Node's four threads. */
    get waiting(): number {
        return this.unanswered.length;
    }

    /** Answers again, also what was asked before. */
    end(): void {
        this.originals.splice(0).forEach(restore => restore());
        this.unanswered.splice(0).forEach(answer => answer());
    }

    private has(file: unknown): boolean {
        return this.folders.some(folder => String(file).startsWith(folder));
    }

    private replace(object: object, name: string, value: Call): void {
        const holder = object as Record<string, Call>;
        const original = holder[name];
        holder[name] = value;
        this.originals.push(() => (holder[name] = original));
    }
}
