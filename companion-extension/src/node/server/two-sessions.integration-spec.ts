// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { promises as fs } from 'fs';
import { RawConnection } from '../test/raw-connection';
import { eventually, TestCli } from '../test/test-cli';
import { TestServer } from '../test/test-server';
import { closedContent } from '../test/tool-results';

describe('IdeServer with the official MCP client, connected twice', () => {
    let test: TestServer;
    let cli: TestCli;
    TestServer.forEachTest((started, connected) => ([test, cli] = [started, connected]));

    describe('diffs of a process that has two sessions, as after /ide enable', () => {
        let file: string;

        beforeEach(() => (file = test.file('a.txt')));

        it('the diff of its newer session replaces the older one: an answer to that comes late', async () => {
            await cli.openDiff(file, 'first');
            const later = await connectAgain();
            await later.openDiff(file, 'second');
            expect(test.shown.map(({ state }) => state)).to.deep.equal(['replaced', 'waiting']);
            expect(test.accept(test.shown[0]).result).to.equal('late');
            test.accept(test.shown[1]);
            expect((await later.next('ide/diffAccepted')).params).to.deep.equal({ filePath: file, content: 'second' });
            expect([...(await cli.settled()), ...(await later.settled())]).to.deep.equal([]);
        });

        for (const older of [true, false]) {
            it(`its ${older ? 'older' : 'newer'} session closes the diff of the other one`, async () => {
                const later = await connectAgain();
                await (older ? later : cli).openDiff(file, 'new');
                expect(closedContent(await (older ? cli : later).closeDiff(file))).to.equal('new');
                expect(test.shown[0].state).to.equal('closed');
                expect([...(await cli.settled()), ...(await later.settled())]).to.deep.equal([]);
            });
        }

        it('an answer that still waits for the older session does not answer the newer diff', async () => {
            const later = await connectAgain();
            await cli.openDiff(file, 'first');
            await cli.openDiff(test.file('b.txt'), 'other');
            const [earlier] = test.server.sessions.all();
            cli.muteStream();
            test.accept(test.shown[0]);
            test.accept(test.shown[1]);
            await cli.settled();
            await later.openDiff(file, 'second');
            cli.cutStream();
            await eventually('the lost stream to be noticed', () => earlier.state === 'lost');
            expect((await later.next('ide/diffAccepted')).params).to.deep.equal({ filePath: test.file('b.txt'), content: 'other' });
            expect([...(await cli.settled()), ...(await later.settled())]).to.deep.equal([]);
        });

        it('an answer that waits for a stream is not handed over to the session that asks again', async () => {
            await cli.openDiff(file, 'first');
            await waitForProcesses();
            const [earlier] = test.server.sessions.all();
            await cli.disconnect();
            await eventually('the lost stream to be noticed', () => earlier.state === 'lost');
            test.accept(test.shown[0]);
            const id = await sessionWithoutStream();
            await openDiffOn(id, 'second');
            const stream = await streamOf(id);
            await waitForProcesses();
            test.reject(test.shown[1]);
            await eventually('the answer to the newer diff', () => stream.received.includes('ide/diffRejected'));
            expect(stream.received).not.to.include('ide/diffAccepted');
            stream.destroy();
        });

        it('a process that is found while its session asks counts already: the older diff is closed', async () => {
            await cli.openDiff(file, 'first');
            await waitForProcesses();
            const { readFile } = fs;
            let goOn = (): void => undefined;
            const held = new Promise<void>(resolve => (goOn = resolve));
            let looking = false;
            const patched = async (...args: Parameters<typeof readFile>): Promise<string | Buffer> => {
                // The first thing that is read to look for a process.
                if (args[0] === '/proc/net/tcp') {
                    looking = true;
                    await held;
                }
                return readFile(...args);
            };
            fs.readFile = patched as typeof readFile;
            try {
                const later = await test.connect();
                await eventually('the process to be looked for', () => looking);
                const opening = later.openDiff(file, 'second');
                const closing = later.closeDiff(file);
                await later.client.ping();
                goOn();
                await opening;
                expect(closedContent(await closing)).to.equal('second');
                expect(test.reviews.waiting().map(({ proposal }) => proposal)).to.deep.equal([]);
            } finally {
                fs.readFile = readFile;
                goOn();
            }
        });

        it('if the process becomes known only afterwards, the newer of the two diffs stays', async () => {
            await cli.openDiff(file, 'first');
            await waitForProcesses();
            const id = await sessionWithoutStream();
            await openDiffOn(id, 'second');
            expect(test.shown.map(({ state }) => state)).to.deep.equal(['waiting', 'waiting']);
            const stream = await streamOf(id);
            await eventually('the older diff to be closed', () => test.shown[0].state === 'replaced');
            expect(test.shown[1].state).to.equal('waiting');
            stream.destroy();
        });

        async function connectAgain(): Promise<TestCli> {
            const later = await test.connect();
            await waitForProcesses();
            return later;
        }

        async function sessionWithoutStream(): Promise<string> {
            const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } };
            const response = await test.post({ jsonrpc: '2.0', id: 0, method: 'initialize', params });
            await response.text();
            return response.headers.get('mcp-session-id') ?? '';
        }

        async function openDiffOn(id: string, newContent: string): Promise<void> {
            const params = { name: 'openDiff', arguments: { filePath: file, newContent } };
            const response = await test.post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }, { 'Mcp-Session-Id': id });
            expect(await response.text()).to.include('"content":[]');
        }

        async function streamOf(id: string): Promise<RawConnection> {
            const stream = await RawConnection.open(test.server.port);
            const headers = [`Host: 127.0.0.1:${test.server.port}`, `Authorization: Bearer ${test.token()}`, `Mcp-Session-Id: ${id}`];
            stream.send(['GET /mcp HTTP/1.1', ...headers, 'Accept: text/event-stream', '', ''].join('\r\n'));
            await eventually('the stream', () => stream.status === 200);
            return stream;
        }
    });

    async function waitForProcesses(): Promise<void> {
        await eventually('the processes to be found', () => test.server.sessions.all().every(({ peer }) => peer !== undefined));
    }
});
