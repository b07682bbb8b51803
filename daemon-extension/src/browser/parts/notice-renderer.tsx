// SPDX-License-Identifier: Apache-2.0

import { ChatResponseContent } from '@theia/ai-chat/lib/common';
import { ChatResponsePartRenderer } from '@theia/ai-chat-ui/lib/browser/chat-response-part-renderer';
import { codicon } from '@theia/core/lib/browser/widgets';
import { injectable } from '@theia/core/shared/inversify';
import * as React from '@theia/core/shared/react';
import { NoticeContent } from './notice-content';

@injectable()
export class NoticeRenderer implements ChatResponsePartRenderer<NoticeContent> {
    canHandle(content: ChatResponseContent): number {
        return content instanceof NoticeContent ? 20 : -1;
    }

    render({ message, warning }: NoticeContent): React.ReactNode {
        return (
            <div className={`qwen-daemon-notice ${warning ? 'warning' : ''}`} role={warning ? 'alert' : 'note'}>
                <span className={codicon(warning ? 'warning' : 'info')} />
                <span>{message}</span>
            </div>
        );
    }
}
