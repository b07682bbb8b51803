// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { AnswerMemory } from './answer-memory';

describe('AnswerMemory', () => {
    it('finds an answer once, also one that is undefined, and forgets the oldest ones', () => {
        const memory = new AnswerMemory<string | undefined>();
        let found = 0;
        const ask = (question: string): string | undefined =>
            memory.get(question, () => (found++, question === 'a' ? undefined : question));
        expect([ask('a'), ask('a'), ask('b'), ask('b')]).to.deep.equal([undefined, undefined, 'b', 'b']);
        expect(found).to.equal(2);
        for (let number = 0; number < 10_000; number++) {
            ask(String(number));
        }
        ask('9999');
        expect(found).to.equal(10_002);
        ask('a');
        expect(found).to.equal(10_003);
    });
});
