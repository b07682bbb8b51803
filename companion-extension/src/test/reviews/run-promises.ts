// SPDX-License-Identifier: Apache-2.0

import { SeenFile } from '../../common/companion-protocol';
import { KeptEdit } from '../../node/review/kept-edits';
import { ReviewLimits, Reviews } from '../../node/review/reviews';
import { ReviewOutcome } from '../../node/server/cli-session';
import { inEditor } from './model-editors';
import { ModelTab } from './model-tab';
import { ModelCli, ReviewWorld } from './review-world';
import { Answered, Asked, Typed } from './run-records';
import { TypedTexts } from './typed-texts';

/** What persons and CLIs did, and the promises that hold after each event. */
export class RunPromises {
    readonly world = new ReviewWorld();
    protected readonly asked = new Map<string, Asked>();
    protected readonly typed = new TypedTexts();
    protected readonly answered: Answered[] = [];
    protected readonly lastAnswer = new Map<ModelTab, number>();
    protected readonly discarded = new Set<string>();
    /** The texts of all edits that were ever kept, by their ids. */
    protected readonly keptTexts = new Map<string, string>();
    /** Those that a backend has kept at the last look. */
    protected kept: { readonly of?: Reviews; readonly edits: readonly KeptEdit[] } = { edits: [] };
    /** The CLI waits for the answer to closeDiff. */
    protected readonly closing = new Set<string>();
    protected readonly closedByPerson = new Set<string>();
    protected readonly failed = new Set<ModelTab>();
    protected isKilled = false;
    /** Found while nobody could throw. */
    protected problem: string | undefined;

    protected isSomewhere({ text, about: { reviewId } }: Typed, now: boolean): boolean {
        return this.world.has(text, reviewId, this.asked.get(reviewId)?.path, now);
    }

    /** What holds at every moment. */
    protected check(): void {
        const { world } = this;
        if (this.problem !== undefined) {
            throw new Error(this.problem);
        }
        this.checkKept();
        for (const typed of this.typed.live.filter(({ text }) => !this.discarded.has(text))) {
            if (!this.isSomewhere(typed, true)) {
                throw new Error(`(a) lost: ${typed.text} typed into ${typed.about.reviewId}`);
            }
        }
        const questions = world.reviews.waiting().map(({ owner, filePath }) => `${owner?.id} ${filePath}`);
        if (new Set(questions).size < questions.length) {
            throw new Error(`(b) two questions of one CLI about one file wait: ${questions.join()}`);
        }
        const copy = world.closed.find(({ shownBy }) => shownBy.length > 0);
        if (copy) {
            throw new Error(`(b) closing a copy has rejected ${copy.reviewId}, which another page shows`);
        }
        const outcomes = new Map<string, ReviewOutcome>();
        for (const { cli, outcome, file } of world.outcomes) {
            this.checkOutcome(cli, outcome, file, outcomes);
            outcomes.set(outcome.reviewId, outcome);
        }
        for (const { reviews } of world.tabs) {
            if (reviews.all.length > 60 || reviews.all.some(({ text }) => text.save.base.length > 30)) {
                throw new Error('(f) a page grows');
            }
        }
    }

    protected checkOutcome(
        cli: ModelCli,
        { reviewId, method, params }: ReviewOutcome,
        file: SeenFile,
        before: ReadonlyMap<string, unknown>
    ): void {
        const { proposal = '', cli: asker } = this.asked.get(reviewId) ?? {};
        if (before.has(reviewId) || cli !== asker || this.closing.has(reviewId)) {
            throw new Error(`(b) two outcomes of ${reviewId}, or to another CLI, or while it closes the diff`);
        }
        const expected = (text: string): string => (text === inEditor(proposal) ? proposal : text);
        const accepts = method === 'ide/diffAccepted';
        const content = 'content' in params ? params.content : undefined;
        const isGiven = this.answered.some(
            one =>
                one.reviewId === reviewId &&
                one.accepts === accepts &&
                (!accepts || (expected(one.text) === content && (!one.file || one.file.modifiedAt === file.modifiedAt)))
        );
        if (!isGiven) {
            throw new Error(`(b) (e) nobody gave the outcome ${method} ${JSON.stringify(content)} of ${reviewId}`);
        }
    }

