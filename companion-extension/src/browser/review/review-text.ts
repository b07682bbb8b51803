// SPDX-License-Identifier: Apache-2.0

import { CompanionLimits } from '../../common/companion-limits';
import { ReviewAbout, ReviewContent, ReviewSave, ShownText } from '../../common/companion-protocol';
import { Clock } from '../../common/clock';
import { PROPOSAL, RevisionRange, isSameRevision, Revision } from '../../common/revision';

/** A text is stored and sent so long after the last key, but after {@link LONGEST_WAIT} pauses if the user types without one. */
const PAUSE_MS = 300;
const LONGEST_WAIT = 3;
/** Large texts are sent less often: the pause grows by a millisecond for this many characters. */
const CHARACTERS_PER_MS = 5000;

/** The text of one review on this page, whether or not an editor shows it. */
export class ReviewText {
    /** Absent before it is read. */
    proposal: string | undefined;
    revision = PROPOSAL;
    /** True until the backend has confirmed the text that was typed here. */
    isUnsent = false;
    /** The newest text that was stored and sent, until the backend has confirmed it. */
    sealed: SealedText | undefined;
    /** Of the file on the left, as Theia calls it; `undefined` if it is not known. */
    encoding: string | undefined;
    protected base: readonly RevisionRange[] = [];
    protected value: string | undefined;
    /** The text that was typed since {@link value} was read. */
    protected typed: TypedText | undefined;
    protected timer: (() => void) | undefined;
    protected typedAt: TypedTime | undefined;
    /** When the first key was pressed that was not sealed yet; as the clock counts. */
    protected typedSince: number | undefined;

    constructor(
        readonly about: ReviewAbout,
        protected readonly options: ReviewTextOptions
    ) {}

    /** The user's text; `undefined` if the proposal was not edited. */
    get text(): string | undefined {
        if (this.typed) {
            this.value = this.typed.isEdited ? this.typed.text : undefined;
            this.typed = undefined;
        }
        return this.value;
    }

    get isEdited(): boolean {
        return this.typed?.isEdited ?? this.value !== undefined;
    }

    get isEmptied(): boolean {
        return this.isEdited && (this.typed?.length ?? this.value?.length) === 0;
    }

    /** Longer than the backend takes. */
    get isTooLong(): boolean {
        return this.isEdited && (this.typed?.length ?? this.value?.length ?? 0) > CompanionLimits.editText;
    }

    /** The right side; `undefined` before the proposal is read. */
    get shown(): string | undefined {
        return this.text ?? this.proposal;
    }

    /** It has not left the page: what is typed now is still the same revision. */
    get isUnsealed(): boolean {
        return this.isUnsent && !(this.sealed && isSameRevision(this.sealed.revision, this.revision));
    }

    /** As it leaves the page now; also one that has left it before. */
    get outgoing(): ReviewSave {
        const { clock } = this.options;
        const { typedAt, ...save } = this.sealed ?? this.save;
        if (!typedAt) {
            return save;
        }
        // The clock of a page may stand still while the device sleeps, and the wall clock may be set back.
        const ago = Math.max(0, clock.wall - typedAt.wall, clock.now - (typedAt.steady ?? clock.now));
        return { ...save, ago };
    }

    get save(): SealedText {
        const { about, revision, base, text, encoding, typedAt } = this;
        return { about, revision, base, typedAt, ...(text !== undefined && { text }), ...(encoding !== undefined && { encoding }) };
    }

    /** For an answer. */
    get seen(): ShownText {
        const { revision, text, encoding } = this;
        return text === undefined ? { revision: PROPOSAL } : { revision, text, ...(encoding !== undefined && { encoding }) };
    }

    /** @param takesBack an undo has taken back the text of another page: this one was not typed on that */
    type(typed: TypedText, takesBack = false): void {
        if (!this.isUnsealed) {
            // A revision that may have left this page never changes: this is a new one, typed on that.
            const { page, n } = this.revision;
            const last = this.isUnsent ? this.base[this.base.length - 1] : undefined;
            const before = this.isUnsent ? this.base.filter(range => range !== last || range.page !== page) : [];
            this.base = [...before, { page, from: last?.page === page ? last.from : n, to: n }];
            this.revision = this.options.newRevision();
        }
        if (takesBack) {
            this.base = [];
        }
        const { now: steady, wall } = this.options.clock;
        this.typedAt = { steady, wall };
        this.typed = typed;
        this.isUnsent = true;
        this.flushLater(PAUSE_MS + typed.length / CHARACTERS_PER_MS);
    }

    /** The text is about to leave the page. */
    seal(): void {
        this.timer?.();
        this.typedSince = undefined;
        this.sealed = this.isUnsent ? this.save : undefined;
    }

    /** The backend has it. What was typed since stays unsent. */
    confirm(revision: Revision): void {
        if (isSameRevision(revision, this.revision)) {
            this.isUnsent = false;
            this.sealed = undefined;
        }
    }

    /** Shows the backend's text, unless this page has a newer one. */
    load({ proposal, text, review }: ReviewContent): void {
        this.proposal = proposal;
        if (!this.isUnsent) {
            this.take(review.revision, [], text);
        }
    }

    /** An earlier load of the page could not send it. */
    restore({ revision, base, text, typedAt }: SealedText): void {
        this.take(revision, base, text);
        // The page's own clock began again.
        this.typedAt = typedAt && { wall: typedAt.wall };
        this.isUnsent = true;
    }

    dispose(): void {
        this.timer?.();
    }

    protected flushLater(pauseMs: number): void {
        const { clock, flush } = this.options;
        this.typedSince ??= clock.now;
        const left = this.typedSince + pauseMs * LONGEST_WAIT - clock.now;
        this.timer?.();
        this.timer = clock.after(Math.max(0, Math.min(pauseMs, left)), flush);
    }

    protected take(revision: Revision, base: readonly RevisionRange[], text: string | undefined): void {
        this.revision = revision;
        this.base = base;
        this.value = text;
        this.typed = undefined;
    }
}

/** When the last key of a text was pressed, by two clocks. */
interface TypedTime {
    readonly wall: number;
    /** Absent if that was in an earlier load of the page. */
    readonly steady?: number;
}

/** A text that may have left the page, as the tab stores it. */
export interface SealedText extends ReviewSave {
    readonly typedAt?: TypedTime;
}

/** The editor's text. To read a long one takes time, so it is read when it leaves the page. */
export interface TypedText {
    readonly text: string;
    readonly length: number;
    /** It is not the proposal byte for byte. */
    readonly isEdited: boolean;
}

interface ReviewTextOptions {
    readonly clock: Clock;
    newRevision(): Revision;
    /** The user has paused. */
    flush(): void;
}
