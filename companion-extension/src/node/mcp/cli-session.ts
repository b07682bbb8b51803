// SPDX-License-Identifier: Apache-2.0

import { Event } from '@theia/core/lib/common/event';
import { IdeContext, Mention } from '../../common/companion-protocol';
import { PeerProcess } from '../host/process-table';
import { ReviewOutcome, ReviewOwner } from '../review/review';

export interface ToldToSession {
    readonly context: IdeContext;
    /** In milliseconds since the epoch. */
    readonly at: number;
}

export type CliSessionState = 'initialised' | 'streaming' | 'lost' | 'gone' | 'closed';

/** A notification for a session's CLI, in whichever protocol. */
export type CompanionNotification = { readonly method: 'ide/contextUpdate'; readonly params: IdeContext } | ReviewOutcome;

/** One session of one CLI, whatever it speaks. */
export interface CliSession extends ReviewOwner {
    /** In milliseconds since the epoch. */
    readonly since: number;
    readonly peer: PeerProcess | undefined;
    readonly state: CliSessionState;
    /** Whether its CLI calls itself disconnected although it has its stream: see `DisconnectedClis`. */
    gaveUp: boolean;
    /** The newest context that its client was sent. */
    readonly told: ToldToSession | undefined;
    readonly onDidChangeState: Event<CliSessionState>;
    /** @returns false if it can never be delivered */
    notify(notification: CompanionNotification): boolean;
    /** Puts mentions of files into the CLI's prompt, where its protocol can: all or none. @returns whether it did */
    mention?(mentions: readonly Mention[]): boolean;
    /** Drops the outcomes of earlier diffs of this file that have not reached the CLI yet. */
    forgetOutcomes(filePath: string): void;
    /** The outcomes that are not known to have arrived, taken out. */
    takeUndelivered(): ReviewOutcome[];
    close(): Promise<void>;
}
