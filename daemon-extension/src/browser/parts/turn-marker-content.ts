// SPDX-License-Identifier: Apache-2.0

import { ChatResponseContent } from '@theia/ai-chat/lib/common';
import { SerializableChatResponseContentData } from '@theia/ai-chat/lib/common/chat-model-serialization';

export const TURN_MARKER_KIND = 'qwenDaemonTurn';

export interface TurnMarkerData {
    /** The daemon's session. */
    sessionId: string;
    /** The daemon's id of the prompt. */
    turnId: string;
}

/**
 * Says which turn of which daemon session a response shows. It is invisible; being content, it is stored with the chat, so that
 * a turn is found again after a reload. (A request's data and its mode are not stored by Theia 1.74.)
 */
export class TurnMarkerContent implements ChatResponseContent {
    readonly kind = TURN_MARKER_KIND;

    constructor(readonly data: TurnMarkerData) {}

    asString(): string {
        return '';
    }

    asDisplayString(): string {
        return '';
    }

    toSerializable(): SerializableChatResponseContentData<TurnMarkerData> {
        return { kind: TURN_MARKER_KIND, data: this.data };
    }
}
