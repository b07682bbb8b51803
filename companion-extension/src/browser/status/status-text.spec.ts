// SPDX-License-Identifier: Apache-2.0

import '../test/dom';
import { expect } from 'chai';
import { ContributionGuard } from '../../common/contribution-guard';
import { CompanionProblem } from '../../common/companion-problem';
import { PROPOSAL } from '../../common/revision';
import { AgentStatus, CliConnection, CompanionStatus, ReviewInfo, WindowState } from '../../common/companion-protocol';
import { AgentsStatus } from '../agents/agents-status';
import { PageAgents } from '../agents/page-agents';
import { ChangesStatus } from '../changes/changes-status';
import { PageChanges } from '../changes/page-changes';
import { ContextFilter } from '../context/context-filter';
import type { WithheldFile } from '../context/context-state';
import { ContextTracker } from '../context/context-tracker';
import { SharingStatus } from '../context/sharing-status';
import { KeptEditStatus } from '../review/kept-edit-status';
import { KeptEdits } from '../review/kept-edits';
import { PageReviews } from '../review/page-reviews';
import { ReviewEditors } from '../review/review-editors';
import { ReviewStatus } from '../review/review-status';
import { CliStatus } from '../terminal/cli-status';
import { testPolicy } from '../test/page-policy';
import { statusServices } from '../test/status';
import type { CompanionConnection } from '../window/companion-connection';
import { PagePolicy } from '../window/page-policy';
import { StatusSectionContribution } from '../window/status-section-contribution';
import { describeAge } from '../window/status-words';
import { CompanionSections } from './companion-sections';
import { describeStatus, inOrder, StatusView } from './status-text';

interface Sharing {
    on: boolean;
    paused?: boolean;
    files: number;
    selected: number;
    withheld: readonly WithheldFile[];
}

