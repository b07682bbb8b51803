// SPDX-License-Identifier: Apache-2.0

import { createHash } from 'crypto';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { hunksOf } from '../../../common/diff/line-hunks';
import { GitMoves } from '../../changes/git-moves';
import { HeadTree } from '../../changes/head-tree';
import { IndexAnswers } from '../../changes/index-answers';
import { Entry, IndexEntry } from '../../changes/index-entry';
import { IndexFold } from '../../changes/index-fold';
import { IndexJournal } from '../../changes/index-journal';
import { INDEX_LIMITS } from '../../changes/index-limits';
import { rowOf } from '../../changes/index-row';
import { IndexRows } from '../../changes/index-rows';
import { IndexTurns } from '../../changes/index-turns';
import { ObjectStore } from '../../changes/object-store';
import { PrivateGit } from '../../changes/private-git';
import { Turn } from '../../changes/turn-records';
import { DiskEntry, WorkTree } from '../../changes/work-tree';
import { fuzzBounds, fuzzTimeout } from './fuzz-bounds';

const FILES = ['a', 'b'];
const MODE = '100644';

const ACTS = [
    'agent adds',
    'agent replaces',
    'agent deletes',
    'agent deletes file',
    'agent makes file',
    'look',
    'next turn',
    'user adds',
    'user replaces',
    'user deletes',
    'keep file',
    'keep change',
    'undo file',
    'undo turn',
    'undo to turn'
] as const;
type Act = readonly [act: (typeof ACTS)[number], file: string, place: number, count: number];

/** A disk and an index in memory, with the real rules. No two lines are equal, but for some that only have a bracket. */
class TurnModel {
    readonly disk = new Map<string, Buffer>();
    readonly base = new Map<string, Entry>();
    readonly blobs = new Map<string, Buffer>();
    readonly rows = new IndexRows();
    readonly log: string[] = [];
    /** Which turn wrote a line, or has deleted it. */
    readonly wroteIn = new Map<string, number>();
    readonly deletedIn = new Map<string, number>();
    protected readonly turns: IndexTurns;
    protected readonly fold: IndexFold;
    protected readonly answers: IndexAnswers;
    protected count = 0;
    protected turn = 0;

    constructor() {
        const idOf = (bytes: Uint8Array): string => createHash('sha1').update(bytes).digest('hex');
        const read = async (name: string): Promise<DiskEntry | null> => {
            const bytes = this.disk.get(name);
            return bytes ? { mode: MODE, oid: idOf(bytes), bytes } : null;
        };
        const objects = {
            idOf,
            put: async (bytes: Buffer) => {
                this.blobs.set(idOf(bytes), bytes);
                return idOf(bytes);
            },
            bytesOf: async (id: string) => this.blobs.get(id)
        } as unknown as ObjectStore;
        const tree = {
            read,
            entry: read,
            stat: async () => undefined,
            write: async (name: string, entry: IndexEntry | null, bytes: Buffer) => this.write(name, entry && bytes),
            removeFoldersMadeFor: async () => undefined
        } as unknown as WorkTree;
        const journal = { entries: this.base, set: async (name: string, entry: Entry) => this.base.set(name, entry) };
        const asJournal = journal as unknown as IndexJournal;
        this.fold = new IndexFold({} as PrivateGit, tree, objects, asJournal, this.rows, () => false, INDEX_LIMITS);
        this.turns = new IndexTurns(tree, objects, asJournal, this.fold, this.rows);
        const moves = { memory: new Map() } as unknown as GitMoves;
        this.answers = new IndexAnswers(tree, objects, asJournal, moves, this.fold, {} as HeadTree, this.turns, this.rows);
        for (const name of FILES) {
            const bytes = Buffer.from(Array.from({ length: 6 }, (_, index) => `base ${name} ${index}\n`).join(''));
            this.disk.set(name, bytes);
            this.blobs.set(idOf(bytes), bytes);
            this.base.set(name, { mode: MODE, oid: idOf(bytes) });
        }
    }

    linesOf(name: string): string[] {
        return linesIn(this.disk.get(name)?.toString() ?? null);
    }

    get state(): string[] {
        return FILES.map(name => `${name}: ${this.disk.get(name)?.toString() ?? 'none'}`);
    }

