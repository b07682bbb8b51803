// SPDX-License-Identifier: Apache-2.0

import { randomUUID } from 'crypto';
import { PROPOSAL_VERSION, ReviewEdit, TextVersion } from '../../common/companion-protocol';
import { PeerProcess } from '../host/process-table';

/** What the user decided, as the CLI is notified of it. */
export type ReviewOutcome =
    | { readonly method: 'ide/diffAccepted'; readonly params: { readonly filePath: string; readonly content: string } }
    | { readonly method: 'ide/diffRejected'; readonly params: { readonly filePath: string } };

/** The session that asked for a review: its outcome goes there and nowhere else. */
export interface ReviewOwner {
    readonly id: string;
    readonly cliId: string;
    /** The CLI's process, once it is found. */
    readonly peer?: PeerProcess;
    /** The CLI has not responded for a while. */
    readonly gone: boolean;
    notify(outcome: ReviewOutcome): void;
}

/** Whether it is the same session, or another one of the same process: after `/ide enable` a CLI has a new session beside the old one. */
export function isSameProcess(one: ReviewOwner, other: ReviewOwner): boolean {
    return (
        one === other ||
        (one.cliId === other.cliId &&
            one.peer !== undefined &&
            one.peer.pid === other.peer?.pid &&
            one.peer.startTime === other.peer.startTime)
    );
}

/** The file under review, as found when the review was opened. */
export interface ReviewFile {
    /** Absolute path for people and for reading. The CLI's own string stays in {@link Review.filePath}. */
    readonly path: string;
    readonly outsideWorkspace: boolean;
    /** When it had been written last, in milliseconds since the epoch; absent for a new file. */
    readonly modifiedAt?: number;
}

/** `pending → accepted | rejected | closed | orphaned`; the first answer wins. */
export type ReviewState = 'pending' | 'accepted' | 'rejected' | 'closed' | 'orphaned';

/** One `openDiff` with its state. Knows neither page nor transport. */
export class Review {
    readonly id = randomUUID();
    readonly openedAt = Date.now();

    protected currentState: ReviewState = 'pending';
    protected editedText: string | undefined;
    protected currentVersion: TextVersion = PROPOSAL_VERSION;

    constructor(
        protected currentOwner: ReviewOwner,
        /** Exactly as received: the CLIs find the outcome by this string (Qwen Code 0.24 sends the model's own spelling). */
        readonly filePath: string,
        readonly proposal: string,
        readonly file: ReviewFile
    ) {}

    get state(): ReviewState {
        return this.currentState;
    }

    /** The session that the outcome goes to. */
    get owner(): ReviewOwner {
        return this.currentOwner;
    }

    /** Another session of the same process takes over. */
    handOverTo(successor: ReviewOwner): void {
        this.currentOwner = successor;
    }

    /** The right side: the user's version of the proposal, or the proposal byte for byte. */
    get text(): string {
        return this.editedText ?? this.proposal;
    }

    get edited(): boolean {
        return this.editedText !== undefined;
    }

    /** Who wrote {@link text}, and which edit it is. */
    get version(): TextVersion {
        return this.currentVersion;
    }

    isAt({ writer, revision }: TextVersion): boolean {
        return writer === this.currentVersion.writer && revision === this.currentVersion.revision;
    }

    /** Characters that it keeps in memory. */
    get size(): number {
        return this.proposal.length + (this.editedText?.length ?? 0);
    }

    /**
     * @param writer the load of the page: each counts from a beginning of its own
     * @returns false if the review is decided, or the writer did not see what another one has written since
     */
    edit(writer: string, { revision, text, base }: ReviewEdit): boolean {
        const { currentVersion } = this;
        const own = writer === currentVersion.writer;
        const seen = own || this.isAt(base);
        if (this.currentState !== 'pending' || !seen) {
            return false;
        }
        // One that arrives late is superseded.
        if (!own || revision > currentVersion.revision) {
            this.currentVersion = { writer, revision };
            this.editedText = text;
        }
        return true;
    }

    /** @returns whether this answer came first; exactly one outcome leaves for each review */
    settle(state: Exclude<ReviewState, 'pending'>): boolean {
        if (this.currentState !== 'pending') {
            return false;
        }
        this.currentState = state;
        return true;
    }
}