/** With the sections of all features: only together they have an order. */
describe('describeStatus', () => {
    const noon = new Date(2026, 10, 22, 12, 0).getTime();
    const qwen: CliConnection = { cliId: 'qwen-code', displayName: 'Qwen Code', since: noon };
    const gemini: CliConnection = { cliId: 'gemini-cli', displayName: 'Gemini CLI', since: noon };
    const nothing: Sharing = { on: true, files: 0, selected: 0, withheld: [] };

    function state(status: Partial<CompanionStatus>, reviews: ReviewInfo[] = []): WindowState {
        const clis = [
            { id: 'qwen-code', displayName: 'Qwen Code', command: 'qwen' },
            { id: 'gemini-cli', displayName: 'Gemini CLI', command: 'gemini' }
        ];
        return {
            windowId: 'w',
            sequence: 1,
            installation: 'installation',
            status: { state: 'ready', problems: [], clis, connections: [], ...status },
            reviews,
            keptEdits: [],
            accepted: [],
            agents: [],
            changes: { version: 0, count: 0 }
        };
    }

    function describe({
        sharing = nothing,
        problems = [],
        ...values
    }: Partial<Pick<CompanionConnection, 'state' | 'failure' | 'connected' | 'reloadNeeded'>> & {
        sharing?: Sharing;
        problems?: CompanionProblem[];
    }): StatusView {
        const connection = { state: state({}), failure: undefined, connected: true, reloadNeeded: false, ...values };
        const { keptEdits = [], agents = [], changes } = connection.state ?? {};
        const openFiles = Array.from({ length: sharing.files }, (_, index) => ({
            isActive: index === 0,
            selectedText: 'x'.repeat(sharing.selected)
        }));
        const services = statusServices(connection);
        services.bind(ContributionGuard, { failures: [] });
        services.bind(PageReviews, { get: () => undefined });
        services.bind(ReviewEditors, { editorsOf: () => [] });
        services.bind(KeptEdits, { all: keptEdits });
        services.bind(PageAgents, {
            all: agents.map(status => ({ status })),
            waiting: agents.filter(({ state }) => state === 'blocked').map(status => ({ id: String(status.shell), status }))
        });
        services.bind(PageChanges, { count: changes?.count, trouble: changes?.trouble });
        services.bind(ContextFilter, { sharing: sharing.on, paused: sharing.paused, problems, setPaused: () => undefined });
        services.bind(PagePolicy, testPolicy());
        services.bind(ContextTracker, { shared: { workspaceState: { openFiles } }, withheld: sharing.withheld });
        const contributions: StatusSectionContribution[] = [
            services.create(CompanionSections),
            services.create(CliStatus),
            services.create(SharingStatus),
            services.create(KeptEditStatus),
            services.create(ChangesStatus),
            services.create(AgentsStatus),
            services.create(ReviewStatus)
        ];
        return describeStatus(connection, inOrder(contributions.flatMap(contribution => contribution.sections(noon))));
    }

    it('says first what waits, and for what; of several how many', () => {
        const waits: AgentStatus = { shell: 1, name: 'Claude Code', state: 'blocked', kind: 'permission', since: 0 };
        const texts = [[waits], [{ ...waits, message: 'approve Update $(trash)' }], [waits, waits]].map(
            agents => describe({ state: { ...state({ connections: [qwen] }), agents } }).text
        );
        expect(texts).to.deep.equal([
            '$(bell-dot) Claude Code waits for your permission',
            '$(bell-dot) Claude Code waits: approve Update $\u200b(trash)',
            '$(bell-dot) 2 programs wait for you'
        ]);
        const working = describe({ state: { ...state({ connections: [qwen] }), agents: [{ ...waits, state: 'working' }] } });
        expect(working.text).to.equal('$(plug) Qwen Code connected');
        expect(working.tooltip).to.include('Claude Code is working.');
    });

    function review(path: string): ReviewInfo {
        return {
            id: path,
            path,
            uri: `file://${path}`,
            cliName: 'Qwen Code',
            outsideWorkspace: false,
            cliGone: false,
            traits: {},
            openedAt: 0,
            revision: PROPOSAL
        };
    }

    it('counts the files that agents changed', () => {
        const changed = { ...state({ connections: [qwen] }), changes: { version: 1, count: 4 } };
        const { text, label } = describe({ state: changed });
        expect(text).to.equal('$(plug) Qwen Code connected, 4 changed');
        expect(label).to.contain('4 files changed since you last looked');
    });

    it('has at most 60 characters, of which what waits and what has changed are not cut', () => {
        const disconnectedClis = [{ cliId: 'gemini-cli', displayName: 'Gemini CLI' }];
        const full: WindowState = {
            ...state({ connections: [qwen], disconnectedClis }, [review('/ws/a')]),
            changes: { version: 1, count: 4 }
        };
        const { text, tooltip } = describe({ state: full });
        expect(text).to.equal('$(git-compare) Qwen Code connected, 1 proposal waiting, 4 changed');
        expect(tooltip.join()).to.include('Gemini CLI runs here, not connected');
        const message = 'approve the edit of a file with a name that goes on and on';
        const agents: AgentStatus[] = [{ shell: 1, name: 'Claude Code', state: 'blocked', kind: 'permission', message, since: 0 }];
        const brief = describe({ state: { ...full, changes: { version: 1, count: 0 }, agents } }).text;
        expect(brief).to.equal('$(bell-dot) Claude Code waits: approve the edit of …, 1 proposal waiting');
    });

    it('names the connected CLIs, where they run and since when', () => {
        const view = describe({ state: state({ connections: [{ ...qwen, folder: '/ws/src' }, gemini] }) });
        expect(view.text).to.equal('$(plug) Qwen Code, Gemini CLI connected');
        expect(view.tooltip.join('\n')).to.match(/^Qwen Code: in src, since 12:00\sPM\.\nGemini CLI: since 12:00\sPM\./);
        const three = [qwen, gemini, { ...qwen, displayName: 'Qwen Code 2' }];
        expect(describe({ state: state({ connections: three }) }).text).to.equal('$(plug) 3 CLIs connected');
    });

    it('draws no icon of a folder that is called like one', () => {
        const named = { ...qwen, displayName: 'Qwen Code · $(flame)' };
        expect(describe({ state: state({ connections: [named] }) }).text).to.equal('$(plug) Qwen Code · $\u200b(flame) connected');
    });

    it('gives a screen reader nothing twice', () => {
        const view = describe({ state: state({ connections: [qwen] }, [review('/ws/a')]) });
        expect(view.label).to.match(
            /^Qwen Code connected, 1 proposal waiting\. Waiting: a \(Qwen Code\)\. Qwen Code: since [^.]+\. Shared: 0 open files, nothing selected$/
        );
    });

    it('counts the waiting reviews and names their files by their paths in the workspace', () => {
        const view = describe({ state: state({ connections: [qwen] }, [review('/ws/src/a'), review('/elsewhere/b')]) });
        expect(view.text).to.equal('$(git-compare) Qwen Code connected, 2 proposals waiting');
        expect(view.tooltip.join()).to.include('Waiting: src/a (Qwen Code)').and.include('Waiting: /elsewhere/b (Qwen Code)');
        expect(view.label).to.include('2 proposals waiting');
    });

    it('says what to start, whichever CLIs are served', () => {
        expect(describe({}).text).to.equal('$(plug) Companion');
        expect(describe({}).tooltip.join()).to.include('Start qwen or gemini in a terminal');
        const clis = [{ id: 'acme', displayName: 'Acme', command: 'acme' }];
        expect(describe({ state: state({ clis }) }).tooltip.join()).to.include('Start acme in a terminal');
    });

    it('says how much is shared', () => {
        const shared = (files: number, selected: number): string => describe({ sharing: { ...nothing, files, selected } }).tooltip.join();
        expect(shared(3, 120)).to.include('Shared: 3 open files, characters selected: 120.');
        expect(shared(1, 0)).to.include('Shared: 1 open file, nothing selected.');
    });

    it('has its own icon while sharing is paused, and distinguishes a pause from settings that forbid sharing', () => {
        const connected = state({ connections: [qwen] });
        const paused = describe({ state: connected, sharing: { ...nothing, on: false, paused: true } });
        expect(paused.text).to.equal('$(debug-pause) Qwen Code connected, sharing paused');
        expect(paused.tooltip.join()).to.include('Sharing is paused in this window');
        const off = describe({ state: connected, sharing: { ...nothing, on: false } });
        expect(off.text).to.equal('$(debug-pause) Qwen Code connected, sharing off');
        expect(off.tooltip.join()).to.include('Open files and selection are not shared.');
    });

    it('without a connection says that the IDE has stopped or cannot be reached, whatever was true before', () => {
        const view = describe({ state: state({ connections: [qwen] }), failure: 'The backend does not answer.', connected: false });
        expect(view.text).to.equal('$(debug-disconnect) IDE stopped or unreachable');
        expect(view.tooltip.join()).to.include('Copy unsaved work').and.not.include('Qwen Code');
    });

    it('says that the active file is withheld, and by which rule', () => {
        const env = { path: '/ws/.env', rule: 'companion.context.exclude: **/.env*', isActive: true };
        const sharing = { ...nothing, withheld: [env, { path: '/ws/key.pem', rule: undefined, isActive: false }] };
        const view = describe({ state: state({ connections: [qwen] }), sharing });
        expect(view.text).to.equal('$(eye-closed) Qwen Code connected, active file withheld');
        expect(view.tooltip.join()).to.include('Withheld: .env (companion.context.exclude: **/.env*)').and.not.include('key.pem');
        expect(describe({ sharing }).text, 'nobody is there to learn of it').to.equal('$(plug) Companion');
    });

    it('says that a CLI was started in a mode that writes without a review', () => {
        const view = describe({ state: state({ connections: [{ ...qwen, unaskedMode: 'yolo' }] }) });
        expect(view.text).to.equal('$(unlock) Qwen Code connected, edits without review');
        expect(view.tooltip.join()).to.include('Qwen Code was started in yolo mode');
        const paused = describe({ state: state({ connections: [{ ...qwen, unaskedMode: 'yolo' }] }), sharing: { ...nothing, on: false } });
        expect(paused.text, 'has room for one of them').to.equal('$(debug-pause) Qwen Code connected, sharing off');
        expect(paused.tooltip.join()).to.include('yolo');
    });

    it('says what to do when it is off', () => {
        const view = describe({ state: state({ state: 'disabled' }) });
        expect(view.text).to.equal('$(circle-slash) Companion off');
        expect(view.tooltip.join()).to.include('companion.enabled').and.not.include('Shared');
    });

    it('shows what went wrong', () => {
        const problem = { code: 'contributed' as const, text: 'No port is free.', command: 'restart it' };
        const view = describe({ state: state({ state: 'failed', problems: [problem] }) });
        expect(view).to.deep.include({ isProblem: true, tooltip: ['No port is free. Run: restart it'] });
        expect(describe({ failure: 'Unreachable.' }).tooltip).to.deep.equal(['Unreachable.']);
        for (const shown of [
            describe({ state: state({ connections: [qwen], problems: [problem] }) }),
            describe({ state: state({ connections: [qwen] }), problems: [problem] })
        ]) {
            expect(shown).to.deep.include({ text: '$(warning) Qwen Code connected', isProblem: true });
            expect(shown.tooltip).to.include('No port is free. Run: restart it');
        }
    });

    it('S22: shows a file name as one line of text', () => {
        const view = describe({ state: state({}, [review('/ws/a\nReady. $(check)')]) });
        expect(view.tooltip).to.have.length(3);
    });

    it('offers to reload the page of a backend that was restarted, whatever was known before', () => {
        const view = describe({ reloadNeeded: true, failure: 'Unreachable.', state: state({ connections: [qwen] }) });
        expect(view).to.include({ isProblem: true, text: '$(warning) Reload needed' });
        expect(view.tooltip.join()).to.include('restarted').and.include('unsaved');
    });

    it('says that a CLI runs without a connection, which is no problem', () => {
        const disconnectedClis = [{ cliId: 'qwen-code', displayName: 'Qwen Code', connectCommand: '/ide enable' }];
        const view = describe({ state: state({ disconnectedClis }) });
        expect(view.isProblem).to.equal(false);
        expect(view.text).to.include('Qwen Code runs here, not connected');
        expect(view.tooltip.join()).to.include('Type /ide enable into its prompt');
    });
});

describe('describeAge', () => {
    it('gives the age in the largest whole unit', () => {
        expect(describeAge(0)).to.equal('now');
        expect(describeAge(59_000)).to.equal('59 sec. ago');
        expect(describeAge(150_000)).to.equal('2 min. ago');
        expect(describeAge(2 * 3_600_000)).to.equal('2 hr. ago');
        expect(describeAge(-5_000), 'the clock was set back').to.equal('now');
    });
});
