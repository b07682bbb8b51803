// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { once } from 'events';
import { listeningServer } from '../test/listening-server';
import { RawConnection } from '../test/raw-connection';
import { eventually } from '../test/test-cli';
import { longerThanLostSessionsLive, TestServer } from '../test/test-server';
import { CliSession } from '../server/cli-session';
import { DEFAULT_LISTENER_LIMITS } from '../http/listener-budget';
import { SessionTimings } from './mcp-session';
import { DEFAULT_SESSION_TIMINGS } from './mcp-sessions';

const QUICK = { headers: 500, request: 1_000, connections: 512 };

describe('A server among slow, deaf and flooding peers', () => {
    let test: TestServer;
    const connections: RawConnection[] = [];

    async function open(): Promise<RawConnection> {
        const connection = await RawConnection.open(test.server.port);
        connections.push(connection);
        return connection;
    }

    function head(method: string, ...headers: string[]): string {
        const always = [`Host: 127.0.0.1:${test.server.port}`, `Authorization: Bearer ${test.token()}`];
        const types = ['Content-Type: application/json', 'Accept: application/json, text/event-stream'];
        return [`${method} /mcp HTTP/1.1`, ...always, ...types, ...headers, '', ''].join('\r\n');
    }

    function initialize(): Promise<Response> {
        const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } };
        return test.post({ jsonrpc: '2.0', id: 0, method: 'initialize', params });
    }

    async function expectServed(): Promise<void> {
        const cli = await test.connect();
        expect(await cli.client.ping()).to.deep.equal({});
    }

    beforeEach(async () => {
        test = await TestServer.start({}, QUICK);
    });

    afterEach(async () => {
        connections.splice(0).forEach(connection => connection.destroy());
        await test.stop();
    });

    it('S21: senders that never finish their headers are answered and cut, and all others served', async () => {
        const senders = await Promise.all(Array.from({ length: 50 }, open));
        senders.forEach(sender => sender.send('POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nX-'));
        const drip = setInterval(() => senders.forEach(sender => sender.closed || sender.send('a')), 50);
        try {
            await expectServed();
            await eventually('every slow sender to be cut', () => senders.every(({ closed }) => closed));
            senders.forEach(({ status }) => expect(status).to.be.oneOf([0, 408]));
        } finally {
            clearInterval(drip);
        }
        expect(test.logger.lines).to.include('Refused a request: 408 Request Timeout');
    });

    it('S21: a sender with a token that never finishes its body is cut', async () => {
        const sender = await open();
        sender.send(head('POST', 'Content-Length: 1000') + '{"jsonrpc"');
        await expectServed();
        await eventually('the slow sender to be cut', () => sender.closed);
    });

    it('S21: one body over 16 MiB at a time', async () => {
        const [first, second] = [await open(), await open()];
        first.send(head('POST', `Content-Length: ${17 * 1024 * 1024}`));
        await expectServed();
        second.send(head('POST', `Content-Length: ${17 * 1024 * 1024}`));
        await eventually('the second one to be refused', () => second.status === 503);
        expect(first.status).to.equal(0);
    });

    it('S21: large bodies that never end share one limit, and a CLI is still served', async () => {
        await test.stop();
        test = await TestServer.start();
        const cli = await test.connect();
        const senders = await Promise.all(Array.from({ length: 17 }, open));
        senders.forEach(sender => sender.send(head('POST', `Content-Length: ${16 * 1024 * 1024}`)));
        await eventually('the one too many to be refused', () => senders.some(({ status }) => status === 503));
        expect(senders.filter(({ status }) => status === 0)).to.have.length(16);
        expect(await cli.client.ping()).to.deep.equal({});
        expect(test.logger.lines).to.include('Refused a request: 503 Too many large bodies at once');
    });

    it('S21: a sender that closes its half still gets its answer; one that keeps its half open is cut', async () => {
        const body = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
        const closing = await open();
        closing.send(head('POST', `Content-Length: ${body.length}`) + body);
        closing.socket.end();
        await eventually('the answer', () => closing.status === 400);
        const garbage = await open();
        garbage.send('garbage\r\n\r\n');
        await eventually('the malformed sender to be cut', () => garbage.closed);
        expect(garbage.status).to.equal(400);
    });

    it('S21: a flood of headers is refused', async () => {
        const large = await open();
        large.send(head('POST', `X-Flood: ${'x'.repeat(20_000)}`));
        await eventually('the answer to large headers', () => large.status === 431);
        await expectServed();
    });

    it('S21: 512 silent connections are cut in time, the oldest give way to more, and the server still works', async () => {
        const silent: RawConnection[] = [];
        while (silent.length < 520) {
            silent.push(await open());
        }
        await eventually('the first ones to give way', () => silent.slice(0, 8).every(({ closed }) => closed));
        await eventually('all to be cut', () => silent.every(({ closed }) => closed));
        const isServed = (): Promise<boolean> =>
            initialize().then(
                response => response.ok,
                () => false
            );
        await eventually('the server to be there again', isServed);
        expect(test.logger.lines).to.include('Refused a request: more than 512 connections');
    });

    it('S21: a CLI is served while somebody keeps 512 silent connections open', async () => {
        await test.stop();
        test = await TestServer.start();
        const cli = await test.connect();
        let flooding = true;
        const keepOpen = async (): Promise<void> => {
            while (flooding) {
                const connection = await open();
                await Promise.race([once(connection.socket, 'close'), ended]);
            }
        };
        let end = (): void => undefined;
        const ended = new Promise<void>(resolve => (end = resolve));
        const flood = Array.from({ length: 512 }, keepOpen);
        await eventually('the flood', () => connections.length >= 512);
        for (let request = 0; request < 50; request++) {
            expect(await cli.client.ping()).to.deep.equal({});
        }
        expect(test.logger.lines).to.include('Refused a request: more than 512 connections');
        test.context.update({ workspaceState: { openFiles: [{ path: '/a', timestamp: 1 }] } });
        await cli.next('ide/contextUpdate');
        expect(cli.errors).to.deep.equal([]);
        flooding = false;
        end();
        await Promise.all(flood);
    });

    it('S21: a server has these limits by default', async () => {
        await test.stop();
        test = await TestServer.start();
        const server = await listeningServer(expectServed);
        expect(server).to.include({ headersTimeout: 10_000, requestTimeout: 20_000, maxRequestsPerSocket: 1 });
        expect(DEFAULT_LISTENER_LIMITS.connections).to.equal(512);
        expect(DEFAULT_SESSION_TIMINGS).to.deep.equal({ gone: 5_000, closed: 60_000, keepAlive: 15_000 });
    });

    it('S21: one request a connection: what is smuggled behind it is not served', async () => {
        const body = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
        const sender = await open();
        sender.send((head('POST', `Content-Length: ${body.length}`) + body).repeat(3));
        await eventually('the end of the connection', () => sender.closed);
        expect(sender.received.match(/HTTP\/1\.1 400/g)).to.have.length(1);
        expect(sender.received).to.match(/\r\nconnection: close\r\n/i);
    });

    it('S7: 400 initializes in a row leave no more than 64 sessions, all at once or one by one', async () => {
        // A hundred at once take longer than the limits of the other cases allow.
        await test.stop();
        test = await TestServer.start();
        const responses = await Promise.all(Array.from({ length: 100 }, initialize));
        for (let index = 0; index < 300; index++) {
            responses.push(await initialize());
            await responses[responses.length - 1].text();
        }
        responses.forEach(({ status }) => expect(status).to.equal(200));
        expect(test.server.sessions.all().length).to.be.at.most(64);
        await expectServed();
    });

    describe('with one that does not read its stream', () => {
        const large = 'x'.repeat(1024 * 1024);
        let deaf: RawConnection;
        let session: CliSession;

        async function startWith(timings: Partial<SessionTimings>): Promise<void> {
            await test.stop();
            test = await TestServer.start(timings);
            deaf = await open();
            const id = (await initialize()).headers.get('mcp-session-id') ?? '';
            deaf.socket.pause();
            deaf.send(head('GET', `Mcp-Session-Id: ${id}`));
            session = await eventually('the session', () => test.server.sessions.all().find(one => one.id === id));
            await eventually('the stream', () => session.state === 'streaming');
        }

        /** More than the system takes on the client's behalf. */
        async function offer(megabytes: number): Promise<void> {
            for (let index = 1; index <= megabytes; index++) {
                const openFiles = [{ path: '/a', timestamp: index, selectedText: large }];
                session.notify({ method: 'ide/contextUpdate', params: { workspaceState: { openFiles } } });
                await new Promise(resolve => setImmediate(resolve));
            }
        }

        it('S21: little is kept for it, it is dropped at the bound, and others do not notice', async () => {
            await startWith({});
            const other = await test.connect();
            const before = process.memoryUsage().rss;
            // Half a gigabyte.
            await offer(500);
            expect(process.memoryUsage().rss - before).to.be.below(200 * 1024 * 1024);
            expect(session.state).not.to.equal('closed');
            for (let index = 0; index < 100; index++) {
                session.notify({ method: 'ide/diffAccepted', params: { filePath: '/a', content: large }, reviewId: '' });
            }
            expect(session.state).to.equal('closed');
            test.context.update({ workspaceState: { openFiles: [{ path: '/b', timestamp: 1 }] } });
            expect((await other.next('ide/contextUpdate')).params).to.deep.equal({
                workspaceState: { openFiles: [{ path: '/b', timestamp: 1 }] }
            });
            deaf.socket.resume();
            await eventually('the connection to be cut', () => deaf.closed);
        });

        it('its CLI counts as gone until it reads again', async () => {
            await startWith({ gone: 50 });
            await offer(100);
            await eventually('the CLI to count as gone', () => session.state === 'gone');
            session.notify({ method: 'ide/diffRejected', params: { filePath: '/waits' }, reviewId: '' });
            deaf.socket.resume();
            await eventually('the CLI to be there again', () => session.state === 'streaming');
            await eventually('what waited for it', () => deaf.received.includes('/waits'));
        });

        it('its session stays as long as its connection; then it is closed with its reviews', async () => {
            await startWith({ gone: 50, closed: 300 });
            const review = test.reviews.open({
                owner: session,
                filePath: test.file('a.txt'),
                proposal: 'new',
                file: { path: '/a', realPath: '/a' },
                place: { windowId: 'window', roots: [] }
            });
            await offer(100);
            await eventually('the CLI to count as gone', () => session.state === 'gone');
            await longerThanLostSessionsLive(test);
            expect([session.state, review.state]).to.deep.equal(['gone', 'waiting']);
            deaf.destroy();
            await eventually('the session to be closed', () => session.state === 'closed');
            expect(review.state).to.equal('orphaned');
        });

        it('S7: with an open diff its session does not give way, and the 65th is refused', async () => {
            await startWith({ gone: 50, closed: 60_000 });
            test.reviews.open({
                owner: session,
                filePath: test.file('a.txt'),
                proposal: 'new',
                file: { path: '/a', realPath: '/a' },
                place: { windowId: 'window', roots: [] }
            });
            await offer(100);
            await eventually('the CLI to count as gone', () => session.state === 'gone');
            await Promise.all(Array.from({ length: 63 }, () => test.connect()));
            await eventually('63 streams', () => test.server.sessions.all().filter(({ state }) => state === 'streaming').length === 63);
            expect((await initialize()).status).to.equal(503);
            expect(session.state).to.equal('gone');
        });

        it('S7: its session gives way to the 65th', async () => {
            await startWith({ gone: 50, closed: 60_000 });
            await offer(100);
            await eventually('the CLI to count as gone', () => session.state === 'gone');
            await Promise.all(Array.from({ length: 63 }, () => test.connect()));
            await eventually('63 streams', () => test.server.sessions.all().filter(({ state }) => state === 'streaming').length === 63);
            const next = await test.connect();
            expect(session.state).to.equal('closed');
            expect(await next.client.ping()).to.deep.equal({});
        });
    });

    it('S12: a refusal is logged with its reason and nothing of the request', async () => {
        const sender = await open();
        sender.send(head('POST', 'Origin: http://evil.example', 'Content-Length: 2') + '{}');
        await eventually('the refusal', () => sender.status === 403);
        expect(test.logger.lines).to.deep.equal(['Refused a request: 403 Browsers have no access']);
    });
});
