// SPDX-License-Identifier: Apache-2.0

import { randomUUID } from 'crypto';
import { Emitter } from '@theia/core/lib/common/event';
import { FileUri } from '@theia/core/lib/common/file-uri';
import { ILogger } from '@theia/core/lib/common/logger';
import { inject, injectable, named, postConstruct } from '@theia/core/shared/inversify';
import { BackendPreferences } from '../../common/companion-preferences';
import { ContextSnapshot, FileDiagnostics } from '../../common/companion-protocol';
import { DiscoveryFiles } from '../discovery/discovery-files';
import { ServerPlace } from '../discovery/supported-cli';
import { SupportedClis } from '../discovery/supported-clis';
import { FileAccess } from '../host/file-access';
import { isInside } from '../host/paths';
import { Policy } from '../host/policy';
import { PeerProcess } from '../host/process-table';
import { CliSession } from './cli-session';
import { ListenerBudget } from '../http/listener-budget';
import type { TerminalServers } from '../terminal/terminal-environment';
import { CliNames, NamedSession } from './cli-names';
import { WindowDialect } from './cli-server';
import { ConnectedPage } from './connected-page';
import { Window, WindowDiffsFactory } from './window';
import { WindowLog } from './window-log';

/** More windows than a person has; each costs a port. */
const MAX_WINDOWS = 100;
/** Workspaces whose log is kept after their last page has gone. */
const MAX_LOGS = 20;

/** The windows that the backend knows: whose page is whose, which window serves which server, and what they share. */
@injectable()
export class Windows implements TerminalServers {
    @inject(DiscoveryFiles)
    protected readonly files: DiscoveryFiles;
    @inject(SupportedClis)
    protected readonly clis: SupportedClis;
    @inject(Policy)
    protected readonly policy: Policy;
    @inject(BackendPreferences)
    protected readonly preferences: BackendPreferences;
    @inject(ListenerBudget)
    protected readonly budget: ListenerBudget;
    @inject(FileAccess)
    protected readonly fileAccess: FileAccess;
    @inject(WindowDialect)
    protected readonly dialect: WindowDialect;
    @inject(WindowDiffsFactory)
    protected readonly makeDiffs: WindowDiffsFactory;
    @inject(ILogger)
    @named('companion:Windows')
    protected readonly logger: ILogger;

    protected readonly windows = new Map<string, Window>();
    protected readonly introductions = new Map<string, Promise<unknown>>();
    /** Logs by the roots, the one that was used last at the end: a page that is opened again has the lines of the one before. */
    protected readonly logs = new Map<string, WindowLog>();
    protected names: CliNames;
    protected readonly onDidRemoveEmitter = new Emitter<Window>();
    protected readonly onDidChangeTrustEmitter = new Emitter<void>();
    /** Fires if a window's page says otherwise than before whether its folders are trusted. */
    readonly onDidChangeTrust = this.onDidChangeTrustEmitter.event;
    protected readonly onDidChangeSessionEmitter = new Emitter<CliSession>();
    /** Fires with a session that has begun, or has another state. */
    readonly onDidChangeSession = this.onDidChangeSessionEmitter.event;
    /** Fires with a window that is no longer known. */
    readonly onDidRemove = this.onDidRemoveEmitter.event;

    @postConstruct()
    protected init(): void {
        this.names = new CliNames(id => this.clis.nameOf(id));
    }

    all(): readonly Window[] {
        return [...this.windows.values()];
    }

    /** Lists the windows with a server. */
    open(): readonly Window[] {
        return this.all().filter(({ server }) => server);
    }

    get(id: string): Window | undefined {
        return this.windows.get(id);
    }

    of(page: ConnectedPage): Window | undefined {
        return this.all().find(window => window.page === page);
    }

    /** Throws if the page's hello is not answered yet. If the answer were "late", the page would think that a review is decided. */
    windowOf(page: ConnectedPage): Window {
        const window = this.of(page);
        if (!window) {
            throw new Error('The window is not known yet, or belongs to another page; try again');
        }
        return window;
    }

    /**
     * Which window serves a server: its owner; while the owner is silent or has had no page for `OWNER_ABSENCE_MS`, the most recently
     * focused window with the same roots that is switched on and answers. If there is none, an owner that is silent: it may be busy. Else
     * `undefined`.
     *
     * @param owner the window whose first `hello` made the server
     */
    serving(owner: Window): Window | undefined {
        const ownerIfLive = owner.live ? owner : undefined;
        if (!owner.silent && !owner.absent) {
            return ownerIfLive;
        }
        const [next] = this.all()
            .filter(window => window.live && !window.silent && window.enabled && window.id !== owner.id && window.hasRoots(owner.roots))
            .sort((a, b) => b.focusedAt - a.focusedAt);
        return next ?? ownerIfLive;
    }

    /** The windows whose servers this window serves now. */
    servedBy(window: Window): Window[] {
        return this.open().filter(owner => this.serving(owner) === window);
    }

    /** The sessions of every server. */
    sessions(): CliSession[] {
        return this.open().flatMap(({ sessions }) => sessions);
    }

    /** The sessions that a window serves and whose CLIs respond. */
    sessionsOf(window: Window): CliSession[] {
        const sessions = this.servedBy(window).flatMap(owner => owner.sessions);
        return sessions.filter(({ gone, gaveUp }) => !gone && !gaveUp);
    }

