// SPDX-License-Identifier: Apache-2.0

import { QuestionResponseContentImpl } from '@theia/ai-chat/lib/common/chat-model';

/** A question of the model to the user. It is stored as Theia's. */
export class QuestionContent extends QuestionResponseContentImpl {
    /** How often it was asked again, because the answer was not taken. */
    askedAgain = 0;
}
