// SPDX-License-Identifier: Apache-2.0

import { Event } from '@theia/core/lib/common/event';
import { nls } from '@theia/core/lib/common/nls';
import { inject, injectable } from '@theia/core/shared/inversify';
import { AgentState } from '../../common/companion-protocol';
import { AGENT_COMMANDS } from './agents-command-ids';
import { CompanionConnection } from '../window/companion-connection';
import { StatusRow, StatusSection, StatusSectionContribution, WAITING } from '../window/status-section-contribution';
import { describeAge } from '../window/status-words';
import { agentName, describeAgent, describeState, describeWaiting } from './agent-words';
import { PageAgents, PageAgentStatus } from './page-agents';
import { WaitingAgent } from './waiting-agent-contribution';

/** An idle CLI is among the connected ones. */
const RUNNING: readonly AgentState[] = ['error', 'done', 'working'];
const ICONS: Readonly<Record<AgentState, string>> = {
    blocked: 'bell-dot',
    error: 'error',
    done: 'check',
    working: 'sync',
    idle: 'terminal'
};

/** The programs in the terminals of this page, and other agents: those that wait, then those that work or have finished. */
@injectable()
export class AgentsStatus implements StatusSectionContribution {
    @inject(CompanionConnection)
    protected readonly connection: Pick<CompanionConnection, 'state'>;
    @inject(PageAgents)
    protected readonly agents: Pick<PageAgents, 'all' | 'onDidChange' | 'reveal' | 'waiting'>;

    get onDidChange(): Event<unknown> {
        return this.agents.onDidChange;
    }

    sections(now: number): StatusSection[] {
        const all = this.agents.all.map(({ status }) => status);
        const waiting = this.agents.waiting.filter(({ status }) => this.hasNoProposal(status));
        return [
            {
                id: WAITING,
                order: 11,
                rows: waiting.map(({ id, status, reveal }) => this.row(id, status, reveal, now)),
                briefs:
                    waiting.length > 0
                        ? [{ kind: 'lead', rank: 10, text: describeWaiting(waiting.map(({ status }) => status)), icon: ICONS.blocked }]
                        : []
            },
            {
                id: 'agents',
                order: 30,
                title: nls.localize('theia/cli-companion/status/agents', 'Working and finished'),
                rows: all
                    .filter(agent => this.isListed(agent))
                    .map(agent => this.row(String(agent.shell), agent, () => this.agents.reveal(agent), now))
            }
        ];
    }

    /** A proposal has a row of its own. */
    protected hasNoProposal({ reviewId }: WaitingAgent['status']): boolean {
        return !this.connection.state?.reviews.some(({ id }) => id === reviewId);
    }

    /** One that says nothing runs, and may be among the connected ones. */
    protected isListed({ state, isSilent, isQuiet, name }: PageAgentStatus): boolean {
        const { connections = [] } = this.connection.state?.status ?? {};
        return (
            RUNNING.includes(state) ||
            isQuiet === true ||
            (isSilent === true && !connections.some(({ displayName }) => displayName === name))
        );
    }

    protected row(id: string, agent: WaitingAgent['status'], reveal: WaitingAgent['reveal'], now: number): StatusRow {
        const { state, message, since } = agent;
        return {
            id: `agent ${id}`,
            icon: ICONS[state],
            label: agentName(agent),
            description: `${describeState(agent)} · ${describeAge(now - since)}`,
            detail: message,
            sentences: [describeAgent(agent)],
            command: AGENT_COMMANDS.REVEAL_AGENT.id,
            args: [reveal]
        };
    }
}
