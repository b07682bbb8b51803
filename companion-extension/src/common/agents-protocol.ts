// SPDX-License-Identifier: Apache-2.0

import { CliTerminal } from './companion-protocol';

export const agentsPath = '/services/companion/agents';

export const AgentsBackend = Symbol('AgentsBackend');
/** What a page calls about the programs in its terminals. Refused before the window has said hello. */
export interface AgentsBackend {
    /** Tells which terminals the page has: `WindowState.agents` has what runs in them. @param shells process ids */
    watchTerminals(shells: number[]): Promise<void>;
    /** The user has looked at the terminal of this shell. */
    markAgentSeen(shell: number): Promise<void>;
    /** Returns the shells in whose foreground a connected CLI of this window runs. @param shells process ids */
    findCliTerminals(shells: number[]): Promise<CliTerminal[]>;
    /** Finds the known CLI that has the keyboard in this shell of the page's, connected or not. Over the wire `null` if there is none. */
    findCliIn(shell: number): Promise<CliTerminal | null | undefined>;
}
