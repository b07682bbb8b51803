// SPDX-License-Identifier: Apache-2.0

import { Disposable, DisposableCollection } from '@theia/core/lib/common/disposable';
import { Emitter } from '@theia/core/lib/common/event';
import { inject, injectable } from '@theia/core/shared/inversify';
import { CompanionBackend, ReviewAnswer, ReviewInfo, ShownText } from '../../common/companion-protocol';
import { limitWithText, noAnswerText } from '../window/backend-calls';
import { CompanionConnection } from '../window/companion-connection';
import { WindowIdentity } from '../window/window-identity';
import { ProposalModel } from './proposal-model';
import { ProposalText } from './proposal-text';

const READ_LIMIT = 20_000;
const ANSWER_LIMIT = 15_000;

/** What an answer says of a text. */
export type SeenText = Pick<ProposalText, 'answer' | 'orderedAnswer' | 'shown' | 'length' | 'changeCount' | 'answered'>;

/** No editor of this page shows it. */
export const NOTHING_SEEN: SeenText = {
    answer: {},
    orderedAnswer: {},
    shown: {},
    length: 0,
    changeCount: 0,
    answered: () => undefined
};

/** The text of each proposal that an editor shows. A text outlives its editors until the backend has it. */
@injectable()
export class ProposalTexts {
    @inject(CompanionBackend)
    protected readonly backend: CompanionBackend;
    @inject(CompanionConnection)
    protected readonly connection: CompanionConnection;
    @inject(WindowIdentity)
    protected readonly identity: WindowIdentity;

    protected readonly texts = new Map<string, ProposalText>();
    /** The last text of each waiting review whose editors are closed, once the backend has it. */
    protected readonly closed = new Map<string, ProposalText>();
    protected readonly onDidEditEmitter = new Emitter<string>();
    /** Fires with the review's id when the user changed the proposal. */
    readonly onDidEdit = this.onDidEditEmitter.event;
    protected readonly onDidDivergeEmitter = new Emitter<string>();
    /** Fires with the review's id when the proposal was also changed on another page. */
    readonly onDidDiverge = this.onDidDivergeEmitter.event;

    /** An editor shows the model: the text follows it until the result is disposed. */
    follow(reviewId: string, model: ProposalModel): Disposable {
        const previous = this.texts.get(reviewId) ?? this.closed.get(reviewId);
        this.closed.delete(reviewId);
        previous?.dispose();
        const text: ProposalText = new ProposalText({
            editor: model,
            loadId: this.identity.loadId,
            read: () => this.connection.ask(() => this.backend.readReview(reviewId), READ_LIMIT, 'The text could not be read in time.'),
            send: edit => this.backend.updateReviewText(reviewId, edit),
            refused: () => this.connection.refresh(),
            diverged: () => this.onDidDivergeEmitter.fire(reviewId),
            done: () => {
                this.drop(reviewId, text);
                this.closed.set(reviewId, text);
            }
        });
        this.texts.set(reviewId, text);
        if (previous) {
            text.resume(previous);
        }
        return new DisposableCollection(
            model.onDidType(() => {
                text.changed();
                this.onDidEditEmitter.fire(reviewId);
            }),
            Disposable.create(() => text.leave())
        );
    }

    /** The text that the user sees, or saw last if the backend may not have it. */
    shown(reviewId: string): ShownText {
        return this.texts.get(reviewId)?.shown ?? {};
    }

    /** The same for an answer, also after the text is forgotten: the version of a text that the backend has, or that text itself. */
    seen(reviewId: string): SeenText {
        return this.texts.get(reviewId) ?? NOTHING_SEEN;
    }

    /** Answers a review: sends a text that the backend has already only if it wants it. */
    async answer(call: (shown: ShownText) => Promise<ReviewAnswer>, seen: SeenText): Promise<ReviewAnswer> {
        const whatFailed = noAnswerText();
        const { orderedAnswer: known, length, changeCount } = seen;
        const limit = limitWithText(ANSWER_LIMIT, known.unedited ? 0 : length);
        let answer = await this.connection.ask(() => call(known), limit, whatFailed);
        if (answer.result === 'textNeeded') {
            answer = await this.connection.ask(() => call(seen.shown), limit, whatFailed);
        }
        if (answer.result !== 'emptied') {
            seen.answered(changeCount);
        }
        return answer;
    }

    /** Sends at once what was typed since the last call. */
    sendChanges(): void {
        this.texts.forEach(text => text.sendChanges());
    }

    /** Sends at once what the user typed and the backend may not have yet. */
    flush(reviewId?: string): void {
        for (const [id, text] of this.texts) {
            if (reviewId === undefined || reviewId === id) {
                text.flush();
            }
        }
    }

    /** Compares the text with the version that the backend has. */
    compare({ id, version }: ReviewInfo): void {
        void this.texts.get(id)?.compare(version);
    }

    hasOther(reviewId: string): boolean {
        return this.texts.get(reviewId)?.hasOther ?? false;
    }

    /** Shows the version from the other page, or the one from this page again. */
    swap(reviewId: string): void {
        this.texts.get(reviewId)?.swap();
    }

    /** Whether the user changed the proposal. */
    isEdited(reviewId: string): boolean {
        return this.texts.get(reviewId)?.edited ?? false;
    }

    /** The review has ended. The backend keeps what was typed while its answer was under way. */
    forget(reviewId: string): void {
        this.closed.delete(reviewId);
        const text = this.texts.get(reviewId);
        if (text) {
            text.sendChanges();
            this.drop(reviewId, text);
        }
    }

    /** Sends and forgets the texts that have no editor and whose reviews have ended. The backend keeps what it did not have. */
    keepOnly(waiting: readonly ReviewInfo[]): void {
        const ids = new Set(waiting.map(({ id }) => id));
        for (const [id, text] of [...this.texts]) {
            if (text.left && !ids.has(id)) {
                text.flush();
                this.drop(id, text);
            }
        }
        [...this.closed.keys()].filter(id => !ids.has(id)).forEach(id => this.closed.delete(id));
    }

    protected drop(reviewId: string, text: ProposalText): void {
        text.dispose();
        if (this.texts.get(reviewId) === text) {
            this.texts.delete(reviewId);
        }
    }
}
