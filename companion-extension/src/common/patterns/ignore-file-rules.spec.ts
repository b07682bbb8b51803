// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { IgnoreFileRules } from './ignore-file-rules';

describe('IgnoreFileRules', () => {
    for (const [text, ignored, others] of [
        ['secret/', ['secret/a', 'x/secret/a/b'], ['secret']],
        ['/secret', ['secret', 'secret/a'], ['x/secret']],
        ['a/b', ['a/b', 'a/b/c'], ['x/a/b']],
        ['*.key', ['a.key', 'x/A.KEY', 'a.key/b'], ['key']],
        ['a/**', ['a/b', 'a/b/c'], ['a']],
        ['**/a/b', ['a/b', 'x/a/b'], ['b']],
        ['a/**/b', ['a/b', 'a/x/y/b'], ['ab']],
        ['*\n!*/\n!*.ts', ['src/a.env'], ['src/a.ts']],
        ['secret/\n!secret/a', ['secret/a'], []],
        ['*.md\n!README.md', ['a.md', 'readme.md'], ['README.md']],
        ['[a-c]1\n[!x]2', ['a1', 'B1', 'y2', 'X2'], ['d1', 'x2']],
        ['[[:digit:]]', ['1'], ['a', ':']],
        ['a\\ \\#b', ['a #b'], []],
        ['a\\ ', ['a '], ['a']],
        ['a  ', ['a'], []],
        ['\\!a\n\\#b', ['!a', '#b'], ['a', 'b']],
        ['\uFEFFa\r\nb', ['a', 'b'], []],
        ['café', ['café', 'cafe\u0301'], ['cafe']],
        ['caf[e\u0301]', ['cafe\u0301'], ['cafe']]
    ] as const) {
        it(`S16: ${JSON.stringify(text)} ignores ${JSON.stringify(ignored)} and not ${JSON.stringify(others)}`, () => {
            const rules = new IgnoreFileRules(text);
            expect([...ignored, ...others].filter(path => rules.ignores(path))).to.deep.equal(ignored);
            expect(rules.badLines).to.deep.equal([]);
        });
    }

    it('S16: lines that are no patterns are named, and all others count', () => {
        const rules = new IgnoreFileRules(`a\n\ndata[/\n# [\nfoo\\\n/\n[z-a]\n[[:no:]]\n${'a'.repeat(5_000)}\nb\n!x[`);
        expect(rules.badLines).to.deep.equal([3, 5, 6, 7, 8, 9, 11]);
        expect(['a', 'b', 'data[/c', 'foo'].map(path => rules.ignores(path))).to.deep.equal([true, true, false, false]);
    });
});
