// SPDX-License-Identifier: Apache-2.0

import { Deferred } from '@theia/core/lib/common/promise-util';
import type { CliSession, ReviewOutcome, SessionWindow } from '../server/cli-session';

/** What the user decided, `undefined` if nobody waits for that any more, or why nobody could be asked. */
type DiffDecision = { readonly outcome: ReviewOutcome | undefined } | { readonly problem: string };

interface WaitingDiff {
    readonly name: string;
    readonly filePath: string;
    /** Once the review waits. */
    reviewId?: string;
    settle(outcome: ReviewOutcome | undefined): void;
}

/** The diffs of one session whose CLI waits for the decision in the call that opened them. */
export class WaitingDiffs {
    protected readonly diffs = new Map<string, WaitingDiff>();

    /** @param window that the session belongs to, once it is known */
    constructor(
        protected readonly session: CliSession,
        protected readonly window: () => Promise<SessionWindow>
    ) {}

    get any(): boolean {
        return this.diffs.size > 0;
    }

    /**
     * Answers when the user has decided, or when nobody is asked any more.
     *
     * @param name of the diff in later calls
     * @param cancelled when nobody waits for the answer any more
     */
    async open(name: string, filePath: string, newContent: string, cancelled: AbortSignal): Promise<DiffDecision> {
        if (cancelled.aborted) {
            // That was while its window was looked for.
            return { outcome: undefined };
        }
        // The CLI asks again, and no longer waits for an earlier answer.
        const before = [...this.diffs.values()].filter(diff => diff.name === name || diff.filePath === filePath);
        before.forEach(diff => this.giveUp(diff));
        const decision = new Deferred<DiffDecision>();
        const opened: WaitingDiff = { name, filePath, settle: outcome => decision.resolve({ outcome }) };
        this.diffs.set(name, opened);
        cancelled.addEventListener('abort', () => void this.cancel(opened), { once: true });
        // Only now: a call that closes it and came with it must find it.
        const window = await this.window();
        const ofOtherFiles = before
            .filter(diff => diff.filePath !== filePath)
            .map(diff => window.diffs.close(this.session, diff.filePath, false));
        const problem = await window.diffs.open(this.session, filePath, newContent, reviewId => (opened.reviewId = reviewId));
        await Promise.allSettled(ofOtherFiles);
        if (problem !== undefined && this.diffs.get(name) === opened) {
            this.diffs.delete(name);
            return { problem };
        }
        return decision.promise;
    }

    /** The user has answered in the terminal, or had answered before: then nothing is open. @returns whether it was */
    async close(name: string): Promise<boolean> {
        const diff = this.diffs.get(name);
        if (diff) {
            await this.end(diff, true);
        }
        return diff !== undefined;
    }

    /** @returns how many were open */
    async closeAll(): Promise<number> {
        const all = [...this.diffs.values()];
        await Promise.all(all.map(diff => this.end(diff, false)));
        return all.length;
    }

    /** @returns false if the CLI waits for no such answer */
    answer(outcome: ReviewOutcome): boolean {
        const diff = [...this.diffs.values()].find(({ reviewId }) => reviewId === outcome.reviewId);
        if (diff) {
            this.diffs.delete(diff.name);
            diff.settle(outcome);
        }
        return diff !== undefined;
    }

    /** The CLI has gone. */
    giveUpAll(): void {
        this.diffs.forEach(diff => this.giveUp(diff));
    }

    protected async cancel(diff: WaitingDiff): Promise<void> {
        if (this.diffs.get(diff.name) === diff) {
            await this.end(diff, false);
        }
    }

    protected async end(diff: WaitingDiff, answered: boolean): Promise<void> {
        // First: what the user decides from now on is too late.
        this.giveUp(diff);
        await (await this.window()).diffs.close(this.session, diff.filePath, answered);
    }

    /** An answer that says so has no effect. */
    protected giveUp(diff: WaitingDiff): void {
        this.diffs.delete(diff.name);
        diff.settle(undefined);
    }
}
