// SPDX-License-Identifier: Apache-2.0

import { answerKey, draftsOf, PageReviews } from '../../browser/review/page-reviews';
import { EditableText, ProposalEditor, ProposalText, ReadText } from '../../browser/review/proposal-text';
import { ReviewOutbox } from '../../browser/review/review-outbox';
import { Draft, DraftRef, ReviewAnswer, ReviewInfo, ShownText } from '../../common/companion-protocol';
import { Review } from '../../node/review/review';
import { Reviews } from '../../node/review/reviews';

/** How long a message is under way, in milliseconds. */
const NETWORK = 50;
/** How much later the copy of a message comes, in milliseconds. */
const COPY = 5_000;

/** What is around a page. */
export interface ModelWorld {
    readonly reviews: Reviews;
    newText(kind: string): string;
    /** @returns when it is on disk */
    take(reviewId: string, draft: Draft): Promise<DraftRef[]>;
    /** From now on it must not come back. */
    confirmDiscard(draftId: string): void;
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

export interface View {
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
        protected readonly world: ModelWorld,
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
        await this.load();
    }

    /** Its storage goes with it. The person heeds the browser's question. Then another tab opens. */
    async closeTab(): Promise<void> {
        if (this.outbox.leave()) {
            // What was sent before is on its way.
            await new Promise(resolve => setTimeout(resolve, NETWORK + 1));
            this.outbox.dispose();
            this.stored.clear();
            await this.load();
        }
    }

    /** Closes this tab, and opens a copy of another one: the browser copies the storage, too. */
    async duplicate(other: ModelPage): Promise<void> {
        if (this.outbox.leave()) {
            await new Promise(resolve => setTimeout(resolve, NETWORK + 1));
            this.outbox.dispose();
            this.stored.clear();
            other.outbox.leave();
            other.stored.forEach((value, key) => this.stored.set(key, value));
            await this.load();
        }
    }

    protected async load(): Promise<void> {
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
        const { stored } = this;
        const storage = {
            getItem: (key: string) => this.stored.get(key) ?? null,
            setItem: (key: string, value: string) => void this.stored.set(key, value),
            removeItem: (key: string) => void this.stored.delete(key),
            key: (index: number) => [...this.stored.keys()][index] ?? null,
            get length(): number {
                return stored.size;
            }
        };
        const outbox = new ReviewOutbox({
            connectedSince: () => (this.up ? 0 : undefined),
            installation: () => 'installation',
            storage: () => storage
        });
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

/** What a page receives of a review. */
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
