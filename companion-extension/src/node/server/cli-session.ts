// SPDX-License-Identifier: Apache-2.0

import { Event } from '@theia/core/lib/common/event';
import { FileDiagnostics, IdeContext, Mention } from '../../common/companion-protocol';
import { PeerProcess } from '../host/process-table';

export interface ToldToSession {
    readonly context: IdeContext;
    /** In milliseconds since the epoch. */
    readonly at: number;
}

export type CliSessionState = 'initialised' | 'streaming' | 'lost' | 'gone' | 'closed';

/** The user's decision on a diff, as the CLI is notified of it. */
export type ReviewOutcome = (
    | { readonly method: 'ide/diffAccepted'; readonly params: { readonly filePath: string; readonly content: string } }
    | { readonly method: 'ide/diffRejected'; readonly params: { readonly filePath: string } }
) & {
    /** Stays in the backend: the protocol knows only paths. */
    readonly reviewId: string;
};

/** A notification for a session's CLI, in whichever protocol. */
export type CompanionNotification = { readonly method: 'ide/contextUpdate'; readonly params: IdeContext } | ReviewOutcome;

/** One session of one CLI, whatever it speaks. */
export interface CliSession {
    readonly id: string;
    readonly cliId: string;
    /** In milliseconds since the epoch. */
    readonly since: number;
    /** The CLI's process, once it is found. */
    readonly peer: PeerProcess | undefined;
    /** The CLI has not responded for a while. */
    readonly gone: boolean;
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

/** The window that a session's CLI runs in, as far as the session needs it. */
export interface SessionWindow {
    readonly reviewsOffered: boolean;
    readonly diffs: SessionDiffs;
    /** From now on the session counts as one of the window's, and learns its context. */
    join(session: CliSession): void;
    /** Never rejects, and ends soon. */
    diagnostics(uri: string | undefined): Promise<readonly FileDiagnostics[]>;
}

/** The diffs that the sessions of one window ask for. */
export interface SessionDiffs {
    /** @returns why the diff cannot be shown, or `undefined` if it is shown or will be when a page comes */
    open(session: CliSession, filePath: string, newContent: string, onDidOpen?: (reviewId: string) => void): Promise<string | undefined>;
    /**
     * @param answered the user answered in the terminal
     * @returns the right side's text as the user left it, or `undefined` if this session has no such diff
     */
    close(session: CliSession, filePath: string, answered: boolean): Promise<string | undefined>;
    /** Whether one of the session's waits for the user. */
    isOpenFor(session: CliSession): boolean;
}
