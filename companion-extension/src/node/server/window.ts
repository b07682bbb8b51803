// SPDX-License-Identifier: Apache-2.0

import { randomBytes } from 'crypto';
import { Disposable } from '@theia/core/lib/common/disposable';
import { FileUri } from '@theia/core/lib/common/file-uri';
import { ILogger } from '@theia/core/lib/common/logger';
import { BackendPreferences } from '../../common/companion-preferences';
import { FileDiagnostics, IdeContext, WindowSnapshot, withoutSelection } from '../../common/companion-protocol';
import { ScopedValue } from '../../common/scoped-value';
import { visibleText } from '../../common/visible-text';
import { DiscoveryFiles } from '../discovery/discovery-files';
import { ServerPlace } from '../discovery/supported-cli';
import { FileAccess } from '../host/file-access';
import { WorkspaceRoots } from '../host/workspace-roots';
import { isInside } from '../host/paths';
import { GatedApplication } from '../http/gated-application';
import { HttpGate, MCP_PATH } from '../http/http-gate';
import { HttpListener } from '../http/http-listener';
import { RefusalLog } from '../http/refusal-log';
import { ListenerBudget } from '../http/listener-budget';
import { WindowDialect } from './cli-server';
import type { CliSession, SessionDiffs, SessionWindow } from './cli-session';
import { CliSessions } from './cli-sessions';
import { ConnectedPage } from './connected-page';
import { WindowLog } from './window-log';

/** How long an owner may be without a page before another window serves its server: a reload takes less. */
export const OWNER_ABSENCE_MS = 10_000;

/** How long the clean ends of streams may take when a server stops. */
const STOP_GRACE_MS = 200;

/** The diffs that the CLIs of one window ask for. */
export interface WindowDiffs extends SessionDiffs {
    /** The window has a server with these sessions. @returns what ends all of the window's diffs when the server stops */
    follow(sessions: CliSessions): Disposable;
}

export const WindowDiffsFactory = Symbol('WindowDiffsFactory');
/** Makes what shows the diffs of a window's CLIs. Bound by reviews. */
export type WindowDiffsFactory = (window: Window) => WindowDiffs;

/** The services that all windows of a backend share. */
export interface WindowServices {
    /** The CLIs that connect to a window's own server. */
    readonly cliIds: () => readonly string[];
    readonly files: Pick<DiscoveryFiles, 'publish' | 'remove'>;
    readonly dialect: WindowDialect;
    readonly makeDiffs: WindowDiffsFactory;
    readonly onDidChangeSession: (session: CliSession) => void;
    /** The problems that the page of the window shows; `undefined` if it does not answer in time. */
    readonly diagnostics: (window: Window, uri: string | undefined) => Promise<readonly FileDiagnostics[] | undefined>;
    /** Until its page has said what the user prefers. */
    readonly preferences: BackendPreferences;
    readonly budget: ListenerBudget;
    readonly fileAccess: FileAccess;
    readonly logger: ILogger;
}

/** The server of a window. Port and tokens stay until it stops, because shells keep their environment. */
export interface WindowServer extends ServerPlace {
    /** Keyed by the CLIs' ids. */
    readonly tokens: ReadonlyMap<string, string>;
    readonly listener: HttpListener;
    readonly sessions: CliSessions;
    roots: readonly string[];
    /** Whether the last {@link Window.publish} wrote every file. */
    isPublished: boolean;
    /** Ends the diffs of its sessions. */
    readonly following: Disposable;
}

/**
 * A browser window as the backend knows it, and its IDE server while the companion is on in it. It outlives its page's reloads and the
 * connections of each.
 */
export class Window implements SessionWindow {
    /** The last word of its page. A task that waits its turn uses this, and not what was true when it was queued. */
    snapshot: WindowSnapshot | undefined;
    /** When it last had the focus, as `performance.now` counts. */
    focusedAt = 0;
    /** When its last page went, as `performance.now` counts; `undefined` while it has one. */
    protected awaySince: number | undefined = performance.now();
    /** When its server last had a session, or it last had a page; as `performance.now` counts, since the clock may be set. */
    lastNeeded = performance.now();
    /** `undefined` while it serves no CLI. */
    server: WindowServer | undefined;
    /** The log of its servers and their CLIs, and of other windows with the roots that it had first. */
    log = new WindowLog();
    /** Until its server, which could not be started, is tried again. */
    retry: NodeJS.Timeout | undefined;
    /** The end of its server waits for its turn. */
    ending = false;

    page: ConnectedPage | undefined;
    /** Process ids of the shells in the terminals of its page. */
    shells: ReadonlySet<number> = new Set();
    /** The roots of its page, by all their names. */
    workspace = new WorkspaceRoots();
    /** The editors as its page described them last, while these roots are open. */
    context: IdeContext | undefined;
    protected contextSequence = -1;
    protected pending: Promise<unknown> = Promise.resolve();
    readonly diffs: WindowDiffs;

    constructor(
        readonly id: string,
        protected readonly services: WindowServices
    ) {
        this.diffs = services.makeDiffs(this);
    }

    /** Which load of the page has it. */
    get loadId(): string {
        return this.page?.loadId ?? '';
    }

    /** Real paths of all roots. */
    get roots(): readonly string[] {
        return this.workspace.real;
    }

