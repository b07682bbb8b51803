// SPDX-License-Identifier: Apache-2.0

import { Disposable } from '@theia/core/lib/common/disposable';
import { Clock } from '../clock';

/** A clock for tests: time passes only when it is told to. */
export class FakeClock implements Clock {
    protected time = 1_000_000;
    protected readonly timers = new Set<{ at: number; run: () => void }>();

    get pending(): number {
        return this.timers.size;
    }

    now(): number {
        return this.time;
    }

    after(delay: number, run: () => void): Disposable {
        const timer = { at: this.time + delay, run };
        this.timers.add(timer);
        return Disposable.create(() => this.timers.delete(timer));
    }

    pass(milliseconds: number): void {
        const end = this.time + milliseconds;
        for (;;) {
            const [next] = Array.from(this.timers)
                .filter(({ at }) => at <= end)
                .sort((left, right) => left.at - right.at);
            if (!next) {
                break;
            }
            this.timers.delete(next);
            this.time = Math.max(this.time, next.at);
            next.run();
        }
        this.time = end;
    }
}
