// SPDX-License-Identifier: Apache-2.0

import { ChatContentDeserializerContribution, ChatContentDeserializerRegistry } from '@theia/ai-chat/lib/common/chat-content-deserializer';
import { injectable } from '@theia/core/shared/inversify';
import { ANSWER_KIND, AnswerContent } from './answer-content';
import { NOTICE_KIND, NoticeContent, NoticeData } from './notice-content';
import { PERMISSION_KIND, PermissionContent, PermissionData } from './permission-content';
import { PROBLEM_KIND, ProblemContent, ProblemData } from './problem-content';
import { TURN_MARKER_KIND, TurnMarkerContent, TurnMarkerData } from './turn-marker-content';

/** Makes the parts of a stored chat again. */
@injectable()
export class QwenContentDeserializers implements ChatContentDeserializerContribution {
    registerDeserializers(registry: ChatContentDeserializerRegistry): void {
        registry.register({ kind: ANSWER_KIND, deserialize: data => new AnswerContent((data as { content: string }).content) });
        registry.register({ kind: TURN_MARKER_KIND, deserialize: data => new TurnMarkerContent(data as TurnMarkerData) });
        registry.register({ kind: NOTICE_KIND, deserialize: data => new NoticeContent(data as NoticeData) });
        registry.register({ kind: PROBLEM_KIND, deserialize: data => new ProblemContent(data as ProblemData) });
        registry.register({
            kind: PERMISSION_KIND,
            deserialize: data => new PermissionContent((data as { permission: PermissionData }).permission)
        });
    }
}
