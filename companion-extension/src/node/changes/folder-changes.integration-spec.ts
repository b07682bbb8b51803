// SPDX-License-Identifier: Apache-2.0

import * as fs from 'fs';
import * as path from 'path';
import { expect } from 'chai';
import { ActiveAgent } from './active-agent-contribution';
import { FollowedRepository, LINES, pause } from './test/followed-repository';

describe('What git and the user do to changes of an agent', () => {
    let repo: FollowedRepository;

    beforeEach(async () => (repo = await new FollowedRepository().make()));
    afterEach(() => repo.remove());

    it('after a stash and a pop of the user, a row still has its agent and is in Undo All', async () => {
        await repo.agentWrote();
        repo.git('stash', '-q');
        await repo.changes.look();
        expect(repo.list()).to.deep.equal([]);
        repo.git('stash', 'pop', '-q');
        await repo.changes.look();
        expect(repo.list()).to.deep.equal(['modified a.txt Claude Code']);
        expect((await repo.changes.undo.undoable()).files).to.have.length(1);
    });

    it('an agent that ended before anybody looked has changed the file', async () => {
        repo.writeLine('a.txt', 'AGENT');
        repo.agent = undefined;
        repo.changes.setAgent(false);
        await repo.changes.look();
        expect(repo.list()).to.deep.equal(['modified a.txt Claude Code']);
    });

    it('of agents that never say when they work, only one whose screen has changed has changed the file, if another one is known to work', async () => {
        const silent = (name: string, wroteAgo: number): ActiveAgent => {
            return { name, activeAt: Infinity, wroteAt: performance.now() - wroteAgo };
        };
        const listedOf = async (name: string, ...agents: ActiveAgent[]): Promise<string[]> => {
            repo.otherAgents = agents;
            // One of them has come, or said something.
            repo.changes.noteAgents();
            repo.writeLine(name, 'AGENT');
            await repo.changes.look();
            return repo.list().filter(row => row.includes(name));
        };
        repo.agent = silent('Copilot CLI', 60_000);
        await repo.restart();
        expect(await listedOf('a.txt', silent('Kilo CLI', 0))).to.deep.equal(['modified a.txt Kilo CLI']);
        expect(await listedOf('b.txt', silent('Kilo CLI', 60_000))).to.deep.equal(['modified b.txt Copilot CLI Kilo CLI']);
        const working = { name: 'Qwen Code', activeAt: Infinity, isWorking: true };
        // Nothing is heard of one that runs elsewhere.
        const elsewhere = { name: 'OpenCode', activeAt: Infinity };
        expect(await listedOf('c.txt', working, elsewhere, silent('Kilo CLI', 60_000))).to.deep.equal([
            'modified c.txt Qwen Code OpenCode'
        ]);
    });

    it('after an undo and Put Back, a row still has its agent and is in Undo All', async () => {
        await repo.agentWrote();
        const [{ version }] = repo.changes.files;
        expect(await repo.changes.undoFiles([{ file: 'a.txt', version }], 'set', false)).to.deep.equal([{ file: 'a.txt' }]);
        await repo.changes.look();
        expect(await repo.changes.putBack('set')).to.deep.equal([{ file: 'a.txt' }]);
        await repo.changes.look();
        expect(repo.list()).to.deep.equal(['modified a.txt Claude Code']);
        expect((await repo.changes.undo.undoable()).files).to.have.length(1);
    });

    it('after an undo and Put Back of a new folder, its row still has its agent and is in Undo All', async () => {
        repo.writeFolder('new');
        await repo.changes.look();
        repo.hasRested();
        await repo.changes.look();
        const { files } = await repo.changes.undo.undoable();
        await repo.changes.undoFiles(files, 'set', false);
        await repo.changes.look();
        await repo.changes.putBack('set');
        await repo.changes.look();
        expect(repo.list()).to.deep.equal(['folder new Claude Code']);
        expect((await repo.changes.undo.undoable()).files).to.have.length(1);
    });

    for (const text of [LINES.replace('b\n', 'AGENT\n'), LINES.replace('b\n', 'OTHER\n')]) {
        const same = text.includes('AGENT') ? 'the same text' : 'another text';

        it(`after an undo, ${same} that another agent writes is that agent's, and new`, async () => {
            await repo.agentWrote();
            const [{ version, changedAt }] = repo.changes.files;
            await repo.changes.undoFiles([{ file: 'a.txt', version }], 'set', false);
            repo.works('Qwen Code');
            repo.write('a.txt', text);
            await repo.changes.look();
            expect(repo.list()).to.deep.equal(['modified a.txt Qwen Code']);
            expect(repo.changes.files[0].changedAt).to.be.greaterThan(changedAt);
        });

        it(`after an undo, ${same} that a person writes outside while no agent works is no agent's`, async () => {
            await repo.agentWrote();
            const [{ version }] = repo.changes.files;
            await repo.changes.undoFiles([{ file: 'a.txt', version }], 'set', false);
            await repo.changes.look();
            repo.write('a.txt', text);
            await repo.changes.look();
            expect(repo.list()).to.deep.equal(['modified a.txt outside']);
            expect((await repo.changes.undo.undoable()).files).to.have.length(0);
        });
    }

    it('what the agent committed is listed after an undo, Put Back, and a branch that comes and goes between two looks', async () => {
        repo.writeLine('a.txt', 'AGENT');
        repo.git('commit', '-qam', 'agent text');
        await repo.changes.look();
        const listed = ['modified a.txt Claude Code isCommitted'];
        expect(repo.list()).to.deep.equal(listed);
        await repo.changes.undoFiles((await repo.changes.undo.undoable()).files, 'set', false);
        await repo.changes.putBack('set');
        await repo.changes.look();
        expect(repo.list()).to.deep.equal(listed);
        repo.git('checkout', '-q', 'HEAD~1');
        repo.git('checkout', '-q', 'main');
        await repo.changes.look();
        expect(repo.list()).to.deep.equal(listed);
    });

    it('after the backend was killed a row still has its agent and is in Undo All, one that was committed, too', async () => {
        for (const name of ['a.txt', 'c.txt']) {
            repo.writeLine(name, 'AGENT');
        }
        await repo.changes.look();
        repo.git('commit', '-qm', 'agent text', 'c.txt');
        await repo.changes.look();
        const listed = ['modified a.txt Claude Code', 'modified c.txt Claude Code isCommitted'];
        expect(repo.list()).to.deep.equal(listed);
        repo.agent = undefined;
        const killed = repo.changes;
        repo.changes = repo.follow();
        await repo.changes.look();
        expect(repo.list()).to.deep.equal(listed);
        expect((await repo.changes.undo.undoable()).files).to.have.length(2);
        await killed.stop();
    });

    it('an agent that comes in the moment in which the last one is let go is followed', async () => {
        repo.changes.setAgent(false);
        const lettingGo = repo.changes['letGo'](true);
        repo.changes.setAgent(true);
        await lettingGo;
        await repo.agentWrote();
        expect(repo.list()).to.deep.equal(['modified a.txt Claude Code']);
    });

    it("after the backend was killed, and no agent is there, what a person writes outside is no agent's, in a row as well", async function () {
        this.timeout(40_000);
        await repo.agentWrote();
        repo.agent = undefined;
        const killed = repo.changes;
        repo.changes = repo.follow();
        repo.changes.setAgent(false);
        await repo.changes.look();
        while (repo.changes.tracking) {
            await pause(100);
        }
        const text = LINES.replace('b\n', 'AGENT\n').replace('i\n', 'PERSON\n');
        repo.write('a.txt', text);
        repo.write('c.txt', 'PERSON\n');
        await repo.changes.look();
        expect(repo.list()).to.deep.equal(['modified a.txt Claude Code']);
        const [{ version }] = repo.changes.files;
        expect(await repo.changes.undoFiles([{ file: 'a.txt', version }], 'set', false)).to.deep.equal([{ file: 'a.txt' }]);
        expect(fs.readFileSync(repo.file('a.txt'), 'utf8')).to.equal(LINES.replace('i\n', 'PERSON\n'));
        await killed.stop();
    });

    it("after a Keep, what a person writes outside while no agent works is no agent's", async () => {
        await repo.agentWrote();
        await repo.changes.keepAll();
        repo.writeLine('a.txt', 'VIM');
        await repo.changes.look();
        expect(repo.list()).to.deep.equal(['modified a.txt outside']);
    });

    it("what a person writes outside long after an agent came to rest is no agent's, though nobody has looked between", async () => {
        // Its last lines come behind the last look, also that of the start.
        await pause(1_500);
        await repo.rests();
        repo.writeLine('a.txt', 'VIM');
        repo.changes.lookSoon();
        while (repo.list().length === 0) {
            await pause(20);
        }
        expect(repo.list()).to.deep.equal(['modified a.txt outside']);
    });

    it('what the user saves while the first start runs is listed by nobody, though an agent runs already', async () => {
        await repo.changes.stop(true);
        repo.changes = repo.follow();
        repo.changes.setAgent(true);
        // The clock of files may be some milliseconds late.
        await pause(20);
        const end = repo.changes.beginWrite();
        repo.write('a.txt', `${LINES}mine\n`);
        repo.writeLine('b.txt', 'AGENT');
        await repo.changes.foldSave('a.txt', Buffer.from(LINES), Buffer.from(`${LINES}mine\n`));
        end();
        while (!repo.changes.tracking) {
            await pause(20);
        }
        await repo.changes.look();
        expect(repo.list()).to.deep.equal(['unknown b.txt Claude Code noUndo']);
    });

    it('lines that a reset by hand takes from the user are no commit: they stay listed, with Undo', async () => {
        repo.hasRested();
        await repo.changes.look();
        repo.write('a.txt', `${LINES}mine\n`);
        await repo.changes.foldSave('a.txt', Buffer.from(LINES), Buffer.from(`${LINES}mine\n`));
        await repo.changes.look();
        repo.git('reset', '-q', '--hard', 'other');
        await repo.changes.look();
        expect(repo.list()).to.deep.equal(['modified a.txt outside']);
    });

    it('a checkout by the user that brings a new folder of 40 files lists nothing while an agent rests', async () => {
        repo.agent = { name: 'Claude Code', activeAt: -Infinity };
        await repo.changes.look();
        repo.git('checkout', '-q', 'other');
        await repo.changes.look();
        expect(repo.list()).to.deep.equal([]);
    });

    it('a checkout by the user that brings a new folder of 40 files lists nothing, and Undo All removes nothing, while an agent works', async () => {
        repo.git('checkout', '-q', 'other');
        await repo.changes.look();
        const listed = repo.list();
        const { files } = await repo.changes.undo.undoable();
        await repo.changes.undoFiles(files, 'set', false);
        expect([listed, repo.git('status', '--porcelain').split('\n').length - 1]).to.deep.equal([[], 0]);
    });

    it('a folder that the user kept is not listed when a checkout takes it away, or brings it back', async () => {
        repo.writeFolder('new');
        await repo.changes.look();
        expect(repo.list()).to.deep.equal(['folder new Claude Code']);
        await repo.changes.keepAll();
        // The clock of files may be some milliseconds late.
        await pause(20);
        repo.write(path.join('new', 'later.txt'), 'y\n');
        await repo.changes.look();
        expect(repo.list()).to.deep.equal(['unknown later.txt Claude Code noUndo']);
        await repo.changes.keepAll();
        repo.git('checkout', '-q', '-b', 'new');
        repo.git('add', '-A');
        repo.git('commit', '-qm', 'new');
        await repo.changes.look();
        expect(repo.list()).to.deep.equal([]);
        repo.git('checkout', '-q', 'main');
        await repo.changes.look();
        expect(repo.list()).to.deep.equal([]);
        repo.git('checkout', '-q', 'new');
        await repo.changes.look();
        expect(repo.list()).to.deep.equal([]);
    });

    it('a save whose text before could not be read in time leaves no wrong base', async () => {
        const save = async (from: string | undefined, to: string): Promise<void> => {
            const end = repo.changes.beginWrite();
            repo.write('a.txt', to);
            await repo.changes.foldSave('a.txt', from === undefined ? undefined : Buffer.from(from), Buffer.from(to));
            end();
        };
        await save(LINES, `${LINES}#`);
        await save(undefined, `${LINES}##`);
        await save(`${LINES}##`, `${LINES}###`);
        await repo.changes.look();
        const base = await repo.changes.baseline('a.txt');
        const text = base && 'text' in base ? base.text : undefined;
        expect([repo.list(), text]).to.deep.equal([['unknown a.txt Claude Code noUndo'], undefined]);
    });

    const edit = (): void => ['a.txt', 'c.txt'].forEach(name => fs.appendFileSync(repo.file(name), 'agent\n'));
    const both = ['modified a.txt Claude Code', 'modified c.txt Claude Code'];

    it('stash by the agent of texts that no look saw: looked at between', async () => {
        edit();
        repo.git('stash', '-q');
        await repo.changes.look();
        repo.git('stash', 'pop', '-q');
        await repo.changes.look();
        expect(repo.list()).to.deep.equal(both);
    });

    it('stash by the agent of texts that no look saw: not looked at between', async () => {
        edit();
        repo.git('stash', '-q');
        repo.git('stash', 'pop', '-q');
        await repo.changes.look();
        expect(repo.list()).to.deep.equal(both);
    });

    for (let offset = 0; offset < 200; offset += 20) {
        it(`stash and pop by the agent, a look begins ${offset} ms after the edit`, async () => {
            const doing = repo.run('for f in a c; do echo agent >> $f.txt; done; git stash; git stash pop');
            await pause(offset);
            await repo.changes.look();
            await doing;
            await repo.changes.look();
            await repo.changes.look();
            expect(repo.git('diff', '--name-only'), 'it was popped').to.equal('a.txt\nc.txt\n');
            expect(repo.list()).to.deep.equal(both);
        });
    }
});
