// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { cappedText, DaemonLimits, SessionEvent } from '../../common/qwen-daemon-protocol';
import { FakeEvent, permissionEvent } from '../test/fake-daemon';
import { MapperFixture, updateEvent } from '../test/mapper-fixture';
import { annotationOf } from './event-payloads';
import { EventMapper } from './event-mapper';

describe('Daemon event to page event mapping', () => {
    let fixture: MapperFixture;
    let mapper: EventMapper;
    let logged: string[];
    let map: (...events: FakeEvent[]) => SessionEvent[];
    let mapped: (...events: FakeEvent[]) => SessionEvent[];
    const update = updateEvent;

    beforeEach(() => {
        fixture = new MapperFixture();
        ({ mapper, logged } = fixture);
        map = (...events) => fixture.map(...events);
        mapped = (...events) => fixture.mapped(...events);
    });

    const chunk = (sessionUpdate: string, text: string, _meta?: object): object => ({
        sessionUpdate,
        content: { type: 'text', text },
        _meta
    });

    it('agent_message_chunk → text', () => {
        expect(map(update(chunk('agent_message_chunk', 'Hi')))).to.deep.equal([
            { kind: 'turn', turnId: 'turn-1', origin: 'other', prompt: '' },
            { kind: 'text', turnId: 'turn-1', text: 'Hi' }
        ]);
    });

    it('a piece of the answer that holds the token → the same without it, however long', () => {
        const long = 'x'.repeat(100_000);
        expect(mapped(update(chunk('agent_message_chunk', `${long} ${MapperFixture.token} src/key-bindings.ts`)))).to.deep.equal([
            { kind: 'text', turnId: 'turn-1', text: `${long} … src/key-bindings.ts` }
        ]);
    });

    it('user_message_chunk with an image → a notice that names it, never its bytes', () => {
        const image = { type: 'image', data: 'AAAA', mimeType: 'image/png', attachmentId: 'a.png' };
        const events = mapped(
            update(chunk('user_message_chunk', 'what is that?')),
            update({ sessionUpdate: 'user_message_chunk', content: image }),
            update({ sessionUpdate: 'user_message_chunk', content: { type: 'resource_link', uri: 'file:///a', name: 'a' } })
        );
        expect(events).to.deep.equal([{ kind: 'notice', turnId: 'turn-1', notice: { code: 'prompt-image', name: 'a.png' } }]);
    });

    it('a message that another model described the images → a notice with where they went, instead of the text', () => {
        const visionBridgeNotice = {
            status: 'ok',
            convertedCount: 2,
            omittedCount: 1,
            modelName: 'eyes',
            modelEndpoint: 'host',
            egressOccurred: true
        };
        expect(mapped(update(chunk('agent_message_chunk', 'Converted 2 image(s) …', { visionBridgeNotice })))).to.deep.equal([
            {
                kind: 'notice',
                turnId: 'turn-1',
                notice: { code: 'images-described', described: 2, by: 'eyes (host)' }
            }
        ]);
    });

    it('agent_thought_chunk → thought', () => {
        expect(mapped(update(chunk('agent_thought_chunk', 'Hm')))).to.deep.equal([{ kind: 'thought', turnId: 'turn-1', text: 'Hm' }]);
    });

    it('empty chunk with usage → usage, and no text', () => {
        const usage = { inputTokens: 100, outputTokens: 20, totalTokens: 120, thoughtTokens: 4 };
        expect(mapped(update(chunk('agent_message_chunk', '', { usage })))).to.deep.equal([
            { kind: 'usage', turnId: 'turn-1', inputTokens: 100, outputTokens: 20 }
        ]);
    });

    it('user_message_chunk → the turn, with the id of its request if it was asked in this IDE', () => {
        const asked = (promptId: string, requestId?: string): FakeEvent =>
            update(
                chunk('user_message_chunk', 'Q', requestId ? { inputAnnotations: [{ type: 'x' }, annotationOf(requestId)] } : {}),
                promptId
            );
        const first = asked('prompt-1', 'request-1');
        expect(map(first, first, update(chunk('agent_message_chunk', 'A'), 'prompt-1'), asked('turn-2'), asked('turn-2'))).to.deep.equal([
            { kind: 'turn', turnId: 'request-1', origin: 'own', prompt: 'Q' },
            { kind: 'text', turnId: 'request-1', text: 'A' },
            { kind: 'turn', turnId: 'turn-2', origin: 'other', prompt: 'Q' }
        ]);
        expect(fixture.ids.promptOf('request-1')).to.equal('prompt-1');
    });

    it('a prompt reaches the page as it was asked, capped', () => {
        const prompt = `fix src/key-bindings.ts ${'x'.repeat(40_000)}`;
        expect(map(update(chunk('user_message_chunk', prompt)))[0]).to.deep.include({ prompt: cappedText(prompt, DaemonLimits.toolText) });
        expect(mapper.prompt('token-cache-old')).to.equal('token-cache-old');
    });

    it('a replay from disk names a turn only in its question', () => {
        mapper.past = { endOf: () => undefined, wasOpen: () => false };
        const replayed = (content: object): FakeEvent => ({ type: 'session_update', data: { update: content } });
        const events = map(
            replayed(chunk('user_message_chunk', 'Q1', { promptId: 'old-1' })),
            replayed(chunk('agent_message_chunk', 'A1')),
            replayed(chunk('user_message_chunk', 'Q2', { promptId: 'old-2' })),
            replayed(chunk('agent_message_chunk', 'A2'))
        );
        expect(events.map(event => [event.kind, 'turnId' in event && event.turnId])).to.deep.equal([
            ['turn', 'old-1'],
            ['text', 'old-1'],
            ['end', 'old-1'],
            ['turn', 'old-2'],
            ['text', 'old-2']
        ]);
        expect(events[0]).to.deep.include({ origin: 'history' });
    });

    it('tool_call, permission_request and tool_call_update → one tool, put together', () => {
        const preparing = {
            sessionUpdate: 'tool_call',
            toolCallId: 'call_1',
            status: 'pending',
            title: 'WriteFile',
            kind: 'edit',
            rawInput: {},
            content: [],
            locations: [],
            _meta: { toolName: 'write_file', provenance: 'builtin' }
        };
        const done = {
            sessionUpdate: 'tool_call_update',
            toolCallId: 'call_1',
            status: 'completed',
            content: [{ type: 'diff', path: '/w/out.txt', oldText: '', newText: 'hello\n' }],
            rawOutput: { originalContent: 'SECRET ORIGINAL' },
            _meta: { toolName: 'write_file' }
        };
        const events = mapped(update(preparing), permissionEvent('s', 'turn-1', 'r1'), update(done));
        const tools = events.flatMap(event => (event.kind === 'tool' ? event.tool : []));
        expect(tools.map(({ title, status }) => [title, status])).to.deep.equal([
            ['WriteFile', 'pending'],
            ['Writing to out.txt', 'pending'],
            ['Writing to out.txt', 'completed']
        ]);
        expect(tools[2]).to.deep.include({
            name: 'write_file',
            args: '{"file_path":"/w/out.txt","content":"hello\\n"}',
            diff: { path: '/w/out.txt', isNew: true }
        });
        expect(JSON.stringify(events)).not.to.match(/SECRET|_meta|client_/);
    });

    it("shell output and failures → the tool's result, capped", () => {
        const content = [{ type: 'content', content: { type: 'text', text: 'x'.repeat(100_000) } }];
        const [event] = mapped(update({ sessionUpdate: 'tool_call_update', toolCallId: 'c', status: 'failed', content, kind: 'execute' }));
        const tool = event.kind === 'tool' ? event.tool : undefined;
        expect(tool).to.deep.include({ status: 'failed', truncated: true, toolKind: 'execute' });
        expect(tool?.result?.length).to.be.lessThan(40_000);
    });

    it('turn_complete → end, and closes what still waits', () => {
        map(permissionEvent('s', 'turn-1', 'r1'));
        expect(mapped({ type: 'turn_complete', promptId: 'turn-1', data: { promptId: 'turn-1', stopReason: 'cancelled' } })).to.deep.equal([
            { kind: 'permissionClosed', permissionId: 'r1', outcome: 'cancelled', by: 'turn' },
            { kind: 'end', turnId: 'turn-1', outcome: 'cancelled', stopReason: 'cancelled' }
        ]);
    });

    it('turn_error → end with a problem, without secrets', () => {
        map(update(chunk('agent_message_chunk', 'a')));
        const [end] = mapped({
            type: 'turn_error',
            promptId: 'turn-1',
            data: { promptId: 'turn-1', message: '401 Incorrect key sk-abcdefghijklmnop1234 the-daemons-token', code: '-32603' }
        });
        expect(end).to.deep.include({ kind: 'end', outcome: 'error' });
        expect(JSON.stringify(end))
            .to.contain('401 Incorrect key')
            .and.not.match(/sk-abc|the-daemons-token/);
    });

    it('turn_error of a daemon that shuts down → lost', () => {
        map(update(chunk('agent_message_chunk', 'a')));
        const [end] = mapped({
            type: 'turn_error',
            promptId: 'turn-1',
            data: { promptId: 'turn-1', message: 'x', code: 'daemon_shutdown' }
        });
        expect(end).to.deep.include({ kind: 'end', outcome: 'lost' });
    });

    it('prompt_cancelled → cancelling, and never the end; nothing if no turn runs', () => {
        map(update(chunk('agent_message_chunk', 'a')));
        const cancelled = { type: 'prompt_cancelled', promptId: 'turn-1', data: { sessionId: 's' } };
        expect(mapped(cancelled)).to.deep.equal([{ kind: 'cancelling', turnId: 'turn-1' }]);
        mapped({ type: 'turn_complete', promptId: 'turn-1', data: { promptId: 'turn-1', stopReason: 'end_turn' } });
        expect(mapped(cancelled, { ...cancelled, promptId: undefined })).to.deep.equal([]);
    });

    it('plan → plan', () => {
        expect(
            mapped(update({ sessionUpdate: 'plan', entries: [{ content: 'first', priority: 'medium', status: 'in_progress', _meta: {} }] }))
        ).to.deep.equal([{ kind: 'plan', turnId: 'turn-1', entries: [{ content: 'first', status: 'in_progress' }] }]);
    });

    it('pending_prompt_completed → the end of a prompt that somebody took out of the queue', () => {
        mapper.turns.ask('turn-2');
        mapper.turns.send('turn-2');
        const completed = (state: string): FakeEvent => ({ type: 'pending_prompt_completed', data: { promptId: 'turn-2', state } });
        expect(map(completed('completed'), completed('removed'))).to.deep.equal([{ kind: 'end', turnId: 'turn-2', outcome: 'removed' }]);
    });

    it('mid_turn_message_injected, also from the disk → a notice in the turn that runs, to which what follows belongs', () => {
        map(update(chunk('agent_message_chunk', 'a')));
        const extended = { kind: 'notice', turnId: 'turn-1', notice: { code: 'prompt-extended', text: 'use tabs' } };
        const data = { messages: ['use tabs'], messageIds: ['message-1'] };
        expect(map({ type: 'mid_turn_message_injected', promptId: 'turn-1', data })).to.deep.equal([extended]);
        mapper.past = { endOf: () => undefined, wasOpen: () => false };
        const replayed = [
            update(chunk('user_message_chunk', 'use tabs', { source: 'mid_turn_message_injected', timestamp: 3 })),
            update(chunk('agent_message_chunk', 'With tabs.'))
        ].map(event => ({ ...event, promptId: undefined }));
        expect(map(...replayed)).to.deep.equal([extended, { kind: 'text', turnId: 'turn-1', text: 'With tabs.' }]);
        expect(mapper.turns.history).to.be.empty;
    });

    it('what a command said, on the disk, where its message is not → nothing, instead of more of the turn before it', () => {
        mapper.past = { endOf: () => undefined, wasOpen: () => false };
        const said = { ...update(chunk('agent_message_chunk', '3 files', { source: 'slash_command' })), promptId: undefined };
        expect(map(said)).to.be.empty;
        mapper.past = undefined;
        expect(mapped({ ...said, promptId: 'turn-1' })).to.deep.equal([{ kind: 'text', turnId: 'turn-1', text: '3 files' }]);
    });

    describe('of what Qwen does by itself', () => {
        /** Without a turn's id and without a client. */
        const alone = (update: object): FakeEvent => ({
            type: 'session_update',
            originatorClientId: undefined,
            data: { sessionId: 's', update }
        });
        const done = (promptId: string, stopReason = 'end_turn'): FakeEvent => ({
            type: 'turn_complete',
            originatorClientId: undefined,
            data: { promptId, stopReason }
        });
        const say = (text: string): FakeEvent => alone(chunk('agent_message_chunk', text));

        it('[F3] a step of a goal that was set in a terminal → a turn of Qwen, which ends', () => {
            const state = { goalState: { v: 2, goal: { goalId: 'g', objective: 'x', status: 'active', turnCount: 1 } } };
            const told = alone(chunk('agent_message_chunk', '', state));
            expect(map(told, say('one '), told, done('s########2')).map(({ kind }) => kind)).to.deep.equal(['turn', 'text', 'end']);
            expect(map(say('two'))[0]).to.deep.include({ kind: 'turn', origin: 'qwen' });
        });

        it('[F3] a step that begins before the daemon says that the prompt before it is over → a turn of its own, which goes on', () => {
            const over = { type: 'turn_complete', promptId: 'turn-1', data: { promptId: 'turn-1', stopReason: 'end_turn' } };
            const events = map(update(chunk('agent_message_chunk', 'Goal set.')), say('one.'), over, say('two'), done('s########2'));
            expect(events.map(event => [event.kind, 'turnId' in event && event.turnId])).to.deep.equal([
                ['turn', 'turn-1'],
                ['text', 'turn-1'],
                ['turn', 'unnamed-1'],
                ['text', 'unnamed-1'],
                ['end', 'turn-1'],
                ['text', 'unnamed-1'],
                ['end', 'unnamed-1']
            ]);
        });

        it('[F3] a schedule → a turn of Qwen with what it is about, which ends', () => {
            expect(
                map(alone(chunk('user_message_chunk', 'check the build', { source: 'cron' })), say('All green'), done('s########2'))
            ).to.deep.equal([
                { kind: 'turn', turnId: 'unnamed-1', origin: 'qwen', prompt: '' },
                { kind: 'notice', turnId: 'unnamed-1', notice: { code: 'background', text: 'check the build' } },
                { kind: 'text', turnId: 'unnamed-1', text: 'All green' },
                { kind: 'end', turnId: 'unnamed-1', outcome: 'completed', stopReason: 'end_turn' }
            ]);
        });

        const notice = 'Background shell "sleep 3" completed.';

        it('[F4] what Qwen says beside the answer → a notice, not a part of the text, which may be in the middle of a code block', () => {
            const beside = chunk('agent_message_chunk', '[Todo Stop Guard] Stopped.', {
                source: 'todo_stop_guard',
                qwenDiscreteMessage: true
            });
            expect(mapped(update(chunk('agent_message_chunk', '```ts\nconst a')), update(beside))).to.deep.equal([
                { kind: 'text', turnId: 'turn-1', text: '```ts\nconst a' },
                { kind: 'notice', turnId: 'turn-1', notice: { code: 'background', text: '[Todo Stop Guard] Stopped.' } }
            ]);
        });

        it('[F4] the end of a background task → never in the middle of an answer, but a notice where the model is told', () => {
            const named = 's########notification1';
            const backgroundTurn = { turnId: named, taskId: 'bg_1', kind: 'shell', startedAt: 1 };
            const ofTurn = (source: string, text: string): FakeEvent => ({
                ...alone(chunk('agent_message_chunk', text, { source, qwenDiscreteMessage: true, backgroundTurn })),
                promptId: named
            });
            expect(
                mapped(
                    update(chunk('agent_message_chunk', 'the sum of all the values in ')),
                    alone(chunk('agent_message_chunk', notice, { source: 'background_task_completed', qwenDiscreteMessage: true })),
                    update(chunk('agent_message_chunk', 'the files'))
                )
            ).to.deep.equal([
                { kind: 'text', turnId: 'turn-1', text: 'the sum of all the values in ' },
                { kind: 'text', turnId: 'turn-1', text: 'the files' }
            ]);
            expect(
                map(
                    ofTurn('background_notification_turn_started', 'bg_1'),
                    ofTurn('background_notification', notice),
                    ofTurn('background_notification_response', 'It is done.')
                )
            ).to.deep.equal([
                { kind: 'turn', turnId: named, origin: 'qwen', prompt: '' },
                { kind: 'notice', turnId: named, notice: { code: 'background', text: notice } },
                { kind: 'text', turnId: named, text: '\n\nIt is done.\n\n' }
            ]);
        });
    });

    it('user_shell_command of another client → a notice that it is not shown', () => {
        map(update(chunk('agent_message_chunk', 'a')));
        const typed = { type: 'user_shell_command', data: { sessionId: 's', command: 'ls' } };
        expect(mapped(typed, { type: 'user_shell_result', data: { sessionId: 's', output: 'a' } })).to.deep.equal([
            { kind: 'notice', turnId: 'turn-1', notice: { code: 'part-not-shown', kind: 'user_shell_command' } }
        ]);
    });

    it('session_rewound → a notice, unless this IDE asked for it', () => {
        map(update(chunk('agent_message_chunk', 'a')));
        const rewound = { type: 'session_rewound', data: { sessionId: 's', promptId: 's########1', filesChanged: [], filesFailed: [] } };
        expect(mapped({ ...rewound, originatorClientId: 'client_own' })).to.be.empty;
        expect(mapped({ ...rewound, originatorClientId: 'client_other' })).to.deep.equal([
            { kind: 'notice', turnId: 'turn-1', notice: { code: 'rewound' } }
        ]);
    });

    it('model_switched → model, once although the daemon says it twice; model_switch_failed → nothing, since the answer says so', () => {
        const switched = (modelId: string): FakeEvent => ({ type: 'model_switched', data: { modelId } });
        expect(map(switched('fake-b(openai)'), switched('fake-b'))).to.deep.equal([{ kind: 'model', modelId: 'fake-b(openai)' }]);
        expect(map({ type: 'model_switch_failed', data: { requestedModelId: 'nope', error: 'not found' } })).to.be.empty;
    });

    it('approval_mode_changed, current_mode_update → mode, once, with a warning if it is looser', () => {
        expect(
            map(
                { type: 'approval_mode_changed', data: { next: 'auto-edit' } },
                update({ sessionUpdate: 'current_mode_update', currentModeId: 'auto-edit' }, undefined)
            )
        ).to.deep.equal([{ kind: 'mode', modeId: 'auto-edit', chosenModeId: 'default', looser: true }]);
        expect(map({ type: 'approval_mode_changed', data: { next: 'plan' } })[0]).to.deep.include({ looser: false });
        expect(map({ type: 'approval_mode_changed', data: { next: 'a-new-one' } })[0]).to.deep.include({ looser: true });
    });

    it('available_commands_update → commands, with what a message may hold', () => {
        const availableCommands = [
            { name: 'stats', description: 'Says how much', input: null, _meta: { source: 'builtin-command' } },
            { name: 'goal', description: 'Sets one', input: { hint: '<text>' } },
            { name: 'not a name', description: '' }
        ];
        const said = update({ sessionUpdate: 'available_commands_update', availableCommands });
        expect(mapped(said)).to.deep.equal([
            {
                kind: 'commands',
                commands: [
                    { name: 'stats', description: 'Says how much', hint: '' },
                    { name: 'goal', description: 'Sets one', hint: '<text>' }
                ]
            }
        ]);
    });

    it('settings_changed, followup_suggestion, and all unknown events → only the debug log, without content', () => {
        expect(
            map(
                { type: 'settings_changed', data: { value: 'x' } },
                { type: 'followup_suggestion', data: {} },
                { type: 'constructor', data: { value: 'x' } },
                update({ sessionUpdate: 'memory_update', value: 'x' }, undefined)
            )
        ).to.deep.equal([]);
        expect(logged).to.deep.equal([
            'Event settings_changed is not shown',
            'Event followup_suggestion is not shown',
            'Event constructor is not shown',
            'Update memory_update is not shown'
        ]);
    });

    it('a known event that cannot be read or shown → a notice that says so', () => {
        const events = map({ type: 'permission_request', promptId: 'turn-1', data: 7 }, update({ sessionUpdate: 'plan', entries: 'x' }));
        expect(events.map(({ kind }) => kind)).to.deep.equal(['notice', 'notice']);
        expect(mapped(update({ sessionUpdate: 'agent_message_chunk', content: { type: 'audio' } }))[0]).to.deep.include({
            kind: 'notice',
            turnId: 'turn-1'
        });
    });

    it('an answer that nobody asked for gets a turn of its own, which the next one ends', () => {
        const events = map(
            { type: 'session_update', data: { update: chunk('agent_message_chunk', 'By the way') }, originatorClientId: undefined },
            update(chunk('user_message_chunk', 'Q'))
        );
        expect(events.map(({ kind }) => kind)).to.deep.equal(['turn', 'text', 'end', 'turn']);
    });
});
