// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { playStreamScript } from './stream-script.mts';

describe('The stream script', () => {
    const play = (text: string): ReturnType<typeof playStreamScript> => playStreamScript({ text, calls: [] });

    it('says text and thoughts in pieces that make up the whole', () => {
        const answer = play('before SAY:{"thought":"Let me see.","text":"Hello, you there","pause":5}:END after');
        expect(answer?.pieces).to.deep.equal(['Hello, ', 'you ', 'there']);
        expect(answer?.thoughts).to.deep.equal(['Let ', 'me ', 'see.']);
        expect(answer?.text).to.equal('Hello, you there');
        expect(answer?.pause).to.equal(5);
    });

    it('counts', () => {
        expect(play('SAY:{"count":3}:END')?.text).to.equal('1 2 3 ');
    });

    it('says what is wrong with the script, and leaves other prompts alone', () => {
        expect(play('SAY:{"text":}:END')?.text).to.match(/cannot say this/);
        expect(play('hello')).to.equal(undefined);
    });
});
