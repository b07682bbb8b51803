// SPDX-License-Identifier: Apache-2.0

import { escapeMarkdownSyntaxTokens } from '@theia/core/lib/common/markdown-rendering';

/**
 * Markdown that shows the text as it is. Questions and notices of the chat are rendered as Markdown, and what a daemon, a model or a
 * file name says must not turn into links, images or buttons there.
 */
export function textAsMarkdown(text: string): string {
    return escapeMarkdownSyntaxTokens(text)
        .replace(/[<>&~|:]/g, '\\$&')
        .replace(/\r?\n/g, '  \n');
}

/** Markdown that shows the text in a block of fixed width, with a fence that nothing inside can close. */
export function textAsBlock(text: string): string {
    const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
    const fence = '`'.repeat(Math.max(3, longest + 1));
    return `${fence}\n${text}\n${fence}`;
}
