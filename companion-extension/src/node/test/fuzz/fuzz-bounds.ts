// SPDX-License-Identifier: Apache-2.0

import * as fc from 'fast-check';

/**
 * How much is tried of each property: `npm run fuzz -- RUNS SECONDS SEED`. A run that ends by time has passed if nothing failed until
 * then; the seed of a failure is in its message.
 */
export function fuzzBounds(): fc.Parameters<unknown> {
    const { FUZZ_RUNS, FUZZ_SECONDS, FUZZ_SEED } = process.env;
    return {
        numRuns: Number(FUZZ_RUNS ?? 200),
        interruptAfterTimeLimit: Number(FUZZ_SECONDS ?? 5) * 1_000,
        ...(FUZZ_SEED ? { seed: Number(FUZZ_SEED) } : {})
    };
}

/** Milliseconds that a test of one property may take. */
export function fuzzTimeout(): number {
    return Number(process.env.FUZZ_SECONDS ?? 5) * 1_000 + 60_000;
}
