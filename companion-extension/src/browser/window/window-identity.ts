// SPDX-License-Identifier: Apache-2.0

import { generateUuid } from '@theia/core/lib/common/uuid';
import { injectable } from '@theia/core/shared/inversify';
import { TabMemory } from './tab-memory';

const STORAGE_KEY = 'companion.windowId';
/** Stands in the tab's storage while its last page has gone and its next one has not come. */
const LEFT_KEY = 'companion.windowLeft';

/**
 * Which window this page is. The id lives in `sessionStorage`: it survives a reload and belongs to one tab. A duplicated tab gets a copy of
 * the id. It takes a new one if the tab that had it first holds the Web Lock of the id: that is so while the network is down, too. Web Locks
 * need https or localhost. Elsewhere the backend asks the other tab whether it is there, and answers `hello` with another id.
 */
@injectable()
export class WindowIdentity {
    /** Differs with each load of the page. */
    readonly loadId = generateUuid();

    protected id: string | undefined;

    /** This window's id. Before {@link claim} is done and the first hello is answered, it may belong to another tab as well. */
    get windowId(): string {
        this.id ??= this.remember(TabMemory.read(STORAGE_KEY) ?? generateUuid());
        return this.id;
    }

    /** Makes as sure as a page can that no other page has this id. Never rejects. */
    async claim(): Promise<void> {
        // On a busy machine the browser frees the lock of a page that was reloaded only seconds later (seen with Chromium 156).
        const isNext = TabMemory.read(LEFT_KEY) !== undefined;
        TabMemory.write(LEFT_KEY, undefined);
        window.addEventListener('pagehide', () => TabMemory.write(LEFT_KEY, 'true'));
        if (isNext) {
            void this.hold(this.windowId);
        } else if (!(await this.hold(this.windowId, true))) {
            this.adopt(generateUuid());
        }
    }

    /** Takes another id, such as one that the backend gave. */
    adopt(id: string): void {
        if (id !== this.id) {
            this.id = this.remember(id);
            void this.hold(id);
        }
    }

    /** Until the page goes. @returns `false` if another page holds the lock, and it is not waited for */
    protected hold(id: string, ifAvailable = false): Promise<boolean> {
        const locks: LockManager | undefined = navigator.locks;
        return new Promise(resolve => {
            const held = (lock: Lock | null): Promise<never> | undefined => {
                resolve(lock !== null);
                return lock ? new Promise<never>(() => undefined) : undefined;
            };
            // A browser that forbids locks says nothing about other pages.
            (locks?.request(`companion-window-${id}`, { ifAvailable }, held) ?? Promise.resolve()).then(
                () => resolve(true),
                () => resolve(true)
            );
        });
    }

    /** If the browser forbids storage, a reload makes a new window. The CLIs find it by the workspace. */
    protected remember(id: string): string {
        TabMemory.write(STORAGE_KEY, id);
        return id;
    }
}
