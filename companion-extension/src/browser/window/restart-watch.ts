// SPDX-License-Identifier: Apache-2.0

import { Disposable } from '@theia/core/lib/common/disposable';
import { nls } from '@theia/core/lib/common/nls';

/** The socket (socket.io 4) that the page keeps trying to connect, as far as it is needed here. */
interface ReconnectingSocket {
    readonly connected: boolean;
    on(event: 'connect' | 'connect_error', listener: () => void): unknown;
    off(event: 'connect' | 'connect_error', listener: () => void): unknown;
}

interface RestartWatchOptions {
    socket: ReconnectingSocket;
    /** True if the page's own origin answers. */
    originAnswers(): Promise<boolean>;
    /** {@link RestartWatch.refused} has changed. */
    handleChange(): void;
}

/** Failed attempts while the origin answered. A single one may fall into the moment in which the backend starts. */
const ENOUGH_ATTEMPTS = 2;

/**
 * Notices that the backend was restarted. A page of the backend before has the cookie of another process. Theia 1.74 refuses that page
 * until it is loaded again, although everything else answers. Nothing here reloads the page: it may hold unsaved text.
 */
export class RestartWatch implements Disposable {
    /** The backend is there, but does not let this page in. */
    refused = false;
    protected attempts = 0;
    protected disposed = false;
    protected readonly onConnect = (): void => this.handleConnected();
    protected readonly onError = (): void => void this.handleFailed();

    constructor(protected readonly options: RestartWatchOptions) {
        options.socket.on('connect', this.onConnect);
        options.socket.on('connect_error', this.onError);
    }

    dispose(): void {
        this.disposed = true;
        this.options.socket.off('connect', this.onConnect);
        this.options.socket.off('connect_error', this.onError);
    }

    protected handleConnected(): void {
        this.attempts = 0;
        this.set(false);
    }

    /** A page whose socket is refused gets other answers all the same. */
    protected async handleFailed(): Promise<void> {
        const { originAnswers, socket } = this.options;
        const answers = await originAnswers();
        // A proxy may hold the question back until the socket is connected, too.
        this.attempts = answers && !socket.connected ? this.attempts + 1 : 0;
        if (this.attempts >= ENOUGH_ATTEMPTS) {
            this.set(true);
        }
    }

    protected set(refused: boolean): void {
        if (refused !== this.refused && !this.disposed) {
            this.refused = refused;
            this.options.handleChange();
        }
    }
}

export function reloadReason(): string {
    return nls.localize(
        'theia/cli-companion/status/reloadReason',
        "The IDE's backend was restarted. Save or copy unsaved work, then reload this page to reconnect."
    );
}
