// SPDX-License-Identifier: Apache-2.0

import { promises as fs } from 'fs';
import * as path from 'path';
import { parseStaged } from './index-entry';
import { IndexLimits } from './index-limits';
import { ObjectStore } from './object-store';
import { PrivateGit } from './private-git';
import { TurnRecords } from './turn-records';

/** Keeps what is stored within its bound: one pack of what is needed, and nothing else. `git gc` is never relied on. */
export class IndexRoom {
    constructor(
        protected readonly git: PrivateGit,
        protected readonly objects: ObjectStore,
        protected readonly limits: IndexLimits
    ) {}

    /** So much was written that what is needed no longer may be much. */
    get isFull(): boolean {
        return this.objects.writtenBytes > this.limits.storeBytes / 4;
    }

    /** How many bytes are left for what {@link collect} is told to keep. @param needed object ids */
    async left(needed: ReadonlySet<string>): Promise<number> {
        const sizes = await this.sizes();
        return this.limits.storeBytes - [...needed].reduce((sum, oid) => sum + (sizes.get(oid) ?? 0), 0);
    }

    /** Turns get a quarter of the room, and what others leave of it. The oldest go. @param others object ids */
    async limitTurns(turns: TurnRecords, others: readonly string[]): Promise<void> {
        const sizes = await this.sizes();
        const bytesOf = (oids: readonly string[]): number => [...new Set(oids)].reduce((sum, oid) => sum + (sizes.get(oid) ?? 0), 0);
        const { storeBytes } = this.limits;
        while (bytesOf(turns.oids) > storeBytes / 4 || bytesOf([...turns.oids, ...others]) > storeBytes) {
            if (!turns.removeOldest()) {
                return;
            }
        }
    }

    /**
     * Removes what nothing names. Beyond the bound, texts go and their hashes stay: first those that stand on disk, then the largest of what
     * nobody has changed.
     *
     * @param needed object ids, beside those of the index
     * @param onDisk likewise, of what stands there now
     */
    async collect(needed: ReadonlySet<string>, onDisk: readonly string[]): Promise<void> {
        this.objects.end();
        const sizes = await this.sizes();
        const indexed = [...parseStaged(await this.git.run(['ls-files', '-s', '-z'])).values()].map(({ oid }) => oid);
        // Others are the user's, or were never stored.
        const isOurs = (oid: string): boolean => sizes.has(oid);
        let room = this.limits.storeBytes;
        const fits = (oid: string): boolean => (room -= sizes.get(oid) ?? 0) >= 0;
        const named = [...needed].filter(isOurs);
        named.forEach(fits);
        const bySize = (oids: readonly string[]): string[] =>
            oids.toSorted((one, other) => (sizes.get(one) ?? 0) - (sizes.get(other) ?? 0));
        const others = [...new Set([...bySize(indexed), ...bySize(onDisk)])].filter(oid => isOurs(oid) && !needed.has(oid));
        await this.pack([...named, ...others.filter(fits)]);
        this.objects.writtenBytes = 0;
    }

    /** In bytes, by the ids of all objects here. */
    protected async sizes(): Promise<Map<string, number>> {
        const args = ['cat-file', '--batch-all-objects', '--batch-check=%(objectname) %(objectsize:disk)', '--buffer'];
        const lines = (await this.git.run(args)).split('\n').filter(Boolean);
        return new Map(lines.map(line => line.split(' ')).map(([oid, size]) => [oid, Number(size)]));
    }

    protected async pack(oids: readonly string[]): Promise<void> {
        const folder = path.join(this.git.folder, 'objects');
        const packs = path.join(folder, 'pack');
        await fs.mkdir(packs, { recursive: true, mode: 0o700 });
        const [loose, old] = [(await fs.readdir(folder)).filter(name => /^[0-9a-f]{2}$/.test(name)), await fs.readdir(packs)];
        if (oids.length > 0) {
            const input = oids.map(oid => `${oid}\n`).join('');
            await this.git.run(['pack-objects', '-q', '--window=0', path.join(folder, 'new')], { input, limitMs: this.limits.startMs });
        }
        await Promise.all(old.map(name => fs.rm(path.join(packs, name), { force: true })));
        await Promise.all(loose.map(name => fs.rm(path.join(folder, name), { recursive: true, force: true })));
        // Also packs that a killed process left.
        const made = (await fs.readdir(folder)).filter(name => name.startsWith('new-'));
        await Promise.all(made.map(name => fs.rename(path.join(folder, name), path.join(packs, name.replace('new-', 'pack-')))));
    }
}
