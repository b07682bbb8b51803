// SPDX-License-Identifier: Apache-2.0

import { parse } from '@theia/core/lib/common/glob';
import { PreferenceScope } from '@theia/core/lib/common/preferences';
import { expect } from 'chai';
import * as fc from 'fast-check';
import { ContextPrivacy } from '../../common/context-privacy';
import { builtInExcludes } from '../../common/companion-preferences';
import { fuzzBounds, fuzzTimeout } from '../../node/test/fuzz/fuzz-bounds';

describe('Fuzz: exclude patterns', function () {
    this.timeout(fuzzTimeout());

    const NAMES = ['a', 'b', 'ab', 'xa', '1', 'a.b', '.a', 'A', 'aB', 'x.env', '.env.b', 'my_id_rsa', 'secrets.json', 'mysecrets.yml'];
    const part = fc.constantFrom(
        'a',
        'b',
        '1',
        '.',
        '/',
        '/',
        '*',
        '*',
        '**/',
        '/**',
        '?',
        '[ab]',
        '[a-b]',
        'A',
        '-',
        ' ',
        'x',
        '.env',
        'secrets'
    );
    const text = fc.array(part, { minLength: 1, maxLength: 6 }).map(each => each.join(''));
    const braces = fc.tuple(text, fc.array(text, { maxLength: 3 }), text).map(([start, all, end]) => `${start}{${all.join(',')}}${end}`);
    const choice = fc.array(fc.tuple(fc.constant('**/'), text), { minLength: 1, maxLength: 3 });
    const list = choice.map(all => `{${all.map(each => each.join('')).join(',')}}`);
    const pattern = fc.oneof(text, braces, list);
    const path = fc.array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 4 }).map(each => each.join('/'));

    function isWithheld(exclude: string[], relative: string): boolean {
        const privacy = new ContextPrivacy([], [{ scope: PreferenceScope.User, value: exclude }]);
        return privacy.withheldBy(`/ws/${relative}`, new Map([['file:///ws', [relative]]])) !== undefined;
    }

    it('S16: withhold at least what Theia means by them, with and without regard to case', () => {
        const property = fc.property(pattern, path, (glob, relative) => {
            const names = [`/ws/${relative}`, relative];
            const byTheia = names.some(name => parse(glob)(name)) || names.some(name => parse(glob.toLowerCase())(name.toLowerCase()));
            expect(!byTheia || isWithheld([glob], relative)).to.equal(true);
        });
        fc.assert(property, fuzzBounds());
    });

    it('S16: share nothing else again by a pattern with "!"', () => {
        const property = fc.property(pattern, path, (glob, relative) => {
            const names = [`/ws/${relative}`, relative];
            const isTakenBack = names.some(name => parse(glob.toLowerCase())(name.toLowerCase()));
            // To Theia, slashes at the ends of a pattern and two of them mean nothing, and the second of two double stars means something.
            // Ours are without braces that hold nothing: `.{}/**` is `./**`.
            const isMore = /(?:^|[{,./])\/|\/(?:$|[},])|\*\*\/\*\*/.test(glob.replaceAll('{}', '').trim());
            expect(isTakenBack || isMore || isWithheld(['**', `!${glob}`], relative)).to.equal(true);
        });
        fc.assert(property, fuzzBounds());
    });

    it('S16: of the built-in list mean at least what Theia means by them', () => {
        const property = fc.property(fc.constantFrom(...builtInExcludes), path, (glob, relative) => {
            expect(!parse(glob)(`/ws/${relative}`.toLowerCase()) || isWithheld([], relative)).to.equal(true);
        });
        fc.assert(property, fuzzBounds());
    });
});
