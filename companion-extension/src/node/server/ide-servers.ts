// SPDX-License-Identifier: Apache-2.0

import { FileUri } from '@theia/core/lib/common/file-uri';
import { ILogger } from '@theia/core/lib/common/logger';
import { timeout } from '@theia/core/lib/common/promise-util';
import { inject, injectable, named, postConstruct } from '@theia/core/shared/inversify';
import { BackendPreferences } from '../../common/companion-preferences';
import { CompanionProblem } from '../../common/companion-problem';
import { ScopedValue } from '../../common/scoped-value';
import { CliConnection, CompanionStatus, UnconnectedCli, WindowSnapshot, WindowState } from '../../common/companion-protocol';
import { ContributionGuard } from '../../common/contribution-guard';
import { AgentActivity, Agents, SCAN_PERIOD_MS } from '../agents/agents';
import { Changes } from '../changes/changes';
import { CompanionFolder } from '../discovery/companion-folder';
import { ServerPlace } from '../discovery/supported-cli';
import { SupportedClis } from '../discovery/supported-clis';
import { DoctorWindow } from '../doctor/doctor';
import { Problems } from '../host/problems';
import { ScannedProcess } from '../host/process-table';
import { CliSession } from '../mcp/cli-session';
import { AutoApprovingClis } from '../terminal/auto-approving-clis';
import { DisconnectedClis } from '../terminal/disconnected-clis';
import { TerminalEnvironment, TerminalServers } from '../terminal/terminal-environment';
import { ClaudeWindows } from './claude-windows';
import { CliNames } from './cli-names';
import { ServerEvents } from './companion-events';
import { ConnectedPage } from './connected-page';
import { CopilotWindows } from './copilot-windows';
import { Window } from './window';
import { Windows } from './windows';

export const ServerTimings = {
    /** How long a server without owner and without session is kept. */
    unneededMs: 60_000,
    /** Between two looks at windows that are away. */
    housekeepingMs: 1_000,
    /** Until a server that could not be started is tried again. */
    retryMs: 5_000
} as const;

/** How long the process of a CLI may be looked for. */
const PROCESS_LIMIT_MS = 2_000;

/** Starts and stops the windows' servers, and tells every page its state. Lives as long as the backend; connections come and go. */
@injectable()
export class IdeServers implements TerminalServers {
    @inject(ILogger)
    @named('companion:IdeServers')
    protected readonly logger: ILogger;
    @inject(Windows)
    protected readonly windows: Windows;
    @inject(SupportedClis)
    protected readonly clis: SupportedClis;
    @inject(TerminalEnvironment)
    protected readonly terminals: TerminalEnvironment;
    @inject(Problems)
    protected readonly problems: Problems;
    @inject(ServerEvents)
    protected readonly events: ServerEvents;
    @inject(BackendPreferences)
    protected readonly preferences: BackendPreferences;
    @inject(CompanionFolder)
    protected readonly folder: Pick<CompanionFolder, 'installation'>;
    @inject(ContributionGuard)
    protected readonly guard: ContributionGuard;
    @inject(DisconnectedClis)
    protected readonly disconnectedClis: DisconnectedClis;
    @inject(AutoApprovingClis)
    protected readonly autoApprovingClis: AutoApprovingClis;
    @inject(ClaudeWindows)
    protected readonly claude: ClaudeWindows;
    @inject(CopilotWindows)
    protected readonly copilot: CopilotWindows;
    @inject(Agents)
    protected readonly agents: Agents;
    @inject(Changes)
    protected readonly changes: Changes;

    protected sequence = 0;
    protected installationId = '';
    protected refreshScheduled = false;
    protected housekeeper: NodeJS.Timeout | undefined;
    protected stopped = false;

    @postConstruct()
    protected init(): void {
        const { reviews } = this.windows;
        this.windows.onDidRemove(window => this.abandon(window));
        this.windows.onDidChangeTrust(() => void this.copilot.publish());
        this.problems.onDidChange(() => this.scheduleRefresh());
        this.autoApprovingClis.onDidFind(() => this.scheduleRefresh());
        this.disconnectedClis.onDidLook(() => this.scheduleRefresh());
        reviews.onDidChange(() => this.scheduleRefresh());
        this.events.followReviews(reviews, id => this.clis.nameOf(id));
        this.events.followAgents(this.agents);
        this.agents.onDidChange(() => this.scheduleRefresh());
        this.agents.onDidScan(scanned => void this.takeScan(scanned));
        this.changes.onDidChange(() => this.scheduleRefresh());
        this.agents.onDidChange(changes => changes.some(({ status }) => status?.state !== 'working') && this.changes.lookSoon());
        reviews.onDidEnd(({ review, state, text }) => {
            const { realPath } = review.file;
            if (state === 'accepted' || review.answeredInTerminal) {
                this.changes.expectAccepted(realPath, text);
            } else {
                this.changes.forgetAccepted(realPath);
            }
        });
        // Answered in the terminal, the file may be written before anybody hears of the answer.
        reviews.onDidOpen(({ file }) => void this.changes.prepareAccepted(file.realPath));
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
        [this.installationId] = await Promise.all([this.folder.installation(), window.enqueue(() => this.serveWindow(window))]);
        this.refresh();
        this.lookForDisconnectedClis();
        void this.claude.lookForOtherIdes(window);
        void this.windows.reviews.look();
        return page.answer(this.stateOf(window));
    }

