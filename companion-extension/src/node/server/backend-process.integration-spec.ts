// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import * as fs from 'fs';
import { problemText } from '../../common/problem-text';
import { BackendConditions, BackendProcess } from '../test/backend-process';
import { readLocks } from '../test/claude-client';
import { RawConnection } from '../test/raw-connection';
import { eventually, TestCli } from '../test/test-cli';

/** A rejection that nobody handles is an uncaught exception. */
const STRICT = ['--unhandled-rejections=strict'];

describe('A backend process', () => {
    let backend: BackendProcess;
    let folder: string | undefined;

    async function begin(conditions?: BackendConditions): Promise<{ port: number; token: string }> {
        backend = BackendProcess.start(conditions);
        const reply = await backend.run({ do: 'hello', windowId: 'window-1' });
        folder = reply.folder;
        return reply.discovered ?? { port: 0, token: '' };
    }

    function files(): string[] {
        return (
            fs
                .readdirSync(folder ?? '', { recursive: true, withFileTypes: true })
                // What terminals name that outlive the backend stays, and so does the installation's id.
                .filter(entry => entry.isFile() && !/^(qwen-defaults(-ask)?\.json|installation)$/.test(entry.name))
                .map(entry => entry.name)
        );
    }

    afterEach(async () => {
        await backend.end('SIGKILL');
        fs.rmSync(folder ?? '', { recursive: true, force: true });
    });

    for (const how of ['SIGTERM', 'SIGINT', 'SIGHUP', 'exit'] as const) {
        it(`L3, S11: leaves no file at its end by ${how}`, async () => {
            await begin();
            expect(files()).to.have.length.above(2);
            await backend.end(how);
            expect(files()).to.deep.equal([]);
        });
    }

    it('goes on as it is if the host has a listener of its own for SIGHUP, which ends nothing', async () => {
        const { port, token } = await begin();
        await backend.run({ do: 'listenToHangUps' });
        for (let count = 1; count <= 2; count++) {
            backend.child.kill('SIGHUP');
            await eventually('the signal', async () => (await backend.run({ do: 'state' })).hangUps === count);
        }
        expect(files()).to.have.length.above(2);
        const cli = await TestCli.connect(port, token);
        expect(await cli.client.ping()).to.deep.equal({});
        await cli.disconnect();
    });

    it('leaves no error without a listener where no file descriptor is free, whatever is asked of it', async () => {
        const { port, token } = await begin({ descriptors: 120, options: STRICT });
        const [lock] = readLocks(`${folder}/home`);
        const [http, socket] = [await RawConnection.open(port), await RawConnection.open(lock.port)];
        await backend.run({ do: 'occupy' });
        const initialize = '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}';
        http.send(
            [
                'POST /mcp HTTP/1.1',
                `Host: 127.0.0.1:${port}`,
                `Authorization: Bearer ${token}`,
                'Content-Type: application/json',
                `Content-Length: ${initialize.length}`,
                '',
                initialize
            ].join('\r\n')
        );
        await eventually('the end of the request', () => http.closed);
        // Its end has freed a descriptor.
        await backend.run({ do: 'occupy' });
        // The module that serves it is not loaded yet, and cannot be.
        socket.send(
            [
                'GET / HTTP/1.1',
                `Host: 127.0.0.1:${lock.port}`,
                'Connection: Upgrade',
                'Upgrade: websocket',
                'Sec-WebSocket-Version: 13',
                'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
                `X-Claude-Code-Ide-Authorization: ${lock.authToken}`,
                '',
                ''
            ].join('\r\n')
        );
        await eventually('the end of the socket', () => socket.closed);
        await backend.run({ do: 'diagnose' });
        const { uncaught } = await backend.run({ do: 'release' });
        expect(uncaught).to.deep.equal([]);
        [http, socket].forEach(connection => connection.destroy());
    });

    it('leaves no error without a listener where no program can be started', async () => {
        await begin({ options: STRICT });
        await backend.run({ do: 'refuseSpawn' });
        const { diagnosis } = await backend.run({ do: 'diagnose' });
        expect(diagnosis?.clis.map(({ steps }) => steps.some(({ id }) => id === 'step.failed'))).to.include(true);
        expect((await backend.run({ do: 'state' })).uncaught).to.deep.equal([]);
    });

    it('survives without a free file descriptor, says so, and serves again when there are some', async () => {
        const { port, token } = await begin({ descriptors: 120 });
        await backend.run({ do: 'occupy' });
        const failed = await TestCli.connect(port, token).then(
            () => false,
            () => true
        );
        expect(failed).to.equal(true);
        await backend.run({ do: 'occupy' });
        const { state } = await backend.run({ do: 'hello', windowId: 'window-2' });
        expect(state?.status.state).to.equal('failed');
        expect(state?.status.problems.map(problemText).join(' ')).to.include('EMFILE');
        await backend.run({ do: 'release' });
        const ready = async (): Promise<boolean> => {
            const reply = await backend.run({ do: 'state', windowId: 'window-2' });
            return reply.state?.status.state === 'ready' && reply.uncaught.length === 0;
        };
        await eventually('the second window to be served', ready);
        const cli = await TestCli.connect(port, token);
        expect(await cli.client.ping()).to.deep.equal({});
        await cli.disconnect();
    });

    it('a backend process that is blocked for 5 s keeps its CLIs: no error, and requests are answered afterwards', async () => {
        const { port, token } = await begin();
        const cli = await TestCli.connect(port, token);
        await cli.client.ping();
        const blocked = backend.run({ do: 'block', ms: 5_000 });
        const answers: Array<Promise<unknown>> = [];
        for (let index = 0; index < 4; index++) {
            await new Promise(resolve => setTimeout(resolve, 1_000));
            answers.push(cli.client.ping());
        }
        await blocked;
        expect(await Promise.all(answers)).to.deep.equal([{}, {}, {}, {}]);
        expect(cli.errors).to.deep.equal([]);
        const result = await cli.openDiff(`${folder}/home/a.txt`, 'new');
        expect(result).to.deep.equal({ content: [] });
        await cli.disconnect();
    });
});
