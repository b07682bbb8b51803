// SPDX-License-Identifier: Apache-2.0

import { stub } from 'sinon';

/**
 * Lets the time pass in which windows may be away, without waiting for it.
 *
 * @param ms milliseconds
 * @returns takes it back
 */
export function passTime(ms: number): () => void {
    const now = performance.now.bind(performance);
    const passed = stub(performance, 'now').callsFake(() => now() + ms);
    return () => passed.restore();
}
