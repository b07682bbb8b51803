// SPDX-License-Identifier: Apache-2.0

import { nls } from '@theia/core/lib/common/nls';
import { imagesDescribed } from './daemon-image-text';
import { DaemonWarning, SessionNotice } from './daemon-problem';

export function warningText(warning: DaemonWarning): string {
    switch (warning) {
        case 'open-daemon':
            return nls.localize(
                'theia/qwen-daemon/warning/openDaemon',
                'This daemon requires no token: every process and user on its machine can give it work. Start it with --require-auth.'
            );
        case 'unencrypted':
            return nls.localize(
                'theia/qwen-daemon/warning/unencrypted',
                'Prompts, answers and the token travel to this daemon unencrypted. Use https.'
            );
    }
}

export function noticeText(notice: SessionNotice): string {
    switch (notice.code) {
        case 'history-shortened':
            return nls.localize('theia/qwen-daemon/notice/historyShortened', 'Older parts of this session are not shown.');
        case 'history-unreadable':
            return nls.localize(
                'theia/qwen-daemon/notice/historyUnreadable',
                "Parts of this session's history could not be read and are not shown."
            );
        case 'unreadable':
            return nls.localize('theia/qwen-daemon/notice/unreadable', 'The daemon sent something that could not be read.');
        case 'rewound':
            return nls.localize(
                'theia/qwen-daemon/notice/rewound',
                'Another client rewound this session to an earlier turn: Qwen no longer knows what this chat shows after it.'
            );
        case 'vote-missing':
            return nls.localize(
                'theia/qwen-daemon/notice/voteMissing',
                'Another vote is needed before the tool may run. This chat cannot show whose.'
            );
        case 'vote-refused':
            return nls.localize(
                'theia/qwen-daemon/notice/voteRefused',
                'The daemon did not let this IDE answer the request. Answer it in the client that asked.'
            );
        case 'part-not-shown':
            return nls.localize(
                'theia/qwen-daemon/notice/partNotShown',
                'The answer has a part of kind "{0}" that this chat cannot show.',
                notice.kind
            );
        case 'event-unreadable':
            return nls.localize(
                'theia/qwen-daemon/notice/eventUnreadable',
                'Part of what the daemon sent ({0}) could not be read and is missing.',
                notice.event
            );
        case 'prompt-extended':
            return nls.localize(
                'theia/qwen-daemon/notice/promptExtended',
                'Added to the prompt while it ran: {0}',
                notice.text || nls.localize('theia/qwen-daemon/notice/noText', '(a text that cannot be shown here)')
            );
        case 'background':
            return notice.text;
        case 'goal':
            return notice.status === undefined
                ? nls.localize('theia/qwen-daemon/notice/noGoal', 'There is no goal.')
                : nls.localize('theia/qwen-daemon/notice/goal', 'Goal ({0}): {1}', notice.status, notice.objective);
        case 'prompt-image':
            return nls.localize('theia/qwen-daemon/image/inPrompt', 'The message had an image, which is not shown here: {0}', notice.name);
        case 'images-described':
            return imagesDescribed(notice);
    }
}
