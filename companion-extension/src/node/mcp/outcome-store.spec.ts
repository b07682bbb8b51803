// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { OutcomeStore } from './outcome-store';

describe('OutcomeStore', () => {
    const STREAM = '_GET_stream';
    let store: OutcomeStore;

    beforeEach(() => (store = new OutcomeStore()));

    function reject(filePath: string): Promise<string> {
        return store.storeEvent(STREAM, { jsonrpc: '2.0', method: 'ide/diffRejected', params: { filePath } });
    }

    async function replayed(after: string): Promise<string[]> {
        const sent: string[] = [];
        const stream = await store.replayEventsAfter(after, {
            send: async (id, message) => void sent.push(`${id} ${JSON.stringify('params' in message ? message.params : message)}`)
        });
        expect(stream).to.equal(STREAM);
        return sent;
    }

    it('gives again the outcomes behind the last number that arrived, and no context', async () => {
        await reject('/a');
        const last = await reject('/b');
        await store.storeEvent(STREAM, { jsonrpc: '2.0', method: 'ide/contextUpdate', params: {} });
        await reject('/c');
        expect(await replayed(last)).to.deep.equal(['4 {"filePath":"/c"}']);
        expect(await replayed('4')).to.deep.equal([]);
        expect(await replayed('0'), 'what had arrived is forgotten').to.deep.equal([]);
    });

    it('gives all that may not have arrived to a client that says no number, to be numbered anew', async () => {
        const last = await reject('/a');
        await reject('/b');
        await replayed(last);
        await store.storeEvent(STREAM, { jsonrpc: '2.0', method: 'ide/contextUpdate', params: {} });
        expect(store.takeUnconfirmed().map(({ params }) => params)).to.deep.equal([{ filePath: '/b' }]);
        expect(store.takeUnconfirmed()).to.deep.equal([]);
    });

    it('lets go of what is known to have arrived, and of that alone', async () => {
        expect(store.newestOutcome).to.equal(undefined);
        await reject('/a');
        await store.storeEvent(STREAM, { jsonrpc: '2.0', id: 1, method: 'ping' });
        const { newestOutcome } = store;
        await reject('/b');
        store.confirm(newestOutcome ?? 0);
        expect(await replayed('0')).to.deep.equal(['3 {"filePath":"/b"}']);
        store.confirm(store.newestOutcome ?? 0);
        expect(store.newestOutcome).to.equal(undefined);
    });

    it('gives nothing for a number that it never gave', async () => {
        await reject('/a');
        for (const strange of ['', 'x', '-1', '1e3', '999', '1'.repeat(400)]) {
            expect(await replayed(strange)).to.deep.equal([]);
        }
    });

    it('keeps few', async () => {
        for (let index = 0; index < 100; index++) {
            await reject(`/${index}`);
        }
        expect(await replayed('0')).to.have.length(4);
    });

    it('numbers no answers to requests', async () => {
        expect(await store.storeEvent('other', { jsonrpc: '2.0', id: 1, result: {} })).to.equal('');
    });
});
