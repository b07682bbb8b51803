// SPDX-License-Identifier: Apache-2.0

import { nls } from '@theia/core/lib/common/nls';

/** One name for a mode, wherever it stands; `undefined` for one that only the daemon knows. */
export function approvalModeName(modeId: string): string | undefined {
    switch (modeId) {
        case 'plan':
            return nls.localize('theia/qwen-daemon/mode/plan', 'Plan only');
        case 'default':
            return nls.localize('theia/qwen-daemon/mode/default', 'Ask for permission');
        case 'auto-edit':
            return nls.localize('theia/qwen-daemon/mode/autoEdit', 'Edit without asking');
        case 'auto':
            return nls.localize('theia/qwen-daemon/mode/auto', 'Let a model decide');
        case 'yolo':
            return nls.localize('theia/qwen-daemon/mode/yolo', 'Never ask');
        default:
            return undefined;
    }
}
