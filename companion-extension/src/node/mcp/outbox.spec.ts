// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { EventEmitter, once } from 'events';
import { CompanionNotification } from '../server/cli-session';
import { Outbox } from './outbox';
import { OutboundStream, StreamResponse } from './outbound-stream';

function context(timestamp: number): CompanionNotification {
    return { method: 'ide/contextUpdate', params: { workspaceState: { openFiles: [{ path: '/a', timestamp }] } } };
}

function rejected(filePath: string): CompanionNotification {
    return { method: 'ide/diffRejected', params: { filePath }, reviewId: filePath };
}

describe('Outbox', () => {
    it('keeps outcomes in order, and only the newest context, which goes first', () => {
        const outbox = new Outbox();
        [context(1), rejected('/a'), context(2), rejected('/b'), context(3)].forEach(notification => outbox.push(notification));
        const sent = [outbox.shift(), outbox.shift(), outbox.shift(), outbox.shift()];
        expect(sent).to.deep.equal([context(3), rejected('/a'), rejected('/b'), undefined]);
    });

    it('S21: holds no more content than its limit, except for a single item of any size', () => {
        const accepted = (content: string): CompanionNotification => ({
            method: 'ide/diffAccepted',
            params: { filePath: '/a', content },
            reviewId: ''
        });
        const outbox = new Outbox(256, 10);
        expect(outbox.push(accepted('x'.repeat(11)))).to.equal(true);
        expect(outbox.push(accepted('x'))).to.equal(false);
        outbox.shift();
        expect(outbox.push(accepted('x'.repeat(9)))).to.equal(true);
        expect(outbox.push(accepted('xx'))).to.equal(false);
        outbox.takeUndelivered();
        expect(outbox.push(accepted('xx'))).to.equal(true);
    });

    it('S21: holds no more outcomes than its limit, but always takes a context', () => {
        const outbox = new Outbox(2);
        expect(outbox.push(rejected('/a'))).to.equal(true);
        expect(outbox.push(rejected('/b'))).to.equal(true);
        expect(outbox.push(rejected('/c'))).to.equal(false);
        expect(outbox.push(context(1))).to.equal(true);
    });

    describe('what was sent', () => {
        const STREAM = '_GET_stream';
        let outbox: Outbox;

        beforeEach(() => (outbox = new Outbox()));

        function reject(filePath: string): Promise<string> {
            outbox.push(rejected(filePath));
            outbox.shift();
            return outbox.storeEvent(STREAM, { jsonrpc: '2.0', method: 'ide/diffRejected', params: { filePath } });
        }

        async function replayed(after: string): Promise<string[]> {
            const sent: string[] = [];
            const stream = await outbox.replayEventsAfter(after, {
                send: async (id, message) => void sent.push(`${id} ${JSON.stringify('params' in message ? message.params : message)}`)
            });
            expect(stream).to.equal(STREAM);
            return sent;
        }

        it('sends the outcomes behind the last number that arrived again, and no context', async () => {
            await reject('/a');
            const last = await reject('/b');
            await outbox.storeEvent(STREAM, { jsonrpc: '2.0', method: 'ide/contextUpdate', params: {} });
            await reject('/c');
            expect(await replayed(last)).to.deep.equal(['4 {"filePath":"/c"}']);
            expect(await replayed('4')).to.deep.equal([]);
            expect(await replayed('0'), 'what had arrived is forgotten').to.deep.equal([]);
        });

        it('sends all that may not have arrived again, with new numbers, if the client names none', async () => {
            const last = await reject('/a');
            await reject('/b');
            await replayed(last);
            await outbox.storeEvent(STREAM, { jsonrpc: '2.0', method: 'ide/contextUpdate', params: {} });
            outbox.sendAgain();
            expect([outbox.shift(), outbox.shift()].map(next => next?.params)).to.deep.equal([{ filePath: '/b' }, undefined]);
            outbox.sendAgain();
            expect(outbox.shift()).to.equal(undefined);
        });

        it('forgets what is known to have arrived, and nothing else', async () => {
            expect(outbox.newestSent).to.equal(undefined);
            await reject('/a');
            await outbox.storeEvent(STREAM, { jsonrpc: '2.0', id: 1, method: 'ping' });
            const { newestSent } = outbox;
            await reject('/b');
            outbox.confirm(newestSent ?? 0);
            expect(await replayed('0')).to.deep.equal(['3 {"filePath":"/b"}']);
            outbox.confirm(outbox.newestSent ?? 0);
            expect(outbox.newestSent).to.equal(undefined);
        });

        it('takes a number that it never gave for none: all that may not have arrived is sent again', async () => {
            await reject('/a');
            for (const strange of ['', 'x', '-1', '1e3', '999', '1'.repeat(400)]) {
                expect(await replayed(strange)).to.deep.equal(['1 {"filePath":"/a"}']);
            }
        });

        it('S21: counts towards the limit until it has arrived', async () => {
            outbox = new Outbox(2);
            const last = await reject('/a');
            await reject('/b');
            expect(outbox.push(rejected('/c'))).to.equal(false);
            outbox.confirm(Number(last));
            expect(outbox.push(rejected('/c'))).to.equal(true);
        });

        it('numbers no answers to requests', async () => {
            expect(await outbox.storeEvent('other', { jsonrpc: '2.0', id: 1, result: {} })).to.equal('');
        });
    });
});

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
            handleOpened: listener('opened'),
            handleStalled: listener('stalled'),
            handleDrained: listener('drained'),
            handleLost: listener('lost')
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

    it('sends what arrives just when the outbox has become empty', async () => {
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

    it('keeps what could not be sent in its place, and continues with it', async () => {
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

    it('reports once that the client does not read, and once that it reads again', async () => {
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

    it('cuts off a client that does not read to the end', async () => {
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
