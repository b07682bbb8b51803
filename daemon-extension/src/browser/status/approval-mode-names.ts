// SPDX-License-Identifier: Apache-2.0

import { nls } from '@theia/core/lib/common/nls';
import { ApprovalMode } from '../../common/approval-modes';

/** What the modes do is the daemon's business; the words are Qwen Code's. */
export function approvalModeName(mode: ApprovalMode): string {
    switch (mode) {
        case 'plan':
            return nls.localize('qwen-daemon/mode/plan', 'Plan only');
        case 'default':
            return nls.localize('qwen-daemon/mode/default', 'Ask for permission');
        case 'auto-edit':
            return nls.localize('qwen-daemon/mode/autoEdit', 'Edit without asking');
        case 'auto':
            return nls.localize('qwen-daemon/mode/auto', 'Let a model decide');
        case 'yolo':
            return nls.localize('qwen-daemon/mode/yolo', 'Never ask');
    }
}
