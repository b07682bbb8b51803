// SPDX-License-Identifier: Apache-2.0

/** How a terminal marks text that is pasted: the program takes no key and no line end in it for a command of the user's. */
const PASTE_BEGIN = '\u001b[200~';
const PASTE_END = '\u001b[201~';

/**
 * Makes text ready to be sent to a CLI's prompt. What could end the paste or steer the terminal is left out: all control characters
 * but tab and line feed, those of eight bits too. The last line end goes as well: the user sends the prompt off.
 */
export function promptText(text: string): string {
    const lines = text.replace(/\r\n?/g, '\n');
    // eslint-disable-next-line no-control-regex
    const harmless = lines.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '').replace(/\n+$/, '');
    return `${PASTE_BEGIN}${harmless}${PASTE_END}`;
}
