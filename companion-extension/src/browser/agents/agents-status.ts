// SPDX-License-Identifier: Apache-2.0

import { Event } from '@theia/core/lib/common/event';
import { nls } from '@theia/core/lib/common/nls';
import { inject, injectable } from '@theia/core/shared/inversify';
import { AgentState, AgentStatus } from '../../common/companion-protocol';
import { AGENT_COMMANDS } from './agents-command-ids';
import { CompanionConnection } from '../window/companion-connection';
import { StatusRow, StatusSection, StatusSectionContribution, WAITING } from '../window/status-section-contribution';
import { describeAge } from '../window/status-words';
import { agentName, describeAgent, describeState, describeWaiting } from './agent-words';
import { PageAgents, PageAgentStatus } from './page-agents';

/** An idle CLI is among the connected ones. */
const RUNNING: readonly AgentState[] = ['error', 'done', 'working'];
const ICONS: Readonly<Record<AgentState, string>> = {
    blocked: 'bell-dot',
    error: 'error',
    done: 'check',
    working: 'sync',
    idle: 'terminal'
};

/** The programs in the terminals of this page: those that wait, then those that work or have finished. */
@injectable()
export class AgentsStatus implements StatusSectionContribution {
    @inject(CompanionConnection)
    protected readonly connection: Pick<CompanionConnection, 'state'>;
    @inject(PageAgents)
    protected readonly agents: Pick<PageAgents, 'all' | 'onDidChange'>;

    get onDidChange(): Event<unknown> {
        return this.agents.onDidChange;
    }

    sections(now: number): StatusSection[] {
        const all = this.agents.all.map(({ status }) => status);
        const waiting = all.filter(agent => this.waitsWithoutProposal(agent));
        return [
            {
                id: WAITING,
                order: 11,
                rows: waiting.map(agent => this.row(agent, now)),
                briefs: waiting.length > 0 ? [{ kind: 'lead', rank: 10, text: describeWaiting(waiting), icon: ICONS.blocked }] : []
            },
            {
                id: 'agents',
                order: 30,
                title: nls.localize('theia/cli-companion/status/agents', 'Working and finished'),
                rows: all.filter(agent => this.isListed(agent)).map(agent => this.row(agent, now))
            }
        ];
    }

    /** A proposal has a row of its own. */
    protected waitsWithoutProposal({ state, reviewId }: AgentStatus): boolean {
        return state === 'blocked' && !this.connection.state?.reviews.some(({ id }) => id === reviewId);
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

    protected row(agent: PageAgentStatus, now: number): StatusRow {
        const { shell, state, message, since } = agent;
        return {
            id: `agent ${shell}`,
            icon: ICONS[state],
            label: agentName(agent),
            description: `${describeState(agent)} · ${describeAge(now - since)}`,
            detail: message,
            sentences: [describeAgent(agent)],
            command: AGENT_COMMANDS.REVEAL_AGENT.id,
            args: [agent]
        };
    }
}
