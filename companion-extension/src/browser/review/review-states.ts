// SPDX-License-Identifier: Apache-2.0

import { injectable } from '@theia/core/shared/inversify';
import { ReviewInfo } from '../../common/companion-protocol';

/**
 * A review on this page. While it waits for the user:
 * - `new`: the page has to open it
 * - `opening`: its first editor is being opened
 * - `shown`: it has an editor
 * - `closed`: the user closed the last editor, which did not reject it (`companion.review.onTabClose` = `keep`)
 * - `failed`: its editor could not be opened
 *
 * After the user has decided:
 * - `accepting`, `rejecting`: the answer is on its way
 * - `acceptingClosed`: the accept is on its way, and the user has closed the last editor meanwhile
 * - `closing`: the user rejected it by closing the last editor, and the answer is on its way
 * - `unsent`: that answer did not arrive; the page sends it again after the next state of the backend
 *
 * - `ended`: it is decided, or another window shows it; editors that are left are being closed
 */
export type ReviewState =
    'new' | 'opening' | 'shown' | 'closed' | 'failed' | 'accepting' | 'acceptingClosed' | 'rejecting' | 'closing' | 'unsent' | 'ended';

interface Entry {
    info: ReviewInfo | undefined;
    state: ReviewState;
    /** How many editors show it. */
    editors: number;
    /** The state in which the user decided. */
    before: ReviewState;
    /** When it ended: the number of the backend's newest state at that time. If a later state lists it, it is listed again. */
    endedAt: number;
    /** The number of the backend's newest state when it asked the page to show the review. That state may not list it yet. */
    askedAt: number;
}

type Transition = ReviewState | ((entry: Entry) => ReviewState);

/** The user has to decide again. A tab that was closed after an accept was no rejection: then the diff opens again. */
function undecided({ editors, before }: Entry): ReviewState {
    if (editors > 0) {
        return 'shown';
    }
    return before === 'shown' || before === 'opening' ? 'new' : before;
}

function whileWaiting(next: ReviewState): Partial<Record<ReviewState, ReviewState>> {
    return { new: next, opening: next, shown: next, closed: next, failed: next };
}

/** The state machine: what happens to a review, and which state follows. Nothing happens in states that an event does not name. */
const TRANSITIONS = {
    opening: { new: 'opening', closed: 'opening', failed: 'opening' },
    openingFailed: { opening: 'failed' },
    reconnected: { failed: 'new' },
    editorOpened: { new: 'shown', opening: 'shown', closed: 'shown', failed: 'shown' },
    lastEditorClosed: { shown: 'closing', accepting: 'acceptingClosed', rejecting: 'closing' },
    lastEditorClosedAndKept: { shown: 'closed', accepting: 'acceptingClosed', rejecting: 'closing' },
    accepting: whileWaiting('accepting'),
    rejecting: whileWaiting('rejecting'),
    acceptRefused: { accepting: undecided, acceptingClosed: 'closing' },
    answerLost: { accepting: undecided, acceptingClosed: undecided, rejecting: undecided, closing: 'unsent' },
    answerSentAgain: { unsent: 'closing' },
    listedAgain: { ended: 'new' }
} as const satisfies Record<string, Partial<Record<ReviewState, Transition>>>;

type ReviewEvent = keyof typeof TRANSITIONS;

const WAITING: readonly ReviewState[] = ['new', 'opening', 'shown', 'closed', 'failed'];
const ANSWERING: readonly ReviewState[] = ['accepting', 'acceptingClosed', 'rejecting', 'closing'];
const STORAGE_KEY = 'companion.keptReviews';

/** What the page has to do to show what the backend says. */
export interface ReviewActions {
    open: ReviewInfo[];
    /** Ids of reviews to close without an answer. */
    close: string[];
    /** Ids of reviews that the user has rejected without the backend knowing. */
    reject: string[];
}

/** The reviews of this page, and the state of each. It only keeps the books: it opens no editor and sends no answer. */
@injectable()
export class ReviewStates {
    protected readonly entries = new Map<string, Entry>();
    protected sequence = -1;

    /**
     * Compares with the complete list of the reviews that wait.
     *
     * @param sequence number of the backend's state that lists them
     */
    reconcile(waiting: readonly ReviewInfo[], sequence: number): ReviewActions {
        this.sequence = sequence;
        const actions: ReviewActions = { open: [], close: [], reject: [] };
        for (const info of waiting) {
            const entry = this.entryOf(info.id);
            entry.info = info;
            if (entry.editors === 0 && sequence > entry.endedAt) {
                this.move(info.id, 'listedAgain');
            }
            if (this.move(info.id, 'answerSentAgain')) {
                actions.reject.push(info.id);
            } else if (entry.state === 'new') {
                actions.open.push(info);
            }
        }
        const listed = new Set(waiting.map(({ id }) => id));
        for (const [id, entry] of this.entries) {
            if (listed.has(id) || ANSWERING.includes(entry.state) || sequence <= entry.askedAt) {
                continue;
            }
            if (entry.state !== 'ended' && (entry.editors > 0 || entry.state === 'opening')) {
                this.ended(id);
                actions.close.push(id);
            } else if (entry.editors === 0) {
                this.entries.delete(id);
            }
        }
        return actions;
    }

