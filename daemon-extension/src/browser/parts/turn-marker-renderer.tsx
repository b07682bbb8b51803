// SPDX-License-Identifier: Apache-2.0

import { ChatResponseContent } from '@theia/ai-chat/lib/common';
import { ChatResponsePartRenderer } from '@theia/ai-chat-ui/lib/browser/chat-response-part-renderer';
import { injectable } from '@theia/core/shared/inversify';
import * as React from '@theia/core/shared/react';
import { TURN_MARKER_KIND } from './turn-marker-content';

/** Renders nothing. Without it, Theia would show the marker as an unknown part. */
@injectable()
export class TurnMarkerRenderer implements ChatResponsePartRenderer<ChatResponseContent> {
    canHandle(content: ChatResponseContent): number {
        return content.kind === TURN_MARKER_KIND ? 20 : -1;
    }

    render(): React.ReactNode {
        return <></>;
    }
}
