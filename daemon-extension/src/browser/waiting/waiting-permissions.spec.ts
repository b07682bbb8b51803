// SPDX-License-Identifier: Apache-2.0

import { PendingToolConfirmationTracker } from '@theia/ai-chat/lib/browser/pending-tool-confirmation-tracker';
import { ContextKeyService } from '@theia/core/lib/browser/context-key-service';
import { MessageService } from '@theia/core/lib/common/message-service';
import { ProgressMessage } from '@theia/core/lib/common/message-service-protocol';
import { Deferred } from '@theia/core/lib/common/promise-util';
import { expect } from 'chai';
import { PermissionRequest } from '../../common/qwen-daemon-protocol';
import { ChatView } from '../chat/conversation-page';
import { ChatFixture } from '../test/chat-fixture';
import { samplePermission, sampleTool } from '../test/sample-permission';
import { WaitingPermissions } from './waiting-permissions';

/** Theia's messages, as the user sees and answers them. */
class FakeMessages {
    readonly shown = new Map<string, { actions: string[]; answer(action?: string): void }>();

    info(): void {
        // What is typed at the input is the user's own.
    }

    async showProgress({ text, actions = [] }: ProgressMessage): Promise<{ result: Promise<string | undefined>; cancel(): void }> {
        const result = new Deferred<string | undefined>();
        const answer = (action?: string): void => {
            this.shown.delete(text);
            result.resolve(action);
        };
        this.shown.set(text, { actions, answer });
        return { result: result.promise, cancel: () => answer() };
    }
}

