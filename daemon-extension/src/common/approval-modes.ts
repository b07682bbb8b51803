// SPDX-License-Identifier: Apache-2.0

/** The daemon's approval modes, from the strictest to the loosest (Qwen Code 0.24). */
export const approvalModes = ['plan', 'default', 'auto-edit', 'auto', 'yolo'] as const;
export type ApprovalMode = (typeof approvalModes)[number];

/** The daemon's own default is `auto`, which writes inside the workspace without asking; a chat in an IDE asks. */
export const defaultApprovalMode: ApprovalMode = 'default';

export function isApprovalMode(value: unknown): value is ApprovalMode {
    return approvalModes.some(mode => mode === value);
}

/** A mode that nobody knows counts as looser than every known one. */
export function isLooser(mode: string, than: string): boolean {
    const rank = (id: string): number => (isApprovalMode(id) ? approvalModes.indexOf(id) : approvalModes.length);
    return rank(mode) > rank(than);
}

export function stricter(mode: string, other: string): string {
    return isLooser(mode, other) ? other : mode;
}
