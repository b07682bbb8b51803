// SPDX-License-Identifier: Apache-2.0

import { generateUuid } from '@theia/core/lib/common/uuid';
import { Disposable, DisposableCollection } from '@theia/core/lib/common/disposable';
import { Emitter } from '@theia/core/lib/common/event';
import { inject, injectable } from '@theia/core/shared/inversify';
import { CompanionBackend, DraftRef, PROPOSAL, ReviewAnswer, ReviewInfo, ShownText } from '../../common/companion-protocol';
import { limitWithText, noAnswerText } from '../window/backend-calls';
import { CompanionConnection } from '../window/companion-connection';
import { DraftJournal, UnsentDraft } from './draft-journal';
import { ProposalModel, Proposed } from './proposal-model';
import { ProposalText } from './proposal-text';

const READ_LIMIT = 20_000;
const ANSWER_LIMIT = 15_000;

/** The text of each proposal that an editor of this page showed. It outlives editor and review until the backend has it. */
@injectable()
export class ProposalTexts {
    @inject(CompanionBackend)
    protected readonly backend: CompanionBackend;
    @inject(CompanionConnection)
    protected readonly connection: CompanionConnection;

    protected readonly texts = new Map<string, ProposalText>();
    protected waiting: ReadonlySet<string> = new Set();
    protected readonly journal = new DraftJournal();
    /** Those of earlier loads of the page that the backend may not have; `undefined` until it says whose it is. */
    protected earlier: UnsentDraft[] | undefined;
    protected storageFails = false;
    protected readonly onDidChangeTextEmitter = new Emitter<string>();
    /** Fires with the review's id, or that of a kept draft, when the right side is another text. */
    readonly onDidChangeText = this.onDidChangeTextEmitter.event;

    /**
     * An editor shows the model: the text follows it until the result is disposed.
     *
     * @param key the review's id, or that of a kept draft
     */
    follow(key: string, model: ProposalModel): Disposable {
        const text = this.texts.get(key) ?? this.begin(key, model.review);
        text.attach(model);
        return new DisposableCollection(
            model.onDidType(() => {
                text.changed();
                this.onDidChangeTextEmitter.fire(key);
            }),
            Disposable.create(() => {
                text.detach();
                void text.flush();
                this.forgetIfSent(key);
            })
        );
    }

    /** The draft that a kept one has become in its editor; itself, if nobody typed there. */
    continued(kept: DraftRef): DraftRef {
        return this.texts.get(kept.id)?.seen.draft ?? kept;
    }

    /** What the user sees of a review, or saw last. Without a view that is what the list says. */
    seen(review: ReviewInfo): ShownText {
        return this.texts.get(review.id)?.seen ?? { draft: review.draft };
    }

    isOwn(reviewId: string, draftId: string): boolean {
        return this.texts.get(reviewId)?.isOwn(draftId) ?? false;
    }

    /** Resolves when what was typed into a kept draft has arrived, or may not have. */
    async arrived(kept: DraftRef): Promise<void> {
        await this.texts.get(kept.id)?.flush();
    }

    /** Accepts what the user sees. The text itself goes only if the backend does not have it. */
    async accept(review: ReviewInfo): Promise<ReviewAnswer> {
        const text = this.texts.get(review.id);
        // The text arrives before the answer.
        text?.sendChanges();
        const { draft } = this.seen(review);
        const seen = text?.seenText;
        const ask = (shown: ShownText): Promise<ReviewAnswer> =>
            this.connection.ask(
                () => this.backend.acceptReview(review.id, shown),
                limitWithText(ANSWER_LIMIT, text?.edited ? text.length : 0),
                noAnswerText()
            );
        const answer = await ask({ draft });
        return answer.result === 'textNeeded' && seen ? ask(seen) : answer;
    }

    /** Takes effect at once: what was typed travels by itself. */
    reject(reviewId: string): Promise<ReviewAnswer> {
        this.texts.get(reviewId)?.sendChanges();
        return this.connection.ask(() => this.backend.rejectReview(reviewId), ANSWER_LIMIT, noAnswerText());
    }

