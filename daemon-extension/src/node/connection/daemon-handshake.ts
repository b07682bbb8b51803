// SPDX-License-Identifier: Apache-2.0

import type { DaemonClient } from '@qwen-code/sdk/daemon';
import { DaemonWarning } from '../../common/daemon-problem';
import { DaemonUrl } from '../config/daemon-url';
import { CapabilityCheck } from './capability-check';
import { DaemonError, DaemonProblemError } from './daemon-problems';

export interface GreetedAddress {
    url: string;
    host: string;
    token?: string;
}

/** What a daemon said about itself. */
export interface Greeting {
    /** As the daemon spells it. */
    workspaceCwd: string;
    version: string | undefined;
    warnings: DaemonWarning[];
}

/** Asks a daemon, before anything else and again in case of doubt, whether it is a daemon for this workspace. */
export class DaemonHandshake {
    /**
     * @param workspace real, absolute path
     * @param timings milliseconds: how long a daemon may say that it is starting, and how often it is asked
     */
    constructor(
        protected readonly workspace: string,
        protected readonly timings: { ready: number; poll: number }
    ) {}

    /** @param starting called whenever it is not ready; throws if nobody waits any more */
    async greet(client: DaemonClient, address: GreetedAddress, starting: () => void): Promise<Greeting> {
        const checked = await CapabilityCheck.check(await this.capabilities(client, address, starting), this.workspace);
        if ('problem' in checked) {
            throw new DaemonProblemError(checked.problem);
        }
        const { protocol, hostname } = new URL(address.url);
        const warnings: DaemonWarning[] = [
            // It answered without a token. Its features name a token only with --require-auth (Qwen Code 0.24).
            ...(address.token === undefined ? ['open-daemon' as const] : []),
            ...(protocol === 'http:' && !DaemonUrl.isLoopback(hostname) ? ['unencrypted' as const] : [])
        ];
        return { ...checked, warnings };
    }

    /** Whether the daemon that was greeted is still the one that answers there: another one may have taken its port. */
    async isTheSame(client: DaemonClient, { workspaceCwd, version }: Greeting): Promise<boolean> {
        const checked = await CapabilityCheck.check(await client.capabilities(), this.workspace);
        return !('problem' in checked) && checked.workspaceCwd === workspaceCwd && checked.version === version;
    }

    /** That it listens does not mean that it is ready: it answers 503 for about a second (Qwen Code 0.24). */
    protected async capabilities(client: DaemonClient, { host, token }: GreetedAddress, starting: () => void): Promise<unknown> {
        for (const end = Date.now() + this.timings.ready; ;) {
            try {
                return await client.capabilities();
            } catch (error) {
                if (DaemonError.status(error) === 401) {
                    throw new DaemonProblemError({ code: 'wrong-token', hasToken: token !== undefined });
                }
                if (DaemonError.isNetwork(error)) {
                    throw new DaemonProblemError({ code: 'not-running', host });
                }
                if (!DaemonError.isStarting(error)) {
                    throw error;
                }
                if (Date.now() > end) {
                    throw new DaemonProblemError({ code: 'starting' });
                }
                starting();
                await new Promise(resolve => setTimeout(resolve, this.timings.poll));
                starting();
            }
        }
    }
}
