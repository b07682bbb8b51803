// SPDX-License-Identifier: Apache-2.0

import { promises as fs } from 'fs';
import { z } from 'zod/v4';
import { DaemonProblem } from '../../common/daemon-problem';

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

export type CapabilityResult = { workspaceCwd: string; version: string | undefined } | { problem: DaemonProblem };

/** Whether a daemon is one that this extension can use for this workspace. */
export namespace CapabilityCheck {
    /**
     * @param answer the body of `/capabilities`
     * @param workspace the workspace's real, absolute path here
     */
    export async function check(answer: unknown, workspace: string): Promise<CapabilityResult> {
        const parsed = capabilities.safeParse(answer);
        const { protocolVersions, mode, features = [], workspaceCwd, workspaces, qwenCodeVersion } = parsed.data ?? {};
        const isServe = mode === 'http-bridge' && (protocolVersions === undefined || protocolVersions.supported.includes('v1'));
        const missing = isServe ? REQUIRED_FEATURES.filter(feature => !features.includes(feature)) : ['http-bridge v1'];
        if (missing.length > 0) {
            return { problem: { code: 'incompatible', version: qwenCodeVersion, missing } };
        }
        const offered = [...new Set([workspaceCwd, ...(workspaces ?? []).map(({ cwd }) => cwd)].flatMap(cwd => cwd ?? []))];
        for (const cwd of offered) {
            if (cwd === workspace || (await realPath(cwd)) === workspace) {
                return { workspaceCwd: cwd, version: qwenCodeVersion };
            }
        }
        return { problem: { code: 'workspace-mismatch', requested: workspace, offered } };
    }

    async function realPath(path: string): Promise<string | undefined> {
        return fs.realpath(path).catch(() => undefined);
    }
}
