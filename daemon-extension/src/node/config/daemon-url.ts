// SPDX-License-Identifier: Apache-2.0

import { DaemonProblem } from '../../common/daemon-status';

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
            return bad(`The address in ${source} is not a URL.`);
        }
        if (url.protocol !== 'http:' && url.protocol !== 'https:') {
            return bad(`The address in ${source} is not an http or https URL.`);
        }
        if (url.username || url.password) {
            return bad(`The address in ${source} contains credentials. Preferences and URLs are no place for them.`);
        }
        if (url.search || url.hash) {
            return bad(`The address in ${source} has a query or a fragment.`);
        }
        if (!isLoopback(url.hostname) && !allowRemoteHosts) {
            return {
                problem: {
                    code: 'remote-host',
                    message: `The address in ${source} is on another host (${url.hostname}).`,
                    nextStep: 'Use a daemon on 127.0.0.1, or set qwen-code.experimentalDaemon.allowRemoteHosts in the user settings.'
                }
            };
        }
        return { url: `${url.origin}${url.pathname.replace(/\/+$/, '')}`, host: url.host };
    }

    /** `localhost` is one as well, since no resolver that the daemon's own client would trust says otherwise. */
    export function isLoopback(hostname: string): boolean {
        return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(hostname);
    }

    function bad(message: string): DaemonUrlResult {
        return { problem: { code: 'bad-url', message, nextStep: 'Correct it, e.g. http://127.0.0.1:4170, or remove it.' } };
    }
}
