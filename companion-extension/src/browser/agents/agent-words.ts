// SPDX-License-Identifier: Apache-2.0

import { nls } from '@theia/core/lib/common/nls';
import { joinClauses } from '../../common/sentences';
import { PageAgentStatus } from './page-agents';

/** Also of one outside terminals. */
type SaidStatus = Omit<PageAgentStatus, 'shell'>;

export function agentName({ name }: Pick<SaidStatus, 'name'>): string {
    return name ?? nls.localize('theia/cli-companion/agents/program', 'A program');
}

/** What it does, in a few words of ours. */
export function describeState({ state, kind, progress, isSilent, isQuiet }: SaidStatus): string {
    switch (state) {
        case 'blocked':
            return kind === 'permission'
                ? nls.localize('theia/cli-companion/agents/permission', 'waits for your permission')
                : kind === 'question'
                  ? nls.localize('theia/cli-companion/agents/question', 'asks you something')
                  : kind === 'auth'
                    ? nls.localize('theia/cli-companion/agents/auth', 'waits for you to sign in')
                    : nls.localize('theia/cli-companion/agents/waits', 'waits for you');
        case 'working':
            return progress === undefined
                ? nls.localize('theia/cli-companion/agents/working', 'is working')
                : nls.localize('theia/cli-companion/agents/progress', 'is working ({0} %)', progress);
        case 'done':
            return nls.localize('theia/cli-companion/agents/done', 'has finished');
        case 'error':
            return nls.localize('theia/cli-companion/agents/error', 'has failed');
        case 'idle':
            return isQuiet
                ? nls.localize('theia/cli-companion/agents/quiet', 'is quiet')
                : isSilent
                  ? nls.localize('theia/cli-companion/agents/running', 'is running')
                  : nls.localize('theia/cli-companion/agents/idle', 'waits for a prompt');
    }
}

/** One sentence without an end, with the program's own words. */
export function describeAgent(status: SaidStatus): string {
    const what = `${agentName(status)} ${describeState(status)}`;
    return status.message === undefined ? what : nls.localize('theia/cli-companion/agents/withMessage', '{0}: {1}', what, status.message);
}

/** All that wait, for a place with room for one: the one that waits for longest, or how many there are. */
export function describeWaiting(waiting: readonly SaidStatus[]): string {
    const [first] = waiting;
    if (waiting.length !== 1) {
        return nls.localize('theia/cli-companion/agents/severalWait', '{0} programs wait for you', waiting.length);
    }
    const { message } = first;
    return message === undefined
        ? joinClauses([`${agentName(first)} ${describeState(first)}`])
        : nls.localize('theia/cli-companion/agents/waitsFor', '{0} waits: {1}', agentName(first), message);
}
