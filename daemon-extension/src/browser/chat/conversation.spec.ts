// SPDX-License-Identifier: Apache-2.0

import { MutableChatRequestModel } from '@theia/ai-chat/lib/common/chat-model';
import { ParsedChatRequestVariablePart } from '@theia/ai-chat/lib/common/parsed-chat-request';
import { Deferred } from '@theia/core/lib/common/promise-util';
import { expect } from 'chai';
import { SessionEvent } from '../../common/qwen-daemon-protocol';
import { ChatFixture } from '../test/chat-fixture';
import { samplePermission, sampleTool } from '../test/sample-permission';

const { shown, question, choose } = ChatFixture;

const tool = sampleTool;

describe('Conversation', () => {
    let fixture: ChatFixture;

    beforeEach(() => {
        fixture = new ChatFixture();
    });
    afterEach(() => fixture.connection.disable());

    const status = (request: MutableChatRequestModel): string | undefined =>
        request.response.progressMessages.filter(message => message.status === 'inProgress').at(-1)?.content;
    const nextTask = (): Promise<void> => new Promise(resolve => setTimeout(resolve));
    /** Theia says an error a second time if the answer is not complete before it; only an error can be retried. */
    const expectErrorOnce = async ({ response }: MutableChatRequestModel): Promise<void> => {
        expect([response.isComplete, response.isError]).to.deep.equal([true, false]);
        await nextTask();
        expect(response.isError).to.equal(true);
    };
    const begun = (text?: string): Promise<MutableChatRequestModel> => fixture.begin(text);
    it('shows text and thoughts of a prompt, and its end', async () => {
        const request = await begun();
        expect(fixture.backend.prompts).to.deep.equal([{ requestId: request.id, text: 'hello', modeId: 'default', files: [] }]);
        expect(request.response.isComplete).to.equal(false);
        fixture.backend.say(
            { kind: 'thought', turnId: 'turn-1', text: 'Let me ' },
            { kind: 'thought', turnId: 'turn-1', text: 'see.' },
            { kind: 'text', turnId: 'turn-1', text: 'Hel' },
            { kind: 'text', turnId: 'turn-1', text: 'lo.' },
            { kind: 'usage', turnId: 'turn-1', inputTokens: 100, outputTokens: 7 },
            { kind: 'end', turnId: 'turn-1', outcome: 'completed', stopReason: 'end_turn' }
        );
        expect(shown(request).join('\n')).to.contain('Let me see.').and.to.contain('Hello.');
        expect(request.response.tokenUsage?.outputTokens).to.equal(7);
        expect(fixture.tokens).to.deep.equal([`Fake A ${request.id} 7`]);
        expect(request.response.languageModel).to.equal('Fake A');
        expect(request.response.isComplete).to.equal(true);
        expect(request.response.isError).to.equal(false);
    });

    it('shows events that come before the answer to the prompt', async () => {
        const sendPrompt = fixture.backend.sendPrompt.bind(fixture.backend);
        fixture.backend.sendPrompt = async (session, prompt) => {
            const answer = await sendPrompt(session, prompt);
            fixture.backend.say(
                { kind: 'turn', turnId: 'turn-1', origin: 'own', prompt: prompt.text },
                { kind: 'text', turnId: 'turn-1', text: 'fast' },
                { kind: 'end', turnId: 'turn-1', outcome: 'completed' }
            );
            return answer;
        };
        const request = await fixture.ask('quick');
        expect(shown(request)).to.deep.equal(['fast']);
        expect(request.response.isComplete).to.equal(true);
    });

    it('gives the files that a message names, picked or typed', async () => {
        const typed = new ParsedChatRequestVariablePart({ start: 6, endExclusive: 20 }, 'file', 'known-2.ts');
        const request = fixture.request('look at');
        request.message.parts.push(typed);
        await fixture.agent.invoke(request);
        expect(fixture.backend.prompts[0].files).to.deep.equal(['/work/project/known-2.ts']);
        const unknown = fixture.request('look');
        unknown.message.parts.push(new ParsedChatRequestVariablePart({ start: 6, endExclusive: 20 }, 'file', 'gone.ts'));
        await fixture.agent.invoke(unknown);
        expect(shown(unknown)).to.deep.equal(['notice Not sent, because this chat cannot pass it to Qwen: gone.ts']);
    });

    it('gives the context of the editor, as far as it may be shared', async () => {
        fixture.editor = { path: '/work/project/open.ts', cursor: { line: 3, character: 1 } };
        await fixture.ask('what is this?');
        const [{ editor }] = fixture.backend.prompts;
        fixture.editor = undefined;
        await fixture.ask('and without?');
        expect(editor).to.deep.equal({ path: '/work/project/open.ts', cursor: { line: 3, character: 1 } });
        expect(fixture.backend.prompts[1].editor).to.equal(undefined);
    });

    it('keeps a turn running when the next message is sent, and stops both with Stop', async () => {
        const first = await begun();
        // As Theia does before each message.
        fixture.chat.getRequests().forEach(({ response }, index, all) => !response.isComplete && all[index].cancel());
        const second = await fixture.ask('and then');
        fixture.backend.say({ kind: 'turn', turnId: 'turn-2', origin: 'own', prompt: '' }, { kind: 'queue', turnIds: ['turn-2'] });
        expect(first.response.isCanceled).to.equal(false);
        expect(status(second)).to.equal('Queued behind 1 other prompt');
        second.response.cancel();
        await nextTask();
        expect(first.response.isCanceled).to.equal(true);
        expect(fixture.backend.calls.filter(call => call.startsWith('cancel'))).to.deep.equal(['cancel turn-2', 'cancel turn-1']);
    });

    it('names the model of each answer as it was', async () => {
        const first = await begun();
        fixture.backend.say({ kind: 'end', turnId: 'turn-1', outcome: 'completed' }, { kind: 'model', modelId: 'fake-b' });
        const second = await fixture.ask('more');
        expect([first, second].map(({ response }) => response.languageModel)).to.deep.equal(['Fake A', 'Fake B']);
        fixture.backend.say({ kind: 'turn', turnId: 'turn-2', origin: 'own', prompt: 'more' });
        fixture.backend.say({ kind: 'model', modelId: 'fake-a' });
        expect(second.response.languageModel, 'of a turn that runs').to.equal('Fake A');
    });

    it('does not say in a finished answer that the session is lost', async () => {
        const request = await begun();
        fixture.backend.say(
            { kind: 'text', turnId: 'turn-1', text: 'Done.' },
            { kind: 'end', turnId: 'turn-1', outcome: 'completed' },
            { kind: 'session', state: 'lost', problem: { code: 'session-died' } }
        );
        expect(shown(request)).to.deep.equal(['Done.']);
        const conversation = fixture.conversations.find(fixture.chat.id);
        expect(conversation?.problem?.code).to.equal('session-died');
    });

    it('merges a tool call by its id', async () => {
        const request = await begun();
        fixture.backend.say({ kind: 'tool', turnId: 'turn-1', tool: tool() });
        fixture.backend.say({ kind: 'text', turnId: 'turn-1', text: 'between' });
        fixture.backend.say({ kind: 'tool', turnId: 'turn-1', tool: tool({ status: 'completed', result: 'done' }) });
        expect(shown(request)).to.deep.equal(['tool write_file completed: done', 'between']);
    });

    it('asks for a permission with the options as they are, and sends the choice', async () => {
        const request = await begun();
        fixture.backend.say(
            { kind: 'tool', turnId: 'turn-1', tool: tool() },
            { kind: 'permission', turnId: 'turn-1', permission: samplePermission() }
        );
        expect(shown(request).at(-1)).to.equal('question Allow|Reject|Allow All Edits -> ?');
        expect(request.response.isWaitingForInput).to.equal(true);
        expect(fixture.diffs).to.deep.equal(['open turn-1 call-1']);
        await choose(question(request), 'Allow');
        expect(fixture.backend.votes).to.deep.equal([{ id: 'p1', answer: { optionId: 'proceed_once' } }]);
        fixture.backend.say({
            kind: 'permissionClosed',
            permissionId: 'p1',
            outcome: 'selected',
            optionId: 'proceed_once',
            by: 'this-ide'
        });
        fixture.backend.say({ kind: 'permissionClosed', permissionId: 'p1', outcome: 'selected', optionId: 'proceed_once', by: 'unknown' });
        expect(request.response.isWaitingForInput).to.equal(false);
        fixture.backend.say({ kind: 'tool', turnId: 'turn-1', tool: sampleTool({ status: 'completed', diff: samplePermission().diff }) });
        expect(fixture.diffs).to.deep.equal(['open turn-1 call-1', 'close turn-1 call-1']);
    });

    it('goes on while a permission waits, and closes it when another client answers first', async () => {
        const request = await begun();
        fixture.backend.say({ kind: 'permission', turnId: 'turn-1', permission: samplePermission() });
        fixture.backend.say({ kind: 'text', turnId: 'turn-1', text: 'meanwhile' });
        expect(shown(request)).to.include('meanwhile');
        fixture.backend.say({ kind: 'permissionClosed', permissionId: 'p1', outcome: 'selected', optionId: 'cancel', by: 'other-client' });
        expect(shown(request)).to.include('question Allow|Reject|Allow All Edits -> Reject');
        expect(shown(request).join('\n')).to.match(/Another client answered first/);
        expect(request.response.isWaitingForInput).to.equal(false);
        expect(fixture.backend.votes).to.be.empty;
    });

    it('lets the user choose again when the answer did not arrive', async () => {
        const request = await begun();
        fixture.backend.say({ kind: 'permission', turnId: 'turn-1', permission: samplePermission() });
        fixture.backend.voteResult = { ok: false, problem: { code: 'failed', cause: 'not now' } };
        await choose(question(request), 'Allow');
        expect(shown(request)).to.include('problem failed: not now').and.to.include('question Allow|Reject|Allow All Edits -> ?');
        fixture.backend.voteResult = { ok: true, value: 'accepted' };
        await choose(question(request), 'Reject');
        expect(fixture.backend.votes.map(({ answer }) => answer)).to.deep.equal([{ optionId: 'proceed_once' }, { optionId: 'cancel' }]);
    });

    it('asks each question of the model, and answers them together', async () => {
        const request = await begun();
        fixture.backend.say({
            kind: 'permission',
            turnId: 'turn-1',
            permission: samplePermission({
                diff: undefined,
                options: [
                    { id: 'proceed_once', label: 'Submit', role: 'allow_once' },
                    { id: 'cancel', label: 'Cancel', role: 'reject_once' }
                ],
                questions: [
                    { header: 'Colour', question: 'Which?', options: [{ label: 'Blue', description: '' }], multiSelect: false },
                    { header: 'Size', question: 'How big?', options: [{ label: 'Small', description: '' }], multiSelect: false }
                ]
            })
        });
        await choose(question(request, 0), 'Blue');
        expect(fixture.backend.votes).to.be.empty;
        fixture.typed = 'Enormous';
        await choose(question(request, 1), 'Other…');
        expect(fixture.backend.votes).to.deep.equal([
            { id: 'p1', answer: { optionId: 'proceed_once', answers: { 0: { options: [0] }, 1: { options: [], text: 'Enormous' } } } }
        ]);
    });

    it('replaces the plan in its place', async () => {
        const request = await begun();
        fixture.backend.say({ kind: 'plan', turnId: 'turn-1', entries: [{ content: 'first', status: 'pending' }] });
        fixture.backend.say({ kind: 'text', turnId: 'turn-1', text: 'after' });
        fixture.backend.say({ kind: 'plan', turnId: 'turn-1', entries: [{ content: 'first', status: 'completed' }] });
        expect(shown(request)).to.deep.equal(['**Plan**  \n☑ first', 'after']);
    });

    it('cancels the turn when the user stops the request', async () => {
        const request = await begun();
        request.response.cancel();
        await new Promise(resolve => setImmediate(resolve));
        expect(fixture.backend.calls).to.include('cancel turn-1');
    });

    it('cancels a turn that was stopped before the daemon had taken it', async () => {
        const sendPrompt = fixture.backend.sendPrompt.bind(fixture.backend);
        fixture.backend.sendPrompt = async (session, prompt) => {
            fixture.chat.getRequest(prompt.requestId)?.response.cancel();
            return sendPrompt(session, prompt);
        };
        await fixture.ask('never mind');
        expect(fixture.backend.calls).to.include('cancel turn-1');
    });

    it('says that it waits for the model until the next event', async () => {
        const request = await begun();
        fixture.backend.say({ kind: 'waiting', turnId: 'turn-1' });
        expect(status(request)).to.match(/waiting for the model/);
        fixture.backend.say({ kind: 'text', turnId: 'turn-1', text: 'here' });
        expect(status(request)).not.to.match(/waiting/);
    });

    it('[F8] sends a message whose file is still looked up when the next one is sent, and before that one', async () => {
        const { promise, resolve } = new Deferred<void>();
        fixture.lookUp = promise;
        const first = fixture.request('look');
        first.message.parts.push(new ParsedChatRequestVariablePart({ start: 6, endExclusive: 20 }, 'file', 'known.ts'));
        const sent = fixture.agent.invoke(first);
        // So does Theia with the next message.
        first.cancel();
        const next = fixture.ask('and then');
        resolve();
        await Promise.all([sent, next]);
        expect(fixture.backend.prompts.map(({ text }) => text)).to.deep.equal(['look#file:known.ts', 'and then']);
    });

    it('[F5] shows the answer that counts, where another window was quicker than the click here', async () => {
        const request = await begun();
        fixture.backend.say({ kind: 'permission', turnId: 'turn-1', permission: samplePermission() });
        fixture.backend.voteResult = { ok: true, value: 'late' };
        await choose(question(request), 'Reject');
        expect(shown(request)).to.deep.equal(['question Allow|Reject|Allow All Edits -> Reject']);
        fixture.backend.say({
            kind: 'permissionClosed',
            permissionId: 'p1',
            outcome: 'selected',
            optionId: 'proceed_once',
            by: 'other-client'
        });
        expect(shown(request)).to.deep.equal([
            'question Allow|Reject|Allow All Edits -> Allow',
            'notice Another client answered first: Allow'
        ]);
    });

    it('[F13a] keeps what the user types as an answer while the session is built anew', async () => {
        const request = await begun();
        const questions = [{ header: '', question: 'Which?', options: [{ label: 'Red', description: '' }], multiSelect: false }];
        const asked: SessionEvent = { kind: 'permission', turnId: 'turn-1', permission: samplePermission({ questions, diff: undefined }) };
        fixture.backend.say(asked);
        const { promise, resolve } = new Deferred<string>();
        fixture.typing = promise;
        const chosen = choose(question(request), 'Other…');
        fixture.backend.replay = [{ kind: 'turn', turnId: 'turn-1', origin: 'own', prompt: 'hello' }, asked];
        await fixture.conversations.find(fixture.chat.id)?.open(true);
        resolve('Green');
        await chosen;
        await new Promise(settled => setImmediate(settled));
        expect(fixture.backend.votes.map(({ answer }) => answer)).to.deep.equal([
            { optionId: 'proceed_once', answers: { '0': { options: [], text: 'Green' } } }
        ]);
        expect(shown(request)).to.deep.equal(['question Red|Other… -> Green']);
    });

    it('shows the answer of another client that came while the user typed one', async () => {
        const request = await begun();
        const questions = [{ header: '', question: 'Which?', options: [{ label: 'Red', description: '' }], multiSelect: false }];
        fixture.backend.say({ kind: 'permission', turnId: 'turn-1', permission: samplePermission({ questions, diff: undefined }) });
        const { promise, resolve } = new Deferred<string>();
        fixture.typing = promise;
        const chosen = choose(question(request), 'Other…');
        const outcome = { outcome: 'selected', optionId: 'proceed_once', by: 'other-client' } as const;
        fixture.backend.say({ kind: 'permissionClosed', permissionId: 'p1', ...outcome });
        resolve('Green');
        await chosen;
        expect(shown(request)[0]).to.equal('question Red|Other… -> Allow');
        expect(fixture.backend.votes).to.be.empty;
    });

    it('[F13g] stops what runs in a chat that is deleted', async () => {
        await begun();
        fixture.conversations.forget(fixture.chat.id);
        await new Promise(settled => setImmediate(settled));
        expect(fixture.backend.calls.slice(-2)).to.deep.equal(['cancel turn-1', 'leave session-1']);
    });

    it('[F13g] sends nothing that is on its way in a chat that is deleted, and stops what has just arrived', async () => {
        const { backend, chat, conversations } = fixture;
        for (const call of ['openSession', 'sendPrompt'] as const) {
            const held = new Deferred<void>();
            const answer = backend[call].bind(backend) as (...args: unknown[]) => never;
            backend[call] = async (...args: unknown[]) => held.promise.then(() => answer(...args));
            const asking = fixture.ask(call);
            await new Promise(settled => setImmediate(settled));
            conversations.forget(chat.id);
            held.resolve();
            await asking;
            await new Promise(settled => setImmediate(settled));
            backend[call] = answer;
        }
        expect(backend.prompts.map(({ text }) => text)).to.deep.equal(['sendPrompt']);
        expect(backend.calls.slice(-3)).to.deep.equal(['leave session-1', 'cancel turn-2', 'leave session-1']);
    });

    it('[F3] says that Qwen works by itself, and can stop it', async () => {
        await begun();
        fixture.backend.say(
            { kind: 'end', turnId: 'turn-1', outcome: 'completed' },
            { kind: 'turn', turnId: 'unnamed-goal-1', origin: 'qwen', prompt: '' },
            { kind: 'text', turnId: 'unnamed-goal-1', text: 'A haiku' }
        );
        const request = fixture.chat.getRequests()[1];
        expect(shown(request)[0]).to.match(/^notice Nobody asked for this: Qwen goes on by itself/);
        expect(shown(request)[1]).to.equal('A haiku');
        expect(request.response.isComplete).to.equal(false);
        request.response.cancel();
        await new Promise(resolve => setImmediate(resolve));
        expect(fixture.backend.calls).to.include('cancel unnamed-goal-1');
    });

    it("shows another client's turn, which stopping or sending here does not cancel", async () => {
        await begun();
        fixture.backend.say({ kind: 'end', turnId: 'turn-1', outcome: 'completed' });
        fixture.backend.say(
            { kind: 'turn', turnId: 'theirs', origin: 'other', prompt: '**their** prompt' },
            { kind: 'text', turnId: 'theirs', text: 'their answer' }
        );
        const theirs = fixture.chat.getRequests().at(-1)!;
        expect(theirs.request.text).to.equal('**their** prompt');
        expect(shown(theirs).join('\n'))
            .to.match(/another client/)
            .and.to.match(/their answer/);
        expect(theirs.response.isComplete).to.equal(true);
        theirs.cancel();
        expect(fixture.backend.calls.filter(call => call.startsWith('cancel'))).to.be.empty;
        fixture.backend.say({ kind: 'end', turnId: 'theirs', outcome: 'completed' });
        expect(theirs.response.progressMessages.at(-1)?.content).to.equal('This turn has ended.');
    });

    it('ends a turn with the problem and what helps', async () => {
        const request = await begun();
        fixture.backend.say({
            kind: 'end',
            turnId: 'turn-1',
            outcome: 'lost',
            problem: { code: 'daemon-lost' }
        });
        expect(shown(request)).to.deep.equal([
            'problem daemon-lost: The connection to the daemon was lost and could not be restored. Make sure that it is running, and reconnect.'
        ]);
        await expectErrorOnce(request);
    });

    it('says why a message could not be sent', async () => {
        fixture.backend.openResult = { ok: false, problem: { code: 'workspace-mismatch', requested: '/b', offered: ['/a', '/c'] } };
        const request = await fixture.ask('hello');
        expect(shown(request)).to.deep.equal([
            'problem workspace-mismatch: The daemon works in /a, /c, not in this workspace. ' +
                'Start it with --workspace "/b", or open its folder here.'
        ]);
        await expectErrorOnce(request);
        expect(fixture.backend.prompts).to.be.empty;
        expect(fixture.conversations.find(fixture.chat.id)?.problem?.code).to.equal('workspace-mismatch');
    });

    it('says what cannot be shown', async () => {
        const request = await begun();
        fixture.backend.say({ kind: 'notice', turnId: 'turn-1', notice: { code: 'part-not-shown', kind: '[this](command:x)' } });
        expect(shown(request).at(-1)).to.equal('notice The daemon sent something of kind "[this](command:x)" that this chat cannot show.');
    });

    it('has Qwen forget a message that was edited, and says so where Qwen cannot', async () => {
        await begun();
        fixture.backend.say({ kind: 'end', turnId: 'turn-1', outcome: 'completed' });
        const [first] = fixture.chat.getRequests();
        const edit = (): MutableChatRequestModel =>
            fixture.chat.addRequest({ ...first.message, request: { ...first.request, referencedRequestId: first.id } }, 'Qwen');
        const edited = edit();
        await fixture.agent.invoke(edited);
        expect(fixture.backend.calls).to.include('rewind turn-1');
        expect(shown(edited)).to.be.empty;
        fixture.backend.rewindResult = { ok: false, problem: { code: 'invalid' } };
        const again = edit();
        await fixture.agent.invoke(again);
        expect(shown(again).join('\n')).to.match(/does not rewind Qwen's session/);
    });

    it('puts a message that was refused at the input again, above what was typed since', async () => {
        fixture.backend.openResult = { ok: false, problem: { code: 'untrusted' } };
        fixture.view.input = 'and more';
        await fixture.ask('a long message');
        expect(fixture.view.input).to.equal('@Qwen a long message\nand more');
    });

    it('shows the end of the chat when something is sent', async () => {
        await fixture.ask('hello');
        expect(fixture.view.calls).to.deep.equal(['showEnd']);
    });

    it('begins a new chat at /clear, which would leave the session without an end', async () => {
        const request = await fixture.ask('/clear');
        expect(fixture.view.calls).to.deep.equal(['beginChat']);
        expect(shown(request)).to.deep.equal(['notice A new chat has begun. This one stays among the earlier ones.']);
        expect(request.response.isComplete).to.equal(true);
        await Promise.all(['/clear now', '/CLEAR'].map(text => fixture.ask(text)));
        expect([fixture.view.calls.length, fixture.backend.prompts.length]).to.deep.equal([3, 0]);
    });

    it('sends no goal and no schedule: they belong in a terminal', async () => {
        const answers = await Promise.all(['/goal a haiku', '/loop 5m check'].map(text => fixture.ask(text)));
        answers.forEach(answer => expect(shown(answer)[0]).to.match(/^notice Not sent: goals and schedules are set in a terminal/));
    });

    it('lists at /help what a message may begin with', async () => {
        fixture.backend.replay = [{ kind: 'commands', commands: [{ name: 'stats', description: 'Show statistics', hint: '[model]' }] }];
        const request = await fixture.ask('/help');
        expect(fixture.backend.prompts).to.be.empty;
        expect(shown(request)[0]).to.contain('/stats [model] — Show statistics').and.to.contain('/clear — Begin a new chat');
        expect(fixture.offered).to.deep.equal(['clear', 'help', 'stats']);
    });

    it('gives a command to Qwen, and shows it, as it was typed, also if Theia knows it', async () => {
        const request = fixture.request('/stats model');
        request.message.parts.splice(1, 1, new ParsedChatRequestVariablePart({ start: 6, endExclusive: 18 }, 'prompt', 'stats|model'));
        await fixture.agent.invoke(request);
        expect(fixture.backend.prompts.map(({ text }) => text)).to.deep.equal(['/stats model']);
        expect(request.message.parts.map(({ text }) => text)).to.deep.equal(['@Qwen', '/stats model']);
    });

    it('says once that Qwen does not know what another agent answered before', async () => {
        const other = fixture.chat.addRequest(fixture.request('hi').message, 'Coder');
        other.response.complete();
        const [first, second] = [await fixture.ask('and you?'), await fixture.ask('again')];
        expect(shown(first)).to.deep.equal(['notice Qwen does not know what others answered before: Coder']);
        expect(shown(second)).to.be.empty;
    });

    it('shows all turns of an earlier session', async () => {
        fixture.backend.replay = [
            { kind: 'turn', turnId: 'a', origin: 'history', prompt: 'first' },
            { kind: 'text', turnId: 'a', text: 'one' },
            { kind: 'end', turnId: 'a', outcome: 'completed' },
            { kind: 'turn', turnId: 'b', origin: 'history', prompt: 'second' },
            { kind: 'text', turnId: 'b', text: 'two' },
            { kind: 'end', turnId: 'b', outcome: 'completed' }
        ];
        await fixture.conversations.of(fixture.chat, 'session-1').open();
        expect(fixture.chat.getRequests().map(request => [request.request.text, ...shown(request)])).to.deep.equal([
            ['first', 'one'],
            ['second', 'two']
        ]);
    });

    it('ends what runs when it is switched off, and says nothing to the backend any more', async () => {
        const request = await begun();
        fixture.connection.disable();
        expect(shown(request).at(-1)).to.match(/switched off/);
        const calls = fixture.backend.calls.length;
        const next = await fixture.ask('again');
        expect(shown(next)[0]).to.match(/switched off/);
        expect(fixture.backend.calls).to.have.length(calls);
        expect(fixture.backend.prompts).to.have.length(1);
    });
});
