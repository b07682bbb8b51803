// SPDX-License-Identifier: Apache-2.0

import '../test/dom';
import { WidgetManager } from '@theia/core/lib/browser';
import { Emitter } from '@theia/core/lib/common/event';
import { OutputChannelManager } from '@theia/output/lib/browser/output-channel';
import { OutputWidget } from '@theia/output/lib/browser/output-widget';
import { expect } from 'chai';
import { CompanionBackend, LogLines } from '../../common/companion-protocol';
import { FakeServices } from '../test/fake-services';
import { CompanionConnection } from '../window/companion-connection';
import { LogContribution } from './log-contribution';

describe('The output channel of the companion', () => {
    let log: LogContribution;
    let shown: string[];
    let asked: number[];
    /** What the backend has. */
    let lines: string[];
    let state: { windowId: string; logged: number } | undefined;
    let isVisible: boolean;
    let selected: string;
    let failure: Error | undefined;
    const onDidCreateWidget = new Emitter<{ widget: unknown }>();
    const onDidChangeVisibility = new Emitter<boolean>();
    const onSelectedChannelChanged = new Emitter<void>();
    const onDidChangeState = new Emitter<void>();

    beforeEach(() => {
        [shown, asked, lines, state, isVisible, selected, failure] = [[], [], [], undefined, false, 'Companion', undefined];
        const services = new FakeServices();
        const channel = (name: string): unknown => ({ name, appendLine: (line: string) => shown.push(line) });
        services.bind(OutputChannelManager, {
            onSelectedChannelChanged: onSelectedChannelChanged.event,
            getChannel: channel,
            get selectedChannel() {
                return channel(selected);
            }
        });
        services.bind(WidgetManager, { onDidCreateWidget: onDidCreateWidget.event });
        services.bind(CompanionBackend, {
            readLog: async (after: number): Promise<LogLines> => {
                asked.push(after);
                return { newest: lines.length, lines: lines.slice(after) };
            }
        });
        services.bind(CompanionConnection, {
            onDidChangeState: onDidChangeState.event,
            get state() {
                return state;
            },
            ask: async (call: () => Promise<unknown>) => (failure ? Promise.reject(failure) : call())
        });
        log = services.create(LogContribution);
        log.onStart();
        const widget = Object.create(OutputWidget.prototype, {
            isVisible: { get: () => isVisible },
            onDidChangeVisibility: { value: onDidChangeVisibility.event }
        });
        onDidCreateWidget.fire({ widget });
    });

    afterEach(() => log.onStop());

    /** The backend says that it has these lines. */
    async function addLines(...added: string[]): Promise<void> {
        lines.push(...added);
        state = { windowId: state?.windowId ?? 'window-1', logged: lines.length };
        await fire(onDidChangeState);
    }

    async function show(): Promise<void> {
        isVisible = true;
        await fire(onDidChangeVisibility);
    }

    async function fire(emitter: { fire(event: unknown): void }): Promise<void> {
        emitter.fire(undefined);
        await new Promise(setImmediate);
    }

    it('reads nothing while it cannot be seen, and then each line once', async () => {
        await addLines('one');
        expect(asked).to.deep.equal([]);
        await show();
        await addLines('two', 'three');
        expect(shown).to.deep.equal(['one', 'two', 'three']);
        expect(asked).to.deep.equal([0, 1]);
    });

    it('reads nothing while the view shows another channel', async () => {
        selected = 'Git';
        await show();
        await addLines('one');
        expect(asked).to.deep.equal([]);
        selected = 'Companion';
        await fire(onSelectedChannelChanged);
        expect(shown).to.deep.equal(['one']);
    });

    it('reads on if lines came while it was reading', async () => {
        await show();
        lines.push('one');
        state = { windowId: 'window-1', logged: 1 };
        onDidChangeState.fire();
        await addLines('two');
        expect(shown).to.deep.equal(['one', 'two']);
    });

    it('gets with the next state what could not be read', async () => {
        await show();
        failure = new Error('no answer');
        await addLines('one');
        expect(shown).to.deep.equal([]);
        failure = undefined;
        await addLines('two');
        expect(shown).to.deep.equal(['one', 'two']);
    });

    it('has the lines of the window that the page is now', async () => {
        await show();
        await addLines('one', 'two');
        lines = ['of the other window'];
        state = { windowId: 'window-2', logged: 1 };
        await fire(onDidChangeState);
        expect(shown).to.deep.equal(['one', 'two', 'of the other window']);
    });

    it('has the lines of a log that begins anew, as that of a window without a folder that was away for minutes', async () => {
        await show();
        await addLines('one', 'two');
        lines = [];
        await addLines('of the new server');
        expect(shown).to.deep.equal(['one', 'two', 'of the new server']);
    });
});
