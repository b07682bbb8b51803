// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { randomBytes } from 'crypto';
import { ProcessTable } from '../host/process-table';
import { DEFAULT_LISTENER_LIMITS, ListenerBudget, ListenerLimits } from '../http/listener-budget';
import { ClaudeClient, ClaudeLock, readLocks } from '../test/claude-client';
import { RawConnection } from '../test/raw-connection';
import { TestBackend } from '../test/test-backend';
import { eventually, TestCli } from '../test/test-cli';
import { TestPage } from '../test/test-page';

const QUICK: ListenerLimits = { headers: 500, request: 1_000, connections: 512 };
const MIB = 1024 * 1024;

/** The first bytes of a frame of text that claims this length. The mask is 0, so what follows is sent as it is. */
function headOfText(length: number): Buffer {
    const head = Buffer.alloc(14);
    head[0] = 0x81;
    head[1] = 0x80 | 127;
    head.writeBigUInt64BE(BigInt(length), 2);
    return head;
}

const PING = Buffer.from([0x89, 0x80, 0, 0, 0, 0]);

describe('The bounds of all listeners of a backend', () => {
    let backend: TestBackend;
    let page: TestPage;
    let lock: ClaudeLock;
    const connections: RawConnection[] = [];
    const clis: ClaudeClient[] = [];

    async function start(limits?: ListenerLimits): Promise<void> {
        backend = new TestBackend();
        backend.container.rebind(ListenerBudget).toConstantValue(new ListenerBudget(limits));
        page = new TestPage();
        // All clients are in the process of the tests, of which only the last session would stay.
        backend.container.get<ProcessTable>(ProcessTable).peerOf = async () => undefined;
        page.state = await backend.connect(page).service.hello(backend.window(page));
        [lock] = readLocks(backend.host.homeFolder);
    }

    afterEach(async () => {
        connections.splice(0).forEach(connection => connection.destroy());
        clis.splice(0).forEach(cli => cli.kill());
        await backend.stop();
    });

    async function open(port: number): Promise<RawConnection> {
        const connection = await RawConnection.open(port);
        connections.push(connection);
        return connection;
    }

    /** A socket of which the server knows nothing but that it has the token. */
    async function upgraded(): Promise<RawConnection> {
        const connection = await open(lock.port);
        const headers = [
            `Host: 127.0.0.1:${lock.port}`,
            'Connection: Upgrade',
            'Upgrade: websocket',
            'Sec-WebSocket-Version: 13',
            `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`,
            `X-Claude-Code-Ide-Authorization: ${lock.authToken}`
        ];
        connection.send(['GET / HTTP/1.1', ...headers, '', ''].join('\r\n'));
        await eventually('the answer', () => connection.status || undefined);
        return connection;
    }

    async function connect(): Promise<ClaudeClient> {
        const cli = await ClaudeClient.connect(lock, 'claude-code', backend.host.homeFolder);
        clis.push(cli);
        // Answered once the client's folder, and so its window, is known.
        await cli.call('getDiagnostics');
        return cli;
    }

    /** The client's bytes, past ws. */
    function raw(cli: ClaudeClient): { write(data: Buffer): boolean } {
        return (cli.socket as unknown as { _socket: { write(data: Buffer): boolean } })._socket;
    }

    function post(size: number): string {
        const { port, token } = backend.discovered();
        const headers = [`Host: 127.0.0.1:${port}`, `Authorization: Bearer ${token}`, 'Content-Type: application/json'];
        return ['POST /mcp HTTP/1.1', ...headers, `Content-Length: ${size}`, '', ''].join('\r\n');
    }

    async function expectServed(): Promise<void> {
        expect(await (await connect()).client.ping()).to.deep.equal({});
    }

    it('S21: a client of the socket that never introduces itself is cut, one that has stays', async () => {
        await start(QUICK);
        const cli = await connect();
        const silent = await upgraded();
        await eventually('the silent one to be cut', () => silent.closed);
        expect(await cli.client.ping()).to.deep.equal({});
        expect(backend.logger.lines).to.include('Refused a request: A client did not introduce itself in time');
    });

    it('a client that has introduced itself stays, however long its process is looked for', async () => {
        await start(QUICK);
        backend.container.get<ProcessTable>(ProcessTable).peerOf = async () => {
            await new Promise(resolve => setTimeout(resolve, 2 * QUICK.headers));
            return undefined;
        };
        const cli = await connect();
        expect(await cli.client.ping()).to.deep.equal({});
    });

    it('S21: a message that is never complete is cut, whatever pings come with it', async () => {
        await start(QUICK);
        const cli = await connect();
        raw(cli).write(Buffer.concat([headOfText(1_000), Buffer.from('{"jsonrpc"')]));
        const slow = await connect();
        raw(slow).write(headOfText(1_000).subarray(0, 5));
        const drip = setInterval(() => cli.closed || raw(cli).write(Buffer.from('x')), 50);
        try {
            await eventually('both to be cut', () => cli.closed && slow.closed);
        } finally {
            clearInterval(drip);
        }
        expect(backend.logger.lines).to.include('Refused a request: A message was not complete in time');
        await expectServed();
    });

    it('S21: pings, also in pieces, are no such message', async () => {
        await start(QUICK);
        const cli = await connect();
        const end = performance.now() + 2 * QUICK.request;
        while (performance.now() < end) {
            for (const piece of [PING.subarray(0, 3), PING.subarray(3)]) {
                raw(cli).write(piece);
                await new Promise(resolve => setTimeout(resolve, 20));
            }
        }
        expect(await cli.client.ping()).to.deep.equal({});
    });

    it('S21: messages that never end and bodies of HTTP have one budget, and one over 16 MiB at a time', async () => {
        await start();
        const first = await connect();
        const second = await connect();
        const http = await TestCli.connect(backend.discovered().port, backend.discovered().token);
        const piece = Buffer.alloc(MIB, 'x');
        const send = async (cli: ClaudeClient, mib: number): Promise<void> => {
            raw(cli).write(headOfText(90 * MIB));
            for (let sent = 0; sent < mib && !cli.closed; sent++) {
                raw(cli).write(piece);
                await new Promise(resolve => setImmediate(resolve));
            }
        };
        await send(first, 20);
        const refusal = async (): Promise<boolean> => {
            const large = await open(backend.discovered().port);
            large.send(post(17 * MIB));
            await Promise.race([eventually('a refusal', () => large.status === 503), new Promise(resolve => setTimeout(resolve, 100))]);
            return large.status === 503;
        };
        await eventually('the body of HTTP to be refused', refusal);
        await send(second, 20);
        await eventually('the second message to be refused', () => second.closed);
        expect(first.closed).to.equal(false);
        expect(await http.client.ping()).to.deep.equal({});
        await http.disconnect();
        expect(backend.logger.lines).to.include('Refused a request: Too many large messages at once');
    });

    it('S21: a large proposal is taken once another one has gone', async () => {
        await start();
        const cli = await connect();
        const { port, token } = backend.discovered();
        const http = await TestCli.connect(port, token);
        const text = 'x'.repeat(16 * MIB);
        const answer = cli.openDiff(backend.host.home('a.txt'), text);
        await eventually('the first diff', () => page.shown.length === 1);
        expect(await http.openDiff(backend.host.home('b.txt'), text)).to.deep.equal({ content: [] });
        expect(page.shown).to.have.length(2);
        await cli.closeTab(`tab of ${backend.host.home('a.txt')}`);
        await answer;
        await http.disconnect();
    });

    it('S21: connections of all listeners are counted together, and the oldest silent one gives way', async () => {
        await start({ ...DEFAULT_LISTENER_LIMITS, connections: 20 });
        const { port, token } = backend.discovered();
        const silent: RawConnection[] = [];
        for (let count = 0; count < 12; count++) {
            silent.push(await open(port), await open(lock.port));
        }
        await eventually('the first ones to give way', () => silent.slice(0, 4).every(({ closed }) => closed));
        expect(silent.filter(({ closed }) => !closed)).to.have.length(20);
        const cli = await TestCli.connect(port, token);
        expect(await cli.client.ping()).to.deep.equal({});
        await cli.disconnect();
        await expectServed();
    });

    describe('S7: above 64 sessions of the socket', () => {
        async function fill(count: number): Promise<ClaudeClient[]> {
            const all: ClaudeClient[] = [];
            while (all.length < count) {
                all.push(await connect());
            }
            return all;
        }

        it('a client that never introduced itself gives way', async () => {
            await start();
            const [first] = await fill(1);
            const silent = await Promise.all(Array.from({ length: 63 }, upgraded));
            await expectServed();
            await eventually('one of them to be cut', () => silent.some(({ closed }) => closed));
            expect(await first.client.ping()).to.deep.equal({});
        });

        it('the one gives way that is idle for longest and has no open diff', async () => {
            await start();
            const all = await fill(64);
            const answer = all[0].openDiff(backend.host.home('a.txt'), 'new');
            await eventually('the diff', () => page.shown.length === 1);
            await Promise.all(all.slice(2).map(({ client }) => client.ping()));
            await expectServed();
            await eventually('the idle one to give way', () => all[1].closed);
            expect(all.filter(({ closed }) => closed)).to.have.length(1);
            await all[0].closeTab(`tab of ${backend.host.home('a.txt')}`);
            expect(await answer).to.include('DIFF_REJECTED');
        });

        it('the new one is refused if all have an open diff', async () => {
            await start();
            const all = await fill(64);
            const answers = all.map((cli, index) => cli.openDiff(backend.host.home(`${index}.txt`), 'new').catch(() => undefined));
            await eventually('the diffs', () => page.shown.length === 64);
            expect((await upgraded()).status).to.equal(503);
            expect(all.filter(({ closed }) => closed)).to.deep.equal([]);
            all.forEach(cli => cli.kill());
            await Promise.all(answers);
        });
    });
});
