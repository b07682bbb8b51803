// SPDX-License-Identifier: Apache-2.0

import { WRITE_TIME_MS } from '../../common/companion-limits';
import { FileFacts, WriteVerdict } from '../../common/companion-protocol';
import { FileBefore, FileContent, hashOf } from './file-texts';
import { Review } from './review';
import { WriteJudge } from './write-judge';

/** A file that is being written changes again: only a text that stays for so long counts as another one. */
const STABLE_MS = 1_000;
const FIRST_LOOK_MS = 200;
/** Less may be nothing: times are fractions, and rounded. */
const LEAST_WAIT_MS = 1;
/** How long later looks wait: this part of the time that has passed. */
const LATER_LOOKS = 1 / 8;

/** A file, and its content if it may be another one than before. */
export interface FileNow {
    readonly stamp: string;
    readonly content: FileContent | undefined;
}

/** Whose write the file has: that of an accept before or after this one, or a save of the IDE, if it is not this write. */
export type OtherWriter = 'earlier' | 'later' | 'saved';

/** A text that a CLI was told to write, and the verdict. */
export class ExpectedWrite {
    /** `undefined` as long as nobody can say. */
    verdict: WriteVerdict | undefined;
    /** Numbers the verdicts of all writes: another verdict has another number. */
    judged = 0;
    /** A third text, as of a formatter, and not the CLI's own without what the user made of it. */
    isOther = false;
    /** What the list of changes knows of {@link after}. */
    taken: Buffer | undefined;
    /** What was written; also by the formatter after it. */
    after: Buffer | undefined;
    facts: FileFacts | undefined;
    /** As the clock counts. */
    nextLook: number;
    protected seen: string | undefined;
    /** Another text, which may still be half of one. */
    protected candidate: { readonly content: FileContent; readonly stamp: string; readonly since: number } | undefined;
    protected isOvertaken = false;

    /**
     * @param before what the write replaces
     * @param toldAt as the clock counts
     * @param acceptedAt the same in milliseconds since the epoch
     */
    constructor(
        readonly review: Review,
        readonly judge: WriteJudge,
        public before: FileBefore,
        protected readonly toldAt: number,
        readonly acceptedAt: number
    ) {
        this.seen = before.stamp;
        this.nextLook = toldAt;
    }

    get isPending(): boolean {
        return this.verdict === undefined;
    }

    get isWritten(): boolean {
        return this.isAsAccepted || this.verdict === 'different';
    }

    get isAsAccepted(): boolean {
        return this.verdict === 'written' || this.verdict === 'formatted';
    }

    /** A CLI may write late, and what a formatter makes of a write belongs to it. */
    isWatched(now: number): boolean {
        return !this.isWritten || now - this.toldAt < WRITE_TIME_MS;
    }

    mayHaveChanged(stamp: string): boolean {
        return stamp !== this.seen;
    }

    /** Whether the file has come to have the text. */
    takes(content: FileContent): boolean {
        return this.isChanged(content) && ['written', 'formatted'].includes(this.judge.compare(content));
    }

    /** Judges the file. @returns whether there is another verdict */
    look(file: FileNow | undefined, by: OtherWriter | undefined, now: number): boolean {
        const age = now - this.toldAt;
        const wait = Math.max(FIRST_LOOK_MS, age * LATER_LOOKS);
        const untilLate = WRITE_TIME_MS - age;
        this.nextLook = now + (untilLate > 0 ? Math.min(wait, Math.max(untilLate, LEAST_WAIT_MS)) : wait);
        if (file && this.mayHaveChanged(file.stamp)) {
            this.seen = file.stamp;
            // A file that vanishes was not written.
            this.candidate = file.content && this.isChanged(file.content) ? { ...file, content: file.content, since: now } : undefined;
        }
        const { candidate } = this;
        if (candidate) {
            const isTaken = by !== 'earlier' && by !== 'later' && this.takes(candidate.content);
            if (isTaken || (!by && this.isPending && !this.isUnread && now - candidate.since >= STABLE_MS)) {
                this.decide(candidate.content);
                return true;
            }
            if (!by && this.isPending && !this.isUnread) {
                this.nextLook = Math.min(this.nextLook, Math.max(candidate.since + STABLE_MS, now + LEAST_WAIT_MS));
                return false;
            }
            this.replace(candidate, by);
        }
        if (this.isPending && age >= WRITE_TIME_MS) {
            const { content } = this.before;
            const isKnown = file && !this.isOvertaken && !this.isUnread;
            this.verdict = content && this.judge.compare(content) === 'written' ? 'written' : isKnown ? 'notWritten' : 'unknown';
            return true;
        }
        return false;
    }

    /** There is no room for what an undo needs. */
    dropTexts(): void {
        if (this.before.content) {
            this.before = { ...this.before, content: undefined, notKept: 'room' };
        }
        this.after = undefined;
    }

    /** Nobody knows what was there before. */
    protected get isUnread(): boolean {
        return this.before.notKept === 'unknown';
    }

    protected isChanged({ bytes }: FileContent): boolean {
        return bytes !== null && hashOf(bytes) !== this.before.hash && !this.after?.equals(bytes);
    }

    /** What the write will replace. */
    protected replace({ stamp, content }: FileNow, by: OtherWriter | undefined): void {
        this.candidate = undefined;
        if (!this.isWritten && content) {
            this.isOvertaken ||= by === 'later';
            const isKept = this.before.notKept === undefined || this.before.notKept === 'room';
            const kept = isKept ? { content, notKept: undefined } : {};
            this.before = { ...this.before, stamp, hash: hashOf(content.bytes), ...kept };
        }
    }

    protected decide(content: FileContent): void {
        this.verdict = this.judge.compare(content);
        this.candidate = undefined;
        this.isOther = this.verdict === 'different' && !this.judge.isProposal(content);
        this.after = this.before.notKept ? undefined : (content.bytes ?? undefined);
    }
}
