// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { ActiveAgent } from './active-agent-contribution';
import { TurnClock } from './turn-clock';

describe('A turn', () => {
    let now: number;
    let agents: ActiveAgent[];
    let clock: TurnClock;
    let looked: number;

    beforeEach(() => {
        now = 1_000_000;
        looked = now;
        agents = [];
        clock = new TurnClock(
            () => agents,
            () => now
        );
    });

    const says = (name: string, isWorking: boolean, topic?: string): ActiveAgent => ({
        ...{ name, isWorking, activeAt: isWorking ? Infinity : now },
        ...(topic !== undefined && { topic })
    });
    const silent = (name: string, wroteAt: number): ActiveAgent => ({ name, activeAt: Infinity, wroteAt });

    function tell(...told: ActiveAgent[]): void {
        now += 1_000;
        agents = told;
        clock.note();
    }

    /** A look that finds something. @returns the agents of its turn, and the number of that turn */
    const ids: string[] = [];
    function look(...worked: string[]): string | undefined {
        now += 1_000;
        const turn = clock.turnOf(worked, looked);
        looked = now;
        if (turn && !ids.includes(turn.id)) {
            ids.push(turn.id);
        }
        return turn && `${turn.agents.join(' + ')}${turn.prompt === undefined ? '' : ` (${turn.prompt})`} ${ids.indexOf(turn.id) - first}`;
    }
    let first = 0;
    beforeEach(() => (first = ids.length));

    it('lasts from when an agent says that it works until it says that it is done, with what was written just before its end', () => {
        tell(says('Claude Code', true, 'Fix it'));
        expect(look('Claude Code')).to.equal('Claude Code (Fix it) 0');
        tell(says('Claude Code', false));
        expect(look('Claude Code')).to.equal('Claude Code (Fix it) 0');
        tell(says('Claude Code', true));
        expect(look('Claude Code')).to.equal('Claude Code 1');
    });

    it('goes on while nothing is written, as long as its agent says that it works', () => {
        tell(says('Claude Code', true));
        expect(look('Claude Code')).to.equal('Claude Code 0');
        now += 600_000;
        expect(look('Claude Code')).to.equal('Claude Code 0');
    });

    it('has both names if two agents work at once, and ends when both are done', () => {
        tell(says('Claude Code', true));
        tell(says('Claude Code', true), says('Codex', true));
        tell(says('Claude Code', false), says('Codex', true));
        expect(look('Codex')).to.equal('Claude Code + Codex 0');
        tell(says('Claude Code', false), says('Codex', false));
        tell(says('Claude Code', true), says('Codex', false));
        expect(look('Claude Code')).to.equal('Claude Code 1');
    });

    it('of an agent that says nothing begins with its first write, and ends when neither its terminal nor a file was written for 20 s', () => {
        tell(silent('Aider', now));
        expect(look('Aider')).to.equal('Aider 0');
        now += 15_000;
        tell(silent('Aider', now));
        now += 15_000;
        expect(look('Aider')).to.equal('Aider 0');
        now += 30_000;
        // Nobody asked meanwhile, and it writes again.
        tell(silent('Aider', now));
        expect(look('Aider')).to.equal('Aider 1');
    });

    it('of one that works has the name of another one that says nothing only if its terminal was written meanwhile', () => {
        tell(says('Claude Code', true), silent('Aider', now - 60_000));
        expect(look('Claude Code', 'Aider')).to.equal('Claude Code 0');
        agents = [says('Claude Code', true), silent('Aider', now)];
        expect(look('Claude Code', 'Aider')).to.equal('Claude Code + Aider 0');
    });

    it('is none of what is written while no agent works', () => {
        tell(says('Claude Code', false));
        expect(look()).to.equal(undefined);
        tell(says('Claude Code', true));
        tell(says('Claude Code', false));
        look('Claude Code');
        now += 60_000;
        expect(look(), 'later').to.equal(undefined);
    });
});
