// SPDX-License-Identifier: Apache-2.0

import { randomUUID } from 'crypto';
import type { CliSession } from '../mcp/cli-session';
import { CompanionWindow, isAbsent, servingWindow } from './companion-window';
import { ConnectedPage } from './connected-page';
import { IdeServer } from './ide-server';

/** More windows than a person has; each costs a port. */
const MAX_WINDOWS = 100;

/** The windows that the backend knows, and which page and which server belongs to which. */
export class WindowRegistry {
    protected readonly windows = new Map<string, CompanionWindow>();
    /** All of them, until one comes or goes. */
    protected list: readonly CompanionWindow[] | undefined;
    /** Where {@link ownerOf} found the window last: it is asked for every server, and by every window. */
    protected readonly owners = new WeakMap<IdeServer, CompanionWindow>();
    protected readonly introductions = new Map<string, Promise<unknown>>();

    /** @param evicted called with a window that is no longer known, because there are too many */
    constructor(protected readonly evicted: (window: CompanionWindow) => void) {}

    all(): readonly CompanionWindow[] {
        return (this.list ??= [...this.windows.values()]);
    }

    get(id: string): CompanionWindow | undefined {
        return this.windows.get(id);
    }

    of(page: ConnectedPage): CompanionWindow | undefined {
        return this.all().find(window => window.page === page);
    }

    servers(): IdeServer[] {
        return this.all().flatMap(window => window.server ?? []);
    }

    ownerOf(server: IdeServer): CompanionWindow | undefined {
        const known = this.owners.get(server);
        if (known?.server === server && this.windows.get(known.id) === known) {
            return known;
        }
        const owner = this.all().find(window => window.server === server);
        if (owner) {
            this.owners.set(server, owner);
        }
        return owner;
    }

    serving(server: IdeServer): CompanionWindow | undefined {
        const owner = this.ownerOf(server);
        return owner && servingWindow(owner, this.all(), performance.now());
    }

    /** The servers that a window serves now. */
    servedBy(window: CompanionWindow): IdeServer[] {
        return this.servers().filter(server => this.serving(server) === window);
    }

    /** The sessions of those servers. */
    sessionsOf(page: ConnectedPage): CliSession[] {
        const window = this.of(page);
        return window ? this.servedBy(window).flatMap(server => server.sessions.all()) : [];
    }

    /** On which the servers listen. */
    get ports(): ReadonlySet<number> {
        return new Set(this.servers().map(({ port }) => port));
    }

    remove(window: CompanionWindow): void {
        this.windows.delete(window.id);
        this.list = undefined;
    }

    /**
     * Finds or makes the page's window. If two pages ask for the same window at once, they take turns.
     * Rejects if there are too many windows.
     */
    introduce(page: ConnectedPage, windowId: string): Promise<CompanionWindow> {
        const previous = this.introductions.get(windowId) ?? Promise.resolve();
        const introduction = previous.then(() => this.arbitrate(page, windowId));
        const settled = introduction.catch(() => undefined);
        this.introductions.set(windowId, settled);
        void settled.then(() => {
            if (this.introductions.get(windowId) === settled) {
                this.introductions.delete(windowId);
            }
        });
        return introduction;
    }

    /**
     * A duplicated tab has the id of the original tab. An open connection proves nothing: that of a reloaded page lingers. So the
     * page that was there first is asked.
     */
    protected async arbitrate(page: ConnectedPage, windowId: string): Promise<CompanionWindow> {
        const current = this.of(page) ?? this.windows.get(windowId);
        const other = current?.page;
        const duplicate = other !== undefined && other !== page && other.loadId !== page.loadId && (await other.isAlive());
        const window = duplicate || !current ? await this.add(duplicate ? randomUUID() : windowId) : current;
        if (page.closed) {
            // It went while the other page was asked, and nobody would say so again.
            throw new Error('The page has gone');
        }
        window.attach(page);
        return window;
    }

    protected async add(id: string): Promise<CompanionWindow> {
        if (this.windows.size >= MAX_WINDOWS) {
            // Tabs that died may have been asked nothing yet.
            await Promise.all(this.all().flatMap(({ page }) => (page ? page.isAlive() : [])));
        }
        if (this.windows.size >= MAX_WINDOWS) {
            this.evict();
        }
        const window = new CompanionWindow(id);
        this.windows.set(id, window);
        this.list = undefined;
        return window;
    }

    /** Removes a window that nobody uses, and one with a CLI only if there is no other. Throws if all windows are in use. */
    protected evict(): void {
        const sessionsOf = ({ server }: CompanionWindow): number => server?.sessions.all().length ?? 0;
        const [window] = this.all()
            .filter(candidate => candidate.silent || (isAbsent(candidate, performance.now()) && sessionsOf(candidate) === 0))
            .sort((a, b) => sessionsOf(a) - sessionsOf(b) || a.focusedAt - b.focusedAt);
        if (!window) {
            throw new Error(`More than ${MAX_WINDOWS} windows are open; close some and reload this one`);
        }
        this.remove(window);
        this.evicted(window);
    }
}
