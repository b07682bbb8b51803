// SPDX-License-Identifier: Apache-2.0

import * as fs from 'fs';
import * as path from 'path';
import { IndexWork, scenario } from './test/index-work';

/** Roots of many kinds, restarts, and bounds. The ids are those of the findings that each came from. */
describe('A private index of a root', () => {
    before(() => IndexWork.begin());

    after(() => IndexWork.end());

    afterEach(() => IndexWork.closeAll());

    scenario(
        'G1',
        'folder of repositories: text before, nothing below .git, nothing ignored; commits stay',
        ['fe/a.txt:modified', 'one\n', '3', ''],
        async () => {
            const w = new IndexWork(false);
            for (const r of ['fe', 'be'])
                w.sh(`git init -q ${r}; cd ${r}; echo one>a.txt; echo dist/ >.gitignore; git add .; git commit -qm 1`);
            await w.start();
            w.sh('cd fe; echo two>>a.txt; mkdir dist; echo x>dist/o.js; git commit -qam 2');
            const l = await w.look(),
                t = await w.textBefore('fe/a.txt');
            await w.keepAll();
            w.sh('cd fe; git commit -q --allow-empty -m 3');
            const m = await w.look();
            await w.undoAll();
            return [l, t, w.sh('git -C fe rev-list --count HEAD').trim(), m];
        }
    );

    scenario(
        'G1',
        'variants: root is a repository, fe nested in it; submodule; undo works in both',
        ['fe/a.txt:modified, sub/x:modified', 'one\n', 'x\n'],
        async () => {
            const lib = new IndexWork().put('x', 'x\n').commit();
            const w = new IndexWork().put('r', 'r\n');
            w.sh(`git submodule -q add ${lib.root} sub`);
            w.commit();
            w.sh('git init -q fe; cd fe; echo one>a.txt; git add .; git commit -qm 1');
            await w.start();
            w.sh('echo two>>fe/a.txt; echo y>>sub/x');
            const l = await w.look();
            await w.undoAll();
            return [l, w.read('fe/a.txt'), w.read('sub/x')];
        }
    );

    scenario(
        '57',
        'repositories in a folder that is new, too: a row each, then their changes',
        ['vendor/a.txt:added, vendor/deep/two:repository (no undo), vendor/one:repository (no undo)', 'vendor/one/r:modified'],
        async () => {
            const w = new IndexWork().put('f', '1\n').commit();
            await w.start();
            w.sh(
                'mkdir -p vendor/deep; echo a > vendor/a.txt; for r in one deep/two; do git init -q vendor/$r; echo 1 > vendor/$r/r; done'
            );
            const l = await w.look();
            await w.keepAll();
            await w.index.start();
            w.put('vendor/one/r', '2\n');
            return [l, await w.look()];
        }
    );

    scenario(
        'G1',
        'a repository that appears while an agent runs (clone): one row, no undo',
        ['r:modified, z:repository (no undo)', 'z/r:modified'],
        async () => {
            const w = new IndexWork().put('r', 'r\n').commit();
            await w.start();
            w.sh('git clone -q . z; echo x >> r');
            const l = await w.look();
            await w.keepAll();
            // The index of the new one starts behind its Keep.
            await w.index.start();
            w.sh('echo y >> z/r');
            return [l, await w.look()];
        }
    );

    scenario(
        'G2',
        'dubious ownership (and HOME without safe.directory): text before, ignored out, no word needed',
        [true, 'a.txt:modified', 'one\n'],
        async () => {
            const w = new IndexWork().put('a.txt', 'one\n').put('.gitignore', 'out/\n').commit();
            w.sh('chown -R 4242:4242 .');
            const refused = (() => {
                try {
                    w.sh('git status');
                    return false;
                } catch {
                    return true;
                }
            })();
            await w.start();
            w.sh('echo two>>a.txt; mkdir out; echo x>out/o');
            return [refused, await w.look(), await w.textBefore('a.txt')];
        }
    );

    scenario('G2', 'no git on the PATH: start rejects with a reason (nothing is followed, said in the list)', ['ENOENT'], async () => {
        const w = new IndexWork(false).put('a', 'a');
        w.reopen({ program: '/nonexistent/git' });
        return [
            await w.index.start().then(
                () => 'started',
                error => error.code
            )
        ];
    });

    scenario(
        'G9',
        'CRLF to LF and one line; then only line ends: rows, undo gives the bytes',
        ['a.bat:modified', true, 'a.bat:modified', 0, true],
        async () => {
            const w = new IndexWork();
            w.sh('git config core.autocrlf false');
            w.put('a.bat', Array.from({ length: 200 }, (_, i) => `line x${i}\r\n`).join('')).commit();
            await w.start();
            w.sh(`sed -i 's/\\r$//; 7s/x/y/' a.bat`);
            const l = await w.look();
            await w.undo('a.bat');
            const c = w.isClean();
            w.sh(`sed -i 's/\\r$//' a.bat`);
            const m = await w.look(),
                h = (await w.hunks('a.bat')).length;
            await w.undo('a.bat');
            return [l, c, m, h, w.isClean()];
        }
    );

    scenario(
        'G9 H3',
        'autocrlf=true and text=auto eol=crlf: no row by itself or by touch; undo of one line leaves CRLF',
        ['', 'b.txt:modified', true, ''],
        async () => {
            const w = new IndexWork().put('.gitattributes', '*.txt text=auto eol=crlf\n').put('b.txt', 'a\r\nb\r\n');
            w.commit();
            await w.start();
            w.sh('touch b.txt');
            const l = await w.look();
            w.sh('sed -i s/b/c/ b.txt');
            const m = await w.look();
            await w.undo('b.txt');
            const t = w.read('b.txt') === 'a\r\nb\r\n';
            w.sh('git checkout -q -b n; git commit -q --allow-empty -m x; printf "a\\r\\nz\\r\\n" > b.txt; git commit -qam z');
            await w.look();
            await w.keepAll();
            w.sh('git checkout -q main');
            return [l, m, t, await w.look()];
        }
    );

    scenario(
        'G10',
        '3,000 new files in a new folder and in .venv: one row each, the real change first with its text',
        [
            'src/main.py:modified, .venv/:new folder, 3000 files, lib/:new folder, 600 files',
            'ok\n',
            '',
            'src/main.py:modified',
            'ok\nbad\n'
        ],
        async () => {
            const w = new IndexWork().put('src/main.py', 'ok\n').commit();
            await w.start();
            for (let i = 0; i < 3000; i++) w.put(`.venv/l/${i}.py`, 'p');
            for (let i = 0; i < 600; i++) w.put(`lib/${i}.py`, 'p');
            w.sh('echo bad>>src/main.py');
            const l = await w.look(),
                t = await w.textBefore('src/main.py');
            await w.keepAll();
            const m = await w.look();
            w.sh('echo worse>>src/main.py');
            const n = await w.look();
            await w.undo('src/main.py');
            return [l, t, m, n, w.read('src/main.py')];
        }
    );

    scenario('G10', 'undo of a new folder takes its files, not what was ignored in it before', [true, 'keep\n', false], async () => {
        const w = new IndexWork().put('a', 'a\n').put('.gitignore', '*.log\n').commit();
        await w.start();
        for (let i = 0; i < 50; i++) w.put(`n/d/${i}`, 'x');
        w.put('n/my.log', 'keep\n');
        await w.look();
        const u = await w.undo('n/');
        return [u, w.read('n/my.log'), fs.existsSync(path.join(w.root, 'n/d'))];
    });

    scenario(
        'G19',
        'no git: modified, deleted, new: all with undo',
        ['a.txt:modified, b.txt:deleted, c.txt:added', 'one\n', 'b\n', undefined, ''],
        async () => {
            const w = new IndexWork(false).put('a.txt', 'one\n').put('b.txt', 'b\n');
            await w.start();
            w.sh('echo two>a.txt; rm b.txt; echo c>c.txt');
            const l = await w.look();
            await w.undoAll();
            return [l, w.read('a.txt'), w.read('b.txt'), w.read('c.txt'), await w.look()];
        }
    );

    scenario('G20', 'a file of 1.4 MB and a picture: undo for both', ['big.py:modified, logo.png:deleted', true], async () => {
        const w = new IndexWork().put('big.py', 'x = 1234567890123456789012345678901\n'.repeat(40000));
        w.sh('head -c 300000 /dev/urandom > logo.png');
        w.commit();
        await w.start();
        w.sh('sed -i 7s/x/y/ big.py; rm logo.png');
        const l = await w.look();
        await w.undoAll();
        return [l, w.isClean()];
    });

    scenario(
        'G21',
        'ignored: .env changed, data/ deleted: said; build output not',
        ['.env:name only (no undo), data/:ignored deleted (no undo)'],
        async () => {
            const w = new IndexWork()
                .put('.gitignore', '.env\ndata/\ndist/\n')
                .commit()
                .put('.env', 'K=1\n')
                .put('data/x', 'x')
                .put('dist/o', 'o');
            await w.start();
            w.sh('echo K=2>.env; rm -r data; echo y > dist/o2; echo z > dist/o');
            return [await w.look()];
        }
    );

    scenario(
        'R1 A11',
        "dirty and untracked before: only the agent's lines are listed",
        ['a:modified, u:modified', 1, 'a\nmine\n', 'u\n'],
        async () => {
            const w = new IndexWork().put('a', 'a\n').commit().put('a', 'a\nmine\n').put('u', 'u\n');
            await w.start();
            w.sh('sed -i "1i agent" a; echo agent >> u');
            const l = await w.look(),
                h = (await w.hunks('a')).length;
            await w.undoAll();
            return [l, h, w.read('a'), w.read('u')];
        }
    );

    scenario(
        'R1',
        "a later start: all that is there is the user's, rows stay",
        ['a:modified', 'a:modified, b:modified', 'b\nvim\n'],
        async () => {
            const w = new IndexWork().put('a', 'a\n').put('b', 'b\n').commit();
            await w.start();
            w.sh('echo agent >> a');
            await w.look();
            await w.index.stop();
            w.sh('echo vim >> b');
            await w.index.start();
            const l = await w.look();
            w.sh('echo two >> b');
            const m = await w.look();
            await w.undoAll();
            return [l, m, w.read('b')];
        }
    );

    scenario('R2', 'baseline equal to disk again: the row goes', ['a:modified', ''], async () => {
        const w = new IndexWork().put('a', 'a\n').commit();
        await w.start();
        w.put('a', 'b\n');
        const l = await w.look();
        w.put('a', 'a\n');
        return [l, await w.look()];
    });

    scenario('R9', 'stale version: keep and undo do nothing; the list is fresh', [false, false, 'a\nx\ny\n'], async () => {
        const w = new IndexWork().put('a', 'a\n').commit();
        await w.start();
        w.sh('echo x >> a');
        await w.look();
        const v = w.row('a').version;
        w.sh('echo y >> a');
        return [await w.index.keep('a', v), await w.index.undo('a', v, 'undone'), w.read('a')];
    });

    scenario(
        'R11',
        'hunks: keep one of three, fold a typed line and a save in a new file, undo the rest',
        [3, 2, 'TOP\n1\n2\nkept\n3\n4\n5\n6\n7\n8\n9\n', 'n:added', 'typed\n'],
        async () => {
            const w = new IndexWork().put('a', '1\n2\n3\n4\n5\n6\n7\n8\n9\n').commit();
            await w.start();
            w.sh('sed -i "2a kept" a; sed -i "s/^6$/six/; $ a end" a; echo agent > n');
            await w.look();
            const h = await w.hunks('a');
            await w.keep('a', h[0]);
            await w.save('a', 'TOP\n' + w.read('a'));
            await w.save('n', 'agent\ntyped\n');
            await w.look();
            const m = (await w.hunks('a')).length,
                l = (await w.look()).split(', ').pop() ?? '';
            await w.undo('a');
            return [h.length, m, w.read('a'), l.replace('modified', 'added'), await w.textBefore('n')];
        }
    );

    scenario(
        'R13',
        'a new file in a new small folder; a deleted file in a folder that is gone',
        ['d/f:deleted, n/e/x:added', 'f\n', undefined],
        async () => {
            const w = new IndexWork().put('d/f', 'f\n').put('a', 'a').commit();
            await w.start();
            w.sh('rm -r d; mkdir -p n/e; echo x > n/e/x');
            const l = await w.look();
            await w.undoAll();
            return [l, w.read('d/f'), w.read('n/e/x')];
        }
    );

    scenario('R7', 'kept, then committed; deleted, made again, kept away', ['', '', ''], async () => {
        const w = new IndexWork().put('a', 'a\n').put('b', 'b\n').commit();
        await w.start();
        w.sh('echo x >> a; rm b');
        await w.look();
        await w.keepAll();
        const l = await w.look();
        w.sh('git add -A; git commit -qm 2');
        const m = await w.look();
        w.sh('git gc -q --prune=now');
        return [l, m, await w.look()];
    });

    scenario(
        'L5',
        "root is a sub-folder: the parent's .gitignore counts, nothing outside is listed; HOME ignored by its own repository",
        ['sub/a:modified'.replace('sub/', ''), 'x:modified'],
        async () => {
            const w = new IndexWork().put('.gitignore', 'out/\n').put('sub/a', 'a\n').put('other', 'o\n').commit();
            w.index = w.open({}, path.join(w.root, 'sub'));
            await w.index.start();
            w.sh('echo b >> sub/a; mkdir sub/out; echo x > sub/out/x; echo p >> other');
            const l = await w.look();
            w.index.close();
            const v = new IndexWork().put('.gitignore', '*\n').put('proj/x', 'x\n');
            v.index = v.open({}, path.join(v.root, 'proj'));
            await v.index.start();
            v.sh('echo y >> proj/x');
            return [l, await v.look()];
        }
    );

    scenario(
        'L6',
        'names: quoted, Chinese, not UTF-8, with a line end',
        ['a "q".txt:added, n\nl:added, 文档/说明 (新).md:modified', 4],
        async () => {
            const w = new IndexWork().put('文档/说明 (新).md', 'x\n').commit();
            await w.start();
            w.sh(`echo y >> '文档/说明 (新).md'; echo z > $'n\\nl'; echo q > 'a "q".txt'; echo b > $'bad\\xff'`);
            await w.index.look();
            const utf8 = w.listed.filter(({ path: file }) => !file.includes('bad'));
            return [
                utf8
                    .map(({ path: file, row }) => `${file}:${row.how}`)
                    .sort()
                    .join(', '),
                w.listed.length
            ];
        }
    );

    scenario(
        'S1',
        'second reader of the same root: keep in one, gone in the other; both write',
        ['', '', 'b:modified', 'b\n'],
        async () => {
            const w = new IndexWork().put('a', 'a\n').put('b', 'b\n').commit();
            await w.start();
            const other = w.open();
            await other.resume();
            w.sh('echo x >> a');
            await w.look();
            await other.look();
            await w.keep('a');
            const l = (await other.look()).map(row => row.path).join(),
                m = await w.look();
            w.sh('echo y >> b');
            const [n] = await Promise.all([w.look(), other.look()]);
            const row = other.list()[0];
            await other.undo('b', row.version, 'undone');
            other.close();
            return [l, m, n, w.read('b')];
        }
    );

    scenario(
        'L7',
        'a root with blanks, a colon and quotes in its name; global excludes and info/exclude count',
        ['a:modified', 'a\n'],
        async () => {
            const w = new IndexWork();
            w.root = path.join(w.folder, 'w "s": x');
            fs.mkdirSync(w.root);
            w.sh('git init -q .');
            w.put('a', 'a\n').commit();
            fs.mkdirSync(path.join(process.env['HOME'] ?? '', '.config/git'), { recursive: true });
            fs.writeFileSync(path.join(process.env['HOME'] ?? '', '.config/git/ignore'), '*.glob\n');
            w.sh('echo "*.mine" >> .git/info/exclude; git gc -q');
            await w.start();
            w.sh('echo x >> a; echo 1 > x.glob; echo 1 > x.mine');
            return [await w.look(), await w.textBefore('a')];
        }
    );

    scenario(
        'B1',
        'more than the budget at the start (no git): found by hash, said to have no undo; within it: undo',
        ['a:modified, z:modified (no undo)', 'a\n'],
        async () => {
            const w = new IndexWork(false).put('a', 'a\n').put('z', 'z'.repeat(5000));
            await w.start({ limits: { startBytes: 1000 } });
            w.sh('echo x >> a; echo x >> z');
            const l = await w.look();
            await w.undoAll();
            return [l, w.read('a')];
        }
    );

    scenario(
        'B2',
        "the store's limit: the largest unchanged texts go, rows and copies stay",
        [true, 'r:modified', 'b1:modified (no undo), r:modified', true],
        async () => {
            const w = new IndexWork(false).put('r', 'r\n');
            w.sh('for i in 1 2 3; do head -c 90000 /dev/urandom > b$i; done; head -c 100000 /dev/urandom > b1');
            await w.start({ limits: { storeBytes: 200_000 } });
            w.sh('echo x >> r');
            const l = await w.look();
            await w.index.collect();
            const size = Number(w.sh(`du -sk ${w.index.folder}/objects`).split('\t')[0]);
            w.sh('echo x >> b1');
            const m = await w.look();
            await w.undo('r');
            return [size < 220, l, m, w.read('r') === 'r\n'];
        }
    );

    scenario(
        'S2 H5',
        "restart without an agent, vim meanwhile: the row stays, the user's line is folded",
        ['a:modified', 'a:modified', 'mine\na\n'],
        async () => {
            const w = new IndexWork().put('a', 'a\n').commit();
            await w.start();
            w.sh('echo agent >> a');
            await w.look();
            await w.index.stop();
            w.index.close();
            w.sh('sed -i "1i mine" a');
            w.reopen();
            await w.index.resume();
            const l = await w.look();
            await w.index.start();
            const m = await w.look();
            await w.undo('a');
            return [l, m, w.read('a')];
        }
    );

    scenario(
        'S3 H5',
        'killed while tracking, found an hour later: what was kept stays kept, what was listed stays listed',
        ['b:modified', 'b\n', 'a\nagent\n'],
        async () => {
            const w = new IndexWork().put('a', 'a\n').put('b', 'b\n').commit();
            await w.start();
            w.sh('echo agent >> a; echo agent >> b');
            await w.look();
            await w.keep('a');
            w.reopen();
            await w.index.resume(-1);
            const l = await w.look();
            await w.undo('b');
            return [l, w.read('b'), w.read('a')];
        }
    );
}).timeout(60_000);
