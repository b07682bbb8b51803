// SPDX-License-Identifier: Apache-2.0

import { EventEmitter } from 'events';
import { Deferred } from '@theia/core/lib/common/promise-util';
import { expect } from 'chai';
import { RestartWatch } from './restart-watch';

describe('RestartWatch', () => {
    let socket: EventEmitter & { connected: boolean };
    let answers: boolean | Promise<boolean>;
    let changes: boolean[];
    let watch: RestartWatch;

    beforeEach(() => {
        socket = Object.assign(new EventEmitter(), { connected: false });
        answers = false;
        changes = [];
        watch = new RestartWatch({ socket, originAnswers: async () => answers, handleChange: () => changes.push(watch.refused) });
    });

    async function attempt(): Promise<void> {
        socket.emit('connect_error', new Error('xhr poll error'));
        await new Promise(resolve => setImmediate(resolve));
    }

    it('if nothing answers, the network is lost, or a proxy asks for a new login', async () => {
        for (let time = 0; time < 5; time++) {
            await attempt();
        }
        expect(changes).to.deep.equal([]);
    });

    it('if the origin answers and the socket fails again and again, it is a restart, until the socket connects', async () => {
        answers = true;
        await attempt();
        expect(changes).to.deep.equal([]);
        answers = false;
        await attempt();
        answers = true;
        await attempt();
        expect(changes).to.deep.equal([]);
        await attempt();
        socket.emit('connect');
        expect(changes).to.deep.equal([true, false]);
    });

    it('if the socket connects before the origin answers, as after a pause of the machine behind a proxy, it is none', async () => {
        const resumed = new Deferred<boolean>();
        answers = resumed.promise;
        await attempt();
        await attempt();
        socket.connected = true;
        socket.emit('connect');
        resumed.resolve(true);
        await resumed.promise;
        await new Promise(resolve => setImmediate(resolve));
        expect(changes).to.deep.equal([]);
    });

    it('stops listening after it is disposed', async () => {
        watch.dispose();
        expect(socket.listenerCount('connect') + socket.listenerCount('connect_error')).to.equal(0);
    });
});
