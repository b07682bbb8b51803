// SPDX-License-Identifier: Apache-2.0

import { ILogger } from '@theia/core/lib/common/logger';
import { timeout } from '@theia/core/lib/common/promise-util';
import { inject, injectable, named, postConstruct } from '@theia/core/shared/inversify';
import { BackendPreferences } from '../../common/companion-preferences';
import { CompanionProblem } from '../../common/companion-problem';
import { CliConnection, CompanionStatus, ContextSnapshot, ToldContext, WindowSnapshot, WindowState } from '../../common/companion-protocol';
import { ContributionGuard } from '../../common/contribution-guard';
import { CompanionFolder } from '../discovery/companion-folder';
import { DiscoveryFiles } from '../discovery/discovery-files';
import { ServerPlace, SupportedClis } from '../discovery/supported-cli';
import { DoctorWindow } from '../doctor/doctor';
import { FileAccessQueues } from '../host/file-access-queues';
import { WorkspaceLogs } from './server-log';
import { Problems } from '../host/problems';
import { PeerProcess, ProcessTable } from '../host/process-table';
import { CliSession } from '../mcp/cli-session';
import { ListenerBudget } from '../mcp/listener-budget';
import { DEFAULT_SESSION_TIMINGS } from '../mcp/mcp-sessions';
import { FileTexts } from '../review/file-texts';
import { Reviews } from '../review/reviews';
import { AutoApprovingClis } from '../terminal/auto-approving-clis';
import { DisconnectedClis } from '../terminal/disconnected-clis';
import { TerminalEnvironment, TerminalServers } from '../terminal/terminal-environment';
import { ClaudeServers } from './claude-servers';
import { CliNames } from './cli-names';
import { ServerEvents } from './companion-events';
import { CompanionWindow, WindowRegistry } from './companion-window';
import { ConnectedPage } from './connected-page';
import { EditFiles } from './edit-files';
import { IdeServer } from './ide-server';
import { ReviewWindows } from './review-windows';

/** In milliseconds. */
export const ServerTimings = {
    /** How long a server without owner and without session is kept. */
    unneeded: 60_000,
    /** Between two looks at windows that are away. */
    housekeeping: 1_000,
    /** Until a server that could not be started is tried again. */
    retry: 5_000
} as const;

/** How long the process of a CLI may be looked for, in milliseconds. */
const PROCESS_LIMIT = 2_000;

/** The windows' servers, and which window serves which server. Lives as long as the backend; connections come and go. */
@injectable()
export class IdeServers implements TerminalServers {
    @inject(ILogger)
    @named('companion:IdeServers')
    protected readonly logger: ILogger;
    @inject(WindowRegistry)
    protected readonly windows: WindowRegistry;
    @inject(DiscoveryFiles)
    protected readonly files: DiscoveryFiles;
    @inject(ProcessTable)
    protected readonly processes: ProcessTable;
    @inject(SupportedClis)
    protected readonly clis: SupportedClis;
    @inject(TerminalEnvironment)
    protected readonly terminals: TerminalEnvironment;
    @inject(FileAccessQueues)
    protected readonly tasks: FileAccessQueues;
    @inject(ListenerBudget)
    protected readonly budget: ListenerBudget;
    @inject(Problems)
    protected readonly problems: Problems;
    @inject(ServerEvents)
    protected readonly events: ServerEvents;
    @inject(BackendPreferences)
    protected readonly preferences: BackendPreferences;
    @inject(EditFiles)
    protected readonly editFiles: EditFiles;
    @inject(CompanionFolder)
    protected readonly folder: Pick<CompanionFolder, 'installation'>;
    @inject(ContributionGuard)
    protected readonly guard: ContributionGuard;
    @inject(DisconnectedClis)
    protected readonly disconnectedClis: DisconnectedClis;
    @inject(AutoApprovingClis)
    protected readonly autoApprovingClis: AutoApprovingClis;
    @inject(ClaudeServers)
    protected readonly claude: ClaudeServers;

    protected readonly logs = new WorkspaceLogs();
    protected names: CliNames;
    protected allReviews: Reviews;
    /** What pages do with reviews. */
    reviews: ReviewWindows;
    protected sequence = 0;
    protected installationId = '';
    protected refreshScheduled = false;
    protected housekeeper: NodeJS.Timeout | undefined;
    protected stopped = false;

