// SPDX-License-Identifier: Apache-2.0

import { ChatResponseContent } from '@theia/ai-chat/lib/common';
import { SerializableChatResponseContentData } from '@theia/ai-chat/lib/common/chat-model-serialization';

/** A part that Theia stores with the chat. */
export abstract class StoredContent<T> implements ChatResponseContent {
    abstract readonly kind: string;

    constructor(readonly data: T) {}

    asString(): string {
        return '';
    }

    toSerializable(): SerializableChatResponseContentData<T> {
        return { kind: this.kind, data: this.data };
    }
}
