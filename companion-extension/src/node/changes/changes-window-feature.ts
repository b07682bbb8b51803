// SPDX-License-Identifier: Apache-2.0

import { ContributionProvider } from '@theia/core/lib/common/contribution-provider';
import { inject, injectable, named, postConstruct } from '@theia/core/shared/inversify';
import { Agents } from '../agents/agents';
import { ProcessScans } from '../host/process-scans';
import { Reviews } from '../review/reviews';
import { Window } from '../server/window';
import { WindowFeature, WindowStatePart } from '../server/window-feature';
import { Windows } from '../server/windows';
import { DisconnectedClis } from '../agents/disconnected-clis';
import { ActiveAgent, ActiveAgentContribution } from './active-agent-contribution';
import { Changes } from './changes';
import { IdeWrites } from './ide-writes';

/** Says in which folders changes are followed, who works there, and what was accepted and written. */
@injectable()
export class ChangesWindowFeature implements WindowFeature {
    @inject(Changes)
    protected readonly changes: Changes;
    @inject(Windows)
    protected readonly windows: Windows;
    @inject(Reviews)
    protected readonly reviews: Reviews;
    @inject(Agents)
    protected readonly agents: Agents;
    @inject(DisconnectedClis)
    protected readonly disconnectedClis: DisconnectedClis;
    @inject(ProcessScans)
    protected readonly scans: ProcessScans;
    @inject(IdeWrites)
    protected readonly writes: IdeWrites;
    @inject(ContributionProvider)
    @named(ActiveAgentContribution)
    protected readonly contributions: ContributionProvider<ActiveAgentContribution>;

    get onDidChange(): Changes['onDidChange'] {
        return this.changes.onDidChange;
    }

    @postConstruct()
    protected init(): void {
        const { reviews } = this;
        // Agents have taken the scan before: they are made first.
        this.scans.onDidScan(() => this.followWindows());
        this.disconnectedClis.onDidChange(() => this.followWindows());
        this.windows.onDidChangeTrust(() => this.followWindows());
        this.agents.onDidChange(changes => {
            this.changes.noteAgents();
            if (changes.some(({ status }) => status?.state !== 'working')) {
                this.changes.lookSoon();
            }
        });
        for (const { onDidChange } of this.contributions.getContributions()) {
            onDidChange(() => {
                this.followWindows();
                this.changes.lookSoon();
            });
        }
        this.changes.setAccepted(file => reviews.writes.takeAccepted(file));
        this.writes.onDidChange(file => void reviews.writes.lookAtFile(file));
        this.writes.onDidWrite(file => {
            void reviews.writes.lookAtFile(file, true);
            void reviews.lookAtWritten(file);
        });
    }

    stateOf(window: Window): WindowStatePart {
        return { changes: this.changes.stateOf(window.roots) };
    }

    followWindows(): void {
        const windows = this.windows.all().filter(({ enabled }) => enabled);
        this.changes.follow(
            windows.map(window => ({
                roots: window.roots,
                preferences: window.preferences,
                excludes: window.excludes,
                agents: () => this.activeIn(window)
            }))
        );
    }

    stop(): Promise<void> {
        return this.changes.stop();
    }

    protected activeIn(window: Window): ActiveAgent[] {
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
            ...unheard.map(name => ({ name, activeAt: Infinity })),
            ...this.contributions.getContributions().flatMap(contribution => contribution.agentsIn(window.roots))
        ];
    }
}
