// SPDX-License-Identifier: Apache-2.0

import { promises as fs } from 'fs';
import * as path from 'path';
import { DaemonProblem } from '../../common/daemon-problem';

export const DAEMON_TOKEN_VARIABLE = 'QWEN_SERVER_TOKEN';

/** More than a token has; a wrong path must not make us read a disk image. */
const MAX_TOKEN_FILE = 4_096;

let taken: string | undefined;

/**
 * Takes the token out of this process's environment, which Theia shows to every page (`EnvVariablesServer`, 1.74) and hands to every
 * shell. Must be called before anything of the backend is made.
 */
export function takeDaemonToken(): void {
    taken = process.env[DAEMON_TOKEN_VARIABLE] ?? taken;
    delete process.env[DAEMON_TOKEN_VARIABLE];
}

export type DaemonTokenResult = { token: string | undefined } | { problem: DaemonProblem };

/**
 * The token of an external daemon: never from preferences, since pages read those.
 *
 * @param tokenFile absolute path, or empty; goes before the environment variable
 */
export async function readDaemonToken(tokenFile: string): Promise<DaemonTokenResult> {
    if (tokenFile === '') {
        return { token: (process.env[DAEMON_TOKEN_VARIABLE] ?? taken)?.trim() || undefined };
    }
    try {
        return path.isAbsolute(tokenFile) ? await readTokenFile(tokenFile) : bad();
    } catch {
        return bad();
    }
}

async function readTokenFile(tokenFile: string): Promise<DaemonTokenResult> {
    const file = await fs.open(tokenFile, 'r');
    try {
        const stat = await file.stat();
        if (!stat.isFile() || stat.size > MAX_TOKEN_FILE) {
            return bad();
        }
        // Windows has no such modes; its files are protected by the folder that they lie in.
        if (process.platform !== 'win32' && ((stat.mode & 0o077) !== 0 || stat.uid !== process.getuid?.())) {
            return bad(tokenFile);
        }
        const token = (await file.readFile('utf8')).trim();
        // What fits into a header, and nothing that could end one.
        return /^[\x21-\x7e]+$/.test(token) ? { token } : bad();
    } finally {
        await file.close();
    }
}

function bad(openToOthers?: string): DaemonTokenResult {
    return { problem: { code: 'bad-token-file', openToOthers } };
}
