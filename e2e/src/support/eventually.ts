// SPDX-License-Identifier: Apache-2.0

export interface Wait {
    /** In milliseconds; generous by default, since a wait ends as soon as its condition holds. */
    timeout?: number;
    /** In milliseconds between two looks; {@link pauseAfter} by default. */
    interval?: number;
    /** What to show if the wait fails, such as the screen. */
    state?: () => string | Promise<string>;
}

/** A probe throws it if no later look can succeed. */
export class Hopeless extends Error {}

const DEFAULT_TIMEOUT = 60_000;
/** In milliseconds: a fifth of the wait so far. Polling takes CPU from what we wait for. */
function pauseAfter(waited: number): number {
    return Math.min(Math.max(waited / 5, 30), 250);
}

/**
 * Polls until the probe succeeds.
 *
 * @param what is waited for, for the message if it does not come
 * @param probe answers `undefined` or `false` while there is nothing yet; the last error that it throws is in the message,
 *   {@link Hopeless} at once
 */
export async function eventually<T>(what: string, probe: () => T | Promise<T>, wait: Wait = {}): Promise<Exclude<T, undefined | false>> {
    const timeout = wait.timeout ?? DEFAULT_TIMEOUT;
    const start = Date.now();
    const end = start + timeout;
    let failure: unknown;
    for (;;) {
        try {
            const found = await probe();
            if (found !== undefined && found !== false) {
                return found as Exclude<T, undefined | false>;
            }
            failure = undefined;
        } catch (error) {
            failure = error;
        }
        const hopeless = failure instanceof Hopeless;
        if (hopeless || Date.now() > end) {
            const reason = failure instanceof Error ? `\nThe last look failed: ${failure.message}` : '';
            const state = wait.state ? `\n${await wait.state()}` : '';
            throw new Error(`Waited ${hopeless ? '' : `${timeout / 1000} s `}in vain for ${what}${reason}${state}`);
        }
        await delay(wait.interval ?? pauseAfter(Date.now() - start));
    }
}

/** For pauses that the other side needs; say there why. Conditions are waited for with {@link eventually}. */
export function delay(milliseconds: number): Promise<void> {
    return new Promise(resolve => setTimeout(resolve, milliseconds));
}
