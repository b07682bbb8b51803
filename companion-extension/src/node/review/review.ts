// SPDX-License-Identifier: Apache-2.0

import { randomUUID } from 'crypto';
import { KeptReason } from '../../common/companion-protocol';
import { PROPOSAL, Revision, RevisionRange } from '../../common/revision';
import { PeerProcess } from '../host/process-table';
import { ReviewOutcome } from '../server/cli-session';
import { FileBefore } from './file-texts';

/** The session that asked for a review: its outcome goes there and nowhere else. */
export interface ReviewOwner {
    readonly id: string;
    readonly cliId: string;
    /** The CLI's process, once it is found. */
    readonly peer?: PeerProcess;
    /** The CLI has not responded for a while. */
    readonly gone: boolean;
    /** @returns false if it can never be delivered */
    notify(outcome: ReviewOutcome): boolean;
}

/** The file under review, as found when the review was opened. */
export interface ReviewFile {
    /** Absolute path for people and for reading. The CLI's own string stays in {@link Review.filePath}. */
    readonly path: string;
    /** Where it leads, links resolved. */
    readonly realPath: string;
    /** When it had been written last, in milliseconds since the epoch; absent for a new file. */
    readonly modifiedAt?: number;
}

/** Whose review it is: it belongs to this window, and to those with the same roots. */
export interface ReviewPlace {
    readonly windowId: string;
    /** Real paths of the window's roots. */
    readonly roots: readonly string[];
}

export function placeIn({ id, roots }: { readonly id: string; readonly roots: readonly string[] }): ReviewPlace {
    return { windowId: id, roots };
}

/**
 * The first answer wins. `closing`: the CLI closes the diff, because its user answered in the terminal or because it ends, and the page is
 * asked for the last text. `replaced`: by the CLI's next proposal for the file. `orphaned`: no session is left to notify.
 */
export type ReviewState = 'waiting' | 'closing' | 'accepted' | 'rejected' | 'closed' | 'replaced' | 'orphaned';

export interface ReviewQuestion {
    /** `undefined` if it is no longer known who asked. */
    readonly owner: ReviewOwner | undefined;
    /** Exactly as received: the CLIs find the outcome by this string (Qwen Code 0.24 sends the model's own spelling). */
    readonly filePath: string;
    readonly proposal: string;
    readonly file: ReviewFile;
    readonly place: ReviewPlace;
}

/** One `openDiff`, and after its end what late answers and texts need. Knows neither page nor transport. */
export class Review implements ReviewQuestion {
    state: ReviewState = 'waiting';
    owner: ReviewOwner | undefined;
    /** Of the CLI that asked; empty if that is no longer known. Its session may be gone. */
    readonly cliId: string;
    /** The CLI's name for people, once the review has ended: its session may be gone. */
    cliName: string | undefined;
    readonly openedAt = Date.now();
    /** The CLI closed the diff because its user answered in the terminal. */
    answeredInTerminal = false;
    /** A page had it on its screen. */
    wasShown = false;
    /** The load of the page that answered. */
    answeredBy: string | undefined;
    /** The user's own version of the proposal; `undefined` if there is none. */
    text: string | undefined;
    /** The revision of {@link text}, or of the proposal. */
    revision = PROPOSAL;
    /** When the last key of {@link text} was pressed; as the backend's clock counts. */
    typedAt = -Infinity;
    /** The file before its CLI may write it. */
    before: FileBefore | undefined;
    /** The encoding of the file for the page that answered or typed last, as Theia calls it. */
    encoding: string | undefined;
    readonly filePath: string;
    proposal: string;
    readonly file: ReviewFile;
    readonly place: ReviewPlace;
    /** The newest revision of each load of a page that came, or that another one continues. Whatever is not newer is a repetition. */
    protected readonly known = new Map<string, number>();

    constructor(
        { owner, filePath, proposal, file, place }: ReviewQuestion,
        readonly id: string = randomUUID()
    ) {
        this.owner = owner;
        this.cliId = owner?.cliId ?? '';
        this.filePath = filePath;
        this.proposal = proposal;
        this.file = file;
        this.place = place;
    }

    get isWaiting(): boolean {
        return this.state === 'waiting';
    }

    /** However: what comes now comes late. */
    get hasEnded(): boolean {
        return this.state !== 'waiting' && this.state !== 'closing';
    }

    /** The right side: what the user made of the proposal, or the proposal byte for byte. */
    get shown(): string {
        return this.text ?? this.proposal;
    }

    /** Characters that it keeps in memory. */
    get size(): number {
        return this.proposal.length + (this.text?.length ?? 0);
    }

    /** Why its text is kept, once it has ended and no CLI takes that. */
    get keptReason(): KeptReason {
        switch (this.state) {
            case 'accepted':
                // Who accepts on a slow line may type on.
                return this.answeredBy === this.revision.page ? 'late' : 'elsewhere';
            case 'rejected':
                return 'rejected';
            case 'replaced':
                return 'replaced';
            case 'closed':
                return this.answeredInTerminal ? 'terminal' : 'ended';
            default:
                return 'ended';
        }
    }

    isKnown({ page, n }: Revision): boolean {
        return n <= (this.known.get(page) ?? 0);
    }

    /** @param base what the revision was typed on */
    markKnown(base: readonly RevisionRange[], { page, n }: Revision): void {
        for (const range of [...base, { page, to: n }]) {
            this.known.set(range.page, Math.max(range.to, this.known.get(range.page) ?? 0));
        }
    }

    /** Lets go of the texts. */
    release(): void {
        this.proposal = '';
        this.text = undefined;
        this.before = undefined;
    }
}
