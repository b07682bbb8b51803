// SPDX-License-Identifier: Apache-2.0

import { FrontendApplicationContribution } from '@theia/core/lib/browser';
import { FrontendApplicationStateService } from '@theia/core/lib/browser/frontend-application-state';
import { WebSocketConnectionSource } from '@theia/core/lib/browser/messaging/ws-connection-source';
import { RpcProxy } from '@theia/core/lib/common';
import { Disposable, DisposableCollection } from '@theia/core/lib/common/disposable';
import { Emitter } from '@theia/core/lib/common/event';
import { nls } from '@theia/core/lib/common/nls';
import { PreferenceProviderProvider, PreferenceScope, PreferenceService } from '@theia/core/lib/common/preferences';
import { Deferred } from '@theia/core/lib/common/promise-util';
import { inject, injectable, optional, postConstruct } from '@theia/core/shared/inversify';
import { WorkspaceService } from '@theia/workspace/lib/browser/workspace-service';
import { backendPreferences, CompanionPreferences, EXCLUDE, isCompanionEnabled } from '../../common/companion-preferences';
import { CompanionLimits } from '../../common/companion-limits';
import { CompanionBackend, OpenedLink, WindowSnapshot, WindowState } from '../../common/companion-protocol';
import { SystemClock } from '../../common/clock';
import { withTimeLimit } from '../../common/time-limit';
import { Calls } from '../../common/calls';
import { PagePolicy } from './page-policy';
import { RestartWatch } from './restart-watch';
import { ScopedPreferences } from './scoped-preferences';
import { WindowIdentity } from './window-identity';

/** How long the first hello waits for the workspace and the preferences. */
const STARTUP_WAIT_MS = 15_000;
/** How long the socket takes to negotiate. A message that is sent before that is lost. */
const REOPEN_WAIT_MS = 300;
/** How long the backend may take to answer that the page got the focus. */
const FOCUS_WAIT_MS = 10_000;
/** How long the page's own origin may take to answer. */
const ORIGIN_WAIT_MS = 5_000;

/**
 * Introduces this window to the backend, again after each reconnection, and keeps the window's newest state.
 *
 * Promised: `state` and `onDidChangeState`.
 * @since 0.1
 */
@injectable()
export class CompanionConnection implements FrontendApplicationContribution {
    @inject(CompanionBackend)
    protected readonly backend: RpcProxy<CompanionBackend>;
    @inject(WindowIdentity)
    protected readonly identity: WindowIdentity;
    @inject(WorkspaceService)
    protected readonly workspace: WorkspaceService;
    @inject(CompanionPreferences)
    protected readonly preferences: CompanionPreferences;
    @inject(PagePolicy)
    protected readonly policy: PagePolicy;
    @inject(PreferenceService)
    protected readonly preferenceService: PreferenceService;
    @inject(PreferenceProviderProvider)
    protected readonly providers: PreferenceProviderProvider;
    @inject(ScopedPreferences)
    protected readonly scoped: ScopedPreferences;
    @inject(FrontendApplicationStateService)
    protected readonly appState: FrontendApplicationStateService;
    @inject(WebSocketConnectionSource)
    @optional()
    protected readonly socket: WebSocketConnectionSource | undefined;

    protected readonly onDidChangeStateEmitter = new Emitter<void>();
    /** Fires when {@link state}, {@link failure}, {@link reloadNeeded} or {@link connected} changed. */
    readonly onDidChangeState = this.onDidChangeStateEmitter.event;
    protected readonly onDidHelloEmitter = new Emitter<void>();
    /** Fires after each answered hello. */
    readonly onDidHello = this.onDidHelloEmitter.event;
    protected readonly onDidRecoverEmitter = new Emitter<void>();
    /** Fires when the connection to the backend, or the socket under it, was lost and is open again, and the backend knows this window. */
    readonly onDidRecover = this.onDidRecoverEmitter.event;
    protected readonly onDidFocusEmitter = new Emitter<readonly OpenedLink[]>();
    /** Fires after the page got the focus, with what the backend says about the files that were last shared with CLIs. */
    readonly onDidFocus = this.onDidFocusEmitter.event;
    protected recovering = false;

