// SPDX-License-Identifier: Apache-2.0

import * as fs from 'fs';
import * as path from 'path';
import { FileUri } from '@theia/core/lib/common/file-uri';
import { Deferred } from '@theia/core/lib/common/promise-util';
import { expect } from 'chai';
import * as sinon from 'sinon';
import { hunksOf } from '../../common/changes/line-hunks';
import { encodeRaw } from '../../common/changes/raw-text';
import { eventually } from '../test/test-cli';
import { Changes } from './changes';
import type { GitReader } from './git-reader';
import { ChangesHost, TEN_LINES } from './test/changes-host';

describe('What was changed outside the editor', () => {
    let ide: ChangesHost;

    beforeEach(async () => {
        ide = new ChangesHost();
        ide.git('init', '-q', '-b', 'main');
        for (const name of ['a.txt', 'b.txt', 'dir/c.txt']) {
            fs.mkdirSync(path.dirname(ide.file(name)), { recursive: true });
            fs.writeFileSync(ide.file(name), TEN_LINES);
        }
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
            const folder = path.join(ide.host.configurationFolder, 'theia-cli-companion', 'changes');
            return fs
                .readdirSync(folder)
                .map(name => fs.readFileSync(path.join(folder, name), 'utf8'))
                .join();
        };
        fs.writeFileSync(ide.file('dir/untracked.txt'), 'hunter1\n');
        await ide.startAgent();
        ide.write('dir/private.txt', 'hunter2\n');
        ide.write('dir/c.txt', 'hunter3\n');
        await ide.lists('added dir/private.txt +1 -0', 'modified dir/c.txt +1 -10');
        expect(await ide.undo('dir/c.txt')).to.equal(true);
        await eventually('the texts on disk', () => stored().includes('hunter1') && stored().includes('hunter3'));
        await ide.prefer({ 'companion.context.exclude': ['dir/**'] });
        await ide.lists('binary dir/private.txt');
        ide.write('dir/c.txt', 'hunter4\n');
        await ide.lists('binary dir/private.txt', 'binary dir/c.txt');
        expect(await ide.service.readBaseline(ide.uri('dir/c.txt'))).to.equal(undefined);
        expect((await ide.service.readChanges(false)).undone).to.deep.equal([]);
        await eventually('no text on disk', () => !stored().includes('hunter'));
    });

    it('names the agent that ran, if it was the only one', async () => {
        await ide.startAgent();
        ide.write('a.txt', 'by an agent\n');
        await ide.lists('modified a.txt +1 -10');
        expect(await ide.row('a.txt')).to.include({ onlyAgent: 'Qwen Code' });
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
        // The save does not wait until the list knows it.
        await eventually('the undo', () => ide.undo('a.txt'));
        expect(ide.read('a.txt')).to.equal(TEN_LINES.replace('i\n', 'mine\n'));
        await ide.lists();
    });

    /** The user saves, and no more than this goes by on the clock. What is read from the disk takes the time that it takes. */
    async function saveWithin(limitMs: number, name: string, text: string): Promise<void> {
        const { setTimeout: wait } = globalThis;
        const clock = sinon.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
        try {
            let isSaved = false;
            const options = { create: true, overwrite: true };
            const saving = ide.provider.writeFile(FileUri.create(ide.file(name)), encodeRaw(text), options).then(() => (isSaved = true));
            for (let waitedMs = 0; !isSaved && waitedMs < limitMs + 5_000; waitedMs += 10) {
                await new Promise(resolve => wait(resolve, 20));
                await clock.tickAsync(waitedMs < limitMs ? 10 : 0);
            }
            expect(isSaved).to.equal(true);
            await saving;
        } finally {
            clock.restore();
        }
    }

    it('does not hold up a save, and has no line of the user, also if git answers only after it', async () => {
        await ide.startAgent();
        const { folders } = ide.backend.container.get(Changes) as unknown as { folders: Map<string, { git: Pick<GitReader, 'ignored'> }> };
        const [folder] = folders.values();
        const ignored = folder.git.ignored.bind(folder.git);
        const answer = new Deferred();
        folder.git.ignored = async files => {
            await answer.promise;
            return ignored(files);
        };
        await saveWithin(900, 'a.txt', TEN_LINES.replace('i\n', 'mine\n'));
        answer.resolve();
        expect(await ide.list(true)).to.deep.equal([]);
        ide.write('a.txt', TEN_LINES.replace('b\n', 'agent\n').replace('i\n', 'mine\n'));
        await ide.lists('modified a.txt +1 -1');
    });

    it('has no line of the user, also if somebody looks before it is known that the IDE has written', async () => {
        await ide.startAgent();
        const { folders } = ide.backend.container.get(Changes) as unknown as {
            folders: Map<string, { run(task: () => Promise<unknown>): Promise<unknown> }>;
        };
        const [folder] = folders.values();
        const isBusy = new Deferred();
        const running = folder.run(() => isBusy.promise);
        const looking = ide.list(true);
        await saveWithin(900, 'a.txt', TEN_LINES.replace('i\n', 'mine\n'));
        isBusy.resolve();
        await running;
        expect(await looking).to.deep.equal([]);
        expect(await ide.list(true)).to.deep.equal([]);
        ide.write('a.txt', TEN_LINES.replace('b\n', 'agent\n'));
        await ide.lists('modified a.txt +2 -2');
    });

    it('is looked for once, however many ask before its turn comes', async () => {
        await ide.startAgent();
        const { folders } = ide.backend.container.get(Changes) as unknown as {
            folders: Map<string, { changes: { rescan(): Promise<void> }; run(task: () => Promise<unknown>): Promise<unknown> }>;
        };
        const [folder] = folders.values();
        const rescan = folder.changes.rescan.bind(folder.changes);
        let looks = 0;
        folder.changes.rescan = () => (looks++, rescan());
        const isBusy = new Deferred();
        const running = folder.run(() => isBusy.promise);
        const looking = [ide.list(true), ide.list(true), ide.list(true)];
        fs.writeFileSync(ide.file('a.txt'), TEN_LINES.replace('b\n', 'agent\n'));
        isBusy.resolve();
        expect(await Promise.all(looking)).to.deep.equal(Array(3).fill(['modified a.txt +1 -1']));
        await running;
        expect(looks).to.equal(1);
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
        expect(undone).to.have.length(1);
        ide.write('a.txt', 'newer\n');
        expect(await ide.service.readUndone(undone[0].id)).to.equal(undefined);
        ide.write('a.txt', TEN_LINES);
        expect(await ide.service.readUndone(undone[0].id)).to.deep.equal({ uri: ide.uri('a.txt'), text: changed });
    });

    it('has a copy of what an undo took, also if the watcher sees it before the IDE says that it has written', async () => {
        await ide.startAgent();
        ide.write('a.txt', 'changed\n');
        await ide.lists('modified a.txt +1 -10');
        const { version } = await ide.row('a.txt');
        expect(await ide.service.mayUndoChange(ide.uri('a.txt'), version, { text: TEN_LINES })).to.equal(true);
        ide.write('a.txt', TEN_LINES);
        await ide.lists();
        const { undone } = await ide.service.readChanges(false);
        expect(await ide.service.readUndone(undone[0].id)).to.deep.equal({ uri: ide.uri('a.txt'), text: 'changed\n' });
    });

    it('undoes and keeps nothing that is newer than what was shown', async () => {
        await ide.startAgent();
        ide.write('a.txt', 'shown\n');
        await ide.lists('modified a.txt +1 -10');
        const { version } = await ide.row('a.txt');
        fs.writeFileSync(ide.file('a.txt'), 'newer\n');
        expect(await ide.service.keepChange(ide.uri('a.txt'), version)).to.equal(false);
        expect(await ide.service.mayUndoChange(ide.uri('a.txt'), version, { text: TEN_LINES })).to.equal(false);
        expect((await ide.row('a.txt')).version).to.be.greaterThan(version);
    });

    it('starts at what was dirty: only lines of agents are listed in a file that the user had edited', async () => {
        fs.writeFileSync(ide.file('a.txt'), TEN_LINES.replace('b\n', 'mine\n'));
        await ide.startAgent();
        ide.write('a.txt', ide.read('a.txt').replace('i\n', 'agent\n'));
        await ide.lists('modified a.txt +1 -1');
        expect(await ide.undo('a.txt')).to.equal(true);
        expect(ide.read('a.txt')).to.equal(TEN_LINES.replace('b\n', 'mine\n'));
    });

    it('follows git: a checkout lists nothing, a commit groups, and lost work is listed', async () => {
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
        expect((await ide.service.readBaseline(ide.uri('b.txt')))?.text).to.equal('not committed\n');
        expect(await ide.service.keepChange(ide.uri('b.txt'), (await ide.row('b.txt')).version)).to.equal(true);
        ide.write('a.txt', 'by an agent\n');
        await ide.lists('modified a.txt +1 -10');
        ide.commit();
        ide.tell('.git/HEAD');
        await ide.lists('modified a.txt +1 -10 committed');
        await eventually('no number', () => ide.page.state?.changes.count === 0);
    });

    it('is by name alone where no text can be kept, and never for what git ignores, or a link', async () => {
        await ide.startAgent();
        fs.mkdirSync(ide.file('build'));
        fs.mkdirSync(ide.file('node_modules'));
        fs.symlinkSync(ide.file('a.txt'), ide.file('link.txt'));
        ide.write('build/out.txt', 'ignored\n');
        ide.write('node_modules/x.js', 'ignored\n');
        ide.tell('link.txt');
        ide.write('binary', Buffer.from([1, 0, 2]));
        ide.write('large.txt', 'x'.repeat(1024 * 1024 + 1));
        ide.write('.env', 'SECRET=hunter2\n');
        ide.write('latin.txt', Buffer.from([0xe9, 10]));
        ide.write('old-mac.txt', 'a\rb\n');
        await ide.lists('binary binary', 'binary large.txt', 'binary .env', 'added latin.txt +1 -0', 'unknown old-mac.txt');
        for (const name of ['binary', '.env', 'old-mac.txt']) {
            const { version } = await ide.row(name);
            expect(await ide.service.mayUndoChange(ide.uri(name), version, {}), name).to.equal(false);
        }
        const { version } = await ide.row('.env');
        expect(await ide.service.keepChange(ide.uri('.env'), version)).to.equal(true);
        await ide.lists('binary binary', 'binary large.txt', 'added latin.txt +1 -0', 'unknown old-mac.txt');
        await ide.stop();
        const folder = path.join(ide.host.configurationFolder, 'theia-cli-companion', 'changes');
        const [stored] = fs.readdirSync(folder);
        expect(fs.readFileSync(path.join(folder, stored), 'utf8')).not.to.include('hunter2');
        expect([fs.statSync(folder).mode & 0o777, fs.statSync(path.join(folder, stored)).mode & 0o777]).to.deep.equal([0o700, 0o600]);
    });

    it('is no change of line ends or of a byte order mark alone', async () => {
        await ide.startAgent();
        ide.write('a.txt', TEN_LINES.replaceAll('\n', '\r\n'));
        ide.write('b.txt', `\uFEFF${TEN_LINES}`);
        ide.write('dir/c.txt', TEN_LINES.replace('b\n', 'B\n').replaceAll('\n', '\r\n'));
        await ide.lists('modified dir/c.txt +1 -1');
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
        expect(await ide.service.readUndone(undone[0].id)).to.deep.equal({ uri: ide.uri('a.txt'), text: 'undone\n' });
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

    it('has no text before, and no Undo, in a repository within this one', async () => {
        ide.git('init', '-q', 'inner');
        fs.writeFileSync(ide.file('inner/x.txt'), 'there before\n');
        await ide.startAgent();
        ide.write('inner/x.txt', 'changed\n');
        await ide.lists('unknown inner/x.txt');
    });

    it('is forgotten, on disk as well, when the user turns it off', async () => {
        await ide.startAgent();
        ide.write('a.txt', 'changed\n');
        await ide.lists('modified a.txt +1 -10');
        const folder = path.join(ide.host.configurationFolder, 'theia-cli-companion', 'changes');
        await eventually('the file', () => fs.existsSync(folder) && fs.readdirSync(folder).length === 1);
        await ide.prefer({ 'companion.changes.track': 'off' });
        expect(await ide.list(true)).to.deep.equal([]);
        await eventually('it to go', () => fs.readdirSync(folder).length === 0);
    });

    it('has room for 500 files, and says how many more there are', async () => {
        await ide.startAgent();
        for (let index = 0; index < 510; index++) {
            ide.write(`many/${index}.txt`, `${index}\n`);
        }
        await eventually('all to be seen', async () => {
            const { files, more } = await ide.service.readChanges(false);
            return files.length === 500 && more === 10;
        });
        await eventually('the number', () => ide.page.state?.changes.count === 510);
    });

    it('is listed without git as well: by name, until its text was seen once', async () => {
        fs.rmSync(ide.file('.git'), { recursive: true });
        await ide.startAgent();
        // A file that came and went.
        ide.tell('a.txt.0123.tmp');
        ide.write('a.txt', 'first\n');
        await ide.lists('unknown a.txt');
        expect(await ide.service.keepChange(ide.uri('a.txt'), (await ide.row('a.txt')).version)).to.equal(true);
        ide.write('a.txt', 'second\n');
        await ide.lists('modified a.txt +1 -1');
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

    it('is listed by name in a workspace that is not trusted, without a program of git', async () => {
        await ide.stop();
        await ide.start(false);
        await ide.startAgent();
        ide.git('config', 'core.fsmonitor', `touch ${ide.file('was-run')}`);
        ide.write('a.txt', 'changed\n');
        await ide.lists('unknown a.txt');
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
});
