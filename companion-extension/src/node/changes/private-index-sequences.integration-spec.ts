// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import * as fs from 'fs';
import * as path from 'path';
import { IndexWork } from './test/index-work';

const SEQUENCES = Number(process.env['FUZZ_RUNS'] ?? 20);
const STEPS = 10;
const FILES = ['a', 'b'];

/** An agent adds lines `A1 …`, the user lines `U2 …`, and both use git. */
class Sequence {
    readonly work = new IndexWork();
    readonly log: string[] = [];
    protected readonly kept = new Set<string>();
    protected count = 0;
    protected state: number;

    constructor(seed: number) {
        this.state = (seed * 2654435761) >>> 0;
        this.work.sh('for f in a b; do for i in 1 2 3 4 5 6 7 8; do echo "base $f $i" >> $f; done; done; git add .; git commit -qm 1');
        this.work.sh('git checkout -qb o; sed -i "1s/.*/G other/" a; echo G end >> b; git commit -qam o; git checkout -q main');
    }

    async play(): Promise<void> {
        await this.work.index.start();
        for (let step = 0; step < STEPS; step++) {
            const name = this.oneOf(FILES);
            const act = this.oneOf(Object.keys(this.acts));
            this.log.push(`${act} ${name}`);
            await this.acts[act](name);
        }
        await this.work.index.look();
    }

    protected readonly acts: Record<string, (name: string) => unknown> = {
        agent: name => this.work.put(name, this.insert(name, 'A')),
        'agent again': name => this.work.put(name, this.insert(name, 'A')),
        save: name => this.work.save(name, this.insert(name, 'U')),
        commit: () => this.git('git commit -qam x'),
        amend: () => this.git('git commit -q --amend -am y'),
        checkout: () => this.git('git checkout -q o || git checkout -q main'),
        merge: () => this.git('git merge -q o || git merge --abort'),
        stash: () => this.git('git stash -q && git stash pop -q'),
        'stash, look, pop': async () => {
            this.git('git stash -q');
            await this.work.index.look();
            this.git('git stash pop -q');
        },
        look: () => this.work.index.look(),
        keep: async () => {
            const row = await this.someRow();
            if (row !== undefined && (await this.work.keep(row))) {
                this.linesOf(row, 'A').forEach(line => this.kept.add(line));
            }
        },
        undo: async () => {
            const row = await this.someRow();
            return row !== undefined && this.work.undo(row);
        }
    };

    linesOf(name: string, letter: string): string[] {
        return (this.work.read(name) ?? '').split('\n').filter(line => line.startsWith(letter));
    }

    /** The agent's lines that nobody has kept. */
    get unkept(): string[] {
        return FILES.flatMap(name => this.linesOf(name, 'A')).filter(line => !this.kept.has(line));
    }

    protected async someRow(): Promise<string | undefined> {
        await this.work.index.look();
        const rows = this.work.listed.filter(({ canUndo }) => canUndo);
        return rows.length > 0 ? this.oneOf(rows).path : undefined;
    }

    /** git may refuse. */
    protected git(command: string): void {
        this.work.sh(`${command} || true`);
    }

    protected insert(name: string, letter: string): string {
        const lines = (this.work.read(name) ?? '').split('\n');
        lines.splice(this.random(lines.length), 0, `${letter}${++this.count}`);
        return lines.join('\n');
    }

    protected oneOf<T>(all: readonly T[]): T {
        return all[this.random(all.length)];
    }

    protected random(below: number): number {
        this.state = (this.state * 1664525 + 1013904223) >>> 0;
        return Math.floor((this.state / 2 ** 32) * below);
    }
}

describe('Random work of an agent and a user with git', () => {
    before(() => IndexWork.begin());

    after(() => IndexWork.end());

    afterEach(() => IndexWork.closeAll());

    it('ends with an empty list after Undo All: no line of the user is gone, and no line of the agent is left that nobody kept', async function () {
        this.timeout(SEQUENCES * 5_000);
        for (let seed = 1; seed <= SEQUENCES; seed++) {
            const sequence = new Sequence(seed);
            await sequence.play();
            const typed = FILES.flatMap(name => sequence.linesOf(name, 'U'));
            const failed = await sequence.work.undoAll();
            const about = `seed ${seed}: ${sequence.log.join(', ')}`;
            expect(failed, about).to.deep.equal([]);
            expect(await sequence.work.look(), about).to.equal('');
            expect(
                FILES.flatMap(name => sequence.linesOf(name, 'U')),
                about
            ).to.include.members(typed);
            expect(sequence.unkept, about).to.deep.equal([]);
            fs.rmSync(path.dirname(sequence.work.root), { recursive: true });
        }
    });
}).timeout(60_000);
