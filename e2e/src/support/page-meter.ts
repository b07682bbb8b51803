// SPDX-License-Identifier: Apache-2.0

import { Page } from '@playwright/test';
import { eventually } from './eventually';

/** What page and backend said to each other on the companion's channel. */
export interface Traffic {
    readonly messages: number;
    readonly bytes: number;
    /** When the last message came or went, in milliseconds since the epoch. */
    readonly last: number;
}

export interface PageMeter {
    traffic(): Traffic;
    /** Timeouts and intervals of the page that have not ended. */
    timers(): number;
}

declare global {
    interface Window {
        companionMeter: PageMeter;
    }
}

/** A page that says nothing for so long has said all. */
const QUIET = 300;

/**
 * Runs in the page before Theia does, so it must not use anything from outside itself. Each message of Theia's RPC is one binary frame:
 * a byte, the length of the channel's name in four bytes, the name, and the message. The socket starts as HTTP requests, which are not
 * counted: it is a web socket before the page is ready.
 */
export function installPageMeter(): void {
    const header = 5;
    const channel = '/services/companion';
    const decoder = new TextDecoder();
    let traffic = { messages: 0, bytes: 0, last: 0 };
    const bytesOf = (data: unknown): Uint8Array | undefined => {
        if (ArrayBuffer.isView(data)) {
            return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
        }
        return data instanceof ArrayBuffer ? new Uint8Array(data) : undefined;
    };
    const note = (data: unknown): void => {
        const frame = bytesOf(data);
        if (frame && decoder.decode(frame.subarray(header, header + channel.length)) === channel) {
            const { messages, bytes } = traffic;
            traffic = { messages: messages + 1, bytes: bytes + frame.length, last: performance.timeOrigin + performance.now() };
        }
    };
    window.WebSocket = class extends WebSocket {
        constructor(url: string | URL, protocols?: string | string[]) {
            super(url, protocols);
            this.addEventListener('message', ({ data }) => note(data));
        }

        override send(data: string | ArrayBufferLike | Blob | ArrayBufferView): void {
            note(data);
            super.send(data as string);
        }
    };
    const timers = new Set<number>();
    const { setTimeout, clearTimeout, setInterval, clearInterval } = window;
    const call = (handler: TimerHandler, args: unknown[]): void => (handler as (...args: unknown[]) => void)(...args);
    window.setTimeout = ((handler: TimerHandler, delay?: number, ...args: unknown[]) => {
        const id = setTimeout(() => {
            timers.delete(id);
            call(handler, args);
        }, delay);
        timers.add(id);
        return id;
    }) as typeof window.setTimeout;
    window.setInterval = ((handler: TimerHandler, delay?: number, ...args: unknown[]) => {
        const id = setInterval(() => call(handler, args), delay);
        timers.add(id);
        return id;
    }) as typeof window.setInterval;
    window.clearTimeout = window.clearInterval = id => {
        timers.delete(id as number);
        clearTimeout(id);
        clearInterval(id);
    };
    window.companionMeter = { traffic: () => traffic, timers: () => timers.size };
}

/** What the page says and hears because of an action, until it is quiet. */
export async function trafficOf(page: Page, action: () => Promise<unknown>): Promise<Traffic> {
    const before = await quiet(page);
    await action();
    const after = await quiet(page);
    return { messages: after.messages - before.messages, bytes: after.bytes - before.bytes, last: after.last };
}

/** Waits until page and backend have said nothing for so many milliseconds. */
export function quiet(page: Page, time = QUIET): Promise<Traffic> {
    return eventually('the page to be quiet', () =>
        page.evaluate(pause => {
            const traffic = window.companionMeter.traffic();
            return performance.timeOrigin + performance.now() - traffic.last > pause && traffic;
        }, time)
    );
}
