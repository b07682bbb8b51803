// SPDX-License-Identifier: Apache-2.0

import { expect } from 'chai';
import { SinonFakeTimers } from 'sinon';
import { answerKey, draftsOf, PageReviews } from '../../browser/review/page-reviews';
import { EditableText, ProposalEditor, ProposalText, ReadText } from '../../browser/review/proposal-text';
import { ReviewOutbox } from '../../browser/review/review-outbox';
import { Draft, DraftRef, KeptDraft, ReviewAnswer, ReviewInfo, ShownText } from '../../common/companion-protocol';
import { TextMark } from '../../node/review/file-texts';
import { Review, ReviewOutcome, ReviewOwner, ReviewPlace } from '../../node/review/review';
import { Reviews } from '../../node/review/reviews';
import { ModelDisk } from './model-disk';

const PLACE: ReviewPlace = { windowId: 'window', roots: ['/w'] };
/** How long a message is under way, in milliseconds. */
const NETWORK = 50;
/** How much later the copy of a message comes, in milliseconds. */
const COPY = 5_000;

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
        const file = { path, outsideWorkspace: false };
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

class ModelEditor implements ProposalEditor {
    constructor(
        readonly draft: DraftRef,
        public text: string,
        public edited: boolean
    ) {}

    get length(): number {
        return this.text.length;
    }

    show({ text, edited }: EditableText): void {
        Object.assign(this, { text, edited });
    }
}

interface View {
    readonly review: Review;
    readonly text: ProposalText;
    editor: ModelEditor | undefined;
}

/** A page over a line that can be cut: what is under way then is lost. It asks again when the line is back. */
export class ModelPage {
    readonly views = new Map<string, View>();
    /** A message may come twice, the second time much later. */
    doubles = false;
    reviews = this.newReviews();
    /** The tab's storage: it outlives a load of the page. */
    protected readonly stored = new Map<string, string>();
    protected outbox = this.newOutbox();
    protected up = true;
    protected connection = 0;
    /** Calls that are made again on the next connection, until they are answered. */
    protected readonly asking = new Set<() => void>();

    constructor(
        protected readonly world: ReviewWorld,
        public loadId: string
    ) {
        this.hello();
    }

    get shown(): View[] {
        return [...this.views.values()].filter(({ editor }) => editor !== undefined);
    }

    /** What the backend has not confirmed is here. */
    get unconfirmed(): string {
        return [...this.stored.values()].join();
    }

    cut(): void {
        this.up = false;
        this.connection++;
    }

    async restore(): Promise<void> {
        if (!this.up) {
            this.up = true;
            await this.update();
            this.hello();
            this.asking.forEach(attempt => attempt());
            this.outbox.reconnected();
        }
    }

    /** As F5, also while the line is cut: the next load of the page sends what this one could not send. */
    async reload(): Promise<void> {
        this.outbox.leave();
        this.outbox.dispose();
        this.views.clear();
        this.asking.clear();
        this.connection++;
        this.loadId = this.world.newText('load');
        this.outbox = this.newOutbox();
        this.reviews = this.newReviews();
        this.hello();
        await this.update();
    }

    /** The backend has another state. */
    async update(): Promise<void> {
        const { connection } = this;
        const infos = this.world.reviews.waiting().map(infoOf);
        await new Promise(resolve => setTimeout(resolve, NETWORK));
        if (!this.up || connection !== this.connection) {
            return;
        }
        this.reviews.receive(infos).forEach(id => this.close(id));
        for (const { id } of this.reviews.fresh) {
            const review = this.world.reviews.find(id);
            if (review?.isWaiting) {
                const text = this.textOf(review);
                const editor = new ModelEditor(review.shownDraft, review.text, review.newest !== undefined);
                text.attach(editor);
                this.reviews.opened(id);
                this.views.set(id, { review, text, editor });
            }
        }
        this.compare();
    }

    type(view: View, text: string, edited: boolean): void {
        view.editor?.show({ text, edited });
        view.text.changed();
    }

    /** A rejection closes the tab. */
    answer({ review, text }: View, accepts: boolean): void {
        const key = answerKey(review.id);
        if (this.outbox.has(key)) {
            return;
        }
        const { reviews } = this.world;
        const shown = text.seen ?? {};
        const answer = (): ReviewAnswer => (accepts ? reviews.accept(review, shown, this.loadId) : reviews.reject(review, this.loadId));
        const send = async (): Promise<void> => {
            await this.rpc(answer);
            if (this.outbox.has(key)) {
                this.outbox.drop(key);
                this.reviews.ended(review.id);
                this.close(review.id);
            }
        };
        this.outbox.flush();
        this.outbox.put(key, { revision: 1, length: 0, send });
        if (!accepts) {
            this.reviews.closed(review.id);
            this.close(review.id);
        }
    }

    discard({ id, revision }: DraftRef): void {
        const { world } = this;
        const send = async (): Promise<void> => {
            await this.rpc(async () => {
                world.reviews.discard({ id, revision }, () => true);
                await world.reviews.stored;
            });
            world.confirmDiscard(id);
        };
        this.outbox.drop(id, revision);
        this.outbox.put(`discard ${id}`, { revision, length: 0, send, unsent: { discard: { id, revision } } });
    }

