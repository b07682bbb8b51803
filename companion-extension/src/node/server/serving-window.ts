// SPDX-License-Identifier: Apache-2.0

/** What decides who serves a server. */
export interface ServingCandidate {
    readonly id: string;
    readonly roots: readonly string[];
    /** Has a page now. */
    readonly live: boolean;
    /** Its page does not answer: the tab died, and its connection lingers. */
    readonly silent: boolean;
    /** `companion.enabled` in it: switched off, it serves no CLI, not even another window's. */
    readonly enabled: boolean;
    /** When its last page went, in milliseconds since the epoch; `undefined` while it has one. */
    readonly awaySince: number | undefined;
    /** When it last had the focus, in milliseconds since the epoch. */
    readonly focusedAt: number;
}

/** How long an owner may be without a page before another window serves its server: a reload takes less. In milliseconds. */
export const OWNER_ABSENCE = 10_000;

/**
 * Which window serves a server: its owner; while the owner is silent or has had no page for {@link OWNER_ABSENCE}, the most recently
 * focused window with the same roots that is switched on and answers. Where there is none, an owner that is silent: it may be busy. Else
 * `undefined`.
 *
 * @param owner the window whose first `hello` made the server
 * @param now milliseconds since the epoch
 */
export function servingWindow<W extends ServingCandidate>(owner: W, windows: readonly W[], now: number): W | undefined {
    const ownerIfLive = owner.live ? owner : undefined;
    if (!owner.silent && !isAbsent(owner, now)) {
        return ownerIfLive;
    }
    const [next] = windows
        .filter(window => window.live && !window.silent && window.enabled && window.id !== owner.id && sameRoots(window.roots, owner.roots))
        .sort((a, b) => b.focusedAt - a.focusedAt);
    return next ?? ownerIfLive;
}

/** Whether a window has been without a page for longer than a reload takes. */
export function isAbsent(window: ServingCandidate, now: number): boolean {
    return !window.live && window.awaySince !== undefined && now - window.awaySince >= OWNER_ABSENCE;
}

/** Whether two windows show the same workspace, in whichever order its roots stand. Without a folder nothing tells. */
export function sameRoots(a: readonly string[], b: readonly string[]): boolean {
    return a.length > 0 && a.length === b.length && [...a].sort().join('\0') === [...b].sort().join('\0');
}
