// SPDX-License-Identifier: Apache-2.0

import '../test/dom';
import { ContributionProvider } from '@theia/core/lib/common/contribution-provider';
import { Emitter } from '@theia/core/lib/common/event';
import { TerminalService } from '@theia/terminal/lib/browser/base/terminal-service';
import { expect } from 'chai';
import * as sinon from 'sinon';
import { AgentStatus } from '../../common/companion-protocol';
import { AgentsBackend } from '../../common/agents-protocol';
import { FakeServices } from '../test/fake-services';
import { CompanionConnection } from '../window/companion-connection';
import { PageAgents } from './page-agents';
import { WaitingAgent, WaitingAgentContribution } from './waiting-agent-contribution';

describe('The programs in the terminals of a page', () => {
    let agents: PageAgents;
    let watched: number[];
    let seen: number[];
    let opened: unknown[];
    let state: { agents: AgentStatus[] };
    let changed: Emitter<void>;
    let hello: Emitter<void>;
    let created: Emitter<unknown>;
    let changes: number;
    let others: WaitingAgent[];
    let othersChanged: Emitter<void>;

    beforeEach(() => {
        [watched, seen, opened, changes, state] = [[], [], [], 0, { agents: [] }];
        [changed, hello, created] = [new Emitter(), new Emitter(), new Emitter()];
        const services = new FakeServices();
        services.bind(TerminalService, {
            all: [],
            onDidCreateTerminal: created.event,
            open: async (widget: unknown) => void opened.push(widget)
        });
        services.bind(AgentsBackend, {
            watchTerminals: async (shells: number[]) => void (watched = shells),
            markAgentSeen: async (shell: number) => void seen.push(shell)
        });
        services.bind(CompanionConnection, {
            onDidHello: hello.event,
            onDidChangeState: changed.event,
            greeted: true,
            get state() {
                return state;
            },
            ask: async (call: () => Promise<unknown>) => call()
        });
        [others, othersChanged] = [[], new Emitter()];
        const contribution = { onDidChange: othersChanged.event, waitingAgents: () => others };
        services.bindNamed(ContributionProvider, WaitingAgentContribution, { getContributions: () => [contribution] });
        agents = services.create(PageAgents);
        agents.onDidChange(() => changes++);
        agents.onStart();
        sinon.stub(document, 'hasFocus').returns(true);
    });

    afterEach(() => {
        agents.onStop();
        sinon.restore();
    });

    function terminal(shell: number): {
        processId: Promise<number>;
        isVisible: boolean;
        node: HTMLElement;
        open: Emitter<void>;
        visibility: Emitter<boolean>;
        output: Emitter<string>;
        key: Emitter<unknown>;
        dispose: () => void;
    } {
        const open = new Emitter<void>();
        const visibility = new Emitter<boolean>();
        const output = new Emitter<string>();
        const key = new Emitter<unknown>();
        let dispose = (): void => undefined;
        const widget = {
            processId: Promise.resolve(shell),
            isVisible: false,
            node: document.createElement('div'),
            isDisposed: false,
            open,
            visibility,
            output,
            key,
            onOutput: output.event,
            onKey: key.event,
            onDidOpen: open.event,
            onDidChangeVisibility: visibility.event,
            disposed: { connect: (listener: () => void) => (dispose = listener) },
            dispose: () => dispose()
        };
        created.fire(widget);
        return widget;
    }

    function receive(...all: AgentStatus[]): void {
        state = { agents: all };
        changed.fire();
    }

    async function settle(): Promise<void> {
        await new Promise(resolve => setImmediate(resolve));
    }

    it('are asked for by the processes of the shells, again after each hello, and no more once a terminal is closed', async () => {
        const one = terminal(1);
        terminal(2);
        await settle();
        expect(watched).to.deep.equal([1, 2]);
        watched = [];
        hello.fire();
        expect(watched).to.deep.equal([1, 2]);
        one.dispose();
        expect(watched).to.deep.equal([2]);
    });

    it('are those of the shell that a terminal has now', async () => {
        const one = terminal(1);
        await settle();
        one.processId = Promise.resolve(3);
        one.open.fire();
        await settle();
        receive({ shell: 1, state: 'working', since: 0 }, { shell: 3, state: 'done', since: 0 });
        expect(agents.all.map(({ status }) => status.state)).to.deep.equal(['done']);
        await agents.reveal(agents.all[0].status);
        expect(opened).to.deep.equal([one]);
    });

    it('wait in their order', async () => {
        [1, 2, 3].forEach(terminal);
        await settle();
        receive(
            { shell: 1, state: 'blocked', since: 2 },
            { shell: 2, state: 'working', since: 0 },
            { shell: 3, state: 'blocked', since: 1 }
        );
        expect(agents.waiting.map(({ id }) => id)).to.deep.equal(['3', '1']);
        await agents.waiting[0].reveal();
        expect(opened).to.have.length(1);
        // One in a chat is among them.
        const before = changes;
        others = [{ id: 'chat', status: { state: 'blocked', since: 1.5 }, widget: undefined, reveal: async () => undefined }];
        othersChanged.fire();
        expect(agents.waiting.map(({ id }) => id)).to.deep.equal(['3', 'chat', '1']);
        expect(changes).to.equal(before + 1);
    });

    it('are seen if their terminal is on the screen of a page in use', async () => {
        const one = terminal(1);
        await settle();
        receive({ shell: 1, state: 'done', since: 0 });
        expect(seen).to.deep.equal([]);
        (document.hasFocus as sinon.SinonStub).returns(false);
        one.isVisible = true;
        one.visibility.fire(true);
        expect(seen).to.deep.equal([]);
        (document.hasFocus as sinon.SinonStub).returns(true);
        window.dispatchEvent(new window.Event('focus'));
        expect(seen).to.deep.equal([1]);
    });

    it('are seen by who looks at them while the connection is lost, as after the sleep of a laptop', async () => {
        const one = terminal(1);
        await settle();
        receive({ shell: 1, state: 'done', since: 0 });
        one.isVisible = true;
        // The call that this makes is lost.
        window.dispatchEvent(new window.Event('focus'));
        seen = [];
        hello.fire();
        expect(seen).to.deep.equal([1]);
    });

    it('are seen in a window of their own if that is in use', async () => {
        const one = terminal(1);
        one.isVisible = true;
        await settle();
        (document.hasFocus as sinon.SinonStub).returns(false);
        const ofItsOwn = document.implementation.createHTMLDocument();
        const isInUse = sinon.stub(ofItsOwn, 'hasFocus').returns(false);
        ofItsOwn.body.append(one.node);
        receive({ shell: 1, state: 'done', since: 0 });
        expect(seen).to.deep.equal([]);
        isInUse.returns(true);
        one.node.dispatchEvent(new window.FocusEvent('focusin', { bubbles: true }));
        expect(seen).to.deep.equal([1]);
    });

    it('change with the terminals: after a reload, the state comes before them', async () => {
        receive({ shell: 1, state: 'blocked', since: 0 });
        expect(changes).to.equal(0);
        const one = terminal(1);
        await settle();
        expect(changes).to.equal(1);
        one.dispose();
        expect(changes).to.equal(2);
    });

    it('are quiet after they have worked, if they do not say what they do', async () => {
        const clock = sinon.useFakeTimers({ now: 1_000_000, toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] });
        const one = terminal(1);
        const two = terminal(2);
        await settle();
        receive({ shell: 1, state: 'idle', isSilent: true, since: 0 }, { shell: 2, state: 'idle', since: 0 });
        for (let second = 0; second < 5; second++) {
            one.output.fire('x'.repeat(500));
            two.output.fire('x'.repeat(500));
            clock.tick(1_000);
        }
        changes = 0;
        clock.tick(20_000);
        expect(agents.all.map(({ status }) => status.isQuiet)).to.deep.equal([true, undefined]);
        expect([changes, agents.waiting, seen]).to.deep.equal([1, [], []]);
        one.key.fire(undefined);
        expect(agents.statusOf(one as never)).to.deep.equal(state.agents[0]);
    });

    it('change only if something about them has changed', async () => {
        terminal(1);
        await settle();
        receive({ shell: 1, state: 'working', since: 0 });
        receive({ shell: 1, state: 'working', since: 0 });
        expect(changes).to.equal(1);
    });
});
