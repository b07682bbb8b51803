// SPDX-License-Identifier: Apache-2.0

import { MarkdownChatResponseContentImpl } from '@theia/ai-chat/lib/common';
import { MarkdownStringImpl } from '@theia/core/lib/common/markdown-rendering/markdown-string';

export const ANSWER_KIND = 'qwenDaemonAnswer';

/** Markdown of the model. Stored as its own kind, because Theia (1.74) treats text in `<>`, as in `List<String>`, as HTML. */
export class AnswerContent extends MarkdownChatResponseContentImpl {
    /** It keeps its place in the response. Call `responseContentChanged` of the response afterwards. */
    replace(markdown: string): void {
        this._content = new MarkdownStringImpl(markdown);
    }

    override toSerializable(): { kind: 'markdownContent'; data: { content: string } } {
        return { ...super.toSerializable(), kind: ANSWER_KIND as 'markdownContent' };
    }
}
