// SPDX-License-Identifier: Apache-2.0

import { ServiceConnectionProvider } from '@theia/core/lib/browser/messaging/service-connection-provider';
import { WebSocketConnectionSource } from '@theia/core/lib/browser/messaging/ws-connection-source';
import { DisposableCollection } from '@theia/core/lib/common/disposable';
import { Emitter, Event } from '@theia/core/lib/common/event';
import { RpcProxy } from '@theia/core/lib/common/messaging';
import { inject, injectable, interfaces } from '@theia/core/shared/inversify';
import { Calls, SystemClock, withTimeLimit } from 'theia-cli-companion/lib/common';
import {
    Answer,
    DaemonStatus,
    PageInfo,
    QwenDaemonBackend,
    QwenDaemonPage,
    qwenDaemonPath,
    SessionEvents
} from '../../common/qwen-daemon-protocol';

/** The page's link to the backend. It must not be made before the user has enabled the daemon: making it opens a channel. */
export interface BackendLink {
    backend: QwenDaemonBackend;
    /** The connection was lost and is back: the backend knows this page no longer. */
    onDidReconnect: Event<void>;
    /** The connection is lost and not back yet: what was asked gets no answer. */
    isClosed(): boolean;
    dispose(): void;
}
export const BackendLinkFactory = Symbol('BackendLinkFactory');
export type BackendLinkFactory = (page: QwenDaemonPage) => BackendLink;

export const PageInfoSource = Symbol('PageInfoSource');
/** What the application and the user say of the workspace. */
export interface PageInfoSource {
    /** No answer while the user is asked. */
    current(): Promise<PageInfo>;
    onDidChange: Event<unknown>;
}

/** In milliseconds. A chat does not wait for ever for a backend that does not answer. Starting a daemon and loading a session take a while. */
const CALL_LIMIT_MS = 120_000;

const NO_ANSWER = "The IDE's backend did not answer in time.";

/**
 * The page's end of the wire: introduces the page, keeps the newest status, and hands out the sessions' events. While it is disabled
 * there is no channel and no call.
 */
@injectable()
export class BackendConnection implements QwenDaemonPage {
    @inject(BackendLinkFactory)
    protected readonly connect: BackendLinkFactory;
    @inject(PageInfoSource)
    protected readonly workspace: PageInfoSource;

    protected readonly callLimit: number = CALL_LIMIT_MS;
    protected link: BackendLink | undefined;
    /** Over the {@link link}. */
    protected calls: Calls;
    protected readonly toDisposeOnDisable = new DisposableCollection();
    /** `undefined` while disabled, and until the backend has answered. */
    status: DaemonStatus | undefined;
    /** Ends when the backend knows the page, which is not before it is known whether the workspace is trusted; a failure shows with the next call. */
    ready: Promise<void> = Promise.resolve();
    /** What the backend knows of this page. */
    protected told: PageInfo | undefined;

    protected readonly onDidChangeStatusEmitter = new Emitter<void>();
    /** Also fires when the connection was enabled or disabled. */
    readonly onDidChangeStatus = this.onDidChangeStatusEmitter.event;
    protected readonly onDidReceiveEventsEmitter = new Emitter<SessionEvents>();
    readonly onDidReceiveEvents = this.onDidReceiveEventsEmitter.event;
    protected readonly onDidReconnectEmitter = new Emitter<void>();
    /** The page said hello again: sessions must be opened again. */
    readonly onDidReconnect = this.onDidReconnectEmitter.event;

    get enabled(): boolean {
        return this.link !== undefined;
    }

    enable(): void {
        if (this.link) {
            return;
        }
        const link = this.connect(this);
        this.link = link;
        this.calls = new Calls(new SystemClock(), () => !link.isClosed());
        this.toDisposeOnDisable.pushAll([
            link,
            link.onDidReconnect(() => {
                // After a restart of the backend, the numbers of the status begin again.
                this.status = undefined;
                void this.hello().then(() => this.recover(link));
            }),
            this.workspace.onDidChange(() => void this.followWorkspace())
        ]);
        void this.hello();
    }

