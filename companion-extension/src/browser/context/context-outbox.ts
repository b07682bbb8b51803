// SPDX-License-Identifier: Apache-2.0

import { Disposable } from '@theia/core/lib/common/disposable';
import { Emitter } from '@theia/core/lib/common/event';
import { ILogger } from '@theia/core/lib/common/logger';
import { IdeContext } from '../../common/companion-protocol';
import { ContextBackend } from '../../common/context-protocol';
import { Calls } from '../../common/calls';

const CALL = 'context';

/** Brings the window's newest context to the backend: nothing twice, and again what has failed. */
export class ContextOutbox implements Disposable {
    /** The context that may be shared with CLIs now. */
    shared: IdeContext = {};
    /** The last snapshot could not be made. */
    protected failing = false;
    /** The context that was sent last, as JSON; `undefined` if the backend may not have it. */
    protected sent: string | undefined;
    protected sequence = 0;
    protected readonly onDidSendEmitter = new Emitter<void>();
    /** Fires when the backend has got a new context for the CLIs. */
    readonly onDidSend = this.onDidSendEmitter.event;

    constructor(
        protected readonly calls: Calls,
        protected readonly backend: Pick<ContextBackend, 'updateContext'>,
        protected readonly logger: Pick<ILogger, 'error'>
    ) {}

    dispose(): void {
        this.calls.drop(CALL);
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
        if (JSON.stringify(this.shared) !== this.sent) {
            this.calls.call(CALL, {
                make: () => this.sendNewest(),
                reply: () => this.onDidSendEmitter.fire(),
                failed: () => this.forget()
            });
        }
    }

    /** Sends what may be shared by then: the user may have paused or excluded something since the call was made first. */
    protected sendNewest(): Promise<void> {
        this.sent = JSON.stringify(this.shared);
        // Counting starts at the time, so that snapshots stay in order over a reload.
        this.sequence = Math.max(Date.now(), this.sequence + 1);
        return this.backend.updateContext({ sequence: this.sequence, context: this.shared });
    }
}
