// SPDX-License-Identifier: Apache-2.0

import { Socket } from 'net';
import { PortTimings } from './port-keeper';

/** Bounds on the cost of an unknown sender. A running event stream has no limit. */
export interface ListenerLimits {
    /** Milliseconds until the headers must be there, and after an upgrade the client's introduction. */
    readonly headers: number;
    /** Milliseconds until the whole request, or the whole message, must be there. */
    readonly request: number;
    readonly connections: number;
}

export const DEFAULT_LISTENER_LIMITS: ListenerLimits = { headers: 10_000, request: 20_000, connections: 512 };

/** Bytes of all bodies and messages together: sixteen proposals of 16 MiB, or one of the largest and ten such. */
const MAX_BODIES_BYTES = 256 * 1024 * 1024;

/** Up to this size they are bounded by the number of connections alone, so that a flood of large ones delays no answer. */
const SMALL_BODY_BYTES = 64 * 1024;

/** Of those above this size only one may arrive at a time: to parse it takes several times its size of V8's heap, which a small pod does not have. */
const LARGE_BODY_BYTES = 16 * 1024 * 1024;

/** Twice as many as there are windows at most. Each costs two file descriptors and a shell. */
const MAX_HELD_PORTS = 200;

/** Bounds on the cost of senders for all listeners of a backend: one process has one heap and one number of file descriptors. */
export class ListenerBudget {
    protected readonly connections = new Set<Socket>();
    /** The connections without a request that is being answered, the oldest first. */
    protected readonly idle = new Set<Socket>();
    /** The bytes of what is arriving, by its sender. */
    protected readonly bodies = new Map<object, number>();
    /** Give up the ports of servers that have ended, the oldest first. */
    protected readonly held = new Set<() => void>();

    constructor(
        readonly limits = DEFAULT_LISTENER_LIMITS,
        protected readonly maxBytes = MAX_BODIES_BYTES
    ) {}

    /**
     * Node's own bound drops the newest connection. Somebody who keeps enough silent ones open would lock out the CLIs, which make one
     * for each request. Here the connection that has been silent for longest gives way.
     *
     * @returns whether there was room without that
     */
    admit(socket: Socket): boolean {
        this.connections.add(socket);
        this.idle.add(socket);
        socket.once('close', () => this.forget(socket));
        if (this.connections.size <= this.limits.connections) {
            return true;
        }
        const [oldest] = this.idle;
        this.forget(oldest);
        oldest.destroy();
        return false;
    }

    /** It does not give way to others while it is busy. */
    setBusy(socket: Socket, busy: boolean): void {
        if (busy) {
            this.idle.delete(socket);
        } else if (this.connections.has(socket)) {
            this.idle.add(socket);
        }
    }

    /**
     * Holds memory for the one body or message that a sender has under way, until {@link release}.
     *
     * @returns false if there is not enough; what was held for the sender before stays
     */
    hold(sender: object, bytes: number): boolean {
        if (bytes <= SMALL_BODY_BYTES) {
            return true;
        }
        const others = [...this.bodies].flatMap(([other, size]) => (other === sender ? [] : size));
        const sum = others.reduce((total, size) => total + size, bytes);
        if (sum > this.maxBytes || (bytes > LARGE_BODY_BYTES && others.some(size => size > LARGE_BODY_BYTES))) {
            return false;
        }
        this.bodies.set(sender, bytes);
        return true;
    }

    release(sender: object): void {
        this.bodies.delete(sender);
    }

    /** @param giveUp called after {@link PortTimings.keptMs}, or sooner if others come: a page may switch the companion off and on in a loop */
    holdPort(giveUp: () => void): void {
        const end = (): void => {
            clearTimeout(timer);
            this.held.delete(end);
            giveUp();
        };
        const timer = setTimeout(end, PortTimings.keptMs).unref();
        this.held.add(end);
        if (this.held.size > MAX_HELD_PORTS) {
            const [oldest] = this.held;
            oldest();
        }
    }

    protected forget(socket: Socket): void {
        this.connections.delete(socket);
        this.idle.delete(socket);
    }
}
