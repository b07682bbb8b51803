// SPDX-License-Identifier: Apache-2.0

import { Container } from '@theia/core/shared/inversify';
import { expect } from 'chai';
import { bindConnection } from '../test/chat-fixture';
import { FakeBackend } from '../test/fake-backend';
import { BackendConnection, BackendLinkFactory } from './backend-connection';

describe('BackendConnection', () => {
    let backend: FakeBackend;
    let links: number;
    let connection: BackendConnection;

    beforeEach(() => {
        backend = new FakeBackend();
        links = 0;
        const container = new Container();
        bindConnection(container, backend, 50);
        container.rebind<BackendLinkFactory>(BackendLinkFactory).toConstantValue(page => {
            links++;
            return backend.link(page);
        });
        connection = container.get(BackendConnection);
    });
    afterEach(() => connection.disable());

    it('contacts nothing while it is disabled', async () => {
        await connection.followWorkspace();
        await connection.connectNow();
        const answer = await connection.call(() => backend.setModel('session-1', 'fake-b'));
        expect(answer.ok).to.equal(false);
        expect(links).to.equal(0);
        expect(backend.calls).to.be.empty;
    });

    it('introduces the page when it is enabled, and after each reconnect', async () => {
        connection.enable();
        await connection.ready;
        let reconnects = 0;
        connection.onDidReconnect(() => reconnects++);
        backend.reconnected.fire();
        await connection.ready;
        await new Promise(resolve => setImmediate(resolve));
        expect(backend.calls).to.deep.equal(['hello file:///work/project trusted', 'hello file:///work/project trusted']);
        expect(reconnects).to.equal(1);
    });

    it('ignores a status older than the one it has', async () => {
        connection.enable();
        await connection.ready;
        connection.notifyStatus(backend.status({ sequence: 7, state: 'connected' }));
        connection.notifyStatus(backend.status({ sequence: 6, state: 'connecting' }));
        expect(connection.status?.state).to.equal('connected');
    });

    it('turns a call that fails, or is not answered in time, into a problem', async () => {
        connection.enable();
        const failed = await connection.call(async () => {
            throw new Error('reconnecting channel');
        });
        expect(failed).to.deep.equal({ ok: false, problem: { code: 'failed', cause: 'reconnecting channel' } });
        const late = await connection.call(() => new Promise(() => undefined));
        expect(late.ok).to.equal(false);
    });

    it('forgets the status, and hears no more, when it is disabled', async () => {
        connection.enable();
        await connection.ready;
        let received = 0;
        connection.onDidReceiveEvents(() => received++);
        connection.disable();
        backend.say({ kind: 'text', turnId: 't', text: 'x' });
        connection.notifyStatus(backend.status({ sequence: 9 }));
        expect(received).to.equal(0);
        expect(connection.status).to.equal(undefined);
    });
});
