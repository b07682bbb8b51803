// SPDX-License-Identifier: Apache-2.0

import { nls } from '@theia/core/lib/common/nls';
import { problemText, warningText } from '../../common/daemon-problem';
import { DaemonKind, DaemonState, DaemonStatus } from '../../common/qwen-daemon-protocol';

/** Words about where the daemon is and how it is. What is on the daemon's host is not on the user's device. */
export namespace Locality {
    const kinds: Record<DaemonKind, string> = {
        managed: nls.localize('theia/qwen-daemon/locality/managed', 'started by this IDE'),
        external: nls.localize('theia/qwen-daemon/locality/external', 'external')
    };

    export const states: Record<DaemonState, string> = {
        off: nls.localize('theia/qwen-daemon/state/off', 'off'),
        idle: nls.localize('theia/qwen-daemon/state/idle', 'not connected yet'),
        connecting: nls.localize('theia/qwen-daemon/state/connecting', 'connecting'),
        starting: nls.localize('theia/qwen-daemon/state/starting', 'starting'),
        connected: nls.localize('theia/qwen-daemon/state/connected', 'connected'),
        reconnecting: nls.localize('theia/qwen-daemon/state/reconnecting', 'reconnecting'),
        lost: nls.localize('theia/qwen-daemon/state/lost', 'connection lost'),
        refused: nls.localize('theia/qwen-daemon/state/refused', 'cannot be used')
    };

    /** E.g. `127.0.0.1:4170 · /work/project · started by this IDE`. */
    export function place({ host, workspaceCwd, kind }: DaemonStatus): string {
        return [host, workspaceCwd, kind && kinds[kind]].filter(part => part).join(' · ');
    }

    export function explanation(status: DaemonStatus | undefined): string {
        const where =
            status?.kind === 'external' && status.host
                ? nls.localize('theia/qwen-daemon/locality/external/host', "the daemon's host ({0})", status.host)
                : nls.localize('theia/qwen-daemon/locality/managed/host', "the host of the IDE's backend, where the daemon runs");
        return nls.localize(
            'theia/qwen-daemon/locality/where',
            'Files, commands, MCP servers, skills and credentials are those of {0}, not of your device or your browser.',
            where
        );
    }

    export function details(status: DaemonStatus): string[] {
        const { problem, warnings, version } = status;
        return [
            nls.localize('theia/qwen-daemon/status/state', 'Qwen daemon: {0}', states[status.state]),
            place(status),
            version ? `Qwen Code ${version}` : '',
            problem ? problemText(problem) : '',
            ...warnings.map(warningText)
        ].filter(line => line);
    }
}
