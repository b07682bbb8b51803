// SPDX-License-Identifier: Apache-2.0

import { Disposable, DisposableCollection } from '@theia/core/lib/common/disposable';
import { Emitter, Event } from '@theia/core/lib/common/event';
import { CompanionBackend, Draft, DraftRef, PROPOSAL, ReviewContent, ReviewInfo, ShownText } from '../../common/companion-protocol';
import { PageReviews } from './page-reviews';
import { OutboxItem, ReviewOutbox, Unsent } from './review-outbox';

/** In milliseconds. */
const READ_LIMIT = 20_000;

export interface ProposalTextsOptions {
    readonly backend: Pick<CompanionBackend, 'readReview' | 'readDraft' | 'sendDraft' | 'discardDraft'>;
    readonly reviews: PageReviews;
    readonly outbox: ReviewOutbox;
    /** Calls the backend, again on a new connection if this one is lost. Rejects after `limit` milliseconds. */
    ask<T>(call: () => Promise<T>, limit: number, whatFailed: string): Promise<T>;
    /** An id for a draft that begins. */
    newId(): string;
}

/** The text of each proposal that an editor of this page showed, and of each kept draft. It outlives the editor until the backend has it. */
export class ProposalTexts {
    /** By the review's id, or by what a kept draft's editor shows. */
    protected readonly texts = new Map<string, ProposalText>();
    protected readonly onDidChangeTextEmitter = new Emitter<string>();
    protected readonly onDidReplaceTextEmitter = new Emitter<string>();
    /** Fires with that id when a text is shown that was not typed here. */
    readonly onDidReplaceText = this.onDidReplaceTextEmitter.event;
    /** Fires with that id when the right side is another text. */
    readonly onDidChangeText = this.onDidChangeTextEmitter.event;

    constructor(protected readonly options: ProposalTextsOptions) {
        options.outbox.onDidChange(() => this.compare());
    }

    /** An editor shows the model: the text follows it until the result is disposed. */
    follow(key: string, model: ProposalDocument): Disposable {
        const text = this.texts.get(key) ?? this.begin(key, model);
        text.attach(model);
        return new DisposableCollection(
            model.onDidType(() => {
                text.changed();
                this.onDidChangeTextEmitter.fire(key);
            }),
            Disposable.create(() => {
                text.detach();
                this.options.outbox.flush();
                this.compare();
            })
        );
    }

    /** The draft that a kept one has become in its editor; itself, if nobody typed there. */
    continued(kept: DraftRef): DraftRef {
        return this.texts.get(keptKey(kept))?.draft ?? kept;
    }

    /** What the user sees of a review, or saw last. Without a view that is what the list says. */
    seen(review: ReviewInfo): ShownText {
        return this.texts.get(review.id)?.seen ?? { draft: newestOf(review) };
    }

    isOwn(reviewId: string, draftId: string): boolean {
        return this.texts.get(reviewId)?.isOwn(draftId) ?? false;
    }

    /** Whether the user changed the proposal. */
    isEdited(reviewId: string): boolean {
        return this.texts.get(reviewId)?.edited ?? false;
    }

    isEmptied(reviewId: string): boolean {
        return this.texts.get(reviewId)?.isEmptied ?? false;
    }

    /** What was typed here would be lost with the page: it has not arrived, and the browser does not store it. */
    isAtRisk(reviewId: string): boolean {
        return this.options.outbox.isAtRisk && this.texts.get(reviewId)?.isUnsent === true;
    }

    /** A draft was also typed on another page. */
    hasOther(reviewId: string): boolean {
        return this.texts.get(reviewId)?.other !== undefined;
    }

    /** Shows that text instead. */
    async showOther(reviewId: string): Promise<void> {
        await this.texts.get(reviewId)?.showOther();
    }

    /** Shows the newest texts, and forgets those that nobody needs any more. */
    compare(): void {
        for (const [key, text] of [...this.texts]) {
            if (this.options.reviews.infoOf(key)) {
                void text.update();
            } else if (!text.isShown && !text.isUnsent) {
                this.texts.delete(key);
            }
        }
    }

    /** Sends what an earlier load of the page could not send, or what the user takes back from being discarded. */
    send(unsent: Unsent): void {
        if ('discard' in unsent) {
            this.discard(unsent.discard);
        } else {
            const { reviewId, draft } = unsent;
            const send = (): Promise<void> => this.sendDraft(reviewId, draft);
            this.options.outbox.put(draft.id, { revision: draft.revision, length: draft.text?.length ?? 0, send, unsent });
        }
    }

    /** This revision is no longer needed. A later one, which was typed meanwhile, stays. */
    discard(draft: DraftRef): void {
        this.options.outbox.drop(draft.id, draft.revision);
        const send = (): Promise<void> => this.options.backend.discardDraft(draft);
        this.options.outbox.put(discardKey(draft.id), { revision: draft.revision, length: 0, send, unsent: { discard: draft } });
    }