    /** The CLIs that a window serves and whose process is known, by a name for people. */
    connectedClis(window: Window): Array<{ displayName: string; peer: PeerProcess; session: CliSession }> {
        const sessions = this.sessionsOf(window);
        return sessions.flatMap(session => (session.peer ? { displayName: this.nameOf(session), peer: session.peer, session } : []));
    }

    /** Those of the files for which an editor of a page has edits that are not saved. A page that does not answer is not waited for. */
    async unsavedFiles(files: readonly string[]): Promise<Set<string>> {
        const found = new Set<string>();
        const ask = async (window: Window): Promise<void> => {
            const inside = files.filter(file => window.roots.some(root => isInside(root, file)));
            const uris = inside.map(file => window.workspace.nameOf(FileUri.create(file).toString()));
            const unsaved = uris.length > 0 ? await window.page?.readUnsaved(uris) : undefined;
            inside.filter((_, index) => unsaved?.includes(uris[index])).forEach(file => found.add(file));
        };
        await Promise.all(this.all().map(ask));
        return found;
    }

    /** A CLI's name for people, which tells its processes apart. */
    nameOf(session: NamedSession): string {
        return this.names.nameOf(session);
    }

    /**
     * A CLI that has ended keeps its session for a minute, and must not make a number of its name: the user has started it again.
     *
     * @param named what ended CLIs still stand beside
     */
    forgetNames(named: readonly NamedSession[]): void {
        this.names.keepOnly([...this.sessions().filter(({ gone }) => !gone), ...named]);
    }

    serverFor(windowId: string): ServerPlace | undefined {
        return this.get(windowId)?.server;
    }

    isOff(windowId: string): boolean {
        return this.get(windowId)?.enabled === false;
    }

    preferencesOf(windowId: string | undefined): BackendPreferences {
        return (windowId === undefined ? undefined : this.get(windowId))?.preferences ?? this.preferences;
    }

    /** The ports on which the servers listen. */
    get ports(): ReadonlySet<number> {
        return new Set(this.open().flatMap(({ server }) => server?.port ?? []));
    }

    logOf(roots: readonly string[]): WindowLog {
        const key = [...roots].sort().join('\0');
        const log = this.logs.get(key) ?? new WindowLog();
        this.logs.delete(key);
        this.logs.set(key, log);
        if (this.logs.size > MAX_LOGS) {
            this.logs.delete([...this.logs.keys()][0]);
        }
        return log;
    }

    /** A window's page describes its editors. @returns false if that is older than what is known, or the window serves no CLI */
    takeContext(window: Window, { sequence, context }: ContextSnapshot): boolean {
        const before = window.isTrusted;
        const isTaken = window.takeContext(sequence, context) && window.enabled;
        if (isTaken && window.isTrusted !== before) {
            this.onDidChangeTrustEmitter.fire();
        }
        return isTaken;
    }

    remove(window: Window): void {
        this.windows.delete(window.id);
        this.onDidRemoveEmitter.fire(window);
    }

    /**
     * Finds or makes the page's window. If two pages ask for the same window at once, they take turns.
     * Rejects if there are too many windows.
     */
    introduce(page: ConnectedPage, windowId: string): Promise<Window> {
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
    protected async arbitrate(page: ConnectedPage, windowId: string): Promise<Window> {
        const current = this.of(page) ?? this.get(windowId);
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

    protected async add(id: string): Promise<Window> {
        if (this.windows.size >= MAX_WINDOWS) {
            // Tabs that died may have been asked nothing yet.
            await Promise.all(this.all().flatMap(({ page }) => (page ? page.isAlive() : [])));
        }
        if (this.windows.size >= MAX_WINDOWS) {
            this.evict();
        }
        const { files, dialect, makeDiffs, preferences, budget, fileAccess, logger } = this;
        const window = new Window(id, {
            // The others connect to a listener of their own.
            cliIds: () => this.clis.all.flatMap(cli => (cli.clientName === undefined && !cli.lockOf ? cli.id : [])),
            onDidChangeSession: session => this.onDidChangeSessionEmitter.fire(session),
            diagnostics: (owner, uri) => this.diagnosticsOf(this.serving(owner), uri),
            files,
            dialect,
            makeDiffs,
            preferences,
            budget,
            fileAccess,
            logger
        });
        this.windows.set(id, window);
        return window;
    }

    /** Without files that the policy withholds. */
    protected async diagnosticsOf(window: Window | undefined, uri: string | undefined): Promise<readonly FileDiagnostics[] | undefined> {
        const found = await window?.page?.readDiagnostics(uri);
        return found?.filter(file => !this.policy.withholds(FileUri.fsPath(file.uri), window?.folders ?? []));
    }

    /** Removes a window that nobody uses, and one with a CLI only if there is no other. Throws if all windows are in use. */
    protected evict(): void {
        const [window] = this.all()
            .filter(candidate => candidate.silent || (candidate.absent && candidate.sessions.length === 0))
            .sort((a, b) => a.sessions.length - b.sessions.length || a.focusedAt - b.focusedAt);
        if (!window) {
            throw new Error(`More than ${MAX_WINDOWS} windows are open; close some and reload this one`);
        }
        this.remove(window);
    }
}
