// SPDX-License-Identifier: Apache-2.0

import '../test/dom';
import { expect } from 'chai';
import * as sinon from 'sinon';
import { AgentStatus, KeptEdit, UnconnectedCli, WindowState } from '../../common/companion-protocol';
import { reviewInfo } from '../test/review-info';
import type { StatusActions } from './status-actions';
import { SharingState, spokenRow, StatusFacts, StatusRow, StatusSection, StatusSections } from './status-sections';

const REVIEW = reviewInfo('review', { path: '/ws/src/a.ts', uri: 'file:///ws/src/a.ts', openedAt: 0 });
const EDIT: KeptEdit = {
    id: 'edit',
    reviewId: 'review',
    path: '/ws/b.ts',
    uri: 'file:///ws/b.ts',
    cliName: 'Gemini CLI',
    reason: 'rejected',
    keptAt: 0,
    daysLeft: 14
};
const SHARING: SharingState = {
    on: true,
    paused: false,
    canPause: true,
    canToggle: true,
    files: 1,
    selected: 0,
    withheld: [{ path: '/ws/.env', rule: 'companion.context.exclude: **/.env*', isActive: false }]
};

describe('The rows of the status', () => {
    let actions: sinon.SinonStubbedInstance<StatusActions>;
    let changesText: string;
    let changes: WindowState['changes'];

    beforeEach(() => {
        changes = { version: 0, count: 0 };
        const names: ReadonlyArray<keyof StatusActions> = [
            'openReview',
            'openAgent',
            'acceptReview',
            'rejectReview',
            'showEdit',
            'discardEdit',
            'reloadPage',
            'turnOn',
            'revealTerminal',
            'connectCli',
            'typeFix',
            'openFolder',
            'copy',
            'tell',
            'tellProblem',
            'showRule',
            'runCommand',
            'labelOf'
        ];
        actions = Object.fromEntries(names.map(name => [name, sinon.stub()])) as unknown as typeof actions;
        changesText = '';
        actions.labelOf.callsFake(id => (id.startsWith('companion.') ? `label of ${id}` : undefined));
    });

    function sections(status: Partial<WindowState['status']> = {}, facts: Partial<StatusFacts> = {}): StatusSection[] {
        const state: WindowState = {
            windowId: 'window',
            sequence: 1,
            installation: 'installation',
            status: {
                state: 'ready',
                problems: [],
                clis: [{ id: 'qwen-code', displayName: 'Qwen Code', command: 'qwen' }],
                connections: [{ cliId: 'qwen-code', displayName: 'Qwen Code', since: 0 }],
                ...status
            },
            reviews: [],
            keptEdits: [],
            agents: [],
            changes
        };
        const connection = { state, failure: undefined, connected: true, reloadNeeded: false };
        const paths = { display: (path: string) => path.replace('/ws/', ''), name: (path: string) => path.split('/').pop() ?? '' };
        return new StatusSections(paths, actions).of({
            connection,
            reviews: [],
            changesOf: id => (id === 'review' ? changesText : ''),
            agents: [],
            edits: [],
            sharing: SHARING,
            problems: [],
            fixes: [],
            now: 60_000,
            ...facts
        });
    }

    function rows(...of: StatusSection[]): StatusRow[] {
        return of.flatMap(section => section.rows);
    }

    function row(id: string, of: StatusSection[]): StatusRow {
        const found = rows(...of).find(candidate => candidate.id === id);
        expect(found, `${id} in ${rows(...of).map(candidate => candidate.id)}`).not.to.equal(undefined);
        return found!;
    }

    it('a waiting review opens, and its buttons accept and reject it', () => {
        expect(row('review', sections({}, { reviews: [REVIEW] })).detail).to.equal('src/a.ts · 1 min. ago');
        changesText = 'change 2 of 4 · +3 −3';
        const found = row('review', sections({}, { reviews: [REVIEW] }));
        expect(spokenRow(found)).to.equal('a.ts, proposed by Qwen Code, 1 min. ago, src/a.ts');
        expect(found.detail).to.equal('src/a.ts · change 2 of 4 · +3 −3 · 1 min. ago');
        expect(found.review).to.equal(REVIEW);
        found.run();
        found.buttons?.forEach(button => button.run());
        sinon.assert.calledOnceWithExactly(actions.openReview, REVIEW);
        sinon.assert.calledOnceWithExactly(actions.acceptReview, REVIEW);
        sinon.assert.calledOnceWithExactly(actions.rejectReview, REVIEW);
    });

    it('what waits comes with the proposals, and is not there twice', () => {
        const agent = (shell: number, state: AgentStatus['state'], more: Partial<AgentStatus> = {}): AgentStatus => {
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
            agent(8, 'working', { progress: 40 })
        ];
        const [waiting, running] = sections({}, { reviews: [REVIEW], agents });
        expect(waiting.title).to.equal('Waiting for you');
        expect(waiting.rows.map(({ id }) => id)).to.deep.equal(['review', 'agent 2']);
        expect(spokenRow(waiting.rows[1])).to.equal('CLI 2, asks you something · 1 min. ago, Which one? $(trash)');
        expect(running.rows.map(({ label, description }) => `${label} ${description}`)).to.deep.equal([
            'CLI 3 is working · 1 min. ago',
            'CLI 4 has finished · 1 min. ago',
            // Of two that say nothing, one is among the connected CLIs.
            'CLI 6 is running · 1 min. ago',
            'CLI 8 is working (40 %) · 1 min. ago'
        ]);
        waiting.rows[1].run();
        sinon.assert.calledOnceWithExactly(actions.openAgent, agents[1]);
    });

    it('files that agents changed come after what waits, and open their view', () => {
        expect(sections().some(({ id }) => id === 'changes')).to.equal(false);
        changes.count = 4;
        const all = sections({}, { reviews: [REVIEW] });
        expect(all.slice(0, 2).map(({ title }) => title)).to.deep.equal(['Waiting for you', 'Agent Changes']);
        const found = row('changes', all);
        expect(found.label).to.equal('4 files changed since you last looked');
        found.run();
        sinon.assert.calledOnceWithExactly(actions.runCommand, 'companion.changes.show');
    });

    it('what keeps changes from being followed is said with what helps; that they are off, only while an agent runs', () => {
        const agents: AgentStatus[] = [{ shell: 1, name: 'Aider', state: 'idle', isSilent: true, since: 0 }];
        changes.trouble = { code: 'failed', root: '/ws', cause: 'git ls-files took too long' };
        const found = row('changes trouble', sections());
        expect(found.sentences).to.deep.equal([
            'Changes in /ws are not followed (git ls-files took too long). git is asked again after a while.'
        ]);
        found.run();
        sinon.assert.calledOnceWithExactly(actions.runCommand, 'companion.changes.show');
        changes.trouble = { code: 'off' };
        expect(sections().some(({ id }) => id === 'changes')).to.equal(false);
        expect(row('changes trouble', sections({}, { agents })).label).to.equal('Changes are not followed.');
    });

    it('a kept edit is shown, and its button discards it', () => {
        const found = row('edit edit', sections({}, { edits: [EDIT] }));
        expect(found.detail).to.equal('b.ts · kept until Jan 15, 1970');
        found.run();
        found.buttons?.forEach(button => button.run());
        sinon.assert.calledOnceWithExactly(actions.showEdit, EDIT);
        sinon.assert.calledOnceWithExactly(actions.discardEdit, EDIT);
    });

    it('a CLI that is connected leads to its terminal, and one that is not gets what connects it, or its folder is opened', () => {
        const gemini: UnconnectedCli = { cliId: 'gemini-cli', displayName: 'Gemini CLI', connectCommand: '/ide enable' };
        const claude: UnconnectedCli = { cliId: 'claude-code', displayName: 'Claude Code', connectCommand: '/ide', folder: '/tree' };
        const found = sections({ disconnectedClis: [gemini, claude] });
        row('cli Qwen Code', found).run();
        sinon.assert.calledOnceWithExactly(actions.revealTerminal, 'Qwen Code');
        const unconnected = row('disconnected gemini-cli', found);
        expect(spokenRow(unconnected)).to.equal('Gemini CLI runs here, not connected, Enter types /ide enable into its prompt.');
        unconnected.run();
        sinon.assert.calledOnceWithExactly(actions.connectCli, gemini);
        const outside = row('disconnected claude-code', found);
        expect(outside.label).to.equal('Claude Code runs in /tree, which is not an open folder');
        expect(outside.detail).to.equal('Start it again in an open folder. Or Enter opens that one.');
        outside.run();
        sinon.assert.calledOnceWithExactly(actions.openFolder, '/tree');
    });

    it('where no CLI is connected, the rows that start one come first', () => {
        const [first] = sections({ connections: [] });
        expect(first).to.include({ id: 'clis', title: 'No CLI is connected to this window' });
        expect(rows(first).map(({ id }) => id)).to.deep.equal(['command companion.run.qwen-code']);
        row('command companion.run.qwen-code', [first]).run();
        sinon.assert.calledOnceWithExactly(actions.runCommand, 'companion.run.qwen-code');
    });

    it('says what is shared, and which file is withheld by which rule', () => {
        const found = sections();
        const withheld = row('withheld /ws/.env', found);
        expect(withheld.detail).to.include('companion.context.exclude: **/.env*');
        withheld.run();
        sinon.assert.calledOnceWithExactly(actions.showRule, 'companion.context.exclude: **/.env*');
        expect(row('toggleSharing', found).label).to.equal('Pause Sharing in This Window');
        const paused = sections({}, { sharing: { ...SHARING, on: false, paused: true } });
        expect(row('toggleSharing', paused).label).to.equal('Resume Sharing in This Window');
        expect(rows(...paused).map(({ id }) => id)).not.to.include('withheld /ws/.env');
    });

    it('the companion that is off has a row that turns it on, and says nothing of CLIs and files', () => {
        const found = sections({ state: 'disabled', connections: [] });
        expect(found.map(({ id }) => id)).to.deep.equal(['off', 'actions']);
        row('turnOn', found).run();
        sinon.assert.calledOnce(actions.turnOn);
    });

    it('a problem is told whole, and its command is copied', () => {
        const found = sections({ problems: [{ code: 'contributed', text: 'No port is free.', command: 'restart it' }] });
        const problem = row('problem No port is free. Run: restart it', found);
        problem.run();
        problem.buttons?.forEach(button => button.run());
        sinon.assert.calledOnceWithExactly(actions.tellProblem, 'No port is free. Run: restart it', 'restart it');
        sinon.assert.calledOnceWithExactly(actions.copy, 'restart it');
    });

    it('what the diagnosis says how to mend is typed by its row', () => {
        const fix = { cliId: 'qwen-code', displayName: 'Qwen Code', command: "cd '/ws'", shell: 42 };
        const found = row("fix qwen-code cd '/ws'", sections({}, { fixes: [fix] }));
        expect(spokenRow(found)).to.equal("cd '/ws', Qwen Code, Enter types it into the terminal that was examined.");
        found.run();
        sinon.assert.calledOnceWithExactly(actions.typeFix, fix);
    });

    it('an application without a command has no row for it', () => {
        const ids = rows(...sections()).map(({ id }) => id);
        expect(ids).to.include('command companion.showLog').and.not.include('command preferences:open');
    });
});
