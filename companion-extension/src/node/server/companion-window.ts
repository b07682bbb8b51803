// SPDX-License-Identifier: Apache-2.0

import { randomUUID } from 'crypto';
import * as path from 'path';
import { Emitter } from '@theia/core/lib/common/event';
import { FileUri } from '@theia/core/lib/common/file-uri';
import { injectable } from '@theia/core/shared/inversify';
import { WindowSnapshot } from '../../common/companion-protocol';
import { IdeContext, withoutSelection } from '../../common/ide-context';
import { visibleText } from '../../common/visible-text';
import { FileAccessQueues } from '../host/file-access-queues';
import { WorkspaceRoots } from '../host/real-roots';
import { WindowLog } from './server-log';
import { isInside } from '../host/workspace-roots';
import type { CliSession } from '../mcp/cli-session';
import { ReviewPlace } from '../review/review';
import { ConnectedPage } from './connected-page';
import { IdeServer } from './ide-server';

/** More windows than a person has; each costs a port. */
const MAX_WINDOWS = 100;

/** A browser window as the backend knows it: it outlives its page's reloads and the connections of each. */
export class CompanionWindow {
    /** What its page said last. A task that waits its turn uses this, and not what was true when it was queued. */
    snapshot: WindowSnapshot | undefined;
    /** When it last had the focus, as `performance.now` counts. */
    focusedAt = 0;
    /** When its last page went, as `performance.now` counts; `undefined` while it has one. */
    protected awaySince: number | undefined = performance.now();
    /** When its server last had a session, or it last had a page; as `performance.now` counts, since the clock may be set. */
    lastNeeded = performance.now();
    server: IdeServer | undefined;
    /** The id of the window whose context its server got last. */
    contextSource: string | undefined;
    /** What its servers and their CLIs did, and those of other windows with the roots that it had first. */
    log = new WindowLog();
    /** Until its server, which could not be started, is tried again. */
    retry: NodeJS.Timeout | undefined;
    /** The end of its server waits for its turn. */
    ending = false;

    page: ConnectedPage | undefined;
    protected workspace = new WorkspaceRoots();
    /** What its page said last of the editors, while these roots are open. */
    context: IdeContext | undefined;
    protected contextSequence = -1;
    protected pending: Promise<unknown> = Promise.resolve();

    constructor(readonly id: string) {}

    /** Which load of the page has it. */
    get loadId(): string {
        return this.page?.loadId ?? '';
    }

    /** Real paths of all roots, also of those that the CLIs do not understand. */
    get roots(): readonly string[] {
        return this.workspace.real;
    }

    /** Its roots by all their names. */
    get folders(): string[] {
        return this.workspace.folders;
    }

    get place(): ReviewPlace {
        return { windowId: this.id, roots: this.roots };
    }

    /** The same with the names that its page has for the file: a CLI names the real path, also where a root is a link. */
    named<T extends { path: string; uri: string }>(subject: T): T {
        const file = FileUri.fsPath(subject.uri);
        const [link, root] = [...this.workspace.links].find(([, real]) => isInside(real, file)) ?? [];
        if (link === undefined || root === undefined) {
            return subject;
        }
        const named = path.join(link, path.relative(root, file));
        return { ...subject, path: visibleText(named), uri: FileUri.create(named).toString() };
    }

    /** The files that were last shared with its CLIs. */
    get toldFiles(): string[] {
        return this.context?.workspaceState?.openFiles?.map(({ path }) => path) ?? [];
    }

    /** The root that a file lies in, by the name that its page has for it. @param file absolute */
    rootOf(file: string): string | undefined {
        return this.snapshot?.roots.map(uri => FileUri.fsPath(uri)).find(root => isInside(root, file));
    }

    /** `companion.enabled` in it: switched off, it serves no CLI, not even another window's. */
    get enabled(): boolean {
        return this.snapshot?.enabled ?? true;
    }

    get reviewOpen(): WindowSnapshot['reviewOpen'] {
        return this.snapshot?.reviewOpen ?? 'reveal';
    }

    /** Has a page now. */
    get live(): boolean {
        return this.page !== undefined;
    }

