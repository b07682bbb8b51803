// SPDX-License-Identifier: Apache-2.0

import { Event } from '@theia/core/lib/common/event';

/** An agent, and when it did something last. @since 0.1 */
export interface ActiveAgent {
    /** For people; empty if it is not known. */
    readonly name: string;
    /** As `performance.now` counts; infinite while it works, or if nothing is ever heard of it. */
    readonly activeAt: number;
    /** Whether it says that it works; absent if it does not say. */
    readonly isWorking?: boolean;
    /** As `performance.now` counts: when something was written in its terminal last; absent if it has none. */
    readonly wroteAt?: number;
    /** What it works on, in its own words. */
    readonly topic?: string;
}

export const ActiveAgentContribution = Symbol('ActiveAgentContribution');
/**
 * Agents without a terminal and without a session of MCP, such as one in a chat. What changes while they work is listed under their names.
 *
 * @since 0.1
 */
export interface ActiveAgentContribution {
    /** One has come, gone, begun to work, or come to rest. */
    readonly onDidChange: Event<void>;
    /** @param roots real paths of a window's folders. @returns those that work, or may soon, in one of them */
    agentsIn(roots: readonly string[]): readonly ActiveAgent[];
}
