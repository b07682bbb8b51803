// SPDX-License-Identifier: Apache-2.0

import { injectable } from '@theia/core/shared/inversify';
import { ReviewInfo } from '../../common/companion-protocol';

/**
 * - `waiting`: the user has not decided
 * - `answering`: the user's decision is on its way to the backend
 * - `unsent`: a rejection did not get through; it is sent again after the next state
 * - `finished`: decided here or elsewhere; kept until the backend stops listing it, so that an older state does not open it again
 */
export type ReviewPhase = 'waiting' | 'answering' | 'unsent' | 'finished';

interface Entry {
    info: ReviewInfo | undefined;
    phase: ReviewPhase;
    views: number;
    opening: boolean;
    /** The user closed the last view: it does not open again by itself. */
    closed: boolean;
    /** It could not be shown. */
    failed: boolean;
    /** By closing the last view the user rejected the review. */
    rejected: boolean;
    /** The backend's newest state does not list it. */
    unlisted: boolean;
}

/** What the page has to do so that it shows what the backend says. */
export interface ReviewActions {
    open: ReviewInfo[];
    /** Ids of reviews whose views are to be closed without an answer. */
    close: string[];
    /** Ids of reviews that the user rejected and the backend does not know it. */
    reject: string[];
}

/** Which reviews there are, how many editors show each, and who decided. Plain bookkeeping: it opens and sends nothing. */
@injectable()
export class ReviewLedger {
    protected readonly entries = new Map<string, Entry>();

    /** Compares with the complete list of the reviews that wait. */
    reconcile(waiting: readonly ReviewInfo[]): ReviewActions {
        const actions: ReviewActions = { open: [], close: [], reject: [] };
        const listed = new Set(waiting.map(({ id }) => id));
        for (const info of waiting) {
            const entry = this.entryOf(info.id);
            entry.info = info;
            entry.unlisted = false;
            if (this.takeUnsent(info.id)) {
                actions.reject.push(info.id);
            } else if (entry.phase === 'waiting' && entry.views === 0 && !entry.opening && !entry.closed && !entry.failed) {
                actions.open.push(info);
            }
        }
        for (const [id, entry] of this.entries) {
            if (listed.has(id) || entry.phase === 'answering') {
                continue;
            }
            if (entry.views > 0 || entry.opening) {
                entry.phase = 'finished';
                entry.unlisted = true;
                actions.close.push(id);
            } else {
                this.entries.delete(id);
            }
        }
        return actions;
    }

    /** Ids of the reviews that wait without a view because the user closed it. */
    get kept(): string[] {
        return [...this.entries].filter(([, { phase, closed }]) => phase === 'waiting' && closed).map(([id]) => id);
    }

    /** The user closed these before the page was loaded. */
    keep(ids: readonly string[]): void {
        ids.forEach(id => (this.entryOf(id).closed = true));
    }

    /** A view is about to be opened. `false` if that is not to be done: it is being opened, or the review is decided. */
    startOpening(info: ReviewInfo): boolean {
        const entry = this.entryOf(info.id);
        entry.info = info;
        if (entry.opening || entry.phase !== 'waiting') {
            return false;
        }
        entry.opening = true;
        entry.failed = false;
        entry.closed = false;
        entry.rejected = false;
        return true;
    }

    endOpening(id: string): void {
        const entry = this.entries.get(id);
        if (entry) {
            entry.opening = false;
        }
    }

    viewOpened(id: string): void {
        const entry = this.entryOf(id);
        entry.views++;
        entry.closed = false;
        entry.rejected = false;
    }

    /**
     * `true` if the user has rejected the review by closing its last view.
     * @param keep closing means nothing: the review waits, without a view until the user asks for one
     */
    viewClosed(id: string, keep = false): boolean {
        const entry = this.entries.get(id);
        if (!entry) {
            return false;
        }
        entry.views = Math.max(0, entry.views - 1);
        if (entry.views > 0) {
            return false;
        }
        if (entry.unlisted) {
            // Another window showed it, or it was decided. In the first case it may become this window's, and then opens like a new one.
            this.entries.delete(id);
            return false;
        }
        entry.closed = true;
        entry.rejected = !keep;
        if (keep || entry.phase !== 'waiting') {
            return false;
        }
        entry.phase = 'answering';
        return true;
    }

    /** The user decided. `false` if somebody did before. */
    startAnswering(id: string): boolean {
        const entry = this.entryOf(id);
        if (entry.phase !== 'waiting') {
            return false;
        }
        entry.phase = 'answering';
        return true;
    }

    /** The backend refused the answer, or did not get it: the user decides again. What was rejected by closing is rejected again later. */
    answerFailed(id: string): void {
        const entry = this.entries.get(id);
        if (entry?.phase === 'answering') {
            entry.phase = entry.rejected ? 'unsent' : 'waiting';
        }
    }

    /** The acceptance did not get through. A tab that was closed after it was no rejection: the diff opens again. */
    acceptFailed(id: string): void {
        const entry = this.entries.get(id);
        if (entry?.phase === 'answering') {
            entry.phase = 'waiting';
            entry.closed = false;
            entry.rejected = false;
        }
    }

    /** It cannot be shown. It waits until the user asks for it; it is not tried with each new state. */
    openingFailed(id: string): void {
        this.entryOf(id).failed = true;
    }

    /** What stood in the way may have been the connection, and that is a new one. */
    openFailedAgain(): void {
        this.entries.forEach(entry => (entry.failed = false));
    }

    /** `true` if a rejection of this review did not get through; it counts as being sent again from now on. */
    takeUnsent(id: string): boolean {
        const entry = this.entries.get(id);
        if (entry?.phase !== 'unsent') {
            return false;
        }
        entry.phase = 'answering';
        return true;
    }

    finished(id: string): void {
        this.entryOf(id).phase = 'finished';
    }

    isWaiting(id: string): boolean {
        return this.entries.get(id)?.phase === 'waiting';
    }

    infoOf(id: string): ReviewInfo | undefined {
        return this.entries.get(id)?.info;
    }

    protected entryOf(id: string): Entry {
        let entry = this.entries.get(id);
        if (!entry) {
            entry = {
                info: undefined,
                phase: 'waiting',
                views: 0,
                opening: false,
                closed: false,
                failed: false,
                rejected: false,
                unlisted: false
            };
            this.entries.set(id, entry);
        }
        return entry;
    }
}
