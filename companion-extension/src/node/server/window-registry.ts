// SPDX-License-Identifier: Apache-2.0

import { randomUUID } from 'crypto';
import { Emitter } from '@theia/core/lib/common/event';
import { injectable } from '@theia/core/shared/inversify';
import type { CliSession } from '../mcp/cli-session';
import { CompanionWindow, servingWindow } from './companion-window';
import { ConnectedPage } from './connected-page';
import { IdeServer } from './ide-server';

/** More windows than a person has; each costs a port. */
const MAX_WINDOWS = 100;

/** The windows that the backend knows, and which page and which server belongs to which. */
@injectable()
export class WindowRegistry {
    protected readonly windows = new Map<string, CompanionWindow>();
    protected readonly introductions = new Map<string, Promise<unknown>>();
    protected readonly onDidRemoveEmitter = new Emitter<CompanionWindow>();
    /** Fires with a window that is no longer known. */
    readonly onDidRemove = this.onDidRemoveEmitter.event;

    all(): readonly CompanionWindow[] {
        return [...this.windows.values()];
    }

    /** Those with a server. */
    open(): readonly CompanionWindow[] {
        return this.all().filter(({ server }) => server);
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

    /** The window that serves a window's server. */
    serving(owner: CompanionWindow): CompanionWindow | undefined {
        return servingWindow(owner, this.all());
    }

    /** The servers that a window serves now. */
    servedBy(window: CompanionWindow): IdeServer[] {
        const owners = this.open().filter(owner => this.serving(owner) === window);
        return owners.flatMap(({ server }) => server ?? []);
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
        this.onDidRemoveEmitter.fire(window);
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
        return window;
    }

    /** Removes a window that nobody uses, and one with a CLI only if there is no other. Throws if all windows are in use. */
    protected evict(): void {
        const sessionsOf = ({ server }: CompanionWindow): number => server?.sessions.all().length ?? 0;
        const [window] = this.all()
            .filter(candidate => candidate.silent || (candidate.absent && sessionsOf(candidate) === 0))
            .sort((a, b) => sessionsOf(a) - sessionsOf(b) || a.focusedAt - b.focusedAt);
        if (!window) {
            throw new Error(`More than ${MAX_WINDOWS} windows are open; close some and reload this one`);
        }
        this.remove(window);
    }
}
