// SPDX-License-Identifier: Apache-2.0

import { ContributionProvider } from '@theia/core/lib/common/contribution-provider';
import { ILogger } from '@theia/core/lib/common/logger';
import { inject, injectable, named, postConstruct } from '@theia/core/shared/inversify';
import { CompanionProblem } from '../../common/companion-problem';
import { WindowSnapshot, WindowState } from '../../common/companion-protocol';
import { SupportedClis } from '../discovery/supported-clis';
import { Policy } from '../host/policy';
import { Problems } from '../host/problems';
import { TerminalEnvironment } from '../terminal/terminal-environment';
import { CliServer } from './cli-server';
import { ServerEvents } from './companion-events';
import { ConnectedPage } from './connected-page';
import { Window } from './window';
import { WindowStates } from './window-states';
import { Windows } from './windows';

export const ServerTimings = {
    /** How long a server without owner and without session is kept. */
    unneededMs: 60_000,
    /** Between two looks at windows that are away. */
    housekeepingMs: 1_000,
    /** Until a server that could not be started is tried again. */
    retryMs: 5_000
} as const;

/** Starts and stops the windows' servers. Lives as long as the backend; connections of pages come and go. */
@injectable()
export class WindowServers {
    @inject(ILogger)
    @named('companion:WindowServers')
    protected readonly logger: ILogger;
    @inject(Windows)
    protected readonly windows: Windows;
    @inject(SupportedClis)
    protected readonly clis: SupportedClis;
    @inject(TerminalEnvironment)
    protected readonly terminals: TerminalEnvironment;
    @inject(Problems)
    protected readonly problems: Problems;
    @inject(Policy)
    protected readonly policy: Policy;
    @inject(ServerEvents)
    protected readonly events: ServerEvents;
    @inject(WindowStates)
    protected readonly states: WindowStates;
    @inject(ContributionProvider)
    @named(CliServer)
    protected readonly cliServers: ContributionProvider<CliServer>;

    protected housekeeper: NodeJS.Timeout | undefined;
    protected stopped = false;

    @postConstruct()
    protected init(): void {
        this.windows.onDidRemove(window => this.abandon(window));
        this.windows.onDidChangeSession(() => this.states.refreshSoon());
    }

    /** When it resolves, the window's server runs and its discovery files are published. */
    async hello(page: ConnectedPage, snapshot: WindowSnapshot): Promise<WindowState> {
        if (!this.windows.of(page)) {
            page.onDidChangeSilence(() => this.states.refreshSoon());
        }
        const window = await this.windows.introduce(page, snapshot.windowId);
        if (snapshot.focused) {
            window.focusedAt = performance.now();
        }
        window.snapshot = this.policy.override(snapshot);
        await Promise.all([this.states.prepare(), window.enqueue(() => this.serveWindow(window))]);
        this.states.refresh();
        this.states.lookFor(window);
        this.states.greet(window);
        return this.states.answer(window, page);
    }

    /** The window's page got the focus. */
    focus(window: Window): void {
        const serves = this.windows.servedBy(window).length;
        window.focusedAt = performance.now();
        if (this.windows.servedBy(window).length !== serves) {
            // The owner of a server with the same roots is away, and this window had the focus last.
            this.states.refresh();
        }
        void this.republishIfChanged(window);
        this.states.lookFor(window);
    }

    leave(page: ConnectedPage): void {
        if (this.windows.of(page)?.detach(page)) {
            this.states.refresh();
            this.startHousekeeping();
        }
    }

    async stop(): Promise<void> {
        this.stopped = true;
        this.states.leave();
        clearInterval(this.housekeeper);
        this.windows.all().forEach(window => clearTimeout(window.retry));
        await Promise.all(this.windows.all().map(window => window.enqueue(() => this.stopServer(window))));
        await Promise.all(this.shared.map(server => server.stop()));
        await this.states.stop();
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
            const publishing = this.shared.map(server => server.publish());
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

    /** What CLIs connect to that have one server for all windows. */
    get shared(): readonly CliServer[] {
        return this.cliServers.getContributions();
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
            this.states.refreshSoon();
            if (!window.context) {
                // It was that of another folder. After a hello the page sends it by itself.
                window.page?.requestContext();
            }
        }
    }

    protected report(window: Window, problems: readonly CompanionProblem[]): void {
        this.problems.report(`window ${window.id}`, problems, window.id);
    }

    /** Some causes go by themselves, such as no free port or no file descriptor. */
    protected retryLater(window: Window): void {
        const again = async (): Promise<void> => {
            if (window.live) {
                await this.serveWindow(window);
                this.states.refreshSoon();
            }
        };
        window.retry = setTimeout(() => void window.enqueue(again), ServerTimings.retryMs).unref();
    }

    protected async startServer(window: Window): Promise<void> {
        const { port, sessions } = await window.start();
        this.states.serve(window, sessions);
        this.events.follow(sessions, window.id);
        this.logger.info(`Window ${window.id.slice(0, 8)} is served on port ${port}`);
    }

    protected async stopServer(window: Window): Promise<void> {
        if (window.server) {
            const stopping = window.stop();
            await Promise.all([stopping, ...this.shared.map(server => server.publish())]);
            this.states.refreshSoon();
        }
    }

    /** Ends a window that is no longer known. */
    protected abandon(window: Window): void {
        clearTimeout(window.retry);
        this.report(window, []);
        if (window.page) {
            window.detach(window.page);
        }
        void window.enqueue(() => this.stopServer(window));
        this.states.refreshSoon();
    }

    /** Runs only while a window is away: another window takes over its server, or it is stopped in the end. */
    protected startHousekeeping(): void {
        this.housekeeper ??= setInterval(() => {
            const away = this.windows.all().filter(window => !window.live);
            away.forEach(window => this.checkNeed(window));
            this.states.refresh();
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
