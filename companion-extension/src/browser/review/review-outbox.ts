// SPDX-License-Identifier: Apache-2.0

import { Disposable, DisposableCollection, disposableTimeout } from '@theia/core/lib/common/disposable';
import { Emitter } from '@theia/core/lib/common/event';
import { Draft, DraftRef } from '../../common/companion-protocol';
import { withTimeLimit } from '../../common/time-limit';

/** How long after the last key a draft is sent, in milliseconds. */
const PAUSE = 300;
/** If the user types without a pause, a draft is sent after this many pauses. */
const LONGEST_WAIT = 5;
/** Large texts are sent less often: the pause grows by a millisecond for this many characters. */
const CHARACTERS_PER_MILLISECOND = 5_000;
/** How long a call may take, in milliseconds, before it is made again: too early, the text would be sent twice. */
const SEND_LIMIT = 10_000;
/** What the text adds to that. A line of 1 Mbit/s carries so many characters in a millisecond, if each has three bytes. */
const SENT_PER_MILLISECOND = 40;
/** While nothing arrives, the pause doubles this often. */
const MAX_DOUBLINGS = 5;
/** If the backend does not confirm within this time, in milliseconds, it may never have got the call. */
const CONFIRM_TIME = 2_000;

const KEY = 'companion.drafts.';

/** What the next load of the page sends if this one cannot. */
export type Unsent = { readonly reviewId: string; readonly draft: Draft } | { readonly discard: DraftRef };

/** Something that the backend has to get. */
export interface OutboxItem {
    /** Grows with each change. */
    readonly revision: number;
    /** Of its text, in characters. */
    readonly length: number;
    /** Sends it as it is now. Rejects, or never settles, if it may not have arrived. */
    send(): Promise<void>;
    /** It may not have arrived, and is sent again. */
    failed?(): void;
    /** Absent for what ends with the page, such as an answer. */
    readonly unsent?: Unsent;
}

/** The storage of the tab. A browser that forbids it throws already when it is named. */
export type TabStorage = () => Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>;

export interface OutboxOptions {
    /** Since when the socket is open, in milliseconds since the epoch; `undefined` while it is not. */
    connectedSince(): number | undefined;
    /** Whose backend it is; `undefined` before the first hello. The same origin may serve somebody else's tomorrow. */
    installation(): string | undefined;
    readonly storage: TabStorage;
}

/**
 * What the backend has not confirmed: drafts, discards and answers. It is sent at once, again after each hello, and again if no answer comes.
 * A repetition is nothing new for the backend. Drafts and discards outlive a reload of the page, also one that Theia does by itself
 * (`reloadOnReconnect`), in `sessionStorage`: it can be written while the page ends, and belongs to one tab.
 */
export class ReviewOutbox implements Disposable {
    /** In the order in which they came. */
    protected readonly items = new Map<string, OutboxItem>();
    /** The newest call for each item that is under way on this connection, by the item's key. */
    protected readonly calls = new Map<string, { revision: number; since: number }>();
    protected readonly timer = new DisposableCollection();
    /** Since when something waits for the timer. */
    protected waitingSince: number | undefined;
    protected failures = 0;
    protected lastFailure = 0;
    protected loaded: string | undefined;
    protected storable = true;
    protected disposed = false;
    protected readonly onDidChangeEmitter = new Emitter<void>();
    /** The backend has confirmed something, or {@link isAtRisk} changed. */
    readonly onDidChange = this.onDidChangeEmitter.event;

    constructor(protected readonly options: OutboxOptions) {}

    has(key: string): boolean {
        return this.items.has(key);
    }

    /** The browser does not store what has not arrived: it would be lost with the page. */
    get isAtRisk(): boolean {
        return !this.storable;
    }

    /** Sends it at once. An earlier item of this key has become this one, unless it is of a later revision. */
    put(key: string, item: OutboxItem): void {
        if ((this.items.get(key)?.revision ?? 0) <= item.revision) {
            this.items.set(key, item);
        }
        this.flush();
    }

    /** Sends it when the user pauses. */
    putSoon(key: string, item: OutboxItem): void {
        this.items.set(key, item);
        this.schedule(item.length);
    }

    /** It has become something else. A later revision stays. */
    drop(key: string, revision = Infinity): void {
        if ((this.items.get(key)?.revision ?? 0) <= revision) {
            this.items.delete(key);
            this.calls.delete(key);
        }
    }

    /** Sends at once what is not under way. */
    flush(): void {
        this.sendIf((item, call) => call?.revision !== item.revision);
    }

    /** The backend knows this window. @param load takes what an earlier load of the page could not send */
    greeted(load: (unsent: Unsent) => void): void {
        const installation = this.options.installation();
        if (installation !== undefined && installation !== this.loaded) {
            this.loaded = installation;
            this.load(installation).forEach(load);
            this.flush();
        }
    }

