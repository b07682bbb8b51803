// SPDX-License-Identifier: Apache-2.0

import { Clock } from '../../common/clock';

/** Enough for the longest chain of promises between two timers. */
const MICROTASKS = 25;

/** More timers in one wait are a timer that sets itself again at once. No limit of mocha would end that: it waits for no real time. */
const TIMERS_LIMIT = 20_000;

/** Lets everything run that waits for no time. */
export async function settle(): Promise<void> {
    for (let index = 0; index < MICROTASKS; index++) {
        await Promise.resolve();
    }
}

/** Time that passes only when it is told to. */
export class ModelClock implements Clock {
    now = 0;
    /** How far the wall clock is ahead. */
    ahead = 0;
    protected timers: { readonly at: number; readonly run: () => void }[] = [];

    get wall(): number {
        return this.now + this.ahead;
    }

    after(ms: number, run: () => void): () => void {
        const timer = { at: this.now + ms, run };
        const index = this.timers.findIndex(({ at }) => at > timer.at);
        this.timers.splice(index < 0 ? this.timers.length : index, 0, timer);
        return () => void (this.timers = this.timers.filter(one => one !== timer));
    }

    /** For what may be killed: then its timers do nothing any more. */
    while(isAlive: () => boolean): Clock {
        const [now, wall] = [(): number => this.now, (): number => this.wall];
        return {
            get now() {
                return now();
            },
            get wall() {
                return wall();
            },
            after: (ms, run) => this.after(ms, () => isAlive() && run())
        };
    }

    async pass(ms: number): Promise<void> {
        await settle();
        const end = this.now + ms;
        let timers = 0;
        while (this.timers.length > 0 && this.timers[0].at <= end) {
            if (++timers > TIMERS_LIMIT) {
                throw new Error(`A timer sets itself again at once, at ${this.now} ms`);
            }
            const [{ at, run }] = this.timers.splice(0, 1);
            this.now = at;
            run();
            await settle();
        }
        this.now = end;
    }
}
