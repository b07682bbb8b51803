// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { execFileSync, spawn } from 'child_process';
import { once } from 'events';
import * as fs from 'fs';
import * as path from 'path';
import { GitError } from './private-git';
import { IndexWork, sleep } from './test/index-work';
import { UserRepository } from './user-repository';

const isRoot = process.getuid?.() === 0;

/** What may go wrong around a private index: other processes, odd repositories, the system. */
describe('A private index among hazards', () => {
    before(() => IndexWork.begin());

    after(() => IndexWork.end());

    afterEach(() => IndexWork.closeAll());

    async function refusalOf(call: Promise<unknown>): Promise<unknown> {
        return call.then(
            () => expect.fail('It was not refused'),
            (error: unknown) => error
        );
    }

    it('leaves the user’s .git and work tree as they are, byte for byte and time for time', async () => {
        const w = new IndexWork();
        w.sh(
            'for i in $(seq 300); do echo $i > f$i; done; git add .; git commit -qm 1; git gc -q; echo d > dirty; echo 1 >> f1; git add f1'
        );
        w.sh('echo 2 >> f2; git stash -q; git stash pop -q; mkdir n; cd n; git init -q .; echo x > x; git add .; git commit -qm n');
        const tree = (): string => w.sh('find . -mindepth 1 -path ./.git -prune -o -printf "%p %T@ %C@ %s\\n" | sort');
        const [git, files] = [w.stateOf(), tree()];
        await w.start();
        await w.index.look();
        const f2 = fs.readFileSync(path.join(w.root, 'f2'));
        await w.index.foldSave('f2', f2, f2);
        await w.index.look();
        await w.index.stop();
        await w.index.start();
        await w.index.collect();
        expect(w.stateOf()).to.equal(git);
        expect(tree()).to.equal(files);
        expect(w.list()).to.equal('');
    });

    it('makes no commit of an agent fail, which commits a hundred times meanwhile', async () => {
        const w = new IndexWork();
        w.sh('for i in $(seq 500); do echo $i > f$i; done; git add .; git commit -qm 1');
        await w.start();
        const commits = 'n=0; for i in $(seq 100); do echo $i >> f1; git commit -qam $i || n=$((n+1)); done; exit $n';
        const agent = spawn('bash', ['-c', commits], { cwd: w.root, stdio: 'ignore' });
        const ended = once(agent, 'exit');
        let isOver = false;
        void ended.then(() => (isOver = true));
        while (!isOver) {
            await w.index.look();
        }
        expect((await ended)[0]).to.equal(0);
        expect(await w.look()).to.equal('f1:modified');
    });

    it('goes on behind a lock that a process left which was killed after the start, and waits for one that is new', async () => {
        const w = new IndexWork().put('a', '1\n').commit();
        await w.start();
        w.put('a', '2\n');
        const lock = path.join(w.index.folder, 'index.lock');
        fs.writeFileSync(lock, '');
        fs.utimesSync(lock, Date.now() / 1000 - 11, Date.now() / 1000 - 11);
        expect(await w.look()).to.equal('a:modified');
        fs.writeFileSync(lock, '');
        setTimeout(() => fs.rmSync(lock), 200);
        w.put('b', '2\n');
        expect(await w.look()).to.equal('a:modified, b:added');
    });

    it('takes no old lock of the user for git at work', async () => {
        const w = new IndexWork().put('a', '1\n').commit();
        const repository = await UserRepository.find(w.root);
        const lock = path.join(w.root, '.git/index.lock');
        fs.writeFileSync(lock, '');
        expect(await repository?.isLocked()).to.equal(true);
        fs.utimesSync(lock, Date.now() / 1000 - 11, Date.now() / 1000 - 11);
        expect(await repository?.isLocked()).to.equal(false);
    });

    it('has right rows after a kill at any moment, and removes a lock that a killed process left', async () => {
        const w = new IndexWork();
        w.sh(
            'for i in $(seq 1000); do echo $i > f$i; done; git add .; git commit -qm 1; for i in $(seq 300); do head -c 3000 /dev/urandom > u$i; done'
        );
        for (const ms of [50, 150, 300, 600]) {
            const program = path.join(__dirname, 'test', 'index-program.js');
            const child = spawn(process.execPath, [program, w.root, w.home], { stdio: 'ignore' });
            await sleep(ms + 200);
            child.kill('SIGKILL');
            await once(child, 'exit');
            w.reopen();
            await w.index.resume();
            await w.index.start();
            await w.index.look();
            // It may have been killed between a write and the word of it.
            expect(w.listed.map(({ path: file }) => file).filter(file => file !== 'f8')).to.deep.equal([]);
        }
        const lock = path.join(w.index.folder, 'index.lock');
        fs.writeFileSync(lock, '');
        fs.utimesSync(lock, 1, 1);
        w.reopen();
        await w.index.resume();
        w.sh('echo agent >> f1');
        expect(await w.look()).to.contain('f1:modified');
        expect(fs.existsSync(lock)).to.equal(false);
    });

    it('has the texts that were only staged, when git has pruned them, and says of others that they are gone', async () => {
        const w = new IndexWork().put('a', '1\n').put('b', '1\n').put('c', '1\n').put('d', '1\n').commit();
        w.sh('echo staged > b; git add b; echo amended > c; git commit -qm 2 c');
        await w.start();
        w.sh('git reset -q --hard HEAD~1; git reflog expire --expire=now --all; git gc -q --prune=now');
        expect(await w.look()).to.equal('b:modified, c:modified (no undo)');
        expect(await w.undo('b')).to.equal(true);
        expect(w.read('b')).to.equal('staged\n');
        expect(await w.undo('c')).to.equal(false);
    });

    it('goes on when an agent removes the repository, and makes a new one', async () => {
        const w = new IndexWork().put('a', '1\n').put('d', 'd\n').commit();
        await w.start();
        w.sh('echo x >> a; rm -rf .git; git init -q');
        await w.look();
        w.sh('echo y >> d');
        expect(await w.look()).to.equal('a:modified (no undo), d:modified');
        expect(await w.textBefore('d')).to.equal('d\n');
    });

    const origin = (): IndexWork => {
        const w = new IndexWork();
        w.sh('for i in 1 2 3; do echo $i > a; git add .; git commit -qm $i; done; git config uploadpack.allowFilter true');
        return w;
    };
    const plain = 'git init -q .; echo 3 > a; git add .; git commit -qm 1';
    const repositories: Record<string, (w: IndexWork) => void> = {
        'a shallow clone': w => w.sh(`git clone -q --depth 1 file://${origin().root} .`),
        'a clone without blobs': w => w.sh(`git clone -q --filter=blob:none file://${origin().root} .`),
        'a work tree beside another one': w => {
            fs.rmdirSync(w.root);
            origin().sh(`git worktree add -q ${w.root}`);
        },
        'SHA-256': w => w.sh('git init -q --object-format=sha256 .; echo 3 > a; git add .; git commit -qm 1'),
        'a split index': w =>
            w.sh(
                `git init -q .; git config core.splitIndex true; echo 3 > a; git add .; git commit -qm 1; git update-index --split-index; echo b > b; git add b`
            ),
        'an index of version 4': w => w.sh(`${plain}; git update-index --index-version 4`),
        'an untracked cache': w => w.sh(`${plain}; git update-index --force-untracked-cache; git status -s`),
        'packed refs': w => w.sh(`${plain}; git pack-refs --all`),
        'a sparse index': w =>
            w.sh(
                `git init -q .; mkdir s k; echo 3 > a; echo s > s/s; echo k > k/k; git add .; git commit -qm 1; git sparse-checkout set --sparse-index k`
            ),
        'a conflict, and a file that will be added': w =>
            w.sh(
                'git init -q .; echo 3 > a; echo c > c; git add .; git commit -qm 1; git checkout -qb x; echo x > c; git commit -qam x; ' +
                    'git checkout -q main; echo y > c; git commit -qam y; git merge -q x || true; echo i > i; git add -N i'
            )
    };
    for (const [name, make] of Object.entries(repositories)) {
        it(`knows the text before in a repository with ${name}`, async () => {
            const w = new IndexWork(false);
            make(w);
            await w.start();
            expect(await w.look()).to.equal('');
            w.sh('echo x >> a');
            expect(await w.look()).to.equal('a:modified');
            expect(await w.textBefore('a')).to.equal('3\n');
        });
    }

    it('takes a checkout for a commit where git keeps no log of HEAD', async () => {
        const w = new IndexWork().put('a', '3\n');
        w.sh('git config core.logAllRefUpdates false');
        w.commit();
        w.sh('git checkout -qb o; echo o > o; git add o; git commit -qm o; git checkout -q main');
        await w.start();
        w.sh('git checkout -q o');
        expect(await w.look()).to.equal('o:added');
    });

    it('makes nothing that others could read, whatever the umask is', async () => {
        const before = process.umask(0o002);
        try {
            const w = new IndexWork().put('a', '1\n').commit().put('u', 'u\n');
            await w.start();
            w.sh('echo 2 >> a');
            await w.look();
            await w.keep('a');
            await w.index.stop();
            expect(fs.statSync(w.index.folder).mode & 0o777).to.equal(0o700);
            expect(w.sh(`find ${w.index.folder} -type f -perm /077`)).to.equal('');
        } finally {
            process.umask(before);
        }
    });

    (isRoot ? it : it.skip)('follows the rest where some files and folders cannot be read', async () => {
        const w = new IndexWork().put('a', '1\n').put('f3', '1\n').commit().put('rootonly', 's\n').put('d/x', 's\n');
        w.sh(
            `chmod 600 rootonly; chmod 700 d; chown -R 65534:65534 . ${w.home}; chown root:root rootonly d f3 a; chmod 644 f3; chmod 666 a`
        );
        w.sh(`chmod 711 ${path.dirname(w.folder)} ${w.folder}`);
        const program = path.join(__dirname, 'test', 'index-program.js');
        const args = ['--reuid', '65534', '--regid', '65534', '--clear-groups', process.execPath, program, w.root, w.home, 'once'];
        // The compiled classes may lie where that user cannot read them.
        const output = (() => {
            try {
                return execFileSync('setpriv', args, { encoding: 'utf8', env: { ...process.env, HOME: '/nonexistent' } });
            } catch {
                return undefined;
            }
        })();
        expect(output === undefined || output.trim() === 'a:file').to.equal(true);
    });

    (isRoot ? it : it.skip)('refuses no save when the disk is full, blames nobody, and goes on when there is room', async function () {
        const w = new IndexWork();
        w.sh('for i in $(seq 50); do echo $i > f$i; done; git add .; git commit -qm 1');
        try {
            w.sh(`mount -t tmpfs -o size=1m tmpfs ${w.home}`);
        } catch {
            // Containers may not.
            this.skip();
        }
        try {
            await w.start();
            w.sh('echo x >> f1');
            expect(await w.look()).to.equal('f1:modified');
            w.sh(`dd if=/dev/zero of=${w.home}/fill bs=4k 2> /dev/null || true`);
            const from = fs.readFileSync(path.join(w.root, 'f2'));
            fs.writeFileSync(path.join(w.root, 'f2'), `typed\n${from.toString()}`);
            const error = await refusalOf(w.index.foldSave('f2', from, fs.readFileSync(path.join(w.root, 'f2'))));
            expect((error as NodeJS.ErrnoException).code).to.equal('ENOSPC');
            fs.rmSync(path.join(w.home, 'fill'));
            expect(await w.look()).to.equal('f1:modified, f2:text before not known (no undo)');
        } finally {
            w.index.close();
            w.sh(`umount -l ${w.home}`);
        }
    });

    it('stores no more than it must, however often a large file is rewritten and kept, and leaves nothing when it is forgotten', async () => {
        const w = new IndexWork();
        w.sh('head -c 2000000 /dev/urandom > log; git add .; git commit -qm 1');
        await w.start({ limits: { storeBytes: 8_000_000 } });
        const size = (): number => Number(w.sh(`du -sk ${w.home}`).split('\t')[0]) / 1024;
        for (let count = 0; count < 12; count++) {
            w.sh('head -c 2000000 /dev/urandom > log');
            await w.index.look();
            await w.keep('log');
            expect(size()).to.be.lessThan(10);
        }
        await w.index.collect();
        expect(size()).to.be.lessThan(2.5);
        await w.index.forget();
        expect(fs.readdirSync(w.home)).to.deep.equal([]);
    });

    it('keeps what the user has not committed, however much an agent writes at once', async () => {
        const w = new IndexWork().put('a', '1\n').commit();
        w.put('mine', 'the user’s\n');
        await w.start({ limits: { storeBytes: 1_000_000, folderFiles: 3 } });
        w.sh('mkdir new; for i in 1 2 3 4 5 6; do head -c 300000 /dev/urandom > new/$i; head -c 300000 /dev/urandom > of$i; done');
        await w.index.look();
        await w.index.collect();
        w.put('mine', 'an agent’s\n');
        await w.index.look();
        expect(await w.textBefore('mine')).to.equal('the user’s\n');
        expect(await w.undo('mine')).to.equal(true);
        expect(w.read('mine')).to.equal('the user’s\n');
    });

    it('gives up with a reason where git takes too long, and leaves no half-made index', async () => {
        const w = new IndexWork().put('a', '1\n').commit();
        const program = path.join(w.folder, 'git');
        fs.writeFileSync(program, '#!/bin/sh\nsleep 3\nexec git "$@"\n', { mode: 0o755 });
        w.reopen({ program, limits: { startMs: 500, lookMs: 500 } });
        const error = await refusalOf(w.index.start());
        expect(error).to.be.instanceOf(GitError);
        expect((error as GitError).isOverdue).to.equal(true);
        expect(fs.existsSync(path.join(w.index.folder, 'index'))).to.equal(false);
    });

    it('runs nothing of a repository', async () => {
        const w = new IndexWork();
        w.put('.gitattributes', '* filter=evil diff=evil\n').put('a', '1\n').commit();
        const ran = path.join(w.folder, 'ran');
        for (const name of ['post-index-change', 'post-checkout', 'monitor']) {
            w.put(`../hooks/${name}`, `#!/bin/sh\ntouch ${ran}\n`, 0o755);
        }
        w.sh(`git config filter.evil.clean 'touch ${ran}; cat'; git config diff.evil.textconv 'touch ${ran}'`);
        w.sh(`git config core.fsmonitor ${w.folder}/hooks/monitor; git config core.hooksPath ${w.folder}/hooks`);
        fs.rmSync(ran, { force: true });
        await w.start();
        w.sh('echo 2 >> a');
        await w.look();
        expect(await w.undo('a')).to.equal(true);
        await w.index.collect();
        expect(fs.existsSync(ran)).to.equal(false);
        expect(w.read('a')).to.equal('1\n');
    });
}).timeout(60_000);
