// SPDX-License-Identifier: Apache-2.0

/** What the processes of a soak say to each other. */
export type BackendMessage =
    { kind: 'ready'; port: number; token: string } | { kind: 'memory'; heap: number; resident: number; sessions: number; waiting: number };

export type ClientMessage =
    | { kind: 'connected' }
    | { kind: 'opened'; file: string }
    /** @property wrong the content is not that of the proposal or its edited version */
    | { kind: 'outcome'; file: string; how: 'accepted' | 'rejected' | 'closed'; wrong: boolean }
    | { kind: 'context'; updates: number; newest: number }
    | { kind: 'error'; message: string };

/** The same on both sides, so that a client can recognise what it gets. */
export function proposalFor(file: string): string {
    return `proposal for ${file}\n`.repeat(50);
}

export function editedFor(file: string): string {
    return `edited: ${proposalFor(file)}`;
}
