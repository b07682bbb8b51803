// SPDX-License-Identifier: Apache-2.0

import { ChatContentDeserializerContribution, ChatContentDeserializerRegistry } from '@theia/ai-chat/lib/common/chat-content-deserializer';
import { injectable } from '@theia/core/shared/inversify';
import { DaemonProblem } from '../../common/daemon-status';
import { NOTICE_KIND, NoticeContent, NoticeData } from './notice-content';
import { PLAN_KIND, PlanContent, PlanData } from './plan-content';
import { PROBLEM_KIND, ProblemContent } from './problem-content';
import { TURN_MARKER_KIND, TurnMarkerContent, TurnMarkerData } from './turn-marker-content';

@injectable()
export class QwenContentDeserializers implements ChatContentDeserializerContribution {
    registerDeserializers(registry: ChatContentDeserializerRegistry): void {
        registry.register({ kind: TURN_MARKER_KIND, deserialize: data => new TurnMarkerContent(data as TurnMarkerData) });
        registry.register({ kind: PLAN_KIND, deserialize: data => new PlanContent((data as PlanData).entries) });
        registry.register({
            kind: NOTICE_KIND,
            deserialize: data => new NoticeContent((data as NoticeData).message, (data as NoticeData).warning)
        });
        registry.register({ kind: PROBLEM_KIND, deserialize: data => new ProblemContent(data as DaemonProblem) });
    }
}