    /** Its page does not answer: the tab died, and its connection lingers. */
    get silent(): boolean {
        return this.page?.silent ?? false;
    }

    /** It has been without a page for longer than a reload takes. */
    get absent(): boolean {
        return this.awaySince !== undefined && performance.now() - this.awaySince >= OWNER_ABSENCE;
    }

    hasRoots(roots: readonly string[]): boolean {
        return this.workspace.isSame(roots);
    }

    attach(page: ConnectedPage): void {
        if (this.page?.loadId !== page.loadId) {
            // Another load of the page counts from its own beginning.
            this.contextSequence = -1;
        }
        this.page = page;
        this.awaySince = undefined;
    }

    /** @returns false if a newer connection has taken over already */
    detach(page: ConnectedPage): boolean {
        if (this.page !== page) {
            return false;
        }
        this.page = undefined;
        this.awaySince = performance.now();
        this.lastNeeded = performance.now();
        return true;
    }

    /** The roots that its page said last. */
    followRoots(tasks: FileAccessQueues): Promise<WorkspaceRoots> {
        return this.workspace.follow(this.snapshot?.roots ?? [], tasks);
    }

    /** Forgets the context of other folders: the page sends it again after each hello. */
    openFolders(workspace: WorkspaceRoots): void {
        if (workspace.real.length !== this.roots.length || !workspace.real.every(root => this.roots.includes(root))) {
            this.context = undefined;
        }
        this.workspace = workspace;
    }

    /** @returns false if a newer context is known already */
    takeContext(sequence: number, context: IdeContext): boolean {
        if (sequence <= this.contextSequence) {
            return false;
        }
        this.contextSequence = sequence;
        this.context = context;
        return true;
    }

    /** Its page has gone, and nothing would withdraw what was selected there. */
    forgetSelection(): void {
        this.context &&= withoutSelection(this.context);
    }

    /** Starting, publishing and stopping happen one after the other, in the order in which they were asked for. */
    enqueue<T>(task: () => Promise<T>): Promise<T> {
        const result = this.pending.then(task, task);
        this.pending = result.catch(() => undefined);
        return result;
    }
}

/** How long an owner may be without a page before another window serves its server: a reload takes less. In milliseconds. */
export const OWNER_ABSENCE = 10_000;

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

    /** Throws if the page's hello is not answered yet. If the answer were "late", the page would think that a review is decided. */
    windowOf(page: ConnectedPage): CompanionWindow {
        const window = this.of(page);
        if (!window) {
            throw new Error('The window is not known yet, or belongs to another page; try again');
        }
        return window;
    }

    servers(): IdeServer[] {
        return this.all().flatMap(window => window.server ?? []);
    }

    /**
     * Which window serves a server: its owner; while the owner is silent or has had no page for {@link OWNER_ABSENCE}, the most recently
     * focused window with the same roots that is switched on and answers. If there is none, an owner that is silent: it may be busy. Else
     * `undefined`.
     *
     * @param owner the window whose first `hello` made the server
     */
    serving(owner: CompanionWindow): CompanionWindow | undefined {
        const ownerIfLive = owner.live ? owner : undefined;
        if (!owner.silent && !owner.absent) {
            return ownerIfLive;
        }
        const [next] = this.all()
            .filter(window => window.live && !window.silent && window.enabled && window.id !== owner.id && window.hasRoots(owner.roots))
            .sort((a, b) => b.focusedAt - a.focusedAt);
        return next ?? ownerIfLive;
    }

    /** The servers that a window serves now. */
    servedBy(window: CompanionWindow): IdeServer[] {
        const owners = this.open().filter(owner => this.serving(owner) === window);
        return owners.flatMap(({ server }) => server ?? []);
    }

    /** The sessions of those servers whose CLIs respond. */
    sessionsOf(window: CompanionWindow): CliSession[] {
        const sessions = this.servedBy(window).flatMap(server => server.sessions.all());
        return sessions.filter(({ gone, gaveUp }) => !gone && !gaveUp);
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
            // It was closed while the other page was asked, and nothing would report that again.
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
