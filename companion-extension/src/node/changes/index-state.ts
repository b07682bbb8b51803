// SPDX-License-Identifier: Apache-2.0

import * as path from 'path';
import { writeAtomically } from '../discovery/atomic-file';
import { Entry } from './index-entry';
import { IndexRow } from './index-row';
import { IndexRows, RowNote } from './index-rows';
import { GitMoves } from './git-moves';
import { KnownNames, LargeFile, noNames } from './known-names';
import { UndoneFiles } from './undone-files';
import { GitPosition, readText } from './user-repository';

/** How often it is written while only times and contents of rows change. After a restart a look finds them. */
const ALIVE_PERIOD_MS = 60_000;

/** As it is stored. */
interface Stored {
    readonly tracking: boolean;
    /** When a backend last had it, in milliseconds since the epoch. */
    readonly aliveAt: number;
    readonly position?: GitPosition;
    readonly memory: Record<string, Record<string, Entry>>;
    readonly aliases: Record<string, { user: string; own: string }>;
    readonly large: Record<string, LargeFile>;
    readonly secret: Record<string, string>;
    readonly unknown: string[];
    readonly before: Record<string, number>;
    readonly kept: string[];
    readonly nested: string[];
    readonly undone: UndoneFiles['stored'];
    readonly rows: readonly IndexRow[];
    readonly notes: Record<string, RowNote>;
}

/** What of a private index is not git's, on disk. */
export class IndexState {
    protected written = '';
    protected writtenAt = -Infinity;
    protected writtenRows: readonly IndexRow[] = [];
    protected writtenNotes: Record<string, RowNote> = {};

    constructor(protected readonly folder: string) {}

    /** @returns `undefined` if nothing was stored, or it cannot be read */
    async load(): Promise<Stored | undefined> {
        try {
            const text = await readText(this.file);
            return text === undefined ? undefined : (JSON.parse(text) as Stored);
        } catch {
            return undefined;
        }
    }

    /** Writes it if it has changed, or if it was not written for a minute. */
    async store(tracking: boolean, moves: GitMoves, { all: rows, known, notes, undone }: IndexRows): Promise<void> {
        const isDue = performance.now() - this.writtenAt >= ALIVE_PERIOD_MS;
        const names = new Set(this.writtenRows.map(({ name }) => name));
        if (isDue || !tracking || [...rows.keys()].some(name => !names.has(name))) {
            this.writtenRows = [...rows.values()];
            this.writtenNotes = Object.fromEntries(notes);
        }
        const content: Omit<Stored, 'aliveAt'> = {
            tracking,
            ...(moves.position && { position: moves.position }),
            memory: Object.fromEntries([...moves.memory].map(([name, texts]) => [name, Object.fromEntries(texts)])),
            aliases: Object.fromEntries(moves.aliases),
            large: Object.fromEntries(known.large),
            secret: Object.fromEntries(known.secret),
            unknown: [...known.unknown],
            before: Object.fromEntries(known.before),
            kept: [...known.kept],
            nested: [...known.nested],
            undone: undone.stored,
            rows: this.writtenRows,
            notes: this.writtenNotes
        };
        const text = JSON.stringify(content);
        if (isDue || text !== this.written) {
            await writeAtomically(this.file, JSON.stringify({ ...content, aliveAt: Date.now() }));
            this.written = text;
            this.writtenAt = performance.now();
        }
    }

    protected get file(): string {
        return path.join(this.folder, 'state.json');
    }
}

export function knownIn(stored: Stored | undefined): KnownNames {
    return stored
        ? {
              large: new Map(Object.entries(stored.large)),
              secret: new Map(Object.entries(stored.secret)),
              unknown: new Set(stored.unknown),
              before: new Map(Object.entries(stored.before)),
              kept: new Set(stored.kept),
              nested: new Set(stored.nested)
          }
        : noNames();
}

export function memoryIn(stored: Stored | undefined): Map<string, ReadonlyMap<string, Entry>> {
    return new Map(Object.entries(stored?.memory ?? {}).map(([name, texts]) => [name, new Map(Object.entries(texts))]));
}
