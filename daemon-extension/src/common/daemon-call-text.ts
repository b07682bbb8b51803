// SPDX-License-Identifier: Apache-2.0

import { nls } from '@theia/core/lib/common/nls';
import { DaemonCall, InvalidRequest } from './daemon-problem';

/** What failed, without a full stop. */
export function callText(call: DaemonCall): string {
    switch (call) {
        case 'connect':
            return nls.localize('theia/qwen-daemon/call/connect', 'The daemon could not be reached');
        case 'list-sessions':
            return nls.localize('theia/qwen-daemon/call/listSessions', 'The earlier sessions could not be listed');
        case 'open-session':
            return nls.localize('theia/qwen-daemon/call/openSession', 'The session could not be opened');
        case 'load-session':
            return nls.localize('theia/qwen-daemon/call/loadSession', 'The session could not be loaded');
        case 'read-events':
            return nls.localize('theia/qwen-daemon/call/readEvents', 'The events of this session could not be read');
        case 'send-prompt':
            return nls.localize('theia/qwen-daemon/call/sendPrompt', 'The prompt could not be sent');
        case 'cancel-turn':
            return nls.localize('theia/qwen-daemon/call/cancelTurn', 'The turn could not be cancelled');
        case 'undo-turn':
            return nls.localize('theia/qwen-daemon/call/undoTurn', 'The turn could not be undone');
        case 'answer-permission':
            return nls.localize('theia/qwen-daemon/call/answerPermission', 'The answer could not be sent');
        case 'upload-image':
            return nls.localize('theia/qwen-daemon/call/uploadImage', 'An image could not be sent, so the prompt was not sent');
        case 'set-model':
            return nls.localize('theia/qwen-daemon/call/setModel', 'The model could not be changed');
        case 'set-mode':
            return nls.localize('theia/qwen-daemon/call/setMode', 'The mode could not be changed');
    }
}

export function invalidText(flaw: InvalidRequest): string {
    switch (flaw) {
        case 'session-not-opened':
            return nls.localize('theia/qwen-daemon/problem/sessionNotOpened', 'This session was not opened by this page.');
        case 'turn-unknown':
            return nls.localize('theia/qwen-daemon/problem/turnUnknown', 'This turn is not known.');
        case 'model-not-offered':
            return nls.localize('theia/qwen-daemon/problem/modelNotOffered', 'This model was not offered.');
        case 'mode-not-offered':
            return nls.localize('theia/qwen-daemon/problem/modeNotOffered', 'This mode was not offered.');
        case 'answer-not-offered':
            return nls.localize('theia/qwen-daemon/problem/answerNotOffered', 'This answer was not offered.');
        case 'no-questions':
            return nls.localize('theia/qwen-daemon/problem/noQuestions', 'This request asks no questions.');
        case 'answer-missing':
            return nls.localize('theia/qwen-daemon/problem/answerMissing', 'Each question needs an answer.');
    }
}
