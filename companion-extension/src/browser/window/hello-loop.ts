// SPDX-License-Identifier: Apache-2.0

import { Disposable, DisposableCollection, disposableTimeout } from '@theia/core/lib/common/disposable';
import { WindowState } from '../../common/companion-protocol';
import { withTimeLimit } from '../../common/time-limit';

const TIME_LIMIT = 10_000;
const FIRST_RETRY = 2_000;
const LONGEST_RETRY = 30_000;

export interface HelloLoopOptions {
    /** Says hello with the window as it is now. */
    say(): Promise<WindowState>;
    received(state: WindowState): void;
    failed(error: Error): void;
}

/** Says hello on request, one at a time, and again after a failure. */
export class HelloLoop implements Disposable {
    protected readonly retry = new DisposableCollection();
    /** Numbers the calls, so that a late answer to an abandoned one is ignored. */
    protected generation = 0;
    protected speaking = false;
    protected again = false;
    protected failures = 0;
    protected disposed = false;

    constructor(protected readonly options: HelloLoopOptions) {}

    /** Says hello now, or again when the call under way has ended. */
    request(): void {
        if (this.disposed) {
            return;
        }
        if (this.speaking) {
            this.again = true;
        } else {
            void this.run();
        }
    }

    /** Abandons the call under way, and says hello again. After the socket was lost, that call may never settle. */
    restart(): void {
        this.generation++;
        this.speaking = false;
        this.failures = 0;
        this.request();
    }

    dispose(): void {
        this.disposed = true;
        this.generation++;
        this.retry.dispose();
    }

    protected async run(): Promise<void> {
        const generation = ++this.generation;
        this.retry.dispose();
        this.speaking = true;
        this.again = false;
        try {
            const state = await withTimeLimit(this.options.say(), TIME_LIMIT, 'The backend does not answer.');
            if (generation !== this.generation) {
                return;
            }
            this.failures = 0;
            this.options.received(state);
        } catch (error) {
            if (generation !== this.generation) {
                return;
            }
            const delay = Math.min(LONGEST_RETRY, FIRST_RETRY * 2 ** this.failures++);
            this.retry.push(disposableTimeout(() => this.request(), delay));
            this.options.failed(error instanceof Error ? error : new Error(String(error)));
        }
        this.speaking = false;
        if (this.again) {
            this.request();
        }
    }
}
