// SPDX-License-Identifier: Apache-2.0

import { randomUUID } from 'crypto';
import { pathToFileURL } from 'url';
import { BasicChannel, ChannelMultiplexer } from '@theia/core/lib/common/message-rpc/channel';
import { Uint8ArrayReadBuffer, Uint8ArrayWriteBuffer } from '@theia/core/lib/common/message-rpc/uint8-array-message-buffer';
import { ConnectionManagementMessages } from '@theia/core/lib/common/messaging/connection-management';
import { servicesPath } from '@theia/core/lib/common/messaging/handler';
import { RpcProxyFactory } from '@theia/core/lib/common/messaging/proxy-factory';
import { io, Socket } from 'socket.io-client';
import { IdeFixture } from './ide-fixture';

const COMPANION_PATH = '/services/companion';

/** What the backend says of a window, as far as it is looked at here. */
interface State {
    readonly reviews: unknown[];
}

interface Backend {
    hello(window: object): Promise<State>;
}

/**
 * A window of the IDE without a browser: it speaks to the real backend over Theia's own messaging as a page does, and shows nothing. Fifty of
 * them fit where two pages do.
 */
export class RpcWindow {
    /** What the backend said last. */
    state: State | undefined;
    /** Bytes that came from the backend. */
    received = 0;
    private readonly windowId = randomUUID();
    private readonly loadId = randomUUID();
    private backend: Backend;

    private constructor(
        private readonly socket: Socket,
        private readonly workspace: string
    ) {}

    /** Connects, as a page does that loads. {@link hello} has to follow. */
    static async connect(ide: IdeFixture): Promise<RpcWindow> {
        // The backend lets nobody in who has not loaded its page.
        const cookie = (await fetch(ide.url, { method: 'HEAD' })).headers.getSetCookie()[0].split(';')[0];
        const socket = io(ide.url + servicesPath, { path: '/socket.io', extraHeaders: { Cookie: cookie }, forceNew: true });
        const window = new RpcWindow(socket, ide.workspace);
        await new Promise<void>((resolve, reject) => {
            socket.once('connect_error', reject);
            socket.once(ConnectionManagementMessages.INITIAL_CONNECT, resolve);
            socket.once('connect', () => socket.emit(ConnectionManagementMessages.INITIAL_CONNECT, window.loadId));
        });
        await window.openChannel();
        return window;
    }

    /** Says who it is, as a page does at its start and with each focus. */
    async hello(): Promise<void> {
        const { windowId, loadId } = this;
        const roots = [pathToFileURL(this.workspace).toString()];
        const preferences = {};
        this.state = await this.backend.hello({
            windowId,
            loadId,
            roots,
            enabled: true,
            focused: false,
            reviewOpen: 'reveal',
            preferences
        });
    }

    /** Reviews that wait, in this window or another one. */
    get waiting(): number {
        return this.state?.reviews.length ?? 0;
    }

    close(): void {
        this.socket.disconnect();
    }

    private async openChannel(): Promise<void> {
        const channel = new BasicChannel(() => {
            const buffer = new Uint8ArrayWriteBuffer();
            buffer.onCommit(message => this.socket.send(message));
            return buffer;
        });
        this.socket.on('message', (data: Uint8Array) => {
            this.received += data.length;
            channel.onMessageEmitter.fire(() => new Uint8ArrayReadBuffer(data));
        });
        const factory = new RpcProxyFactory<Backend>(this.page());
        factory.listen(await new ChannelMultiplexer(channel).open(COMPANION_PATH));
        this.backend = factory.createProxy();
    }

    /** What the backend calls. */
    private page(): object {
        return {
            ping: async () => this.loadId,
            showReview: async () => ({ shown: true }),
            readDiagnostics: async () => [],
            closeReview: async () => undefined,
            notifyState: (state: State) => (this.state = state)
        };
    }
}
