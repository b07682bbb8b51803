// SPDX-License-Identifier: Apache-2.0

import { Disposable } from '@theia/core/lib/common/disposable';

/** The time, as far as rules depend on it. A test has one of its own. */
export interface Clock {
    /** Milliseconds since the epoch. */
    now(): number;
    /** Does not keep the process alive. @param ms milliseconds */
    after(ms: number, run: () => void): Disposable;
}

export const systemClock: Clock = {
    now: () => Date.now(),
    after: (ms, run) => {
        const timer = setTimeout(run, ms).unref();
        return Disposable.create(() => clearTimeout(timer));
    }
};
