// SPDX-License-Identifier: Apache-2.0

import '../test/dom';

import { Emitter } from '@theia/core/lib/common/event';
import { setARIAContainer } from '@theia/monaco-editor-core/esm/vs/base/browser/ui/aria/aria';
import { expect } from 'chai';
import * as sinon from 'sinon';
import { FileChange } from '../../common/changes/changes-protocol';
import { AcceptedProposal, AgentState, AgentStatus, WindowState } from '../../common/companion-protocol';
import { UnaskedMessages } from './unasked-messages';

/** What a user sees and does. */
class TestMessages extends UnaskedMessages {
    readonly shown: string[] = [];
    readonly buttons: string[][] = [];
    readonly executed: string[] = [];
    /** The button that the user presses in each message. */
    answer: string | undefined;
    protected readonly onDidChange = new Emitter<void>();
    protected files: FileChange[] = [];
    protected readonly accepted: AcceptedProposal[] = [];
    protected override readonly changes = { count: 2, files: this.files, accepted: this.accepted, onDidChange: this.onDidChange.event };
    protected readonly onDidChangeState = new Emitter<void>();
    protected readonly state = {
        agents: ['Claude Code', 'Gemini CLI'].map(name => ({ name }) as AgentStatus),
        status: { connections: [{ displayName: 'Qwen Code' }] },
        reviews: [] as Array<{ uri: string }>
    };
    protected override readonly connection = {
        onDidChangeState: this.onDidChangeState.event,
        state: this.state as unknown as WindowState
    };
    protected override readonly messages = {
        show: (_severity: string, text: string, ...buttons: string[]) => {
            this.shown.push(text);
            this.buttons.push(buttons);
            return { answer: Promise.resolve(buttons.find(button => button === this.answer)), dispose: () => undefined };
        }
    };
    protected override readonly commands = {
        executeCommand: async <T>(id: string): Promise<T | undefined> => {
            this.executed.push(id);
            return undefined;
        }
    };

    list(...names: Array<[uri: string, author?: string, rest?: Partial<FileChange>]>): void {
        names.forEach(([uri, author, rest]) => this.files.push({ uri, authors: author ? [author] : [], ...rest } as FileChange));
        this.onDidChange.fire();
    }

    /** The file that is listed last. */
    becomes(author: string): void {
        this.files.push({ ...this.files.pop(), authors: [author], group: undefined } as FileChange);
        this.onDidChange.fire();
    }

    setAgents(...states: AgentState[]): void {
        this.state.agents = states.map((state, shell) => ({ shell, state, since: 0 }));
        this.onDidChangeState.fire();
    }

    propose(...uris: string[]): void {
        this.state.reviews = uris.map(uri => ({ uri }));
        this.onDidChangeState.fire();
    }

    accept(uri: string): void {
        this.accepted.push({ uri } as AcceptedProposal);
    }
}

describe('UnaskedMessages', () => {
    let messages: TestMessages;
    let clock: sinon.SinonFakeTimers;

    beforeEach(() => {
        window.sessionStorage.clear();
        clock = sinon.useFakeTimers();
        messages = new TestMessages();
        messages.onStart();
        messages.list();
    });

    afterEach(() => {
        messages.onStop();
        clock.restore();
    });

    it('names the agent that ran alone once, also after a reload', () => {
        messages.list(['file:///a', 'Qwen Code'], ['file:///b', 'Qwen Code']);
        clock.tick(5_000);
        messages.list(['file:///c', 'Qwen Code']);
        clock.tick(5_000);
        expect(messages.shown).to.deep.equal(['Qwen Code changes files without a question.']);
        expect(messages.buttons).to.deep.equal([['Review', 'How to Make It Ask']]);
        const reloaded = new TestMessages();
        reloaded.onStart();
        reloaded.list(['file:///old', 'Gemini CLI']);
        clock.tick(5_000);
        reloaded.list(['file:///d', 'Qwen Code'], ['file:///e', 'Claude Code']);
        clock.tick(5_000);
        expect(reloaded.shown).to.deep.equal(['Claude Code changes files without a question.']);
        reloaded.onStop();
    });

    it('says nothing where several agents worked, or none did', () => {
        messages.list(
            ['file:///a'],
            ['file:///b', 'Qwen Code', { authors: ['Qwen Code', 'Claude Code'] }],
            ['file:///c', 'Qwen Code', { group: 'outside' }]
        );
        clock.tick(5_000);
        expect(messages.shown).to.deep.equal([]);
    });

    it('names the agent of a file that was listed before as one of nobody', () => {
        messages.list(['file:///a', undefined, { group: 'outside' }]);
        clock.tick(5_000);
        messages.becomes('Claude Code');
        clock.tick(5_000);
        expect(messages.shown).to.deep.equal(['Claude Code changes files without a question.']);
    });

    it('says nothing of a file that was proposed just before: the CLI was answered in its terminal, which is heard of late', () => {
        messages.propose('file:///a');
        messages.propose();
        messages.list(['file:///a', 'Qwen Code']);
        clock.tick(5_000);
        expect(messages.shown).to.deep.equal([]);
        clock.tick(60_000);
        messages.list(['file:///b', 'Qwen Code']);
        clock.tick(5_000);
        expect(messages.shown).to.have.length(1);
    });

    it('says nothing of an agent without a terminal, such as one of a chat, which has asked there', () => {
        messages.list(['file:///a', 'Qwen in the chat']);
        clock.tick(5_000);
        expect(messages.shown).to.deep.equal([]);
    });

    it('says nothing of a file for which a proposal was accepted, also if that is known a moment later', () => {
        messages.list(['file:///a', 'Qwen Code']);
        clock.tick(2_000);
        messages.accept('file:///a');
        clock.tick(5_000);
        expect(messages.shown).to.deep.equal([]);
    });

    it('shows the changes, and says how to make the agent ask', async () => {
        messages.answer = 'Review';
        messages.list(['file:///a', 'Qwen Code']);
        await clock.tickAsync(5_000);
        expect(messages.executed).to.deep.equal(['companion.changes.review']);
        messages.answer = 'How to Make It Ask';
        messages.list(['file:///b', 'Claude Code']);
        await clock.tickAsync(5_000);
        expect(messages.shown[2]).to.contain('Press Shift+Tab in the terminal of Claude Code');
    });

    it('tells screen readers once after each turn how many files have changed', () => {
        document.body.replaceChildren();
        setARIAContainer(document.body);
        const spoken = (): string => [...document.querySelectorAll('.monaco-status')].map(({ textContent }) => textContent).join('');
        messages.setAgents('working', 'idle');
        messages.list(['file:///ws/a.ts', 'Qwen Code', { changedAt: 1 }]);
        messages.list(['file:///ws/b.ts', 'Qwen Code', { changedAt: 2 }]);
        expect(spoken()).to.equal('');
        messages.setAgents('done', 'idle');
        expect(spoken()).to.equal('2 files changed since you last looked');
        document.body.replaceChildren();
        setARIAContainer(document.body);
        messages.setAgents('idle', 'idle');
        messages.list(['file:///ws/c.ts', undefined, { changedAt: 3, group: 'outside' }]);
        expect(spoken(), 'nothing new of an agent').to.equal('');
    });
});
