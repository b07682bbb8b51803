// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { SessionEvent, SessionEvents, ToolCall } from '../../common/qwen-daemon-protocol';
import { EventLog } from './event-log';

describe("The log of a session's events", () => {
    const text = (value: string, turnId = 't'): SessionEvent => ({ kind: 'text', turnId, text: value });
    const sampleTool: ToolCall = {
        id: 'c',
        name: 'n',
        title: 'n',
        toolKind: 'edit',
        status: 'completed',
        args: '',
        locations: [],
        truncated: false
    };
    const tool = (status: ToolCall['status']): SessionEvent => ({ kind: 'tool', turnId: 't', tool: { ...sampleTool, status } });
    const first: SessionEvent = { kind: 'turn', turnId: 't', origin: 'own', prompt: '' };

    it('gathers text, and tells once', async () => {
        const log = new EventLog('s');
        const told = new Promise<SessionEvents>(resolve => log.onDidAppend(resolve));
        log.append(first, text('a'), text('b'));
        log.append(text('c'), tool('pending'), text('d'));
        expect((await told).events.map(event => (event.kind === 'text' ? event.text : event.kind))).to.deep.equal([
            'turn',
            'abc',
            'tool',
            'd'
        ]);
        log.dispose();
    });

    it('gives all events condensed, each tool once, at its beginning; and whole to the pages when it begins anew', () => {
        const log = new EventLog('s');
        log.append(first, text('a'), tool('pending'), text('b'));
        log.read();
        log.append(text('c'), tool('completed'));
        expect(
            log.read().map(event => (event.kind === 'tool' ? event.tool.status : event.kind === 'text' ? event.text : event.kind))
        ).to.deep.equal(['turn', 'a', 'completed', 'bc']);
        log.restart();
        expect(log.read()).to.deep.equal([]);
        const told: SessionEvents[] = [];
        log.onDidAppend(events => told.push(events));
        log.append(first, tool('pending'), tool('completed'));
        expect(log.read()).to.deep.equal([first, tool('completed')]);
        expect(told).to.deep.equal([{ sessionId: 's', fromStart: true, events: log.read() }]);
        log.dispose();
    });

    it('tells of the queue behind the turns that are in it', () => {
        const log = new EventLog('s');
        log.append(first, { kind: 'queue', turnIds: [] }, { ...first, turnId: 'next' }, { kind: 'queue', turnIds: ['next'] });
        expect(log.read().map(({ kind }) => kind)).to.deep.equal(['turn', 'turn', 'queue']);
        log.dispose();
    });

    it('is bounded: the oldest turns go first, and it says so', () => {
        const log = new EventLog('s');
        for (let turn = 0; turn < 30; turn++) {
            log.append({ ...first, turnId: `${turn}` }, text('x'.repeat(1024 * 1024), `${turn}`), {
                kind: 'end',
                turnId: `${turn}`,
                outcome: 'completed'
            });
        }
        const events = log.read();
        expect(events[0].kind).to.equal('notice');
        expect(events.length).to.be.lessThan(60);
        expect(events.some(event => 'turnId' in event && event.turnId === '29')).to.equal(true);
        log.dispose();
    });

    it('tells a page that comes later nothing of turns that the session forgot', () => {
        const log = new EventLog('s');
        log.append(first, text('a'), { ...first, turnId: 'edited' }, text('b', 'edited'));
        log.forget(['edited']);
        expect(log.read()).to.deep.equal([first, text('a')]);
        for (let again = 0; again < 20; again++) {
            log.append({ ...first, turnId: 'edited' }, text('x'.repeat(1024 * 1024), 'edited'));
            log.forget(['edited']);
        }
        expect(log.read(), 'as much as before').to.deep.equal([first, text('a')]);
        log.dispose();
    });

    it('keeps the running turn and its questions while others wait behind it', () => {
        const log = new EventLog('s');
        const permission = { id: 'p', toolId: 'c', title: '', description: '', truncated: false, options: [] };
        log.append(first, { kind: 'permission', turnId: 't', permission }, { ...first, turnId: 'next' }, { ...first, turnId: 'and-next' });
        for (let part = 0; part < 20; part++) {
            log.append(text('x'.repeat(1024 * 1024)), { kind: 'notice', turnId: 't', notice: { code: 'part-not-shown', kind: `${part}` } });
        }
        const events = log.read();
        expect(events.flatMap(event => (event.kind === 'turn' ? event.turnId : []))).to.deep.equal(['t', 'next', 'and-next']);
        expect(events.some(({ kind }) => kind === 'permission')).to.equal(true);
        expect(JSON.stringify(events).length).to.be.lessThan(20 * 1024 * 1024);
        log.dispose();
    });

    it('is bounded within one huge turn, whose beginning stays known', () => {
        const log = new EventLog('s');
        log.append(first);
        for (let part = 0; part < 40; part++) {
            log.append(text('x'.repeat(1024 * 1024)), { kind: 'notice', turnId: 't', notice: { code: 'part-not-shown', kind: `${part}` } });
        }
        const events = log.read();
        expect(events[1]).to.deep.include({ kind: 'turn', turnId: 't' });
        expect(JSON.stringify(events).length).to.be.lessThan(20 * 1024 * 1024);
        log.dispose();
    });
});
