// SPDX-License-Identifier: Apache-2.0

import { PermissionRequest, ToolCall } from '../../common/qwen-daemon-protocol';

/** What the daemon asks before a file is written. */
export function samplePermission(changes: Partial<PermissionRequest> = {}): PermissionRequest {
    return {
        id: 'p1',
        toolId: 'call-1',
        title: 'Writing to out.txt',
        description: '',
        diff: { path: '/work/project/out.txt', isNew: true },
        truncated: false,
        options: [
            { id: 'proceed_always', label: 'Allow All Edits', role: 'allow_always' },
            { id: 'proceed_once', label: 'Allow', role: 'allow_once' },
            { id: 'cancel', label: 'Reject', role: 'reject_once' }
        ],
        ...changes
    };
}

/** Its tool call. */
export function sampleTool(changes: Partial<ToolCall> = {}): ToolCall {
    return {
        id: 'call-1',
        name: 'write_file',
        title: 'Writing to out.txt',
        toolKind: 'edit',
        status: 'pending',
        args: '',
        locations: [],
        truncated: false,
        ...changes
    };
}
