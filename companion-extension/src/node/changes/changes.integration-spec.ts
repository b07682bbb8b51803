// SPDX-License-Identifier: Apache-2.0

import * as fs from 'fs';
import * as path from 'path';
import { FileUri } from '@theia/core/lib/common/file-uri';
import { PreferenceScope } from '@theia/core/lib/common/preferences';
import { expect } from 'chai';
import { ChangeList } from '../../common/changes/changes-protocol';
import { hunksOf } from '../../common/diff/line-hunks';
import { eventually } from '../test/test-cli';
import { Changes } from './changes';
import { ChangesHost, TEN_LINES } from './test/changes-host';

describe('What was changed outside the editor', () => {
    let ide: ChangesHost;
    const folder = (): string => path.join(ide.host.configurationFolder, 'theia-cli-companion', 'changes');

    beforeEach(async () => {
        ide = new ChangesHost().makeRepository('a.txt', 'b.txt', 'dir/c.txt');
        fs.writeFileSync(ide.file('.gitignore'), '/build\n/.qwen\n/.gemini\n/.claude\n/.copilot\n');
        ide.commit();
        await ide.start();
    });

    afterEach(async () => {
        await ide.stop();
        ide.host.remove();
    });

    it('is listed while an agent runs: changed, new and deleted files, each with its lines', async () => {
        await ide.startAgent();
        ide.write('a.txt', TEN_LINES.replace('b\n', 'B\nB2\n'));
        ide.write('new.txt', 'new\n');
        ide.remove('dir/c.txt');
        await ide.lists('modified a.txt +2 -1', 'added new.txt +1 -0', 'deleted dir/c.txt +0 -10');
        await eventually('the number', () => ide.page.state?.changes.count === 3);
        expect(await ide.service.readBaseline(ide.uri('a.txt'))).to.include({ text: TEN_LINES });
        expect(await ide.service.readBaseline(ide.uri('new.txt'))).not.to.have.property('text');
    });

    it('of a file that the user never shares only the name is listed, and no text is left of one that was listed before', async () => {
        const stored = (): string => {
            const [name] = fs.readdirSync(folder());
            const git = ['--git-dir', path.join(folder(), name)];
            const ids = ide.git(...git, 'cat-file', '--batch-all-objects', '--batch-check=%(objectname) %(objecttype)').split('\n');
            return ids.flatMap(line => (line.endsWith(' blob') ? ide.git(...git, 'cat-file', 'blob', line.split(' ')[0]) : [])).join();
        };
        fs.writeFileSync(ide.file('dir/untracked.txt'), 'hunter1\n');
        await ide.startAgent();
        ide.write('dir/private.txt', 'hunter2\n');
        ide.write('dir/c.txt', 'hunter3\n');
        await ide.lists('added dir/private.txt +1 -0', 'modified dir/c.txt +1 -10');
        expect(await ide.undo('dir/c.txt')).to.equal(true);
        await eventually('the texts on disk', () => stored().includes('hunter1') && stored().includes('hunter3'));
        await ide.exclude({ scope: PreferenceScope.User, value: ['dir/**'] });
        await ide.lists('secret dir/private.txt');
        ide.write('dir/c.txt', 'hunter4\n');
        await ide.lists('secret dir/private.txt', 'secret dir/c.txt');
        expect(await ide.service.readBaseline(ide.uri('dir/c.txt'))).to.equal(undefined);
        expect((await ide.service.readChanges(false)).undone).to.deep.equal([]);
        await eventually('no text on disk', () => !stored().includes('hunter'));
    });

    it('reads no file that the workspace’s settings or an ignore file withhold: what the page shares with no CLI', async () => {
        await ide.exclude({ scope: PreferenceScope.Workspace, value: ['dir/**'] });
        ide.write('.qwenignore', '/a.txt\n');
        await ide.startAgent();
        ide.write('dir/c.txt', 'hunter1\n');
        ide.write('a.txt', 'hunter2\n');
        ide.write('b.txt', 'seen\n');
        await ide.lists('secret dir/c.txt', 'secret a.txt', 'modified b.txt +1 -10');
        ide.write('.geminiignore', 'b.*\n');
        await ide.lists('secret dir/c.txt', 'secret a.txt', 'secret b.txt', 'added .geminiignore +1 -0');
        expect(await ide.service.readBaseline(ide.uri('b.txt'))).to.equal(undefined);
        fs.rmSync(ide.file('.geminiignore'));
        ide.write('b.txt', 'seen again\n');
        await ide.lists('secret dir/c.txt', 'secret a.txt', 'unknown b.txt');
    });

    it('names the agents that worked then', async () => {
        await ide.startAgent();
        ide.write('a.txt', 'by an agent\n');
        await ide.lists('modified a.txt +1 -10');
        expect((await ide.row('a.txt')).authors).to.deep.equal(['Qwen Code']);
    });

    it('is not listed without an agent', async () => {
        ide.write('a.txt', 'by vim\n');
        expect(await ide.list(true)).to.deep.equal([]);
        await ide.startAgent();
        expect(await ide.list(true)).to.deep.equal([]);
        ide.write('a.txt', 'by vim\nand an agent\n');
        await ide.lists('modified a.txt +1 -0');
    });

    it('is listed without an event of the watcher once somebody looks', async () => {
        await ide.startAgent();
        fs.appendFileSync(ide.file('a.txt'), 'k\n');
        fs.writeFileSync(ide.file('new.txt'), 'new\n');
        expect(await ide.list(true)).to.deep.equal(['added new.txt +1 -0', 'modified a.txt +1 -0']);
    });

    it('has no line of the user: what is saved in the IDE is in no change', async () => {
        await ide.startAgent();
        await ide.save('b.txt', 'saved\n');
        ide.write('a.txt', TEN_LINES.replace('b\n', 'agent\n'));
        await ide.lists('modified a.txt +1 -1');
        await ide.save('a.txt', ide.read('a.txt').replace('i\n', 'mine\n'));
        expect(await ide.list(true)).to.deep.equal(['modified a.txt +1 -1']);
        expect(await ide.undo('a.txt')).to.equal(true);
        expect(ide.read('a.txt')).to.equal(TEN_LINES.replace('i\n', 'mine\n'));
        await ide.lists();
    });

    it('has no line of the user, also if somebody looks while the IDE writes', async () => {
        await ide.startAgent();
        const writing = ide.save('a.txt', TEN_LINES.replace('i\n', 'mine\n'));
        expect(await ide.list(true)).to.deep.equal([]);
        await writing;
        expect(await ide.list(true)).to.deep.equal([]);
        ide.write('a.txt', ide.read('a.txt').replace('b\n', 'agent\n'));
        await ide.lists('modified a.txt +1 -1');
        expect((await ide.service.readBaseline(ide.uri('a.txt')))?.text).to.equal(TEN_LINES.replace('i\n', 'mine\n'));
    });

    it('blames nobody for what the IDE moves, copies and deletes, folders as well', async () => {
        await ide.startAgent();
        const at = (name: string): ReturnType<typeof FileUri.create> => FileUri.create(ide.file(name));
        await ide.provider.rename(at('dir'), at('moved'), { overwrite: false });
        await ide.provider.copy(at('a.txt'), at('copy.txt'), { overwrite: false });
        await ide.provider.delete(at('b.txt'), { recursive: false, useTrash: false });
        ide.tell('dir', 'dir/c.txt', 'moved', 'moved/c.txt', 'copy.txt', 'b.txt');
        expect(await ide.list(true)).to.deep.equal([]);
    });

    it('keeps one change, then the file', async () => {
        await ide.startAgent();
        ide.write('a.txt', TEN_LINES.replace('b\n', 'B\n').replace('i\n', 'I\n'));
        await ide.lists('modified a.txt +2 -2');
        const { version } = await ide.row('a.txt');
        const [first] = hunksOf(TEN_LINES, ide.read('a.txt'));
        expect(await ide.service.keepChange(ide.uri('a.txt'), version, first)).to.equal(true);
        await ide.lists('modified a.txt +1 -1');
        expect(await ide.service.keepChange(ide.uri('a.txt'), version)).to.equal(false);
        expect(await ide.service.keepChange(ide.uri('a.txt'), (await ide.row('a.txt')).version)).to.equal(true);
        await ide.lists();
        expect(await ide.list(true)).to.deep.equal([]);
    });

    it('may be kept as a whole by who saw it before its lines were counted, and not by who saw other rows', async () => {
        await ide.startAgent();
        const changes = ide.backend.container.get(Changes);
        const { roots = [] } = ide.backend.windows.get('window-1') ?? {};
        const lists: ChangeList[] = [];
        changes.onDidChange(() => void changes.list(roots, false).then(list => lists.push(list)));
        ide.write('a.txt', TEN_LINES.replace('b\n', 'agent\n'));
        await eventually('the lines', () => lists.some(({ files }) => files[0]?.added === 1));
        const uncounted = lists.find(({ files }) => files.length === 1 && files[0].added === undefined)?.version ?? -1;
        expect(lists.at(-1)?.version, 'the lines come later').to.be.greaterThan(uncounted);
        expect(await ide.service.keepAll(uncounted - 1), 'of no row').to.equal(false);
        expect(await ide.service.keepAll(uncounted)).to.equal(true);
        expect(await ide.list()).to.deep.equal([]);
    });

    it('undoes one change, and lists it again when the undo is undone', async () => {
        await ide.startAgent();
        const changed = TEN_LINES.replace('b\n', 'B\n').replace('i\n', 'I\n');
        ide.write('a.txt', changed);
        await ide.lists('modified a.txt +2 -2');
        expect(await ide.undo('a.txt', 0)).to.equal(true);
        await ide.lists('modified a.txt +1 -1');
        await ide.save('a.txt', changed);
        await ide.lists('modified a.txt +2 -2');
        expect(await ide.undo('a.txt')).to.equal(true);
        await ide.lists();
        const { undone } = await ide.service.readChanges(false);
        expect(undone.map(({ uri }) => uri)).to.include(ide.uri('a.txt'));
        const { id } = undone[0];
        ide.write('a.txt', 'newer\n');
        const { done, left } = await ide.service.putBack(id, ide.uri('a.txt'));
        expect([done, left]).to.deep.equal([[], [{ uri: ide.uri('a.txt'), reason: 'changed' }]]);
        ide.write('a.txt', TEN_LINES);
        expect((await ide.service.putBack(id)).done).to.deep.equal([ide.uri('a.txt')]);
        expect(ide.read('a.txt')).to.equal(changed);
        await ide.lists('modified a.txt +2 -2');
    });

    it('forgets what was undone when the user clears it, of the list that the user saw', async () => {
        await ide.startAgent();
        ide.write('a.txt', 'changed\n');
        await ide.lists('modified a.txt +1 -10');
        expect(await ide.undo('a.txt')).to.equal(true);
        await ide.lists();
        const { version, undone } = await ide.service.readChanges(true);
        expect(undone.length).to.equal(1);
        expect(await ide.service.clearUndone(version + 1)).to.equal(false);
        expect(await ide.service.clearUndone(version)).to.equal(true);
        expect((await ide.service.readChanges(true)).undone).to.deep.equal([]);
        expect(await ide.service.putBack(undone[0].id)).to.deep.equal({ done: [], left: [] });
    });

    it('is undone in a file that nobody has edited, and left and named where an editor has edits that are not saved', async () => {
        await ide.startAgent();
        ide.write('a.txt', 'changed\n');
        ide.write('b.txt', 'changed\n');
        await ide.lists('modified a.txt +1 -10', 'modified b.txt +1 -10');
        ide.page.unsaved.add(ide.uri('b.txt'));
        const { version } = await ide.service.readChanges(false);
        expect(await ide.service.countUndoAll()).to.deep.equal({ files: 2, lost: 0 });
        expect(await ide.service.undoAll(version)).to.deep.equal({
            done: [ide.uri('a.txt')],
            left: [{ uri: ide.uri('b.txt'), reason: 'edited' }]
        });
        expect([ide.read('a.txt'), ide.read('b.txt')]).to.deep.equal([TEN_LINES, 'changed\n']);
        expect(await ide.service.undoAll(version), 'the list is another one').to.equal(undefined);
        await ide.lists('modified b.txt +1 -10');
    });

    it('undoes and keeps nothing that is newer than what was shown', async () => {
        await ide.startAgent();
        ide.write('a.txt', 'shown\n');
        await ide.lists('modified a.txt +1 -10');
        const { version } = await ide.row('a.txt');
        fs.writeFileSync(ide.file('a.txt'), 'newer\n');
        expect(await ide.service.keepChange(ide.uri('a.txt'), version)).to.equal(false);
        expect(await ide.undo('a.txt')).to.equal(false);
        expect(await ide.service.mayUndoChange(ide.uri('a.txt'), version, { text: TEN_LINES })).to.equal(false);
        expect(await ide.list(true)).to.deep.equal(['modified a.txt +1 -10']);
        expect((await ide.row('a.txt')).version).not.to.equal(version);
    });

    it('starts at what was dirty: only lines of agents are listed in a file that the user had edited', async () => {
        fs.writeFileSync(ide.file('a.txt'), TEN_LINES.replace('b\n', 'mine\n'));
        await ide.startAgent();
        ide.write('a.txt', ide.read('a.txt').replace('i\n', 'agent\n'));
        await ide.lists('modified a.txt +1 -1');
        expect(await ide.undo('a.txt')).to.equal(true);
        expect(ide.read('a.txt')).to.equal(TEN_LINES.replace('b\n', 'mine\n'));
    });

    it('follows git: a checkout lists nothing, what was committed while an agent worked still counts, and lost work is listed', async () => {
        ide.git('checkout', '-q', '-b', 'other');
        for (let index = 0; index < 50; index++) {
            fs.writeFileSync(ide.file(`many${index}.txt`), 'many\n');
        }
        ide.commit();
        ide.git('checkout', '-q', 'main');
        fs.writeFileSync(ide.file('b.txt'), 'not committed\n');
        await ide.startAgent();
        ide.git('stash');
        ide.git('checkout', '-q', 'other');
        ide.tell('.git/HEAD', 'many1.txt', 'b.txt');
        expect(await ide.list(true)).to.deep.equal([]);
        ide.git('checkout', '-q', 'main');
        ide.git('stash', 'pop');
        expect(await ide.list(true)).to.deep.equal([]);
        ide.git('checkout', '--', 'b.txt');
        ide.tell('b.txt');
        await ide.lists('modified b.txt +10 -1');
        expect(await ide.undo('b.txt')).to.equal(true);
        expect(ide.read('b.txt')).to.equal('not committed\n');
        ide.write('a.txt', 'by an agent\n');
        await ide.lists('modified a.txt +1 -10');
        ide.commit();
        ide.tell('.git/HEAD');
        await ide.lists('modified a.txt +1 -10 committed');
        await eventually('the number', () => ide.page.state?.changes.count === 1);
    });

    it('is by name alone where no text can be kept, and never for what git ignores', async () => {
        await ide.startAgent();
        ide.write('build/out.txt', 'ignored\n');
        fs.symlinkSync('a.txt', ide.file('link.txt'));
        ide.tell('link.txt');
        ide.write('binary', Buffer.from([1, 0, 2]));
        ide.write('large.txt', 'x'.repeat(1024 * 1024 + 1));
        ide.write('.env', 'SECRET=hunter2\n');
        ide.write('latin.txt', Buffer.from([0xe9, 10]));
        await ide.lists('binary binary', 'added large.txt +1 -0', 'secret .env', 'added latin.txt +1 -0', 'link link.txt');
        expect((await ide.row('.env')).canUndo).to.equal(false);
        expect(await ide.undo('.env')).to.equal(false);
        const { version } = await ide.row('.env');
        expect(await ide.service.keepChange(ide.uri('.env'), version)).to.equal(true);
        expect(await ide.undo('binary')).to.equal(true);
        await ide.lists('added large.txt +1 -0', 'added latin.txt +1 -0', 'link link.txt');
        expect(fs.existsSync(ide.file('binary'))).to.equal(false);
        expect(fs.statSync(folder()).mode & 0o777).to.equal(0o700);
    });

    it('has no single changes where a text has more than 1 MB or 20,000 lines, before or now', async () => {
        const lines = (count: number): string => 'x\n'.repeat(count);
        fs.writeFileSync(ide.file('was long'), lines(20_001));
        fs.writeFileSync(ide.file('was large'), 'x'.repeat(1024 * 1024 + 1));
        fs.writeFileSync(ide.file('just'), lines(20_000));
        ide.commit();
        await ide.startAgent();
        ide.write('was long', lines(10));
        ide.write('was large', 'y\n');
        ide.write('just', `y\n${lines(19_999)}`);
        ide.write('large', `${'x'.repeat(99)}\n`.repeat(10_486));
        ide.write('long', lines(20_001));
        ide.write('a.txt', lines(20_001));
        await ide.lists(
            'modified was long +0 -19991',
            'modified was large +1 -1',
            'modified just +1 -1',
            'added large +10486 -0',
            'added long +20001 -0',
            'modified a.txt +20001 -10'
        );
        const names = ['was long', 'was large', 'just', 'large', 'long', 'a.txt'];
        const rows = await Promise.all(names.map(name => ide.row(name)));
        expect(rows.map(({ isWhole }) => isWhole)).to.deep.equal([true, true, undefined, true, true, true]);
        const hunk = { baseStart: 0, baseEnd: 10, diskStart: 0, diskEnd: 20_001 };
        expect(await ide.service.keepChange(ide.uri('a.txt'), rows[5].version, hunk), 'a single change').to.equal(false);
        expect(await ide.service.keepChange(ide.uri('a.txt'), rows[5].version), 'the file').to.equal(true);
        expect(await ide.undo('was long')).to.equal(true);
        expect(ide.read('was long')).to.equal(lines(20_001));
    });

    it('compares no links: an undo in an editor would write the file behind them', async () => {
        fs.symlinkSync('a.txt', ide.file('elsewhere'));
        fs.symlinkSync('a.txt', ide.file('gone'));
        ide.commit();
        await ide.startAgent();
        fs.rmSync(ide.file('elsewhere'));
        fs.symlinkSync('b.txt', ide.file('elsewhere'));
        ide.tell('elsewhere');
        ide.remove('gone');
        await ide.lists('link elsewhere', 'link gone');
        expect([await ide.undo('elsewhere'), await ide.undo('gone')]).to.deep.equal([true, true]);
        expect(['elsewhere', 'gone'].map(name => fs.readlinkSync(ide.file(name)))).to.deep.equal(['a.txt', 'a.txt']);
    });

    it('says of line ends alone that no line was changed', async () => {
        await ide.startAgent();
        ide.write('a.txt', TEN_LINES.replaceAll('\n', '\r\n'));
        ide.write('dir/c.txt', TEN_LINES.replace('b\n', 'B\n').replaceAll('\n', '\r\n'));
        await ide.lists('modified a.txt +0 -0', 'modified dir/c.txt +1 -1');
        expect(await ide.undo('a.txt')).to.equal(true);
        expect(ide.read('a.txt')).to.equal(TEN_LINES);
    });

    it('is the same after a restart, copies of what was undone as well', async () => {
        await ide.startAgent();
        ide.write('a.txt', 'undone\n');
        ide.write('b.txt', TEN_LINES.replace('b\n', 'B\n'));
        await ide.lists('modified a.txt +1 -10', 'modified b.txt +1 -1');
        expect(await ide.undo('a.txt')).to.equal(true);
        await ide.stop();
        fs.writeFileSync(ide.file('dir/c.txt'), 'while nobody looked\n');
        await ide.start();
        await ide.lists('modified b.txt +1 -1');
        await ide.startAgent();
        const { undone } = await ide.service.readChanges(true);
        expect((await ide.service.putBack(undone[0].id)).done).to.deep.equal([ide.uri('a.txt')]);
        expect(ide.read('a.txt')).to.equal('undone\n');
        expect((await ide.service.readBaseline(ide.uri('b.txt')))?.text).to.equal(TEN_LINES);
    });

    it('is the user’s where a proposal was accepted in the diff', async () => {
        await ide.startAgent();
        ide.write('a.txt', TEN_LINES.replace('b\n', 'unseen\n'));
        await ide.lists('modified a.txt +1 -1');
        const proposal = ide.read('a.txt').replace('i\n', 'accepted\n');
        await ide.cli?.openDiff(ide.file('a.txt'), proposal);
        await ide.cli?.openDiff(ide.file('new.txt'), 'accepted\n');
        // The same that was undone before.
        ide.write('dir/c.txt', 'accepted\n');
        await ide.lists('modified a.txt +1 -1', 'modified dir/c.txt +1 -10');
        expect(await ide.undo('dir/c.txt')).to.equal(true);
        await ide.cli?.openDiff(ide.file('dir/c.txt'), 'accepted\n');
        for (const { id } of ide.page.shown) {
            expect(await ide.service.acceptReview(id, { revision: { page: '', n: 0 } })).to.deep.equal({ result: 'done' });
        }
        ide.write('a.txt', proposal);
        ide.write('new.txt', 'accepted\n');
        ide.write('dir/c.txt', 'accepted\n');
        ide.write('b.txt', 'another\n');
        await ide.lists('modified a.txt +1 -1', 'modified b.txt +1 -10');
        expect((await ide.service.readBaseline(ide.uri('a.txt')))?.text).to.equal(TEN_LINES.replace('i\n', 'accepted\n'));
    });

    it('is the user’s also as a formatter leaves what was accepted, and nothing is left of it after an undo', async () => {
        await ide.startAgent();
        const proposal = TEN_LINES.replace('i\n', 'say("accepted")\n');
        await ide.cli?.openDiff(ide.file('a.txt'), proposal);
        const [{ id }] = ide.page.shown;
        expect(await ide.service.acceptReview(id, { revision: { page: '', n: 0 } })).to.deep.equal({ result: 'done' });
        ide.write('a.txt', proposal);
        await eventually('the verdict', async () => (await ide.list(true)).length === 0 && ide.page.state?.accepted.length === 1);
        ide.write('a.txt', TEN_LINES.replace('i\n', "    say('accepted');\n"));
        ide.write('b.txt', 'another\n');
        await ide.lists('modified b.txt +1 -10');
        await ide.save('a.txt', TEN_LINES);
        await ide.lists('modified b.txt +1 -10');
        expect((await ide.service.readBaseline(ide.uri('a.txt')))?.text ?? TEN_LINES).to.equal(TEN_LINES);
    });

    it('has its text before, and Undo, in a repository within this one', async () => {
        ide.git('init', '-q', 'inner');
        fs.writeFileSync(ide.file('inner/x.txt'), 'there before\n');
        await ide.startAgent();
        ide.write('inner/x.txt', 'changed\n');
        await ide.lists('modified inner/x.txt +1 -1');
        expect(await ide.undo('inner/x.txt')).to.equal(true);
        expect(ide.read('inner/x.txt')).to.equal('there before\n');
    });

    it('is forgotten, on disk as well, when the user turns it off', async () => {
        await ide.startAgent();
        ide.write('a.txt', 'changed\n');
        await ide.lists('modified a.txt +1 -10');
        await eventually('the folder', () => fs.existsSync(folder()) && fs.readdirSync(folder()).length === 1);
        await ide.prefer({ 'companion.changes.track': 'off' });
        expect(await ide.list(true)).to.deep.equal([]);
        await eventually('it to go', () => !fs.existsSync(folder()));
    });

    it('shows 500 files, counts all, and undoes all', async () => {
        fs.mkdirSync(ide.file('many'));
        for (let index = 0; index < 510; index++) {
            fs.writeFileSync(ide.file(`many/${index}.txt`), 'many\n');
        }
        ide.commit();
        await ide.startAgent();
        for (let index = 0; index < 510; index++) {
            ide.write(`many/${index}.txt`, `${index}\n`);
        }
        await eventually('all to be seen', async () => {
            const { files, more } = await ide.service.readChanges(false);
            return files.length === 500 && more === 10;
        });
        await eventually('the number', () => ide.page.state?.changes.count === 510);
        const { version, files } = await ide.service.readChanges(true);
        expect(files.filter(({ added }) => added === undefined).length, 'of all that are shown the lines are counted').to.equal(0);
        expect((await ide.service.undoAll(version))?.done).to.have.length(510);
        expect(ide.git('status', '--porcelain')).to.equal('');
        await ide.lists();
    });

    it('is listed without a repository as well, with its text before', async () => {
        fs.rmSync(ide.file('.git'), { recursive: true });
        await ide.startAgent();
        ide.write('a.txt', 'first\n');
        await ide.lists('modified a.txt +1 -10');
        expect(await ide.undo('a.txt')).to.equal(true);
        expect(ide.read('a.txt')).to.equal(TEN_LINES);
    });

    it('is not listed, without git as well, once an accepted file that was seen half written is whole', async () => {
        fs.rmSync(ide.file('.git'), { recursive: true });
        await ide.startAgent();
        await ide.cli?.openDiff(ide.file('new.txt'), 'accepted\n');
        await ide.service.acceptReview(ide.page.shown[0].id, { revision: { page: '', n: 0 } });
        ide.write('new.txt', '');
        await ide.lists('added new.txt +0 -0');
        ide.write('new.txt', 'accepted\n');
        await ide.lists();
    });

    it('is not listed where an accepted file had no event', async () => {
        await ide.startAgent();
        await ide.cli?.openDiff(ide.file('new.txt'), 'accepted\n');
        await ide.service.acceptReview(ide.page.shown[0].id, { revision: { page: '', n: 0 } });
        fs.writeFileSync(ide.file('new.txt'), 'accepted\n');
        fs.writeFileSync(ide.file('other.txt'), 'not accepted\n');
        expect(await ide.list(true)).to.deep.equal(['added other.txt +1 -0']);
    });

    it('is listed in a workspace that is not trusted as well, without a program of it', async () => {
        await ide.stop();
        await ide.start(false);
        await ide.startAgent();
        ide.git('config', 'core.fsmonitor', `touch ${ide.file('was-run')}`);
        ide.write('a.txt', 'changed\n');
        await ide.lists('modified a.txt +1 -10');
        expect(fs.existsSync(ide.file('was-run'))).to.equal(false);
    });

    it('refuses files of other folders, and what no page sends', async () => {
        await ide.startAgent();
        const outside = FileUri.create(path.join(ide.host.folder, 'x.txt')).toString();
        const refused = await ide.service.readBaseline(outside).catch((error: Error) => error.message);
        expect(refused).to.include('is in no folder of this window');
        const wrong = await ide.service.keepChange(ide.uri('a.txt'), -1).catch((error: Error) => error);
        expect(wrong).to.be.instanceOf(Error);
    });
}).timeout(60_000);
