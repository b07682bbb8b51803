// SPDX-License-Identifier: Apache-2.0

import { ChatResponseContent } from '@theia/ai-chat/lib/common';
import { SerializableChatResponseContentData } from '@theia/ai-chat/lib/common/chat-model-serialization';
import { DaemonProblem, problemText } from '../../common/daemon-status';

export const PROBLEM_KIND = 'qwenDaemonProblem';

/** What went wrong, what the user can do, and a button for it where one helps. */
export class ProblemContent implements ChatResponseContent {
    readonly kind = PROBLEM_KIND;

    constructor(readonly problem: DaemonProblem) {}

    asString(): string {
        return problemText(this.problem);
    }

    toSerializable(): SerializableChatResponseContentData<DaemonProblem> {
        return { kind: PROBLEM_KIND, data: this.problem };
    }
}
