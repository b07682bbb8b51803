// SPDX-License-Identifier: Apache-2.0

import { Disposable, DisposableCollection } from '@theia/core/lib/common/disposable';
import { Emitter } from '@theia/core/lib/common/event';
import { inject, injectable } from '@theia/core/shared/inversify';
import { CompanionBackend, ReviewInfo, ShownText } from '../../common/companion-protocol';
import { CompanionConnection } from '../window/companion-connection';
import { WindowIdentity } from '../window/window-identity';
import { ProposalModel } from './proposal-model';
import { ProposalText } from './proposal-text';

const READ_LIMIT = 20_000;

/** What the user made of the proposals. A text outlives its views until the backend has it. */
@injectable()
export class ReviewTexts {
    @inject(CompanionBackend)
    protected readonly backend: CompanionBackend;
    @inject(CompanionConnection)
    protected readonly connection: CompanionConnection;
    @inject(WindowIdentity)
    protected readonly identity: WindowIdentity;

    protected readonly texts = new Map<string, ProposalText>();
    protected readonly edited = new Emitter<string>();
    /** Fires with the review's id when the user changed the proposal. */
    readonly onDidEdit = this.edited.event;
    protected readonly diverged = new Emitter<string>();
    /** Fires with the review's id when somebody else had changed it, too. */
    readonly onDidDiverge = this.diverged.event;

    /** A view shows the review's model: the text follows it until it is disposed. */
    follow(reviewId: string, model: ProposalModel): Disposable {
        const previous = this.texts.get(reviewId);
        previous?.dispose();
        const text: ProposalText = new ProposalText({
            editor: model,
            loadId: this.identity.loadId,
            read: () => this.connection.ask(() => this.backend.readReview(reviewId), READ_LIMIT, 'The text could not be read in time.'),
            send: edit => this.backend.updateReviewText(reviewId, edit),
            refused: () => this.connection.refresh(),
            diverged: () => this.diverged.fire(reviewId),
            done: () => this.drop(reviewId, text)
        });
        this.texts.set(reviewId, text);
        if (previous?.unsent) {
            text.resume(previous);
        }
        return new DisposableCollection(
            model.onDidType(() => {
                text.changed();
                this.edited.fire(reviewId);
            }),
            Disposable.create(() => text.leave())
        );
    }

    /** What the user sees of the review, or saw last if the backend may not have it. */
    shown(reviewId: string): ShownText {
        return this.texts.get(reviewId)?.shown ?? {};
    }

    /** Sends what the user typed and the backend may not have yet. */
    flush(reviewId?: string): void {
        for (const [id, text] of this.texts) {
            if (reviewId === undefined || reviewId === id) {
                text.flush();
            }
        }
    }

    /** Has the text follow what the backend says of it. */
    compare({ id, version }: ReviewInfo): void {
        void this.texts.get(id)?.compare(version);
    }

    hasOther(reviewId: string): boolean {
        return this.texts.get(reviewId)?.hasOther ?? false;
    }

    /** Shows the version that was made elsewhere, or the one that was made here again. */
    swap(reviewId: string): void {
        this.texts.get(reviewId)?.swap();
    }

    /** Whether the user changed the proposal. */
    isEdited(reviewId: string): boolean {
        return this.shown(reviewId).text !== undefined;
    }

    /** The review has ended: its text is of no use any more. */
    forget(reviewId: string): void {
        const text = this.texts.get(reviewId);
        if (text) {
            this.drop(reviewId, text);
        }
    }

    /** Forgets the texts of reviews that wait no more. The backend keeps what it had not got before. */
    keepOnly(waiting: readonly ReviewInfo[]): void {
        for (const [id, text] of [...this.texts]) {
            if (text.left && !waiting.some(review => review.id === id)) {
                text.flush();
                this.drop(id, text);
            }
        }
    }

    protected drop(reviewId: string, text: ProposalText): void {
        text.dispose();
        if (this.texts.get(reviewId) === text) {
            this.texts.delete(reviewId);
        }
    }
}
