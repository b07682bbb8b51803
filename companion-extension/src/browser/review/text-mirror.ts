// SPDX-License-Identifier: Apache-2.0

import { Disposable, DisposableCollection, disposableTimeout } from '@theia/core/lib/common/disposable';
import { withTimeLimit } from '../../common/time-limit';
import { limitWithText } from '../window/backend-calls';

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
    /** Sends the newest text. Rejects if it may not have arrived. */
    send(): Promise<void>;
    /** The backend has the newest text. */
    sent(): void;
}

/** Sends what the user typed to the backend, a moment after the last key, and again until the backend has it. */
export class TextMirror implements Disposable {
    protected readonly timer = new DisposableCollection();
    /** When the user typed the first key that is not sent yet. */
    protected dirtySince: number | undefined;
    /** The newest call that is under way. */
    protected sending: object | undefined;
    protected disposed = false;
    protected failures = 0;

    constructor(protected readonly options: TextMirrorOptions) {}

    /** The backend may not have the newest text. */
    get unsent(): boolean {
        return this.dirtySince !== undefined || this.sending !== undefined;
    }

    changed(): void {
        if (!this.disposed) {
            this.dirtySince ??= Date.now();
            this.schedule();
        }
    }

    /** Sends at once what was typed since the last call. */
    sendChanges(): void {
        if (!this.disposed && this.dirtySince !== undefined) {
            void this.send();
        }
    }

    /**
     * Sends at once what may not have arrived yet. It also repeats a call that is under way, because that call may be lost.
     *
     * @returns when it has arrived, or may not have
     */
    async flush(): Promise<void> {
        if (!this.disposed && this.unsent) {
            await this.send();
        }
    }

    dispose(): void {
        this.disposed = true;
        this.timer.dispose();
    }

    protected schedule(): void {
        this.timer.dispose();
        const pause = DELAY + this.options.length() / CHARACTERS_PER_MILLISECOND;
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
        this.timer.dispose();
        this.dirtySince = undefined;
        const call = {};
        this.sending = call;
        const arrived = await this.arrives();
        if (this.sending !== call || this.disposed) {
            // A newer call has the text as well.
            return;
        }
        this.sending = undefined;
        this.failures = arrived ? 0 : this.failures + 1;
        if (!arrived) {
            this.dirtySince ??= Date.now();
        }
        if (this.dirtySince !== undefined) {
            this.schedule();
        } else {
            this.options.sent();
        }
    }

    protected async arrives(): Promise<boolean> {
        const { send, length } = this.options;
        try {
            await withTimeLimit(send(), limitWithText(SEND_LIMIT, length()), 'The draft did not arrive in time.');
            return true;
        } catch {
            return false;
        }
    }
}
