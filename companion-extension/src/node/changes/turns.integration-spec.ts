// SPDX-License-Identifier: Apache-2.0

import * as fs from 'fs';
import * as path from 'path';
import { expect } from 'chai';
import { FolderTurns, TurnFile } from './folder-turns';
import { UndoneResult } from './folder-undo';
import { IndexWork } from './test/index-work';
import { ActiveAgent } from './active-agent-contribution';

const LINES = 'a\nb\nc\nd\ne\nf\ng\nh\n';

/** An agent's turns in a folder with real git. */
class TurnWork extends IndexWork {
    turns: FolderTurns;
    protected sets = 0;
    agent: ActiveAgent = { name: 'Claude Code', activeAt: Infinity, isWorking: false };

    follow(): this {
        this.turns = new FolderTurns(this.root, this.index, () => [this.agent]);
        return this;
    }

    override async start(...args: Parameters<IndexWork['start']>): Promise<void> {
        await super.start(...args);
        this.follow();
    }

    /** As `FolderChanges` does. */
    async see(agents = [this.agent.name]): Promise<void> {
        await this.index.look();
        const notes = this.index.list().filter(({ note, version }) => note?.version !== version);
        await this.index.setNotes(new Map(notes.map(({ path: file, version }) => [file, { version, agents, changedAt: 0 }])));
        await this.turns.record(agents, -Infinity);
    }

    /** The agent works, writes, and is done. */
    async turn(write: () => unknown, name = 'Claude Code'): Promise<void> {
        this.agent = { name, activeAt: Infinity, isWorking: true };
        this.turns.note();
        await write();
        await this.see();
        this.agent = { name, activeAt: 0, isWorking: false };
        this.turns.note();
    }

    /** @param at 0 is the newest */
    id(at = 0): string {
        return this.listedTurns[at].id;
    }

    get listedTurns(): ReturnType<FolderTurns['of']>['turns'] {
        return this.turns.of(this.index.list().map(({ path: file }) => file)).turns;
    }

    async plan(at = 0, andLater = false): Promise<string[]> {
        return ((await this.turns.plan(this.id(at), andLater)) ?? []).map(({ file, left }) => `${file} ${left}`);
    }

    /** @returns what stays, and why */
    async undoTurn(at = 0, andLater = false, files?: readonly TurnFile[]): Promise<string[]> {
        const id = this.id(at);
        const seen = files ?? (await this.turns.plan(id, andLater)) ?? [];
        const results = await this.turns.undo(id, andLater, seen, `set ${++this.sets}`);
        await this.see([]);
        return results.flatMap(({ file, reason }: UndoneResult) => (reason ? `${file} ${reason}` : []));
    }

    async putBack(): Promise<void> {
        for (const { id, path: file } of this.index.undone.reverse()) {
            await this.index.putBack(id, file);
        }
        await this.see([]);
    }

    edit(name: string, from: string, to: string): void {
        this.put(name, (this.read(name) ?? '').replace(from, to));
    }

    /** The user types, and saves. */
    async type(name: string, from: string, to: string): Promise<void> {
        await this.save(name, (this.read(name) ?? '').replace(from, to));
    }

    state(): Record<string, string> {
        const names = fs.readdirSync(this.root, { recursive: true, encoding: 'utf8' }).filter(name => !name.startsWith('.git'));
        const files = names.filter(name => !fs.statSync(path.join(this.root, name)).isDirectory());
        return Object.fromEntries(files.sort().map(name => [name, this.read(name) ?? '']));
    }
}

