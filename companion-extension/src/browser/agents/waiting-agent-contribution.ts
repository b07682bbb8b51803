// SPDX-License-Identifier: Apache-2.0

import { Event } from '@theia/core/lib/common/event';
import { Widget } from '@theia/core/lib/browser/widgets/widget';
import { AgentStatus } from '../../common/companion-protocol';

/** An agent that waits for the user. @since 0.1 */
export interface WaitingAgent {
    /** The same as long as it waits for the same. */
    readonly id: string;
    readonly status: Omit<AgentStatus, 'shell'>;
    /** Where the user answers it. */
    readonly widget: Widget | undefined;
    /** Shows what it asks, with the keyboard there. */
    readonly reveal: () => Promise<void>;
}

export const WaitingAgentContribution = Symbol('WaitingAgentContribution');
/** Agents outside terminals, such as one in a chat: they have a row, count and are gone to as the programs in terminals. @since 0.1 */
export interface WaitingAgentContribution {
    /** When they are others. */
    readonly onDidChange?: Event<unknown>;
    waitingAgents(): readonly WaitingAgent[];
}
