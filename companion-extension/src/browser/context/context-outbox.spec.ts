// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { SinonFakeTimers, useFakeTimers } from 'sinon';
import { SystemClock } from '../../common/clock';
import { ContextSnapshot, IdeContext } from '../../common/companion-protocol';
import { Calls } from '../../common/calls';
import { ContextOutbox } from './context-outbox';

const SELECTED: IdeContext = { workspaceState: { openFiles: [{ path: '/a', timestamp: 1, selectedText: 'text' }] } };
const PAUSED: IdeContext = { workspaceState: { openFiles: [] } };

describe('ContextOutbox', () => {
    let clock: SinonFakeTimers;
    let calls: ContextSnapshot[];
    let fails: boolean;
    /** Until when the backend leaves a call unanswered. */
    let answer: Promise<void>;
    let errors: string[];
    let connection: Calls;
    let outbox: ContextOutbox;

    beforeEach(() => {
        clock = useFakeTimers();
        calls = [];
        fails = false;
        answer = Promise.resolve();
        const updateContext = async (snapshot: ContextSnapshot): Promise<void> => {
            calls.push(snapshot);
            if (fails) {
                throw new Error('The window is not known yet');
            }
            await answer;
        };
        errors = [];
        connection = new Calls(new SystemClock(), () => true);
        outbox = new ContextOutbox(connection, { updateContext }, { error: async message => void errors.push(String(message)) });
    });

    function send(context = SELECTED): void {
        outbox.takeSnapshot(() => context);
        outbox.send();
    }

    afterEach(() => {
        outbox.dispose();
        clock.restore();
    });

    it('sends no context twice, unless the backend may not have it', () => {
        send();
        send({ ...SELECTED });
        expect(calls).to.have.length(1);
        outbox.forget();
        send();
        expect(calls[1].sequence).to.be.greaterThan(calls[0].sequence);
    });

    it('sends again by itself what has failed, as it is by then, until it arrives', async () => {
        fails = true;
        send();
        outbox.takeSnapshot(() => PAUSED);
        await clock.tickAsync(10_000);
        expect(calls.length).to.be.greaterThan(2);
        expect(calls.slice(1).map(({ context }) => context)).to.deep.equal(calls.slice(1).map(() => PAUSED));
        fails = false;
        let sent = 0;
        outbox.onDidSend(() => sent++);
        const failed = calls.length;
        await clock.tickAsync(30_000);
        expect([calls.length - failed, sent]).to.deep.equal([1, 1]);
    });

    it('sends the newest on a new connection if the old one was lost before the backend answered', async () => {
        answer = new Promise(() => undefined);
        send();
        outbox.takeSnapshot(() => PAUSED);
        answer = Promise.resolve();
        let sent = 0;
        outbox.onDidSend(() => sent++);
        connection.recover();
        await clock.tickAsync(10);
        expect(calls.map(({ context }) => context)).to.deep.equal([SELECTED, PAUSED]);
        expect(sent).to.equal(1);
    });

    it('S16: a snapshot that cannot be made shares nothing, and is logged once', () => {
        send();
        for (let count = 0; count < 3; count++) {
            outbox.takeSnapshot(() => {
                throw new Error('No rule for this path');
            });
            outbox.send();
        }
        expect(calls.map(({ context }) => context)).to.deep.equal([SELECTED, PAUSED]);
        expect(errors).to.have.length(1);
        send();
        expect(calls).to.have.length(3);
    });

    it('sends nothing more after its end', async () => {
        fails = true;
        send();
        await clock.tickAsync(10);
        outbox.dispose();
        await clock.tickAsync(10_000);
        expect(calls).to.have.length(1);
    });
});
