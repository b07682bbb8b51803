// SPDX-License-Identifier: Apache-2.0

import { Socket } from 'net';
import { WebSocket } from '@theia/core/shared/ws';
import { ListenerBudget } from '../http/listener-budget';

/** Bytes of a client's ping or pong beside its data (RFC 6455, section 5.2). */
const CONTROL_FRAME_HEAD_BYTES = 6;

/**
 * Bounds the message that a client is sending: how long it may take, and what it takes of the budget. After the upgrade, Node's limits for
 * requests do not count any more, and ws (8.23) bounds only the size of each message. What begins in the piece of the stream in which a message
 * ends, 64 KiB at most, is noticed with the next piece.
 */
export class MessageBounds {
    /** Bytes that have arrived of the message that is not complete. */
    protected arrived = 0;
    protected timer: NodeJS.Timeout | undefined;

    /** @param exceed is called with the reason, one of a fixed set */
    constructor(
        protected readonly socket: Socket,
        protected readonly webSocket: WebSocket,
        protected readonly budget: ListenerBudget,
        protected readonly exceed: (reason: string) => void
    ) {
        // Before ws sees it: a message that ends in this piece is no longer under way behind it.
        socket.prependListener('data', (piece: Buffer) => this.add(piece.length));
        webSocket.on('message', () => this.setArrived(0));
        // They may stand between the pieces of a message, and end none.
        webSocket.on('ping', data => this.add(-CONTROL_FRAME_HEAD_BYTES - data.length));
        webSocket.on('pong', data => this.add(-CONTROL_FRAME_HEAD_BYTES - data.length));
        webSocket.on('close', () => this.setArrived(0));
    }

    protected add(bytes: number): void {
        this.setArrived(Math.max(0, this.arrived + bytes));
    }

    protected setArrived(bytes: number): void {
        this.arrived = bytes;
        if (bytes === 0) {
            clearTimeout(this.timer);
            this.timer = undefined;
            this.budget.release(this.socket);
        } else if (this.budget.hold(this.socket, bytes)) {
            this.timer ??= this.startTimer();
        } else {
            this.exceed('Too many large messages at once');
        }
    }

    protected startTimer(): NodeJS.Timeout {
        return setTimeout(() => {
            if (this.webSocket.isPaused) {
                // It is we who do not read.
                this.timer = this.startTimer();
            } else {
                this.exceed('A message was not complete in time');
            }
        }, this.budget.limits.request).unref();
    }
}
