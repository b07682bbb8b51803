// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { spawn } from 'child_process';
import { once } from 'events';
import * as net from 'net';
import { findPeerProcess } from './peer-process';

describe('findPeerProcess', () => {
    let server: net.Server;
    let port: number;

    beforeEach(async () => {
        server = net.createServer().listen(0, '127.0.0.1');
        await once(server, 'listening');
        port = (server.address() as net.AddressInfo).port;
    });

    afterEach(() => server.close());

    const onLinux = process.platform === 'linux' ? it : xit;
    onLinux('finds the pid and the folder of another process', async () => {
        const code = `require('net').connect(${port}, '127.0.0.1').on('close', () => process.exit())`;
        const child = spawn(process.execPath, ['-e', code], { cwd: '/' });
        const [socket] = (await once(server, 'connection')) as [net.Socket];
        const peer = await findPeerProcess(port, socket.remotePort ?? 0);
        expect(peer).to.include({ pid: child.pid, folder: '/' });
        expect(peer?.startTime).to.match(/^\d+$/);
        socket.destroy();
        await once(child, 'exit');
    });

    it('is undefined where nobody holds the other end, and where there is no process file system', async () => {
        expect(await findPeerProcess(port, 1)).to.equal(undefined);
        expect(await findPeerProcess(port, 1, '/nowhere')).to.equal(undefined);
    });
});
