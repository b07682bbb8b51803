// SPDX-License-Identifier: Apache-2.0

import { DaemonError } from '../connection/daemon-problems';

/** About a minute. */
const ATTEMPTS = 6;

/**
 * Makes or loads a session. With the first session of a workspace the daemon starts an agent process and gives it ten seconds. On a busy
 * machine it answers `init_timeout` and has made nothing; a second request then succeeds (Qwen Code 0.24).
 */
export async function withSlowAgent<T>(call: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
        try {
            return await call();
        } catch (error) {
            if (attempt >= ATTEMPTS || DaemonError.code(error) !== 'init_timeout') {
                throw error;
            }
        }
    }
}