    /** The window's page got the focus. */
    focus(window: Window): void {
        const serves = this.windows.servedBy(window).length;
        window.focusedAt = performance.now();
        if (this.windows.servedBy(window).length !== serves) {
            // The owner of a server with the same roots is away, and this window had the focus last.
            this.refresh();
        }
        void this.republishIfChanged(window);
        this.lookForDisconnectedClis();
        void this.claude.lookForOtherIdes(window);
    }

    /** @param sequence of the newest state that the page has. @returns the window's state if the page does not have it */
    missedState(window: Window, page: ConnectedPage, sequence: number): WindowState | undefined {
        return page.newestState === sequence ? undefined : page.answer(this.stateOf(window));
    }

    /** The page of the window has these terminals. */
    watchTerminals(window: Window, shells: readonly number[]): void {
        window.shells = new Set(shells);
        this.refresh();
    }

    leave(page: ConnectedPage): void {
        if (this.windows.of(page)?.detach(page)) {
            this.refresh();
            this.startHousekeeping();
        }
    }

    /** A page shows its CLIs now. */
    lookForDisconnectedClis(): void {
        this.agents.scanWithin(0);
    }

    protected async takeScan(scanned: readonly ScannedProcess[]): Promise<void> {
        if (await this.disconnectedClis.look(this.windows.ports, scanned)) {
            this.agents.scanWithin(SCAN_PERIOD_MS);
        }
        this.followChanges();
    }

    async doctorWindow(window: Window): Promise<DoctorWindow> {
        // A CLI in a terminal is found by its process, which is known a moment after it has connected, or never.
        const isUnknown = (): boolean => this.windows.sessionsOf(window).some(({ peer }) => !peer);
        for (const end = performance.now() + PROCESS_LIMIT_MS; isUnknown() && performance.now() < end;) {
            await timeout(100);
        }
        const { enabled, preferences, roots, server } = window;
        return {
            enabled,
            preferences,
            server,
            claudeServer: this.claude.server,
            copilotServer: this.copilot.server,
            roots,
            ports: this.windows.ports,
            servedPorts: new Set([...this.windows.servedBy(window), window].flatMap(served => served.server?.port ?? [])),
            connected: this.windows.sessionsOf(window).flatMap(({ cliId, peer, since }) => (peer ? [{ cliId, pid: peer.pid, since }] : []))
        };
    }

    serverFor(windowId: string): ServerPlace | undefined {
        return this.windows.get(windowId)?.server;
    }

    preferencesOf(windowId: string | undefined): BackendPreferences {
        return (windowId === undefined ? undefined : this.windows.get(windowId))?.preferences ?? this.preferences;
    }

    async stop(): Promise<void> {
        this.stopped = true;
        clearInterval(this.housekeeper);
        this.windows.all().forEach(window => clearTimeout(window.retry));
        await Promise.all(this.windows.all().map(window => window.enqueue(() => this.stopServer(window))));
        await Promise.all([this.claude.stop(), this.copilot.stop()]);
        await this.changes.stop();
        this.windows.reviews.dispose();
        await this.windows.reviews.store().catch(() => undefined);
    }

    protected async serveWindow(window: Window): Promise<void> {
        clearTimeout(window.retry);
        try {
            if (this.stopped || !window.enabled) {
                this.report(window, []);
                await this.stopServer(window);
            }
            // Also if the window is switched off: the roots decide which other windows' reviews it lists.
            const workspace = await window.followRoots();
            window.openFolders(workspace);
            if (this.stopped || !window.enabled) {
                return;
            }
            if (!window.server && window.log.newest === 0 && window.roots.length > 0) {
                window.log = this.windows.logOf(window.roots);
            }
            if (!window.server) {
                await this.startServer(window);
            }
            const terminals = this.terminals.prepare();
            const isCurrent = window.server?.isPublished && window.roots.join('\0') === window.server.roots.join('\0');
            const publishing = [this.claude.publish(), this.copilot.publish()];
            await Promise.all([...publishing, isCurrent || window.publish(window.roots)]);
            await terminals;
            this.report(window, this.leftOut(window.roots));
            if ((await Promise.all(publishing)).includes(false)) {
                this.retryLater(window);
            }
        } catch (error) {
            this.problems.reportFailedStart(`window ${window.id}`, error, window.id);
            this.retryLater(window);
        }
    }

    protected leftOut(roots: readonly string[]): CompanionProblem[] {
        return this.clis.all.flatMap(({ displayName, unreadInRoots = [] }) =>
            roots.flatMap(root => {
                const text = unreadInRoots.find(unread => root.includes(unread));
                return text === undefined ? [] : [{ code: 'root-left-out' as const, cliName: displayName, root, text }];
            })
        );
    }

