// SPDX-License-Identifier: Apache-2.0

import { promises as fs } from 'fs';
import * as http from 'http';
import { AddressInfo, connect, Socket } from 'net';
import { Duplex } from 'stream';
import { join, pass } from '../../../e2e/lib/support/forward-proxy';
import { giveBackPort, takePort } from '../../../e2e/lib/support/usual-ports';

/** A platform's proxy: it serves the IDE below a path, and cuts every socket on which nothing was said for a while. */
export class PathProxy {
    cuts = 0;
    private readonly prefix = '/sessions/alice';

    private constructor(
        private readonly server: http.Server,
        private readonly target: URL,
        private readonly patience: number
    ) {
        server.on('request', (request, response) => this.forward(request, response));
        server.on('upgrade', (request, socket, head) => this.upgrade(request, socket, head));
        server.on('connection', socket => this.cutWhenIdle(socket));
    }

    /** @param patience in milliseconds */
    static async start(target: string, patience: number): Promise<PathProxy> {
        const server = http.createServer();
        const port = await takePort();
        await new Promise<void>(resolve => server.listen(port, '127.0.0.1', resolve));
        return new PathProxy(server, new URL(target), patience);
    }

    get url(): string {
        return `http://127.0.0.1:${this.port}${this.prefix}`;
    }

    private get port(): number {
        return (this.server.address() as AddressInfo).port;
    }

    dispose(): void {
        giveBackPort(this.port);
        this.server.close();
        this.server.closeAllConnections();
    }

    private forward(request: http.IncomingMessage, response: http.ServerResponse): void {
        const path = this.pathOf(request);
        if (path === undefined) {
            response.writeHead(404).end();
            return;
        }
        const { method, headers } = request;
        pass(request, response, http.request(this.target, { method, headers, path }));
    }

    private upgrade(request: http.IncomingMessage, client: Duplex, head: Buffer): void {
        const path = this.pathOf(request);
        if (path === undefined) {
            client.destroy();
            return;
        }
        const backend = connect(Number(this.target.port), this.target.hostname, () => {
            const headers = request.rawHeaders.flatMap((value, index, all) => (index % 2 === 0 ? [`${value}: ${all[index + 1]}`] : []));
            backend.write(`${[`GET ${path} HTTP/1.1`, ...headers].join('\r\n')}\r\n\r\n`);
            backend.write(head);
        });
        this.cutWhenIdle(backend);
        join(client, backend);
    }

    private pathOf({ url = '' }: http.IncomingMessage): string | undefined {
        return url.startsWith(this.prefix) ? url.slice(this.prefix.length) || '/' : undefined;
    }

    private cutWhenIdle(socket: Socket): void {
        socket.setTimeout(this.patience, () => {
            this.cuts++;
            socket.destroy();
        });
    }
}

/** The IPv4 addresses that something listens on at this port, as `/proc` writes them: `0100007F` is loopback, `00000000` all. */
export async function listeningAddresses(port: number): Promise<string[]> {
    const wanted = port.toString(16).toUpperCase().padStart(4, '0');
    const rows = (await fs.readFile('/proc/net/tcp', 'utf8')).split('\n').map(row => row.trim().split(/\s+/));
    const LISTEN = '0A';
    return rows.flatMap(([, local = '', , state]) => (state === LISTEN && local.endsWith(`:${wanted}`) ? [local.split(':')[0]] : []));
}
