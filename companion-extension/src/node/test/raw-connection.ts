// SPDX-License-Identifier: Apache-2.0

import { once } from 'events';
import * as net from 'net';

/** The client's end of a connection. It sends exactly what the test says, also what no HTTP client sends. */
export class RawConnection {
    received = '';
    /** The server sends nothing more. */
    closed = false;

    private constructor(readonly socket: net.Socket) {
        socket.setEncoding('latin1');
        socket.on('data', (text: string) => (this.received += text));
        socket.on('error', () => undefined);
        socket.on('end', () => (this.closed = true));
        socket.on('close', () => (this.closed = true));
    }

    static async open(place: number | string): Promise<RawConnection> {
        // Half-open: the end of what the server sends does not end what we send.
        const target = typeof place === 'number' ? { port: place, host: '127.0.0.1' } : { path: place };
        const socket = net.connect({ ...target, allowHalfOpen: true });
        const connection = new RawConnection(socket);
        await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
        return connection;
    }

    send(text: string): void {
        this.socket.write(text, 'latin1');
    }

    get status(): number {
        return Number(/^HTTP\/1\.1 (\d{3})/.exec(this.received)?.[1] ?? 0);
    }

    destroy(): void {
        this.socket.destroy();
    }
}
