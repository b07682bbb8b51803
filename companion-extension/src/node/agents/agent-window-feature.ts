// SPDX-License-Identifier: Apache-2.0

import { inject, injectable, postConstruct } from '@theia/core/shared/inversify';
import { SupportedClis } from '../discovery/supported-clis';
import { Reviews } from '../review/reviews';
import { ServerEvents } from '../server/companion-events';
import { Window } from '../server/window';
import { WindowFeature, WindowStatePart } from '../server/window-feature';
import { isSameProcess } from '../host/process-table';
import { Windows } from '../server/windows';
import { AgentConnection, Agents } from './agents';

/** What pages and embedders learn of the programs in terminals. */
@injectable()
export class AgentWindowFeature implements WindowFeature {
    @inject(Agents)
    protected readonly agents: Agents;
    @inject(Windows)
    protected readonly windows: Windows;
    @inject(Reviews)
    protected readonly reviews: Reviews;
    @inject(SupportedClis)
    protected readonly clis: SupportedClis;
    @inject(ServerEvents)
    protected readonly events: ServerEvents;

    get onDidChange(): Agents['onDidChange'] {
        return this.agents.onDidChange;
    }

    @postConstruct()
    protected init(): void {
        this.agents.onDidChange(changes => {
            for (const { shell, status } of changes) {
                const { cliId, state = 'ended', kind } = status ?? {};
                this.events.changeAgentStatus.fire({ shell, state, ...(cliId !== undefined && { cliId }), ...(kind && { kind }) });
            }
        });
    }

    stateOf(window: Window): WindowStatePart {
        return { agents: window.enabled ? this.agents.of(window.shells) : [] };
    }

    followWindows(): void {
        const windows = this.windows.all().filter(({ enabled }) => enabled);
        this.clis.namedAgents = windows.flatMap(({ preferences }) => preferences['companion.agents']);
        void this.agents.connect(this.connections);
    }

    /** The CLIs of all windows whose process is known, each with the oldest proposal that it waits for. */
    protected get connections(): AgentConnection[] {
        const waiting = this.reviews.waiting();
        return this.windows.sessions().flatMap(session => {
            const review = waiting.find(({ owner }) => owner && isSameProcess(owner, session));
            return session.peer && !session.gone ? { pid: session.peer.pid, name: this.windows.nameOf(session), reviewId: review?.id } : [];
        });
    }
}
