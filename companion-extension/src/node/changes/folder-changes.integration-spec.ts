// SPDX-License-Identifier: Apache-2.0

import { execFile, execFileSync } from 'child_process';
import * as fs from 'fs';
import { tmpdir } from 'os';
import * as path from 'path';
import { expect } from 'chai';
import { FileAccess } from '../host/file-access';
import { FolderChanges } from './folder-changes';
import { ActiveAgent } from './row-agents';

function exec(command: string, cwd: string): Promise<void> {
    const env = {
        ...process.env,
        GIT_AUTHOR_NAME: 'T',
        GIT_AUTHOR_EMAIL: 't@e.org',
        GIT_COMMITTER_NAME: 'T',
        GIT_COMMITTER_EMAIL: 't@e.org'
    };
    return new Promise(resolve => execFile('sh', ['-c', command], { cwd, env }, () => resolve()));
}

const LINES = 'a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n';

/** Longer than an agent counts for what is changed after it has worked. */
const RESTED_MS = 6_000;

describe('What git and the user do to changes of an agent', () => {
    let top: string;
    let root: string;
    let changes: FolderChanges;
    let agent: { name: string; activeAt: number } | undefined;

    const git = (...args: string[]): string =>
        execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.org', ...args], {
            cwd: root,
            encoding: 'utf8',
            stdio: 'pipe'
        });
    const list = (): string[] =>
        changes.files
            .map(({ uri, kind, authors, group, isCommitted, canUndo }) =>
                [
                    kind,
                    path.basename(uri),
                    ...authors,
                    ...(group ? [group] : []),
                    ...(isCommitted ? ['isCommitted'] : []),
                    ...(canUndo ? [] : ['noUndo'])
                ].join(' ')
            )
            .sort();

    beforeEach(async function () {
        this.timeout(60_000);
        top = fs.realpathSync(fs.mkdtempSync(path.join(tmpdir(), 'walk57-')));
        root = path.join(top, 'repo');
        fs.mkdirSync(root);
        for (const name of ['a.txt', 'b.txt', 'c.txt']) {
            fs.writeFileSync(path.join(root, name), LINES);
        }
        git('init', '-q', '-b', 'main');
        git('add', '-A');
        git('commit', '-q', '-m', 'first');
        git('checkout', '-q', '-b', 'other');
        fs.mkdirSync(path.join(root, 'many'));
        for (let index = 0; index < 40; index++) {
            fs.writeFileSync(path.join(root, 'many', `${index}.txt`), 'x\n');
        }
        git('add', '-A');
        git('commit', '-qm', 'many');
        git('checkout', '-q', 'main');
        agent = { name: 'Claude Code', activeAt: Infinity };
        await start();
    });
    afterEach(async () => {
        await changes.stop(true);
        fs.rmSync(top, { recursive: true, force: true });
    });

    async function start(): Promise<void> {
        changes = follow();
        changes.setAgent(true);
        while (!changes.tracking) {
            await new Promise(resolve => setTimeout(resolve, 20));
        }
        await changes.look();
    }

    /** As a backend does that starts. */
    function follow(): FolderChanges {
        return new FolderChanges(root, {
            fileAccess: new FileAccess(5_000),
            home: path.join(top, 'home'),
            logger: { warn: async () => undefined },
            agents: (): ActiveAgent[] => (agent ? [agent] : []),
            moveToTrash: async () => undefined,
            onDidChange: () => undefined
        });
    }

    /** What stands on disk now is the baseline. */
    async function restart(): Promise<void> {
        await changes.stop(true);
        await start();
    }

    /** An agent that rests for longer than it counts for what is changed. */
    function resting(): ActiveAgent {
        return { name: 'Claude Code', activeAt: performance.now() - RESTED_MS };
    }

    /** The agent writes, is seen, and has rested for a while when git comes. */
    async function agentWrote(name = 'a.txt'): Promise<void> {
        fs.writeFileSync(path.join(root, name), LINES.replace('b\n', 'AGENT\n'));
        await changes.look();
        expect(list()).to.deep.equal([`modified ${name} Claude Code`]);
        agent = resting();
        await changes.look();
    }

    it('after a stash and a pop of the user, a row still has its agent and is in Undo All', async function () {
        this.timeout(60_000);
        await agentWrote();
        git('stash', '-q');
        await changes.look();
        expect(list()).to.deep.equal([]);
        git('stash', 'pop', '-q');
        await changes.look();
        expect(list()).to.deep.equal(['modified a.txt Claude Code']);
        expect((await changes.undo.undoable()).files).to.have.length(1);
    });

    it('an agent that ended before anybody looked has changed the file', async () => {
        fs.writeFileSync(path.join(root, 'a.txt'), LINES.replace('b\n', 'AGENT\n'));
        agent = undefined;
        changes.setAgent(false);
        await changes.look();
        expect(list()).to.deep.equal(['modified a.txt Claude Code']);
    });

    it('after an undo and Put Back, a row still has its agent and is in Undo All', async function () {
        this.timeout(60_000);
        await agentWrote();
        const [{ version }] = changes.files;
        expect(await changes.undoFiles([{ file: 'a.txt', version }], 'set', false)).to.deep.equal([{ file: 'a.txt' }]);
        await changes.look();
        expect(await changes.putBack('set')).to.deep.equal([{ file: 'a.txt' }]);
        await changes.look();
        expect(list()).to.deep.equal(['modified a.txt Claude Code']);
        expect((await changes.undo.undoable()).files).to.have.length(1);
    });

    it('after an undo and Put Back of a new folder, its row still has its agent and is in Undo All', async function () {
        this.timeout(60_000);
        fs.mkdirSync(path.join(root, 'new'));
        for (let index = 0; index < 40; index++) {
            fs.writeFileSync(path.join(root, 'new', `${index}.txt`), 'x\n');
        }
        await changes.look();
        agent = { name: 'Claude Code', activeAt: performance.now() };
        await new Promise(resolve => setTimeout(resolve, 6_000));
        const { files } = await changes.undo.undoable();
        await changes.undoFiles(files, 'set', false);
        await changes.look();
        await changes.putBack('set');
        await changes.look();
        expect(list()).to.deep.equal(['folder new Claude Code']);
        expect((await changes.undo.undoable()).files).to.have.length(1);
    });

    for (const text of [LINES.replace('b\n', 'AGENT\n'), LINES.replace('b\n', 'OTHER\n')]) {
        const same = text.includes('AGENT') ? 'the same text' : 'another text';

        it(`after an undo, ${same} that another agent writes is that agent's, and new`, async function () {
            this.timeout(60_000);
            await agentWrote();
            const [{ version, changedAt }] = changes.files;
            await changes.undoFiles([{ file: 'a.txt', version }], 'set', false);
            agent = { name: 'Qwen Code', activeAt: Infinity };
            fs.writeFileSync(path.join(root, 'a.txt'), text);
            await changes.look();
            expect(list()).to.deep.equal(['modified a.txt Qwen Code']);
            expect(changes.files[0].changedAt).to.be.greaterThan(changedAt);
        });

        it(`after an undo, ${same} that a person writes outside while no agent works is no agent's`, async function () {
            this.timeout(60_000);
            await agentWrote();
            const [{ version }] = changes.files;
            await changes.undoFiles([{ file: 'a.txt', version }], 'set', false);
            await changes.look();
            fs.writeFileSync(path.join(root, 'a.txt'), text);
            await changes.look();
            expect(list()).to.deep.equal(['modified a.txt outside']);
            expect((await changes.undo.undoable()).files).to.have.length(0);
        });
    }

    it('what the agent committed is listed after an undo, Put Back, and a branch that comes and goes between two looks', async function () {
        this.timeout(60_000);
        fs.writeFileSync(path.join(root, 'a.txt'), LINES.replace('b\n', 'AGENT\n'));
        git('commit', '-qam', 'agent text');
        await changes.look();
        const listed = ['modified a.txt Claude Code isCommitted'];
        expect(list()).to.deep.equal(listed);
        await changes.undoFiles((await changes.undo.undoable()).files, 'set', false);
        await changes.putBack('set');
        await changes.look();
        expect(list()).to.deep.equal(listed);
        git('checkout', '-q', 'HEAD~1');
        git('checkout', '-q', 'main');
        await changes.look();
        expect(list()).to.deep.equal(listed);
    });

    it('after the backend was killed a row still has its agent and is in Undo All, one that was committed, too', async function () {
        this.timeout(60_000);
        for (const name of ['a.txt', 'c.txt']) {
            fs.writeFileSync(path.join(root, name), LINES.replace('b\n', 'AGENT\n'));
        }
        await changes.look();
        git('commit', '-qm', 'agent text', 'c.txt');
        await changes.look();
        const listed = ['modified a.txt Claude Code', 'modified c.txt Claude Code isCommitted'];
        expect(list()).to.deep.equal(listed);
        agent = undefined;
        const killed = changes;
        changes = follow();
        await changes.look();
        expect(list()).to.deep.equal(listed);
        expect((await changes.undo.undoable()).files).to.have.length(2);
        await killed.stop();
    });

    it("after a Keep, what a person writes outside while no agent works is no agent's", async function () {
        this.timeout(60_000);
        await agentWrote();
        await changes.keepAll();
        fs.writeFileSync(path.join(root, 'a.txt'), LINES.replace('b\n', 'VIM\n'));
        await changes.look();
        expect(list()).to.deep.equal(['modified a.txt outside']);
    });

    for (const isSeen of [true, false]) {
        it(`what was kept and committed by hand is HEAD's: an agent's commit after it is listed; ${isSeen ? '' : 'not '}looked at between`, async function () {
            this.timeout(60_000);
            await agentWrote();
            await changes.keepAll();
            git('commit', '-qam', 'by hand');
            if (isSeen) {
                await changes.look();
            }
            agent = { name: 'Claude Code', activeAt: Infinity };
            fs.writeFileSync(path.join(root, 'a.txt'), LINES.replace('b\n', 'AGAIN\n'));
            git('commit', '-qam', 'by the agent');
            await changes.look();
            expect(list()).to.deep.equal(['modified a.txt Claude Code isCommitted']);
            expect((await changes.undo.undoable()).files).to.have.length(1);
        });
    }

    it("what is as HEAD is HEAD's once it was kept: an agent's commit after it is listed", async function () {
        this.timeout(60_000);
        await agentWrote();
        await changes.keepAll();
        git('checkout', '-q', '--', 'a.txt');
        await changes.look();
        expect(list()).to.deep.equal(['modified a.txt committed noUndo']);
        await changes.keepAll();
        agent = { name: 'Claude Code', activeAt: Infinity };
        fs.writeFileSync(path.join(root, 'a.txt'), LINES.replace('b\n', 'AGAIN\n'));
        git('commit', '-qam', 'by the agent');
        await changes.look();
        expect(list()).to.deep.equal(['modified a.txt Claude Code isCommitted']);
    });

    it("what a person writes outside long after an agent came to rest is no agent's, though nobody has looked between", async function () {
        this.timeout(60_000);
        // Its last lines come behind the last look, also that of the start.
        await new Promise(resolve => setTimeout(resolve, 1_500));
        agent = { name: 'Claude Code', activeAt: performance.now() };
        await new Promise(resolve => setTimeout(resolve, 6_000));
        fs.writeFileSync(path.join(root, 'a.txt'), LINES.replace('b\n', 'VIM\n'));
        changes.lookSoon();
        while (list().length === 0) {
            await new Promise(resolve => setTimeout(resolve, 20));
        }
        expect(list()).to.deep.equal(['modified a.txt outside']);
    });

    it('a commit by hand takes a row for seen, however long ago the agent wrote', async function () {
        this.timeout(60_000);
        await agentWrote();
        // The time of the file must be as old as that of the agent: only waiting makes it so.
        agent = { name: 'Claude Code', activeAt: performance.now() };
        await new Promise(resolve => setTimeout(resolve, RESTED_MS));
        await changes.look();
        git('commit', '-qam', 'agent text');
        await changes.look();
        expect(list(), 'committed by hand').to.deep.equal([]);
    });

    it('a commit by hand right after a look takes a row for seen; with a new branch', async function () {
        this.timeout(60_000);
        await agentWrote();
        git('checkout', '-q', '-b', 'feature');
        git('commit', '-qam', 'agent text');
        await changes.look();
        expect(list()).to.deep.equal([]);
    });

    it('a commit by hand of what came back by a stash takes a row for seen', async function () {
        this.timeout(60_000);
        await agentWrote();
        git('stash', '-q');
        await changes.look();
        git('stash', 'pop', '-q');
        await changes.look();
        git('checkout', '-q', '-b', 'feature');
        git('commit', '-qam', 'agent text');
        await changes.look();
        expect(list()).to.deep.equal([]);
    });

    it('an edit outside while no agent works, committed by hand, is seen', async function () {
        this.timeout(60_000);
        agent = resting();
        await changes.look();
        fs.writeFileSync(path.join(root, 'a.txt'), LINES.replace('b\n', 'VIM\n'));
        await changes.look();
        expect(list()).to.deep.equal(['modified a.txt outside']);
        git('commit', '-qam', 'by hand');
        await changes.look();
        expect(list()).to.deep.equal([]);
    });

    it('an edit outside and its commit by hand between two looks, while no agent works, is seen', async function () {
        this.timeout(60_000);
        agent = { name: 'Claude Code', activeAt: performance.now() };
        await new Promise(resolve => setTimeout(resolve, 6_000));
        await changes.look();
        fs.writeFileSync(path.join(root, 'a.txt'), LINES.replace('b\n', 'VIM\n'));
        fs.writeFileSync(path.join(root, 'new.txt'), 'new\n');
        git('add', '-A');
        git('commit', '-qm', 'by hand');
        await changes.look();
        expect(list()).to.deep.equal([]);
    });

    it('a commit by hand of a new folder with many files is seen, with rows of other kinds', async function () {
        this.timeout(60_000);
        agent = { name: 'Claude Code', activeAt: performance.now() };
        await new Promise(resolve => setTimeout(resolve, 6_000));
        await changes.look();
        fs.mkdirSync(path.join(root, 'new'));
        for (let index = 0; index < 40; index++) {
            fs.writeFileSync(path.join(root, 'new', `${index}.txt`), 'x\n');
        }
        fs.chmodSync(path.join(root, 'b.txt'), 0o755);
        fs.rmSync(path.join(root, 'c.txt'));
        await changes.look();
        expect(list()).to.deep.equal(['deleted c.txt outside', 'folder new outside', 'mode b.txt outside']);
        git('add', '-A');
        git('commit', '-qm', 'by hand');
        await changes.look();
        expect(list()).to.deep.equal([]);
    });

    it('a commit by hand after the last agent has ended takes its rows for seen, and only those that are as committed', async function () {
        this.timeout(60_000);
        fs.writeFileSync(path.join(root, 'a.txt'), LINES.replace('b\n', 'AGENT\n'));
        fs.writeFileSync(path.join(root, 'b.txt'), LINES.replace('b\n', 'AGENT\n'));
        await changes.look();
        agent = undefined;
        changes.setAgent(false);
        while (changes.tracking) {
            await new Promise(resolve => setTimeout(resolve, 100));
        }
        git('commit', '-qm', 'agent text', 'a.txt');
        await changes.look();
        expect(list()).to.deep.equal(['modified b.txt Claude Code']);
    });

    it('lines that a reset by hand takes from the user are no commit: they stay listed, with Undo', async function () {
        this.timeout(60_000);
        agent = { name: 'Claude Code', activeAt: performance.now() };
        await new Promise(resolve => setTimeout(resolve, 6_000));
        await changes.look();
        fs.writeFileSync(path.join(root, 'a.txt'), `${LINES}mine\n`);
        await changes.foldSave('a.txt', Buffer.from(LINES), Buffer.from(`${LINES}mine\n`));
        await changes.look();
        git('reset', '-q', '--hard', 'other');
        await changes.look();
        expect(list()).to.deep.equal(['modified a.txt outside']);
    });

    for (const filter of ['line ends', 'a filter'] as const) {
        describe(`of a file that git converts by ${filter}`, () => {
            const write = (text: string): void => fs.writeFileSync(path.join(root, 'crlf.txt'), text.replaceAll('\n', '\r\n'));
            const keep = async (): Promise<void> => {
                await changes.look();
                expect(await changes.keep('crlf.txt', changes.files[0].version)).to.equal(true);
            };

            beforeEach(async function () {
                this.timeout(60_000);
                if (filter === 'line ends') {
                    git('config', 'core.autocrlf', 'true');
                } else {
                    // As git-lfs does: what git has is no text of the file.
                    git('config', 'filter.f.clean', 'rev | sed s/^/id/');
                    git('config', 'filter.f.smudge', 'sed s/^id// | rev');
                    fs.writeFileSync(path.join(root, '.gitattributes'), 'crlf.txt filter=f\n');
                }
                write(LINES);
                git('add', '-A');
                git('commit', '-qm', 'converted');
                await restart();
            });

            it('a commit by hand takes it for seen', async function () {
                this.timeout(60_000);
                write(LINES.replace('b\n', 'AGENT\n'));
                await changes.look();
                expect(list()).to.deep.equal(['modified crlf.txt Claude Code']);
                agent = { name: 'Claude Code', activeAt: performance.now() };
                await new Promise(resolve => setTimeout(resolve, 6_000));
                await changes.look();
                git('commit', '-qam', 'by hand');
                await changes.look();
                expect(list()).to.deep.equal([]);
            });

            it('what the user kept, and is as HEAD again, is as committed; after a commit of the agent, too', async function () {
                this.timeout(60_000);
                write(LINES.replace('b\n', 'ONE\n'));
                await changes.look();
                git('commit', '-qam', 'by the agent');
                await changes.look();
                expect(list()).to.deep.equal(['modified crlf.txt Claude Code isCommitted']);
                await keep();
                write(LINES.replace('b\n', 'TWO\n'));
                await keep();
                git('checkout', '-q', '--', 'crlf.txt');
                await changes.look();
                expect(list()).to.deep.equal(['modified crlf.txt Claude Code committed noUndo']);
            });

            it('what the user had not committed is no text of HEAD', async function () {
                this.timeout(60_000);
                write(`${LINES}mine\n`);
                await restart();
                write(`${LINES}mine\nagent\n`);
                await keep();
                git('checkout', '-q', '--', 'crlf.txt');
                await changes.look();
                expect(list()).to.deep.equal(['modified crlf.txt Claude Code']);
            });
        });
    }

    it('a checkout by the user that brings a new folder of 40 files lists nothing while an agent rests', async function () {
        this.timeout(60_000);
        agent = { name: 'Claude Code', activeAt: -Infinity };
        await changes.look();
        git('checkout', '-q', 'other');
        await changes.look();
        expect(list()).to.deep.equal([]);
    });

    it('a checkout by the user that brings a new folder of 40 files lists nothing, and Undo All removes nothing, while an agent works', async function () {
        this.timeout(60_000);
        git('checkout', '-q', 'other');
        await changes.look();
        const listed = list();
        const { files } = await changes.undo.undoable();
        await changes.undoFiles(files, 'set', false);
        expect([listed, git('status', '--porcelain').split('\n').length - 1]).to.deep.equal([[], 0]);
    });

    it('a folder that the user kept is not listed when a checkout takes it away, or brings it back', async function () {
        this.timeout(60_000);
        fs.mkdirSync(path.join(root, 'new'));
        for (let index = 0; index < 40; index++) {
            fs.writeFileSync(path.join(root, 'new', `${index}.txt`), 'x\n');
        }
        await changes.look();
        expect(list()).to.deep.equal(['folder new Claude Code']);
        await changes.keepAll();
        // The clock of files may be some milliseconds late.
        await new Promise(resolve => setTimeout(resolve, 20));
        fs.writeFileSync(path.join(root, 'new', 'later.txt'), 'y\n');
        await changes.look();
        expect(list()).to.deep.equal(['unknown later.txt Claude Code noUndo']);
        await changes.keepAll();
        git('checkout', '-q', '-b', 'new');
        git('add', '-A');
        git('commit', '-qm', 'new');
        await changes.look();
        expect(list()).to.deep.equal([]);
        git('checkout', '-q', 'main');
        await changes.look();
        expect(list()).to.deep.equal([]);
        git('checkout', '-q', 'new');
        await changes.look();
        expect(list()).to.deep.equal([]);
    });

    it('a save whose text before could not be read in time leaves no wrong base', async function () {
        this.timeout(60_000);
        const save = async (from: string | undefined, to: string): Promise<void> => {
            const end = changes.beginWrite();
            fs.writeFileSync(path.join(root, 'a.txt'), to);
            await changes.foldSave('a.txt', from === undefined ? undefined : Buffer.from(from), Buffer.from(to));
            end();
        };
        await save(LINES, `${LINES}#`);
        await save(undefined, `${LINES}##`);
        await save(`${LINES}##`, `${LINES}###`);
        await changes.look();
        const base = await changes.baseline('a.txt');
        const text = base && 'text' in base ? base.text : undefined;
        expect([list(), text]).to.deep.equal([['unknown a.txt Claude Code noUndo'], undefined]);
    });

    const edit = (): void => ['a.txt', 'c.txt'].forEach(name => fs.appendFileSync(path.join(root, name), 'agent\n'));
    const both = ['modified a.txt Claude Code', 'modified c.txt Claude Code'];

    it('stash by the agent of texts that no look saw: looked at between', async function () {
        this.timeout(60_000);
        edit();
        git('stash', '-q');
        await changes.look();
        git('stash', 'pop', '-q');
        await changes.look();
        expect(list()).to.deep.equal(both);
    });

    it('stash by the agent of texts that no look saw: not looked at between', async function () {
        this.timeout(60_000);
        edit();
        git('stash', '-q');
        git('stash', 'pop', '-q');
        await changes.look();
        expect(list()).to.deep.equal(both);
    });

    for (let offset = 0; offset < 200; offset += 20) {
        it(`stash and pop by the agent, a look begins ${offset} ms after the edit`, async function () {
            this.timeout(60_000);
            const doing = exec('for f in a c; do echo agent >> $f.txt; done; git stash; git stash pop', root);
            await new Promise(resolve => setTimeout(resolve, offset));
            await changes.look();
            await doing;
            await changes.look();
            await changes.look();
            expect(git('diff', '--name-only'), 'it was popped').to.equal('a.txt\nc.txt\n');
            expect(list()).to.deep.equal(both);
        });
    }
});
