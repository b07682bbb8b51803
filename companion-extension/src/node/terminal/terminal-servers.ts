// SPDX-License-Identifier: Apache-2.0

/** What a new shell must be told of the server of its window. */
export interface TerminalSubject {
    readonly port: number;
    /** Absolute real paths of the workspace's roots that the CLIs can express, in their order. */
    readonly roots: readonly string[];
}

export const TerminalServers = Symbol('TerminalServers');
/** Knows which server a window's new shells belong to. */
export interface TerminalServers {
    /** @returns `undefined` where the window is unknown or the companion is off in it. Must not wait. */
    serverFor(windowId: string): TerminalSubject | undefined;
}