    /** What holds when all lines are back and some time has passed. */
    protected checkQuiet(): void {
        const { world, typed } = this;
        for (const one of typed.live.filter(({ text }) => !this.discarded.has(text))) {
            if (!this.isSomewhere(one, false)) {
                throw new Error(`(a) at last nobody can find ${one.text}`);
            }
        }
        const kept = world.reviews.listEdits(() => true);
        for (const { text, path, reason } of kept) {
            if (world.files.get(path) === text) {
                throw new Error(`(g) ${text} is kept, and the file has it`);
            }
            // A new backend may be sent what somebody went on with in the time of the one before: it is offered once too often. What was accepted
            // and not written is offered in any case.
            if (typed.continued.has(text) && !this.isKilled && reason !== 'notWritten' && !typed.isUndone(text)) {
                throw new Error(`(g) ${text} is kept, and somebody went on with it`);
            }
        }
        world.tabs.forEach(tab => this.checkTab(tab));
        world.reviews.waiting().forEach(({ id, shown }) => this.checkNewest(id, inEditor(shown)));
        for (const { tab, loadId, reviewId, accepts } of this.answered) {
            // Of an answer that did not count, a line that doubles messages may bring a copy after the next answer: then the copy counts.
            const isChanged = this.answered.some(one => one.loadId === loadId && one.reviewId === reviewId && one.accepts !== accepts);
            const isDecided = world.reviews.find(reviewId)?.answeredBy === loadId && tab.loadId === loadId;
            if (isDecided && !isChanged && tab.told.has(`late ${reviewId}`)) {
                throw new Error(`(b) ${loadId} decided ${reviewId}, and was told that it came late`);
            }
        }
        const open = world.reviews.waiting().filter(({ text }) => text !== undefined).length;
        const ended = world.reviews.all.filter(({ hasEnded }) => hasEnded).length;
        if (ended > ReviewLimits.ended || world.disk.edits.size !== kept.length + open) {
            throw new Error(`(f) ${world.disk.edits.size} texts on disk for ${kept.length} + ${open}`);
        }
    }

    /** Nobody but a person discards a kept edit, unless its file has it, the review shows it again, or somebody has gone on with it. */
    protected checkKept(): void {
        const { reviews } = this.world;
        const kept = [...this.asked.keys()].flatMap(reviewId => reviews.editsOf(reviewId));
        const isKept = ({ reviewId, text }: KeptEdit): boolean => kept.some(one => one.reviewId === reviewId && one.text === text);
        const before = this.kept.of === reviews ? this.kept.edits : [];
        for (const edit of before.filter(one => !isKept(one))) {
            const { text, reviewId, path } = edit;
            const isWritten = this.world.written.some(one => one.path === path && one.text.trim() === text);
            const isShown = reviews.find(reviewId)?.text === text;
            const isContinued = this.typed.continued.has(text) || this.typed.isUndone(text);
            if (!isWritten && !isShown && !isContinued && !this.discarded.has(text)) {
                throw new Error(`(j) ${text} was kept, and nobody has discarded it`);
            }
        }
        kept.forEach(({ id, text }) => this.keptTexts.set(id, text));
        this.kept = { of: reviews, edits: kept };
    }

    /** What a window shows, each other one shows as well: {@link checkTab}. */
    protected checkNewest(reviewId: string, shown: string): void {
        const typed = this.typed.all.filter(one => one.about.reviewId === reviewId && !this.typed.lost.has(one));
        const newest = typed.at(-1);
        const at = typed.findLast(({ text }) => text === shown)?.at ?? 0;
        // The time that a text takes to the backend is not known there.
        if (newest && newest.text !== shown && newest.at - at > this.world.longestDelay) {
            throw new Error(`(i) ${shown} of ${at} ms is shown at last, and ${newest.text} was typed at ${newest.at} ms`);
        }
    }

    protected checkTab(tab: ModelTab): void {
        const { reviews, editors, state, told } = tab;
        const waiting = this.world.reviews.waiting().map(({ id }) => id);
        const listed = reviews.all.map(({ id }) => id);
        if (listed.sort().join() !== waiting.sort().join()) {
            throw new Error(`(d) a page has ${listed.join()} and the backend ${waiting.join()}`);
        }
        const open = reviews.all.filter(({ view }) => view === 'open').map(({ id }) => id);
        const isAtRest = reviews.all.every(
            ({ view, isAnswering, text }) => (view === 'open' || view === 'closed') && !isAnswering && !text.isUnsent
        );
        if (open.sort().join() !== [...editors.shown.keys()].sort().join() || !isAtRest) {
            const states = reviews.all.map(({ view, isAnswering, text }) => `${view} ${isAnswering} ${text.isUnsent}`);
            throw new Error(`(d) ${open.join()} are open, and editors show ${[...editors.shown.keys()].join()}; ${states.join()}`);
        }
        const isExplained = (id: string): boolean => this.failed.has(tab) || this.closedByPerson.has(`${tab.loadId} ${id}`);
        if (reviews.all.some(({ view, id }) => view === 'closed' && !isExplained(id))) {
            throw new Error('(d) nobody closed a review, and it is not open');
        }
        for (const [id, { text }] of editors.shown) {
            const shown = this.world.reviews.find(id)?.shown ?? '';
            if (text !== inEditor(shown)) {
                throw new Error(`(d) ${id}: ${text} is on a screen, and the backend has ${shown}`);
            }
        }
        if (!tab.storeFails && tab.stored.size > 0) {
            throw new Error(`(f) a tab still stores ${[...tab.stored.values()].join()}`);
        }
        const silent = state?.keptEdits.find(({ id, quiet }) => !quiet && !told.has(id));
        if (silent) {
            throw new Error(`(a) nobody is told of ${silent.id}`);
        }
    }
}
