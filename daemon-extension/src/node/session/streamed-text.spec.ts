// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { SessionEvent, TextEvent } from '../../common/session-events';
import { Redactor } from '../config/redactor';
import { StreamedText } from './streamed-text';

describe('Text that is streamed in pieces', () => {
    const token = 'abcabcabd-token';
    let streamed: StreamedText;

    beforeEach(() => {
        const redactor = new Redactor();
        redactor.add(token);
        streamed = new StreamedText(redactor);
    });

    const piece = (text: string, kind: TextEvent['kind'] = 'text', turnId = 'turn'): TextEvent => ({ kind, turnId, text });
    const end: SessionEvent = { kind: 'end', turnId: 'turn', outcome: 'completed' };
    const pass = (...events: SessionEvent[]): SessionEvent[] => events.flatMap(event => streamed.pass(event));
    const told = (...events: SessionEvent[]): string =>
        pass(...events, end).reduce((all, event) => all + ('text' in event ? event.text : ''), '');

    it('never lets a secret through, wherever it is cut', () => {
        for (let first = 0; first <= token.length; first++) {
            for (let second = first; second <= token.length; second++) {
                const pieces = [`it is abc${token.slice(0, first)}`, token.slice(first, second), `${token.slice(second)}, abca`];
                expect(told(...pieces.map(text => piece(text))), `cut at ${first} and ${second}`).to.equal('it is abc…, abca');
            }
        }
    });

    it('lets text through that only begins like a secret', () => {
        expect(told(...Array.from('abcabcab, abcabcabc and a').map(text => piece(text)))).to.equal('abcabcab, abcabcabc and a');
    });

    it('holds back no more than what may be the beginning of one', () => {
        expect(pass(piece('see abca'))).to.deep.equal([piece('see ')]);
        expect(pass(piece('cus'))).to.deep.equal([piece('abcacus')]);
    });

    it('releases held text before the next event', () => {
        expect(pass(piece('a'), piece('b', 'thought'))).to.deep.equal([piece('a'), piece('b', 'thought')]);
        expect(pass(piece('a'), piece('b', 'text', 'other'))).to.deep.equal([piece('a'), piece('b', 'text', 'other')]);
        expect(pass(piece('a'), end)).to.deep.equal([piece('a'), end]);
    });

    it('finds one that a count of tokens stands in', () => {
        const usage: SessionEvent = { kind: 'usage', turnId: 'turn', inputTokens: 1, outputTokens: 1 };
        expect(pass(piece(token.slice(0, 5)), usage, piece(token.slice(5)), end)).to.deep.equal([usage, piece('…'), end]);
    });

    it('forgets held text if the session is loaded again', () => {
        expect(pass(piece('a'))).to.deep.equal([]);
        streamed.forget();
        expect(pass(end)).to.deep.equal([end]);
    });
});
