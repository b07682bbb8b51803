// SPDX-License-Identifier: Apache-2.0

import { ChatResponseContent } from '@theia/ai-chat/lib/common';
import { QuestionPartRenderer } from '@theia/ai-chat-ui/lib/browser/chat-response-renderer/question-part-renderer';
import { ResponseNode } from '@theia/ai-chat-ui/lib/browser/chat-tree-view';
import { injectable } from '@theia/core/shared/inversify';
import * as React from '@theia/core/shared/react';
import { QuestionContent } from './question-content';

/** Shows what the model asks as Theia does, but makes it anew when it is asked again: Theia (1.74) keeps that several choices were confirmed. */
@injectable()
export class QuestionRenderer extends QuestionPartRenderer {
    override canHandle(content: ChatResponseContent): number {
        return content instanceof QuestionContent ? 20 : -1;
    }

    override render(question: QuestionContent, node: ResponseNode): React.ReactNode {
        return <React.Fragment key={question.askedAgain}>{super.render(question, node)}</React.Fragment>;
    }
}
