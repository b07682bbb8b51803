// SPDX-License-Identifier: Apache-2.0

import { ChatResponseContent } from '@theia/ai-chat/lib/common';
import { ChatResponsePartRenderer } from '@theia/ai-chat-ui/lib/browser/chat-response-part-renderer';
import { OpenerService } from '@theia/core/lib/browser/opener-service';
import { codicon } from '@theia/core/lib/browser/widgets';
import { inject, injectable } from '@theia/core/shared/inversify';
import * as React from '@theia/core/shared/react';
import { WorkspaceService } from '@theia/workspace/lib/browser';
import { AnswerContent } from './answer-content';
import { NoticeContent } from './notice-content';
import { PlainMarkdown } from './plain-markdown';
import { TurnMarkerContent } from './turn-marker-content';

type AnswerPart = AnswerContent | NoticeContent | TurnMarkerContent;

/** Shows what an answer says: the model's text, and notices about it. */
@injectable()
export class AnswerRenderer implements ChatResponsePartRenderer<AnswerPart> {
    @inject(OpenerService)
    protected readonly openers: OpenerService;
    @inject(WorkspaceService)
    protected readonly workspace: WorkspaceService;

    canHandle(content: ChatResponseContent): number {
        return [AnswerContent, NoticeContent, TurnMarkerContent].some(type => content instanceof type) ? 20 : -1;
    }

    render(content: AnswerPart): React.ReactNode {
        if (content instanceof NoticeContent) {
            const { message, warning } = content.data;
            return (
                <div className={`qwen-daemon-notice ${warning ? 'warning' : ''}`} role={warning ? 'alert' : 'note'}>
                    <span className={codicon(warning ? 'warning' : 'info')} />
                    <span>{message}</span>
                </div>
            );
        }
        if (content instanceof TurnMarkerContent) {
            // Theia would show it as an unknown part. The style sheet recognises Qwen's answers by it.
            return <span className="qwen-daemon-turn" hidden />;
        }
        // In the first root Qwen works.
        return (
            <div className="qwen-daemon-answer">
                <PlainMarkdown text={content.content.value} openers={this.openers} folder={this.workspace.tryGetRoots()[0]?.resource} />
            </div>
        );
    }
}