    @postConstruct()
    protected init(): void {
        this.windows.onDidRemove(window => this.abandon(window));
        this.names = new CliNames(id => this.clis.nameOf(id));
        this.problems.onDidChange(() => this.scheduleRefresh());
        this.autoApprovingClis.onDidFind(() => this.scheduleRefresh());
        this.disconnectedClis.onDidLook(() => this.scheduleRefresh());
        const files = new FileTexts(this.tasks);
        this.allReviews = new Reviews({
            files,
            store: this.editFiles,
            nameOf: owner => this.names.nameOf(owner),
            traitsOf: id => this.clis.traitsOf(id),
            concerns: edit => this.reviews.concerns(edit)
        });
        this.allReviews.onDidChange(() => this.scheduleRefresh());
        this.events.followReviews(this.allReviews, id => this.clis.nameOf(id), files);
        this.reviews = new ReviewWindows(this.allReviews, this.windows, id => this.clis.traitsOf(id));
    }

    /** When it resolves, the window's server runs and its discovery files are published. */
    async hello(page: ConnectedPage, snapshot: WindowSnapshot): Promise<WindowState> {
        if (!this.windows.of(page)) {
            page.onDidChangeSilence(() => this.scheduleRefresh());
        }
        const window = await this.windows.introduce(page, snapshot.windowId);
        if (snapshot.focused) {
            window.focusedAt = performance.now();
        }
        window.snapshot = snapshot;
        Object.assign(this.preferences, snapshot.preferences);
        [this.installationId] = await Promise.all([this.folder.installation(), window.enqueue(() => this.serveWindow(window))]);
        this.refresh();
        this.lookForDisconnectedClis();
        void this.claude.lookForOtherIdes(window);
        void this.allReviews.look();
        return page.answer(this.stateOf(window));
    }

    /** The window's page got the focus. */
    focus(window: CompanionWindow): void {
        const serves = this.windows.servedBy(window).length;
        window.focusedAt = performance.now();
        if (this.windows.servedBy(window).length !== serves) {
            // The owner of a server with the same roots is away, and this window had the focus last.
            this.refresh();
        }
        void this.republishIfChanged(window);
        void this.disconnectedClis.look(this.windows.ports, 'focus');
        void this.claude.lookForOtherIdes(window);
    }

    /** @param sequence of the newest state that the page has. @returns the window's state if the page does not have it */
    missedState(window: CompanionWindow, page: ConnectedPage, sequence: number): WindowState | undefined {
        return page.newestState === sequence ? undefined : page.answer(this.stateOf(window));
    }

    /** Throws if the page's hello is not answered yet. */
    windowOf(page: ConnectedPage): CompanionWindow {
        return this.windows.windowOf(page);
    }

    leave(page: ConnectedPage): void {
        if (this.windows.of(page)?.detach(page)) {
            this.refresh();
            this.startHousekeeping();
        }
    }

    updateContext(window: CompanionWindow, snapshot: ContextSnapshot): void {
        if (window.takeContext(snapshot.sequence, snapshot.context) && window.enabled) {
            this.windows.servedBy(window).forEach(server => server.context.update(snapshot.context));
        }
    }

    /** What was last shared with the CLIs that are connected to what the window serves. */
    toldContexts(window: CompanionWindow): ToldContext[] {
        return this.windows.sessionsOf(window).map(session => {
            const { peer, told } = session;
            return {
                cliName: this.names.nameOf(session),
                ...(peer?.folder === undefined ? {} : { folder: peer.folder }),
                ...(told && { toldAt: told.at, context: told.context })
            };
        });
    }

    /** A page shows its CLIs now. */
    lookForDisconnectedClis(): void {
        void this.disconnectedClis.look(this.windows.ports, 'hello');
    }

    /** Those CLIs whose process is known, by a name for people. */
    connectedClis(window: CompanionWindow): Array<{ displayName: string; peer: PeerProcess; session: CliSession }> {
        const sessions = this.windows.sessionsOf(window);
        return sessions.flatMap(session => (session.peer ? { displayName: this.names.nameOf(session), peer: session.peer, session } : []));
    }

    async doctorWindow(window: CompanionWindow): Promise<DoctorWindow> {
        // A CLI in a terminal is found by its process, which is known a moment after it has connected, or never.
        const isUnknown = (): boolean => this.windows.sessionsOf(window).some(({ peer }) => !peer);
        for (const end = performance.now() + PROCESS_LIMIT; isUnknown() && performance.now() < end;) {
            await timeout(100);
        }
        const { enabled, roots, server } = window;
        return {
            enabled,
            reviewsOffered: window.reviewOpen !== 'never',
            server,
            familyServer: family => this.claude.serverOf(family),
            roots,
            ports: this.windows.ports,
            servedPorts: new Set([...this.windows.servedBy(window), ...(server ? [server] : [])].map(({ port }) => port)),
            connected: this.windows.sessionsOf(window).flatMap(({ cliId, peer, since }) => (peer ? [{ cliId, pid: peer.pid, since }] : []))
        };
    }

