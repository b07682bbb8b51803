// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { execFileSync } from 'child_process';
import { promises as fs } from 'fs';
import * as os from 'os';
import * as path from 'path';
import { GitPosition } from './file-changes';
import { hashOf, nameOnly } from './file-text';
import { GitReader } from './git-reader';

describe('GitReader, in a repository', () => {
    let folder: string;
    let reader: GitReader;
    let isTrusted: boolean;

    beforeEach(async () => {
        folder = await fs.realpath(await fs.mkdtemp(path.join(os.tmpdir(), 'companion-git-')));
        isTrusted = true;
        reader = new GitReader(folder, () => isTrusted, 1_000);
        git('init', '-q');
        await write('a.txt', 'one\n');
        await write('d/b c.txt', 'two\n');
        await write('.gitignore', 'ignored/\n');
        commit('first');
    });

    afterEach(async () => {
        reader.dispose();
        await fs.rm(folder, { recursive: true, force: true });
    });

    function git(...args: string[]): string {
        const identity = ['-c', 'user.name=user', '-c', 'user.email=user@localhost', '-c', 'commit.gpgsign=false'];
        return execFileSync('git', [...identity, ...args], { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    }

    function commit(subject: string): void {
        git('add', '-A');
        git('commit', '-qm', subject);
    }

    async function write(file: string, text: string): Promise<void> {
        await fs.mkdir(path.dirname(path.join(folder, file)), { recursive: true });
        await fs.writeFile(path.join(folder, file), text);
    }

    async function position(): Promise<GitPosition> {
        const found = await reader.position();
        expect(found).not.to.equal(undefined);
        return found as GitPosition;
    }

    it('has no position without a repository, without a commit, and in a workspace that is not trusted', async () => {
        expect((await position()).head).to.equal(git('rev-parse', 'HEAD').trim());
        isTrusted = false;
        expect(await reader.position()).to.equal(undefined);
        isTrusted = true;
        await fs.rm(path.join(folder, '.git'), { recursive: true });
        expect(await reader.position()).to.equal(undefined);
        git('init', '-q');
        expect(await reader.position()).to.equal(undefined);
    });

    it('names the files that differ from HEAD: changed, staged, new and deleted ones, also in a folder of the repository', async () => {
        await write('a.txt', 'changed\n');
        await write('new/é\n.txt', 'new\n');
        await write('ignored/x.txt', 'x\n');
        await fs.rm(path.join(folder, 'd/b c.txt'));
        git('add', 'a.txt');
        expect([...(await reader.dirtyPaths())].sort()).to.deep.equal(['a.txt', 'd/b c.txt', 'new/é\n.txt']);
        const inFolder = new GitReader(path.join(folder, 'new'), () => true, 1_000);
        expect(await inFolder.dirtyPaths()).to.deep.equal(['é\n.txt']);
        inFolder.dispose();
        expect([...(await reader.ignored(['a.txt', 'ignored/x.txt']))]).to.deep.equal(['ignored/x.txt']);
    });

    it('names a file with conflicts', async () => {
        git('checkout', '-q', '-b', 'other');
        await write('a.txt', 'theirs\n');
        commit('theirs');
        git('checkout', '-q', '-');
        await write('a.txt', 'ours\n');
        commit('ours');
        expect(() => git('merge', 'other')).to.throw();
        expect(await reader.dirtyPaths()).to.deep.equal(['a.txt']);
    });

    it('says that `git status` takes long', async () => {
        await reader.dirtyPaths();
        expect(reader.isSlow).to.equal(false);
        const { PATH } = process.env;
        const bin = path.join(folder, 'bin');
        await fs.mkdir(bin);
        await fs.writeFile(
            path.join(bin, 'git'),
            `#!/bin/sh\ncase "$*" in *" status "*) sleep 2.1;; esac\nPATH='${PATH}' exec git "$@"\n`,
            { mode: 0o755 }
        );
        process.env.PATH = `${bin}:${PATH}`;
        try {
            await reader.dirtyPaths();
        } finally {
            process.env.PATH = PATH;
        }
        expect(reader.isSlow).to.equal(true);
    });

    it('says what keeps git from answering, until it answers', async () => {
        const { PATH } = process.env;
        const bin = path.join(folder, 'bin');
        await fs.mkdir(bin);
        const write = (line: string): Promise<void> => fs.writeFile(path.join(bin, 'git'), `#!/bin/sh\n${line}\n`, { mode: 0o755 });
        const trouble = async (): Promise<unknown> => {
            process.env.PATH = bin;
            try {
                await reader.position().catch(() => undefined);
                return reader.trouble;
            } finally {
                process.env.PATH = PATH;
            }
        };
        expect(await trouble()).to.deep.equal({ code: 'no-git', root: folder });
        // As git 2.39 says it to root in a folder of another user.
        await write(`echo "fatal: detected dubious ownership in repository at '${folder}'" >&2; exit 128`);
        expect(await trouble()).to.deep.equal({ code: 'refused', root: folder });
        await write(`PATH='${PATH}' exec git "$@"`);
        expect(await trouble()).to.equal(undefined);
    });

    it('says where git writes other line ends than it keeps', async () => {
        await write('.gitattributes', '*.bat eol=crlf\n*.sh eol=lf\n*.bin -text\n');
        const writes = (): Promise<boolean[]> => Promise.all(['a.bat', 'a.sh', 'a.bin', 'a.txt'].map(file => reader.writesCrlf(file)));
        expect(await writes()).to.deep.equal([true, false, false, false]);
        git('config', 'core.autocrlf', 'true');
        expect(await writes()).to.deep.equal([true, false, false, true]);
    });

    it('reads texts of a commit; not of binary and large files', async () => {
        await write('binary', 'a\0b');
        await write('latin', 'x');
        await fs.writeFile(path.join(folder, 'latin'), Buffer.from([0xe9]));
        await write('large', 'x'.repeat(1_001));
        const { head } = await position();
        commit('second');
        const second = (await position()).head;
        expect(await reader.textIn(head, 'd/b c.txt')).to.equal('two\n');
        expect(await reader.textIn(head, 'large')).to.equal(null);
        expect(await reader.textIn(second, 'd')).to.equal(null);
        for (const [file, kind] of Object.entries({ binary: 'binary', large: 'binary' })) {
            expect(nameOnly((await reader.textIn(second, file)) ?? null), file).to.equal(kind);
        }
        expect(await reader.textIn(second, 'latin')).to.equal('\uDCE9');
        expect(await reader.changedPaths(head, second)).to.deep.equal(['binary', 'large', 'latin']);
    });

    it('says what was done since: a commit, and what puts other files there', async () => {
        const start = await position();
        await write('a.txt', 'second\n');
        commit('second');
        expect(await reader.verbsSince(start)).to.deep.equal(['commit']);
        git('checkout', '-q', '-b', 'other');
        expect(await reader.verbsSince(start)).to.deep.equal(['commit', 'checkout']);
        const before = await position();
        await write('a.txt', 'stashed\n');
        git('stash');
        expect(await reader.verbsSince(before)).to.deep.equal(['reset', 'stash']);
        const stashed = await position();
        git('stash', 'pop');
        expect(await reader.verbsSince(stashed)).to.deep.equal(['stash']);
        git('checkout', '--', 'a.txt');
        expect(await reader.verbsSince(await position())).to.deep.equal([]);
    });

    it('has a text that HEAD had, that was committed since, or that is stashed; not one that nobody finds again', async () => {
        const start = await position();
        await write('a.txt', 'second\n');
        commit('second');
        await write('a.txt', 'stashed\n');
        git('stash');
        for (const text of ['one\n', 'second\n', 'stashed\n']) {
            expect(await reader.has('a.txt', hashOf(text), start), text).to.equal(true);
        }
        expect(await reader.has('d/b c.txt', hashOf('one\n'), start), 'at another path').to.equal(false);
        git('stash', 'drop');
        expect(await reader.has('a.txt', hashOf('stashed\n'), start), 'dropped').to.equal(false);
        expect(await reader.has('a.txt', hashOf('one\n'), await position()), 'older').to.equal(false);
    });

    it('leaves the repository as it is, byte for byte', async () => {
        await write('a.txt', 'changed\n');
        const before = await bytes();
        await reader.dirtyPaths();
        await reader.has('a.txt', hashOf('x'), await position());
        await reader.ignored(['a.txt']);
        expect(await bytes()).to.deep.equal(before);
    });

    async function bytes(): Promise<Record<string, string>> {
        const names = await fs.readdir(path.join(folder, '.git'), { recursive: true, withFileTypes: true });
        const files = names.filter(name => name.isFile()).map(name => path.join(name.parentPath, name.name));
        return Object.fromEntries(await Promise.all(files.map(async file => [file, await fs.readFile(file, 'hex')])));
    }
});
