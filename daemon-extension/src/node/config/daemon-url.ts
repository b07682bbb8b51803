// SPDX-License-Identifier: Apache-2.0

import { DaemonProblem } from '../../common/daemon-problem';

export type DaemonUrlResult = { url: string; host: string } | { problem: DaemonProblem };

/** Rules for the address of a daemon. */
export namespace DaemonUrl {
    /**
     * @param text as the user wrote it
     * @param source the setting or variable that holds it, for the message
     */
    export function check(text: string, source: string, allowRemoteHosts: boolean): DaemonUrlResult {
        const url = URL.canParse(text) ? new URL(text) : undefined;
        if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash) {
            return { problem: { code: 'bad-url', source } };
        }
        if (!isLoopback(url.hostname) && !allowRemoteHosts) {
            return { problem: { code: 'remote-host', source, hostname: url.hostname } };
        }
        return { url: `${url.origin}${url.pathname.replace(/\/+$/, '')}`, host: url.host };
    }

    /** `localhost` is one as well, since no resolver that the daemon's own client would trust says otherwise. */
    export function isLoopback(hostname: string): boolean {
        return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(hostname);
    }
}