    /** The connection is a new one: what was under way may be lost. */
    reconnected(): void {
        this.calls.clear();
        this.flush();
    }

    /**
     * The page may end.
     *
     * @returns whether nothing can be lost. If this tab is closed, its storage goes with it, so only what has arrived is safe. But a reload by
     *     Theia itself, which comes right after a reconnection, is not held up
     */
    leave(): boolean {
        const since = this.options.connectedSince() ?? Infinity;
        // What was called before that may be lost with the connection before.
        const calls = [...this.calls.values()].filter(call => call.since >= since);
        const isFailing = this.failures > 0 && this.lastFailure > since;
        const isLate = isFailing || calls.some(call => Date.now() > call.since + CONFIRM_TIME);
        this.flush();
        return this.store() && (this.items.size === 0 || (since < Infinity && !isLate)) && (this.loaded !== undefined || !this.hasStored());
    }

    dispose(): void {
        this.flush();
        this.store();
        this.disposed = true;
        this.timer.dispose();
    }

    protected sendIf(wanted: (item: OutboxItem, call: { revision: number } | undefined) => boolean): void {
        this.timer.dispose();
        this.waitingSince = undefined;
        if (this.disposed) {
            return;
        }
        if (this.options.connectedSince() === undefined) {
            this.store();
        }
        for (const [key, item] of this.items) {
            if (wanted(item, this.calls.get(key))) {
                void this.send(key, item);
            }
        }
    }

    protected async send(key: string, item: OutboxItem): Promise<void> {
        const { revision } = item;
        const call = { revision, since: Date.now() };
        this.calls.set(key, call);
        const arrived = await withTimeLimit(item.send(), SEND_LIMIT + item.length / SENT_PER_MILLISECOND, '').then(
            () => true,
            () => false
        );
        if (arrived) {
            this.failures = 0;
        }
        if (arrived && this.items.get(key) === item && item.revision === revision) {
            this.drop(key);
            this.store();
            this.onDidChangeEmitter.fire();
        } else if (this.calls.get(key) === call) {
            this.calls.delete(key);
            if (!arrived) {
                this.store();
                this.failures++;
                this.lastFailure = Date.now();
                item.failed?.();
            }
            this.schedule(item.length);
        }
    }

    protected schedule(length: number): void {
        // Typing does not put off what is sent again.
        if (this.disposed || (this.failures > 0 && !this.timer.disposed)) {
            return;
        }
        this.timer.dispose();
        this.waitingSince ??= Date.now();
        const pause = PAUSE + length / CHARACTERS_PER_MILLISECOND;
        const left = this.waitingSince + pause * LONGEST_WAIT - Date.now();
        const delay = this.failures > 0 ? pause * 2 ** Math.min(this.failures, MAX_DOUBLINGS) : Math.max(0, Math.min(pause, left));
        this.timer.push(disposableTimeout(() => this.sendIf((_, call) => call === undefined), delay));
    }

    /** @returns whether the next load of the page has what may not have arrived */
    protected store(): boolean {
        const unsent = [...this.items.values()].flatMap(item => item.unsent ?? []);
        const before = this.storable;
        this.storable = this.write(unsent);
        if (before !== this.storable) {
            this.onDidChangeEmitter.fire();
        }
        return this.storable;
    }

    protected write(unsent: readonly Unsent[]): boolean {
        if (this.loaded === undefined) {
            // What an earlier load of the page stored stays as it is.
            return unsent.length === 0;
        }
        try {
            const storage = this.options.storage();
            if (unsent.length > 0) {
                storage.setItem(keyOf(this.loaded), JSON.stringify(unsent));
            } else {
                storage.removeItem(keyOf(this.loaded));
            }
            return true;
        } catch {
            // Too long for the storage, for example.
            return unsent.length === 0;
        }
    }

    /** Before the first hello it is not known whether it is this installation's. */
    protected hasStored(): boolean {
        try {
            const storage = this.options.storage();
            return Array.from({ length: storage.length }, (_, index) => storage.key(index)).some(key => key?.startsWith(KEY));
        } catch {
            return false;
        }
    }

    /** What an earlier load of the page could not send. */
    protected load(installation: string): Unsent[] {
        try {
            const unsent: unknown = JSON.parse(this.options.storage().getItem(keyOf(installation)) ?? '[]');
            return Array.isArray(unsent) ? unsent.filter(isUnsent) : [];
        } catch {
            return [];
        }
    }
}

function isUnsent(value: unknown): value is Unsent {
    return typeof value === 'object' && value !== null && ('draft' in value || 'discard' in value);
}

function keyOf(installation: string): string {
    return `${KEY}${installation}`;
}
