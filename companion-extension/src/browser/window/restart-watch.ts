// SPDX-License-Identifier: Apache-2.0

import { Disposable } from '@theia/core/lib/common/disposable';

/** What is needed of the socket (socket.io 4) that the page keeps trying to connect. */
export interface ReconnectingSocket {
    on(event: 'connect' | 'connect_error', listener: (error?: unknown) => void): unknown;
    off(event: 'connect' | 'connect_error', listener: (error?: unknown) => void): unknown;
}

export interface RestartWatchOptions {
    socket: ReconnectingSocket;
    /** Whether the page's own origin answers now. */
    originAnswers(): Promise<boolean>;
    /** {@link RestartWatch.refused} is another than before. */
    changed(): void;
}

/** By which Theia 1.74 (engine.io 6) refuses a page that has no cookie of this backend process, with a body that says so as JSON. */
const FORBIDDEN = { status: 403, code: 4 } as const;
/** Attempts in vain while the origin answered: one may fall into the moment in which the backend comes up. */
const ENOUGH_ATTEMPTS = 2;

/**
 * Notices that the backend was restarted. A page of its predecessor has the cookie of another process and is refused until it is
 * loaded again (Theia 1.74), though everything else answers. The page is never reloaded from here: it may hold unsaved text.
 */
export class RestartWatch implements Disposable {
    protected isRefused = false;
    protected attempts = 0;
    protected disposed = false;
    protected readonly onConnect = (): void => this.connected();
    protected readonly onError = (error: unknown): void => void this.failed(error);

    constructor(protected readonly options: RestartWatchOptions) {
        options.socket.on('connect', this.onConnect);
        options.socket.on('connect_error', this.onError);
    }

    /** The backend is there, but does not let this page in. */
    get refused(): boolean {
        return this.isRefused;
    }

    dispose(): void {
        this.disposed = true;
        this.options.socket.off('connect', this.onConnect);
        this.options.socket.off('connect_error', this.onError);
    }

    protected connected(): void {
        this.attempts = 0;
        this.set(false);
    }

    protected async failed(error: unknown): Promise<void> {
        if (isRefusal(error)) {
            this.set(true);
            return;
        }
        // A proxy in between, which may ask for a new login by the same status, or a transport that tells no status.
        const answers = await this.options.originAnswers();
        this.attempts = answers ? this.attempts + 1 : 0;
        if (this.attempts >= ENOUGH_ATTEMPTS) {
            this.set(true);
        }
    }

    protected set(refused: boolean): void {
        if (refused !== this.isRefused && !this.disposed) {
            this.isRefused = refused;
            this.options.changed();
        }
    }
}

/** The polling transport tells the status of the answer as `description`, and the request as `context` (engine.io-client 6). */
function isRefusal(error: unknown): boolean {
    const { description, context } = fields(error);
    if (description !== FORBIDDEN.status) {
        return false;
    }
    try {
        return fields(JSON.parse(String(fields(context).responseText))).code === FORBIDDEN.code;
    } catch {
        return false;
    }
}

function fields(value: unknown): Record<string, unknown> {
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
