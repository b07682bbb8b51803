// SPDX-License-Identifier: Apache-2.0

import { injectable } from '@theia/core/shared/inversify';
import { ReviewInfo } from '../../common/companion-protocol';

/**
 * A review on this page. It waits for the user:
 * - `new`: it is to be shown
 * - `opening`: its first view is being opened
 * - `shown`
 * - `closed`: the user closed the last view, which does not reject here; it opens when the user asks for it
 * - `failed`: it could not be shown; it is tried again when the user asks for it, or the connection is a new one
 *
 * The user has decided:
 * - `accepting`, `rejecting`: the answer is on its way
 * - `acceptingClosed`: as `accepting`, and the user closed the last view meanwhile
 * - `closing`: the user rejected it by closing the last view; the answer is on its way
 * - `unsent`: that answer did not get through; it is sent again after the next state of the backend
 *
 * - `ended`: it is decided, or another window shows it; views that are left are being closed
 */
export type ReviewState =
    'new' | 'opening' | 'shown' | 'closed' | 'failed' | 'accepting' | 'acceptingClosed' | 'rejecting' | 'closing' | 'unsent' | 'ended';

type WaitingState = 'new' | 'opening' | 'shown' | 'closed' | 'failed';

const WAITING: readonly ReviewState[] = ['new', 'opening', 'shown', 'closed', 'failed'] satisfies WaitingState[];
const ANSWERING: readonly ReviewState[] = ['accepting', 'acceptingClosed', 'rejecting', 'closing'];

interface Entry {
    info: ReviewInfo | undefined;
    state: ReviewState;
    views: number;
    /** What an answer that fails goes back to where no view is left. */
    before: WaitingState;
    /** When it ended: the number of the backend's state that was the newest then. A later one that lists it lists it again. */
    endedAt: number;
}

/** What the page has to do so that it shows what the backend says. */
export interface ReviewActions {
    open: ReviewInfo[];
    /** Ids of reviews whose views are to be closed without an answer. */
    close: string[];
    /** Ids of reviews that the user rejected and the backend does not know it. */
    reject: string[];
}

/** Which reviews there are, and in which state each is. Plain bookkeeping: it opens and sends nothing. */
@injectable()
export class ReviewLedger {
    protected readonly entries = new Map<string, Entry>();
    protected sequence = -1;

    /**
     * Compares with the complete list of the reviews that wait.
     *
     * @param sequence of the backend's state that lists them
     */
    reconcile(waiting: readonly ReviewInfo[], sequence: number): ReviewActions {
        this.sequence = sequence;
        const actions: ReviewActions = { open: [], close: [], reject: [] };
        for (const info of waiting) {
            const entry = this.entryOf(info.id);
            entry.info = info;
            if (entry.state === 'ended' && entry.views === 0 && sequence > entry.endedAt) {
                entry.state = 'new';
            }
            if (entry.state === 'unsent') {
                entry.state = 'closing';
                actions.reject.push(info.id);
            } else if (entry.state === 'new') {
                actions.open.push(info);
            }
        }
        const listed = new Set(waiting.map(({ id }) => id));
        for (const [id, entry] of this.entries) {
            if (listed.has(id) || ANSWERING.includes(entry.state)) {
                continue;
            }
            if (entry.state !== 'ended' && (entry.views > 0 || entry.state === 'opening')) {
                this.end(entry);
                actions.close.push(id);
            } else if (entry.views === 0) {
                this.entries.delete(id);
            }
        }
        return actions;
    }

    /** Ids of the reviews that wait without a view because the user closed it. */
    get kept(): string[] {
        return [...this.entries].filter(([, { state }]) => state === 'closed').map(([id]) => id);
    }

    /** The user closed these before the page was loaded. */
    keep(ids: readonly string[]): void {
        ids.forEach(id => (this.entryOf(id).state = 'closed'));
    }

    /** A view is about to be opened. `false` if that is not to be done: it is being opened, or the review is decided. */
    startOpening(info: ReviewInfo): boolean {
        const entry = this.entryOf(info.id);
        entry.info = info;
        if (entry.state === 'opening' || !WAITING.includes(entry.state)) {
            return false;
        }
        if (entry.views === 0) {
            entry.state = 'opening';
        }
        return true;
    }

    viewOpened(id: string): void {
        const entry = this.entryOf(id);
        entry.views++;
        if (WAITING.includes(entry.state)) {
            entry.state = 'shown';
        }
    }

    /** No view was opened. */
    openingFailed(id: string): void {
        this.move(id, 'opening', 'failed');
    }

    /** What stood in the way may have been the connection, and that is a new one. */
    openFailedAgain(): void {
        this.entries.forEach((_, id) => this.move(id, 'failed', 'new'));
    }

    /**
     * `true` if the user has rejected the review by closing its last view.
     * @param keep closing means nothing: the review waits, without a view until the user asks for one
     */
    viewClosed(id: string, keep = false): boolean {
        const entry = this.entries.get(id);
        if (!entry || --entry.views > 0) {
            return false;
        }
        entry.views = 0;
        this.move(id, 'accepting', 'acceptingClosed');
        this.move(id, 'rejecting', 'closing');
        if (!WAITING.includes(entry.state)) {
            return false;
        }
        entry.state = keep ? 'closed' : 'closing';
        return !keep;
    }

    /** The user decided. `false` if somebody did before. */
    startAnswering(id: string, answer: 'accepting' | 'rejecting'): boolean {
        const entry = this.entryOf(id);
        if (!WAITING.includes(entry.state)) {
            return false;
        }
        entry.before = entry.state as WaitingState;
        entry.state = answer;
        return true;
    }

    /**
     * The backend does not take the proposal as the user left it. The user decides again.
     * @returns `true` where the user has closed the last view meanwhile: that rejects
     */
    acceptRefused(id: string): boolean {
        if (this.move(id, 'acceptingClosed', 'closing')) {
            return true;
        }
        this.decideAgain(id);
        return false;
    }

    /** The answer did not get through: the user decides again, unless closing the last view was the decision. */
    answerFailed(id: string): void {
        if (!this.move(id, 'closing', 'unsent')) {
            this.decideAgain(id);
        }
    }

    /** It is decided, or another window shows it. */
    ended(id: string): void {
        this.end(this.entryOf(id));
    }

    isWaiting(id: string): boolean {
        const entry = this.entries.get(id);
        return entry !== undefined && WAITING.includes(entry.state);
    }

    infoOf(id: string): ReviewInfo | undefined {
        return this.entries.get(id)?.info;
    }

    /** A tab that was closed after an accept was no rejection: the diff opens again. */
    protected decideAgain(id: string): void {
        const entry = this.entries.get(id);
        if (entry && ANSWERING.includes(entry.state)) {
            const unseen = entry.before === 'shown' || entry.before === 'opening' ? 'new' : entry.before;
            entry.state = entry.views > 0 ? 'shown' : unseen;
        }
    }

    protected end(entry: Entry): void {
        entry.state = 'ended';
        entry.endedAt = this.sequence;
    }

    protected move(id: string, from: ReviewState, to: ReviewState): boolean {
        const entry = this.entries.get(id);
        if (entry?.state !== from) {
            return false;
        }
        entry.state = to;
        return true;
    }

    protected entryOf(id: string): Entry {
        let entry = this.entries.get(id);
        if (!entry) {
            entry = { info: undefined, state: 'new', views: 0, before: 'new', endedAt: -1 };
            this.entries.set(id, entry);
        }
        return entry;
    }
}
