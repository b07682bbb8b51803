// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { Redactor } from './redactor';

describe('The redactor', () => {
    const redactor = new Redactor();
    redactor.add('the-daemons-token');
    redactor.add('src');

    it('takes the token out of every text', () => {
        for (const text of [redactor.redact('a the-daemons-token b'), redactor.redactError('a the-daemons-token b')]) {
            expect(text).to.equal('a … b');
        }
    });

    it('leaves what a person decides by as it is', () => {
        for (const text of [
            'rm -rf token-cache-old',
            'src/key-bindings.ts',
            'sk-abcdefghijklmnopqrstuvwxyz',
            'pk-something',
            'Bearer of news'
        ]) {
            expect(redactor.redact(text)).to.equal(text);
        }
    });

    it('takes keys out of errors, and no words that begin like one', () => {
        expect(redactor.redactError('401 sk-proj-abcdefghijklmnop_1234 Bearer abc')).to.equal('401 … …');
        expect(redactor.redactError('task-list, token-cache-old, key-bindings.ts')).to.equal('task-list, token-cache-old, key-bindings.ts');
    });

    it('caps', () => {
        expect(redactor.redact('abcdef', 3)).to.equal('abc…');
        expect(redactor.redactError('abcdef', 3)).to.equal('abc…');
    });
});