    /** The backend asks the page to show it, before it sends a state that lists it. */
    asked(id: string): void {
        this.entryOf(id).askedAt = this.sequence;
    }

    /** The page opens an editor. @returns `false` if it must not: one is being opened, or the review is decided */
    startOpening(info: ReviewInfo): boolean {
        const entry = this.entryOf(info.id);
        entry.info = info;
        return this.move(info.id, 'opening') || entry.state === 'shown';
    }

    openingFailed(id: string): void {
        this.move(id, 'openingFailed');
    }

    /** The connection is a new one. The old one may have been what stood in the way. */
    openFailedAgain(): void {
        this.entries.forEach((_, id) => this.move(id, 'reconnected'));
    }

    editorOpened(id: string): void {
        this.entryOf(id).editors++;
        this.move(id, 'editorOpened');
    }

    /**
     * @param keep closing means nothing: the review waits until the user opens it again
     * @returns `true` if the user has rejected the review by closing its last editor
     */
    editorClosed(id: string, keep = false): boolean {
        const entry = this.entries.get(id);
        if (!entry || --entry.editors > 0) {
            return false;
        }
        entry.editors = 0;
        const wasShown = entry.state === 'shown';
        this.move(id, keep ? 'lastEditorClosedAndKept' : 'lastEditorClosed');
        return wasShown && !keep;
    }

    /** The user decided. @returns `false` if the review was decided before */
    startAnswering(id: string, answer: 'accepting' | 'rejecting'): boolean {
        const entry = this.entryOf(id);
        const before = entry.state;
        if (!this.move(id, answer)) {
            return false;
        }
        entry.before = before;
        return true;
    }

    /**
     * The backend does not take the proposal as the user left it. The user decides again.
     * @returns `true` if the user has closed the last editor meanwhile: that rejects
     */
    acceptRefused(id: string): boolean {
        const closed = this.entries.get(id)?.state === 'acceptingClosed';
        this.move(id, 'acceptRefused');
        return closed;
    }

    /** The answer did not arrive. The user decides again, unless closing the last editor was the decision. */
    answerFailed(id: string): void {
        this.move(id, 'answerLost');
    }

    /** The review is decided, or another window shows it. */
    ended(id: string): void {
        const entry = this.entryOf(id);
        entry.state = 'ended';
        entry.endedAt = this.sequence;
    }

    isWaiting(id: string): boolean {
        const entry = this.entries.get(id);
        return entry !== undefined && WAITING.includes(entry.state);
    }

    /** The user has decided, or it has ended, and this state of the backend still lists it. @param sequence number of that state */
    isDecided(id: string, sequence: number): boolean {
        const entry = this.entries.get(id);
        return entry?.state === 'ended' ? sequence <= entry.endedAt : entry !== undefined && !WAITING.includes(entry.state);
    }

    infoOf(id: string): ReviewInfo | undefined {
        return this.entries.get(id)?.info;
    }

    /** Ids of the reviews that wait without an editor because the user closed it. */
    get kept(): string[] {
        return [...this.entries].filter(([, { state }]) => state === 'closed').map(([id]) => id);
    }

    /** The user closed these before the page was loaded. */
    keep(ids: readonly string[]): void {
        ids.forEach(id => (this.entryOf(id).state = 'closed'));
    }

    /** Reads which reviews the user closed before the page was reloaded. */
    loadKept(): void {
        try {
            const ids: unknown = JSON.parse(window.sessionStorage.getItem(STORAGE_KEY) ?? '[]');
            this.keep(Array.isArray(ids) ? ids.filter(id => typeof id === 'string') : []);
        } catch {
            return;
        }
    }

    /** Remembers {@link kept} over a reload. If the browser forbids storage, a reload opens these reviews again. */
    saveKept(): void {
        try {
            window.sessionStorage.setItem(STORAGE_KEY, JSON.stringify(this.kept));
        } catch {
            return;
        }
    }

    /** @returns whether the event changes the state that the review is in */
    protected move(id: string, event: ReviewEvent): boolean {
        const entry = this.entries.get(id);
        const transitions: Partial<Record<ReviewState, Transition>> = TRANSITIONS[event];
        const next = entry && transitions[entry.state];
        if (!next) {
            return false;
        }
        entry.state = typeof next === 'string' ? next : next(entry);
        return true;
    }

    protected entryOf(id: string): Entry {
        let entry = this.entries.get(id);
        if (!entry) {
            entry = { info: undefined, state: 'new', editors: 0, before: 'new', endedAt: -1, askedAt: -1 };
            this.entries.set(id, entry);
        }
        return entry;
    }
}
