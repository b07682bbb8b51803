// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { ExcludeGlob } from './exclude-glob';
import { PathNames } from './path-names';

describe('ExcludeGlob', () => {
    /** @param path in the root `/ws`, which is in the home folder `/` */
    function matches(pattern: string, path: string, means: 'folders' | 'files' = 'folders'): boolean | undefined {
        const names = new PathNames(path);
        return ExcludeGlob.parse(pattern, means)?.matches({
            absolute: new PathNames(`/ws/${path}`),
            inRoots: [names],
            inHome: new PathNames(`ws/${path}`)
        });
    }

    for (const pattern of [
        'secrets',
        'secrets/',
        'secrets/**',
        'secrets/**/',
        '/secrets',
        '/secrets/**',
        './secrets',
        './secrets/**',
        '**/secrets',
        '**/secrets/',
        '**/secrets/**',
        '/ws/secrets',
        '/ws//secrets/',
        '~/ws/secrets/**',
        '~/ws/secrets',
        '{secrets,other}',
        '{,other/}secrets',
        'SECRETS',
        '[s]ecrets',
        'secret?',
        '**',
        '/'
    ]) {
        it(`S16: "${pattern}" means what is in the folder`, () => {
            expect(matches(pattern, 'secrets/a.txt')).to.equal(true);
            expect(matches(pattern, 'secrets/deep/er/a.txt')).to.equal(true);
        });
    }

    for (const pattern of ['secrets', '/secrets', './secrets/**', '/ws/secrets', '~/secrets', '~/ws/secrets', '{a,secrets}/']) {
        it(`"${pattern}" means no folder of that name elsewhere`, () => expect(matches(pattern, 'src/secrets/a.txt')).to.equal(false));
    }

    for (const [pattern, matching, others] of [
        ['*.crt', ['a.crt', 'x.crt/a'], ['sub/a.crt']],
        ['**/*.crt', ['a.crt', 'sub/a.crt', 'sub/A.CRT'], ['a.crt2']],
        ['src/**/*.key', ['src/a.key', 'src/a/b/c.key'], ['a.key', 'lib/src/a.key']],
        ['**/a?c', ['abc', 'x/aéc'], ['ac', 'a/c']],
        ['**/[a-c]1', ['a1', 'x/B1'], ['d1']],
        ['**/[!a-c]1', ['d1', 'A1'], ['a1']],
        ['**/[]]', [']'], ['[']],
        ['**/{a,b{c,d}}.txt', ['a.txt', 'bc.txt', 'x/bd.txt'], ['b.txt', 'c.txt']],
        ['{src/,lib/}*.key', ['src/a.key', 'lib/a.key'], ['a.key', 'x/src/a.key']],
        ['**/café', ['café', 'cafe\u0301', 'x/CAFE\u0301/a'], ['cafe']],
        ['**/cafe\u0301', ['café', 'cafe\u0301'], ['cafe']],
        ['**/ΣΑΣ', ['σας', 'ΣΑΣ/a'], ['σα']]
    ] as const) {
        it(`S16: "${pattern}" matches ${JSON.stringify(matching)} and not ${JSON.stringify(others)}`, () => {
            expect([...matching, ...others].filter(path => matches(pattern, path))).to.deep.equal(matching);
        });
    }

    it('S16: what Theia withholds by a double star that ends within a name is withheld', () => {
        expect(matches('**/id_{rsa,dsa}', 'my_id_rsa')).to.equal(true);
        expect(matches('**/test.txt', 'mytest.txt'), 'a plain name is one').to.equal(false);
    });

    for (const pattern of [
        '**/[z-a]*.ts',
        '**/*.{key,crt',
        '**/*.key}',
        'a[b/c',
        '**/[[:nothing:]]',
        'secrets\\**',
        'a\\ b',
        '../secrets',
        'a/../b',
        'a/./b',
        '${workspaceFolder}/secrets',
        'a{**,b}',
        '[!]a]',
        'a/***',
        '{0,1,2,3,4,5,6,7,8,9}'.repeat(3),
        '{a,b}'.repeat(800),
        '{'.repeat(2_000),
        'a'.repeat(5_000)
    ]) {
        it(`S16: "${pattern.slice(0, 40)}" is not understood`, () => expect(ExcludeGlob.parse(pattern, 'folders')).to.equal(undefined));
    }

    it('S16: a pattern that shares files again means them alone, and a folder with a slash at the end what is in it', () => {
        expect(matches('**/.env.example', '.env.example', 'files')).to.equal(true);
        expect(matches('src', 'src/.env', 'files')).to.equal(false);
        expect(matches('**/id_{rsa,dsa}', 'my_id_rsa', 'files')).to.equal(false);
        expect(matches('src/', 'src/.env', 'files')).to.equal(true);
        expect(matches('src/**', 'src/.env', 'files')).to.equal(true);
    });
});
