// SPDX-License-Identifier: Apache-2.0

/* eslint-disable no-control-regex */
/** Modes that are set or reset, and the two resets of a whole terminal. */
const SEQUENCES = /\u001b(?:\[\?([\d;]*)([hl])|\[!p|c)/g;
/** One of them that goes on in the next piece of output. */
const CUT_OFF = /\u001b(?:\[(?:!|\?[\d;]{0,40})?)?$/;
/* eslint-enable no-control-regex */
const BRACKETED_PASTE = '2004';

/**
 * Says whether the program in a terminal treats line breaks in a paste as text. A page may not know: it gets the last megabyte of a terminal
 * alone, and none of a terminal whose tab nobody opens (Theia 1.74).
 */
export class PasteMode {
    isOn = false;
    protected rest = '';

    /** Takes what the programs in the terminal write. */
    receive(output: string): void {
        const text = this.rest + output;
        for (const [, modes, action] of text.matchAll(SEQUENCES)) {
            if (modes === undefined || modes.split(';').includes(BRACKETED_PASTE)) {
                this.isOn = action === 'h';
            }
        }
        [this.rest] = CUT_OFF.exec(text) ?? [''];
    }
}
