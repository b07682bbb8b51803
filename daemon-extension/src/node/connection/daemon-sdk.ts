// SPDX-License-Identifier: Apache-2.0

import type * as sdk from '@qwen-code/sdk/daemon';

export type DaemonSdk = typeof sdk;

/** Loads the client library with the first connection and not before: who does not enable the daemon does not pay for it. */
export function loadDaemonSdk(): Promise<DaemonSdk> {
    return import('@qwen-code/sdk/daemon');
}
