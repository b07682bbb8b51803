// SPDX-License-Identifier: Apache-2.0

import { DaemonError } from './daemon-problems';

const ATTEMPTS = 3;

/**
 * Makes or loads a session. The daemon starts one agent process per workspace with the first of them, gives it ten seconds, and on
 * a busy machine answers `init_timeout` where a second request is answered (Qwen Code 0.24). Nothing was made by the first one then.
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
