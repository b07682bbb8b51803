// SPDX-License-Identifier: Apache-2.0

import { AnswerGuard } from '../../browser/window/answer-guard';
import { PageReviews } from '../../browser/review/page-reviews';
import { UnsentTexts } from '../../browser/review/unsent-texts';
import { Calls } from '../../common/calls';
import { Clock } from '../../common/clock';
import { WindowState } from '../../common/companion-protocol';
import { ReviewBackend } from '../../common/review-protocol';
import { ModelClock } from './model-clock';
import { ModelEditors } from './model-editors';

const NETWORK_MS = 50;
const SLOW_NETWORK_MS = 3_000;
/** How much later the copy of a message comes. */
const COPY_MS = 5_000;
/** How much later the second event of one change comes. */
const SECOND_EVENT_MS = 100;
/** How often the backend is looked at: a push may be lost without anybody knowing. */
const HELLO_MS = 30_000;

/** What a page is told. */
export type ModelState = Pick<WindowState, 'reviews' | 'keptEdits' | 'sequence'> & { readonly boot: number };
export type ModelBackend = Pick<
    ReviewBackend,
    'readReview' | 'saveReview' | 'acceptReview' | 'rejectReview' | 'closeReview' | 'discardEdit'
> & {
    hello(): Promise<ModelState>;
};

/** The socket of one tab. Cutting it loses what is under way. */
export class ModelLine {
    up = true;
    /** As the clock counts. */
    upSince = 0;
    slow = false;
    double = false;
    /** Loses every second message, without a cut. */
    lossy = false;
    /** The longest time that a message has taken, or may have: what is late comes after what was sent before. */
    longestDelay = 2 * NETWORK_MS;
    /** Its number. */
    connection = 0;
    protected count = 0;
    /** When the last message of each direction arrives: none overtakes another, as in a socket. */
    protected readonly arrivals = { toBackend: 0, toPage: 0 };

    constructor(protected readonly clock: Clock) {}

    /** It is slow, or what it carried while it was slow has not arrived: nothing overtakes that. */
    get isLate(): boolean {
        const { toBackend, toPage } = this.arrivals;
        return this.slow || Math.max(toBackend, toPage) > this.clock.now + NETWORK_MS;
    }

    carry(to: 'toBackend' | 'toPage', deliver: () => void): void {
        const { connection } = this;
        if (!this.up) {
            return;
        }
        if (this.double) {
            // A copy may come after the line was cut and is back.
            this.clock.after(COPY_MS, deliver);
            this.longestDelay = COPY_MS;
        }
        if (!(this.lossy && this.count++ % 2)) {
            const { now } = this.clock;
            this.arrivals[to] = Math.max(this.arrivals[to], now + (this.slow ? SLOW_NETWORK_MS : NETWORK_MS));
            this.longestDelay = Math.max(this.longestDelay, this.arrivals[to] - now);
            this.clock.after(this.arrivals[to] - now, () => this.connection === connection && deliver());
        }
    }

    cut(): void {
        this.up = false;
        this.connection++;
        Object.assign(this.arrivals, { toBackend: 0, toPage: 0 });
    }
}

/** A guard whose time is the model's. */
class ModelGuard extends AnswerGuard {
    constructor(protected readonly clock: Clock) {
        super();
    }

    override restart(): void {
        this.movedAt = this.clock.now;
    }

    override takesAnswer(pressed = this.clock.now, since = -Infinity): boolean {
        return super.takesAnswer(pressed, since);
    }
}

export interface TabOptions {
    readonly clock: ModelClock;
    readonly editors: ModelEditors;
    /** The backend that runs now. Nothing answers for one that has ended. */
    backend(): { readonly boot: number; of(tab: ModelTab, loadId: string): ModelBackend };
    newId(): string;
    /** What the tab that was duplicated has stored. */
    readonly stored?: ReadonlyMap<string, string>;
}

/** A browser tab: its storage survives a reload, its page does not. */
export class ModelTab {
    readonly line: ModelLine;
    readonly stored: Map<string, string>;
    reviews: PageReviews;
    guard: AnswerGuard;
    calls: Calls;
    state: ModelState | undefined;
    loadId: string;
    /** Ids of the kept edits that a message has named, and of reviews whose answer came late. */
    readonly told = new Set<string>();
    storeFails = false;
    onTabClose: 'reject' | 'keep' = 'keep';
    protected unsent: UnsentTexts;

    constructor(protected readonly options: TabOptions) {
        this.line = new ModelLine(options.clock);
        this.stored = new Map(options.stored);
        this.load();
    }

    get editors(): ModelEditors {
        return this.options.editors;
    }

