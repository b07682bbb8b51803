// SPDX-License-Identifier: Apache-2.0

import { escapeMarkdownSyntaxTokens } from '@theia/core/lib/common/markdown-rendering';
import { visibleText } from '../common/visible-text';

/** For Theia's messages, which take Markdown: the text is shown as it is, whatever a CLI or a file name put into it. */
export function plainText(text: string): string {
    return escapeMarkdownSyntaxTokens(visibleText(text)).replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/~/g, '\\~');
}
