// SPDX-License-Identifier: Apache-2.0

import { promises as fs } from 'fs';
import * as path from 'path';
import { timeout } from '@theia/core/lib/common/promise-util';
import { Entry, toIndexInfo } from './index-entry';
import { readText } from './user-repository';
import { GitError, PrivateGit } from './private-git';

const LOCK_TRIES = 40;
const LOCK_PAUSE_MS = 50;

/**
 * Entries of the private index that are not in its file yet. A Keep or a save appends a line, so that nobody waits for git. All backends of
 * a user write into it, and read it before each look: the last one counts.
 */
export class IndexJournal {
    protected waiting = new Map<string, Entry>();

    constructor(
        protected readonly git: PrivateGit,
        /** How many entries wait before they go into the index. */
        protected readonly limit: number
    ) {}

    /** By their names. */
    get entries(): ReadonlyMap<string, Entry> {
        return this.waiting;
    }

    /** It is on disk when it resolves. */
    async set(name: string, entry: Entry): Promise<void> {
        const line = JSON.stringify([name, entry && { mode: entry.mode, oid: entry.oid }]);
        await fs.appendFile(this.file, `${line}\n`, { mode: 0o600 });
        this.waiting.set(name, entry);
    }

    /** Reads what all backends have written. */
    async read(): Promise<void> {
        const waiting = new Map<string, Entry>();
        for (const file of [this.oldFile, this.file]) {
            for (const line of ((await readText(file)) ?? '').split('\n')) {
                const parsed = parse(line);
                if (parsed) {
                    waiting.set(...parsed);
                }
            }
        }
        this.waiting = waiting;
    }

    /** Brings the index's times up to date, and its entries if many wait, or `all`. Its file is written only if something has changed. */
    async flush(all = false): Promise<void> {
        await this.read();
        const isWritten = this.waiting.size > (all ? 0 : this.limit);
        if (isWritten && (await readText(this.oldFile)) === undefined) {
            // What other backends append from now on stays.
            await fs.rename(this.file, this.oldFile).catch(() => undefined);
        }
        const input = isWritten ? toIndexInfo(this.waiting, this.git.idLength) : '';
        await this.update(input);
        if (isWritten) {
            await fs.rm(this.oldFile, { force: true });
            await this.read();
        }
    }

    /** All is in the index, which was made anew. */
    async clear(): Promise<void> {
        await Promise.all([this.file, this.oldFile].map(file => fs.rm(file, { force: true })));
        this.waiting = new Map();
    }

    protected async update(input: string): Promise<void> {
        for (let tries = 0; ; tries++) {
            try {
                await this.git.run(['update-index', '-q', '--refresh', '-z', '--index-info'], { input });
                return;
            } catch (error) {
                // Another backend of ours has it, or one that was killed. With `-q`, git (2.39) does not say so.
                const isLocked = error instanceof GitError && error.code === 128 && /^$|index\.lock/.test(error.stderr);
                if (!isLocked || tries === LOCK_TRIES) {
                    throw error;
                }
                await this.git.removeOldLock();
                await timeout(LOCK_PAUSE_MS);
            }
        }
    }

    protected get file(): string {
        return path.join(this.git.folder, 'journal');
    }

    /** Goes into the index just now. */
    protected get oldFile(): string {
        return `${this.file}.old`;
    }
}

/** @returns nothing for a line that was cut by a crash */
function parse(line: string): [string, Entry] | undefined {
    try {
        return line ? (JSON.parse(line) as [string, Entry]) : undefined;
    } catch {
        return undefined;
    }
}
