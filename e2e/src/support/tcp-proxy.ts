// SPDX-License-Identifier: Apache-2.0

import { AddressInfo, connect, createServer, Server, Socket } from 'net';
import { NetworkLine } from './network-line';
import { giveBackPort, takePort } from './usual-ports';

/** A proxy between browser and backend that can cut connections, as a network or a sleeping laptop does, or slow them down. */
export class TcpProxy {
    /** From the browser to the backend, and back. */
    readonly uplink = new NetworkLine();
    readonly downlink = new NetworkLine();
    private readonly sockets = new Set<Socket>();
    private isCut = true;

    private constructor(
        private readonly server: Server,
        private target: URL | undefined
    ) {
        server.on('connection', socket => this.relay(socket));
    }

    /** Lets nothing through until {@link restore} says where the backend is. */
    static async start(): Promise<TcpProxy> {
        const server = createServer();
        const proxy = new TcpProxy(server, undefined);
        const port = await takePort();
        await new Promise<void>(resolve => server.listen(port, '127.0.0.1', resolve));
        return proxy;
    }

    get url(): string {
        return `http://127.0.0.1:${this.port}`;
    }

    private get port(): number {
        return (this.server.address() as AddressInfo).port;
    }

    /** Ends every connection, and lets none through until {@link restore}. */
    cut(): void {
        this.isCut = true;
        this.sockets.forEach(socket => socket.destroy());
    }

    /** @param target where the backend is now, if it is another one */
    restore(target?: string): void {
        this.target = target === undefined ? this.target : new URL(target);
        this.isCut = false;
    }

    async dispose(): Promise<void> {
        this.cut();
        giveBackPort(this.port);
        await new Promise<void>(resolve => this.server.close(() => resolve()));
    }

    private relay(client: Socket): void {
        if (this.isCut || !this.target) {
            client.destroy();
            return;
        }
        const backend = connect(Number(this.target.port), this.target.hostname);
        const end = (): void => {
            client.destroy();
            backend.destroy();
        };
        for (const socket of [client, backend]) {
            this.sockets.add(socket);
            socket.on('error', end);
            socket.on('close', () => {
                this.sockets.delete(socket);
                end();
            });
        }
        client.pipe(this.uplink.stream()).pipe(backend).pipe(this.downlink.stream()).pipe(client);
    }
}