describe('Turns of an agent', () => {
    before(() => IndexWork.begin());
    after(() => IndexWork.end());
    afterEach(() => IndexWork.closeAll());

    async function started(...names: string[]): Promise<TurnWork> {
        const work = new TurnWork();
        names.forEach(name => work.put(name, LINES));
        work.put('.gitignore', 'ignored\n').commit();
        await work.start();
        return work;
    }

    it('are taken back with edits, new and deleted files and renames; what the user typed and committed in between stays; Put Back has all of it', async () => {
        const work = await started('a.txt', 'b.txt', 'old.txt', 'gone.txt', 'run.sh');
        await work.turn(() => work.edit('a.txt', 'b\n', 'FIRST\n'));
        await work.type('a.txt', 'a\n', 'a\nmine 1\n');
        await work.turn(() => {
            work.edit('a.txt', 'd\n', 'SECOND\n');
            work.sh(`sed -i 's/^g$/G/' b.txt; mv old.txt new.txt; rm gone.txt; chmod +x run.sh; mkdir made; echo made > made/file.txt`);
        });
        await work.type('a.txt', 'h\n', 'h\nmine 2\n');
        await work.type('b.txt', 'a\n', 'mine 3\na\n');
        work.sh('git commit -qm user b.txt');
        await work.see([]);
        const before = work.state();
        expect(await work.plan()).to.deep.equal(
            ['a.txt', 'b.txt', 'gone.txt', 'made/file.txt', 'new.txt', 'old.txt', 'run.sh'].map(name => `${name} undone`)
        );

        expect(await work.undoTurn()).to.deep.equal([]);
        const first = { ...work.state() };
        expect(first).to.deep.equal({
            'a.txt': 'a\nmine 1\nFIRST\nc\nd\ne\nf\ng\nh\nmine 2\n',
            'b.txt': `mine 3\n${LINES}`,
            'gone.txt': LINES,
            'old.txt': LINES,
            'run.sh': LINES
        });
        expect(fs.statSync(path.join(work.root, 'run.sh')).mode & 0o111).to.equal(0);
        expect(work.list()).to.equal('a.txt:modified');
        expect(work.listedTurns, 'the turn before it').to.have.length(1);

        expect(await work.undoTurn()).to.deep.equal([]);
        expect(work.state()['a.txt']).to.equal('a\nmine 1\nb\nc\nd\ne\nf\ng\nh\nmine 2\n');
        expect(work.list()).to.equal('');

        await work.index.putBack('set 2', 'a.txt');
        expect(work.state()).to.deep.equal(first);
        await work.putBack();
        expect(work.state()).to.deep.equal(before);
        expect(work.listedTurns.map(({ files }) => files.length)).to.deep.equal([7, 1]);
    });

    it('go back to before one of them, the newest first, also where later ones changed its lines', async () => {
        const work = await started('a.txt');
        await work.turn(() => work.edit('a.txt', 'b\n', 'ONE\n'));
        await work.turn(() => work.edit('a.txt', 'ONE\n', 'TWO\nMORE\n'));
        await work.turn(() => work.put('new.txt', 'new\n').edit('a.txt', 'h\n', ''));
        await work.type('a.txt', 'e\n', 'mine\n');
        expect(await work.plan(1), 'of the one in the middle alone').to.deep.equal(['a.txt undone']);
        expect(await work.plan(2)).to.deep.equal(['a.txt stays']);
        expect(await work.plan(2, true)).to.deep.equal(['a.txt undone', 'new.txt undone']);
        expect(await work.undoTurn(2, true)).to.deep.equal([]);
        expect(work.state()).to.deep.equal({ 'a.txt': LINES.replace('e\n', 'mine\n') });
        expect(work.list()).to.equal('');
        await work.putBack();
        expect(work.state()).to.deep.equal({ 'a.txt': 'a\nTWO\nMORE\nc\nd\nmine\nf\ng\n', 'new.txt': 'new\n' });
        expect(work.listedTurns).to.have.length(3);
    });

    it('leave the lines that the user also changed, and new, deleted, binary and linked files that are other than they left them', async () => {
        const work = await started('a.txt', 'b.txt', 'gone.txt', 'link.txt');
        work.put('image.bin', Buffer.from([0, 1, 2])).commit();
        await work.start();
        await work.turn(() => {
            work.edit('a.txt', 'b\nc\n', 'B\nC\n');
            work.edit('a.txt', 'h\n', 'h\nEND\n');
            work.put('new.txt', 'new\n').put('image.bin', Buffer.from([0, 3]));
            work.sh('rm gone.txt; ln -sf b.txt link.txt');
        });
        await work.type('a.txt', 'B\n', 'mine\n');
        await work.type('new.txt', 'new\n', 'new\nmine\n');
        await work.save('gone.txt', 'mine\n');
        work.put('image.bin', Buffer.from([0, 4]));
        expect(await work.plan()).to.deep.equal(['a.txt partly', 'gone.txt stays', 'image.bin stays', 'link.txt undone', 'new.txt stays']);
        await work.undoTurn();
        expect(work.read('a.txt')).to.equal('a\nmine\nC\nd\ne\nf\ng\nh\n');
        expect([work.read('gone.txt'), work.read('new.txt'), work.read('link.txt')]).to.deep.equal(['mine\n', 'new\nmine\n', LINES]);
        expect(fs.lstatSync(path.join(work.root, 'link.txt')).isSymbolicLink()).to.equal(false);
    });

    it('are written only where the disk is still what the user saw', async () => {
        const work = await started('a.txt', 'b.txt');
        await work.turn(() => {
            work.edit('a.txt', 'b\n', 'B\n');
            work.edit('b.txt', 'b\n', 'B\n');
        });
        const seen = await work.turns.plan(work.id(), false);
        work.edit('a.txt', 'h\n', 'later\n');
        expect(await work.undoTurn(0, false, seen)).to.deep.equal(['a.txt changed']);
        expect([work.read('a.txt'), work.read('b.txt')]).to.deep.equal([LINES.replace('b\n', 'B\n').replace('h\n', 'later\n'), LINES]);
    });

    it('end in a file with its Keep; a change of it that was kept is not taken back', async () => {
        const work = await started('a.txt', 'b.txt', 'c.txt');
        await work.turn(() => work.edit('a.txt', 'b\n', 'KEPT\n'));
        await work.turn(() => {
            work.edit('a.txt', 'g\n', 'ALSO\n');
            work.edit('a.txt', 'd\n', 'UNDONE\n');
            work.edit('b.txt', 'b\n', 'B\n');
            work.edit('c.txt', 'b\n', 'C\n');
        });
        for (const line of ['KEPT', 'ALSO']) {
            const hunk = (await work.hunks('a.txt')).find(({ diskStart }) => (work.read('a.txt') ?? '').split('\n')[diskStart] === line);
            await work.keep('a.txt', hunk);
        }
        await work.keep('b.txt');
        await work.index.withTurns('b.txt', (turns, name) => turns.end(name));
        expect(await work.plan()).to.deep.equal(['a.txt undone', 'c.txt undone']);
        await work.undoTurn();
        expect([work.read('a.txt'), work.read('b.txt'), work.read('c.txt')]).to.deep.equal([
            LINES.replace('b\n', 'KEPT\n').replace('g\n', 'ALSO\n'),
            LINES.replace('b\n', 'B\n'),
            LINES
        ]);
        expect(work.list()).to.equal('');
    });

    it('have no line of a save that came between two writes of the agent, before anybody looked', async () => {
        const work = await started('a.txt');
        await work.turn(async () => {
            work.edit('a.txt', 'b\n', 'ONE\n');
            await work.type('a.txt', 'a\n', 'mine\na\n');
            work.edit('a.txt', 'g\n', 'TWO\n');
            await work.see();
            work.edit('a.txt', 'd\n', 'THREE\n');
            await work.type('a.txt', 'h\n', 'h\nmine\n');
        });
        expect(await work.undoTurn()).to.deep.equal([]);
        expect(work.read('a.txt')).to.equal(`mine\n${LINES}mine\n`);
    });

    it('have no line of a save, nor of its commit, that a look saw before it was told of the save', async () => {
        const work = await started('a.txt');
        await work.turn(async () => {
            work.edit('a.txt', 'b\n', 'ONE\n');
            await work.see();
            const from = fs.readFileSync(path.join(work.root, 'a.txt'));
            work.edit('a.txt', 'h\n', 'h\nmine\n');
            work.sh('git commit -qam mine');
            await work.see();
            await work.index.foldSave('a.txt', from, fs.readFileSync(path.join(work.root, 'a.txt')));
        });
        expect(await work.undoTurn()).to.deep.equal([]);
        expect(work.read('a.txt')).to.equal(`${LINES}mine\n`);
        expect(work.list()).to.equal('');
    });

    it('have nothing of what git moves, nor of what a folder of many files had already', async () => {
        const work = await started('a.txt');
        work.sh('git checkout -qb other; echo theirs >> a.txt; git commit -qam o; git checkout -q main');
        await work.start();
        await work.turn(async () => {
            work.edit('a.txt', 'b\n', 'B\n');
            for (let index = 0; index < 40; index++) {
                work.put(`many/${index}`, 'x\n');
            }
            await work.see();
            work.sh('git commit -qam b; git merge -q other -m m');
        });
        expect(work.listedTurns[0].files).to.have.length(41);
        expect(await work.undoTurn()).to.deep.equal([]);
        expect(work.state()).to.deep.equal({ 'a.txt': `${LINES}theirs\n` });
        await work.putBack();
        expect(work.read('many/7')).to.equal('x\n');
    });

    it('leave no text of a file that is excluded later', async () => {
        const work = await started('a.txt');
        await work.turn(() => {
            work.edit('a.txt', 'b\n', 'B\n');
            work.put('plan.txt', 'a secret plan\n');
        });
        await work.index.purge(file => file === 'plan.txt');
        expect(work.listedTurns[0].files).to.deep.equal(['a.txt']);
        expect(work.storedBlobs().filter(text => text.includes('secret'))).to.deep.equal([]);
    });

    it('are the same after a restart, and do not outgrow their room', async () => {
        const work = await started('a.txt');
        await work.turn(() => work.edit('a.txt', 'b\n', 'ONE\n'));
        await work.type('a.txt', 'a\n', 'mine\na\n');
        await work.turn(() => work.edit('a.txt', 'g\n', 'TWO\n'), 'Codex');
        await work.index.stop();
        work.reopen();
        work.follow();
        await work.index.resume();
        expect(work.listedTurns.map(({ agents }) => agents.join())).to.deep.equal(['Codex', 'Claude Code']);
        await work.index.collect();
        expect(await work.undoTurn(1, true)).to.deep.equal([]);
        expect(work.read('a.txt')).to.equal(`mine\n${LINES}`);
        await work.index.start();
        for (let index = 0; index < 25; index++) {
            await work.turn(() => work.put('b.txt', `${index}\n`));
        }
        expect(work.listedTurns).to.have.length(20);
        work.reopen({ limits: { storeBytes: 200 } });
        work.follow();
        await work.index.resume();
        await work.index.collect();
        expect(work.listedTurns.length).to.be.lessThan(5);
    });

    it('are read as far as they can be; a broken record loses nothing else, and what comes after a cut one is there', async () => {
        const work = await started('a.txt', 'b.txt');
        await work.turn(() => work.edit('a.txt', 'b\n', 'ONE\n'));
        await work.index.stop();
        const file = path.join(work.index.folder, 'turns');
        expect(fs.statSync(file).mode & 0o777).to.equal(0o600);
        const edit = { name: 'b.txt', before: null, after: { mode: '100644', oid: 'not one' } };
        const turn = { id: 'x', startedAt: 1, agents: [] };
        const broken = [1, null, [], { turn }, { turn: { id: 'x' }, edits: [] }, { turn, edits: [edit] }];
        fs.appendFileSync(file, `${broken.map(each => JSON.stringify(each)).join('\n')}\n{"turn":{"id`);
        const listed = work.list();
        const reopen = async (): Promise<void> => {
            work.reopen();
            work.follow();
            await work.index.resume();
        };
        await reopen();
        expect(work.list()).to.equal(listed);
        expect(work.listedTurns).to.have.length(1);
        await work.index.start();
        await work.turn(() => work.edit('b.txt', 'b\n', 'TWO\n'));
        await reopen();
        expect(work.listedTurns).to.have.length(2);
    });

    it('go with what the user moves, and end in the file that stood there; a later turn has nothing of it', async () => {
        const work = await started('a.txt', 'c.txt');
        work.put('b.txt', `1\n2\n${LINES}`).commit();
        await work.start();
        await work.turn(() => {
            work.edit('a.txt', 'b\n', 'A\n');
            work.edit('b.txt', '1\n2\n', '1\nh\n2\n');
            for (let index = 0; index < 40; index++) {
                work.put(`many/${index}`, 'x\n');
            }
        });
        await work.turn(async () => {
            work.edit('c.txt', 'b\n', 'C\n');
            work.sh('mv a.txt b.txt; mv many more');
            await work.index.move('a.txt', 'b.txt');
            await work.index.move('many', 'more');
        });
        expect(work.list()).to.equal('b.txt:modified, c.txt:modified, more/:new folder, 40 files');
        expect(await work.plan()).to.deep.equal(['c.txt undone']);
        expect(await work.plan(1))
            .to.include('b.txt undone')
            .and.have.length(41);
        await work.undoTurn(1);
        expect(work.state()).to.deep.equal({ 'b.txt': LINES, 'c.txt': LINES.replace('b\n', 'C\n') });
    });

    it('are on disk once there is room again', async () => {
        const work = await started('a.txt');
        const file = path.join(work.index.folder, 'turns');
        const turn = (line: string): Promise<void> => work.turn(() => work.edit('a.txt', `${line}\n`, `${line.toUpperCase()}\n`));
        fs.rmSync(file, { force: true });
        fs.mkdirSync(file);
        const error = await turn('b').then(
            () => undefined,
            (each: NodeJS.ErrnoException) => each.code
        );
        expect(error).to.equal('EISDIR');
        fs.rmdirSync(file);
        await turn('g');
        work.reopen();
        work.follow();
        await work.index.resume();
        expect(await work.undoTurn()).to.deep.equal([]);
        expect(work.read('a.txt')).to.equal(LINES);
    });

    it('of more than 500 edits say so', async () => {
        const work = await started('a.txt');
        await work.turn(() => Array.from({ length: 510 }, (_, index) => work.put(`${index}.txt`, `${index}\n`)));
        expect(work.listedTurns.map(({ files, isCut }) => [files.length, isCut])).to.deep.equal([[500, true]]);
    });

    it('are the last twenty, also with those of a repository within', async () => {
        const work = await started('a.txt');
        work.put('inner/b.txt', LINES).sh('git init -q inner');
        await work.start();
        for (let index = 0; index < 24; index++) {
            await work.turn(() => work.put(index % 2 ? 'a.txt' : 'inner/b.txt', `${index}\n`));
        }
        expect(work.listedTurns).to.have.length(20);
        expect(await work.undoTurn(1)).to.deep.equal([]);
        expect([work.read('a.txt'), work.read('inner/b.txt')]).to.deep.equal(['23\n', '20\n']);
    });
});