describe('What waits for the user', () => {
    let fixture: ChatFixture;
    let messages: FakeMessages;
    let waiting: LookingAtOnce;
    let isKeySet: boolean;
    let tracker: PendingToolConfirmationTracker;

    /** Looks at once, and whenever a test says so. */
    class LookingAtOnce extends WaitingPermissions {
        time = 0;

        override now(): number {
            return this.time;
        }

        override look(): void {
            super.look();
        }
    }

    beforeEach(() => {
        fixture = new ChatFixture();
        messages = new FakeMessages();
        tracker = new PendingToolConfirmationTracker();
        const { container } = fixture;
        container.bind<ChatView>(ChatView).toConstantValue(fixture.view);
        container.bind(MessageService).toConstantValue(messages as unknown as MessageService);
        container.bind(ContextKeyService).toConstantValue({
            createKey: () => ({ set: (value: boolean) => (isKeySet = value) })
        } as unknown as ContextKeyService);
        container.bind(PendingToolConfirmationTracker).toConstantValue(tracker);
        container.bind(LookingAtOnce).toSelf();
        waiting = container.get(LookingAtOnce);
        waiting.onStart();
    });
    afterEach(() => {
        fixture.backend.say({ kind: 'end', turnId: 'turn-1', outcome: 'completed' });
        fixture.connection.disable();
    });

    const asks = async (permission: Partial<PermissionRequest> = {}): Promise<void> => {
        await fixture.begin();
        fixture.backend.say(
            { kind: 'tool', turnId: 'turn-1', tool: sampleTool() },
            { kind: 'permission', turnId: 'turn-1', permission: samplePermission(permission) }
        );
    };
    const [command] = [{ diff: undefined, command: { line: 'npm test', note: '' } }];
    const settled = (): Promise<void> => new Promise(resolve => setTimeout(resolve));

    it('is counted on the icon of the chat, and says nothing more while it is in view', async () => {
        await asks(command);
        waiting.look();
        expect([fixture.view.waiting, isKeySet, messages.shown.size]).to.deep.equal([1, true, 0]);
        fixture.backend.say({ kind: 'permissionClosed', permissionId: 'p1', outcome: 'selected', optionId: 'cancel', by: 'this-ide' });
        expect([fixture.view.waiting, isKeySet]).to.deep.equal([0, false]);
    });

    it('is said once in a message while it is not in view, which only shows it', async () => {
        fixture.view.seesAsked = false;
        await asks(command);
        waiting.look();
        expect(messages.shown.size, 'just asked').to.equal(0);
        waiting.time = 1_000;
        waiting.look();
        waiting.look();
        const [[text, message]] = messages.shown;
        expect(text).to.equal('Qwen waits for you\\: npm test');
        expect(message.actions).to.deep.equal(['Show', 'Later']);
        message.answer('Show');
        await settled();
        expect(fixture.view.calls).to.include('showAsked');
        expect(fixture.backend.votes).to.be.empty;
    });

    it('is no longer said once it is seen, or answered elsewhere', async () => {
        fixture.view.seesAsked = false;
        await asks(command);
        waiting.look();
        waiting.time = 1_000;
        waiting.look();
        expect(messages.shown.size).to.equal(1);
        fixture.view.seesAsked = true;
        waiting.look();
        await settled();
        expect(messages.shown.size).to.equal(0);
    });

    it('is answered by a key where it is seen, and is shown first where it is not', async () => {
        fixture.view.seesAsked = false;
        await asks(command);
        await waiting.decide(true);
        expect(fixture.backend.votes).to.be.empty;
        expect(fixture.view.calls).to.include('showAsked');
        fixture.view.seesAsked = true;
        await waiting.decide(false);
        expect(fixture.backend.votes, 'the same key, pressed twice').to.be.empty;
        waiting.time = 500;
        await waiting.decide(false);
        await settled();
        expect(fixture.backend.votes).to.deep.equal([{ id: 'p1', answer: { optionId: 'cancel' } }]);
        const [request] = fixture.chat.getRequests();
        expect(ChatFixture.shown(request)).to.include('notice Rejected. Tell Qwen what to do instead.');
        expect(fixture.view.calls.at(-1), 'where to tell it').to.equal('focusInput');
    });

    it('is answered by no key where only a message told it', async () => {
        fixture.view.seesAsked = false;
        await asks(command);
        waiting.look();
        waiting.time = 10_000;
        await waiting.decide(true);
        expect(fixture.backend.votes).to.be.empty;
        expect(fixture.view.calls).to.include('showAsked');
    });

    it('is answered by no key that comes as it is scrolled into view, or from outside the chat', async () => {
        fixture.view.seesAsked = false;
        await asks(command);
        waiting.look();
        waiting.time = 10_000;
        fixture.view.seesAsked = true;
        await waiting.decide(true);
        expect(fixture.backend.votes, 'just in view').to.be.empty;
        waiting.time = 20_000;
        fixture.view.hasKeyboard = false;
        await waiting.decide(true);
        expect(fixture.backend.votes, 'the keyboard was in an editor').to.be.empty;
        await waiting.decide(true);
        expect(fixture.backend.votes, 'the same key, pressed twice').to.be.empty;
        waiting.time = 20_500;
        await waiting.decide(true);
        await settled();
        expect(fixture.backend.votes).to.deep.equal([{ id: 'p1', answer: { optionId: 'proceed_once' } }]);
    });

    it('is allowed by no key if it is not shown whole, but refused', async () => {
        await asks({ ...command, truncated: true });
        waiting.look();
        waiting.time = 500;
        await waiting.decide(true);
        expect(fixture.backend.votes).to.be.empty;
        waiting.time = 1_000;
        await waiting.decide(false);
        await settled();
        expect(fixture.backend.votes).to.deep.equal([{ id: 'p1', answer: { optionId: 'cancel' } }]);
    });

    it("is answered by Theia's keys of its chat, but not while something is typed there", async () => {
        await asks(command);
        waiting.look();
        waiting.time = 500;
        fixture.view.input = 'no, rather';
        tracker.getLatest(fixture.chat.id)?.allow();
        await settled();
        expect(fixture.backend.votes).to.be.empty;
        fixture.view.input = '';
        tracker.getLatest(fixture.chat.id)?.allow();
        await settled();
        expect(fixture.backend.votes).to.have.length(1);
        fixture.backend.say({
            kind: 'permissionClosed',
            permissionId: 'p1',
            outcome: 'selected',
            optionId: 'proceed_once',
            by: 'this-ide'
        });
        expect(tracker.hasPending()).to.equal(false);
    });

    it('is a question, which no key answers: it is shown', async () => {
        const question = { header: '', question: 'Which one?', options: [{ label: 'A', description: '' }], multiSelect: false };
        await asks({ questions: [question] });
        await waiting.decide(true);
        expect(fixture.backend.votes).to.be.empty;
        expect(fixture.view.calls).to.include('showAsked');
    });
});
