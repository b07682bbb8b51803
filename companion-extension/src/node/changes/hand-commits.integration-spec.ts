// SPDX-License-Identifier: Apache-2.0

import * as fs from 'fs';
import { expect } from 'chai';
import { FollowedRepository, LINES, pause } from './test/followed-repository';

describe('What commits by hand do to changes of an agent', () => {
    let repo: FollowedRepository;

    beforeEach(async () => (repo = await new FollowedRepository().make()));
    afterEach(() => repo.remove());

    for (const isSeen of [true, false]) {
        it(`what was kept and committed by hand is HEAD's: an agent's commit after it is listed; ${isSeen ? '' : 'not '}looked at between`, async () => {
            await repo.agentWrote();
            await repo.changes.keepAll();
            repo.git('commit', '-qam', 'by hand');
            if (isSeen) {
                await repo.changes.look();
            }
            repo.works();
            repo.writeLine('a.txt', 'AGAIN');
            repo.git('commit', '-qam', 'by the agent');
            await repo.changes.look();
            expect(repo.list()).to.deep.equal(['modified a.txt Claude Code isCommitted']);
            expect((await repo.changes.undo.undoable()).files).to.have.length(1);
        });
    }

    it("what is as HEAD is HEAD's once it was kept: an agent's commit after it is listed", async () => {
        await repo.agentWrote();
        await repo.changes.keepAll();
        repo.git('checkout', '-q', '--', 'a.txt');
        await repo.changes.look();
        expect(repo.list()).to.deep.equal(['modified a.txt committed noUndo']);
        await repo.changes.keepAll();
        repo.works();
        repo.writeLine('a.txt', 'AGAIN');
        repo.git('commit', '-qam', 'by the agent');
        await repo.changes.look();
        expect(repo.list()).to.deep.equal(['modified a.txt Claude Code isCommitted']);
    });

    it('a commit by hand takes a row for seen, however long ago the agent wrote', async () => {
        await repo.agentWrote();
        // The time of the file must be as old as that of the agent: only waiting makes it so.
        await repo.rests();
        await repo.changes.look();
        repo.git('commit', '-qam', 'agent text');
        await repo.changes.look();
        expect(repo.list(), 'committed by hand').to.deep.equal([]);
    });

    it('a commit by hand right after a look takes a row for seen; with a new branch', async () => {
        await repo.agentWrote();
        repo.git('checkout', '-q', '-b', 'feature');
        repo.git('commit', '-qam', 'agent text');
        await repo.changes.look();
        expect(repo.list()).to.deep.equal([]);
    });

    it('a commit by hand of what came back by a stash takes a row for seen', async () => {
        await repo.agentWrote();
        repo.git('stash', '-q');
        await repo.changes.look();
        repo.git('stash', 'pop', '-q');
        await repo.changes.look();
        repo.git('checkout', '-q', '-b', 'feature');
        repo.git('commit', '-qam', 'agent text');
        await repo.changes.look();
        expect(repo.list()).to.deep.equal([]);
    });

    it('an edit outside while no agent works, committed by hand, is seen', async () => {
        repo.hasRested();
        await repo.changes.look();
        repo.writeLine('a.txt', 'VIM');
        await repo.changes.look();
        expect(repo.list()).to.deep.equal(['modified a.txt outside']);
        repo.git('commit', '-qam', 'by hand');
        await repo.changes.look();
        expect(repo.list()).to.deep.equal([]);
    });

    it('an edit outside and its commit by hand between two looks, while no agent works, is seen', async () => {
        repo.hasRested();
        await repo.changes.look();
        repo.writeLine('a.txt', 'VIM');
        repo.write('new.txt', 'new\n');
        repo.git('add', '-A');
        repo.git('commit', '-qm', 'by hand');
        await repo.changes.look();
        expect(repo.list()).to.deep.equal([]);
    });

    it('a commit by hand of a new folder with many files is seen, with rows of other kinds', async () => {
        repo.hasRested();
        await repo.changes.look();
        repo.writeFolder('new');
        fs.chmodSync(repo.file('b.txt'), 0o755);
        fs.rmSync(repo.file('c.txt'));
        await repo.changes.look();
        expect(repo.list()).to.deep.equal(['deleted c.txt outside', 'folder new outside', 'mode b.txt outside']);
        repo.git('add', '-A');
        repo.git('commit', '-qm', 'by hand');
        await repo.changes.look();
        expect(repo.list()).to.deep.equal([]);
    });

    it('a commit by hand after the last agent has ended takes its rows for seen, and only those that are as committed', async () => {
        repo.writeLine('a.txt', 'AGENT');
        repo.writeLine('b.txt', 'AGENT');
        await repo.changes.look();
        repo.agent = undefined;
        repo.changes.setAgent(false);
        while (repo.changes.tracking) {
            await pause(100);
        }
        repo.git('commit', '-qm', 'agent text', 'a.txt');
        await repo.changes.look();
        expect(repo.list()).to.deep.equal(['modified b.txt Claude Code']);
    });

    for (const filter of ['line ends', 'a filter'] as const) {
        describe(`of a file that git converts by ${filter}`, () => {
            const write = (text: string): void => repo.write('crlf.txt', text.replaceAll('\n', '\r\n'));
            const keep = async (): Promise<void> => {
                await repo.changes.look();
                expect(await repo.changes.keep('crlf.txt', repo.changes.files[0].version)).to.equal(true);
            };

            beforeEach(async () => {
                if (filter === 'line ends') {
                    repo.git('config', 'core.autocrlf', 'true');
                } else {
                    // As git-lfs does: what git has is no text of the file.
                    repo.git('config', 'filter.f.clean', 'rev | sed s/^/id/');
                    repo.git('config', 'filter.f.smudge', 'sed s/^id// | rev');
                    repo.write('.gitattributes', 'crlf.txt filter=f\n');
                }
                write(LINES);
                repo.git('add', '-A');
                repo.git('commit', '-qm', 'converted');
                await repo.restart();
            });

            it('a commit by hand takes it for seen', async () => {
                write(LINES.replace('b\n', 'AGENT\n'));
                await repo.changes.look();
                expect(repo.list()).to.deep.equal(['modified crlf.txt Claude Code']);
                repo.hasRested();
                await repo.changes.look();
                repo.git('commit', '-qam', 'by hand');
                await repo.changes.look();
                expect(repo.list()).to.deep.equal([]);
            });

            it('what the user kept, and is as HEAD again, is as committed; after a commit of the agent, too', async () => {
                write(LINES.replace('b\n', 'ONE\n'));
                await repo.changes.look();
                repo.git('commit', '-qam', 'by the agent');
                await repo.changes.look();
                expect(repo.list()).to.deep.equal(['modified crlf.txt Claude Code isCommitted']);
                await keep();
                write(LINES.replace('b\n', 'TWO\n'));
                await keep();
                repo.git('checkout', '-q', '--', 'crlf.txt');
                await repo.changes.look();
                expect(repo.list()).to.deep.equal(['modified crlf.txt Claude Code committed noUndo']);
            });

            it('what the user had not committed is no text of HEAD', async () => {
                write(`${LINES}mine\n`);
                await repo.restart();
                write(`${LINES}mine\nagent\n`);
                await keep();
                repo.git('checkout', '-q', '--', 'crlf.txt');
                await repo.changes.look();
                expect(repo.list()).to.deep.equal(['modified crlf.txt Claude Code']);
            });
        });
    }
});
