// SPDX-License-Identifier: Apache-2.0

import { ChatResponseContent } from '@theia/ai-chat/lib/common';
import { SerializableChatResponseContentData } from '@theia/ai-chat/lib/common/chat-model-serialization';
import { PlanEntry } from '../../common/session-events';

export const PLAN_KIND = 'qwenDaemonPlan';

export interface PlanData {
    entries: PlanEntry[];
}

/** The model's list of steps. A later list replaces the entries in place, so that the list keeps its position in the response. */
export class PlanContent implements ChatResponseContent {
    readonly kind = PLAN_KIND;

    constructor(public entries: PlanEntry[]) {}

    asString(): string {
        const mark = { pending: '[ ]', in_progress: '[~]', completed: '[x]' };
        return this.entries.map(entry => `${mark[entry.status]} ${entry.content}`).join('\n');
    }

    toSerializable(): SerializableChatResponseContentData<PlanData> {
        return { kind: PLAN_KIND, data: { entries: this.entries } };
    }
}
