// SPDX-License-Identifier: Apache-2.0

import * as fs from 'fs';
import * as path from 'path';
import { IndexWork, scenario, sleep } from './test/index-work';

/** Real git and real files. The ids are those of the findings that each came from. */
describe('Baselines in a private index', () => {
    before(() => IndexWork.begin());

    after(() => IndexWork.end());

    afterEach(() => IndexWork.closeAll());

    scenario(
        '57',
        'lines that are counted while a stash has the text: no number, and the right one later',
        [undefined, { added: 1, removed: 0, isBinary: false }],
        async () => {
            const w = new IndexWork().put('f', '1\n').commit();
            await w.start();
            w.put('f', '1\n2\n');
            await w.look();
            w.sh('git stash -q');
            const meanwhile = await w.index.countLines(['f']);
            w.sh('git stash pop -q');
            await w.look();
            return [meanwhile.get('f'), (await w.index.countLines(['f'])).get('f')];
        }
    );

    scenario(
        'L6',
        'names beyond ASCII: lines are counted, a save leaves the base, a folder is moved, a root is one',
        [1, '1\nmine\n2\n', '', 'ü.txt:modified'],
        async () => {
            const w = new IndexWork().put('文档/ü.txt', '1\n2\n').commit();
            await w.start();
            w.put('文档/ü.txt', '1\n2\nagent\n');
            await w.look();
            const count = (await w.index.countLines(['文档/ü.txt'])).get('文档/ü.txt');
            await w.save('文档/ü.txt', '1\nmine\n2\nagent\n');
            await w.look();
            await w.undo('文档/ü.txt');
            const t = w.read('文档/ü.txt');
            w.sh('mv 文档 新');
            await w.index.move('文档', '新');
            const l = await w.look();
            w.commit();
            w.index = w.open({}, path.join(w.root, '新'));
            await w.index.start();
            w.put('新/ü.txt', '3\n');
            return [count?.added, t, l, await w.look()];
        }
    );

    scenario(
        'H1 G6',
        'file replaced by a link; undo',
        ['CLAUDE.md:link instead of a file', true, 'old\n', 'new\n', false, ''],
        async () => {
            const w = new IndexWork().put('CLAUDE.md', 'old\n').put('AGENTS.md', 'new\n').commit();
            await w.start();
            w.sh('rm CLAUDE.md; ln -s AGENTS.md CLAUDE.md');
            const l = await w.look(),
                u = await w.undo('CLAUDE.md');
            return [
                l,
                u,
                w.read('CLAUDE.md'),
                w.read('AGENTS.md'),
                fs.lstatSync(path.join(w.root, 'CLAUDE.md')).isSymbolicLink(),
                await w.look()
            ];
        }
    );

    scenario(
        'H1 G6',
        'link replaced by a file; target outside; undo',
        ['l:link replaced by a file', true, '/etc/hostname', ''],
        async () => {
            const w = new IndexWork().put('a', 'a\n');
            w.sh('ln -s /etc/hostname l');
            w.commit();
            await w.start();
            w.sh('rm l; echo x > l');
            const l = await w.look(),
                u = await w.undo('l');
            return [l, u, fs.readlinkSync(path.join(w.root, 'l')), await w.look()];
        }
    );

    scenario('H1', 'file replaced by a folder', ['f:deleted, f/a:added, f/b/c:added'], async () => {
        const w = new IndexWork().put('.gitignore', '*.log\n').put('f', 'f\n').commit();
        await w.start();
        w.sh('rm f; mkdir -p f/b; echo a > f/a; echo c > f/b/c; echo l > f/a.log');
        return [await w.look()];
    });

    scenario('H1', 'a folder on the way is a link now: undo writes nothing behind it', ['d/f:deleted', 'ELOOP', undefined], async () => {
        const w = new IndexWork().put('d/f', 'old\n').put('o/x', 'x\n').commit();
        await w.start();
        w.sh('rm -r d; ln -s o d');
        const l = (await w.look()).split(', ').find(one => one.startsWith('d/f'));
        const u = await w.undo('d/f').catch(error => error.code);
        return [l, u, w.read('o/f')];
    });

    scenario(
        'H2',
        "skip-worktree and assume-unchanged: the user's own lines stay",
        ['a.txt:modified, b.txt:modified', 'a\nmine\n', 'b\nmine\n'],
        async () => {
            const w = new IndexWork().put('a.txt', 'a\n').put('b.txt', 'b\n').commit();
            w.put('a.txt', 'a\nmine\n').put('b.txt', 'b\nmine\n');
            w.sh('git update-index --skip-worktree a.txt; git update-index --assume-unchanged b.txt');
            await w.start();
            w.sh('echo agent >> a.txt; echo agent >> b.txt');
            const l = await w.look();
            await w.undoAll();
            return [l, w.read('a.txt'), w.read('b.txt')];
        }
    );

    scenario(
        'H3 G5',
        'clean/smudge filter: touch lists nothing; one line changed, undo keeps the outputs',
        ['', 'nb.ipynb:modified', 1, 'a\nOUT 1\nb\nOUT 2\n', ''],
        async () => {
            const w = new IndexWork().put('.gitattributes', '*.ipynb filter=strip\n').put('nb.ipynb', 'a\nOUT 1\nb\nOUT 2\n');
            w.sh('git config filter.strip.clean "grep -v OUT"; git config filter.strip.smudge cat; git config filter.strip.required true');
            w.commit();
            await w.start();
            w.sh('touch nb.ipynb');
            const t = await w.look();
            w.sh('sed -i s/b/B/ nb.ipynb');
            const l = await w.look(),
                h = (await w.hunks('nb.ipynb')).length;
            await w.undo('nb.ipynb');
            return [t, l, h, w.read('nb.ipynb'), await w.look()];
        }
    );

    scenario(
        'H3 G5',
        'working-tree-encoding, ident, LFS-like smudge: touch nothing, undo exact bytes',
        ['', 'i.txt:modified, key.txt:modified, u.txt:modified', true, true, true],
        async () => {
            const w = new IndexWork().put('.gitattributes', 'u.txt working-tree-encoding=UTF-16LE\ni.txt ident\nkey.txt filter=key\n');
            w.sh(`git config filter.key.clean "sed s/hunter2/PLACEHOL/"; git config filter.key.smudge "sed s/PLACEHOL/hunter2/"`);
            fs.writeFileSync(path.join(w.root, 'u.txt'), Buffer.from('one\ntwo\n', 'utf16le'));
            w.put('i.txt', '$Id$\nx\n').put('key.txt', 'key = hunter2\nz\n');
            w.commit();
            w.sh('rm i.txt; git checkout -q i.txt');
            const i = w.read('i.txt');
            await w.start();
            w.sh('touch *.txt');
            const t = await w.look();
            w.sh('printf "x\\0\\n\\0" >> u.txt; echo y >> i.txt; sed -i s/z/zz/ key.txt');
            const l = await w.look();
            await w.undoAll();
            return [
                t,
                l,
                fs.readFileSync(path.join(w.root, 'u.txt')).equals(Buffer.from('one\ntwo\n', 'utf16le')),
                w.read('i.txt') === i,
                w.read('key.txt') === 'key = hunter2\nz\n'
            ];
        }
    );

    scenario(
        'H4a',
        "ignored files become un-ignored by the user's checkout: not listed, never trashed",
        ['', 'data/n1.md:text before not known (no undo), real.txt:added', 41],
        async () => {
            const w = new IndexWork().put('a', 'a\n').commit();
            w.sh('git branch old');
            w.put('.gitignore', 'notes*.md\ndata/\n').commit();
            for (let i = 0; i < 39; i++) w.put(`notes${i}.md`, 'mine\n');
            w.put('data/n1.md', 'mine\n').put('data/n2.md', 'mine\n');
            await w.start();
            await sleep(20);
            w.sh('git checkout -q old');
            const l = await w.look();
            w.sh('echo x >> data/n1.md; echo y > real.txt');
            const m = await w.look();
            await w.undoAll();
            return [l, m, w.sh('ls notes*.md data/*').trim().split('\n').length];
        }
    );

    scenario('H4b', 'submodule not checked out and a link: ignored files stay out', ['a:modified'], async () => {
        const lib = new IndexWork().put('x', 'x\n').commit();
        const w = new IndexWork().put('a', 'a\n').put('.gitignore', 'local.cfg\n');
        w.sh(`git submodule -q add ${lib.root} sub`);
        w.commit();
        w.sh('git submodule -q deinit -f sub; ln -s sub lnk');
        w.put('local.cfg', '1\n2\n');
        await w.start();
        w.sh('echo 3 >> local.cfg; echo b >> a');
        return [await w.look()];
    });

    scenario(
        'H4c M5 G4',
        'git fails or hangs once: the look fails and says so, lists nothing wrong, the next is right',
        [true, 'a:modified'],
        async () => {
            const w = new IndexWork().put('a', 'a\n').put('.gitignore', 'ig\n').put('ig', 'mine\n').commit();
            const git = path.join(w.folder, 'git');
            fs.writeFileSync(git, `#!/bin/sh\n[ -e ${w.folder}/slow ] && exec sleep 5\nexec git "$@"\n`, { mode: 0o755 });
            await w.start({ program: git, limits: { lookMs: 400 } });
            w.sh('echo b >> a; echo c >> ig');
            fs.writeFileSync(`${w.folder}/slow`, '');
            const failed = await w.look().then(
                () => false,
                () => true
            );
            fs.rmSync(`${w.folder}/slow`);
            return [failed, await w.look()];
        }
    );

    scenario(
        'H5',
        'restart of the container (twice): what was kept stays kept, typed lines stay',
        ['a.txt:modified', '', 'b.txt:modified', 'one\nagent\ntyped\n'],
        async () => {
            const w = new IndexWork().put('a.txt', 'one\n').put('b.txt', 'b\n').commit();
            await w.start();
            w.sh('echo agent >> a.txt');
            await w.look();
            w.index.close();
            w.reopen();
            await w.index.resume();
            const l1 = w.list();
            await w.keep('a.txt');
            await w.save('a.txt', 'one\nagent\ntyped\n');
            const l2 = await w.look();
            w.sh('echo x >> b.txt');
            await w.look();
            w.index.close();
            w.reopen();
            await w.index.resume();
            const l3 = await w.look();
            await w.undoAll();
            return [l1, l2, l3, w.read('a.txt')];
        }
    );

    scenario(
        'H6 G10',
        '620 files changed: all are rows, Undo All undoes all; 620 untracked deleted come back',
        [620, 0, true, 620, 620, ''],
        async () => {
            const w = new IndexWork();
            for (let i = 0; i < 620; i++) w.put(`f${i}`, `${i}\n`);
            w.commit();
            for (let i = 0; i < 620; i++) w.put(`u/${i}`, `mine ${i}\n`);
            await w.start();
            w.sh('sed -i s/$/x/ f*');
            const n = (await w.index.look()).length,
                failed = (await w.undoAll()).length,
                clean = w.sh('git diff') === '';
            w.sh('rm -r u');
            const m = (await w.index.look()).length;
            await w.undoAll();
            return [n, failed, clean, m, fs.readdirSync(path.join(w.root, 'u')).length, await w.look()];
        }
    );

    scenario('H8a G3', 'repositories in ignored folders (worktree, FetchContent): one row, real.txt', ['real.txt:modified'], async () => {
        const w = new IndexWork().put('.gitignore', '.claude/\nbuild/\n').put('real.txt', 'r\n');
        for (let i = 0; i < 60; i++) w.put(`f${i}`, 'f\n');
        w.commit();
        await w.start();
        w.sh(
            `git worktree add -q .claude/worktrees/a -b a; echo x >> .claude/worktrees/a/f1; mkdir -p build/_deps; git clone -q . build/_deps/z; echo x >> real.txt`
        );
        return [await w.look()];
    });

    scenario('H8b', 'after 600 committed rows a new change is listed, with its text', [601, 'z\n'], async () => {
        const w = new IndexWork().put('z.txt', 'z\n');
        for (let i = 0; i < 600; i++) w.put(`f${i}`, 'f\n');
        w.commit();
        await w.start();
        w.sh('sed -i s/f/g/ f*; git commit -qam agent');
        await w.look();
        w.sh('echo y >> z.txt');
        const n = (await w.index.look()).length;
        await w.undo('z.txt');
        return [n, w.read('z.txt')];
    });

    scenario('H9', 'a save waits for nothing while a look hangs; folded afterwards', [true, 'a:modified', 'top\na\n'], async () => {
        const w = new IndexWork().put('a', 'a\n').commit();
        const git = path.join(w.folder, 'git');
        fs.writeFileSync(git, `#!/bin/sh\n[ -e ${w.folder}/slow ] && sleep 0.5\nexec git "$@"\n`, { mode: 0o755 });
        await w.start({ program: git });
        w.sh('echo x >> a');
        await w.look();
        fs.writeFileSync(`${w.folder}/slow`, '');
        const looking = w.index.look();
        const t = performance.now();
        const from = fs.readFileSync(path.join(w.root, 'a'));
        const to = Buffer.from('top\na\nx\n');
        fs.writeFileSync(path.join(w.root, 'a'), to);
        const folding = w.index.foldSave('a', from, to);
        const waited = performance.now() - t;
        fs.rmSync(`${w.folder}/slow`);
        await looking;
        await folding;
        const l = await w.look();
        await w.undo('a');
        return [waited < 10, l, w.read('a')];
    });

    scenario('M1', "after the agent has ended: vim in a listed file is the user's", ['a:modified', 'mine\na\n'], async () => {
        const w = new IndexWork().put('a', 'a\n').put('b', 'b\n').commit();
        await w.start();
        w.sh('echo agent >> a');
        await w.look();
        await w.index.stop();
        w.sh('sed -i "1i mine" a; echo vim >> b');
        const l = await w.look();
        await w.undo('a');
        return [l, w.read('a')];
    });

    scenario('M2', 'upload into the explorer (told by the IDE): not listed', [''], async () => {
        const w = new IndexWork().put('a', 'a\n').commit();
        await w.start();
        w.put('up/p.png', 'png');
        await w.index.adopt('up/p.png');
        return [await w.look()];
    });

    scenario(
        'M3',
        'secrets and excluded: known by name, never stored; excluded later: purged',
        ['.env:name only (no undo), k.pem:name only, new (no undo)', false, true, false],
        async () => {
            const w = new IndexWork().put('.env', 'TOPSECRET=1\n').put('later.txt', 'LATERSECRET\n').put('a', 'a\n');
            w.sh('git add a; git commit -qm 1');
            await w.start();
            w.sh('echo TOPSECRET2 >> .env; echo TOPSECRET3 > k.pem');
            const l = await w.look();
            const has = (word: string): boolean => w.storedBlobs().some(blob => blob.includes(word));
            const [one, two] = [has('TOPSECRET'), has('LATERSECRET')];
            await w.index.purge(name => /\.env$|\.pem$|later/.test(name));
            return [l, one, two, has('LATERSECRET')];
        }
    );

    scenario(
        'M5',
        "agent already writes while the first start runs: not taken for the user's text",
        ['dirty.txt:text before not known (no undo), plan.md:text before not known (no undo)', 'old.md:modified'],
        async () => {
            const w = new IndexWork().put('dirty.txt', 'a\n').put('old.md', 'x\n').commit();
            w.put('old.md', 'x\nmine\n');
            await sleep(60);
            const agentSince = Date.now();
            await sleep(30);
            w.put('plan.md', 'agent\n').put('dirty.txt', 'a\nagent\n');
            await w.start({}, agentSince);
            const l = await w.look();
            await w.keepAll();
            w.sh('echo y >> old.md');
            return [l, await w.look()];
        }
    );

    scenario(
        'M6',
        'a touched tracked file of 40 MB: nothing is read into the backend, by name if changed',
        ['', 'big.bin:large (no undo)', true],
        async () => {
            const w = new IndexWork();
            w.sh('head -c 40000000 /dev/zero > big.bin');
            w.commit();
            await w.start();
            const before = process.memoryUsage().rss;
            w.sh('touch big.bin');
            const l = await w.look();
            w.sh('echo x >> big.bin');
            const m = await w.look();
            return [l, m, process.memoryUsage().rss - before < 20e6];
        }
    );

    scenario('M7', 'partial and sparse clone: a path without a blob ends nothing', ['a:modified, s/x:added', 'a\n'], async () => {
        const o = new IndexWork().put('a', 'a\n').put('s/x', 'x\n').put('s/y', 'y\n').commit();
        o.sh('git config uploadpack.allowFilter true');
        const w = new IndexWork(false);
        w.sh(`git clone -q --filter=blob:none --sparse file://${o.root} ${w.root}`, w.folder);
        await w.start();
        w.sh('mkdir -p s; echo new > s/x; echo b >> a');
        const l = await w.look();
        await w.undo('a');
        return [l, w.read('a')];
    });

    scenario(
        'M8 G28',
        'mode: deleted 755 script comes back as 755; chmod -x is listed and undone; UTF-16 exact',
        ['run.sh:deleted', true, 'run.sh:mode 100755 to 100644', true],
        async () => {
            const w = new IndexWork().put('run.sh', '#!/bin/sh\n', 0o755).commit();
            await w.start();
            w.sh('rm run.sh');
            const l = await w.look();
            await w.undo('run.sh');
            const c = w.isClean();
            w.sh('chmod -x run.sh');
            const m = await w.look();
            await w.undo('run.sh');
            return [l, c, m, w.isClean()];
        }
    );

    scenario('M9 G14', 'the trash in the root is never listed', ['n:added'], async () => {
        const w = new IndexWork().put('a', 'a\n').commit();
        await w.start();
        w.put('.Trash-1000/files/x', 'x').put('.Trash-1000/info/x', 'x').put('n', 'n');
        return [await w.look()];
    });

    scenario(
        'M10 G18',
        'Undo All where three fail: the others are undone, the failed are named',
        [27, ['f1', 'f2 EPERM', 'f3 EISDIR'], 'f1:deleted, f2:modified, f3:deleted'],
        async () => {
            const w = new IndexWork();
            for (let i = 0; i < 30; i++) w.put(`f${i}`, 'f\n');
            w.commit();
            await w.start();
            w.sh('for i in $(seq 0 29); do echo x >> f$i; done; rm f3; mkdir f3');
            await w.look();
            w.sh('echo y >> f1');
            let immutable = true;
            try {
                w.sh('chattr +i f2');
            } catch {
                immutable = false;
            }
            const failed = (await w.undoAll()).sort();
            if (immutable) w.sh('chattr -i f2');
            w.sh('rm f1');
            const done = w.sh('grep -lx f f* 2>/dev/undefined | xargs grep -L x').trim().split('\n').length;
            return [done, failed, await w.look()];
        }
    );

    scenario('M11', 'explorer: rename carries the row, delete ends it', ['z.txt:modified', 'b\n', ''], async () => {
        const w = new IndexWork().put('a.txt', 'b\n').put('c.txt', 'c\n').commit();
        await w.start();
        w.sh('echo agent >> a.txt; echo agent >> c.txt');
        await w.look();
        w.sh('mv a.txt z.txt');
        await w.index.move('a.txt', 'z.txt');
        w.sh('rm c.txt');
        await w.index.move('c.txt', null);
        const l = await w.look();
        await w.undo('z.txt');
        return [l, w.read('z.txt'), await w.look()];
    });

    scenario(
        'M12',
        'git init without a commit: ignored stays out, a new file can be undone',
        ['n.txt:added', true, undefined],
        async () => {
            const w = new IndexWork().put('.gitignore', 'out/\n').put('a', 'a\n');
            await w.start();
            w.put('out/o.js', 'o').put('n.txt', 'n');
            const l = await w.look(),
                u = await w.undo('n.txt');
            return [l, u, w.read('n.txt')];
        }
    );
}).timeout(60_000);
