// SPDX-License-Identifier: Apache-2.0

import * as fs from 'fs';
import * as path from 'path';
import { expect } from 'chai';
import { eventually } from '../test/test-cli';
import { ChangesHost, TEN_LINES } from './test/changes-host';

describe('What was changed outside the editor, where it is easily taken for something else', () => {
    let ide: ChangesHost;
    const { PATH } = process.env;

    beforeEach(async () => {
        ide = new ChangesHost();
        ide.git('init', '-q', '-b', 'main');
        for (const name of ['a.txt', 'b.txt', 'dir/c.txt']) {
            fs.mkdirSync(path.dirname(ide.file(name)), { recursive: true });
            fs.writeFileSync(ide.file(name), TEN_LINES);
        }
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

    async function mayUndo(name: string): Promise<boolean> {
        const { version } = await ide.row(name);
        return ide.service.mayUndoChange(ide.uri(name), version, {});
    }

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
        expect(await Promise.all(['a.txt', 'b.txt', 'dir/c.txt'].map(mayUndo))).to.deep.equal([true, true, true]);
        const outside = path.join(ide.host.folder, 'outside');
        fs.mkdirSync(outside);
        fs.symlinkSync(path.join(outside, 'agents.md'), ide.file('a.txt'));
        fs.mkdirSync(ide.file('b.txt'));
        fs.rmdirSync(ide.file('dir'));
        fs.symlinkSync(outside, ide.file('dir'));
        expect(await Promise.all(['a.txt', 'b.txt', 'dir/c.txt'].map(mayUndo))).to.deep.equal([false, false, false]);
    });

    it('is not put back at a path that is a link now', async () => {
        await ide.startAgent();
        ide.write('new.txt', 'new\n');
        await ide.lists('added new.txt +1 -0');
        expect(await mayUndo('new.txt')).to.equal(true);
        await ide.delete('new.txt');
        await eventually('the copy', async () => (await ide.service.readChanges(false)).undone.length === 1);
        const [{ id }] = (await ide.service.readChanges(false)).undone;
        expect(await ide.service.readUndone(id)).to.include({ text: 'new\n' });
        fs.symlinkSync(ide.file('missing.txt'), ide.file('new.txt'));
        expect(await ide.service.readUndone(id)).to.equal(undefined);
    });

    it('is not listed while git does not say what it ignores, and is afterwards', async () => {
        await ide.startAgent();
        const flag = breakGit('*check-ignore*');
        fs.appendFileSync(ide.file('ignored.cfg'), 'agent\n');
        fs.appendFileSync(ide.file('a.txt'), 'agent\n');
        ide.tell('ignored.cfg', 'a.txt');
        await ide.lists('modified a.txt +1 -0');
        expect(await ide.list(true)).to.deep.equal(['modified a.txt +1 -0']);
        fs.rmSync(flag);
        ide.write('b.txt', 'agent\n');
        ide.tell('ignored.cfg');
        await ide.lists('modified a.txt +1 -0', 'modified b.txt +1 -10');
    });

    it('is not listed for what git ignores, also where git cannot judge another path of the same moment', async () => {
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
        await ide.lists('modified a.txt +1 -0');
    });

    it('is not listed where git refuses the folder, and is once it does not', async () => {
        const flag = breakGit('*', 'detected dubious ownership in repository');
        const { port, token } = ide.backend.discovered();
        await ide.connect(port, token);
        await eventually('git to be asked', () => fs.readFileSync(flag, 'utf8').length > 0);
        // What comes after it has had its turn.
        await ide.service.keepChange(ide.uri('a.txt'), 1);
        expect((await ide.service.readChanges(true)).tracking).to.equal(false);
        fs.rmSync(flag);
        const isTracking = async (): Promise<boolean> => (await ide.service.readChanges(false)).tracking;
        // It is asked again after ten seconds.
        await eventually('tracking', isTracking).catch(() => eventually('tracking', isTracking));
        fs.appendFileSync(ide.file('ignored.cfg'), 'agent\n');
        fs.appendFileSync(ide.file('a.txt'), 'agent\n');
        ide.tell('ignored.cfg', 'a.txt');
        await ide.lists('modified a.txt +1 -0');
    }).timeout(40_000);

    it('is not called new, and has no Undo, where the file is older than the agent', async () => {
        await ide.startAgent();
        fs.writeFileSync(ide.file('.gitignore'), '/.qwen\n/.gemini\n/.claude\n/.copilot\n');
        ide.write('new.txt', 'new\n');
        ide.tell('.gitignore', 'ignored.cfg');
        await ide.lists('modified .gitignore +0 -1', 'added new.txt +1 -0', 'unknown ignored.cfg');
        expect(await Promise.all(['ignored.cfg', 'new.txt'].map(mayUndo))).to.deep.equal([false, true]);
    });

    it('has no Undo where the file is as git has it', async () => {
        fs.writeFileSync(ide.file('a.txt'), 'the user’s\n');
        await ide.startAgent();
        ide.write('b.txt', 'agent\n');
        await ide.lists('modified b.txt +1 -10');
        ide.git('checkout', '-q', '--', 'a.txt');
        ide.tell('a.txt');
        await ide.lists('modified a.txt +10 -1', 'modified b.txt +1 -10');
        expect([(await ide.row('a.txt')).equalsHead, (await ide.row('b.txt')).equalsHead]).to.deep.equal([true, undefined]);
        expect(await Promise.all(['a.txt', 'b.txt'].map(mayUndo))).to.deep.equal([false, true]);
        ide.commit();
        ide.tell('.git/HEAD');
        await ide.lists('modified a.txt +10 -1', 'modified b.txt +1 -10 committed');
        expect(await mayUndo('b.txt')).to.equal(false);
    });

    it('has an Undo where a file that git does not know was deleted', async () => {
        fs.writeFileSync(ide.file('notes.md'), 'the user’s\n');
        await ide.startAgent();
        ide.remove('notes.md');
        await ide.lists('deleted notes.md +0 -1');
        expect(await mayUndo('notes.md')).to.equal(true);
    });
});