    async play([act, name, place, count]: Act): Promise<void> {
        this.log.push(`${act} ${name} ${place} ${count}`);
        const lines = this.linesOf(name);
        const at = lines.length > 0 ? place % lines.length : 0;
        const isThere = this.disk.has(name);
        switch (act) {
            case 'agent adds':
                return isThere ? this.agent(name, lines.toSpliced(at, 0, ...this.made('A', count, name))) : undefined;
            case 'agent replaces':
                return isThere ? this.agent(name, lines.toSpliced(at, count, ...this.made('A', count, name))) : undefined;
            case 'agent deletes':
                return isThere ? this.agent(name, lines.toSpliced(at, count)) : undefined;
            case 'agent deletes file':
                return this.agent(name, undefined);
            case 'agent makes file':
                return isThere ? undefined : this.agent(name, this.made('A', count + 1, name));
            case 'look':
                return this.look();
            case 'next turn':
                await this.look();
                this.turn++;
                return undefined;
            case 'user adds':
                return isThere ? this.save(name, lines.toSpliced(at, 0, ...this.made('U', count, name))) : undefined;
            case 'user replaces':
                return isThere ? this.save(name, lines.toSpliced(at, count, ...this.made('U', count, name))) : undefined;
            case 'user deletes':
                return isThere ? this.save(name, lines.toSpliced(at, count)) : undefined;
            case 'keep file':
            case 'keep change':
                return this.keep(name, act === 'keep change' ? place : undefined);
            case 'undo file':
                return this.undoFile(name);
            case 'undo turn':
            case 'undo to turn':
                return this.undoTurn(place, act === 'undo to turn');
        }
    }

    async look(): Promise<void> {
        const before = this.rows.all;
        this.rows.all = new Map();
        for (const name of FILES) {
            const bytes = this.disk.get(name);
            const now = bytes ? { mode: MODE, oid: createHash('sha1').update(bytes).digest('hex') } : null;
            const base = this.base.get(name) ?? null;
            if (base?.oid !== now?.oid) {
                this.rows.all.set(name, rowOf(name, base, now));
                this.rows.notes.set(name, { version: '', agents: ['A'], changedAt: 0 });
            }
        }
        await this.turns.noteLook(before, new Set());
        this.turns.record(this.turnAt(this.turn));
    }

    protected turnAt(turn: number): Turn {
        return { id: String(turn), startedAt: turn, agents: ['A'] };
    }

    protected made(letter: string, count: number, name: string): string[] {
        return Array.from({ length: count }, () => (++this.count % 5 === 0 ? '}' : `${letter} ${name} ${this.count}`));
    }

    protected write(name: string, bytes: Buffer | null): void {
        if (bytes) {
            this.disk.set(name, bytes);
        } else {
            this.disk.delete(name);
        }
    }

    protected agent(name: string, lines: string[] | undefined): void {
        const before = this.linesOf(name);
        this.write(name, lines ? Buffer.from(lines.map(line => `${line}\n`).join('')) : null);
        const after = lines ?? [];
        before.filter(line => !after.includes(line)).forEach(line => this.deletedIn.set(line, this.turn));
        after.filter(line => !before.includes(line)).forEach(line => this.wroteIn.set(line, this.turn));
    }

    protected async save(name: string, lines: string[]): Promise<void> {
        const from = this.disk.get(name) ?? null;
        const to = Buffer.from(lines.map(line => `${line}\n`).join(''));
        this.disk.set(name, to);
        // What the user deletes comes back by nothing that an agent did.
        this.forget(linesIn(String(from ?? '')).filter(line => !lines.includes(line)));
        await this.turns.noteSave(name, from, to);
        await this.fold.foldSave(name, from, to);
    }

    protected forget(gone: readonly string[]): void {
        gone.forEach(line => this.deletedIn.delete(line));
    }

    protected async keep(name: string, place: number | undefined): Promise<void> {
        await this.look();
        const row = this.rows.all.get(name);
        if (!row) {
            return;
        }
        const textOf = async (entry: Entry): Promise<string | null> => (entry ? (this.blobs.get(entry.oid)?.toString() ?? '') : null);
        const base = await textOf(row.base);
        const hunks = hunksOf(base, this.disk.get(name)?.toString() ?? null);
        const hunk = place === undefined ? undefined : hunks[place % hunks.length];
        const isKept = await this.answers.keep(row, hunk);
        if (isKept && !hunk) {
            this.turns.end(name);
        }
        // What was kept belongs to nobody.
        const kept = hunk ? this.linesOf(name).slice(hunk.diskStart, hunk.diskEnd) : this.linesOf(name);
        kept.forEach(line => this.wroteIn.delete(line));
        const gone = hunk ? linesIn(base).slice(hunk.baseStart, hunk.baseEnd) : [...this.deletedIn.keys()].filter(isOf(name));
        this.forget(gone);
        if (!this.rows.turns.listed('').some(({ files }) => files.includes(name))) {
            // They could not be told from what the user did since.
            [...this.wroteIn.keys()].filter(isOf(name)).forEach(line => this.wroteIn.delete(line));
            this.forget([...this.deletedIn.keys()].filter(isOf(name)));
        }
    }

