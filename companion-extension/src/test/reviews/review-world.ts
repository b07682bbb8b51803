// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { SinonFakeTimers } from 'sinon';
import { Draft, DraftRef, KeptDraft } from '../../common/companion-protocol';
import { Review, ReviewOutcome, ReviewOwner, ReviewPlace, TextMark } from '../../node/review/review';
import { Reviews } from '../../node/review/reviews';
import { ModelDisk } from './model-disk';
import { ModelPage, ModelWorld, View } from './model-page';

const PLACE: ReviewPlace = { windowId: 'window', roots: ['/w'] };

/** What a person typed: on top of what was on the screen. */
interface Typed {
    readonly text: string;
    readonly before: string;
    readonly path: string;
}

/** A CLI, which finds an outcome by the file's path, as the real ones do. */
export class ModelCli implements ReviewOwner {
    gone = false;
    writes = true;
    /** The review that it waits for, by path. */
    readonly asks = new Map<string, Review>();
    readonly outcomes: ReviewOutcome[] = [];

    constructor(
        protected readonly world: ReviewWorld,
        readonly id: string,
        readonly cliId: 'qwen-code' | 'gemini-cli'
    ) {}

    ask(path: string): void {
        this.world.reviews.replace(this, PLACE.windowId, path);
        const file = { path, realPath: path };
        this.asks.set(
            path,
            this.world.reviews.open({ owner: this, filePath: path, proposal: this.world.newText('P'), file, place: PLACE })
        );
    }

    notify(outcome: ReviewOutcome): boolean {
        this.outcomes.push(outcome);
        const { filePath } = outcome.params;
        if (this.asks.delete(filePath) && outcome.method === 'ide/diffAccepted') {
            this.write(filePath, outcome.params.content);
        }
        return true;
    }

    /** Qwen Code writes its own proposal, and then closes the diff. Gemini CLI closes it, and writes what it is given. */
    async answerInTerminal(path: string, yes: boolean): Promise<void> {
        const asked = this.asks.get(path);
        if (!asked) {
            return;
        }
        this.asks.delete(path);
        const isQwen = this.cliId === 'qwen-code';
        if (isQwen && yes) {
            this.world.files.set(path, asked.proposal);
        }
        const content = await this.close(path, true);
        if (!isQwen && yes && content !== undefined) {
            this.write(path, content);
        }
    }

    async leave(): Promise<void> {
        await Promise.all([...this.asks.keys()].map(path => this.close(path, false)));
        this.asks.clear();
    }

    protected close(path: string, answered: boolean): Promise<string | undefined> {
        return this.world.reviews.close(this, PLACE.windowId, path, answered, async review => this.world.shower(review)?.asked(review));
    }

    protected write(path: string, text: string): void {
        if (this.writes) {
            setTimeout(() => this.world.files.set(path, text), 300);
        }
    }
}

/** CLIs, pages and files around the real reviews, in a time of their own. */
export class ReviewWorld implements ModelWorld {
    readonly files = new Map<string, string>();
    protected disk = new ModelDisk();
    reviews = this.newBackend();
    readonly clis = [new ModelCli(this, 'qwen', 'qwen-code'), new ModelCli(this, 'gemini', 'gemini-cli')];
    readonly pages = [new ModelPage(this, 'one'), new ModelPage(this, 'two')];
    protected readonly typed: Typed[] = [];
    /** Texts on top of which somebody typed, or took everything back; those that were discarded. */
    protected readonly continued = new Set<string>();
    protected readonly discarded = new Set<string>();
    /** The texts that somebody has discarded, by their drafts' ids. */
    protected readonly discarding = new Map<string, string>();
    protected readonly accepted: { review: Review; text: string }[] = [];
    /** Every text that a file has had. */
    protected readonly written = new Set<string>();
    protected texts = 0;

    constructor(protected readonly clock: SinonFakeTimers) {
        const set = this.files.set.bind(this.files);
        this.files.set = (path, text) => {
            this.written.add(`${path} ${text}`);
            return set(path, text);
        };
    }

    /** @returns when it is on disk */
    async take(reviewId: string, draft: Draft): Promise<DraftRef[]> {
        const { reviews } = this;
        reviews.take(reviewId, draft, PLACE);
        await reviews.stored;
        return reviews.find(reviewId)?.draftRefs ?? [];
    }

    protected newBackend(): Reviews {
        const files = { look: async (path: string) => new TextMark(this.files.get(path) ?? '\0') };
        const reviews = new Reviews({ files, nameOf: ({ id }) => id, store: this.disk });
        reviews.onDidChange(() => reviews === this.reviews && this.pages.forEach(page => void page.update()));
        return reviews;
    }

    /** The CLIs lose their server: they write what they have. */
    protected async killBackend(): Promise<void> {
        const before = this.reviews;
        const stored = this.disk.die();
        this.clis.forEach(cli => cli.asks.clear());
        this.pages.forEach(page => page.cut());
        this.disk = new ModelDisk();
        this.disk.stored = stored;
        this.reviews = this.newBackend();
        before.dispose();
        await this.reviews.restore();
    }

    newText(kind: string): string {
        return `${kind}${++this.texts}`;
    }

    /** From now on it must not come back. */
    confirmDiscard(draftId: string): void {
        this.discarded.add(this.discarding.get(draftId) ?? '');
    }

    shower(review: Review): ModelPage | undefined {
        return this.pages.find(page => page.shows(review.id));
    }

    async pass(ms: number): Promise<void> {
        await this.clock.tickAsync(ms);
    }