    serverFor(windowId: string): ServerPlace | undefined {
        return this.windows.get(windowId)?.server;
    }

    async stop(): Promise<void> {
        this.stopped = true;
        clearInterval(this.housekeeper);
        this.windows.all().forEach(window => clearTimeout(window.retry));
        await Promise.all(this.windows.all().map(window => window.enqueue(() => this.stopServer(window))));
        await this.claude.stop();
        this.allReviews.dispose();
        await this.allReviews.store().catch(() => undefined);
    }

    protected async serveWindow(window: CompanionWindow): Promise<void> {
        clearTimeout(window.retry);
        try {
            if (this.stopped || !window.enabled) {
                this.report(window, []);
                await this.stopServer(window);
            }
            // Also if the window is switched off: the roots decide which other windows' reviews it lists.
            const workspace = await window.followRoots(this.tasks);
            window.openFolders(workspace);
            if (this.stopped || !window.enabled) {
                return;
            }
            const terminals = this.terminals.prepare();
            if (!window.server && window.log.newest === 0 && window.roots.length > 0) {
                window.log = this.logs.of(window.roots);
            }
            const { expressible, problems } = workspace;
            const isNew = !window.server;
            const server = (window.server ??= await this.startServer(window));
            const rootsChanged = expressible.join('\0') !== server.roots.join('\0');
            const mustPublish = isNew || rootsChanged || !server.isPublished;
            const [served] = await Promise.all([this.claude.publish(), mustPublish && server.publish(expressible)]);
            await terminals;
            this.report(window, problems);
            if (!served) {
                this.retryLater(window);
            }
        } catch (error) {
            this.problems.reportFailedStart(`window ${window.id}`, error, window.id);
            this.retryLater(window);
        }
    }

    /** A root that is a link may lead elsewhere since the last hello, and a discovery file that could not be written may be possible now. */
    protected async republishIfChanged(window: CompanionWindow): Promise<void> {
        const { real } = await window.followRoots(this.tasks);
        if (real.join('\0') !== window.roots.join('\0') || (window.enabled && !window.server?.isPublished)) {
            await window.enqueue(() => this.serveWindow(window));
            this.scheduleRefresh();
            if (!window.context) {
                // It was that of another folder. After a hello the page sends it by itself.
                window.page?.requestContext();
            }
        }
    }

    protected disconnectedIn(window: CompanionWindow): string[] {
        const sessions = this.windows.servers().flatMap(server => server.sessions.all());
        return this.disconnectedClis.namesIn({ roots: window.roots, port: window.server?.port }, sessions);
    }

    protected report(window: CompanionWindow, problems: readonly CompanionProblem[]): void {
        this.problems.report(`window ${window.id}`, problems, window.id);
    }

    /** Some causes go by themselves, such as no free port or no file descriptor. */
    protected retryLater(window: CompanionWindow): void {
        const again = async (): Promise<void> => {
            if (window.live) {
                await this.serveWindow(window);
                this.scheduleRefresh();
            }
        };
        window.retry = setTimeout(() => void window.enqueue(again), ServerTimings.retry).unref();
    }

    protected async startServer(window: CompanionWindow): Promise<IdeServer> {
        const server = await IdeServer.start({
            // The others connect to a listener of their own.
            cliIds: this.clis.all.flatMap(({ id, family }) => (family ? [] : id)),
            files: this.files,
            reviews: this.allReviews,
            presenter: this.reviews,
            diagnostics: async uri => this.windows.serving(window)?.page?.readDiagnostics(uri),
            place: () => window.place,
            reviewsOffered: () => window.reviewOpen !== 'never',
            outsideWorkspace: () => this.preferences['companion.review.outsideWorkspace'],
            timings: DEFAULT_SESSION_TIMINGS,
            budget: this.budget,
            tasks: this.tasks,
            processes: this.processes,
            logger: this.logger,
            log: window.log
        });
        server.sessions.onDidChangeSession(session => {
            this.disconnectedClis.follow(session);
            this.scheduleRefresh();
        });
        this.events.follow(server, window.id, id => this.clis.nameOf(id));
        this.logger.info(`Window ${window.id.slice(0, 8)} is served on port ${server.port}`);
        return server;
    }

    protected async stopServer(window: CompanionWindow): Promise<void> {
        const server = window.server;
        window.server = undefined;
        if (server) {
            window.contextSource = undefined;
            await this.claude.publish();
            await server.stop();
            this.scheduleRefresh();
        }
    }