    protected async undoFile(name: string): Promise<void> {
        await this.look();
        const row = this.rows.all.get(name);
        if (row) {
            await this.answers.undo(row, 'file');
            this.forget([...this.deletedIn.keys()].filter(isOf(name)));
        }
    }

    protected async undoTurn(place: number, andLater: boolean): Promise<void> {
        await this.look();
        const first = place % (this.turn + 1);
        const isMeant = (turn: number | undefined): boolean => turn !== undefined && (andLater ? turn >= first : turn === first);
        const ids = new Set(
            Array.from({ length: this.turn + 1 }, (_, turn) => turn)
                .filter(isMeant)
                .map(String)
        );
        const [state, set] = [this.state, `set ${this.log.length}`];
        const [wrote, hadDeleted] = [new Map(this.wroteIn), new Map(this.deletedIn)];
        const undoneFiles: string[] = [];
        for (const name of FILES) {
            const before = this.linesOf(name);
            const { version, isPartial, isSame } = await this.turns.without(name, ids);
            if (isSame) {
                continue;
            }
            undoneFiles.push(name);
            expect(await this.turns.undo(name, ids, version, set), `undo of ${name}`).to.equal(true);
            const after = this.linesOf(name);
            const lost = before.filter(line => line !== '}' && !after.includes(line) && !isMeant(this.wroteIn.get(line)));
            expect(lost, `lost of ${name}`).to.deep.equal([]);
            const come = after.filter(line => line !== '}' && !before.includes(line) && !isMeant(this.deletedIn.get(line)));
            expect(come, `come into ${name}`).to.deep.equal([]);
            if (isPartial) {
                // It is named. What is left in it is of no turn any more.
                after.filter(line => isMeant(this.wroteIn.get(line))).forEach(line => this.wroteIn.delete(line));
                this.forget([...this.deletedIn].filter(([line, turn]) => isOf(name)(line) && isMeant(turn)).map(([line]) => line));
            } else {
                const left = after.filter(line => line !== '}' && isMeant(this.wroteIn.get(line)));
                expect(left, `left in ${name}`).to.deep.equal([]);
                const missed = [...this.deletedIn].filter(([line, turn]) => isOf(name)(line) && isMeant(turn)).map(([line]) => line);
                const gone = missed.filter(line => !after.includes(line) && !isMeant(this.wroteIn.get(line)));
                expect(gone, `not back in ${name}`).to.deep.equal([]);
            }
        }
        const [undone, records] = [this.state, JSON.stringify(this.rows.turns.listed(''))];
        await this.look();
        expect(JSON.stringify(this.rows.turns.listed('')), 'an undo is no work of an agent').to.equal(records);
        if (place % 2 === 0) {
            for (const file of this.rows.undone.stored.find(({ id }) => id === set)?.files ?? []) {
                expect(await this.answers.putBack(set, file)).to.equal(true);
            }
            expect(this.state).to.deep.equal(state);
            wrote.forEach((turn, line) => this.wroteIn.set(line, turn));
            hadDeleted.forEach((turn, line) => this.deletedIn.set(line, turn));
            await this.look();
        } else {
            expect(this.state).to.deep.equal(undone);
            const deleted = [...this.deletedIn].filter(([line]) => undoneFiles.some(name => isOf(name)(line)));
            this.forget(deleted.filter(([, turn]) => isMeant(turn)).map(([line]) => line));
            // What a later turn has deleted of them comes back with that one.
            const back = deleted.map(([line]) => line).filter(line => isMeant(this.wroteIn.get(line)));
            back.forEach(line => this.wroteIn.delete(line));
        }
    }
}

function linesIn(text: string | null): string[] {
    return text?.split('\n').filter(Boolean) ?? [];
}

function isOf(name: string): (line: string) => boolean {
    return line => line.split(' ')[1] === name;
}

describe('Fuzz: turns of agents that are taken back', function () {
    this.timeout(fuzzTimeout());

    it('nobody else’s line is lost, and Put Back brings all of it back', async () => {
        const act = fc.tuple(fc.constantFrom(...ACTS), fc.constantFrom(...FILES), fc.nat(20), fc.integer({ min: 1, max: 3 }));
        await fc.assert(
            fc.asyncProperty(fc.array(act, { minLength: 5, maxLength: 25 }), async acts => {
                const model = new TurnModel();
                try {
                    for (const each of acts) {
                        await model.play(each);
                    }
                } catch (error) {
                    throw new Error(`${(error as Error).message}\n${model.log.join('\n')}\n${model.state.join('\n')}`);
                }
            }),
            fuzzBounds()
        );
    });
});