    /** The backend may not know it yet. */
    isDiscarded({ id }: DraftRef): boolean {
        return this.options.outbox.has(discardKey(id));
    }

    protected begin(key: string, { review: { id: reviewId, uri, cliName } }: ProposalDocument): ProposalText {
        const changed = (): void => this.onDidChangeTextEmitter.fire(key);
        const text = new ProposalText({
            reviewId,
            about: { uri, cliName },
            outbox: this.options.outbox,
            newId: this.options.newId,
            drafts: () => this.options.reviews.infoOf(key)?.drafts,
            // A kept draft is shown as it was read.
            read: async draft => (key === reviewId ? this.read(reviewId, draft) : undefined),
            send: draft => this.sendDraft(reviewId, draft),
            replaced: () => {
                this.onDidReplaceTextEmitter.fire(key);
                changed();
            }
        });
        this.texts.set(key, text);
        return text;
    }

    protected async read(reviewId: string, draft: DraftRef): Promise<ReadText | undefined> {
        const failed = 'The text could not be read in time.';
        if (draft.id !== PROPOSAL.id) {
            const text = await this.options.ask(() => this.options.backend.readDraft(draft.id), READ_LIMIT, failed);
            return typeof text === 'string' ? { draft, text, edited: true } : undefined;
        }
        const content = await this.options.ask(() => this.options.backend.readReview(reviewId), READ_LIMIT, failed);
        return content && proposedText(content);
    }

    protected async sendDraft(reviewId: string, draft: Draft): Promise<void> {
        this.options.reviews.drafted(reviewId, await this.options.backend.sendDraft(reviewId, draft));
    }
}

/** The text on the right side. */
export interface EditableText {
    readonly text: string;
    /** The user changed it: it is not the proposal byte for byte. */
    readonly edited: boolean;
}

/** The model of the right side, as far as it is needed here. */
export interface ProposalEditor extends EditableText {
    readonly length: number;
    /** The draft that was read from the backend. */
    readonly draft: DraftRef;
    /** Replaces the text. This does not count as typing. */
    show(text: EditableText): void;
}

/** An editor's model, and whose proposal it shows. */
export interface ProposalDocument extends ProposalEditor {
    readonly review: Pick<ReviewInfo, 'id' | 'uri' | 'cliName'>;
    /** Fires when the user changed the text. */
    readonly onDidType: Event<void>;
}

/** A text that was read, and which one it is. */
export interface ReadText extends EditableText {
    readonly draft: DraftRef;
}

export interface ProposalTextOptions {
    readonly reviewId: string;
    readonly about: Draft['about'];
    readonly outbox: Pick<ReviewOutbox, 'has' | 'put' | 'putSoon'>;
    /** An id for a draft that begins. */
    newId(): string;
    /** Reads a draft, or instead of the proposal the newest one; `undefined` if it is no longer kept, or the review no longer waits. */
    read(draft: DraftRef): Promise<ReadText | undefined>;
    /** The drafts that the backend has, as it said last, the newest last; `undefined` of a kept draft, or before it has said so. */
    drafts(): readonly DraftRef[] | undefined;
    send(draft: Draft): Promise<void>;
    /** Another text is shown, which was not typed here. */
    replaced(): void;
}

/**
 * The text of one proposal on this page, also while no editor shows it. What is typed becomes a draft of this page. Another one begins where
 * a text of another page came between: this page may have slept while the user went on editing on another device.
 */
export class ProposalText implements OutboxItem {
    protected editor: ProposalEditor | undefined;
    /** What the editor showed when it was closed. */
    protected last: EditableText | undefined;
    /** What is shown. */
    protected shown: DraftRef = PROPOSAL;
    /** It was typed here, or the user chose it: it stays, as long as nobody has continued or discarded it. */
    protected isChosen = false;
    /** The drafts that were begun here, by their ids: the last revision, and what each continues; `undefined` for the proposal. */
    protected readonly own = new Map<string, { revision: number; readonly from: DraftRef | undefined }>();
    /** Another page's text is being read, to be shown. */
    protected isReading = false;

    constructor(protected readonly options: ProposalTextOptions) {}

    /** An editor shows what it has read. What was shown before is continued in it, unless there is something newer. */
    attach(editor: ProposalEditor): void {
        this.editor = editor;
        if (this.last && isSame(this.shown, this.wanted)) {
            editor.show(this.last);
        } else {
            this.shown = editor.draft;
            this.isChosen = false;
        }
        void this.update();
    }

    detach(): void {
        this.last = this.current;
        this.editor = undefined;
    }

    get isShown(): boolean {
        return this.editor !== undefined;
    }

    get edited(): boolean {
        return (this.editor ?? this.last)?.edited ?? false;
    }

    /** The user left nothing of the proposal. */
    get isEmptied(): boolean {
        return this.edited && this.length === 0;
    }

    isOwn(draftId: string): boolean {
        return this.own.has(draftId);
    }

