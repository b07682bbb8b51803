// SPDX-License-Identifier: Apache-2.0

import { Stats } from 'fs';
import { foldEdit } from '../../common/diff/line-hunks';
import { decodeRaw, encodeRaw } from '../../common/diff/raw-text';
import { Entry, isSameEntry, parseStaged, splitOutput } from './index-entry';
import { IndexJournal } from './index-journal';
import { hasHunks, IndexLimits } from './index-limits';
import { isOfIndex, rowOf } from './index-row';
import { IndexRows } from './index-rows';
import { ObjectStore } from './object-store';
import { PrivateGit } from './private-git';
import { DiskEntry, keyOf, WorkTree } from './work-tree';

/** Of more files made at once, or of more bytes than at the start, only the hashes are stored. */
const MAX_ADOPTED = 2_000;

/** What a CLI has written in a file just as the user accepted it, once; and what stood there, `null` for nothing. */
export type TakeAccepted = (realPath: string) => Promise<{ readonly from: Buffer | null; readonly to: Buffer } | undefined>;

/** What stands, or stood, at a path. */
interface FileContent {
    readonly mode: string;
    readonly bytes: Buffer;
}

/** Puts what the user did to a file into its baseline. */
export class IndexFold {
    constructor(
        protected readonly git: PrivateGit,
        protected readonly tree: WorkTree,
        protected readonly objects: ObjectStore,
        protected readonly journal: IndexJournal,
        protected readonly rows: IndexRows,
        protected readonly isSecret: (name: string) => boolean,
        protected readonly limits: IndexLimits
    ) {}

    /** The user has saved a file. @param from what stood there; `null` for nothing, `undefined` if that is not known. @param to likewise */
    async foldSave(name: string, from: Buffer | null | undefined, to: Buffer | null): Promise<void> {
        this.rows.known.kept.delete(name);
        if (from === undefined) {
            // Whose lines they were nobody knows: the next save must not be folded into a base that missed this one.
            if (this.rows.all.has(name) || (await this.baseOf(name))) {
                this.rows.known.unknown.add(name);
            }
            return;
        }
        await this.foldBytes(name, from, to);
    }

    /**
     * The user has saved a file of which only the name is known, before or now. What an agent has made of it before stays listed. A look may
     * have been faster than the news of the save.
     *
     * @param from what stood there; `undefined` if that is not known
     * @param to what the user has made of it; `undefined` if it is too large
     * @param key of what stood there, as `keyOf` has it; `undefined` if that is not known
     */
    async foldLarge(name: string, from: Buffer | null | undefined, to: Buffer | null | undefined, key: string | undefined): Promise<void> {
        const { all, known } = this.rows;
        const [stat, base, large] = [await this.tree.stat(name), await this.baseOf(name), known.large.get(name)];
        const wasAsKnown = large ? large.key === key : base !== null && base.oid === (from ? this.objects.idOf(from) : undefined);
        if (this.isSecret(name) || !(wasAsKnown || !all.has(name))) {
            return;
        }
        if (to !== undefined) {
            await this.journal.set(name, to && { mode: modeOf(stat), oid: await this.objects.put(to) });
            known.large.delete(name);
            all.delete(name);
        } else if (stat?.isFile() && stat.size > this.limits.fileBytes) {
            known.large.set(name, { key: keyOf(stat), size: stat.size });
            all.delete(name);
            if (base) {
                await this.journal.set(name, null);
            }
        }
    }

    /** A CLI has written what the user accepted: as {@link foldSave}, but a Keep. */
    async foldAccepted(name: string, from: Buffer | null, to: Buffer | null): Promise<void> {
        if (this.rows.all.get(name)?.isHeadBase) {
            this.rows.known.kept.add(name);
        }
        await this.foldBytes(name, from, to);
    }

