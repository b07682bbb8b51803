// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { EventEmitter, once } from 'events';
import { CompanionNotification } from './cli-session';
import { OutboundStream, StreamResponse } from './outbound-stream';
import { Outbox } from './outbox';

/** A response whose client reads or not, as the test says. */
class FakeResponse extends EventEmitter {
    closed = false;
    writableNeedDrain = false;
    destroyed = false;

    destroy(): this {
        this.destroyed = true;
        return this;
    }
}

function outcome(filePath: string): CompanionNotification {
    return { method: 'ide/diffRejected', params: { filePath }, reviewId: filePath };
}

describe('OutboundStream', () => {
    let sent: string[];
    let events: string[];
    let send: (notification: CompanionNotification) => Promise<void>;
    let stream: OutboundStream;

    beforeEach(() => {
        sent = [];
        events = [];
        send = async ({ params }) => void sent.push('filePath' in params ? params.filePath : 'context');
        const listener = (name: string): (() => void) => {
            return () => events.push(name);
        };
        stream = new OutboundStream(new Outbox(), notification => send(notification), {
            opened: listener('opened'),
            stalled: listener('stalled'),
            drained: listener('drained'),
            lost: listener('lost')
        });
    });

    function turn(): Promise<void> {
        return new Promise(resolve => setImmediate(resolve));
    }

    async function open(): Promise<FakeResponse> {
        const response = new FakeResponse();
        stream.expect(response as unknown as StreamResponse);
        stream.open(response as unknown as StreamResponse);
        await turn();
        return response;
    }

    it('sends what comes at the moment when the outbox has become empty', async () => {
        await open();
        for (let moments = 0; moments < 20; moments++) {
            sent.length = 0;
            stream.push(outcome('first'));
            for (let moment = 0; moment < moments; moment++) {
                await Promise.resolve();
            }
            stream.push(outcome('second'));
            await turn();
            expect(sent, `${moments} moments later`).to.deep.equal(['first', 'second']);
        }
    });

    it('keeps what could not be sent, in its place, and goes on with it', async () => {
        const { send: works } = { send };
        await open();
        send = () => Promise.reject(new Error('Not connected'));
        stream.push(outcome('a'));
        stream.push(outcome('b'));
        await turn();
        send = works;
        stream.push(outcome('c'));
        await turn();
        expect(sent).to.deep.equal(['a', 'b', 'c']);
    });

    it('writes nothing to a stream that a newer one replaces', async () => {
        await open();
        stream.detach();
        stream.push(outcome('a'));
        await turn();
        expect(sent).to.deep.equal([]);
        await open();
        await turn();
        expect(sent).to.deep.equal(['a']);
        expect(events).to.deep.equal(['opened', 'lost', 'opened']);
    });

    it('takes the newest of two streams that were requested at once', async () => {
        const [first, second] = [new FakeResponse(), new FakeResponse()];
        [first, second].forEach(response => stream.expect(response as unknown as StreamResponse));
        [first, second].forEach(response => stream.open(response as unknown as StreamResponse));
        await turn();
        expect(events).to.deep.equal(['opened']);
        first.emit('close');
        expect(events).to.deep.equal(['opened']);
        second.emit('close');
        expect(events).to.deep.equal(['opened', 'lost']);
    });

    it('says once that the client does not read, and once that it does again', async () => {
        const response = await open();
        response.writableNeedDrain = true;
        stream.push(outcome('a'));
        stream.push(outcome('b'));
        await turn();
        expect(sent).to.deep.equal([]);
        response.writableNeedDrain = false;
        response.emit('drain');
        await turn();
        expect(sent).to.deep.equal(['a', 'b']);
        expect(events).to.deep.equal(['opened', 'stalled', 'drained']);
    });

    it('cuts a client that does not read the end', async () => {
        const response = await open();
        response.destroy = () => {
            response.emit('destroyed');
            return response;
        };
        const destroyed = once(response, 'destroyed');
        // The timer of the product keeps no process alive; this test has to.
        const alive = setInterval(() => undefined, 1_000);
        stream.end();
        await destroyed.finally(() => clearInterval(alive));
    });
});
