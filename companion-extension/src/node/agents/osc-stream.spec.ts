// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { MAX_SEQUENCE_CHARACTERS, OscStream } from './osc-stream';

/** @returns what is found in the output: payloads with their ends, and `bell` */
function found(...chunks: string[]): string[] {
    const all: string[] = [];
    const stream = new OscStream({ osc: (payload, terminator) => all.push(payload + terminator), bell: () => all.push('bell') });
    chunks.forEach(chunk => stream.feed(chunk));
    return all;
}

describe('The sequences in the output of a terminal', () => {
    it('are found with each of their ends, between other output', () => {
        expect(found('one\u001b[31m\u001b]0;a\u0007two\u001b]1;b\u001b\\\u009d2;c\u009cthree')).to.deep.equal([
            '0;a\u0007',
            '1;b\u001b\\',
            '2;c\u009c'
        ]);
    });

    it('are the same however the output is cut', () => {
        const output = 'x\u0007\u001b\u001b]7501;state=idle\u001b\\\u001bP1;\u0007\u001b\\\u001b]no\u001b\\\u001b]0;t\u0007';
        const whole = found(output);
        expect(whole).to.deep.equal(['bell', '7501;state=idle\u001b\\', 'no\u001b\\', '0;t\u0007']);
        expect(found(...output)).to.deep.equal(whole);
    });

    it('in other strings are none, and neither is a bell there', () => {
        expect(found('\u001bP\u0007\u009d0;a\u009c', '\u001b_\u0007\u001b\\\u0007')).to.deep.equal(['bell']);
    });

    it('that are broken off are dropped, and what follows is read', () => {
        expect(found('\u001b]0;a\u0018\u0007\u001b]0;b\u001a\u001b]0;c\u001b[0m\u001b]0;d\u001b]0;e\u0007')).to.deep.equal([
            'bell',
            '0;e\u0007'
        ]);
    });

    it('are at most 4,096 bytes long, and those that never end take no memory', () => {
        const most = '7'.repeat(MAX_SEQUENCE_CHARACTERS - 3);
        expect(found(`\u001b]${most}\u0007`)).to.have.length(1);
        expect(found(`\u001b]${most}7\u0007\u001b]0;next\u0007`)).to.deep.equal(['0;next\u0007']);
        const stream = new OscStream({ osc: () => expect.fail(), bell: () => undefined });
        stream.feed('\u001b]');
        for (let count = 0; count < 1000; count++) {
            stream.feed('x'.repeat(10_000));
        }
        expect(JSON.stringify(stream).length).to.be.lessThan(4 * MAX_SEQUENCE_CHARACTERS);
    });
});
