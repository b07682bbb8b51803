// SPDX-License-Identifier: Apache-2.0

import { RawData, WebSocket } from '@theia/core/shared/ws';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { JSONRPCMessage, JSONRPCMessageSchema, RequestId } from '@modelcontextprotocol/sdk/types.js';

/** Bytes that may wait for a client that does not read. Until it reads, nothing more is taken from it, so that no more answers can wait. */
const UNREAD_LIMIT_BYTES = 1024 * 1024;
/** Requests of a client that may wait for their answers at one time. Until some are answered, nothing more is taken from it. */
const UNANSWERED_LIMIT = 256;

/** How a connection is closed (RFC 6455, section 7.4.1). */
const GOING_AWAY = 1001;
const BINARY = 1003;
const MALFORMED = 1007;

/** How long a client may take to answer the closing handshake. */
const CLOSE_GRACE_MS = 200;

/** MCP over one WebSocket: one message of JSON-RPC in each text frame. Nothing is read before it is started. */
export class SocketTransport implements Transport {
    onmessage?: (message: JSONRPCMessage) => void;
    onclose?: () => void;
    onerror?: (error: Error) => void;
    /** The client has read what it was sent. */
    ondrain?: () => void;
    /** When the last message came, or it was made; as `performance.now` counts. */
    lastReceived = performance.now();

    /** The ids of requests that wait for their answers. */
    protected readonly unanswered = new Set<RequestId>();

    constructor(protected readonly socket: WebSocket) {
        socket.pause();
        socket.on('message', (data, isBinary) => this.receive(data, isBinary));
        // Such as a frame that is too large: the library closes the connection.
        socket.on('error', error => this.onerror?.(error));
        socket.on('close', () => this.onclose?.());
    }

    /** Whether the client reads what it is sent, as far as is known. */
    get isReading(): boolean {
        return this.socket.readyState === WebSocket.OPEN && this.socket.bufferedAmount === 0;
    }

    async start(): Promise<void> {
        this.socket.resume();
    }

    send(message: JSONRPCMessage): Promise<void> {
        return new Promise((resolve, reject) => {
            if (!('method' in message) && message.id !== undefined) {
                this.unanswered.delete(message.id);
            }
            this.socket.send(JSON.stringify(message), error => {
                if (error) {
                    reject(error);
                } else {
                    resolve();
                    this.readOrWait();
                    if (this.isReading) {
                        this.ondrain?.();
                    }
                }
            });
            this.readOrWait();
        });
    }

    /** Only the first reason is sent. */
    async close(reason = ''): Promise<void> {
        this.end(GOING_AWAY, reason);
    }

    protected readOrWait(): void {
        if (this.socket.bufferedAmount > UNREAD_LIMIT_BYTES || this.unanswered.size >= UNANSWERED_LIMIT) {
            this.socket.pause();
        } else {
            this.socket.resume();
        }
    }

    protected receive(data: RawData, isBinary: boolean): void {
        this.lastReceived = performance.now();
        if (isBinary) {
            this.end(BINARY, 'Only text is understood');
            return;
        }
        const message = parse(String(data));
        if (!message || this.isAskedAgain(message)) {
            this.end(MALFORMED, 'Not a message of JSON-RPC, or a request whose id another one has that waits');
        } else {
            if ('method' in message && 'id' in message) {
                this.unanswered.add(message.id);
                this.readOrWait();
            }
            this.onmessage?.(message);
        }
    }

    protected isAskedAgain(message: JSONRPCMessage): boolean {
        return 'method' in message && 'id' in message && this.unanswered.has(message.id);
    }

    protected end(code: number, reason: string): void {
        this.socket.close(code, reason);
        // A client that does not read would never see the end, and keep the connection.
        setTimeout(() => this.socket.terminate(), CLOSE_GRACE_MS).unref();
    }
}

function parse(text: string): JSONRPCMessage | undefined {
    try {
        return JSONRPCMessageSchema.safeParse(JSON.parse(text)).data;
    } catch {
        return undefined;
    }
}
