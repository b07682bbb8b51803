// SPDX-License-Identifier: Apache-2.0

import { PendingToolConfirmationTracker } from '@theia/ai-chat/lib/browser/pending-tool-confirmation-tracker';
import { AISettingsService } from '@theia/ai-core/lib/common/settings-service';
import { MessageService } from '@theia/core/lib/common/message-service';
import { ProgressMessage } from '@theia/core/lib/common/message-service-protocol';
import { PreferenceService } from '@theia/core/lib/common/preferences';
import { Deferred } from '@theia/core/lib/common/promise-util';
import { expect } from 'chai';
import { restore, stub } from 'sinon';
import { PermissionRequest } from '../../common/qwen-daemon-protocol';
import { ChatFixture } from '../test/chat-fixture';
import { samplePermission, sampleTool } from '../test/sample-permission';
import { AnswerGate } from './answer-gate';
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
    let tracker: PendingToolConfirmationTracker;
    /** Since when nothing was answered and nothing moved. */
    let restingSince: number;
    /** Of Theia's own messages about agents. */
    let notifications: string;
    let time: number;

    /** Looks whenever a test says so. */
    class LookingAtOnce extends WaitingPermissions {
        override look(): void {
            super.look();
        }
    }

    beforeEach(() => {
        fixture = new ChatFixture();
        messages = new FakeMessages();
        tracker = new PendingToolConfirmationTracker();
        notifications = 'off';
        time = 10_000;
        stub(performance, 'now').callsFake(() => time);
        const { container } = fixture;
        container.bind(MessageService).toConstantValue(messages as unknown as MessageService);
        restingSince = 0;
        container.bind<AnswerGate>(AnswerGate).toConstantValue({
            restart: () => (restingSince = time),
            takesAnswer: (pressed = time, since = 0) => pressed - Math.max(restingSince, since) >= 500
        });
        container.bind(AISettingsService).toConstantValue({ getAgentSettings: async () => undefined } as unknown as AISettingsService);
        container.bind(PreferenceService).toConstantValue({ get: () => notifications } as unknown as PreferenceService);
        container.bind(PendingToolConfirmationTracker).toConstantValue(tracker);
        container.bind(LookingAtOnce).toSelf();
        waiting = container.get(LookingAtOnce);
        waiting.onStart();
    });
    afterEach(() => {
        restore();
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
    /** As the user who looks at what there is for so long. */
    const look = async (ms = 0): Promise<void> => {
        waiting.look();
        time += ms;
        waiting.look();
        await settled();
    };
    /** Theia's keys of the chat. */
    const press = async (allow: boolean): Promise<void> => {
        const latest = tracker.getLatest(fixture.chat.id);
        allow ? latest?.allow() : latest?.deny();
        await settled();
    };
    const clickAtDiff = async (allow: boolean): Promise<void> => {
        await waiting.decide(allow, fixture.conversations.waiting[0], 'diff');
        await settled();
    };

    it('is counted on the icon of the chat, and says nothing more while it is in view', async () => {
        await asks(command);
        await look(2_000);
        expect([fixture.view.waiting, messages.shown.size]).to.deep.equal([1, 0]);
        fixture.backend.say({ kind: 'permissionClosed', permissionId: 'p1', outcome: 'selected', optionId: 'cancel', by: 'this-ide' });
        expect(fixture.view.waiting).to.equal(0);
        expect(tracker.hasPending()).to.equal(false);
    });

    it('is said once in a message while it is not in view, which only shows it', async () => {
        fixture.view.seesAsked = false;
        await asks(command);
        await look();
        expect(messages.shown.size, 'just asked').to.equal(0);
        await look(1_000);
        await look(1_000);
        const [[text, message]] = messages.shown;
        expect(text).to.equal('Qwen waits for you\\: npm test');
        expect(message.actions).to.deep.equal(['Show', 'Later']);
        message.answer('Show');
        await settled();
        expect(fixture.view.calls).to.include('showAsked');
        expect(fixture.backend.votes).to.be.empty;
    });

    it('is said by Theia alone if its own messages about agents are on', async () => {
        notifications = 'message';
        fixture.view.seesAsked = false;
        await asks(command);
        await look(1_000);
        expect(messages.shown.size).to.equal(0);
    });

    it('is no longer said once it is seen', async () => {
        fixture.view.seesAsked = false;
        await asks(command);
        await look(1_000);
        expect(messages.shown.size).to.equal(1);
        fixture.view.seesAsked = true;
        await look();
        expect(messages.shown.size).to.equal(0);
    });

    it("is answered by Theia's keys once it was in view for half a second, and is shown first where it is not", async () => {
        fixture.view.seesAsked = false;
        await asks(command);
        await look(10_000);
        await press(true);
        expect(fixture.backend.votes, 'only a message told it').to.be.empty;
        expect(fixture.view.calls).to.include('showAsked');
        await press(false);
        expect(fixture.backend.votes, 'the same key, pressed twice').to.be.empty;
        await look(500);
        await press(false);
        expect(fixture.backend.votes).to.deep.equal([{ id: 'p1', answer: { optionId: 'cancel' } }]);
        const [request] = fixture.chat.getRequests();
        expect(ChatFixture.shown(request)).to.include('notice Rejected. Tell Qwen what to do instead.');
        expect(fixture.view.calls.at(-1), 'where to tell it').to.equal('focusInput');
    });

    it('is answered by no key that comes as it is scrolled into view', async () => {
        fixture.view.seesAsked = false;
        await asks(command);
        await look(10_000);
        fixture.view.seesAsked = true;
        await look(499);
        await press(true);
        expect(fixture.backend.votes).to.be.empty;
        await look(1);
        await press(true);
        expect(fixture.backend.votes).to.deep.equal([{ id: 'p1', answer: { optionId: 'proceed_once' } }]);
    });

    it('is not answered by the second half of a double click on another answer', async () => {
        await asks(command);
        await look(10_000);
        restingSince = time;
        await press(true);
        expect(fixture.backend.votes).to.be.empty;
        time += 500;
        await press(true);
        expect(fixture.backend.votes).to.have.length(1);
        fixture.backend.say({
            kind: 'permission',
            turnId: 'turn-1',
            permission: samplePermission({ ...command, id: 'p2', toolId: 'call-2' })
        });
        await look(10);
        await press(true);
        expect(fixture.backend.votes, 'the next one').to.have.length(1);
    });

    it('is answered in the title of its diff once that was in view for half a second', async () => {
        fixture.view.seesAsked = false;
        await asks();
        await clickAtDiff(true);
        expect(fixture.backend.votes, 'the diff is not in view').to.be.empty;
        fixture.isDiffInView = true;
        await look(499);
        await clickAtDiff(true);
        expect(fixture.backend.votes).to.be.empty;
        await look(1);
        await clickAtDiff(true);
        expect(fixture.backend.votes).to.deep.equal([{ id: 'p1', answer: { optionId: 'proceed_once' } }]);
    });

    it('is allowed by no key and over no diff if it is not shown whole, but refused', async () => {
        fixture.isDiffInView = true;
        await asks({ truncated: true });
        await look(500);
        await press(true);
        await look(500);
        await clickAtDiff(true);
        expect(fixture.backend.votes).to.be.empty;
        expect(fixture.view.calls).to.include('showAsked');
        await look(500);
        await press(false);
        expect(fixture.backend.votes).to.deep.equal([{ id: 'p1', answer: { optionId: 'cancel' } }]);
    });

    it('is not allowed by a key while something is typed at the input', async () => {
        await asks(command);
        await look(500);
        fixture.view.input = 'no, rather';
        await press(true);
        expect(fixture.backend.votes).to.be.empty;
        fixture.view.input = '';
        await press(true);
        expect(fixture.backend.votes).to.have.length(1);
    });

    it('is a question, which no key answers: it is shown', async () => {
        const question = { header: '', question: 'Which one?', options: [{ label: 'A', description: '' }], multiSelect: false };
        await asks({ questions: [question] });
        await look(500);
        await press(true);
        expect(fixture.backend.votes).to.be.empty;
        expect(fixture.view.calls).to.include('showAsked');
    });
});
