// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { useFakeTimers } from 'sinon';
import { TextDigest } from './ended-review';

describe('TextDigest', () => {
    it('tells its text from others, before and after it lets go of the text', () => {
        const clock = useFakeTimers();
        try {
            const digest = new TextDigest('typed');
            const late = new TextDigest('typed');
            expect([digest.is('typed'), digest.is('typed ')]).to.deep.equal([true, false]);
            clock.runAll();
            expect([late.is('typed'), late.is('')]).to.deep.equal([true, false]);
            expect(Object.values(late)).to.not.include('typed');
        } finally {
            clock.restore();
        }
    });
});
