// SPDX-License-Identifier: Apache-2.0

import { Disposable } from '@theia/core/lib/common/disposable';
import { Emitter } from '@theia/core/lib/common/event';
import { ILogger } from '@theia/core/lib/common/logger';
import { CompanionBackend } from '../../common/companion-protocol';
import { IdeContext } from '../../common/ide-context';

/** How soon a context is sent again that the backend has refused, or that failed on the way. */
const RETRY_MS = 1_000;

/** Brings the window's newest context to the backend: nothing twice, and again what has failed. */
export class ContextOutbox implements Disposable {
    /** What may be shared with CLIs now. */
    shared: IdeContext = {};
    /** The last snapshot could not be made. */
    protected failing = false;
    /** What the backend was sent last, as JSON; `undefined` if it may not have it. */
    protected sent: string | undefined;
    protected sequence = 0;
    protected retry: ReturnType<typeof setTimeout> | undefined;
    protected readonly onDidSendEmitter = new Emitter<void>();
    /** Fires when the backend has got a new context for the CLIs. */
    readonly onDidSend = this.onDidSendEmitter.event;

    /** @param sendSoon takes a snapshot, and sends it */
    constructor(
        protected readonly backend: Pick<CompanionBackend, 'updateContext'>,
        protected readonly sendSoon: () => void,
        protected readonly logger: Pick<ILogger, 'error'>
    ) {}

    dispose(): void {
        clearTimeout(this.retry);
        this.onDidSendEmitter.dispose();
    }

    /** An application's filter may fail for one path. Then nothing is shared: the CLIs must not keep what they had before. */
    takeSnapshot(snapshot: () => IdeContext): void {
        try {
            this.shared = snapshot();
            this.failing = false;
        } catch (error) {
            this.shared = { workspaceState: { openFiles: [] } };
            if (!this.failing) {
                this.failing = true;
                this.logger.error('No files are shared, because it could not be found out which ones may be', error);
            }
        }
    }

    /** The backend may not have what it was sent last. */
    forget(): void {
        this.sent = undefined;
    }

    /** A context that equals the one before is not sent. */
    send(): void {
        const context = this.shared;
        const text = JSON.stringify(context);
        if (text === this.sent) {
            return;
        }
        this.sent = text;
        // Counting starts at the time, so that snapshots stay in order over a reload.
        this.sequence = Math.max(Date.now(), this.sequence + 1);
        // If the socket loses the snapshot, it is sent again after the next hello.
        this.backend.updateContext({ sequence: this.sequence, context }).then(
            () => this.onDidSendEmitter.fire(),
            () => this.sendAgain()
        );
    }

    /** Also what the user has paused or excluded since must arrive. */
    protected sendAgain(): void {
        this.forget();
        clearTimeout(this.retry);
        this.retry = setTimeout(() => this.sendSoon(), RETRY_MS);
    }
}
