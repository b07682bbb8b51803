// SPDX-License-Identifier: Apache-2.0

import '../test/dom';
import { expect } from 'chai';
import { AgentState } from '../../common/companion-protocol';
import { reviewInfo } from '../test/review-info';
import { statusServices, windowState } from '../test/status';
import { spokenRow } from '../window/status-section-contribution';
import { AgentsStatus } from './agents-status';
import { PageAgents, PageAgentStatus } from './page-agents';

describe('The programs of the terminals in the status', () => {
    it('wait without a proposal, which has a row of its own, or work or have finished', () => {
        const agent = (shell: number, state: AgentState, more: Partial<PageAgentStatus> = {}): PageAgentStatus => {
            return { shell, name: `CLI ${shell}`, state, since: 0, ...more };
        };
        const agents = [
            agent(1, 'blocked', { reviewId: 'review', kind: 'permission' }),
            agent(2, 'blocked', { kind: 'question', message: 'Which one? $(trash)' }),
            agent(3, 'working', { message: 'Reading a.txt' }),
            agent(4, 'done'),
            agent(5, 'idle'),
            agent(6, 'idle', { isSilent: true }),
            agent(7, 'idle', { isSilent: true, name: 'Qwen Code' }),
            agent(8, 'working', { progress: 40 }),
            agent(9, 'idle', { isSilent: true, isQuiet: true, name: 'Qwen Code' })
        ];
        const services = statusServices({ state: windowState({}, { reviews: [reviewInfo('review')] }) });
        const reveal = async (): Promise<void> => undefined;
        const blocked = agents.filter(({ state }) => state === 'blocked');
        services.bind(PageAgents, {
            all: agents.map(status => ({ status })),
            waiting: [
                ...blocked.map(status => ({ id: String(status.shell), status, reveal })),
                { id: 'chat', status: { name: 'Qwen', state: 'blocked', kind: 'permission', message: 'npm test', since: 0 }, reveal }
            ]
        });
        const [waiting, running] = services.create(AgentsStatus).sections(60_000);
        expect(waiting.rows.map(({ id }) => id)).to.deep.equal(['agent 2', 'agent chat']);
        expect(spokenRow(waiting.rows[0])).to.equal('CLI 2, asks you something · 1 min. ago, Which one? $(trash)');
        expect(waiting.rows[0]).to.deep.include({ command: 'companion.agents.reveal', args: [reveal] });
        expect(spokenRow(waiting.rows[1])).to.equal('Qwen, waits for your permission · 1 min. ago, npm test');
        expect(running.rows.map(({ label, description }) => `${label} ${description}`)).to.deep.equal([
            'CLI 3 is working · 1 min. ago',
            'CLI 4 has finished · 1 min. ago',
            // Of two that say nothing, one is among the connected CLIs.
            'CLI 6 is running · 1 min. ago',
            'CLI 8 is working (40 %) · 1 min. ago',
            'Qwen Code is quiet · 1 min. ago'
        ]);
        // It may ask something, or be done: nobody is called.
        expect(waiting.briefs).to.have.length(1);
    });
});
