// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { spawnSync } from 'child_process';
import * as fc from 'fast-check';
import * as fs from 'fs';
import * as os from 'os';
import * as path from 'path';
import { IgnoreFileRules } from '../../common/patterns/ignore-file-rules';
import { fuzzBounds, fuzzTimeout } from '../../node/test/fuzz/fuzz-bounds';

describe('Fuzz: ignore files', function () {
    this.timeout(fuzzTimeout());

    let repository: string;

    before(() => {
        repository = fs.mkdtempSync(path.join(os.tmpdir(), 'companion-ignore-'));
        git(['init', '--quiet']);
        git(['config', 'core.ignoreCase', 'false']);
    });

    after(() => fs.rmSync(repository, { recursive: true }));

    /** Without the settings of whoever runs the test. */
    function git(args: string[], input?: string): string {
        const env = { PATH: process.env.PATH, HOME: repository, GIT_CONFIG_NOSYSTEM: '1' };
        const { stdout, stderr, status } = spawnSync('git', args, { cwd: repository, env, input, encoding: 'utf8' });
        expect(status, stderr).to.be.oneOf([0, 1]);
        return stdout;
    }

    function ignoredByGit(text: string, paths: readonly string[]): ReadonlySet<string> {
        fs.writeFileSync(path.join(repository, '.gitignore'), text);
        return new Set(git(['check-ignore', '--no-index', '-z', '--stdin'], paths.join('\0')).split('\0'));
    }

    const LOWER = ['a', 'b', 'ab', '1', 'a.b', '.a', '-', '!', '#a', 'a ', '[', ']', 'a[b', '\\'];
    const parts = [
        'a',
        'b',
        '1',
        '.',
        '/',
        '/',
        '*',
        '*',
        '**',
        '**/',
        '/**',
        '?',
        '[ab]',
        '[!a]',
        '[^b]',
        '[a-b]',
        '[b-a]',
        '[',
        ']',
        '!',
        '#'
    ];
    // No hyphen alone: a range over letters of both cases matches more without regard to case.
    const odd = ['\\', '\\/', ' ', '\t', '[]a]', '[!]]', '[a/]', '[[:alpha:]]', '[[:no:]]', '[\\]]', '[a-]', '[:', 'a**/', '***'];

    function lines(more: readonly string[] = []): fc.Arbitrary<string> {
        const part = fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...parts, ...more) }, fc.constantFrom(...odd));
        const line = fc.array(part, { minLength: 1, maxLength: 6 }).map(each => each.join(''));
        return fc.tuple(fc.array(line, { minLength: 1, maxLength: 5 }), fc.constantFrom('\n', '\r\n')).map(([all, end]) => all.join(end));
    }

    function paths(names: readonly string[]): fc.Arbitrary<string[]> {
        const one = fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 4 }).map(each => each.join('/'));
        return fc.array(one, { minLength: 5, maxLength: 20 });
    }

    it('S16: ignore what git ignores, and nothing else', () => {
        const property = fc.property(lines(), paths(LOWER), (text, files) => {
            const byGit = ignoredByGit(text, files);
            const rules = new IgnoreFileRules(text);
            files.forEach(file => expect(rules.ignores(file), file).to.equal(byGit.has(file)));
        });
        fc.assert(property, fuzzBounds());
    });

    it('S16: ignore at least what git ignores if case and Unicode forms differ', () => {
        const property = fc.property(
            lines(['A', 'B', 'é', 'e\u0301']),
            paths([...LOWER, 'A', 'aB', 'é', 'e\u0301', 'É']),
            (text, files) => {
                const byGit = ignoredByGit(text, files);
                const rules = new IgnoreFileRules(text);
                // A question mark or a class is one byte for git.
                const isAscii = (file: string): boolean => /^[ -~]*$/.test(file) || !/[?[]/.test(text);
                files.filter(file => byGit.has(file) && isAscii(file)).forEach(file => expect(rules.ignores(file), file).to.equal(true));
            }
        );
        fc.assert(property, fuzzBounds());
    });
});