    /** @param a chooses a page and a CLI. @param b chooses among what there is */
    async apply(kind: EventKind, a: number, b: number): Promise<void> {
        const page = this.pages[a % 2];
        const cli = this.clis[a % 2];
        const path = b % 4 === 3 ? '/w/b' : '/w/a';
        const { shown } = page;
        const view = shown[b % Math.max(1, shown.length)] as View | undefined;
        switch (kind) {
            case 'open':
                return cli.ask(path);
            case 'type':
            case 'takeBack':
                return view && this.type(view, kind === 'takeBack');
            case 'accept':
                if (view && !this.accepted.some(({ review }) => review === view.review)) {
                    this.accepted.push({ review: view.review, text: view.editor.text });
                    page.answer(view, true);
                }
                return;
            case 'reject':
                return view && page.answer(view, false);
            case 'showOther':
                return view && page.showOther(view.review.id);
            case 'discard':
                return this.discard(page, b);
            case 'terminalYes':
            case 'terminalNo':
                return void cli.answerInTerminal(path, kind === 'terminalYes');
            case 'cut':
                return page.cut();
            case 'double':
                page.doubles = !page.doubles;
                return;
            case 'restore':
                return void page.restore();
            case 'format':
                return void (this.files.has(path) && this.files.set(path, `${this.files.get(path)};`));
            case 'personWrites':
                return void this.files.set(path, this.newText('F'));
            case 'mute':
                cli.writes = !cli.writes;
                return;
            case 'leave':
                return void cli.leave();
            case 'die':
                cli.asks.clear();
                return this.reviews.orphan(({ owner }) => owner === cli);
            case 'reload':
                return void page.reload();
            case 'closeTab':
                return void page.closeTab();
            case 'duplicate':
                return void page.duplicate(this.pages[(a + 1) % 2]);
            case 'kill':
                return this.killBackend();
            case 'pass':
                return this.pass(31_000);
        }
    }

    /** The lines are back, and a minute has passed. */
    async check(): Promise<void> {
        await Promise.all([...this.pages.map(page => page.restore()), this.pass(61_000)]);
        const kept = this.reviews.kept(() => true);
        const texts = kept.map(({ id }) => this.reviews.read(id, () => true) ?? '');
        // A diff has a button for each draft that it does not show.
        const onScreens = this.pages.flatMap(({ shown }) =>
            shown.flatMap(({ editor, review }) => [editor.text, ...review.drafts.map(({ text }) => text)])
        );
        for (const { text, path } of this.typed) {
            const isSomewhere = this.written.has(`${path} ${text}`) || texts.includes(text) || onScreens.includes(text);
            expect(isSomewhere || this.continued.has(text) || this.discarded.has(text), `${text} is not lost`).to.equal(true);
            expect(this.discarded.has(text) && texts.includes(text), `${text} stays discarded`).to.equal(false);
        }
        const path = (draft: KeptDraft): string => draft.path;
        kept.forEach((draft, index) => expect(texts[index], 'what the file has is not kept').not.to.equal(this.files.get(path(draft))));
        this.checkVerdicts();
        const waiting = this.reviews.waiting().map(({ id }) => id);
        this.pages.forEach(page =>
            expect(
                page.reviews.waiting.map(({ id }) => id),
                'the list of each page'
            ).to.have.members(waiting)
        );
        for (const { review, editor } of this.pages.flatMap(({ shown }) => shown)) {
            expect(review.state, 'only what waits is shown').to.equal('waiting');
            // What is discarded in another page's list stays on the screen of the one who typed it.
            const drafts = [...review.drafts.map(({ text }) => text), ...this.discarded];
            // The newest, or the one that its user chose.
            // Who took everything back stays at the proposal.
            expect([review.proposal, ...drafts], 'the backend has what is shown').to.include(editor.text);
        }
    }

    protected checkVerdicts(): void {
        const outcomes = this.clis.flatMap(cli => cli.outcomes);
        expect(new Set(outcomes.map(({ reviewId }) => reviewId)).size, 'one verdict for each review').to.equal(outcomes.length);
        for (const outcome of outcomes) {
            if (outcome.method === 'ide/diffAccepted') {
                const seen = this.accepted.filter(({ review }) => review.id === outcome.reviewId).map(({ text }) => text);
                expect(seen, 'somebody saw what was accepted').to.include(outcome.params.content);
            }
        }
    }

    protected type(view: View, takeBack: boolean): void {
        const before = view.editor.text;
        this.continued.add(before);
        const text = takeBack ? view.review.proposal : this.newText('T');
        if (!takeBack) {
            this.typed.push({ text, before, path: view.review.file.path });
        }
        view.editor.type(text, !takeBack);
    }

    protected discard(page: ModelPage, b: number): void {
        const kept = this.reviews.kept(() => true);
        const draft = kept[b % Math.max(1, kept.length)] as KeptDraft | undefined;
        const text = draft && this.reviews.read(draft.id, () => true);
        if (draft && text !== undefined) {
            this.discarding.set(draft.id, text);
            page.discard(draft);
        }
    }
}

/** How often each event comes. */
export const EVENTS = {
    open: 9,
    type: 14,
    takeBack: 1,
    accept: 5,
    reject: 3,
    showOther: 2,
    discard: 3,
    terminalYes: 2,
    terminalNo: 2,
    cut: 5,
    double: 1,
    restore: 4,
    format: 2,
    personWrites: 2,
    mute: 1,
    leave: 1,
    reload: 2,
    closeTab: 1,
    duplicate: 1,
    kill: 1,
    die: 1,
    pass: 2
} as const;
export type EventKind = keyof typeof EVENTS;