    /** The IDE has renamed a file or a folder, or deleted it (without `to`). @param hasFailed what is still there was not deleted */
    async move(from: string, to: string | undefined, hasFailed = false): Promise<void> {
        const { git, journal, rows } = this;
        const movedTo = (name: string): string | undefined => (to === undefined ? undefined : to + name.slice(from.length));
        await journal.flush(true);
        const indexed = parseStaged(await git.run(['ls-files', '-s', '-z', '--', from]));
        const isNamed = (name: string): boolean => name === from || name.startsWith(`${from}/`);
        const there = hasFailed ? await this.findThere([...indexed.keys()], isNamed) : new Set();
        const isMoved = (name: string): boolean => isNamed(name) && !there.has(name);
        for (const [name, entry] of [...indexed].filter(([each]) => isMoved(each))) {
            await journal.set(name, null);
            const target = movedTo(name);
            const stat = target !== undefined && this.isSecret(target) ? await this.tree.stat(target) : undefined;
            if (stat && target !== undefined) {
                // One that is listed stays so, by its name.
                rows.known.secret.set(target, rows.all.has(name) ? '' : keyOf(stat));
            } else if (target !== undefined) {
                await journal.set(target, entry);
            }
        }
        await this.moveNames(isMoved, movedTo);
        // What stood there before is gone.
        const moved = [...rows.all.values()].filter(({ name }) => isMoved(name));
        [...moved.map(({ name }) => name), ...(to === undefined ? [] : [to])].forEach(name => rows.all.delete(name));
        for (const row of moved) {
            const [note, target] = [rows.notes.get(row.name), movedTo(row.name)];
            if (target !== undefined && !this.isSecret(target)) {
                // The next look must not find that an agent has written it.
                const files = row.files?.map(name => movedTo(name) ?? name);
                rows.all.set(target, { ...row, name: target, ...(files && { files }) });
            }
            if (target !== undefined && note) {
                rows.notes.set(target, note);
            }
        }
        rows.turns.map(edit => {
            if (!isMoved(edit.name)) {
                return edit.name === to ? undefined : edit;
            }
            const name = movedTo(edit.name);
            return name === undefined ? undefined : { ...edit, name };
        });
    }

    /** What still stands of these, and of all that is known beside the index. */
    protected async findThere(indexed: readonly string[], isMeant: (name: string) => boolean): Promise<ReadonlySet<string>> {
        const { before, large, secret } = this.rows.known;
        const listed = [...this.rows.all.values()].flatMap(({ name, files = [] }) => [name, ...files]);
        const names = [...indexed, ...listed, ...before.keys(), ...large.keys(), ...secret.keys()].filter(isMeant);
        return new Set((await this.tree.stats(names)).filter(({ stat }) => stat).map(({ name }) => name));
    }

    /** What is known beside the index. */
    protected async moveNames(isMoved: (name: string) => boolean, movedTo: (name: string) => string | undefined): Promise<void> {
        const { all, known } = this.rows;
        const { before, large, secret, unknown, kept } = known;
        for (const names of [unknown, kept]) {
            for (const name of [...names].filter(isMoved)) {
                const target = movedTo(name);
                names.delete(name);
                if (target !== undefined) {
                    names.add(target);
                }
            }
        }
        for (const name of [...before.keys(), ...large.keys(), ...secret.keys()].filter(isMoved)) {
            const target = movedTo(name);
            const [file, key] = [large.get(name), secret.get(name)];
            [before, large, secret].forEach(names => names.delete(name));
            // One that is listed is still other than it was known.
            const stat = target === undefined || all.has(name) ? undefined : await this.tree.stat(target);
            const keyNow = stat && keyOf(stat);
            if (target !== undefined && file) {
                large.set(target, { ...file, key: keyNow ?? file.key });
            } else if (target !== undefined && key !== undefined && this.isSecret(target)) {
                secret.set(target, keyNow ?? key);
            } else if (target !== undefined) {
                // The move has changed its times, and clocks count in steps.
                before.set(target, Date.now() + 1);
            }
        }
    }

    /** The IDE has made the file, or all in the folder. */
    async adopt(name: string): Promise<void> {
        const { git, journal } = this;
        const output = await git.run(['ls-files', '-o', '-z', '--exclude-standard', '--', name]);
        const names = splitOutput(output).filter(each => !each.endsWith('/') && !this.isSecret(each));
        const found: string[] = [];
        let bytes = 0;
        for (const { name: file, stat } of await this.tree.stats(names)) {
            if (stat && stat.size > this.limits.fileBytes) {
                this.rows.known.large.set(file, { key: keyOf(stat), size: stat.size });
            } else if (stat) {
                found.push(file);
                bytes += stat.size;
            }
        }
        if (found.length > 0) {
            await journal.flush(true);
            const options = found.length > MAX_ADOPTED || bytes > this.limits.startBytes ? ['--info-only'] : [];
            const input = found.map(each => `${each}\0`).join('');
            await git.run(['update-index', '--add', ...options, '-z', '--stdin'], { input, limitMs: this.limits.startMs });
        }
    }

