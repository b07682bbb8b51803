// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { ChildProcess } from 'child_process';
import * as fs from 'fs';
import { createServer } from 'net';
import { BackendProcess } from '../test/backend-process';
import { readLocks } from '../test/claude-client';
import { FaultyBackend } from '../test/faulty-backend';
import { RawConnection } from '../test/raw-connection';
import { eventually, TestCli } from '../test/test-cli';

/** As another user of the machine would. @returns why not */
async function bind(port: number): Promise<string> {
    const server = createServer();
    const failure = await new Promise<string>(resolve => {
        server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
        server.listen(port, '127.0.0.1', () => resolve(''));
    });
    server.close();
    return failure;
}

/** @returns what a client gets that connects, once its connection has ended */
async function answerOf(port: number): Promise<string> {
    const connection = await RawConnection.open(port);
    connection.send(`GET /mcp HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
    await eventually('the end of the connection', () => connection.closed);
    return connection.received;
}

/** Lists the processes that have the listening socket of a port, and work in no folder. */
function keepersOf(port: number): Array<{ pid: number; files: Set<string>; port: string }> {
    const address = `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`;
    const rows = fs.readFileSync('/proc/net/tcp', 'utf8').split('\n');
    const inode = rows.map(row => row.trim().split(/\s+/)).find(([, local, , state]) => local === address && state === '0A')?.[9];
    const own = `socket:[${inode}]`;
    return fs.readdirSync('/proc').flatMap(name => {
        try {
            const folder = `/proc/${Number(name)}`;
            const files = new Set(fs.readdirSync(`${folder}/fd`).map(fd => fs.readlinkSync(`${folder}/fd/${fd}`)));
            return files.has(own) && fs.readlinkSync(`${folder}/cwd`) === '/' ? [{ pid: Number(name), files, port: own }] : [];
        } catch {
            // It has ended, or is another user's.
            return [];
        }
    });
}

function groupOf(pid: number): string {
    return fs.readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')[2];
}

describe('The ports of a backend process that has ended', () => {
    let backend: BackendProcess;
    let folder: string;
    let ports: number[];

    beforeEach(async () => {
        backend = BackendProcess.start();
        const reply = await backend.run({ do: 'hello', windowId: 'window-1' });
        folder = reply.folder;
        ports = [reply.discovered?.port ?? 0, readLocks(`${folder}/home`)[0].port];
    });

    afterEach(async () => {
        await backend.end('SIGKILL');
        fs.rmSync(folder, { recursive: true, force: true });
        await Promise.all(ports.map(port => eventually('the port to be free', async () => (await bind(port)) === '')));
    });

    for (const how of ['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP', 'exit'] as const) {
        it(`S24: stay taken after an end by ${how}, and who connects is cut without an answer`, async () => {
            await backend.end(how);
            expect(await Promise.all(ports.map(bind))).to.deep.equal(['EADDRINUSE', 'EADDRINUSE']);
            expect(await Promise.all(ports.map(answerOf))).to.deep.equal(['', '']);
            expect(await Promise.all(ports.map(bind))).to.deep.equal(['EADDRINUSE', 'EADDRINUSE']);
        });
    }

    it('S24: are kept by a process that has nothing but the port and a pipe, and that Ctrl+C does not reach', async () => {
        for (const port of ports) {
            const [keeper, ...others] = await eventually('the keeper', () => keepersOf(port).length > 0 && keepersOf(port));
            expect(others).to.deep.equal([]);
            const files = [...keeper.files].filter(file => file !== keeper.port);
            expect(files.map(file => file.replace(/\[.*/, '')).sort()).to.deep.equal(['/dev/null', 'socket:']);
            expect(groupOf(keeper.pid)).not.to.equal(groupOf(backend.child.pid ?? 0));
        }
    });
});

describe('The port of a server that has ended, in a backend that goes on', () => {
    let backend: FaultyBackend;
    FaultyBackend.forEachTest(made => (backend = made));

    it('S24: stays taken for a while; a CLI that asks again is cut, and then neither port nor keeper is left', async () => {
        await backend.hello();
        const { port, token } = backend.discovered();
        const cli = await TestCli.connect(port, token, 50);
        await eventually('its keeper', () => keepersOf(port).length === 1);
        const connection = backend.connect(backend.page);
        await connection.service.hello(backend.window(backend.page, { enabled: false }));
        expect([await bind(port), await answerOf(port)]).to.deep.equal(['EADDRINUSE', '']);
        await eventually('the CLI to see that its server is gone', () => cli.errors.length > 0);
        await eventually('the port to be free', async () => (await bind(port)) === '');
        expect(keepersOf(port)).to.deep.equal([]);
        await cli.disconnect();
    });

    it('S24: a window that is switched on again meanwhile has another port and other tokens, for which its CLIs look', async () => {
        await backend.hello();
        const before = backend.discovered();
        const { service } = backend.connect(backend.page);
        await service.hello(backend.window(backend.page, { enabled: false }));
        await backend.hello();
        const after = backend.discovered();
        expect([after.port, after.token]).not.to.include.members([before.port, before.token]);
        expect(await bind(before.port)).to.equal('EADDRINUSE');
        const cli = await TestCli.connect(after.port, after.token);
        expect(await cli.client.ping()).to.deep.equal({});
        await cli.disconnect();
    });

    it('is served, and the log says so once, where no program can be started', async () => {
        // As Node reports what it does not report by an event.
        backend.replace(ChildProcess.prototype as unknown as { spawn(): void }, 'spawn', () => {
            throw Object.assign(new Error('spawn ENOMEM'), { code: 'ENOMEM', syscall: 'spawn' });
        });
        await backend.hello();
        const { port, token } = backend.discovered();
        const cli = await TestCli.connect(port, token);
        expect(await cli.client.ping()).to.deep.equal({});
        await cli.disconnect();
        expect(backend.logged('No shell can keep')).to.have.length.of.at.least(1);
    });
});
