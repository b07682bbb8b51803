// SPDX-License-Identifier: Apache-2.0

import '../test/dom';
import { FrontendApplicationStateService } from '@theia/core/lib/browser/frontend-application-state';
import { WebSocketConnectionSource } from '@theia/core/lib/browser/messaging/ws-connection-source';
import { Emitter } from '@theia/core/lib/common/event';
import { PreferenceProviderProvider, PreferenceScope, PreferenceService } from '@theia/core/lib/common/preferences';
import { WorkspaceService } from '@theia/workspace/lib/browser/workspace-service';
import { expect } from 'chai';
import * as sinon from 'sinon';
import { CompanionPreferences } from '../../common/companion-preferences';
import { ScopedValue } from '../../common/scoped-value';
import { CompanionBackend, OpenedLink, WindowSnapshot, WindowState } from '../../common/companion-protocol';
import { FakeServices } from '../test/fake-services';
import { CompanionConnection } from './companion-connection';
import { ScopedPreferences } from './scoped-preferences';
import { WindowIdentity } from './window-identity';
import { testPolicy } from '../test/page-policy';
import { PagePolicy } from './page-policy';

describe('The connection of a page to the backend', () => {
    let connection: CompanionConnection;
    let clock: sinon.SinonFakeTimers;
    let hellos: WindowSnapshot[];
    /** The backend's answers. */
    let state: WindowState;
    let failure: Error | undefined;
    let links: OpenedLink[];
    let focused: number[];
    let roots: string[];
    let enabled: boolean;
    let reviewOpen: string;
    let excludes: ScopedValue[];
    let windowId: string;
    let isConnected: boolean;
    let happened: string[];
    const onDidOpenConnection = new Emitter<void>();
    const onSocketDidOpen = new Emitter<void>();
    const onSocketDidClose = new Emitter<void>();
    const onWorkspaceChanged = new Emitter<void>();
    const onPreferenceChanged = new Emitter<void>();
    const onDidPreferencesChanged = new Emitter<void>();

    beforeEach(async () => {
        clock = sinon.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
        [hellos, links, focused, happened] = [[], [], [], []];
        roots = ['file:///ws'];
        [reviewOpen, excludes] = ['reveal', []];
        [enabled, isConnected, windowId, failure] = [true, true, 'own', undefined];
        state = stateOf(1);
        const services = new FakeServices();
        const answer = async <T>(value: T): Promise<T> => {
            if (failure) {
                throw failure;
            }
            return value;
        };
        services.bind(CompanionBackend, {
            onDidOpenConnection: onDidOpenConnection.event,
            hello: (window: WindowSnapshot) => {
                hellos.push(window);
                return answer(state);
            },
            focus: (sequence: number) => {
                focused.push(sequence);
                return answer({ state, links });
            }
        });
        services.bind(WindowIdentity, {
            get windowId() {
                return windowId;
            },
            loadId: 'load',
            claim: async () => undefined,
            adopt: (id: string) => (windowId = id)
        });
        services.bind(WorkspaceService, {
            roots: Promise.resolve([]),
            tryGetRoots: () => roots.map(resource => ({ resource })),
            onWorkspaceChanged: onWorkspaceChanged.event
        });
        services.bind(CompanionPreferences, {
            ready: Promise.resolve(),
            get 'companion.review.open'() {
                return reviewOpen;
            },
            onPreferenceChanged: onPreferenceChanged.event
        });
        services.bind(PreferenceService, {
            inspect: (name: string) => (name === 'companion.enabled' ? { globalValue: enabled } : undefined)
        });
        services.bind(PreferenceProviderProvider, () => ({ onDidPreferencesChanged: onDidPreferencesChanged.event }));
        services.bind(PagePolicy, testPolicy());
        services.bind(ScopedPreferences, { valuesOf: () => excludes });
        services.bind(FrontendApplicationStateService, { reachedState: async () => undefined });
        services.bind(WebSocketConnectionSource, {
            socket: {
                on: () => undefined,
                off: () => undefined,
                get connected() {
                    return isConnected;
                }
            },
            onSocketDidOpen: onSocketDidOpen.event,
            onSocketDidClose: onSocketDidClose.event
        });
        connection = services.create(CompanionConnection);
        connection.onDidHello(() => happened.push('hello'));
        connection.onDidRecover(() => happened.push('recovered'));
        connection.initialize();
        await clock.tickAsync(1);
    });

    afterEach(() => {
        connection.onStop();
        clock.restore();
    });

    function stateOf(sequence: number, id = windowId): WindowState {
        const status: WindowState['status'] = { state: 'ready', problems: [], clis: [], connections: [] };
        return {
            windowId: id,
            sequence,
            installation: 'installation',
            status,
            reviews: [],
            keptEdits: [],
            accepted: [],
            agents: [],
            changes: { version: 0, count: 0 }
        };
    }

    async function focus(): Promise<void> {
        window.dispatchEvent(new window.Event('focus'));
        await clock.tickAsync(1);
    }

    it('begins with a hello that describes the window', async () => {
        expect(hellos).to.have.length(1);
        expect(hellos[0]).to.deep.include({ windowId: 'own', loadId: 'load', roots: ['file:///ws'], enabled: true, reviewOpen });
        await connection.ready;
        expect(connection.greeted).to.equal(true);
        expect(happened).to.deep.equal(['hello']);
    });

    it('says hello again when the workspace changes, and when a preference that it tells does', async () => {
        roots = ['file:///ws', 'file:///other'];
        onWorkspaceChanged.fire();
        expect(hellos.at(-1)?.roots).to.deep.equal(roots);
        onPreferenceChanged.fire();
        expect(hellos, 'the value was only loaded').to.have.length(2);
        enabled = false;
        onDidPreferencesChanged.fire();
        expect(hellos.at(-1)?.enabled).to.equal(false);
        reviewOpen = 'never';
        onPreferenceChanged.fire();
        expect(hellos.at(-1)?.reviewOpen).to.equal('never');
        reviewOpen = 'front';
        onPreferenceChanged.fire();
        expect(hellos.at(-1)?.reviewOpen, 'the backend would refuse what a settings file may have there').to.equal('reveal');
        excludes = [
            { scope: PreferenceScope.User, value: undefined },
            { scope: PreferenceScope.Folder, value: ['*.txt'], root: 'file:///ws', file: 'ws/.theia/settings.json' }
        ];
        onDidPreferencesChanged.fire();
        expect(hellos.at(-1)?.excludes).to.deep.equal([{ scope: PreferenceScope.Folder, value: ['*.txt'], root: 'file:///ws' }]);
    });

    it('the connection of a page to the backend never goes back to an older state, and takes none of another window', () => {
        connection.receiveState(stateOf(5));
        connection.receiveState(stateOf(4));
        connection.receiveState(stateOf(9, 'another'));
        expect(connection.state?.sequence).to.equal(5);
    });

    it('a duplicated tab takes the id that the backend gives it', async () => {
        connection.receiveState(stateOf(7));
        state = stateOf(1, 'new');
        connection.refresh();
        await clock.tickAsync(1);
        expect(windowId).to.equal('new');
        expect(connection.state).to.deep.include({ windowId: 'new', sequence: 1 });
    });

    it('says hello again after the socket was lost, once it takes messages, and tells who has waited', async () => {
        let made = 0;
        connection.calls.call('save', { make: () => new Promise<void>(() => made++), reply: () => undefined });
        isConnected = false;
        onSocketDidClose.fire();
        expect(connection.connected).to.equal(false);
        isConnected = true;
        onSocketDidOpen.fire();
        await clock.tickAsync(299);
        expect(hellos).to.have.length(1);
        await clock.tickAsync(2);
        expect(hellos).to.have.length(2);
        expect(happened).to.deep.equal(['hello', 'hello', 'recovered']);
        expect(made, 'what was under way may be lost').to.equal(2);
    });

    it('says hello again when the backend was replaced under the socket', async () => {
        onDidOpenConnection.fire();
        await clock.tickAsync(1);
        expect(happened).to.deep.equal(['hello', 'hello', 'recovered']);
    });

    it('a window that gets the focus asks only for news', async () => {
        const heard: (readonly OpenedLink[])[] = [];
        connection.onDidFocus(told => heard.push(told));
        state = stateOf(2);
        links = [{ path: '/ws/a', realPath: '/ws/b' }];
        await focus();
        expect(focused).to.deep.equal([1]);
        expect(connection.state?.sequence).to.equal(2);
        expect(heard).to.deep.equal([links]);
        expect(hellos).to.have.length(1);
    });

    it('a window that the backend has forgotten says hello when it gets the focus', async () => {
        failure = new Error('unknown window');
        await focus();
        expect(hellos).to.have.length(2);
    });

    it('says why the backend cannot be reached, tries again, and then says it no more', async () => {
        failure = new Error('no such service');
        connection.refresh();
        await clock.tickAsync(1);
        expect(connection.failure).to.equal('The companion in the backend cannot be reached: no such service');
        failure = undefined;
        await clock.tickAsync(2_000);
        expect(connection.failure).to.equal(undefined);
        expect(hellos).to.have.length(3);
    });

    it('listens to nothing once the page has ended', async () => {
        connection.onStop();
        onWorkspaceChanged.fire();
        onDidOpenConnection.fire();
        await focus();
        connection.receiveState(stateOf(9));
        expect(hellos).to.have.length(1);
        expect(focused).to.deep.equal([]);
        expect(connection.state?.sequence).to.equal(1);
    });
});
