// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { PingRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { promises as fs } from 'fs';
import { restore, spy } from 'sinon';
import { setFlagsFromString } from 'v8';
import { runInNewContext } from 'vm';
import { Deferred } from '@theia/core/lib/common/promise-util';
import { ShowReviewResult } from '../../common/companion-protocol';
import { CliProcess } from '../test/cli-process';
import { RawConnection } from '../test/raw-connection';
import { eventually, TestCli } from '../test/test-cli';
import { longerThanLostSessionsLive, TestServer } from '../test/test-server';
import { closedContent } from '../test/tool-results';
import { McpSession } from './mcp-session';
import { McpSessions } from './mcp-sessions';

describe('McpSessions with the official MCP client', () => {
    let test: TestServer;
    let cli: TestCli;

    beforeEach(async () => {
        test = await TestServer.start();
        cli = await test.connect();
    });

    // Some cases start another one instead.
    afterEach(() => test.stop());

    it('an outcome waits for a stream that was cut and comes back', async () => {
        await cli.openDiff(test.file('a.txt'), 'new');
        const [session] = test.server.sessions.all();
        cli.cutStream();
        await eventually('the lost stream to be noticed', () => session.state === 'lost');
        test.accept(test.shown[0]);
        expect((await cli.next('ide/diffAccepted')).params).to.include({ content: 'new' });
    });

    it('an outcome that was sent on a dead stream is sent again on the next one, once; so is the context', async () => {
        const context = { workspaceState: { openFiles: [{ path: '/a', timestamp: 1 }] } };
        test.context.update(context);
        await cli.next('ide/contextUpdate');
        await cli.openDiff(test.file('a.txt'), 'new');
        await cli.openDiff(test.file('b.txt'), 'new');
        test.reject(test.shown[0]);
        await cli.next('ide/diffRejected');
        cli.muteStream();
        test.accept(test.shown[1]);
        expect(await cli.settled()).to.deep.equal([]);
        cli.cutStream();
        expect((await cli.next('ide/diffAccepted')).params).to.deep.equal({ filePath: test.file('b.txt'), content: 'new' });
        expect((await cli.next('ide/contextUpdate')).params).to.deep.equal(context);
        const [session] = test.server.sessions.all();
        cli.cutStream();
        await eventually('the lost stream to be noticed', () => session.state === 'lost');
        await cli.next('ide/contextUpdate');
        expect(await cli.settled()).to.deep.equal([]);
    });

    it('an outcome sent on a dead stream is sent again, once, if the client gives no event id: nothing had arrived on that stream', async () => {
        await cli.openDiff(test.file('a.txt'), 'new');
        const [session] = test.server.sessions.all();
        const dead = await RawConnection.open(test.server.port);
        dead.send(getStream());
        await eventually('the stream that dies', () => dead.received.includes('text/event-stream'));
        test.accept(test.shown[0]);
        await eventually('the outcome to be sent', () => dead.received.includes('ide/diffAccepted'));
        const next = await RawConnection.open(test.server.port);
        next.send(getStream());
        await eventually('the outcome on the next stream', () => next.received.includes('ide/diffAccepted'));
        expect(next.received.split('ide/diffAccepted')).to.have.length(2);
        dead.destroy();
        next.destroy();
        expect(session.state).to.equal('streaming');
    });

    it('a call that is cancelled ends its diff, and is answered all the same: its stream would never end', async () => {
        const shown = new Deferred<ShowReviewResult>();
        Object.defineProperty(test, 'showResult', { get: () => shown.promise });
        const headers = { 'Mcp-Session-Id': String(cli.sessionId) };
        const params = { name: 'openDiff', arguments: { filePath: test.file('a.txt'), newContent: 'new' } };
        const called = await test.post({ jsonrpc: '2.0', id: 1_000, method: 'tools/call', params }, headers);
        await test.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1_000 } }, headers);
        shown.resolve({ shown: true });
        expect(await called.text()).to.include('"result":{"content":[]}');
        expect(test.closed.map(({ filePath }) => filePath)).to.deep.equal([test.file('a.txt')]);
    });

    it('S21: outcomes that have arrived are not kept', async () => {
        const before = heapBytes();
        for (let index = 0; index < 4; index++) {
            await acceptLarge(String(index));
            await cli.next('ide/diffAccepted');
        }
        await nextContext(1);
        await eventually('the memory of 40 MB to be given back', () => heapBytes() - before < 5_000_000);
    });

    it('S21: outcomes that were sent again count as arrived, too', async () => {
        const before = heapBytes();
        await nextContext(1);
        cli.muteStream();
        await acceptLarge('x');
        await cli.settled();
        cli.cutStream();
        await cli.next('ide/diffAccepted');
        await cli.next('ide/contextUpdate');
        await nextContext(2);
        await eventually('the memory of 10 MB to be given back', () => heapBytes() - before < 5_000_000);
    });

    async function acceptLarge(character: string): Promise<void> {
        await cli.openDiff(test.file('a.txt'), character.repeat(10_000_000));
        test.accept(test.shown.splice(0)[0]);
    }

    /** The client keeps what it read last until it reads again. */
    async function nextContext(timestamp: number): Promise<void> {
        test.context.update({ workspaceState: { openFiles: [{ path: '/a', timestamp }] } });
        await cli.next('ide/contextUpdate');
    }

    /** Of this process, once what is garbage has been collected. */
    function heapBytes(): number {
        setFlagsFromString('--expose-gc');
        (runInNewContext('gc') as () => void)();
        return process.memoryUsage().heapUsed;
    }

    it('an outcome that is late for an earlier diff of the same file does not answer the next one', async () => {
        test.context.update({ workspaceState: { openFiles: [{ path: '/a', timestamp: 1 }] } });
        await cli.next('ide/contextUpdate');
        const [session] = test.server.sessions.all();
        await cli.openDiff(test.file('a.txt'), 'on a dead stream');
        await cli.openDiff(test.file('b.txt'), 'without a stream');
        cli.muteStream();
        test.accept(test.shown[0]);
        await cli.settled();
        cli.cutStream();
        await eventually('the lost stream to be noticed', () => session.state === 'lost');
        test.accept(test.shown[1]);
        await cli.openDiff(test.file('a.txt'), 'asked again');
        await cli.openDiff(test.file('b.txt'), 'asked again');
        await cli.next('ide/contextUpdate');
        expect(await cli.settled()).to.deep.equal([]);
        test.accept(test.shown[2]);
        expect((await cli.next('ide/diffAccepted')).params).to.deep.equal({ filePath: test.file('a.txt'), content: 'asked again' });
    });

    it('a CLI that disappears is marked as gone, then closed with its reviews', async () => {
        await test.stop();
        const asked = spy(McpSessions.prototype, 'routes', ['get']);
        test = await TestServer.start({ gone: 50, closed: 300 });
        const mortal = await test.connect();
        await mortal.openDiff(test.file('a.txt'), 'new');
        const [session] = test.server.sessions.all();
        const states: string[] = [];
        session.onDidChangeState(state => states.push(state));
        await mortal.disconnect();
        await eventually('the session to be closed', () => session.state === 'closed');
        expect(states.slice(-3)).to.deep.equal(['lost', 'gone', 'closed']);
        expect(test.shown[0].state).to.equal('orphaned');
        expect(test.server.sessions.all()).to.deep.equal([]);
        // Nothing that a CLI sees tells that it is kept no more.
        expect(asked.get.firstCall.thisValue).to.have.deep.property('sessions', new Map());
        restore();
    });

    it('a CLI whose answer to a ping is lost counts as there once it asks for something', async () => {
        await test.stop();
        test = await TestServer.start({ gone: 50, closed: 60_000 });
        const asking = await test.connect();
        await asking.openDiff(test.file('a.txt'), 'new');
        const [session] = test.server.sessions.all();
        await eventually('the stream', () => session.state === 'streaming');
        asking.client.setRequestHandler(PingRequestSchema, () => new Promise(() => undefined));
        test.accept(test.shown[0]);
        await eventually('the ping to be waited for in vain', () => session.state === 'gone');
        await asking.openDiff(test.file('b.txt'), 'other');
        expect(session.state).to.equal('streaming');
        expect(test.shown[1].owner?.gone).to.equal(false);
    });

    for (const told of ['more than its connection holds', 'nothing']) {
        it(`a CLI that is stopped in its terminal and sent ${told} keeps its session, and continues where it was`, async () => {
            await test.stop();
            // On a busy machine the other process takes a while to open its stream.
            test = await TestServer.start({ gone: 50, closed: 2_000 });
            const stopped = await CliProcess.open({ port: test.server.port, token: test.token() }, test.file('a.txt'), 'new');
            try {
                const [session] = test.server.sessions.all();
                await eventually('the stream', () => session.state === 'streaming');
                stopped.stop();
                const selectedText = told === 'nothing' ? '' : 'x'.repeat(1024 * 1024);
                for (let timestamp = 1; selectedText && session.state !== 'gone'; timestamp++) {
                    test.context.update({ workspaceState: { openFiles: [{ path: '/a', timestamp, selectedText }] } });
                    await new Promise(resolve => setImmediate(resolve));
                }
                await longerThanLostSessionsLive(test);
                test.accept(test.shown[0]);
                await eventually('it to be known that nobody reads', () => session.state === 'gone');
                await longerThanLostSessionsLive(test);
                stopped.goOn();
                expect((await stopped.next('ide/diffAccepted')).params).to.deep.equal({ filePath: test.file('a.txt'), content: 'new' });
                await eventually('the CLI to be there again', () => session.state === 'streaming');
                await stopped.openDiff(test.file('b.txt'), 'newer');
                test.reject(test.shown[1]);
                expect((await stopped.next('ide/diffRejected')).params).to.deep.equal({ filePath: test.file('b.txt') });
                expect(stopped.received).to.deep.equal([]);
            } finally {
                await stopped.end();
            }
        });
    }

    it('a CLI that reconnects gets the outcome that its earlier session asked for, and may close that diff', async () => {
        await test.stop();
        test = await TestServer.start({ gone: 50, closed: 60_000 });
        const earlier = await test.connect();
        await earlier.openDiff(test.file('a.txt'), 'new');
        await earlier.openDiff(test.file('b.txt'), 'other');
        const [session] = test.server.sessions.all();
        await eventually('the process to be found', () => session.peer !== undefined);
        await earlier.disconnect();
        await eventually('the earlier session to be gone', () => session.state === 'gone');
        const later = await test.connect();
        await eventually('the later session to take over', () => test.shown[0].owner?.id === later.sessionId);
        test.accept(test.shown[0]);
        expect((await later.next('ide/diffAccepted')).params).to.deep.equal({ filePath: test.file('a.txt'), content: 'new' });
        expect(closedContent(await later.closeDiff(test.file('b.txt')))).to.equal('other');
    });

    it('an outcome given while the CLI was away reaches its later session', async () => {
        await cli.openDiff(test.file('a.txt'), 'new');
        const [session] = test.server.sessions.all();
        await eventually('the process to be found', () => session.peer !== undefined);
        await cli.disconnect();
        await eventually('the lost stream to be noticed', () => session.state === 'lost');
        test.reject(test.shown[0]);
        const later = await test.connect();
        expect((await later.next('ide/diffRejected')).params).to.deep.equal({ filePath: test.file('a.txt') });
    });

    it('an outcome given while the CLI opens its stream again waits for the new one', async () => {
        const [session] = test.server.sessions.all() as McpSession[];
        await cli.openDiff(test.file('a.txt'), 'new');
        await eventually('the first stream', () => session.state === 'streaming');
        const handle = session.handle.bind(session);
        session.handle = async (request, response) => {
            const handled = handle(request, response);
            if (request.method === 'GET') {
                test.accept(test.shown[0]);
            }
            return handled;
        };
        const again = await RawConnection.open(test.server.port);
        again.send(getStream());
        await eventually('the outcome on the new stream', () => again.received.includes('ide/diffAccepted'));
        again.destroy();
    });

    it('a refused stream leaves the existing one alone', async () => {
        const [session] = test.server.sessions.all();
        await eventually('the stream', () => session.state === 'streaming');
        const states: string[] = [];
        session.onDidChangeState(state => states.push(state));
        for (const [header, status] of [
            ['Accept: text/html', 406],
            ['Accept: text/event-stream\r\nMcp-Protocol-Version: 1999-01-01', 400]
        ] as const) {
            const refused = await RawConnection.open(test.server.port);
            refused.send(getStream(header));
            await eventually('the refusal', () => refused.status === status);
            refused.destroy();
        }
        test.context.update({ workspaceState: { openFiles: [{ path: '/a', timestamp: 1 }] } });
        await cli.next('ide/contextUpdate');
        expect(states).to.deep.equal([]);
    });

    /** A request for the session's stream. */
    function getStream(accept = 'Accept: text/event-stream'): string {
        const host = `Host: 127.0.0.1:${test.server.port}`;
        return [
            'GET /mcp HTTP/1.1',
            host,
            `Authorization: Bearer ${test.token()}`,
            `Mcp-Session-Id: ${cli.sessionId}`,
            accept,
            '',
            ''
        ].join('\r\n');
    }

    it('S21: the process behind a session is looked for once at a time, however often its stream is asked for', async () => {
        await eventually('the process of the first session', () => test.server.sessions.all()[0].peer !== undefined);
        const { readFile } = fs;
        let looking = 0;
        let goOn = (): void => undefined;
        const held = new Promise<void>(resolve => (goOn = resolve));
        const patched = async (...args: Parameters<typeof readFile>): Promise<string | Buffer> => {
            // The first thing that is read to look for a process; one that belongs to an earlier test may still read the next.
            if (args[0] === '/proc/net/tcp') {
                looking++;
                await held;
            }
            return readFile(...args);
        };
        fs.readFile = patched as typeof readFile;
        const streams: RawConnection[] = [];
        try {
            cli = await test.connect();
            for (let index = 0; index < 5; index++) {
                const stream = await RawConnection.open(test.server.port);
                streams.push(stream);
                stream.send(getStream());
                await eventually('the stream', () => stream.status === 200);
            }
            expect(looking).to.equal(1);
            goOn();
            const session = test.server.sessions.all().find(({ id }) => id === cli.sessionId);
            await eventually('the process to be found', () => session?.peer?.pid === process.pid);
        } finally {
            fs.readFile = readFile;
            goOn();
            streams.forEach(stream => stream.destroy());
        }
    });

    it('S7: each session has its own server: equal ids at the same time get their own answers', async () => {
        const clis = [cli, ...(await Promise.all(Array.from({ length: 7 }, () => test.connect())))];
        const asked = clis.flatMap((one, index) => [1, 2, 3].map(id => ({ one, id, filePath: `/no/such/${index}/${id}` })));
        const answers = asked.map(async ({ one, id, filePath }) => {
            const call = { jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'closeDiff', arguments: { filePath } } };
            return (await test.post(call, { 'Mcp-Session-Id': one.sessionId ?? '' })).text();
        });
        (await Promise.all(answers)).forEach((text, index) => {
            const { id, filePath } = asked[index];
            expect(text).to.include(`"id":${id}`).and.to.include(`No open diff for ${filePath}"`);
            expect(text.match(/"id":/g)).to.have.length(1);
        });
    });

    it('S7: the 65th session replaces one without a stream, or is refused', async () => {
        const first = cli.sessionId;
        const others = await Promise.all(Array.from({ length: 63 }, () => test.connect()));
        await eventually('64 streams', () => test.server.sessions.all().filter(session => session.state === 'streaming').length === 64);
        const refused = await TestCli.connect(test.server.port, test.token()).catch((error: Error) => error);
        expect(refused).to.be.instanceOf(Error).with.property('message').that.includes('64 sessions are open');
        await cli.disconnect();
        await eventually('the lost stream to be noticed', () => test.server.sessions.all().some(session => session.state === 'lost'));
        const next = await test.connect();
        const ids = test.server.sessions.all().map(session => session.id);
        expect(ids).to.have.length(64);
        expect(ids).to.include.members([next.sessionId, others[0].sessionId]);
        expect(ids).not.to.include(first);
    });

    it('L2: stop ends the streams cleanly and frees the port', async () => {
        const { port } = test.server;
        const stream = await RawConnection.open(port);
        stream.send(getStream());
        await eventually('the stream', () => stream.status === 200);
        await test.window.stop();
        await eventually('the end of the stream', () => stream.closed);
        // The last chunk of a body: what ends without it is an error for the CLI.
        expect(stream.received.endsWith('\r\n0\r\n\r\n')).to.equal(true);
        expect(cli.errors).to.deep.equal([]);
        const refused = await fetch(`http://127.0.0.1:${port}/mcp`).catch((error: Error) => error);
        expect(refused).to.be.instanceOf(Error);
    });
});