    protected readonly firstHello = new Deferred<void>();
    protected readonly toDispose = new DisposableCollection();
    /** Whatever is asked of the backend again until it answers, the hello too. */
    readonly calls = new Calls(new SystemClock(), () => this.connected || !this.greeted);
    protected restarts: RestartWatch | undefined;
    /** The window's newest state; `undefined` before the first hello. */
    state: WindowState | undefined;
    /** Why the backend cannot be reached, for the user; `undefined` while it can. */
    failure: string | undefined;

    @postConstruct()
    protected init(): void {
        this.toDispose.push(this.calls);
        if (this.socket) {
            this.restarts = new RestartWatch({
                socket: this.socket.socket,
                originAnswers: () => this.originAnswers(),
                handleChange: () => this.onDidChangeStateEmitter.fire()
            });
            this.toDispose.push(this.restarts);
        }
    }

    /** The backend was restarted: it lets this page in only after a reload. */
    get reloadNeeded(): boolean {
        return this.restarts?.refused ?? false;
    }

    /** True if the backend knows this window. */
    get greeted(): boolean {
        return this.state !== undefined;
    }

    /** Resolves when the first hello is answered. It may never settle: wait with a limit. */
    get ready(): Promise<void> {
        return this.firstHello.promise;
    }

    /** True if the socket is there now. */
    get connected(): boolean {
        return this.socket?.socket.connected ?? true;
    }

    /**
     * Calls the backend, and again on a new connection if this one is lost. For calls that may be made twice.
     * @param limit in milliseconds
     */
    ask<T>(call: () => Promise<T>, limit: number, whatFailed?: string): Promise<T> {
        return this.calls.ask(call, limit, whatFailed);
    }

    /** Asks for the newest state. */
    refresh(): void {
        this.sayHello();
    }

    /** Takes a state from the backend: the answer to a hello, or one that it sends by itself. */
    receiveState(state: WindowState): void {
        if (this.toDispose.disposed) {
            return;
        }
        if (state.windowId === this.identity.windowId && state.sequence > (this.state?.sequence ?? -1)) {
            this.state = state;
            this.policy.receive(state.policy);
        }
        this.onDidChangeStateEmitter.fire();
    }

    /**
     * Theia's start does not wait for the promise, but for the terminal in its first layout (1.74), which waits for the hello. So the hello is
     * said before the contributions start, which takes long enough for the answer.
     */
    initialize(): void {
        this.start().catch(error => this.fail(error instanceof Error ? error : new Error(String(error))));
    }

    onStop(): void {
        this.toDispose.dispose();
    }

    protected async start(): Promise<void> {
        const known = Promise.all([this.workspace.roots, this.preferences.ready]);
        await withTimeLimit(known, STARTUP_WAIT_MS).catch(() => undefined);
        if (this.toDispose.disposed) {
            return;
        }
        const focused = (): void => void this.handleFocus();
        window.addEventListener('focus', focused);
        let sent = this.helloPreferences;
        const tell = (): void => {
            // The event also comes when a value was only loaded.
            if (sent !== this.helloPreferences) {
                sent = this.helloPreferences;
                this.sayHello();
            }
        };
        this.toDispose.pushAll([
            Disposable.create(() => window.removeEventListener('focus', focused)),
            this.backend.onDidOpenConnection(() => this.restart()),
            this.workspace.onWorkspaceChanged(() => this.sayHello()),
            this.preferences.onPreferenceChanged(tell),
            // The event above comes only if the effective value changes, not if the user's changes under a workspace's.
            ...[PreferenceScope.User, PreferenceScope.Workspace, PreferenceScope.Folder].map(
                scope => this.providers(scope)?.onDidPreferencesChanged(tell) ?? Disposable.NULL
            )
        ]);
        if (this.socket) {
            this.toDispose.pushAll([
                this.socket.onSocketDidOpen(() => {
                    this.onDidChangeStateEmitter.fire();
                    setTimeout(() => this.restart(), REOPEN_WAIT_MS);
                }),
                this.socket.onSocketDidClose(() => this.onDidChangeStateEmitter.fire())
            ]);
        }
        this.sayHello();
    }

