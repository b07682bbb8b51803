// SPDX-License-Identifier: Apache-2.0

import { nls } from '@theia/core/lib/common/nls';
import { DaemonCall, InvalidRequest } from './daemon-problem';

const calls: Record<DaemonCall, () => string> = {
    connect: () => nls.localize('theia/qwen-daemon/call/connect', 'The daemon could not be reached'),
    'list-sessions': () => nls.localize('theia/qwen-daemon/call/listSessions', 'The earlier sessions could not be listed'),
    'open-session': () => nls.localize('theia/qwen-daemon/call/openSession', 'The session could not be opened'),
    'load-session': () => nls.localize('theia/qwen-daemon/call/loadSession', 'The session could not be loaded'),
    'read-events': () => nls.localize('theia/qwen-daemon/call/readEvents', 'The events of this session could not be read'),
    'send-prompt': () => nls.localize('theia/qwen-daemon/call/sendPrompt', 'The prompt could not be sent'),
    'cancel-turn': () => nls.localize('theia/qwen-daemon/call/cancelTurn', 'The turn could not be cancelled'),
    'undo-turn': () => nls.localize('theia/qwen-daemon/call/undoTurn', 'The turn could not be undone'),
    'answer-permission': () => nls.localize('theia/qwen-daemon/call/answerPermission', 'The answer could not be sent'),
    'upload-image': () => nls.localize('theia/qwen-daemon/call/uploadImage', 'An image could not be sent, so the prompt was not sent'),
    'set-model': () => nls.localize('theia/qwen-daemon/call/setModel', 'The model could not be changed'),
    'set-mode': () => nls.localize('theia/qwen-daemon/call/setMode', 'The mode could not be changed')
};

/** What failed, without a full stop. */
export function callText(call: DaemonCall): string {
    return calls[call]();
}

const flaws: Record<InvalidRequest, () => string> = {
    'session-not-opened': () => nls.localize('theia/qwen-daemon/problem/sessionNotOpened', 'This session was not opened by this page.'),
    'turn-unknown': () => nls.localize('theia/qwen-daemon/problem/turnUnknown', 'This turn is not known.'),
    'model-not-offered': () => nls.localize('theia/qwen-daemon/problem/modelNotOffered', 'This model was not offered.'),
    'mode-not-offered': () => nls.localize('theia/qwen-daemon/problem/modeNotOffered', 'This mode was not offered.'),
    'answer-not-offered': () => nls.localize('theia/qwen-daemon/problem/answerNotOffered', 'This answer was not offered.'),
    'no-questions': () => nls.localize('theia/qwen-daemon/problem/noQuestions', 'This request asks no questions.'),
    'answer-missing': () => nls.localize('theia/qwen-daemon/problem/answerMissing', 'Each question needs an answer.')
};

export function invalidText(flaw: InvalidRequest): string {
    return flaws[flaw]();
}
