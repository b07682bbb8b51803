// SPDX-License-Identifier: Apache-2.0

import { Disposable, DisposableCollection } from '@theia/core/lib/common/disposable';
import { Emitter } from '@theia/core/lib/common/event';
import { generateUuid } from '@theia/core/lib/common/uuid';
import { inject, injectable, postConstruct } from '@theia/core/shared/inversify';
import { CompanionBackend, Draft, DraftRef, PROPOSAL, ReviewInfo, ShownText } from '../../common/companion-protocol';
import { CompanionConnection } from '../window/companion-connection';
import { draftsOf, PageReviews } from './page-reviews';
import { ProposalModel } from './proposal-model';
import { ProposalText, ReadText } from './proposal-text';
import { ReviewOutbox, Unsent } from './review-outbox';

const READ_LIMIT = 20_000;

/** The text of each proposal that an editor of this page showed, and of each kept draft. It outlives the editor until the backend has it. */
@injectable()
export class ProposalTexts {
    @inject(CompanionBackend)
    protected readonly backend: CompanionBackend;
    @inject(CompanionConnection)
    protected readonly connection: CompanionConnection;
    @inject(PageReviews)
    protected readonly reviews: PageReviews;
    @inject(ReviewOutbox)
    protected readonly outbox: ReviewOutbox;

    /** By the review's id, or by what a kept draft's editor shows. */
    protected readonly texts = new Map<string, ProposalText>();
    protected readonly onDidChangeTextEmitter = new Emitter<string>();
    protected readonly onDidReplaceTextEmitter = new Emitter<string>();
    /** Fires with that id when a text is shown that was not typed here. */
    readonly onDidReplaceText = this.onDidReplaceTextEmitter.event;
    /** Fires with that id when the right side is another text. */
    readonly onDidChangeText = this.onDidChangeTextEmitter.event;

    @postConstruct()
    protected init(): void {
        this.outbox.onDidChange(() => this.compare());
    }

    /** An editor shows the model: the text follows it until the result is disposed. */
    follow(key: string, model: ProposalModel): Disposable {
        const text = this.texts.get(key) ?? this.begin(key, model);
        text.attach(model);
        return new DisposableCollection(
            model.onDidType(() => {
                text.changed();
                this.onDidChangeTextEmitter.fire(key);
            }),
            Disposable.create(() => {
                text.detach();
                this.outbox.flush();
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
        return this.texts.get(review.id)?.seen ?? { draft: review.draft };
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
        return this.outbox.isAtRisk && this.texts.get(reviewId)?.isUnsent === true;
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
            const review = this.reviews.infoOf(key);
            if (review) {
                void text.compare(draftsOf(review));
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
            const send = async (): Promise<void> => void (await this.sendDraft(reviewId, draft));
            this.outbox.put(draft.id, { revision: draft.revision, length: draft.text?.length ?? 0, send, unsent });
        }
    }

    /** Nobody wants this revision any more. A later one, which was typed meanwhile, stays. */
    discard(draft: DraftRef): void {
        this.outbox.drop(draft.id, draft.revision);
        const send = (): Promise<void> => this.backend.discardDraft(draft);
        this.outbox.put(discardKey(draft.id), { revision: draft.revision, length: 0, send, unsent: { discard: draft } });
    }

    /** The backend may not know of it yet. */
    isDiscarded({ id }: DraftRef): boolean {
        return this.outbox.has(discardKey(id));
    }

    protected begin(key: string, { review: { id: reviewId, uri, cliName } }: ProposalModel): ProposalText {
        const changed = (): void => this.onDidChangeTextEmitter.fire(key);
        const text = new ProposalText({
            reviewId,
            about: { uri, cliName },
            outbox: this.outbox,
            newId: generateUuid,
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
            const text = await this.connection.ask(() => this.backend.readDraft(draft.id), READ_LIMIT, failed);
            return typeof text === 'string' ? { draft, text, edited: true } : undefined;
        }
        const content = await this.connection.ask(() => this.backend.readReview(reviewId), READ_LIMIT, failed);
        return content && { draft: content.review.draft, text: content.text, edited: content.edited };
    }

    protected async sendDraft(reviewId: string, draft: Draft): Promise<DraftRef[]> {
        const drafts = await this.backend.sendDraft(reviewId, draft);
        this.reviews.drafted(reviewId, drafts);
        return drafts;
    }
}

/** Of the text that an editor shows of a kept draft. A later revision is another text, and has an editor of its own. */
export function keptKey({ id, revision }: DraftRef): string {
    return `kept ${id} ${revision}`;
}

function discardKey(draftId: string): string {
    return `discard ${draftId}`;
}
