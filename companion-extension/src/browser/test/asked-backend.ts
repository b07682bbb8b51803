// SPDX-License-Identifier: Apache-2.0

import { CallOptions } from '../../common/calls';
import { ReviewAnswer, ReviewContent, ReviewSave, SeenFile, ShownText } from '../../common/companion-protocol';

interface Answering {
    reply(answer: unknown): void;
    delayed(): void;
}

/** What the backend is asked, to be answered by the test. */
export class AskedBackend {
    readonly reads: Array<(content: ReviewContent | undefined) => void> = [];
    readonly saves: Array<{ save: ReviewSave; reply(): void }> = [];
    readonly answers: Array<{ shown?: ShownText; file?: SeenFile; reply(answer: ReviewAnswer): void; delayed(): void }> = [];
    isLeft = true;
    protected answering: Answering;

    call<T>(_: string | symbol, { make, reply, failed = () => undefined }: CallOptions<T>): void {
        this.answering = { reply: answer => reply(answer as T), delayed: failed };
        void make();
    }

    hasLeft(): boolean {
        return this.isLeft;
    }

    drop(): void {
        this.answers.pop();
    }

    async readReview(): Promise<undefined> {
        this.reads.push(this.answering.reply);
    }

    async saveReview(save: ReviewSave): Promise<void> {
        const { reply } = this.answering;
        this.saves.push({ save, reply: () => reply(undefined) });
    }

    async acceptReview(_: string, shown: ShownText, file?: SeenFile): Promise<ReviewAnswer> {
        this.answers.push({ shown, file, ...this.answering });
        return { result: 'done' };
    }

    async rejectReview(): Promise<ReviewAnswer> {
        this.answers.push(this.answering);
        return { result: 'done' };
    }

    closeReview(): Promise<ReviewAnswer> {
        return this.rejectReview();
    }
}
