// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import * as fc from 'fast-check';
import { IncomingMessage } from 'http';
import { Socket } from 'net';
import { Duplex } from 'stream';
import { SinonFakeTimers, useFakeTimers } from 'sinon';
import { WebSocketServer } from '@theia/core/shared/ws';
import { MessageBounds } from '../../claude/message-bounds';
import { MAX_BODY_BYTES } from '../../http/http-gate';
import { DEFAULT_LISTENER_LIMITS, ListenerBudget } from '../../http/listener-budget';
import { fuzzBounds, fuzzTimeout } from './fuzz-bounds';

const TEXT = 1;
const CONTINUED = 0;
const PING = 9;
const PONG = 10;

/** As a client sends it, with a mask of 0. */
function frame(opcode: number, payload: Buffer, last = true): Buffer {
    const small = payload.length < 126;
    const length = small ? Buffer.from([0x80 | payload.length]) : Buffer.from([0x80 | 126, payload.length >> 8, payload.length & 0xff]);
    return Buffer.concat([Buffer.from([(last ? 0x80 : 0) | opcode]), length, Buffer.alloc(4), payload]);
}

describe('Fuzz: sockets', function () {
    this.timeout(fuzzTimeout());
    const server = new WebSocketServer({ noServer: true, clientTracking: false, perMessageDeflate: false, maxPayload: MAX_BODY_BYTES });
    let clock: SinonFakeTimers;

    beforeEach(() => {
        clock = useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    });

    afterEach(() => clock.restore());

    const payload = fc.integer({ min: 0, max: 3_000 }).map(length => Buffer.alloc(length, 'x'));
    const control = fc
        .tuple(fc.constantFrom(PING, PONG), fc.integer({ min: 0, max: 125 }))
        .map(([opcode, length]) => frame(opcode, Buffer.alloc(length)));
    /** A message in fragments, with control frames between them. */
    const message = fc
        .array(fc.tuple(payload, fc.array(control, { maxLength: 2 })), { minLength: 1, maxLength: 4 })
        .map(parts =>
            Buffer.concat(
                parts.flatMap(([part, between], index) => [
                    ...(index > 0 ? between : []),
                    frame(index === 0 ? TEXT : CONTINUED, part, index === parts.length - 1)
                ])
            )
        );

    /** What a server makes of these bytes, which come in pieces. */
    async function receive(
        bytes: Buffer,
        cuts: readonly number[]
    ): Promise<{ budget: ListenerBudget; reasons: string[]; received: number }> {
        const socket = new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() });
        const headers = { upgrade: 'websocket', 'sec-websocket-version': '13', 'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==' };
        const budget = new ListenerBudget();
        const reasons: string[] = [];
        let received = 0;
        server.handleUpgrade({ method: 'GET', headers } as IncomingMessage, socket, Buffer.alloc(0), accepted => {
            accepted.on('message', () => received++);
            new MessageBounds(socket as Socket, accepted, budget, reason => reasons.push(reason));
        });
        let start = 0;
        for (const cut of [...cuts, bytes.length].sort((one, other) => one - other)) {
            if (cut > start) {
                socket.push(bytes.subarray(start, cut));
                await new Promise(resolve => setImmediate(resolve));
                start = cut;
            }
        }
        return { budget, reasons, received };
    }

    it('a stream of whole messages, in whatever pieces it comes, leaves nothing that is waited for or held', async () => {
        const controls = fc.array(control, { maxLength: 3 });
        const frames = fc.array(fc.tuple(controls, message), { maxLength: 8 });
        const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 20 });
        const property = fc.asyncProperty(frames, controls, cuts, async (all, last, where) => {
            const bytes = Buffer.concat([...all.flatMap(([before, text]) => [...before, text]), ...last]);
            const { budget, reasons, received } = await receive(
                bytes,
                where.map(part => Math.floor(part * bytes.length))
            );
            expect(received).to.equal(all.length);
            clock.tick(2 * DEFAULT_LISTENER_LIMITS.request);
            expect(reasons).to.deep.equal([]);
            expect(budget.hold({}, MAX_BODY_BYTES)).to.equal(true);
        });
        await fc.assert(property, fuzzBounds());
    });

    it('a message that lacks its end is cut, whatever came before and between', async () => {
        const frames = fc.array(fc.oneof(message, control), { maxLength: 4 });
        const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 20 });
        const property = fc.asyncProperty(frames, cuts, control, async (all, where, last) => {
            const begun = frame(TEXT, Buffer.alloc(200), false);
            const whole = Buffer.concat(all);
            // What begins in the piece in which a message ends is noticed with the next piece.
            const within = where.map(part => Math.floor(part * whole.length));
            const { reasons } = await receive(Buffer.concat([whole, begun, last]), [...within, whole.length]);
            clock.tick(2 * DEFAULT_LISTENER_LIMITS.request);
            expect(reasons).to.include('A message was not complete in time');
        });
        await fc.assert(property, fuzzBounds());
    });
});