    /** Its roots by all their names. */
    get folders(): string[] {
        return this.workspace.folders;
    }

    /** The files that were last shared with its CLIs. */
    get toldFiles(): string[] {
        return this.context?.workspaceState?.openFiles?.map(({ path: file }) => file) ?? [];
    }

    /** The root that a file lies in, by the name that its page has for it. @param file absolute */
    rootOf(file: string): string | undefined {
        return this.snapshot?.roots.map(uri => FileUri.fsPath(uri)).find(root => isInside(root, file));
    }

    /** As its page said of the folders that are open now; `undefined` if it does not know yet. */
    get isTrusted(): boolean | undefined {
        return this.context?.workspaceState?.isTrusted;
    }

    /** As its page said last: another window's user, or product, may prefer something else. */
    get preferences(): BackendPreferences {
        return this.snapshot?.preferences ?? this.services.preferences;
    }

    /** `companion.enabled` in it: switched off, it serves no CLI, not even another window's. */
    get enabled(): boolean {
        return this.snapshot?.enabled ?? true;
    }

    /** The patterns of files that are never shared. Those of one root have its real path. */
    get excludes(): ScopedValue[] {
        return (this.snapshot?.excludes ?? []).map(({ root, ...said }) => ({
            ...said,
            root: root === undefined ? undefined : this.workspace.resolve(FileUri.fsPath(root))
        }));
    }

    /** Whether it shows diffs now. If not, a CLI asks in the terminal. */
    get reviewsOffered(): boolean {
        return this.snapshot?.reviewOpen !== 'never';
    }

    /** Whether it has a page now. */
    get live(): boolean {
        return this.page !== undefined;
    }

    /** Whether its page does not answer: the tab died, and its connection lingers. */
    get silent(): boolean {
        return this.page?.silent ?? false;
    }

    /** Whether it has been without a page for longer than a reload takes. */
    get absent(): boolean {
        return this.awaySince !== undefined && performance.now() - this.awaySince >= OWNER_ABSENCE_MS;
    }

    /** The sessions of its CLIs. */
    get sessions(): readonly CliSession[] {
        return this.server?.sessions.all() ?? [];
    }

    hasRoots(roots: readonly string[]): boolean {
        return this.workspace.isSame(roots);
    }

    attach(page: ConnectedPage): void {
        if (this.page?.loadId !== page.loadId) {
            // Sequence numbers restart with each load of the page.
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

    /** Finds the roots that its page said last. */
    followRoots(): Promise<WorkspaceRoots> {
        return this.workspace.follow(this.snapshot?.roots ?? [], this.services.fileAccess);
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

    // --- its server

    /** Starts to listen; nothing is published yet. Rejects if no port can be had. */
    async start(): Promise<WindowServer> {
        const { services, log } = this;
        const refusals = new RefusalLog({
            warn: async text => {
                log.add(text);
                await services.logger.warn(text);
            }
        });
        const listener = new HttpListener(refusals, services.budget);
        const port = await listener.listen();
        // 256 bits. One for each CLI: both send the same clientInfo, so the token tells which one a session is.
        const tokens = new Map(services.cliIds().map(id => [id, randomBytes(32).toString('base64url')]));
        const sessions = new CliSessions();
        // The log numbers a session until it has ended: what happens to its diffs comes before.
        const following = this.diffs.follow(sessions);
        sessions.onDidChangeSession(session => {
            log.addState(session);
            services.onDidChangeSession(session);
        });
        const routes = services.dialect.routesOf(this, { port, sessions, refusals });
        listener.serve(new HttpGate(port, tokens), new GatedApplication(services.logger, MCP_PATH, routes));
        this.server = { port, tokens, listener, sessions, following, roots: [], isPublished: false };
        log.add(`Serves this window on 127.0.0.1:${port}`);
        return this.server;
    }

    /** @param roots absolute real paths */
    async publish(roots: readonly string[]): Promise<void> {
        const { server } = this;
        if (server) {
            server.roots = roots;
            server.sessions.willPublish(roots);
            const { port, tokens } = server;
            server.isPublished = await this.services.files.publish({ port, roots, tokens });
            const folders = roots.length > 0 ? roots.map(visibleText).join(', ') : 'no folder';
            const what = server.isPublished ? 'Discovery files are published' : 'Not every discovery file could be published';
            this.log.add(`${what} for ${folders}`);
        }
    }

    /** Removes the files first, so that no CLI finds a server that is going. */
    async stop(): Promise<void> {
        const { server } = this;
        this.server = undefined;
        if (server) {
            await this.services.files.remove(server.port);
            const closed = server.listener.retire(STOP_GRACE_MS);
            await server.sessions.close();
            server.following.dispose();
            await closed;
            this.log.add(`Serves this window no longer on 127.0.0.1:${server.port}`);
        }
    }

    /** A CLI that does not come by HTTP runs in this window. */
    join(session: CliSession): void {
        if (this.server) {
            this.server.sessions.join(session);
        } else {
            // It was switched off while the CLI was looked for. Nobody would ever end its session.
            void session.close();
        }
    }

    async diagnostics(uri: string | undefined): Promise<readonly FileDiagnostics[]> {
        return (await this.services.diagnostics(this, uri)) ?? [];
    }
}
