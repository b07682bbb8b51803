// SPDX-License-Identifier: Apache-2.0

import { IdeFixture } from './ide-fixture';

/** What lives in the backend's heap, garbage left out. */
export interface BackendHeap {
    /** MCP sessions. */
    readonly sessions: number;
    readonly reviews: number;
    /** Windows that are known, open or away. */
    readonly windows: number;
    /** Listeners of Theia's and of Node's emitters. */
    readonly listeners: number;
    /** Timers that have not ended. */
    readonly timers: number;
    /** Bytes. */
    readonly used: number;
}

interface Answer {
    id?: number;
    result?: { result?: { value?: unknown; objectId?: string }; objects?: { objectId: string } };
    error?: { message: string };
}

/** Looks into the backend by Node's own inspector: the product has nothing for tests, and its class names do not survive minification. */
export class BackendInspector {
    private last = 0;
    private readonly waiting = new Map<number, (answer: Answer) => void>();

    private constructor(private readonly socket: WebSocket) {
        socket.addEventListener('message', ({ data }) => {
            const answer = JSON.parse(String(data)) as Answer;
            this.waiting.get(answer.id ?? 0)?.(answer);
            this.waiting.delete(answer.id ?? 0);
        });
    }

    /** @param ide started with `inspectable` */
    static async open(ide: IdeFixture): Promise<BackendInspector> {
        const socket = new WebSocket(await ide.inspectorUrl());
        await new Promise<void>((resolve, reject) => {
            socket.addEventListener('open', () => resolve());
            socket.addEventListener('error', () => reject(new Error('The inspector of the backend cannot be reached')));
        });
        return new BackendInspector(socket);
    }

    /** Bytes of the heap, garbage left out. */
    async used(): Promise<number> {
        // The second collection frees what the finalizers of the first one released.
        await this.send('HeapProfiler.collectGarbage');
        await this.send('HeapProfiler.collectGarbage');
        return this.evaluate(() => process.memoryUsage().heapUsed);
    }

    async heap(): Promise<BackendHeap> {
        const used = await this.used();
        const prototype = await this.send('Runtime.evaluate', { expression: 'Object.prototype' });
        const found = await this.send('Runtime.queryObjects', { prototypeObjectId: prototype.result?.objectId, objectGroup: 'heap' });
        const counted = await this.send('Runtime.callFunctionOn', {
            objectId: found.objects?.objectId,
            functionDeclaration: countObjects.toString(),
            returnByValue: true
        });
        await this.send('Runtime.releaseObjectGroup', { objectGroup: 'heap' });
        return { ...(counted.result?.value as Omit<BackendHeap, 'used'>), used };
    }

    /** Runs a function in the backend that uses nothing from outside itself. */
    async evaluate<T>(look: () => T): Promise<T> {
        const answer = await this.send('Runtime.evaluate', { expression: `(${look})()`, returnByValue: true });
        return answer.result?.value as T;
    }

    close(): void {
        this.socket.close();
    }

    private async send(method: string, params: object = {}): Promise<NonNullable<Answer['result']>> {
        const id = ++this.last;
        const answer = await new Promise<Answer>(resolve => {
            this.waiting.set(id, resolve);
            this.socket.send(JSON.stringify({ id, method, params }));
        });
        if (!answer.result) {
            throw new Error(`${method}: ${answer.error?.message}`);
        }
        return answer.result;
    }
}

/** Runs in the backend, with all its objects as `this`. Knows them by their fields, and reads no getter. */
function countObjects(this: object[]): Omit<BackendHeap, 'used'> {
    const own = (object: object, name: string): unknown => {
        try {
            return Object.getOwnPropertyDescriptor(object, name)?.value;
        } catch {
            // A proxy may refuse.
            return undefined;
        }
    };
    const has = (object: object, ...names: string[]): boolean => names.every(name => own(object, name) !== undefined);
    const count = { sessions: 0, reviews: 0, windows: 0, listeners: 0, timers: 0 };
    for (const object of this) {
        const callbacks = own(object, '_callbacks');
        const events = own(object, '_events');
        if (Array.isArray(callbacks)) {
            count.listeners += callbacks.length;
        } else if (typeof events === 'object' && events !== null && has(object, '_eventsCount')) {
            for (const name of Reflect.ownKeys(events)) {
                const listeners = own(events, name as string);
                count.listeners += Array.isArray(listeners) ? listeners.length : listeners === undefined ? 0 : 1;
            }
        } else if (has(object, 'cliId', 'stream', 'timings', 'transport')) {
            count.sessions++;
        } else if (has(object, 'filePath', 'answeredInTerminal') && own(object, 'state') === 'waiting') {
            count.reviews++;
        } else if (has(object, 'workspace', 'contextSequence', 'lastNeeded')) {
            count.windows++;
        } else if (has(object, '_idleTimeout', '_onTimeout') && own(object, '_destroyed') === false) {
            count.timers++;
        }
    }
    return count;
}
