// SPDX-License-Identifier: Apache-2.0

import * as fs from 'fs';
import * as path from 'path';
import { IndexWork, scenario, sleep } from './test/index-work';

/** Of a file: more is not read. */
const LARGE = 11 * 1024 * 1024;

describe('What a private index knows by name alone', () => {
    before(() => IndexWork.begin());

    after(() => IndexWork.end());

    afterEach(() => IndexWork.closeAll());

    scenario(
        'G1',
        'a repository that is removed has no rows, which nobody could answer; one that comes to its place is a new one',
        ['in/f:modified', '', 'in:repository (no undo)'],
        async () => {
            const w = new IndexWork().put('a', 'a\n').commit();
            const make = 'git init -q in; cd in; echo 1 > f; git add .; git commit -qm 1';
            w.sh(make);
            await w.start();
            w.put('in/f', '2\n');
            const l = await w.look();
            w.sh('rm -r in');
            const m = await w.look();
            w.sh(make);
            return [l, m, await w.look()];
        }
    );

    /** Ignored, never shared, large; and one whose text before nobody knows. */
    async function started(): Promise<IndexWork> {
        const w = new IndexWork().put('.gitignore', 'dist/\n*.log\n').put('a', 'a\n').put('d/u', 'u\n').commit();
        w.put('dist/o', 'o').put('x.log', 'x').put('.env', 'K').put('big', Buffer.alloc(LARGE, 1));
        await w.start();
        w.put('d/u', 'v\n');
        await w.index.foldSave('d/u', undefined, Buffer.from('v\n'));
        return w;
    }

    scenario('M11', 'explorer: what is deleted is in no row', ['d/u:text before not known (no undo)', ''], async () => {
        const w = await started();
        const l = await w.look();
        for (const name of ['dist', 'x.log', '.env', 'big', 'd']) {
            w.sh(`rm -r ${name}`);
            await w.index.move(name, null);
        }
        return [l, await w.look()];
    });

    scenario(
        'M11',
        'explorer: what is renamed is in no row, until an agent changes it; what an agent has changed stays listed',
        [
            'd2/u:text before not known (no undo)',
            '.env.local:name only (no undo), big2:large (no undo), d2/u:text before not known (no undo), dist2/:ignored deleted (no undo)',
            '.env.prod:name only (no undo), big3:large (no undo), d2/u:text before not known (no undo), dist2/:ignored deleted (no undo)'
        ],
        async () => {
            const w = await started();
            const rename = async (from: string, to: string): Promise<void> => {
                w.sh(`mv ${from} ${to}`);
                await w.index.move(from, to);
            };
            await rename('dist', 'dist2');
            await rename('x.log', 'y.txt');
            await rename('.env', '.env.local');
            await rename('big', 'big2');
            await rename('d', 'd2');
            const l = await w.look();
            await sleep(20);
            w.sh('rm -r dist2; echo L >> .env.local; echo 2 >> big2');
            const m = await w.look();
            await rename('.env.local', '.env.prod');
            await rename('big2', 'big3');
            return [l, m, await w.look()];
        }
    );

    scenario(
        'M2',
        'explorer: of a large file that is made, as by an upload, only the name; of many bytes at once only the hashes',
        ['', true, false, 'up/big:large (no undo)'],
        async () => {
            const w = new IndexWork().put('a', 'a\n').commit();
            await w.start({ limits: { fileBytes: 1_000, startBytes: 5_000 } });
            w.put('up/big', 'b'.repeat(2_000)).put('up/small', 's'.repeat(900));
            await w.index.adopt('up');
            for (let index = 0; index < 9; index++) {
                w.put(`many/${index}`, `${index}`.repeat(900));
            }
            await w.index.adopt('many');
            const l = await w.look();
            const stored = w.storedBlobs().join();
            await sleep(20);
            w.put('up/big', 'c'.repeat(2_000));
            return [l, stored.includes('ss'), /bb|11/.test(stored), await w.look()];
        }
    );

    scenario(
        'M11',
        'explorer: a file that gets a name that is never shared is in no row, until an agent changes it; what an agent has changed stays listed',
        ['', '.env:name only (no undo), d/.env.local:name only (no undo)'],
        async () => {
            const w = new IndexWork().put('sample', 'a\n').put('d/other', 'b\n').commit();
            await w.start();
            const rename = async (from: string, to: string): Promise<void> => {
                w.sh(`mv ${from} ${to}`);
                await w.index.move(from, to);
            };
            await rename('sample', '.env');
            const l = await w.look();
            await sleep(20);
            w.put('.env', 'K\n').put('d/other', 'K\n');
            await w.look();
            await rename('d/other', 'd/.env.local');
            return [l, await w.look()];
        }
    );

    scenario(
        'M11',
        'a large file that the user makes small is in no row, and has its text before; one that an agent has changed stays listed',
        ['', 'f:modified', 'small\n', 'f:modified, g:large (no undo)'],
        async () => {
            const w = new IndexWork().put('f', 'f'.repeat(2_000)).put('g', 'g'.repeat(2_000)).commit();
            await w.start({ limits: { fileBytes: 1_000 } });
            const save = async (name: string, text: string): Promise<void> => {
                const begin = await w.index.beginSave(name);
                w.put(name, text);
                await w.index.foldSave(name, undefined, Buffer.from(text), begin);
            };
            await save('f', 'small\n');
            const l = await w.look();
            w.put('f', 'agent\n');
            const m = await w.look();
            const before = await w.textBefore('f');
            w.put('g', 'a'.repeat(2_000));
            await w.look();
            await save('g', 'small\n');
            return [l, m, before, await w.look()];
        }
    );

    const LISTED_BY_NAME = [
        '.env:name only (no undo)',
        'big:large (no undo)',
        'd/u:text before not known (no undo)',
        'dist/:ignored deleted (no undo)',
        'in:repository (no undo)',
        'new/:new folder, 40 files'
    ].join(', ');

    scenario(
        'M1',
        'what is listed by its name stays so when the last agent has ended, and another one starts; Undo of a new folder removes it',
        [LISTED_BY_NAME, LISTED_BY_NAME, true, undefined],
        async () => {
            const w = await started();
            w.sh('rm -r dist; echo L >> .env; echo 2 >> big; git init -q in; mkdir new; for i in {1..40}; do echo $i > new/$i; done');
            const sorted = (list: string): string =>
                list
                    .split(/(?<!folder), /)
                    .sort()
                    .join(', ');
            const l = sorted(await w.look());
            await w.index.stop();
            await sleep(20);
            await w.index.start();
            const m = sorted(await w.look());
            return [l, m, await w.undo('new/'), w.read('new/1')];
        }
    );

    scenario(
        'K1',
        'Keep takes what the last look has seen: what was written since then stays listed',
        [
            '.env:name only (no undo), big:large (no undo), new/:new folder, 40 files',
            '.env:name only (no undo), big:large (no undo), new/1:text before not known (no undo), new/x:text before not known (no undo)'
        ],
        async () => {
            const w = new IndexWork().put('a', 'a\n').commit().put('.env', 'K').put('big', Buffer.alloc(LARGE, 1));
            await w.start();
            w.sh('echo L >> .env; echo 2 >> big; mkdir new; for i in {1..40}; do echo $i > new/$i; done');
            const l = await w.look();
            await sleep(20);
            w.sh('echo M >> .env; echo 3 >> big; echo M >> new/1; echo x > new/x');
            for (const name of ['.env', 'big', 'new/']) {
                await w.keep(name);
            }
            return [l, await w.look()];
        }
    );

    scenario('L7', 'what the user ignores by a file whose path is not ASCII is not listed', ['a:modified'], async () => {
        const w = new IndexWork().put('a', 'a\n').commit();
        fs.writeFileSync(path.join(w.folder, 'für alle'), '*.glob\n');
        w.sh(`git config core.excludesFile '${path.join(w.folder, 'für alle')}'`);
        await w.start();
        w.put('a', 'b\n').put('x.glob', 'x');
        return [await w.look()];
    });
});
