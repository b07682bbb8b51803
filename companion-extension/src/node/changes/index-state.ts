// SPDX-License-Identifier: Apache-2.0

import { promises as fs } from 'fs';
import * as path from 'path';
import { writeAtomically } from '../discovery/atomic-file';
import { Entry } from './index-entry';
import { IndexRow, RowNote } from './index-row';
import { IndexRows } from './index-rows';
import { GitMoves } from './git-moves';
import { KnownNames, LargeFile, noNames } from './known-names';
import { isTurnEdits, TurnEdits, TurnRecords } from './turn-records';
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
    /** In the order in which they were recorded. */
    readonly turns: readonly TurnEdits[];
}

/** A row that has come since the state was written, as a line of its own. */
interface AddedRow {
    readonly row: IndexRow;
    readonly note?: RowNote;
}

/** What of a private index is not git's, on disk. */
export class IndexState {
    protected written = '';
    protected writtenAt = -Infinity;
    /** The rows that are on disk, with the agents that they have there. By their names. */
    protected agents = new Map<string, string>();

    constructor(protected readonly folder: string) {}

    /** @returns `undefined` if nothing was stored, or it cannot be read */
    async load(): Promise<Stored | undefined> {
        const text = await readText(this.file);
        const stored = text === undefined ? undefined : parse<Stored>(text);
        const lines = ((await readText(this.addedFile)) ?? '').split('\n');
        const added = lines.flatMap(line => parse<AddedRow>(line) ?? []);
        const turns = ((await readText(this.turnsFile)) ?? '')
            .split('\n')
            .map(line => parse<unknown>(line))
            .filter(isTurnEdits);
        return (
            stored && {
                ...stored,
                turns,
                rows: [...stored.rows, ...added.map(({ row }) => row)],
                notes: { ...stored.notes, ...Object.fromEntries(added.flatMap(({ row, note }) => (note ? [[row.name, note]] : []))) }
            }
        );
    }

    /** Writes it if it has changed, or if it was not written for a minute. Rows that come are added to a file beside it: they may be many. */
    async store(tracking: boolean, moves: GitMoves, { all, known, notes, undone, turns }: IndexRows): Promise<void> {
        await this.storeTurns(turns);
        const rows = [...all.values()];
        const content: Omit<Stored, 'aliveAt' | 'rows' | 'notes' | 'turns'> = {
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
            undone: undone.stored
        };
        const withRows = { ...content, rows, notes: Object.fromEntries(notes) };
        const text = JSON.stringify(tracking ? content : withRows);
        if (text !== this.written || performance.now() - this.writtenAt >= ALIVE_PERIOD_MS) {
            await writeAtomically(this.file, JSON.stringify({ ...withRows, aliveAt: Date.now() }));
            await fs.rm(this.addedFile, { force: true });
            this.written = text;
            this.writtenAt = performance.now();
            this.agents = new Map(rows.map(({ name }) => [name, agentsOf(notes.get(name))]));
            return;
        }
        const added = rows.filter(({ name }) => this.agents.get(name) !== agentsOf(notes.get(name)));
        if (added.length > 0) {
            const lines = added.map(row => `${JSON.stringify({ row, note: notes.get(row.name) } satisfies AddedRow)}\n`);
            await fs.appendFile(this.addedFile, lines.join(''), { mode: 0o600 });
            added.forEach(({ name }) => this.agents.set(name, agentsOf(notes.get(name))));
        }
    }

    /** What agents write is added. */
    protected async storeTurns(turns: TurnRecords): Promise<void> {
        const { records, whole } = turns.takeUnstored();
        const lines = records.map(record => `${JSON.stringify(record)}\n`).join('');
        try {
            if (whole) {
                await writeAtomically(this.turnsFile, lines);
            } else if (lines) {
                await fs.appendFile(this.turnsFile, lines, { mode: 0o600 });
            }
        } catch (error) {
            turns.storeAgain();
            throw error;
        }
    }

    protected get turnsFile(): string {
        return path.join(this.folder, 'turns');
    }

    protected get file(): string {
        return path.join(this.folder, 'state.json');
    }

    protected get addedFile(): string {
        return path.join(this.folder, 'rows');
    }
}

function agentsOf(note: RowNote | undefined): string {
    return JSON.stringify([note?.agents, note?.isCommitted]);
}

/** @returns `undefined` for what was cut by a crash */
function parse<T>(text: string): T | undefined {
    try {
        return text ? (JSON.parse(text) as T) : undefined;
    } catch {
        return undefined;
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