    disable(): void {
        if (!this.link) {
            return;
        }
        this.link = undefined;
        this.status = undefined;
        this.toDisposeOnDisable.dispose();
        this.onDidChangeStatusEmitter.fire();
    }

    protected hello(): Promise<void> {
        const link = this.link;
        this.ready = link ? this.greet(link).catch(() => undefined) : Promise.resolve();
        return this.ready;
    }

    protected async greet(link: BackendLink): Promise<void> {
        const info = await this.workspace.current();
        if (this.link === link) {
            this.told = info;
            const status = await this.limited(link.backend.hello(info));
            if (this.link === link) {
                this.notifyStatus(status);
            }
        }
    }

    /** The roots or the trust may have changed. If the backend has left the sessions, they are opened again, or say why not. */
    async followWorkspace(): Promise<void> {
        const { link, told } = this;
        await this.hello();
        const hasLeft = told?.roots[0] !== this.told?.roots[0] || told?.trust !== this.told?.trust;
        if (link && hasLeft) {
            this.recover(link);
        }
    }

    /** The backend knows the page again, but none of its sessions, and may not have got what was asked. */
    protected recover(link: BackendLink): void {
        if (this.link === link) {
            this.onDidReconnectEmitter.fire();
            this.calls.recover();
        }
    }

    async connectNow(): Promise<void> {
        const link = this.link;
        if (link) {
            await this.ready;
            this.notifyStatus(await this.limited(link.backend.connect()));
        }
    }

    /**
     * Calls the backend as soon as it knows the page, and again after a lost connection: every call may be made twice. A failure on the way
     * comes back as a problem, which the caller shows in the chat.
     */
    async call<T>(ask: (backend: QwenDaemonBackend) => Promise<Answer<T>>): Promise<Answer<T>> {
        const { link, calls } = this;
        if (!link) {
            return { ok: false, problem: { code: 'off' } };
        }
        await this.ready;
        return calls.ask(() => ask(link.backend), this.callLimit, NO_ANSWER).catch(failed);
    }

    notifyStatus(status: DaemonStatus): void {
        if (this.link && (!this.status || status.sequence >= this.status.sequence)) {
            this.status = status;
            this.onDidChangeStatusEmitter.fire();
        }
    }

    notifyEvents(events: SessionEvents): void {
        if (this.link) {
            this.onDidReceiveEventsEmitter.fire(events);
        }
    }

    protected limited<T>(promise: Promise<T>): Promise<T> {
        return withTimeLimit(promise, this.callLimit, NO_ANSWER);
    }
}

function failed(error: unknown): Answer<never> {
    return { ok: false, problem: { code: 'failed', cause: error instanceof Error ? error.message : String(error) } };
}

/** Makes the channel to the backend with the first link. Theia cannot take a channel back, so later links use the same one. */
export function createBackendLinkFactory(container: interfaces.Container): BackendLinkFactory {
    let proxy: RpcProxy<QwenDaemonBackend> | undefined;
    return page => {
        const backend = (proxy ??= ServiceConnectionProvider.createProxy<QwenDaemonBackend>(container, qwenDaemonPath, page));
        const onDidReconnectEmitter = new Emitter<void>();
        const toDispose = new DisposableCollection(onDidReconnectEmitter);
        let closed = false;
        toDispose.push(backend.onDidCloseConnection(() => (closed = true)));
        toDispose.push(
            // The first opening is not a reconnect.
            backend.onDidOpenConnection(() => {
                if (closed) {
                    closed = false;
                    onDidReconnectEmitter.fire();
                }
            })
        );
        if (container.isBound(WebSocketConnectionSource)) {
            // With a connection that outlives the socket nothing closes, but what was sent meanwhile may be lost.
            toDispose.push(container.get(WebSocketConnectionSource).onSocketDidOpen(() => !closed && onDidReconnectEmitter.fire()));
        }
        return { backend, onDidReconnect: onDidReconnectEmitter.event, isClosed: () => closed, dispose: () => toDispose.dispose() };
    };
}