    /** Ends a window that is no longer known. */
    protected abandon(window: CompanionWindow): void {
        clearTimeout(window.retry);
        this.report(window, []);
        void this.claude.lookForOtherIdes({ id: window.id, folders: [] });
        if (window.page) {
            window.detach(window.page);
        }
        void window.enqueue(() => this.stopServer(window));
        this.scheduleRefresh();
    }

    protected scheduleRefresh(): void {
        if (!this.refreshScheduled && !this.stopped) {
            this.refreshScheduled = true;
            setImmediate(() => {
                this.refreshScheduled = false;
                this.refresh();
            });
        }
    }

    /** Sends every page its newest state, and gives each server the context of the window that serves it now. */
    protected refresh(): void {
        if (this.stopped) {
            // A page would take the end of the IDE for a failure.
            return;
        }
        this.shareContexts();
        const owners = this.allReviews.waiting().flatMap(({ owner }) => owner ?? []);
        const sessions = this.windows.servers().flatMap(server => server.sessions.all());
        // A CLI that has ended keeps its session for a minute, and must not make a number of its name: the user has started it again.
        this.names.keepOnly([...sessions.filter(({ gone }) => !gone), ...owners]);
        const describe = (window?: CompanionWindow): WindowState | undefined => window && this.stateOf(window);
        // By then the page may have lost this window to another one.
        this.windows.all().forEach(({ page }) => page?.tellSoon(() => describe(this.windows.of(page))));
    }

    /** What is shared is that of the window that serves a server now. Without one, its selection ends with the page that shared it. */
    protected shareContexts(): void {
        this.windows.all().forEach(window => window.absent && window.forgetSelection());
        for (const owner of this.windows.open()) {
            const serving = this.windows.serving(owner);
            const source = this.windows.get(owner.contextSource ?? owner.id);
            const isOther = serving !== undefined && serving.id !== owner.contextSource;
            owner.contextSource = serving?.id ?? owner.contextSource;
            if (isOther && serving.context) {
                owner.server?.context.update(serving.context);
            } else if (isOther || (!serving && (!source || source.absent))) {
                owner.server?.context.forgetSelection();
            }
        }
    }

    protected stateOf(window: CompanionWindow): WindowState {
        return {
            windowId: window.id,
            sequence: ++this.sequence,
            installation: this.installationId,
            status: this.statusOf(window),
            reviews: this.reviews.waitingIn(window),
            keptEdits: this.reviews.keptEdits(window),
            ...(window.log.newest > 0 ? { logged: window.log.newest } : {})
        };
    }

    protected statusOf(window: CompanionWindow): CompanionStatus {
        // Parts that could not be made. The log has them already, each with its cause.
        const failures = this.guard.failures.map((cause): CompanionProblem => ({ code: 'part-failed', cause }));
        const disconnectedClis = this.disconnectedIn(window);
        // The oldest session of a process stays.
        const processes = new Map(
            this.windows
                .sessionsOf(window)
                .reverse()
                .map(session => [CliNames.keyOf(session), session])
        );
        return {
            state: window.server ? 'ready' : window.enabled ? 'failed' : 'disabled',
            problems: window.enabled ? [...failures, ...this.problems.of(window.id)] : [],
            ...(disconnectedClis.length > 0 ? { disconnectedClis } : {}),
            clis: [...this.clis.startable],
            connections: [...processes.values()].reverse().map(session => this.connectionOf(session))
        };
    }

    protected connectionOf(session: CliSession): CliConnection {
        const { cliId, since, peer } = session;
        const unaskedMode = this.autoApprovingClis.modeOf(session);
        return {
            cliId,
            displayName: this.names.nameOf(session),
            since,
            ...(peer?.folder !== undefined && { folder: peer.folder }),
            ...(unaskedMode !== undefined && { unaskedMode })
        };
    }

    /** Runs only while a window is away: another window takes over its server, or it is stopped in the end. */
    protected startHousekeeping(): void {
        this.housekeeper ??= setInterval(() => {
            const away = this.windows.all().filter(window => !window.live);
            away.forEach(window => this.checkNeed(window));
            this.refresh();
            if (away.length === 0) {
                clearInterval(this.housekeeper);
                this.housekeeper = undefined;
            }
        }, ServerTimings.housekeeping);
        this.housekeeper.unref();
    }

    protected checkNeed(window: CompanionWindow): void {
        if (window.server?.sessions.all().length) {
            window.lastNeeded = performance.now();
        } else if (!window.ending && performance.now() - window.lastNeeded > ServerTimings.unneeded) {
            window.ending = true;
            void window.enqueue(async () => {
                window.ending = false;
                if (!window.live) {
                    this.windows.remove(window);
                }
            });
        }
    }
}