    /** The backend asks what is on the screen. */
    async asked(review: Review): Promise<ShownText | undefined> {
        const view = this.views.get(review.id);
        return this.up && view?.editor ? view.text.seen : undefined;
    }

    protected hello(): void {
        if (this.up) {
            this.outbox.greeted(unsent => {
                if ('discard' in unsent) {
                    this.discard(unsent.discard);
                } else {
                    const { reviewId, draft } = unsent;
                    const send = async (): Promise<void> => void (await this.rpc(() => this.world.take(reviewId, draft)));
                    this.outbox.put(draft.id, { revision: draft.revision, length: 0, send, unsent });
                }
            });
        }
    }

    protected compare(): void {
        for (const [id, { text }] of this.views) {
            const info = this.reviews.infoOf(id);
            if (info) {
                void text.compare(draftsOf(info));
            }
        }
    }

    protected close(id: string): void {
        const view = this.views.get(id);
        if (view?.editor) {
            view.text.detach();
            view.editor = undefined;
            this.outbox.flush();
        }
    }

    protected newOutbox(): ReviewOutbox {
        const storage = {
            getItem: (key: string) => this.stored.get(key) ?? null,
            setItem: (key: string, value: string) => void this.stored.set(key, value),
            removeItem: (key: string) => void this.stored.delete(key)
        };
        const outbox = new ReviewOutbox({ connectedSince: () => (this.up ? 0 : undefined), installation: () => 'installation', storage: () => storage });
        outbox.onDidChange(() => this.compare());
        return outbox;
    }

    protected newReviews(): PageReviews {
        return new PageReviews({ isAnswered: id => this.outbox.has(answerKey(id)) });
    }

    /** As `CompanionConnection.ask`. */
    protected ask<T>(make: () => T | Promise<T>): Promise<T> {
        return new Promise(resolve => {
            const attempt = (): void =>
                void this.rpc(make).then(answer => {
                    this.asking.delete(attempt);
                    resolve(answer);
                });
            this.asking.add(attempt);
            attempt();
        });
    }

    /** Never settles if the line is cut meanwhile. */
    protected rpc<T>(make: () => T | Promise<T>): Promise<T> {
        const { connection, up } = this;
        return new Promise(resolve => {
            if (up) {
                setTimeout(() => {
                    if (connection === this.connection) {
                        void Promise.resolve(make()).then(answer =>
                            setTimeout(() => connection === this.connection && resolve(answer), NETWORK)
                        );
                    }
                }, NETWORK);
            }
        });
    }

    protected textOf(review: Review): ProposalText {
        const newest = (): ReadText => ({ draft: review.shownDraft, text: review.text, edited: review.newest !== undefined });
        return new ProposalText({
            reviewId: review.id,
            about: ABOUT,
            outbox: this.outbox,
            newId: () => this.world.newText('draft'),
            read: async draft => {
                if (draft.id === '') {
                    return this.ask(() => (review.isWaiting ? newest() : undefined));
                }
                const text = await this.ask(() => this.world.reviews.read(draft.id, () => true));
                return text === undefined ? undefined : { draft, text, edited: true };
            },
            send: async draft => {
                const take = (): Promise<DraftRef[]> => this.world.take(review.id, draft);
                if (this.doubles) {
                    setTimeout(() => void take(), COPY);
                }
                const drafts = await this.rpc(take);
                this.reviews.drafted(review.id, drafts);
                return drafts;
            },
            replaced: () => undefined
        });
    }
}

/** What a page is told of a review. */
function infoOf(review: Review): ReviewInfo {
    return {
        id: review.id,
        path: review.file.path,
        uri: ABOUT.uri,
        cliName: ABOUT.cliName,
        outsideWorkspace: false,
        cliGone: false,
        traits: {},
        otherClis: [],
        openedAt: review.openedAt,
        draft: review.shownDraft,
        otherDrafts: review.otherDrafts
    };
}

const ABOUT: Draft['about'] = { uri: 'file:///w/a', cliName: 'CLI' };

/** CLIs, pages and files around the real reviews, in a time of their own. */
export class ReviewWorld {
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
        return this.pages.find(page => page.views.get(review.id)?.editor);
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
                return view && this.type(page, view, kind === 'takeBack');
            case 'accept':
                if (view?.editor && !this.accepted.some(({ review }) => review === view.review)) {
                    this.accepted.push({ review: view.review, text: view.editor.text });
                    page.answer(view, true);
                }
                return;
            case 'reject':
                return view && page.answer(view, false);
            case 'showOther': {
                return void view?.text.showOther();
            }
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
            shown.flatMap(({ editor, review }) => [editor?.text ?? '', ...review.drafts.map(({ text }) => text)])
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
            expect([review.proposal, ...drafts], 'the backend has what is shown').to.include(editor?.text);
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

    protected type(page: ModelPage, view: View, takeBack: boolean): void {
        const before = view.editor?.text ?? '';
        this.continued.add(before);
        const text = takeBack ? view.review.proposal : this.newText('T');
        if (!takeBack) {
            this.typed.push({ text, before, path: view.review.file.path });
        }
        page.type(view, text, !takeBack);
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
    kill: 1,
    die: 1,
    pass: 2
} as const;
export type EventKind = keyof typeof EVENTS;
