// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { problemText } from '../../common/daemon-problem-text';
import { Answer } from '../../common/daemon-status';
import { EventPosition, SessionEvents } from '../../common/qwen-daemon-protocol';
import { NumberedEvent } from '../../common/session-events';
import { SessionFeed } from './session-feed';

describe('SessionFeed', () => {
    let accepted: string[];
    let problems: string[];
    let reads: EventPosition[];
    let answerRead: (answer: Answer<SessionEvents>) => void;
    let feed: SessionFeed;

    const text = (seq: number): NumberedEvent => ({ kind: 'text', turnId: 't', text: String(seq), seq });
    const batch = (seqs: number[], options: Partial<SessionEvents> = {}): SessionEvents => ({
        sessionId: 's',
        generation: 'g1',
        fromStart: false,
        events: seqs.map(text),
        lastSeq: seqs.at(-1) ?? 0,
        ...options
    });
    const settled = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

    beforeEach(() => {
        accepted = [];
        problems = [];
        reads = [];
        feed = new SessionFeed(
            {
                accept: (events, fromStart) => accepted.push(`${fromStart ? 'anew ' : ''}${events.map(event => event.seq).join(',')}`),
                missed: problem => problems.push(problemText(problem))
            },
            position => {
                reads.push(position);
                return new Promise(resolve => (answerRead = resolve));
            }
        );
    });

    it('passes events on in their order, each once', () => {
        feed.start(batch([1, 2], { fromStart: true }));
        feed.push(batch([2, 3]));
        feed.push(batch([3]));
        feed.push(batch([4, 5]));
        expect(accepted).to.deep.equal(['anew 1,2', '3', '4,5']);
        expect(feed.position).to.deep.equal({ generation: 'g1', seq: 5 });
        expect(reads).to.be.empty;
    });

    it('reads all again if the answer to its opening does not hold what came before it', async () => {
        feed.push(batch([2, 3]));
        feed.push(batch([4]));
        expect(accepted).to.be.empty;
        feed.start(batch([1, 2], { fromStart: true }));
        answerRead({ ok: true, value: batch([1, 2, 3, 4], { fromStart: true }) });
        await settled();
        expect(accepted).to.deep.equal(['anew 1,2', 'anew 1,2,3,4']);
        feed.push(batch([5]));
        expect([accepted.at(-1), reads.length]).to.deep.equal(['5', 1]);
    });

    it('reads all again if it missed something, with what came meanwhile', async () => {
        feed.start(batch([1], { fromStart: true }));
        feed.push(batch([4]));
        feed.push(batch([5, 6]));
        expect(reads).to.deep.equal([{ generation: 'g1', seq: 1 }]);
        answerRead({ ok: true, value: batch([1, 2, 3, 4, 5, 6], { fromStart: true }) });
        await settled();
        expect(accepted).to.deep.equal(['anew 1', 'anew 1,2,3,4,5,6']);
        expect(reads).to.have.length(1);
    });

    it('begins anew with a new generation', async () => {
        feed.start(batch([1, 2, 3], { fromStart: true }));
        feed.push(batch([2], { generation: 'g2' }));
        answerRead({ ok: true, value: batch([1, 2], { generation: 'g2', fromStart: true }) });
        await settled();
        expect(accepted).to.deep.equal(['anew 1,2,3', 'anew 1,2']);
        feed.push(batch([3], { generation: 'g2' }));
        expect(accepted.at(-1)).to.equal('3');
    });

    it('continues where a condensed replay ends', () => {
        feed.start(batch([1, 2], { fromStart: true, lastSeq: 40 }));
        feed.push(batch([40, 41]));
        expect(accepted).to.deep.equal(['anew 1,2', '41']);
        expect(reads).to.be.empty;
    });

    it('says that it missed something, and tries again with the next event', async () => {
        feed.start(batch([1], { fromStart: true }));
        feed.push(batch([3]));
        answerRead({ ok: false, problem: { code: 'failed', cause: 'no' } });
        await settled();
        expect(problems).to.deep.equal(['no']);
        feed.push(batch([4]));
        expect(reads).to.have.length(2);
        answerRead({ ok: true, value: batch([1, 2, 3, 4], { fromStart: true }) });
        await settled();
        expect(accepted).to.deep.equal(['anew 1', 'anew 1,2,3,4']);
    });
});
