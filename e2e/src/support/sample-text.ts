// SPDX-License-Identifier: Apache-2.0

declare global {
    interface Window {
        sampleText: typeof sampleText;
    }
}

/**
 * A text of lines of 40 bytes. Runs in the page, too, so it must not use anything from outside itself.
 *
 * @param word what three lines begin with, one on the first screen, one in the middle and the last; without it all lines are alike
 */
export function sampleText(bytes: number, word = 'line'): string {
    const count = Math.ceil(bytes / 40);
    const changed = [4, Math.floor(count / 2), count - 1];
    const lines = Array.from({ length: count }, (_, index) =>
        `${changed.includes(index) ? word : 'line'} ${String(index).padStart(7, '0')} of a text`.padEnd(39, '.')
    );
    return `${lines.join('\n')}\n`;
}
