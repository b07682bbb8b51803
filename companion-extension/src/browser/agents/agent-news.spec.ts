// SPDX-License-Identifier: Apache-2.0

import '../test/dom';
import { WindowTitleService } from '@theia/core/lib/browser/window/window-title-service';
import { Emitter } from '@theia/core/lib/common/event';
import { MessageService } from '@theia/core/lib/common/message-service';
import { PreferenceService } from '@theia/core/lib/common/preferences';
import { setARIAContainer } from '@theia/monaco-editor-core/esm/vs/base/browser/ui/aria/aria';
import { expect } from 'chai';
import * as sinon from 'sinon';
import { AgentStatus } from '../../common/companion-protocol';
import { PageReviews } from '../review/page-reviews';
import { FakeServices } from '../test/fake-services';
import { AgentNews } from './agent-news';
import { PageAgents } from './page-agents';
import { testPolicy } from '../test/page-policy';
import { PagePolicy } from '../window/page-policy';

const NOTIFICATIONS = 'companion.notifications';

describe('News of the programs in terminals', () => {
    let news: AgentNews;
    let all: AgentStatus[];
    let waiting: Array<{ id: string }>;
    let wanted: string;
    let answer: string | undefined;
    let asked: number;
    let permission: NotificationPermission;
    let shown: string[];
    let isAndroid: boolean;
    let hasFocus: boolean;
    let revealed: number[];
    let notifications: FakeNotification[];
    let changed: Emitter<void>;
    let preferred: Emitter<object>;
    let policy: PagePolicy;

    /** As a browser has it. */
    class FakeNotification {
        static get permission(): NotificationPermission {
            return permission;
        }

        static async requestPermission(): Promise<NotificationPermission> {
            asked++;
            return (permission = 'granted');
        }

        onclick: (() => void) | undefined;

        constructor(_title: string, { body, tag, renotify }: NotificationOptions & { renotify?: boolean }) {
            if (isAndroid) {
                throw new TypeError("Failed to construct 'Notification': Illegal constructor.");
            }
            shown.push(`${tag}: ${body}${renotify ? '' : ', silent'}`);
            notifications.push(this);
        }

        close(): void {
            shown.push('closed');
        }
    }

    beforeEach(() => {
        [all, waiting, wanted, answer, asked, permission, shown] = [[], [], 'off', undefined, 0, 'granted', []];
        [isAndroid, hasFocus, revealed, notifications] = [false, false, [], []];
        [changed, preferred] = [new Emitter(), new Emitter()];
        window.sessionStorage.clear();
        Object.assign(globalThis, { Notification: FakeNotification });
        setARIAContainer(document.body);
        document.title = 'Theia';
        sinon.stub(document, 'hasFocus').callsFake(() => hasFocus);
        load();
    });

    /** The page, again if it is loaded. */
    function load(): void {
        news?.onStop();
        all = [];
        const services = new FakeServices();
        services.bind(PageAgents, {
            onDidChange: changed.event,
            reveal: async ({ shell }: AgentStatus) => void revealed.push(shell),
            get all() {
                return all.map(status => ({ status }));
            },
            get waiting() {
                return all
                    .filter(({ state }) => state === 'blocked')
                    .map(status => ({ id: String(status.shell), status, reveal: async () => void revealed.push(status.shell) }));
            }
        });
        services.bind(PageReviews, {
            onDidChange: new Emitter<void>().event,
            get waiting() {
                return waiting;
            }
        });
        services.bind(WindowTitleService, { onDidChangeTitle: new Emitter<void>().event });
        const preferences = {
            ready: Promise.resolve(),
            onPreferenceChanged: preferred.event,
            // The value of a cloned repository.
            inspect: () => ({ globalValue: wanted, workspaceValue: 'waitingOrDone' })
        };
        services.bind(PreferenceService, preferences);
        services.bind(PagePolicy, (policy = testPolicy(preferences as unknown as PreferenceService)));
        services.bind(MessageService, { info: async () => answer });
        news = services.create(AgentNews);
        news.onStart();
        changed.fire();
    }

    afterEach(() => {
        news.onStop();
        sinon.restore();
        document.querySelector('.monaco-aria-container')?.remove();
        Reflect.deleteProperty(globalThis, 'Notification');
    });

    function receive(...statuses: AgentStatus[]): void {
        all = statuses;
        changed.fire();
    }

    function blocked(shell: number, more: Partial<AgentStatus> = {}): AgentStatus {
        return { shell, name: `CLI ${shell}`, state: 'blocked', since: 0, ...more };
    }

    function spoken(): string {
        return [...document.querySelectorAll('.monaco-status')].map(({ textContent }) => textContent).join('');
    }

    it('are told once to a screen reader, also two of one moment, and nothing of a proposal, whose message tells', () => {
        receive(blocked(1, { message: 'Which one?' }), { shell: 2, name: 'CLI 2', state: 'done', since: 0 }, blocked(3, { reviewId: 'r' }));
        expect(spoken()).to.equal('CLI 1 waits for you: Which one?. CLI 2 has finished');
        receive(...all, { shell: 4, name: 'CLI 4', state: 'working', since: 0 });
        expect(spoken()).to.equal('CLI 1 waits for you: Which one?. CLI 2 has finished');
    });

    it('are none of what was there before a reload, however late its terminal is restored', async () => {
        const before = [blocked(1), blocked(2)];
        receive(...before);
        wanted = 'waiting';
        load();
        receive(blocked(1));
        receive(...before);
        expect(shown).to.deep.equal([]);
        receive(...before, blocked(3));
        expect(shown).to.deep.equal(['companion-agent 3: CLI 3 waits for you']);
    });

    it('are counted in the title: a program with its proposal is one', () => {
        waiting = [{ id: 'r' }];
        receive(blocked(1), blocked(2, { reviewId: 'r' }));
        expect(document.title).to.equal('(2) Theia');
        waiting = [];
        receive();
        expect(document.title).to.equal('Theia');
    });

    it('are shown by the browser while the page is not in use, if the user wants them', () => {
        receive(blocked(1));
        expect(shown).to.deep.equal([]);
        wanted = 'waiting';
        receive(blocked(1), blocked(2), { shell: 3, state: 'done', since: 0 });
        expect(shown).to.deep.equal(['companion-agent 2: CLI 2 waits for you']);
        wanted = 'waitingOrDone';
        receive({ shell: 4, name: 'CLI 4', state: 'done', since: 0 });
        expect(shown.splice(0)).to.include('companion-agent 4: CLI 4 has finished');
        hasFocus = true;
        receive(blocked(5));
        [hasFocus, permission] = [false, 'denied'];
        receive(blocked(6));
        expect(shown).to.deep.equal([]);
    });

    it('are shown as a policy says, whatever the user wants', () => {
        receive(blocked(1));
        wanted = 'off';
        policy.receive({ preferences: { [NOTIFICATIONS]: 'waiting' }, clis: [], off: [] });
        receive(blocked(1), blocked(2));
        expect(shown.splice(0)).to.have.length(1);
        wanted = 'waiting';
        policy.receive({ preferences: { [NOTIFICATIONS]: 'off' }, clis: [], off: [] });
        receive(blocked(1), blocked(2), blocked(3));
        expect(shown).to.deep.equal([]);
    });

    it('of one terminal replace each other, and ring also for the same words again', () => {
        wanted = 'waiting';
        receive(blocked(1));
        receive({ ...blocked(1), state: 'working' });
        receive(blocked(1, { since: 2 }));
        expect(shown).to.deep.equal(['companion-agent 1: CLI 1 waits for you', 'companion-agent 1: CLI 1 waits for you']);
    });

    it('lead to the page and the terminal by a click', () => {
        wanted = 'waiting';
        const focus = sinon.stub(window, 'focus');
        receive(blocked(1), blocked(2));
        notifications[1].onclick?.();
        expect(focus.callCount).to.equal(1);
        expect(revealed).to.deep.equal([2]);
        expect(shown.pop()).to.equal('closed');
    });

    it('do not break where the browser has the class but no notifications of pages, as on Android', () => {
        [wanted, isAndroid] = ['waiting', true];
        receive(blocked(1));
        expect(document.title).to.equal('(1) Theia');
        expect(spoken()).to.include('CLI 1 waits for you');
    });

    it('may be shown once the user was asked, also if a policy wants them', async () => {
        await new Promise(resolve => setImmediate(resolve));
        [permission, answer] = ['default', 'Ask the Browser'];
        policy.receive({ preferences: { [NOTIFICATIONS]: 'waiting' }, clis: [], off: [] });
        await new Promise(resolve => setImmediate(resolve));
        expect(asked).to.equal(1);
    });

    it('are shown only after the user has answered a message: only then may a page ask the browser', async () => {
        permission = 'default';
        const settle = (): Promise<void> => new Promise(resolve => setImmediate(resolve));
        preferred.fire({ preferenceName: NOTIFICATIONS });
        answer = 'Ask the Browser';
        await settle();
        expect(asked, 'not wanted').to.equal(0);
        [wanted, answer] = ['waiting', undefined];
        preferred.fire({ preferenceName: NOTIFICATIONS });
        await settle();
        expect(asked, 'the message was closed').to.equal(0);
        answer = 'Ask the Browser';
        preferred.fire({ preferenceName: NOTIFICATIONS });
        await settle();
        preferred.fire({ preferenceName: NOTIFICATIONS });
        await settle();
        expect(asked).to.equal(1);
    });
});
