// SPDX-License-Identifier: Apache-2.0

import { ChatResponseContent } from '@theia/ai-chat/lib/common';
import { SerializableChatResponseContentData } from '@theia/ai-chat/lib/common/chat-model-serialization';

export const NOTICE_KIND = 'qwenDaemonNotice';

export interface NoticeData {
    message: string;
    warning: boolean;
}

/** Something that the user is to know, as plain text. Theia's own informational content is not rendered at all (1.74). */
export class NoticeContent implements ChatResponseContent {
    readonly kind = NOTICE_KIND;

    constructor(
        readonly message: string,
        readonly warning = false
    ) {}

    asString(): string {
        return this.message;
    }

    toSerializable(): SerializableChatResponseContentData<NoticeData> {
        return { kind: NOTICE_KIND, data: { message: this.message, warning: this.warning } };
    }
}
