// SPDX-License-Identifier: Apache-2.0

import { nls } from '@theia/core/lib/common/nls';
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
            return nls.localize(
                'theia/qwen-daemon/notice/historyShortened',
                'Parts of this session are not shown: they are too old, or could not be read.'
            );
        case 'rewound':
            return nls.localize(
                'theia/qwen-daemon/notice/rewound',
                'Another client rewound this session to an earlier turn: Qwen no longer knows what this chat shows after it.'
            );
        case 'vote-elsewhere':
            return nls.localize(
                'theia/qwen-daemon/notice/voteElsewhere',
                'The daemon does not accept the answer of this IDE alone. Answer the request in the client that asked, too.'
            );
        case 'part-not-shown':
            return nls.localize(
                'theia/qwen-daemon/notice/partNotShown',
                'The daemon sent something of kind "{0}" that this chat cannot show.',
                notice.kind
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
            return notice.described === 0
                ? nls.localize(
                      'theia/qwen-daemon/image/notDescribed',
                      'The model cannot see images. {0} should have described them but did not, so the model knows nothing about them.',
                      notice.by
                  )
                : nls.localize(
                      'theia/qwen-daemon/image/described',
                      'The model cannot see images. They were sent with the prompt to {0}, which described them for it.',
                      notice.by
                  );
    }
}