    protected async foldBytes(name: string, from: Buffer | null, to: Buffer | null): Promise<void> {
        const mode = modeOf(await this.tree.stat(name));
        const now = to && { mode, oid: this.objects.idOf(to), bytes: to };
        await this.foldFile(name, from && { mode, bytes: from }, now);
    }

    /** Without an agent, what happens to a listed file is the user's. */
    async foldRows(): Promise<void> {
        for (const { name, now: before } of this.rows.ofIndex) {
            const now = await this.tree.read(name);
            if (!isSameEntry(before, now)) {
                this.rows.known.kept.delete(name);
                const bytes = before && (await this.objects.bytesOf(before.oid));
                await this.foldFile(name, bytes && { mode: before?.mode ?? '', bytes }, now);
            }
        }
    }

    /** @param from `undefined` if it is not known */
    protected async foldFile(name: string, from: FileContent | null | undefined, now: DiskEntry | null): Promise<void> {
        const { known } = this.rows;
        if (this.isSecret(name)) {
            const stat = await this.tree.stat(name);
            if (stat) {
                known.secret.set(name, keyOf(stat));
            }
            return;
        }
        try {
            const base = await this.baseOf(name);
            const to = now?.bytes ? { mode: now.mode, bytes: now.bytes } : now && undefined;
            const next = from === undefined || to === undefined ? undefined : await this.fold(base, from, to);
            if (next === undefined) {
                known.unknown.add(name);
                return;
            }
            if (!isSameEntry(base, next)) {
                await this.journal.set(name, next);
            }
            const row = this.rows.all.get(name);
            if (row) {
                if (now?.bytes) {
                    // Once an agent has written over it, it is nowhere.
                    await this.objects.put(now.bytes).catch(() => undefined);
                }
                this.rows.update(row, next, now);
            }
        } catch (error) {
            // The disk may be full. Nobody is blamed for what could not be noted, and nothing is undone.
            known.unknown.add(name);
            throw error;
        }
    }

    /** An undo, or Put Back, has written a file: no agent did. */
    async see(name: string): Promise<void> {
        const { rows } = this;
        const [row, now] = [rows.all.get(name), await this.tree.read(name)];
        if (rows.isInFolder(name) || (row && !isOfIndex(row))) {
            return;
        }
        if (now?.bytes) {
            await this.objects.put(now.bytes);
        }
        const seen = row ?? rowOf(name, await this.baseOf(name), null);
        rows.update(seen, seen.base, now);
        rows.keepNote(row);
    }

    /** What the index has for a path. */
    async baseOf(name: string): Promise<Entry> {
        const waiting = this.journal.entries.get(name);
        if (waiting !== undefined) {
            return waiting;
        }
        return parseStaged(await this.git.run(['ls-files', '-s', '-z', '--', name])).get(name) ?? null;
    }

    /**
     * @param base of the file before
     * @param from what stood there before; `null` if nothing did
     * @param to what the user has made of it
     * @returns the new base; `undefined` if the lines cannot be told apart
     */
    protected async fold(base: Entry, from: FileContent | null, to: FileContent | null): Promise<Entry | undefined> {
        if (base?.oid === (from ? this.objects.idOf(from.bytes) : undefined)) {
            // Its mode may be an agent's.
            return to && { mode: base?.mode ?? to.mode, oid: await this.objects.put(to.bytes) };
        }
        const baseText = await this.textOf(base);
        const [fromText, toText] = [from, to].map(content => content && this.decode(content.bytes));
        if (baseText === undefined || fromText === undefined || toText === undefined) {
            return undefined;
        }
        const folded = foldEdit(baseText, fromText, toText);
        return folded === null
            ? null
            : { mode: base?.mode ?? to?.mode ?? '100644', oid: await this.objects.put(Buffer.from(encodeRaw(folded))) };
    }

    /** @returns `undefined` if it is not there, or is no text */
    async textOf(entry: Entry): Promise<string | null | undefined> {
        const bytes = entry && (await this.objects.bytesOf(entry.oid));
        return bytes && this.decode(bytes);
    }

    /** @returns `undefined` for what is too large, or no text */
    decode(bytes: Buffer): string | undefined {
        return hasHunks(bytes, this.limits) ? decodeRaw(bytes) : undefined;
    }
}

function modeOf(stat: Stats | undefined): string {
    return (stat?.mode ?? 0) & 0o100 ? '100755' : '100644';
}
