// SPDX-License-Identifier: Apache-2.0

import { Disposable } from '@theia/core/lib/common/disposable';
import { Emitter } from '@theia/core/lib/common/event';
import { answerKey, PageReviews } from '../../browser/review/page-reviews';
import { EditableText, ProposalDocument, proposedText, ProposalTexts } from '../../browser/review/proposal-texts';
import { ReviewOutbox } from '../../browser/review/review-outbox';
import { Draft, DraftRef, ReviewAnswer, ReviewContent, ReviewInfo, ShownText } from '../../common/companion-protocol';
import { askAgain } from '../../common/time-limit';
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

class ModelEditor implements ProposalDocument {
    protected readonly onDidTypeEmitter = new Emitter<void>();
    readonly onDidType = this.onDidTypeEmitter.event;
    readonly review: ReviewInfo;
    readonly draft: DraftRef;
    text: string;
    edited: boolean;

    constructor(review: Review) {
        this.review = infoOf(review);
        const { draft, text, edited } = proposedText({ review: this.review, text: review.text });
        this.draft = draft;
        this.text = text;
        this.edited = edited;
    }

    get length(): number {
        return this.text.length;
    }

    show({ text, edited }: EditableText): void {
        Object.assign(this, { text, edited });
    }

    type(text: string, edited: boolean): void {
        this.show({ text, edited });
        this.onDidTypeEmitter.fire();
    }
}

export interface View {
    readonly review: Review;
    readonly editor: ModelEditor;
    /** Closes the editor. */
    readonly toDispose: Disposable;
}

/** A page over a line that can be cut: what is under way then is lost. It asks again when the line is back. */
export class ModelPage {
    /** Of the reviews that are shown, by their ids. */
    protected readonly views = new Map<string, View>();
    /** A message may come twice, the second time much later. */
    doubles = false;
    reviews = this.newReviews();
    /** The tab's storage: it outlives a load of the page. */
    protected readonly stored = new Map<string, string>();
    protected outbox = this.newOutbox();
    protected onDidRecoverEmitter = new Emitter<void>();
    protected texts = this.newTexts();
    protected up = true;
    protected connection = 0;

    constructor(
        protected readonly world: ModelWorld,
        public loadId: string
    ) {
        this.hello();
    }

    get shown(): View[] {
        return [...this.views.values()];
    }

    shows(reviewId: string): boolean {
        return this.views.has(reviewId);
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
            this.onDidRecoverEmitter.fire();
            this.outbox.reconnected();
        }
    }

    /** As F5, also while the line is cut: the next load of the page sends what this one could not send. */
    async reload(): Promise<void> {
        this.outbox.leave();
        await this.load();
    }

    /** Its storage is lost with it. The person follows the browser's warning. Then another tab opens. */
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
        this.onDidRecoverEmitter.dispose();
        this.onDidRecoverEmitter = new Emitter();
        this.connection++;
        this.loadId = this.world.newText('load');
        this.outbox = this.newOutbox();
        this.reviews = this.newReviews();
        this.texts = this.newTexts();
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
                const editor = new ModelEditor(review);
                this.reviews.opened(id);
                this.views.set(id, { review, editor, toDispose: this.texts.follow(id, editor) });
            }
        }
        this.texts.compare();
    }

    showOther(reviewId: string): void {
        void this.texts.showOther(reviewId);
    }

    /** A rejection closes the tab. */
    answer({ review }: View, accepts: boolean): void {
        const key = answerKey(review.id);
        if (this.outbox.has(key)) {
            return;
        }
        const { reviews } = this.world;
        const shown = this.texts.seen(infoOf(review));
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
        this.texts.discard({ id, revision });
    }

    /** The backend asks what is on the screen. */
    async asked(review: Review): Promise<ShownText | undefined> {
        return this.up && this.shows(review.id) ? this.texts.seen(infoOf(review)) : undefined;
    }

    protected hello(): void {
        if (this.up) {
            this.outbox.greeted(unsent => this.texts.send(unsent));
        }
    }

    protected close(id: string): void {
        this.views.get(id)?.toDispose.dispose();
        this.views.delete(id);
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
        return new ReviewOutbox({
            connectedSince: () => (this.up ? 0 : undefined),
            installation: () => 'installation',
            storage: () => storage
        });
    }

    protected newReviews(): PageReviews {
        return new PageReviews(id => this.outbox.has(answerKey(id)));
    }

    protected newTexts(): ProposalTexts {
        const { world, reviews, outbox } = this;
        const isUp = (): boolean => this.up;
        const line = {
            onDidRecover: this.onDidRecoverEmitter.event,
            get connected(): boolean {
                return isUp();
            }
        };
        return new ProposalTexts({
            backend: {
                readReview: id => this.rpc(() => contentOf(world.reviews.find(id))),
                readDraft: id => this.rpc(() => world.reviews.read(id, () => true)),
                sendDraft: (reviewId, draft) => {
                    const take = (): Promise<DraftRef[]> => world.take(reviewId, draft);
                    if (this.doubles) {
                        setTimeout(() => void take(), COPY);
                    }
                    return this.rpc(take);
                },
                discardDraft: async draft => {
                    await this.rpc(async () => {
                        world.reviews.discard(draft, () => true);
                        await world.reviews.stored;
                    });
                    world.confirmDiscard(draft.id);
                }
            },
            reviews,
            outbox,
            ask: (call, limit, whatFailed) => askAgain(line, call, limit, whatFailed),
            newId: () => world.newText('draft')
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
}

function contentOf(review: Review | undefined): ReviewContent | undefined {
    return review?.isWaiting ? { review: infoOf(review), text: review.text } : undefined;
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
        openedAt: review.openedAt,
        drafts: review.draftRefs
    };
}

const ABOUT: Draft['about'] = { uri: 'file:///w/a', cliName: 'CLI' };
