// SPDX-License-Identifier: Apache-2.0

import * as upng from 'upng-js';

export interface Frame {
    /** As a browser takes it. */
    readonly png: Buffer;
    /** How long it is shown, in milliseconds. */
    readonly delay: number;
}

/** A page has more only by the smoothing of its letters. */
const COLORS = [256, 128, 64, 32];

/**
 * The same picture in fewer colours, which takes less than half the room; with more than one frame an animated PNG, in which each frame
 * holds only what differs from the one before.
 *
 * @param limit in bytes: takes as many colours as it allows
 */
export function compress(frames: readonly Frame[], limit: number): Buffer {
    const decoded = frames.map(({ png }) => upng.decode(Uint8Array.from(png).buffer));
    const [{ width, height }] = decoded;
    const delays = frames.map(({ delay }) => delay);
    let compressed = Buffer.alloc(0);
    for (const colors of COLORS) {
        // It works in the pixels that it gets.
        const pixels = decoded.map(image => upng.toRGBA8(image)[0]);
        compressed = Buffer.from(upng.encode(pixels, width, height, colors, delays));
        if (compressed.length <= limit) {
            return compressed;
        }
    }
    throw new Error(`${compressed.length} bytes, more than ${limit}`);
}
