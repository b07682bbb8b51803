// SPDX-License-Identifier: Apache-2.0

import { createHash, randomUUID } from 'crypto';
import { WRITE_TIME } from '../../common/companion-limits';
import { Draft, DraftRef } from '../../common/companion-protocol';
import { PeerProcess } from '../host/process-table';

/** What the user decided, as the CLI is notified of it. */
export type ReviewOutcome = (
    | { readonly method: 'ide/diffAccepted'; readonly params: { readonly filePath: string; readonly content: string } }
    | { readonly method: 'ide/diffRejected'; readonly params: { readonly filePath: string } }
) & {
    /** Stays in the backend: the protocol knows only paths. */
    readonly reviewId: string;
};

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

/** A text to compare others with, also after it is let go. Line endings and a byte order mark do not count: editors and formatters change them. */
export class TextMark {
    protected digest: string | undefined;

    constructor(protected text: string | undefined) {}

    is(other: TextMark): boolean {
        return this === other || this.value === other.value;
    }

    /** Lets go of the text. Ten megabytes take 13 ms, so this is not done while a CLI waits. */
    release(): void {
        this.digest = this.value;
        this.text = undefined;
    }

    protected get value(): string {
        if (this.digest === undefined) {
            const plain = (this.text ?? '').replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
            this.digest = createHash('sha256').update(plain).digest('base64');
        }
        return this.digest;
    }
}

/** What is known of files that proposals are about. */
export interface FileLooks {
    /** Looks at the file. @returns `undefined` if its content cannot be found out. Never rejects. */
    look(file: string): Promise<TextMark | undefined>;
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

/**
 * The first answer wins. `closing`: the CLI closes the diff, because its user answered in the terminal or because it ends, and the page is
 * asked for the last text. `replaced`: by the CLI's next proposal for the file. `orphaned`: no session is left to notify.
 */
export type ReviewState = 'waiting' | 'closing' | 'accepted' | 'rejected' | 'closed' | 'replaced' | 'orphaned';

/** A draft that needs something yet, and that no other draft continues. */
export interface OpenDraft extends DraftRef {
    readonly text: string;
    readonly mark: TextMark;
    /** When its text came, in milliseconds since the epoch. */
    readonly at: number;
    /** When a page first listed it, in milliseconds since the epoch. */
    listedAt?: number;
}

/**
 * What becomes of a draft. It is stored nowhere: it follows from the review, the file and the time.
 *
 * - `open`: the review waits
 * - `due`: the CLI may still write it
 * - `offered`: a message says that it is kept
 * - `listed`: the file has become a third text, as by a formatter or a checkout: the list has the draft, without a message
 * - `settled`: it is no longer needed
 */
export type DraftFate = 'open' | 'due' | 'offered' | 'listed' | 'settled';

/** How long a draft stays that is neither applied nor discarded, after a page first listed it, in milliseconds: 14 days. */
export const KEPT_TIME = 14 * 24 * 3_600_000;

/** How many settled drafts are remembered. A page may send one of them again days later. */
const REMEMBERED = 1_000;

/**
 * Of each draft the last revision that is settled: the file has it, somebody discarded it, or another draft continues it. A
 * revision up to that one is nothing new, a later one is a new text.
 */
export class SettledDrafts {
    protected readonly revisions = new Map<string, number>();

    /** 0 if none is settled. */
    revisionOf(id: string): number {
        return this.revisions.get(id) ?? 0;
    }

    add({ id, revision }: DraftRef): void {
        const newest = Math.max(revision, this.revisionOf(id));
        this.revisions.delete(id);
        this.revisions.set(id, newest);
        const [oldest] = this.revisions.keys();
        if (this.revisions.size > REMEMBERED) {
            this.revisions.delete(oldest);
        }
    }

