// SPDX-License-Identifier: Apache-2.0

import { DaemonProblem, ProblemOf } from '../../common/daemon-problem';

export type DaemonUrlResult = { url: string; host: string } | { problem: DaemonProblem };

/** Rules for the address of a daemon. */
export namespace DaemonUrl {
    /**
     * @param text as the user wrote it
     * @param source the setting or variable that holds it, for the message
     */
    export function check(text: string, source: string, allowRemoteHosts: boolean): DaemonUrlResult {
        let url: URL;
        try {
            url = new URL(text.trim());
        } catch {
            return bad(source, 'no-url');
        }
        if (url.protocol !== 'http:' && url.protocol !== 'https:') {
            return bad(source, 'no-http');
        }
        if (url.username || url.password) {
            return bad(source, 'credentials');
        }
        if (url.search || url.hash) {
            return bad(source, 'query');
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

    function bad(source: string, flaw: ProblemOf<'bad-url'>['flaw']): DaemonUrlResult {
        return { problem: { code: 'bad-url', source, flaw } };
    }
}
