// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { WindowIdentity } from './window-identity';

/** A tab of a browser, as far as the identity needs it: its storage, and what its page waits for. */
class Tab {
    private readonly leave: Array<() => void> = [];

    constructor(
        private readonly locks: BrowserLocks,
        private readonly storage = new Map<string, string>()
    ) {}

    /** A copy of the tab, storage and all. */
    duplicate(): Tab {
        return new Tab(this.locks, new Map(this.storage));
    }

    /** A page is loaded in it. @returns its window's id */
    async load(): Promise<string> {
        this.enter();
        const identity = new WindowIdentity();
        await identity.claim();
        return identity.windowId;
    }

    /** The page goes. */
    hide(): void {
        this.enter();
        this.leave.splice(0).forEach(listener => listener());
    }

    private enter(): void {
        const { storage, leave, locks } = this;
        set('window', {
            sessionStorage: {
                getItem: (key: string) => storage.get(key) ?? null,
                setItem: (key: string, value: string) => void storage.set(key, value),
                removeItem: (key: string) => void storage.delete(key)
            },
            addEventListener: (_: string, listener: () => void) => void leave.push(listener)
        });
        set('navigator', { locks: locks.available ? locks : undefined });
    }
}

class BrowserLocks {
    available = true;
    readonly held = new Set<string>();
    private readonly waiting: Array<() => void> = [];

    async request(name: string, { ifAvailable }: LockOptions, granted: (lock: object | null) => unknown): Promise<unknown> {
        if (this.held.has(name)) {
            if (ifAvailable) {
                return granted(null);
            }
            await new Promise<void>(resolve => this.waiting.push(resolve));
        }
        this.held.add(name);
        return granted({ name });
    }

    /** As at the end of a page. */
    free(): void {
        this.held.clear();
        this.waiting.splice(0).forEach(resolve => resolve());
    }
}

function set(name: 'window' | 'navigator', value: object): void {
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
}

describe('WindowIdentity', () => {
    const originals = (['window', 'navigator'] as const).map(name => [name, Object.getOwnPropertyDescriptor(globalThis, name)] as const);
    let locks: BrowserLocks;
    let tab: Tab;

    beforeEach(() => {
        locks = new BrowserLocks();
        tab = new Tab(locks);
    });

    afterEach(() => {
        for (const [name, original] of originals) {
            if (original) {
                Object.defineProperty(globalThis, name, original);
            } else {
                Reflect.deleteProperty(globalThis, name);
            }
        }
    });

    it('a duplicated tab takes a new id, without the backend, and keeps it', async () => {
        const id = await tab.load();
        const duplicate = tab.duplicate();
        const other = await duplicate.load();
        expect(other).not.to.equal(id);
        duplicate.hide();
        expect(await duplicate.load()).to.equal(other);
    });

    it('a reloaded page keeps its id, also while the lock of the page before it is not free', async () => {
        const id = await tab.load();
        tab.hide();
        expect(await tab.load()).to.equal(id);
        expect(await tab.duplicate().load(), 'a duplicate of the reloaded one').not.to.equal(id);
        locks.free();
        await new Promise(resolve => setImmediate(resolve));
        expect(locks.held, 'the lock of the reloaded page').to.have.length(1);
    });

    it('a tab that comes back after a crash of the browser keeps its id', async () => {
        const id = await tab.load();
        locks.free();
        expect(await tab.load()).to.equal(id);
    });

    it('without Web Locks the backend decides', async () => {
        locks.available = false;
        const id = await tab.load();
        expect(await tab.duplicate().load()).to.equal(id);
    });
});