    /** The oldest first. */
    get all(): DraftRef[] {
        return [...this.revisions].map(([id, revision]) => ({ id, revision }));
    }
}

export interface ReviewQuestion {
    /** `undefined` if it is no longer known who asked. */
    readonly owner: ReviewOwner | undefined;
    /** Exactly as received: the CLIs find the outcome by this string (Qwen Code 0.24 sends the model's own spelling). */
    readonly filePath: string;
    readonly proposal: string;
    readonly file: ReviewFile;
    readonly place: ReviewPlace;
}

/** One `openDiff`, from the question until the user no longer needs anything of it. Knows neither page nor transport. */
export class Review implements ReviewQuestion {
    state: ReviewState = 'waiting';
    owner: ReviewOwner | undefined;
    /** The CLI's name for people, once the review has ended: its session may be gone. */
    cliName: string | undefined;
    /** The window whose user moved it there, if that is not the one that serves the CLI. */
    shownIn: string | undefined;
    readonly openedAt = Date.now();
    /** In milliseconds since the epoch; 0 while it waits. */
    endedAt = 0;
    /** The CLI closed the diff because its user answered in the terminal. */
    answeredInTerminal = false;
    /** The load of the page that answered. */
    answeredBy: string | undefined;
    /** What the CLI may still write; `undefined` if it will not write. */
    told: TextMark | undefined;
    /** The file when the review had ended; `undefined` if that is not known. */
    fileThen: TextMark | undefined;
    readonly filePath: string;
    readonly file: ReviewFile;
    readonly place: ReviewPlace;
    readonly proposalMark: TextMark;

    protected proposed: string;
    /** Those that need something yet, the newest last. */
    protected readonly open = new Map<string, OpenDraft>();

    constructor(
        question: ReviewQuestion,
        protected readonly settled: SettledDrafts,
        readonly id: string = randomUUID()
    ) {
        this.owner = question.owner;
        this.filePath = question.filePath;
        this.proposed = question.proposal;
        this.file = question.file;
        this.place = question.place;
        this.proposalMark = new TextMark(question.proposal);
    }

    /** Empty once it is {@link release released}. */
    get proposal(): string {
        return this.proposed;
    }

    get isWaiting(): boolean {
        return this.state === 'waiting';
    }

    get drafts(): readonly OpenDraft[] {
        return [...this.open.values()];
    }

    get newest(): OpenDraft | undefined {
        return this.drafts.at(-1);
    }

    /** The right side: the newest draft, or the proposal byte for byte. */
    get text(): string {
        return this.newest?.text ?? this.proposal;
    }

    /** The newest last. Those before it were typed on other pages, neither knowing of the other. */
    get draftRefs(): DraftRef[] {
        return this.drafts.map(({ id, revision }) => ({ id, revision }));
    }

    /** Characters that it keeps in memory. */
    get size(): number {
        return this.drafts.reduce((sum, { text }) => sum + text.length, this.proposal.length);
    }

    /** However the review ended. Repetitions, and revisions that come late, change nothing. */
    take({ id, revision, text, from }: Draft, now: number): void {
        if (from) {
            this.settle(from);
        }
        if (text === undefined) {
            // Every edit was taken back.
            this.settle({ id, revision });
        } else if (revision > this.settled.revisionOf(id) && revision > (this.open.get(id)?.revision ?? 0)) {
            this.open.delete(id);
            // It came after the end, also within the same millisecond.
            const at = this.endedAt > 0 ? Math.max(now, this.endedAt + 1) : now;
            this.open.set(id, { id, revision, text, mark: new TextMark(text), at });
        }
    }

    /** This revision and those before it are settled. A later one is a new text. */
    settle({ id, revision }: DraftRef): void {
        this.settled.add({ id, revision });
        const draft = this.open.get(id);
        if (draft && draft.revision <= revision) {
            this.open.delete(id);
        }
    }

    /** @param file what it has now; `undefined` if that is not known */
    fateOf(draft: OpenDraft, file: TextMark | undefined, now: number): DraftFate {
        if (this.state === 'waiting' || this.state === 'closing') {
            return 'open';
        }
        if (draft.text === '' || draft.mark.is(this.proposalMark) || file?.is(draft.mark)) {
            return 'settled';
        }
        if (!this.told?.is(draft.mark) || file?.is(this.proposalMark)) {
            return 'offered';
        }
        if (file && this.fileThen && !file.is(this.fileThen)) {
            return 'listed';
        }
        return now < this.endedAt + WRITE_TIME ? 'due' : 'offered';
    }

    /** Lets go of who asked, and of the texts that only served to be compared. */
    release(): void {
        this.owner = undefined;
        this.proposalMark.release();
        this.told?.release();
        this.proposed = '';
    }
}
