// SPDX-License-Identifier: Apache-2.0

import { Disposable, DisposableCollection, disposableTimeout } from '@theia/core/lib/common/disposable';
import { ReviewEditAnswer } from '../../common/companion-protocol';
import { withTimeLimit } from '../../common/time-limit';
import { limitWithText, nextSequenceNumber } from '../window/backend-calls';

const DELAY = 300;
/** If the user types without a pause, the text is sent after this many delays. */
const LONGEST_WAIT = 5;
/** Large texts are sent less often: the delay grows by a millisecond for this many characters. */
const CHARACTERS_PER_MILLISECOND = 5_000;
const SEND_LIMIT = 10_000;
/** While the backend cannot be reached, the wait doubles this often. */
const MAX_DOUBLINGS = 5;

export interface TextMirrorOptions {
    /** Length of the text, in characters. */
    length(): number;
    /** `undefined` if every edit was taken back. */
    text(): string | undefined;
    send(revision: number, text: string | undefined): Promise<ReviewEditAnswer>;
    /** The backend has the newest text. */
    sent(): void;
    /** The backend did not take the text. It is sent again later. */
    refused(): void;
    /** Longer texts are not mirrored: a reload loses their edits. The answer still carries them. */
    limit: number;
}

/** Sends what the user typed to the backend, a moment after the last key. So a reload does not lose it. */
export class TextMirror implements Disposable {
    protected readonly timer = new DisposableCollection();
    /** When the user typed the first key that is not sent yet. */
    protected dirtySince: number | undefined;
    /** The newest call that is under way. */
    protected sending: { readonly revision: number } | undefined;
    /** The backend cannot hold the text as it is. */
    protected tooLong = false;
    protected disposed = false;
    protected failures = 0;

    constructor(protected readonly options: TextMirrorOptions) {}

    /** The backend may not have the newest text. */
    get unsent(): boolean {
        return this.dirtySince !== undefined || this.sending !== undefined || this.tooLong;
    }

    /** The revision of the newest text, if it is on its way. */
    get underWay(): number | undefined {
        return this.dirtySince === undefined && !this.tooLong ? this.sending?.revision : undefined;
    }

    changed(): void {
        if (!this.disposed) {
            this.dirtySince ??= Date.now();
            this.schedule();
        }
    }

    /** The text needs no mirroring as it is: an answer had it. */
    answered(): void {
        this.timer.dispose();
        this.dirtySince = undefined;
    }

    /** Sends at once what was typed since the last call. */
    sendChanges(): void {
        if (!this.disposed && this.dirtySince !== undefined) {
            this.timer.dispose();
            void this.send();
        }
    }

    /** Sends at once what may not have arrived yet. It also repeats a call that is under way, because that call may be lost. */
    flush(): void {
        if (!this.disposed && (this.dirtySince !== undefined || this.sending !== undefined)) {
            this.timer.dispose();
            void this.send();
        }
    }

    dispose(): void {
        this.disposed = true;
        this.timer.dispose();
    }

    protected schedule(): void {
        this.timer.dispose();
        const { length } = this.options;
        const pause = DELAY + length() / CHARACTERS_PER_MILLISECOND;
        const left = (this.dirtySince ?? Date.now()) + pause * LONGEST_WAIT - Date.now();
        const delay = this.failures > 0 ? pause * 2 ** Math.min(this.failures, MAX_DOUBLINGS) : Math.max(0, Math.min(pause, left));
        this.timer.push(
            disposableTimeout(() => {
                if (!this.sending) {
                    void this.send();
                }
            }, delay)
        );
    }

    protected async send(): Promise<void> {
        const { options } = this;
        this.dirtySince = undefined;
        this.tooLong = options.length() > options.limit;
        if (this.tooLong) {
            return;
        }
        const call = { revision: nextSequenceNumber() };
        this.sending = call;
        const result = await this.call(call.revision);
        if (this.sending !== call) {
            // A newer call has the text as well.
            return;
        }
        this.sending = undefined;
        if (this.disposed) {
            return;
        }
        this.tooLong = result === 'full';
        if (result === 'late' || result === 'failed') {
            // Try again, later each time. The answer carries the text anyway.
            this.failures++;
            this.dirtySince ??= Date.now();
        } else {
            this.failures = 0;
        }
        if (this.dirtySince !== undefined) {
            this.schedule();
        }
        if (result === 'late') {
            options.refused();
        } else if (!this.unsent) {
            options.sent();
        }
    }

    protected async call(revision: number): Promise<ReviewEditAnswer['result'] | 'failed'> {
        const { send, text, length } = this.options;
        try {
            const limit = limitWithText(SEND_LIMIT, length());
            const sent = send(revision, text());
            return (await withTimeLimit(sent, limit, 'The edit was not mirrored in time.')).result;
        } catch {
            return 'failed';
        }
    }
}
