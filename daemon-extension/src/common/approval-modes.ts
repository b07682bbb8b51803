// SPDX-License-Identifier: Apache-2.0

import { nls } from '@theia/core/lib/common/nls';

/** The daemon's approval modes, from the strictest to the loosest (Qwen Code 0.24). */
export const approvalModes = ['plan', 'default', 'auto-edit', 'auto', 'yolo'] as const;
export type ApprovalMode = (typeof approvalModes)[number];

/** The daemon's own default is `auto`, which writes inside the workspace without asking; a chat in an IDE asks. */
export const defaultApprovalMode: ApprovalMode = 'default';

export function isApprovalMode(value: unknown): value is ApprovalMode {
    return approvalModes.some(mode => mode === value);
}

/** An unknown mode counts as looser than every known one. */
export function isLooser(mode: string, than: string): boolean {
    const rank = (id: string): number => (isApprovalMode(id) ? approvalModes.indexOf(id) : approvalModes.length);
    return rank(mode) > rank(than);
}

export function stricter(mode: string, other: string): string {
    return isLooser(mode, other) ? other : mode;
}

/** One name for a mode, wherever it is shown; `undefined` for one that only the daemon knows. */
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
