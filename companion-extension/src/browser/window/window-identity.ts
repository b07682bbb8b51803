// SPDX-License-Identifier: Apache-2.0

import { generateUuid } from '@theia/core/lib/common/uuid';
import { injectable } from '@theia/core/shared/inversify';

const STORAGE_KEY = 'companion.windowId';
/**
 * How long the previous page may take to release the id, in milliseconds. A reloaded page is no duplicate, but on a busy machine the
 * browser releases the locks of the old document only seconds later (seen with Chromium 156).
 */
const LOCK_WAIT = { reloaded: 10_000, otherwise: 1_000 } as const;

/**
 * Which window this page is. The id lives in `sessionStorage`: it survives a reload and belongs to one tab. A duplicated tab gets a copy
 * of the id. The tab that holds the Web Lock of the id first keeps it, and the other takes a new one. Web Locks need https or localhost.
 * Elsewhere the backend tells duplicates apart and answers `hello` with another id.
 */
@injectable()
export class WindowIdentity {
    /** Differs with each load of the page. */
    readonly loadId = generateUuid();

    protected id: string | undefined;
    protected claiming: Promise<void> | undefined;

    /** This window's id. Before {@link claim} is done, it may belong to another tab as well. */
    get windowId(): string {
        this.id ??= this.read() ?? this.remember(generateUuid());
        return this.id;
    }

    /** Makes sure, as far as a page can, that no other page has this id. Never rejects, and ends after some seconds at most. */
    claim(): Promise<void> {
        this.claiming ??= this.hold(this.windowId, this.reloaded ? LOCK_WAIT.reloaded : LOCK_WAIT.otherwise).then(acquired => {
            if (!acquired) {
                this.adopt(generateUuid());
            }
        });
        return this.claiming;
    }

    /** Takes an id that the backend gave. */
    adopt(id: string): void {
        if (id !== this.id) {
            this.id = this.remember(id);
            this.hold(id, undefined).catch(() => undefined);
        }
    }

    /** @param wait milliseconds until a lock that somebody else holds is given up; `undefined` for never */
    protected async hold(id: string, wait: number | undefined): Promise<boolean> {
        const locks: LockManager | undefined = navigator.locks;
        if (!locks) {
            return true;
        }
        return new Promise<boolean>(resolve => {
            const giveUp = new AbortController();
            // While a page starts, its timers run late and all at once. The browser answers this query after all earlier grants, so we do
            // not give up a lock that we hold already.
            const lateAbort = (): void => {
                locks.query().then(
                    () => giveUp.abort(),
                    () => giveUp.abort()
                );
            };
            const timer = wait === undefined ? undefined : setTimeout(lateAbort, wait);
            // The inner promise never settles: the lock is held until the page goes.
            locks
                .request(`companion-window-${id}`, { signal: giveUp.signal }, () => {
                    clearTimeout(timer);
                    resolve(true);
                    return new Promise<never>(() => undefined);
                })
                .catch(() => {
                    clearTimeout(timer);
                    // Only a lock that somebody else holds means a duplicate. Other failures mean nothing.
                    resolve(!giveUp.signal.aborted);
                });
        });
    }

    protected get reloaded(): boolean {
        return performance
            .getEntriesByType('navigation')
            .some(entry => entry instanceof PerformanceNavigationTiming && entry.type === 'reload');
    }

    protected read(): string | undefined {
        try {
            return window.sessionStorage.getItem(STORAGE_KEY) ?? undefined;
        } catch {
            return undefined;
        }
    }

    /** If the browser forbids storage, a reload makes a new window. The CLIs find it by the workspace. */
    protected remember(id: string): string {
        try {
            window.sessionStorage.setItem(STORAGE_KEY, id);
        } catch {
            return id;
        }
        return id;
    }
}