    /** The backend may not have what was typed here. */
    get isUnsent(): boolean {
        return this.options.outbox.has(this.shown.id);
    }

    /** What the user sees, or saw when the editor was closed. Nothing, if there was no editor. */
    get seen(): ShownText | undefined {
        const { current } = this;
        return current && (current.edited ? { draft: this.shown, text: current.text } : { draft: PROPOSAL });
    }

    get draft(): DraftRef {
        return this.shown;
    }

    /** The user changed the text. */
    changed(): void {
        let { id } = this.shown;
        let own = this.own.get(id);
        if (!own) {
            own = { revision: 0, from: id === PROPOSAL.id ? undefined : this.shown };
            id = this.options.newId();
            this.own.set(id, own);
        }
        own.revision++;
        this.shown = { id, revision: own.revision };
        this.isChosen = true;
        this.options.outbox.putSoon(this.shown.id, this);
    }

    get revision(): number {
        return this.shown.revision;
    }

    get length(): number {
        return this.editor?.length ?? this.last?.text.length ?? 0;
    }

    /** Sends what was typed here. */
    async send(): Promise<void> {
        await this.options.send(this.unsent.draft);
    }

    get unsent(): { reviewId: string; draft: Draft } {
        const { reviewId, about } = this.options;
        const { text, edited } = this.current ?? { text: '', edited: false };
        const from = this.own.get(this.shown.id)?.from;
        return { reviewId, draft: { ...this.shown, ...(from && { from }), ...(edited && { text }), about } };
    }

    /** A draft that is not shown, and not about to be. */
    get other(): DraftRef | undefined {
        return this.isReading ? undefined : this.options.drafts()?.find(({ id }) => id !== this.shown.id && !this.options.outbox.has(id));
    }

    /** Shows another draft of the review. The one that was shown stays beside it. */
    async showOther(): Promise<void> {
        const { other, shown: before } = this;
        const content = other && (await this.options.read(other).catch(() => undefined));
        // The user may have typed meanwhile.
        if (content && this.editor && isSame(before, this.shown)) {
            this.setAside();
            this.show(this.editor, content);
            this.isChosen = true;
        }
    }

    /** What was typed here and has not arrived is sent as it is now. */
    protected setAside(): void {
        if (this.isUnsent) {
            const { unsent, revision, length } = this;
            this.options.outbox.put(this.shown.id, { unsent, revision, length, send: () => this.options.send(unsent.draft) });
        }
    }

    /** What is to be shown: what was typed or chosen here, else the newest. */
    protected get wanted(): DraftRef {
        const drafts = this.options.drafts();
        if (this.isUnsent || !drafts) {
            return this.shown;
        }
        const chosen = this.isChosen ? [PROPOSAL, ...drafts].find(({ id }) => id === this.shown.id) : undefined;
        if (chosen) {
            return chosen.revision > this.shown.revision ? chosen : this.shown;
        }
        return drafts.at(-1) ?? PROPOSAL;
    }

    protected get current(): EditableText | undefined {
        return this.editor ? { text: this.editor.text, edited: this.editor.edited } : this.last;
    }

    /** Shows the newest text, unless it is shown already. Call it when the backend has said more, or has confirmed what was typed here. */
    async update(): Promise<void> {
        if (!this.isUnsent && !this.edited) {
            // Every edit was taken back.
            this.shown = PROPOSAL;
        }
        while (!this.isReading && this.editor && !isSame(this.shown, this.wanted)) {
            const { shown: before, wanted } = this;
            this.isReading = true;
            const content = await this.options.read(wanted).catch(() => undefined);
            this.isReading = false;
            // The user may have typed meanwhile, or the backend may have said that there is another one.
            if (isSame(before, this.shown) && isSame(wanted, this.wanted)) {
                if (content && this.editor) {
                    this.show(this.editor, content);
                }
                if (content?.draft.id !== wanted.id) {
                    // The next state of the backend says more.
                    return;
                }
            }
        }
    }

    protected show(editor: ProposalEditor, { draft, text, edited }: ReadText): void {
        editor.show({ text, edited });
        this.shown = draft;
        this.isChosen = this.own.has(draft.id);
        this.options.replaced();
    }
}

function isSame(one: DraftRef, other: DraftRef): boolean {
    return one.id === other.id && one.revision === other.revision;
}

/** Of the text that an editor shows of a kept draft. A later revision is another text, and has an editor of its own. */
export function keptKey({ id, revision }: DraftRef): string {
    return `kept ${id} ${revision}`;
}

/** The right side, as the backend says it. */
export function proposedText({ review, text }: ReviewContent): ReadText {
    return { draft: newestOf(review), text, edited: review.drafts.length > 0 };
}

function newestOf({ drafts }: ReviewInfo): DraftRef {
    return drafts.at(-1) ?? PROPOSAL;
}

function discardKey(draftId: string): string {
    return `discard ${draftId}`;
}
