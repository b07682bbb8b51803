// SPDX-License-Identifier: Apache-2.0

import { promises as fs } from 'fs';
import type { DaemonClient } from '@qwen-code/sdk/daemon';
import { z } from 'zod/v4';
import { DaemonWarning } from '../../common/daemon-problem';
import { isLoopback } from '../config/daemon-settings';
import type { DaemonAddress } from '../process/daemon-process';
import { DaemonError, DaemonProblemError } from './daemon-problems';

const capabilities = z.object({
    v: z.literal(1),
    protocolVersions: z.object({ supported: z.array(z.string()) }).optional(),
    qwenCodeVersion: z.string().max(100).optional(),
    mode: z.string(),
    features: z.array(z.string()),
    workspaceCwd: z.string().optional(),
    workspaces: z.array(z.object({ cwd: z.string() })).optional()
});

/** What this extension builds on; a daemon without one of them would fail in the middle of a chat. */
const REQUIRED_FEATURES = [
    'session_create',
    'session_scope_override',
    'session_load',
    'session_source_metadata',
    'session_events',
    'non_blocking_prompt',
    'session_permission_vote',
    'session_set_model',
    'session_approval_mode_control',
    'typed_event_schema'
];

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
    async greet(client: DaemonClient, address: DaemonAddress, starting: () => void): Promise<Greeting> {
        const checked = await this.check(await this.capabilities(client, address, starting));
        const { protocol, hostname } = new URL(address.url);
        const warnings: DaemonWarning[] = [
            // It answered without a token. Its features name a token only with --require-auth (Qwen Code 0.24).
            ...(address.token === undefined ? ['open-daemon' as const] : []),
            ...(protocol === 'http:' && !isLoopback(hostname) ? ['unencrypted' as const] : [])
        ];
        return { ...checked, warnings };
    }

    /** Whether the daemon that was greeted is still the one that answers there: another one may have taken its port. Rejects if none answers. */
    async isTheSame(client: DaemonClient, { workspaceCwd, version }: Greeting): Promise<boolean> {
        const answer = await client.capabilities();
        const checked = await this.check(answer).catch(() => undefined);
        return checked?.workspaceCwd === workspaceCwd && checked.version === version;
    }

    protected async check(answer: unknown): Promise<Omit<Greeting, 'warnings'>> {
        const {
            protocolVersions,
            mode,
            features = [],
            workspaceCwd,
            workspaces = [],
            qwenCodeVersion
        } = capabilities.safeParse(answer).data ?? {};
        const isServe = mode === 'http-bridge' && (protocolVersions === undefined || protocolVersions.supported.includes('v1'));
        const missing = isServe ? REQUIRED_FEATURES.filter(feature => !features.includes(feature)) : ['http-bridge v1'];
        if (missing.length > 0) {
            throw new DaemonProblemError({ code: 'incompatible', version: qwenCodeVersion, missing });
        }
        const offered = [...new Set([workspaceCwd, ...workspaces.map(({ cwd }) => cwd)].flatMap(cwd => cwd ?? []))];
        for (const cwd of offered) {
            if (cwd === this.workspace || (await fs.realpath(cwd).catch(() => undefined)) === this.workspace) {
                return { workspaceCwd: cwd, version: qwenCodeVersion };
            }
        }
        throw new DaemonProblemError({ code: 'workspace-mismatch', requested: this.workspace, offered });
    }

    /** That it listens does not mean that it is ready: it answers 503 for about a second (Qwen Code 0.24). */
    protected async capabilities(client: DaemonClient, { host, token }: DaemonAddress, starting: () => void): Promise<unknown> {
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
                await new Promise(resolve => setTimeout(resolve, this.timings.poll));
                starting();
            }
        }
    }
}
