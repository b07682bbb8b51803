// SPDX-License-Identifier: Apache-2.0

import * as fs from 'fs';
import * as path from 'path';
import { IndexWork, scenario, sleep } from './test/index-work';

/** Real git. The ids are those of the findings that each came from. */
describe('What git does to files, as a private index takes it', () => {
    before(() => IndexWork.begin());

    after(() => IndexWork.end());

    afterEach(() => IndexWork.closeAll());

    scenario(
        'H7',
        'agent: stash; test; pop — the row comes back; same if looked at between',
        ['a:modified', '', 'a:modified', 'a\n', 'mine\n'],
        async () => {
            const w = new IndexWork().put('a', 'a\n').put('b', 'b\n').commit();
            w.put('b', 'mine\n');
            await w.start();
            w.sh('echo x >> a');
            const l1 = await w.look();
            w.sh('git stash -q');
            const l2 = await w.look();
            w.sh('git stash pop -q');
            const l3 = await w.look();
            await w.undo('a');
            return [l1, l2, l3, w.read('a'), w.read('b')];
        }
    );

    scenario(
        'H7',
        'agent: stash; pop — the text is back in the middle of the look that finds the stash',
        ['a:modified', 'a\n'],
        async () => {
            const w = new IndexWork().put('a', 'a\n').commit();
            const program = path.join(w.folder, 'git');
            // As a pop that has written the files, and has the stash still: after the comparison of the files, before that of the trees.
            const pop = `env -u GIT_DIR -u GIT_WORK_TREE git -C '${w.root}' stash apply -q`;
            const script = `#!/bin/sh\nif [ "$1" = diff-tree ]; then ${pop} 2>/dev/null >&2; fi\nexec git "$@"\n`;
            fs.writeFileSync(program, script, { mode: 0o755 });
            await w.start({ program });
            w.sh('echo x >> a; git stash -q');
            await w.look();
            w.sh('git stash drop -q');
            const l = await w.look();
            await w.undo('a');
            return [l, w.read('a')];
        }
    );

    for (const [command, back] of [
        ['checkout', 'git checkout -q main'],
        ['reset', 'git reset -q --hard main']
    ]) {
        scenario(
            'H7',
            `user: stash; another branch; ${command}; pop — in the middle of the look that finds the branch: no row`,
            ['', 'a\nmain\nmine\n'],
            async () => {
                const w = new IndexWork().put('a', 'a\n').commit();
                w.sh(
                    'git checkout -qb other; echo other > b; git add b; git commit -qm b; git checkout -q main; echo main >> a; git commit -qam m'
                );
                const program = path.join(w.folder, 'git');
                // After the comparison of the files, and before that of the trees.
                const script = `#!/bin/sh
if [ "$1" = diff-tree ] && mkdir '${w.folder}/once' 2>/dev/null; then
(unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_OBJECT_DIRECTORY; cd '${w.root}'; ${back}; git stash pop -q) >/dev/null 2>&1
fi
exec git "$@"
`;
                fs.writeFileSync(program, script, { mode: 0o755 });
                await w.start({ program });
                await w.save('a', 'a\nmain\nmine\n');
                await w.look();
                w.sh('git stash -q; git checkout -q other');
                await w.look();
                const l = await w.look();
                return [l, w.read('a')];
            }
        );
    }

    scenario(
        'H7',
        'agent: edit + commit, edit + commit --amend in one command, never looked at between: listed',
        ['a:modified, b:modified', true],
        async () => {
            const w = new IndexWork().put('a', 'a\n').put('b', 'b\n').commit();
            await w.start();
            w.sh('echo x >> a; git commit -qam 2');
            await sleep(5);
            w.sh('echo y >> b; git commit -q --amend -am 3');
            const l = await w.look();
            await w.undoAll();
            return [l, w.read('a') === 'a\n' && w.read('b') === 'b\n'];
        }
    );

    scenario(
        'H7',
        'agent: work on a branch that is merged (looked at before): listed after the merge',
        ['a:modified', '', 'a:modified', 'a\n'],
        async () => {
            const w = new IndexWork().put('a', 'a\n').commit();
            await w.start();
            w.sh('git checkout -qb f; echo x >> a; git commit -qam f');
            const l = await w.look();
            w.sh('git checkout -q main');
            const m = await w.look();
            w.sh('git merge -q f');
            const n = await w.look();
            await w.undo('a');
            return [l, m, n, w.read('a')];
        }
    );

    scenario(
        'H7',
        'agent: the same in one command, no look between (branch, edit, commit, checkout, merge --ff)',
        ['a:modified'],
        async () => {
            const w = new IndexWork().put('a', 'a\n').commit();
            await w.start();
            w.sh('git checkout -qb f; echo x >> a; git commit -qam f; git checkout -q main; git merge -q f');
            return [await w.look()];
        }
    );

    scenario(
        'H8c',
        "user's checkout of 500 files, a look in the middle (files first, HEAD later): nothing is left",
        [true, ''],
        async () => {
            const w = new IndexWork();
            for (let i = 0; i < 500; i++) w.put(`d${i % 20}/f${i}`, `${i}\n`);
            w.commit();
            w.sh('git branch old; sed -i s/$/n/ d*/f*; git commit -qam new');
            await w.start();
            // As a slow checkout: half of its files, then the rest and HEAD.
            w.sh('git checkout -q old -- d0 d1 d2 d3 d4 d5 d6 d7 d8; git reset -q');
            const half = (await w.index.look()).length;
            w.sh('git checkout -q -f old');
            return [half === 225, await w.look()];
        }
    );

    scenario('H8d', 'git sparse-checkout set: nothing is "deleted"', ['', 'k/1:modified'], async () => {
        const w = new IndexWork();
        for (let i = 0; i < 60; i++) w.put(`s/${i}`, 's\n');
        w.put('k/1', 'k\n').commit();
        await w.start();
        w.sh('git sparse-checkout set k');
        const l = await w.look();
        w.sh('echo x >> k/1');
        return [l, await w.look()];
    });

    scenario('H8d M11', 'the user copies and renames a folder of 2,500 files in the explorer: nothing listed', ['', ''], async () => {
        const w = new IndexWork();
        for (let i = 0; i < 2500; i++) w.put(`s/${i}`, 's\n');
        w.commit();
        await w.start();
        w.sh('cp -r s t');
        await w.index.adopt('t');
        const l = await w.look();
        w.sh('mv s r');
        await w.index.move('s', 'r');
        return [l, await w.look()];
    });

    scenario('G22', 'user: pull --rebase --autostash over an uncommitted line: no row', ['', 'NEW\n2\n3\n4\n5\nmine\n'], async () => {
        const o = new IndexWork().put('a.txt', '1\n2\n3\n4\n5\n').put('c', 'c\n').commit();
        const w = new IndexWork(false);
        w.sh(`git clone -q ${o.root} ${w.root}`, w.folder);
        o.put('a.txt', 'NEW\n2\n3\n4\n5\n').put('n', 'n\n').commit();
        w.sh('echo mine >> a.txt');
        await w.start();
        w.sh('git pull -q --rebase --autostash');
        return [await w.look(), w.read('a.txt')];
    });

    scenario(
        'G22',
        "the same while an agent's line is listed: only that line stays, undo takes only it",
        ['a.txt:modified', 1, 'NEW\n2\n3\n4\n5\nmine\n'],
        async () => {
            const o = new IndexWork().put('a.txt', '1\n2\n3\n4\n5\n').commit();
            const w = new IndexWork(false);
            w.sh(`git clone -q ${o.root} ${w.root}`, w.folder);
            o.put('a.txt', 'NEW\n2\n3\n4\n5\n').commit();
            w.sh('echo mine >> a.txt');
            await w.start();
            w.sh('sed -i "3a agent" a.txt');
            await w.look();
            w.sh('git pull -q --rebase --autostash');
            const l = await w.look(),
                h = (await w.hunks('a.txt')).length;
            await w.undo('a.txt');
            return [l, h, w.read('a.txt')];
        }
    );

    scenario(
        'G22',
        'user: merge --no-commit, and a merge with a conflict, resolved and committed: theirs is not listed, the resolution is',
        ['', '', 'a:modified'],
        async () => {
            const w = new IndexWork().put('a', 'a\n').commit();
            w.sh('git checkout -qb b; echo b > b; git add .; git commit -qm b; git checkout -q main; git commit -q --allow-empty -m m');
            await w.start();
            w.sh('git merge -q --no-commit b');
            const l = await w.look();
            w.sh('git commit -qm merged');
            const m = await w.look();
            w.sh('git checkout -qb c HEAD~1; echo c > c; echo theirs > a; git add .; git commit -qm c');
            w.index.close();
            fs.rmSync(w.home, { recursive: true });
            fs.mkdirSync(w.home);
            w.sh('git checkout -q main; echo ours > a; git commit -qam ours');
            await w.start();
            w.sh('git merge -q c || true; echo both > a; git add a; git commit -qm both');
            return [l, m, await w.look()];
        }
    );

    scenario(
        'G22',
        'user: git apply, cherry-pick -n leave no trace: listed, for somebody else to say that no agent worked',
        ['b:added'],
        async () => {
            const w = new IndexWork().put('a', 'a\n').commit();
            w.sh('git checkout -qb b; echo b > b; git add .; git commit -qm b; git checkout -q main');
            await w.start();
            w.sh('git cherry-pick -n b');
            return [await w.look()];
        }
    );

    scenario(
        'A23',
        "user's git on clean files: checkout, merge, reset --hard, rebase, stash+pop, switch back: never a row",
        ['', '', '', '', '', '', ''],
        async () => {
            const w = new IndexWork();
            for (let i = 0; i < 40; i++) w.put(`f${i}`, `${i}\n`);
            w.commit();
            w.sh(
                'git checkout -qb x; sed -i s/$/x/ f*; rm f3; echo n > new; git add -A; git commit -qm x; git checkout -q main; echo m > m; git add m; git commit -qm m'
            );
            w.put('f1', 'dirty, mine\n');
            await w.start();
            const got = [];
            w.sh('git stash -q');
            got.push(await w.look());
            w.sh('git checkout -q x');
            got.push(await w.look());
            w.sh('git rebase -q main');
            got.push(await w.look());
            w.sh('git checkout -q main; git merge -q x');
            got.push(await w.look());
            w.sh('git reset -q --hard HEAD~1');
            got.push(await w.look());
            w.sh('git stash pop -q');
            got.push(await w.look());
            w.sh('git reset -q --soft HEAD~1');
            got.push(await w.look());
            return got;
        }
    );

    scenario(
        'A24 R6',
        "agent destroys the user's uncommitted lines (checkout -- f, reset --hard): listed, undo brings them back",
        ['f:modified', 'f\nmine\n', 'f:modified, g:modified', 'g\nmine\n'],
        async () => {
            const w = new IndexWork().put('f', 'f\n').put('g', 'g\n').commit();
            w.put('f', 'f\nmine\n').put('g', 'g\nmine\n');
            await w.start();
            w.sh('git checkout -q -- f');
            const l = await w.look();
            await w.undo('f');
            const t = w.read('f');
            await sleep(20);
            w.sh('git reset -q --hard');
            const m = await w.look();
            await w.undoAll();
            return [l, t, m, w.read('g')];
        }
    );

    scenario(
        'R6',
        'agent: edit of a listed file, then the user checks out another branch: nothing of git in the row',
        ['a:modified', 1],
        async () => {
            const w = new IndexWork().put('a', '1\n2\n3\n4\n5\n6\n').put('b', 'b\n').commit();
            w.sh('git checkout -qb o; sed -i s/b/bb/ b; git commit -qam o; git checkout -q main');
            await w.start();
            w.sh('echo agent >> a');
            await w.look();
            w.sh('git checkout -q o');
            const l = await w.look();
            return [l, (await w.hunks('a')).length];
        }
    );

    const secret = '.env.example';

    scenario(
        'G24',
        "a move of git that writes a secret or takes it away is not listed; the agent's own edit is, and its commit",
        ['', '', '', `${secret}:name only (no undo)`, `${secret}:name only (no undo)`],
        async () => {
            const w = new IndexWork().put('a', 'a\n').put(secret, 'A=1\n').put('gone.pem', 'x\n').commit();
            w.sh('git checkout -qb other');
            w.put(secret, 'A=2\n').put('new.key', 'k\n').sh('git rm -q gone.pem');
            w.commit().sh('git checkout -q main');
            await w.start();
            w.sh('git checkout -q other');
            const there = await w.look();
            w.sh('git checkout -q main');
            const back = await w.look();
            w.sh('git merge -q --no-ff --no-edit other');
            const merged = await w.look();
            w.put(secret, 'A=3\n');
            const edited = await w.look();
            w.sh('git commit -qam agent');
            return [there, back, merged, edited, await w.look()];
        }
    );

    scenario(
        'G24',
        'an agent that writes a secret after the move of git, or commits it on a branch that it merges at once, is listed',
        [`${secret}:name only (no undo)`, `${secret}:name only (no undo)`],
        async () => {
            const made = (): IndexWork => {
                const work = new IndexWork().put('a', 'a\n').put(secret, 'A=1\n').commit();
                work.sh('git checkout -qb other');
                work.put(secret, 'A=2\n').commit();
                work.sh('git checkout -q main');
                return work;
            };
            const v = made();
            await v.start();
            v.sh(`git checkout -q other; echo A=9 > ${secret}`);
            const edited = await v.look();
            const w = made();
            await w.start();
            w.sh(`git checkout -qb f; echo A=7 > ${secret}; git commit -qam f; git checkout -q main; git merge -q f`);
            return [edited, await w.look()];
        }
    );

    scenario(
        'G24',
        "a move of git that writes another large file is not listed; an agent's write of it is",
        ['', 'big:large (no undo)'],
        async () => {
            const w = new IndexWork().put('big', 'x'.repeat(3000)).commit();
            w.sh('git checkout -qb other');
            w.put('big', 'y'.repeat(4000)).commit().sh('git checkout -q main');
            await w.start({ limits: { fileBytes: 1000 } });
            w.sh('git checkout -q other');
            const l = await w.look();
            w.put('big', 'z'.repeat(4000));
            return [l, await w.look()];
        }
    );

    const FILE = 'a\nb\nc\nd\ne\nf\n';
    const [SECOND, EDITED] = [FILE.replace('b\n', 'B\n'), FILE.replace('e\n', 'E\n')];
    for (const [what, before, command, after] of [
        ['a stash is dropped', FILE, 'git stash drop -q', EDITED],
        ['a stash is popped', SECOND, 'git stash pop -q', SECOND.replace('e\n', 'E\n')],
        ['HEAD alone is reset', FILE, 'git reset -q --soft HEAD~1', EDITED],
        ['HEAD alone is reset to before the file', FILE, 'git reset -q --soft HEAD~2', EDITED],
        ['HEAD is reset with the files', SECOND, 'git reset -q --hard HEAD~1', SECOND.replace('e\n', 'E\n')]
    ]) {
        scenario('H7', `${what} and an agent edits, before anybody looks: the text before is what stood there`, before, async () => {
            const w = new IndexWork().put('z', 'z\n').commit();
            w.put('a', SECOND).commit().put('a', FILE).commit();
            w.put('a', SECOND).sh('git stash -q');
            await w.start();
            w.sh(command);
            w.put('a', after);
            await w.look();
            return w.textBefore('a');
        });
    }
}).timeout(60_000);
