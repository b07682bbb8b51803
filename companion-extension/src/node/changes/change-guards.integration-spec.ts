// SPDX-License-Identifier: Apache-2.0

import * as fs from 'fs';
import * as path from 'path';
import { FileUri } from '@theia/core/lib/common/file-uri';
import { expect } from 'chai';
import { eventually } from '../test/test-cli';
import { ChangesHost, TEN_LINES } from './test/changes-host';

describe('What was changed outside the editor, where it is easily taken for something else', () => {
    let ide: ChangesHost;
    const { PATH } = process.env;

    beforeEach(async () => {
        ide = new ChangesHost().makeRepository('a.txt', 'b.txt', 'dir/c.txt');
        fs.writeFileSync(ide.file('.gitignore'), '/ignored.cfg\n/.qwen\n/.gemini\n/.claude\n/.copilot\n');
        fs.writeFileSync(ide.file('ignored.cfg'), 'the user’s own\n');
        ide.commit();
        await ide.start();
    });

    afterEach(async () => {
        process.env.PATH = PATH;
        await ide.stop();
        ide.host.remove();
    });

    /** Has each call of git that the pattern names fail, as long as the file is there that is returned. */
    function breakGit(pattern: string, message = 'broken'): string {
        const bin = path.join(ide.host.folder, 'broken');
        const flag = path.join(bin, 'flag');
        fs.mkdirSync(bin);
        const script = `#!/bin/sh\ncase "$*" in ${pattern}) [ -e '${flag}' ] && { echo x >> '${flag}'; echo 'fatal: ${message}' >&2; exit 128; };; esac\nPATH='${PATH}' exec git "$@"\n`;
        fs.writeFileSync(path.join(bin, 'git'), script, { mode: 0o755 });
        fs.writeFileSync(flag, '');
        process.env.PATH = `${bin}:${PATH}`;
        return flag;
    }

    it('has no Undo at a path that is a link now, lies behind one, or is a folder', async () => {
        await ide.startAgent();
        ide.remove('a.txt');
        ide.remove('b.txt');
        ide.remove('dir/c.txt');
        await ide.lists('deleted a.txt +0 -10', 'deleted b.txt +0 -10', 'deleted dir/c.txt +0 -10');
        const outside = path.join(ide.host.folder, 'outside');
        fs.mkdirSync(outside);
        fs.symlinkSync(path.join(outside, 'agents.md'), ide.file('a.txt'));
        fs.mkdirSync(ide.file('b.txt'));
        fs.rmdirSync(ide.file('dir'));
        fs.symlinkSync(outside, ide.file('dir'));
        expect(await Promise.all(['a.txt', 'b.txt', 'dir/c.txt'].map(name => ide.undo(name)))).to.deep.equal([false, false, false]);
        expect(fs.readdirSync(outside)).to.deep.equal([]);
        expect(fs.lstatSync(ide.file('a.txt')).isSymbolicLink()).to.equal(true);
    });

    it('is not put back at a path that is a link now', async () => {
        await ide.startAgent();
        ide.write('new.txt', 'new\n');
        await ide.lists('added new.txt +1 -0');
        expect(await ide.undo('new.txt')).to.equal(true);
        const [{ id, uri }] = (await ide.service.readChanges(false)).undone;
        fs.symlinkSync(ide.file('missing.txt'), ide.file('new.txt'));
        expect(await ide.service.putBack(id)).to.deep.equal({ done: [], left: [{ uri, reason: 'changed' }] });
        fs.unlinkSync(ide.file('new.txt'));
        expect((await ide.service.putBack(id)).done).to.deep.equal([uri]);
        expect(ide.read('new.txt')).to.equal('new\n');
    });

    it('is not listed while git does not answer, and is afterwards; a save waits for nothing of it', async () => {
        await ide.startAgent();
        const flag = breakGit('*diff-files*');
        fs.appendFileSync(ide.file('ignored.cfg'), 'agent\n');
        fs.appendFileSync(ide.file('a.txt'), 'agent\n');
        ide.tell('ignored.cfg', 'a.txt');
        expect(await ide.list(true)).to.deep.equal([]);
        await ide.save('b.txt', 'mine\n');
        fs.rmSync(flag);
        await eventually('the row', async () => (await ide.list(true)).length > 0).catch(() => undefined);
        await ide.lists('modified a.txt +1 -0');
    }).timeout(40_000);

    it('is not listed for what git ignores, also beside a submodule that is not checked out', async () => {
        ide.git('init', '-q', 'source');
        fs.writeFileSync(ide.file('source/x.c'), 'x\n');
        ide.git('-C', ide.file('source'), 'add', '-A');
        ide.git('-C', ide.file('source'), 'commit', '-q', '-m', 'source');
        fs.renameSync(ide.file('source'), path.join(ide.host.folder, 'source'));
        ide.git('-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', path.join(ide.host.folder, 'source'), 'sub');
        ide.commit();
        ide.git('submodule', '-q', 'deinit', '-f', 'sub');
        await ide.startAgent();
        fs.appendFileSync(ide.file('ignored.cfg'), 'agent\n');
        fs.writeFileSync(ide.file('sub/x.c'), 'agent\n');
        fs.appendFileSync(ide.file('a.txt'), 'agent\n');
        ide.tell('sub/x.c', 'ignored.cfg', 'a.txt');
        await ide.lists('added sub/x.c +1 -0', 'modified a.txt +1 -0');
    });

    it('is listed in a folder that belongs to somebody else: git is never run with its directory', async function () {
        if (process.getuid?.() !== 0) {
            this.skip();
        }
        fs.chownSync(ide.file('.git'), 4242, 4242);
        fs.chownSync(ide.file('.'), 4242, 4242);
        await ide.startAgent();
        fs.appendFileSync(ide.file('ignored.cfg'), 'agent\n');
        ide.write('a.txt', `${TEN_LINES}agent\n`);
        await ide.lists('modified a.txt +1 -0');
        expect((await ide.service.readBaseline(ide.uri('a.txt')))?.text).to.equal(TEN_LINES);
    });

    it('is not called new, and has no Undo, where the file is older than the agent', async () => {
        await ide.startAgent();
        fs.writeFileSync(ide.file('.gitignore'), '/.qwen\n/.gemini\n/.claude\n/.copilot\n');
        ide.write('new.txt', 'new\n');
        ide.tell('.gitignore', 'ignored.cfg');
        await ide.lists('modified .gitignore +0 -1', 'added new.txt +1 -0');
        fs.appendFileSync(ide.file('ignored.cfg'), 'agent\n');
        ide.tell('ignored.cfg');
        await ide.lists('modified .gitignore +0 -1', 'added new.txt +1 -0', 'unknown ignored.cfg');
        expect(await ide.undo('ignored.cfg')).to.equal(false);
        expect(await ide.undo('new.txt')).to.equal(true);
    });

    it('has an Undo where an agent destroyed what the user had not committed, though the file is as git has it', async () => {
        fs.writeFileSync(ide.file('a.txt'), 'the user’s\n');
        await ide.startAgent();
        ide.git('checkout', '-q', '--', 'a.txt');
        ide.tell('a.txt');
        await ide.lists('modified a.txt +10 -1');
        expect(await ide.undo('a.txt')).to.equal(true);
        expect(ide.read('a.txt')).to.equal('the user’s\n');
    });

    it('counts in no number, and has no Undo, where the file is as git has it and the base was only kept', async () => {
        await ide.startAgent();
        ide.write('a.txt', 'agent\n');
        ide.write('b.txt', 'agent\n');
        await ide.lists('modified a.txt +1 -10', 'modified b.txt +1 -10');
        expect(await ide.service.keepChange(ide.uri('a.txt'), (await ide.row('a.txt')).version)).to.equal(true);
        ide.git('checkout', '-q', '--', 'a.txt');
        ide.tell('a.txt');
        await ide.lists('modified a.txt +10 -1 committed', 'modified b.txt +1 -10');
        await eventually('the number', () => ide.page.state?.changes.count === 1);
        expect(await ide.undo('a.txt')).to.equal(false);
        expect(await ide.service.countUndoAll()).to.deep.equal({ files: 1, lost: 0 });
        expect(ide.read('a.txt')).to.equal(TEN_LINES);
    });

    it('has an Undo where a file that git does not know was deleted', async () => {
        fs.writeFileSync(ide.file('notes.md'), 'the user’s\n');
        await ide.startAgent();
        ide.remove('notes.md');
        await ide.lists('deleted notes.md +0 -1');
        expect(await ide.undo('notes.md')).to.equal(true);
        expect(ide.read('notes.md')).to.equal('the user’s\n');
    });

    it('is nobody’s where the user moves, copies and deletes in a workspace that was opened through a link', async () => {
        const link = path.join(ide.host.folder, 'link');
        fs.symlinkSync(ide.host.homeFolder, link);
        await ide.service.hello(ide.backend.window(ide.page, { roots: [FileUri.create(link).toString()] }));
        await ide.startAgent();
        const at = (name: string): ReturnType<typeof FileUri.create> => FileUri.create(path.join(link, name));
        await ide.provider.rename(at('dir'), at('moved'), { overwrite: false });
        await ide.provider.copy(at('a.txt'), at('copy.txt'), { overwrite: false });
        await ide.provider.delete(at('b.txt'), { recursive: false, useTrash: false });
        expect(await ide.list(true)).to.deep.equal([]);
    });

    it('is nobody’s where the user saves a file of more than 10 MB', async () => {
        const lines = 'x\n'.repeat(5 * 1024 * 1024);
        ide.write('large.txt', `${lines}\n`);
        ide.write('grows.txt', lines);
        ide.commit();
        await ide.startAgent();
        await ide.save('large.txt', `${lines}mine\n`);
        await ide.save('grows.txt', `${lines}mine\n`);
        expect(await ide.list(true)).to.deep.equal([]);
        ide.write('large.txt', `${lines}agent\n`);
        ide.write('grows.txt', `${lines}agent\n`);
        await ide.lists('large grows.txt', 'large large.txt');
        await ide.save('large.txt', `${lines}agent\nmine\n`);
        expect(await ide.list(true)).to.deep.equal(['large grows.txt', 'large large.txt']);
    });
});