    /**
     * The page may end. What was typed last is sent, and what may not arrive is kept for the next load of the page.
     *
     * @returns whether nothing is lost. Another tab has no access to what is kept here
     */
    leave(): boolean {
        this.sendChanges();
        return this.store() && (this.unsent.length === 0 || this.connection.connected);
    }

    /** What was typed here would be lost with the page: it has not arrived, and the browser does not store it. */
    isAtRisk(reviewId: string): boolean {
        return this.storageFails && this.texts.get(reviewId)?.unsent === true;
    }

    protected get unsent(): UnsentDraft[] {
        return [...(this.earlier ?? []), ...[...this.texts.values()].flatMap(({ unsentDraft }) => unsentDraft ?? [])];
    }

    /** @returns whether the next load of the page has what may not have arrived */
    protected store(): boolean {
        const { installation } = this.connection.state ?? {};
        const { unsent } = this;
        this.storageFails = unsent.length > 0 && (installation === undefined || !this.journal.store(installation, unsent));
        if (unsent.length === 0 && installation !== undefined) {
            this.journal.store(installation, []);
        }
        return !this.storageFails;
    }

    /** Sends what an earlier load of the page could not send. */
    async sendEarlier(): Promise<void> {
        const { installation } = this.connection.state ?? {};
        if (installation === undefined) {
            return;
        }
        this.earlier ??= this.journal.load(installation);
        for (const unsent of [...this.earlier]) {
            await this.connection.ask(() => this.backend.sendDraft(unsent.reviewId, unsent.draft), READ_LIMIT, '');
            this.earlier = this.earlier.filter(one => one !== unsent);
            this.journal.store(installation, this.earlier);
        }
    }

    /** Sends at once what was typed since the last call. */
    sendChanges(): void {
        this.texts.forEach(text => text.sendChanges());
    }

    /** Sends at once what the user typed and the backend may not have yet. */
    flush(): void {
        this.texts.forEach(text => void text.flush());
    }

    /** The backend lists these reviews. The texts of others go when the backend has them. */
    compare(reviews: readonly ReviewInfo[]): void {
        this.waiting = new Set(reviews.map(({ id }) => id));
        reviews.forEach(review => void this.texts.get(review.id)?.compare(draftsOf(review)));
        [...this.texts.keys()].forEach(id => this.forgetIfSent(id));
    }

    /** A draft of another page that is not shown. */
    otherOf(review: ReviewInfo): DraftRef | undefined {
        return this.texts.get(review.id)?.otherOf(draftsOf(review));
    }

    /** Shows the text from another page instead, or the one from this page again. */
    async showOther(review: ReviewInfo): Promise<void> {
        const other = this.otherOf(review);
        if (other) {
            await this.texts.get(review.id)?.showDraft(other);
            this.onDidChangeTextEmitter.fire(review.id);
        }
    }

    /** Whether the user changed the proposal. */
    isEdited(reviewId: string): boolean {
        return this.texts.get(reviewId)?.edited ?? false;
    }

    protected begin(key: string, { id: reviewId, uri, cliName }: Proposed): ProposalText {
        const text = new ProposalText({
            reviewId,
            about: { uri, cliName },
            newId: generateUuid,
            read: () => this.connection.ask(() => this.backend.readReview(reviewId), READ_LIMIT, 'The text could not be read in time.'),
            readDraft: id => this.connection.ask(() => this.backend.readDraft(id), READ_LIMIT, 'The text could not be read in time.'),
            send: draft => {
                if (!this.connection.connected) {
                    this.store();
                    this.onDidChangeTextEmitter.fire(key);
                }
                return this.backend.sendDraft(reviewId, draft);
            },
            sent: () => {
                this.forgetIfSent(key);
                this.onDidChangeTextEmitter.fire(key);
            },
            replaced: () => this.onDidChangeTextEmitter.fire(key)
        });
        this.texts.set(key, text);
        return text;
    }

    protected forgetIfSent(key: string): void {
        const text = this.texts.get(key);
        if (text && !text.isShown && !text.unsent && !this.waiting.has(key)) {
            text.dispose();
            this.texts.delete(key);
        }
    }
}

/** The newest last. */
function draftsOf({ draft, otherDrafts = [] }: ReviewInfo): DraftRef[] {
    return [...otherDrafts, ...(draft.id === PROPOSAL.id ? [] : [draft])];
}