    /** Says no more than that. What else a hello does is needed only when something changed. */
    protected async handleFocus(): Promise<void> {
        if (!this.state) {
            this.sayHello();
            return;
        }
        try {
            const { state, links } = await withTimeLimit(this.backend.focus(this.state.sequence), FOCUS_WAIT_MS);
            if (state) {
                this.receiveState(state);
            }
            this.onDidFocusEmitter.fire(links);
        } catch {
            // The connection is lost, or the backend does not know this page any more.
            this.sayHello();
        }
    }

    protected restart(): void {
        this.recovering = true;
        this.sayHello();
    }

    /** Says hello with the window as it is now. */
    protected sayHello(): void {
        this.calls.call('hello', {
            make: () => this.backend.hello(this.describeWindow()),
            // Only then does everybody listen who has to know.
            reply: state => void this.appState.reachedState('started_contributions').then(() => this.receiveAnswer(state)),
            failed: error => this.fail(error ?? new Error('The backend does not answer.'))
        });
    }

    protected describeWindow(): WindowSnapshot {
        const { 'companion.review.open': open } = this.preferences;
        return {
            windowId: this.identity.windowId,
            loadId: this.identity.loadId,
            roots: this.workspace
                .tryGetRoots()
                .slice(0, CompanionLimits.roots)
                .map(root => root.resource.toString()),
            enabled: isCompanionEnabled(this.preferenceService),
            focused: document.hasFocus(),
            // Theia (1.74) passes on whatever a settings file has there.
            reviewOpen: open === 'background' || open === 'never' ? open : 'reveal',
            preferences: backendPreferences(this.preferenceService),
            excludes: this.scoped
                .valuesOf(EXCLUDE)
                .flatMap(({ scope, value, root }) => (value === undefined ? [] : [{ scope, value, ...(root !== undefined && { root }) }]))
        };
    }

    /** The preferences that a hello carries, as one text to compare. */
    protected get helloPreferences(): string {
        const { enabled, reviewOpen, preferences, excludes } = this.describeWindow();
        return JSON.stringify({ enabled, reviewOpen, preferences, excludes });
    }

    protected receiveAnswer(state: WindowState): void {
        const isFirst = !this.greeted;
        if (state.windowId !== this.identity.windowId) {
            this.identity.adopt(state.windowId);
            this.state = undefined;
        }
        this.failure = undefined;
        this.receiveState(state);
        this.firstHello.resolve();
        if (isFirst || this.recovering) {
            // Until now the backend refused them, or they were lost.
            this.calls.recover();
        }
        this.onDidHelloEmitter.fire();
        if (this.recovering) {
            this.recovering = false;
            this.onDidRecoverEmitter.fire();
        }
    }

    /**
     * Asks without cookies. With them, Theia would renew the cookie of its connection, connect, and reload the page if `reloadOnReconnect`
     * is set.
     */
    protected async originAnswers(): Promise<boolean> {
        try {
            const options: RequestInit = {
                method: 'HEAD',
                credentials: 'omit',
                cache: 'no-store',
                signal: AbortSignal.timeout(ORIGIN_WAIT_MS)
            };
            return (await fetch(window.location.pathname, options)).ok;
        } catch {
            return false;
        }
    }

    protected fail(error: Error): void {
        this.failure = nls.localize(
            'theia/cli-companion/status/noBackend',
            'The companion in the backend cannot be reached: {0}',
            error.message
        );
        this.onDidChangeStateEmitter.fire();
    }
}