    /** A root that is a link may lead elsewhere since the last hello, and a discovery file that could not be written may be possible now. */
    protected async republishIfChanged(window: Window): Promise<void> {
        const { real } = await window.followRoots();
        if (real.join('\0') !== window.roots.join('\0') || (window.enabled && !window.server?.isPublished)) {
            await window.enqueue(() => this.serveWindow(window));
            this.scheduleRefresh();
            if (!window.context) {
                // It was that of another folder. After a hello the page sends it by itself.
                window.page?.requestContext();
            }
        }
    }

    protected disconnectedIn(window: Window): UnconnectedCli[] {
        return this.disconnectedClis.of({ roots: window.roots, port: window.server?.port }, this.windows.sessions());
    }

    protected report(window: Window, problems: readonly CompanionProblem[]): void {
        this.problems.report(`window ${window.id}`, problems, window.id);
    }

    /** Some causes go by themselves, such as no free port or no file descriptor. */
    protected retryLater(window: Window): void {
        const again = async (): Promise<void> => {
            if (window.live) {
                await this.serveWindow(window);
                this.scheduleRefresh();
            }
        };
        window.retry = setTimeout(() => void window.enqueue(again), ServerTimings.retryMs).unref();
    }

    protected async startServer(window: Window): Promise<void> {
        const { port, sessions } = await window.start();
        sessions.onDidChangeSession(session => {
            this.disconnectedClis.follow(session);
            this.scheduleRefresh();
        });
        this.events.follow(sessions, window.id, id => this.clis.nameOf(id));
        this.logger.info(`Window ${window.id.slice(0, 8)} is served on port ${port}`);
    }

    protected async stopServer(window: Window): Promise<void> {
        if (window.server) {
            window.contextSource = undefined;
            const stopping = window.stop();
            await Promise.all([stopping, this.claude.publish(), this.copilot.publish()]);
            this.scheduleRefresh();
        }
    }

    /** Ends a window that is no longer known. */
    protected abandon(window: Window): void {
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
        this.windows.shareContexts();
        this.windows.forgetNames();
        void this.agents.connect(this.windows.agentConnections());
        this.followChanges();
        const describe = (window?: Window): WindowState | undefined => window && this.stateOf(window);
        // By then the page may have lost this window to another one.
        this.windows.all().forEach(({ page }) => page?.tellSoon(() => describe(this.windows.of(page))));
    }

    /** Says for which folders changes are followed. */
    followChanges(): void {
        const windows = this.windows.all().filter(({ enabled }) => enabled);
        this.clis.namedAgents = windows.flatMap(({ preferences }) => preferences['companion.agents']);
        this.changes.follow(
            windows.map(window => ({
                roots: window.roots,
                preferences: window.preferences,
                excludes: excludesOf(window),
                agents: () => this.activeIn(window)
            }))
        );
    }

    protected activeIn(window: Window): AgentActivity[] {
        const sessions = this.windows.sessionsOf(window);
        const pids = new Set(sessions.flatMap(({ peer }) => peer?.pid ?? []));
        // Of one that is connected from elsewhere, such as another machine's terminal, nothing else is heard.
        const elsewhere = sessions.filter(({ peer }) => !peer || !this.agents.isInTerminal(peer.pid));
        const unheard = [
            ...elsewhere.map(session => this.windows.nameOf(session)),
            ...this.disconnectedClis.namesAt(window.server?.port, pids)
        ];
        return [
            ...this.agents.activeIn(window.shells, new Set(sessions.map(({ cliId }) => cliId))),
            ...unheard.map(name => ({ name, activeAt: Infinity }))
        ];
    }

    protected stateOf(window: Window): WindowState {
        return {
            windowId: window.id,
            sequence: ++this.sequence,
            installation: this.installationId,
            status: this.statusOf(window),
            reviews: this.windows.routing.waitingIn(window),
            keptEdits: this.windows.routing.keptEdits(window),
            agents: window.enabled ? this.agents.of(window.shells) : [],
            changes: this.changes.stateOf(window.roots),
            ...(window.log.newest > 0 ? { logged: window.log.newest } : {})
        };
    }

    protected statusOf(window: Window): CompanionStatus {
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
            clis: this.clis.startable(window.preferences),
            connections: [...processes.values()].reverse().map(session => this.connectionOf(session))
        };
    }

    protected connectionOf(session: CliSession): CliConnection {
        const { cliId, since, peer } = session;
        const unaskedMode = this.autoApprovingClis.modeOf(session);
        return {
            cliId,
            displayName: this.windows.nameOf(session),
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
        }, ServerTimings.housekeepingMs);
        this.housekeeper.unref();
    }

    protected checkNeed(window: Window): void {
        if (window.sessions.length > 0) {
            window.lastNeeded = performance.now();
        } else if (!window.ending && performance.now() - window.lastNeeded > ServerTimings.unneededMs) {
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

/** The patterns of files that are never shared. Those of one root have its real path. */
function excludesOf({ snapshot, workspace }: Window): ScopedValue[] {
    return (snapshot?.excludes ?? []).map(({ root, ...said }) => ({
        ...said,
        root: root === undefined ? undefined : workspace.resolve(FileUri.fsPath(root))
    }));
}
