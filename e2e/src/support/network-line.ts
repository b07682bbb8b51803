// SPDX-License-Identifier: Apache-2.0

import { Transform } from 'stream';
import { delay } from './eventually';

export interface LineSpeed {
    readonly bitsPerSecond: number;
    /** In milliseconds. */
    readonly latency: number;
}

/** One direction of a network line. All connections share it: what one sends, the others wait for. */
export class NetworkLine {
    /** What went over it. */
    bytes = 0;
    /** As fast as the machine where it is not set. */
    speed: LineSpeed | undefined;
    /** When all is sent that it was given, by `performance.now()`. */
    private free = 0;

    /** The way of one connection. */
    stream(): Transform {
        let arrived: Promise<unknown> = Promise.resolve();
        const stream: Transform = new Transform({
            transform: (chunk: Buffer, _encoding, sent) => {
                const { speed } = this;
                this.bytes += chunk.length;
                const left = speed ? this.send(chunk.length, speed) : Promise.resolve();
                // In the order in which they left.
                arrived = Promise.all([arrived, left.then(() => speed && delay(speed.latency))]).then(() => stream.push(chunk));
                void left.then(() => sent());
            },
            flush: done => void arrived.then(() => done())
        });
        return stream;
    }

    private send(bytes: number, { bitsPerSecond }: LineSpeed): Promise<void> {
        const now = performance.now();
        this.free = Math.max(this.free, now) + (bytes * 8_000) / bitsPerSecond;
        return delay(this.free - now);
    }
}
