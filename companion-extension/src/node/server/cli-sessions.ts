// SPDX-License-Identifier: Apache-2.0

import { Emitter } from '@theia/core/lib/common/event';
import { isSameProcess } from '../host/process-table';
import { CliSession } from './cli-session';

/** The sessions of one window's CLIs, whatever they speak. */
export class CliSessions {
    /** Settles when no process is looked for any more whose session has asked for its stream by now. */
    identified: Promise<unknown> = Promise.resolve();

    protected readonly joined = new Set<CliSession>();
    protected readonly onDidJoinEmitter = new Emitter<CliSession>();
    /** Fires before {@link onDidChangeSession}. */
    readonly onDidJoin = this.onDidJoinEmitter.event;
    protected readonly onWillPublishEmitter = new Emitter<readonly string[]>();
    /** Fires with the real paths of the roots by which CLIs are to find the server. */
    readonly onWillPublish = this.onWillPublishEmitter.event;
    protected readonly onDidChangeSessionEmitter = new Emitter<CliSession>();
    /** A session began, changed its state or closed, or its process was found. */
    readonly onDidChangeSession = this.onDidChangeSessionEmitter.event;

    all(): readonly CliSession[] {
        return [...this.joined];
    }

    /** A session counts until it is closed. */
    join(session: CliSession): void {
        this.joined.add(session);
        session.onDidChangeState(state => {
            if (state === 'closed') {
                this.joined.delete(session);
            }
            this.onDidChangeSessionEmitter.fire(session);
        });
        this.onDidJoinEmitter.fire(session);
        this.onDidChangeSessionEmitter.fire(session);
    }

    /** @param roots absolute real paths */
    willPublish(roots: readonly string[]): void {
        this.onWillPublishEmitter.fire(roots);
    }

    /** The process of a session is looked for. @param looking resolves with whether it was found */
    identify(session: CliSession, looking: Promise<boolean>): void {
        const identified = looking.then(found => {
            if (found && session.state !== 'closed') {
                this.onDidChangeSessionEmitter.fire(session);
            }
        });
        this.identified = this.identified.then(() => identified);
    }

    /** A session that can take over from one whose stream is gone: another one of the same process. */
    successorOf(session: CliSession): CliSession | undefined {
        return this.all().find(other => other !== session && other.state === 'streaming' && isSameProcess(other, session));
    }

    async close(): Promise<void> {
        await Promise.all(this.all().map(session => session.close()));
        [this.onDidJoinEmitter, this.onWillPublishEmitter, this.onDidChangeSessionEmitter].forEach(emitter => emitter.dispose());
    }
}
