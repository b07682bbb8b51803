// SPDX-License-Identifier: Apache-2.0

import { plainText, visibleText } from 'theia-cli-companion/lib/common';

/**
 * Markdown that shows the text as it is, with its lines. The chat renders questions as Markdown, and messages are Markdown, too. Text of a
 * daemon, a model or a file name must not turn into links, images or buttons there.
 */
export function textAsMarkdown(text: string): string {
    return (
        text
            .split(/\r?\n/)
            // The chat also makes tables, and links of bare addresses.
            .map(line => plainText(line).replace(/[>|:]/g, '\\$&'))
            .join('  \n')
    );
}

/** Markdown that shows the text in a block of fixed width, with a fence that nothing inside can close. */
export function textAsBlock(text: string): string {
    const visible = text.replace(/[^\t\r\n]+/g, visibleText);
    const longest = Math.max(0, ...[...visible.matchAll(/`+/g)].map(([run]) => run.length));
    const fence = '`'.repeat(Math.max(3, longest + 1));
    return `${fence}\n${visible}\n${fence}`;
}
