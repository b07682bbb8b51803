// SPDX-License-Identifier: Apache-2.0

/** Where the CLIs connect. */
export interface SoakServer {
    /** Has the locks. It is the folder that is open in the IDE, too. */
    readonly home: string;
    readonly port: number;
    /** By the ids of the CLIs that connect there. */
    readonly tokens: Readonly<Record<string, string>>;
}

/** What the processes of a soak say to each other. */
export type BackendMessage =
    | ({ kind: 'ready' } & SoakServer)
    /** @property disk what the companion keeps of changes, in bytes */
    | { kind: 'memory'; heap: number; resident: number; disk: number }
    /** @property counts what agents and the user did */
    | { kind: 'changes'; counts: Record<string, number>; faults: string[] };

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
