// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { SinonFakeTimers, useFakeTimers } from 'sinon';
import { Foreground, TerminalAgent } from './terminal-agent';

const SHELL: Foreground = { pid: 1, isShell: true, cli: undefined };
const PROGRAM: Foreground = { pid: 2, isShell: false, cli: undefined };
const CLAUDE: Foreground = { pid: 3, isShell: false, cli: { id: 'claude-code', displayName: 'Claude Code' } };
const QWEN: Foreground = {
    pid: 4,
    isShell: false,
    cli: { id: 'qwen-code', displayName: 'Qwen Code', titleMarks: { blocked: '✳', working: '◐' } }
};

describe('The program in a terminal', () => {
    let agent: TerminalAgent;
    let answers: string[];

    beforeEach(() => {
        answers = [];
        agent = new TerminalAgent(1, text => answers.push(text));
    });

    function program(report: string): void {
        agent.receive(`\u001b]7501;${report}\u001b\\`);
    }

    function title(text: string): void {
        agent.receive(`\u001b]0;${text}\u0007`);
    }

    function state(): string | undefined {
        return agent.status?.state;
    }

    it('is none in a shell, and idle where a known CLI is in front', () => {
        agent.setForeground(SHELL);
        expect(agent.status).to.equal(undefined);
        agent.setForeground(PROGRAM);
        expect(agent.status).to.equal(undefined);
        agent.setForeground(CLAUDE);
        expect(agent.status).to.include({ shell: 1, cliId: 'claude-code', name: 'Claude Code', state: 'idle' });
    });

    function ask(foreground: Foreground | undefined, text = '\u001b]7501;?\u0007'): number {
        agent.receive(text);
        agent.answerQuery(() => foreground?.pid);
        return answers.length;
    }

    describe('asks whether its reports are read', () => {
        let clock: SinonFakeTimers;

        beforeEach(() => (clock = useFakeTimers({ toFake: ['performance'] })));

        afterEach(() => clock.restore());

        it('and is told, by nothing that it wrote', () => {
            ask(PROGRAM, '\u001b]7501;?\nrm -rf ~\n\u001b\\');
            expect(answers).to.deep.equal(['\u001b]7501;?\u001b\\']);
        });

        it('and is told once for a flood', () => {
            expect(ask(PROGRAM, '\u001b]7501;?\u0007'.repeat(10_000))).to.equal(1);
            expect(ask(PROGRAM)).to.equal(1);
        });

        it('and is told nothing again for a query with the echo of an answer in it, which is no report', () => {
            expect(ask(PROGRAM)).to.equal(1);
            clock.tick(5_000);
            expect(ask(PROGRAM, '\u001b]7501;^[]7501;?^G?\u0007\u001b]7501;?\u0007')).to.equal(1);
        });

        it('and is told again once it has reported, but not within a second', () => {
            expect(ask(CLAUDE)).to.equal(1);
            clock.tick(5_000);
            expect(ask(CLAUDE), 'it may not have read the answer').to.equal(1);
            program('state=idle');
            expect(ask(CLAUDE)).to.equal(2);
            program('state=idle');
            expect(ask(CLAUDE)).to.equal(2);
        });

        it('and is told at once if the one before has reported', () => {
            expect(ask(CLAUDE)).to.equal(1);
            expect(ask(PROGRAM), 'a program that a loop starts again and again').to.equal(1);
            program('state=idle');
            expect(ask(PROGRAM)).to.equal(2);
        });

        it('and is told nothing in a shell', () => {
            expect(ask(SHELL)).to.equal(0);
        });

        it('and is told where the system does not say who has the keyboard', () => {
            expect(ask(undefined)).to.equal(1);
        });
    });

    it('reports, also where nobody has heard of it, until the shell has the keyboard again', () => {
        agent.setForeground(PROGRAM);
        program('state=working:app=codex');
        expect(agent.status).to.include({ name: 'codex', state: 'working' });
        program('state=blocked:kind=auth:app=codex');
        expect(agent.status).to.include({ state: 'blocked', kind: 'auth' });
        agent.setForeground(SHELL);
        expect(agent.status).to.equal(undefined);
    });

    it('is news after its end until somebody has looked', () => {
        agent.setForeground(PROGRAM);
        program('state=done');
        agent.setForeground(SHELL);
        expect(state()).to.equal('done');
        agent.markSeen();
        expect(agent.status).to.equal(undefined);
    });

    it('waits with a proposal of it, whatever else it says', () => {
        agent.setForeground(CLAUDE);
        program('state=working:app=claude-code');
        agent.connected = { name: 'Claude Code 2', reviewId: 'r1' };
        expect(agent.status).to.include({ name: 'Claude Code 2', state: 'blocked', kind: 'permission', reviewId: 'r1' });
        agent.connected = { name: 'Claude Code 2', reviewId: undefined };
        expect(agent.status).to.include({ name: 'Claude Code 2', state: 'working' });
    });

    it('works, waits, and has finished as the titles of its CLI say', () => {
        agent.setForeground(QWEN);
        title('Qwen - proj');
        expect(state()).to.equal('idle');
        title('◐ Qwen - proj');
        expect(state()).to.equal('working');
        title('✳ Qwen - proj');
        expect(state()).to.equal('blocked');
        title('◐ Qwen - proj');
        title('Qwen - proj');
        title('Qwen - proj');
        expect(state()).to.equal('done');
        agent.markSeen();
        expect(state()).to.equal('idle');
        title('✳ Qwen - proj');
        agent.setForeground(SHELL);
        expect(agent.status).to.equal(undefined);
    });

    it('has a title that means nothing where another program is in front', () => {
        agent.setForeground(CLAUDE);
        title('✳ Claude Code');
        expect(state()).to.equal('idle');
    });

    it('reports more exactly than its titles say', () => {
        agent.setForeground(QWEN);
        title('◐ Qwen');
        program('state=blocked');
        title('◐ Qwen');
        expect(state()).to.equal('blocked');
    });

    for (const [what, output, message] of [
        ['OSC 9', '\u001b]9;Build finished\u0007', 'Build finished'],
        ['OSC 777', '\u001b]777;notify;make;Build;finished\u0007', 'Build;finished'],
        ['OSC 99', '\u001b]99;i=1:p=body;Build finished\u001b\\', 'Build finished'],
        ['OSC 99 in base64', `\u001b]99;e=1;${Buffer.from('Build\nfinished').toString('base64')}\u001b\\`, 'Build finished']
    ]) {
        it(`wants attention with ${what} until somebody has looked`, () => {
            agent.setForeground(PROGRAM);
            agent.receive(output);
            expect(agent.status).to.include({ state: 'blocked', message });
            agent.markSeen();
            expect(agent.status).to.equal(undefined);
        });
    }

    for (const output of [
        '\u001b]9;4\u0007',
        '\u001b]9;\u0007',
        '\u001b]9;9;"/p/project"\u0007',
        ...['1;50', '2;x', '3;tab title', '5', '8;PATH', '12'].map(data => `\u001b]9;${data}\u0007`),
        '\u001b]777;precmd\u0007',
        '\u001b]99;p=icon;x\u0007',
        '\u001b]99;x\u0007'
    ]) {
        it(`wants nothing with ${JSON.stringify(output)}`, () => {
            agent.receive(output);
            expect(agent.status).to.equal(undefined);
        });
    }

    for (const output of [
        '\u001b]777;preexec\u0007\u001b]777;notify;Command completed;make\u001b\\',
        '\u001b]9;Command finished: make\u0007',
        '\u001b]99;i=1:u=0;Backed up\u001b\\',
        '\u001b]99;i=1:d=0:u=0;Backed up\u001b\\\u001b]99;i=1:p=body;all\u001b\\'
    ]) {
        it(`has finished, and wants nobody, with ${JSON.stringify(output)}`, () => {
            agent.setForeground(PROGRAM);
            agent.receive(output);
            expect(state()).to.equal('done');
            agent.setForeground(SHELL);
            expect(state()).to.equal('done');
            agent.markSeen();
            expect(agent.status).to.equal(undefined);
        });
    }

    it('never waits as a shell at its prompt, whatever that writes', () => {
        agent.setForeground(SHELL);
        agent.receive('\u001b]9;4 files written\u0007');
        expect(agent.status).to.include({ state: 'done', message: '4 files written' });
        agent.receive('\u001b]99;i=2;Look\u001b\\');
        expect(state()).to.equal('done');
    });

    /** Each with the state and the per cent after it. */
    for (const [what, steps] of [
        [
            'works, and is done with it',
            [
                ['4;1;0', 'working', 0],
                ['4;1;150', 'working', 100],
                ['4;0', undefined],
                ['4;0;0', undefined]
            ]
        ],
        [
            'works without an end in sight',
            [
                ['4;3', 'working'],
                ['4;3;0', 'working'],
                ['4;4;30', 'working', 30],
                ['4;0', undefined]
            ]
        ],
        [
            'works, and fails',
            [
                ['4;1;50', 'working', 50],
                ['4;2;50', 'error'],
                ['4;2', 'error'],
                ['4;9;1', 'error']
            ]
        ],
        [
            'asks, and works on',
            [
                ['Continue?', 'blocked'],
                ['4;1;50', 'working', 50]
            ]
        ],
        [
            'works, and asks',
            [
                ['4;1;50', 'working', 50],
                ['Continue?', 'blocked'],
                ['4;0', 'blocked']
            ]
        ]
    ] as const) {
        it(`has a progress that says that it ${what}`, () => {
            agent.setForeground(PROGRAM);
            for (const [data, expected, percent] of steps) {
                agent.receive(`\u001b]9;${data}\u001b\\`);
                expect([state(), agent.status?.progress], data).to.deep.equal([expected, percent]);
            }
        });
    }

    it('has no progress any more once the shell has the keyboard, but what has failed is news', () => {
        for (const [data, expected] of [
            ['4;1;50', undefined],
            ['4;2', 'error']
        ]) {
            agent.setForeground(PROGRAM);
            agent.receive(`\u001b]9;${data}\u0007`);
            agent.setForeground(SHELL);
            expect(state()).to.equal(expected);
        }
        agent.markSeen();
        expect(agent.status).to.equal(undefined);
    });

    it('reports a progress itself, too', () => {
        agent.setForeground(PROGRAM);
        program('state=working:progress=40');
        expect(agent.status).to.include({ state: 'working', progress: 40 });
        program('state=done:progress=100');
        expect(agent.status).not.to.have.property('progress');
    });

    it('wants attention with a bell only if it is a known CLI', () => {
        for (const foreground of [SHELL, PROGRAM]) {
            agent.setForeground(foreground);
            agent.receive('\u0007');
            expect(agent.status).to.equal(undefined);
        }
        agent.setForeground(CLAUDE);
        agent.receive('\u0007');
        expect(state()).to.equal('blocked');
        program('state=working');
        program('state=clear');
        expect(state(), 'an old bell').to.equal('idle');
    });

    it('wants nothing any more once it is gone, if it is a known CLI', () => {
        agent.setForeground(QWEN);
        title('✳ Qwen');
        agent.receive('\u0007');
        agent.setForeground(SHELL);
        expect(agent.status).to.equal(undefined);
        agent.setForeground(PROGRAM);
        agent.receive('\u001b]9;Build finished\u0007');
        agent.setForeground(SHELL);
        expect(state(), 'news of a program that has ended').to.equal('done');
    });

    it('is still that CLI while it ends, when the system knows its command line no more', () => {
        agent.setForeground(CLAUDE);
        agent.receive('\u0007');
        agent.setForeground({ ...CLAUDE, cli: undefined });
        expect(agent.status).to.include({ name: 'Claude Code', state: 'blocked' });
        agent.setForeground(SHELL);
        expect(agent.status).to.equal(undefined);
    });

    it('has been in its state since it came into it', async () => {
        agent.setForeground(PROGRAM);
        program('state=working');
        const since = agent.status?.since ?? 0;
        await new Promise(resolve => setTimeout(resolve, 5));
        program('state=working:progress=50');
        expect(agent.status?.since).to.equal(since);
        program('state=done');
        expect(agent.status?.since).to.be.greaterThan(since);
    });
});
