// SPDX-License-Identifier: Apache-2.0

import { ChatResponseContent } from '@theia/ai-chat/lib/common';
import { ChatResponsePartRenderer } from '@theia/ai-chat-ui/lib/browser/chat-response-part-renderer';
import { OpenerService } from '@theia/core/lib/browser/opener-service';
import { codicon } from '@theia/core/lib/browser/widgets';
import { inject, injectable } from '@theia/core/shared/inversify';
import * as React from '@theia/core/shared/react';
import { WorkspaceService } from '@theia/workspace/lib/browser';
import { PlainMarkdown } from './plain-markdown';
import { AnswerContent, NoticeContent, TURN_MARKER_KIND } from './response-parts';

@injectable()
export class AnswerRenderer implements ChatResponsePartRenderer<AnswerContent> {
    @inject(OpenerService)
    protected readonly openers: OpenerService;
    @inject(WorkspaceService)
    protected readonly workspace: WorkspaceService;

    canHandle(content: ChatResponseContent): number {
        return content instanceof AnswerContent ? 20 : -1;
    }

    render({ content }: AnswerContent): React.ReactNode {
        // In the first root Qwen works.
        return (
            <div className="qwen-daemon-answer">
                <PlainMarkdown text={content.value} openers={this.openers} folder={this.workspace.tryGetRoots()[0]?.resource} />
            </div>
        );
    }
}

@injectable()
export class NoticeRenderer implements ChatResponsePartRenderer<NoticeContent> {
    canHandle(content: ChatResponseContent): number {
        return content instanceof NoticeContent ? 20 : -1;
    }

    render({ data: { message, warning } }: NoticeContent): React.ReactNode {
        return (
            <div className={`qwen-daemon-notice ${warning ? 'warning' : ''}`} role={warning ? 'alert' : 'note'}>
                <span className={codicon(warning ? 'warning' : 'info')} />
                <span>{message}</span>
            </div>
        );
    }
}

/** Shows nothing. Without it, Theia would show the marker as an unknown part; the style sheet recognises Qwen's answers by it. */
@injectable()
export class TurnMarkerRenderer implements ChatResponsePartRenderer<ChatResponseContent> {
    canHandle(content: ChatResponseContent): number {
        return content.kind === TURN_MARKER_KIND ? 20 : -1;
    }

    render(): React.ReactNode {
        return <span className="qwen-daemon-turn" hidden />;
    }
}
