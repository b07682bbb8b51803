// SPDX-License-Identifier: Apache-2.0

import { nls } from '@theia/core/lib/common/nls';

/** The daemon's approval modes, from the strictest to the loosest (Qwen Code 0.24). */
export const approvalModes = ['plan', 'default', 'auto-edit', 'auto', 'yolo'] as const;
export type ApprovalMode = (typeof approvalModes)[number];

/** The daemon's own default is `auto`, which writes inside the workspace without asking; a chat in an IDE asks. */
export const defaultApprovalMode: ApprovalMode = 'default';

/** Commands, too, run without a question. */
export const neverAsks: ApprovalMode = 'yolo';

export function isApprovalMode(value: unknown): value is ApprovalMode {
    return approvalModes.some(mode => mode === value);
}

/** An unknown mode counts as looser than every known one. */
export function isLooser(mode: string, than: string): boolean {
    const rank = (id: string): number => (isApprovalMode(id) ? approvalModes.indexOf(id) : approvalModes.length);
    return rank(mode) > rank(than);
}

const names: Record<ApprovalMode, string> = {
    plan: nls.localize('theia/qwen-daemon/mode/plan', 'Plan only'),
    default: nls.localize('theia/qwen-daemon/mode/default', 'Ask for permission'),
    'auto-edit': nls.localize('theia/qwen-daemon/mode/autoEdit', 'Edit without asking'),
    auto: nls.localize('theia/qwen-daemon/mode/auto', 'Let a model decide'),
    yolo: nls.localize('theia/qwen-daemon/mode/yolo', 'Never ask')
};

/** One name for a mode, wherever it is shown; `undefined` for one that only the daemon knows. */
export function approvalModeName(modeId: string): string | undefined {
    return isApprovalMode(modeId) ? names[modeId] : undefined;
}
