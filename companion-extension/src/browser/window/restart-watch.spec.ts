// SPDX-License-Identifier: Apache-2.0

import { EventEmitter } from 'events';
import { expect } from 'chai';
import { RestartWatch } from './restart-watch';

describe('RestartWatch', () => {
    let socket: EventEmitter;
    let answers: boolean;
    let changes: boolean[];
    let watch: RestartWatch;

    beforeEach(() => {
        socket = new EventEmitter();
        answers = false;
        changes = [];
        watch = new RestartWatch({ socket, originAnswers: async () => answers, changed: () => changes.push(watch.refused) });
    });

    async function attempt(error: Error): Promise<void> {
        socket.emit('connect_error', error);
        await new Promise(resolve => setImmediate(resolve));
    }

    /** As engine.io's client tells of an answer to its polling. */
    function answered(status: number, responseText: string): Error {
        return Object.assign(new Error('xhr poll error'), { description: status, context: { responseText } });
    }

    it('a refusal counts as a restart at once, until the socket connects', async () => {
        await attempt(answered(403, '{"code":4,"message":"Forbidden"}'));
        await attempt(answered(403, '{"code":4,"message":"Forbidden"}'));
        socket.emit('connect');
        expect(changes).to.deep.equal([true, false]);
    });

    it('a proxy that asks for a new login is not a restart', async () => {
        for (const body of ['<html>Log in</html>', '', '{"error":"expired"}', '4']) {
            await attempt(answered(403, body));
        }
        expect(changes).to.deep.equal([]);
    });

    it('if nothing answers, the network is lost', async () => {
        for (let time = 0; time < 5; time++) {
            await attempt(Object.assign(new Error('xhr poll error'), { description: 0 }));
        }
        expect(changes).to.deep.equal([]);
    });

    it('if the origin answers and the socket fails again and again, it is a restart', async () => {
        answers = true;
        await attempt(new Error('websocket error'));
        expect(changes).to.deep.equal([]);
        answers = false;
        await attempt(new Error('websocket error'));
        answers = true;
        await attempt(new Error('websocket error'));
        expect(changes).to.deep.equal([]);
        await attempt(new Error('websocket error'));
        expect(changes).to.deep.equal([true]);
    });

    it('stops listening after it is disposed', async () => {
        watch.dispose();
        expect(socket.listenerCount('connect') + socket.listenerCount('connect_error')).to.equal(0);
    });
});