    load(): void {
        this.calls?.dispose();
        const { editors, clock: time } = this.options;
        this.loadId = this.options.newId();
        this.state = undefined;
        this.told.clear();
        const { loadId, stored } = this;
        // What ran before has ended: its timers do nothing any more.
        const clock = time.while(() => this.loadId === loadId);
        const storage = {
            getItem: (key: string) => stored.get(key) ?? null,
            setItem: (key: string, value: string) => {
                if (this.storeFails) {
                    throw new Error('QuotaExceededError');
                }
                stored.set(key, value);
            },
            removeItem: (key: string) => void (this.storeFails || stored.delete(key)),
            key: (index: number) => [...stored.keys()][index] ?? null,
            get length(): number {
                return stored.size;
            }
        };
        this.unsent = new UnsentTexts(
            () => 'installation',
            () => storage
        );
        this.calls = new Calls(clock, () => this.line.up);
        const guard = new ModelGuard(clock);
        this.guard = guard;
        this.reviews = new PageReviews({
            page: loadId,
            clock,
            calls: this.calls,
            backend: this.backend(),
            views: () => editors,
            store: this.unsent,
            onTabClose: () => this.onTabClose,
            opensByItself: () => true
        });
        const { reviews } = this;
        reviews.onDidChange(({ id, answer }) => {
            if (answer?.result?.result === 'late') {
                this.told.add(`late ${id}`);
            }
        });
        reviews.onDidNotCount(() => this.guard.restart());
        editors.attach(reviews);
        this.beat(clock);
        reviews.restore(this.unsent.takeEarlier());
    }

    reload(): void {
        this.reviews.leave();
        const { up } = this.line;
        this.line.cut();
        this.line.up = up;
        this.load();
    }

    restore(): void {
        this.line.up = true;
        this.line.upSince = this.options.clock.now;
        this.hello();
        this.calls.recover();
    }

    /** The backend sends its state. */
    push(boot: number, state: ModelState): void {
        const { reviews } = this;
        this.line.carry('toPage', () => reviews === this.reviews && boot === this.options.backend().boot && this.receive(state));
    }

    /** Whether an editor has shown it for so long, and the backend could ask. */
    hasShown(reviewId: string, ms: number): boolean {
        const since = this.options.clock.now - ms;
        const { up, upSince } = this.line;
        return up && upSince <= since && (this.editors.shown.get(reviewId)?.openedAt ?? Infinity) <= since;
    }

    /** Whether the person has had a moment to look. */
    takesKeys(reviewId: string): boolean {
        const review = this.reviews.get(reviewId);
        const since = review && this.reviews.seenSince(review);
        return since !== undefined && this.guard.takesAnswer(undefined, since);
    }

    /** The file system reports a change over the line, to one page twice: a watch of the folder, and one of the file. */
    markChanged(uri: string, isTwice: boolean): void {
        const report = (): void => this.line.carry('toPage', () => this.editors.markChanged(uri));
        report();
        if (isTwice) {
            this.options.clock.after(SECOND_EVENT_MS, report);
        }
    }

    discard(id: string): void {
        this.calls.call(`discard ${id}`, { make: () => this.backend().discardEdit(id), reply: () => undefined });
    }

    protected beat(clock: Clock): void {
        this.hello();
        clock.after(HELLO_MS, () => this.beat(clock));
    }

    protected hello(): void {
        this.calls.call('hello', { make: () => this.backend().hello(), reply: state => this.receive(state) });
    }

    protected receive(state: ModelState): void {
        if (this.state && this.state.boot === state.boot && state.sequence <= this.state.sequence) {
            return;
        }
        this.state = state;
        this.reviews.receive(state.reviews);
        state.keptEdits.filter(({ quiet }) => !quiet).forEach(({ id }) => this.told.add(id));
    }

    /** Each call over the line, to the backend that runs then. */
    protected backend(): ModelBackend {
        const { loadId } = this;
        const over = <T>(ask: (backend: ModelBackend) => Promise<T>): Promise<T> =>
            new Promise((resolve, reject) => {
                const current = this.options.backend();
                const isSame = (): boolean => this.options.backend().boot === current.boot;
                this.line.carry('toBackend', () => {
                    if (isSame()) {
                        ask(current.of(this, loadId)).then(
                            answer => this.line.carry('toPage', () => isSame() && resolve(answer)),
                            error => this.line.carry('toPage', () => isSame() && reject(error))
                        );
                    }
                });
            });
        return {
            hello: () => over(backend => backend.hello()),
            readReview: id => over(backend => backend.readReview(id)),
            saveReview: save => over(backend => backend.saveReview(save)),
            acceptReview: (id, shown, file) => over(backend => backend.acceptReview(id, shown, file)),
            rejectReview: id => over(backend => backend.rejectReview(id)),
            closeReview: id => over(backend => backend.closeReview(id)),
            discardEdit: id => over(backend => backend.discardEdit(id))
        };
    }
}
