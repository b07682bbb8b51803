// SPDX-License-Identifier: Apache-2.0

import { escapeMarkdownSyntaxTokens } from '@theia/core/lib/common/markdown-rendering';
import { visibleText } from './visible-text';

/** Escapes text for Theia's messages, which take Markdown. Whatever a CLI or a file name put into the text is shown as it is. @since 0.1 */
export function plainText(text: string): string {
    return escapeMarkdownSyntaxTokens(visibleText(text)).replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/~/g, '\\~');
}

/** Escapes text for quick picks, which draw `$(name)` as an icon. @since 0.1 */
export function withoutIcons(text: string): string {
    return visibleText(text).replace(/\$\(/g, '$\u200b(');
}
